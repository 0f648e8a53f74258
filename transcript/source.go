package transcript

import (
	"bytes"
	"io"
)

// A source cuts an input into pieces of whole lines.
type source struct {
	r    io.Reader
	rest []byte // begin of a line whose end has not been read yet
	done bool   // the input has ended
}

// next reads at least want bytes and then up to the end of a line, or to the end of the input, into buf, which
// grows when it must. The piece is valid until the buffer is used again. After the last piece it is empty.
func (s *source) next(buf []byte, want int) (piece, grown []byte, err error) {
	buf = append(buf[:0], s.rest...)
	s.rest = s.rest[:0]
	end := -1 // after the last line feed so far; what rest held has none
	for !s.done && (len(buf) < want || end < 0) {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := s.r.Read(buf[len(buf):cap(buf)])
		if i := bytes.LastIndexByte(buf[len(buf):len(buf)+n], '\n'); i >= 0 {
			end = len(buf) + i + 1
		}
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			s.done = true
		} else if err != nil {
			return nil, buf, err
		}
	}
	if s.done {
		end = len(buf)
	}
	s.rest = append(s.rest, buf[end:]...)
	return buf[:end], buf, nil
}
