package transcripttest

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
)

// ImageBlock returns an image content block that holds a blank PNG of the given size in pixels.
func ImageBlock(width, height int) Args {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		panic("transcripttest: " + err.Error())
	}
	return Args{"type": "image", "source": Args{"type": "base64", "media_type": "image/png", "data": base64.StdEncoding.EncodeToString(b.Bytes())}}
}
