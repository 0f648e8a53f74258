package transcript

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
)

// images returns the images of a block, nil when it has none.
func (f *folder) images(l *line, b *block) (list []Image) {
	for _, im := range l.images[b.images[0]:b.images[1]] {
		list = append(list, f.image(im))
	}
	return list
}

// image measures an image block: its size in bytes from the length of the base64 text, and its size in pixels from
// the header, which is all that is decoded.
func (f *folder) image(im imageBlock) Image {
	data := im.data.Raw
	if im.data.Escaped {
		data = im.data.Append(nil)
	}
	v := Image{MediaType: f.str(im.mediaType), Bytes: base64Len(data)}
	header := func() io.Reader { return base64.NewDecoder(base64.StdEncoding, bytes.NewReader(data)) }
	for _, decode := range []func(io.Reader) (image.Config, error){png.DecodeConfig, jpeg.DecodeConfig, gif.DecodeConfig} {
		if c, err := decode(header()); err == nil {
			v.Width, v.Height = c.Width, c.Height
			break
		}
	}
	return v
}

// base64Len returns how many bytes a base64 text stands for.
func base64Len(s []byte) int {
	n := len(s)
	for n > 0 && s[n-1] == '=' {
		n--
	}
	return n * 3 / 4
}
