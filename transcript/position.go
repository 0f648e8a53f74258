package transcript

import (
	"errors"
	"strconv"
	"strings"
)

// A Position says where in a log something stands, so that a finding can be looked up with an editor.
// The zero Position means that it is not known.
type Position struct {
	File string // name of the log as it was given to the reader
	Line int    // 1-based line in that log; 0 when only the file is known
}

// String returns file:line, or the file alone when the line is not known.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// IsZero reports whether p is the zero Position.
func (p Position) IsZero() bool { return p == Position{} }

// MarshalText returns the form of [Position.String].
func (p Position) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the form of [Position.String]. The line is what follows the last colon, if that is
// a positive decimal number; otherwise the whole text is the file.
func (p *Position) UnmarshalText(text []byte) error {
	if p == nil {
		return errors.New("transcript: UnmarshalText on a nil Position")
	}
	s := string(text)
	*p = Position{File: s}
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		if n, err := strconv.Atoi(s[i+1:]); err == nil && n > 0 && strconv.Itoa(n) == s[i+1:] {
			*p = Position{File: s[:i], Line: n}
		}
	}
	return nil
}
