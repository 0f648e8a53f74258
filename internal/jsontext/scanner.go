package jsontext

import (
	"errors"
	"fmt"
)

// MaxDepth is how deep values may nest, as in encoding/json.
const MaxDepth = 10000

// ErrEnd says that the text ends before the value does. More bytes may complete it.
var ErrEnd = errors.New("unexpected end of JSON")

var (
	errControl = errors.New("control character in a string")
	errEscape  = errors.New("invalid escape in a string")
	errDepth   = fmt.Errorf("nested deeper than %d", MaxDepth)
	errNumber  = errors.New("invalid number")
	errLiteral = errors.New("invalid literal")
	errToken   = errors.New("unexpected character")
)

// A SyntaxError is text that is not JSON.
type SyntaxError struct {
	Offset int // 0-based byte in the text that Reset was given
	Err    error
}

// Error returns the cause and the byte, counted from 1.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%v (byte %d)", e.Err, e.Offset+1) }

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Kind is the kind of a value.
type Kind byte

// The kinds of values. Invalid is also what stands where the text ends.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	Text
	Array
	Object
)

// String returns the kind's name in JSON's own terms.
func (k Kind) String() string {
	return [...]string{"invalid", "null", "boolean", "number", "string", "array", "object"}[k]
}

// A Scanner walks one JSON value. The first error sticks: after it every method returns at once, and the loops over
// members and elements end. The zero Scanner stands at the end of an empty text.
type Scanner struct {
	b     []byte
	i     int
	depth int
	err   error
}

// Reset starts at offset i of b.
func (s *Scanner) Reset(b []byte, i int) { *s = Scanner{b: b, i: i} }

// Offset returns where the scanner stands: after the last value that it walked over.
func (s *Scanner) Offset() int { return s.i }

// Err returns nil, or a [*SyntaxError].
func (s *Scanner) Err() error { return s.err }

func (s *Scanner) fail(at int, err error) {
	if s.err == nil {
		s.err = &SyntaxError{at, err}
	}
}

func (s *Scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// Peek returns the kind of the value that comes next, judged by its first character.
func (s *Scanner) Peek() Kind {
	if s.err != nil {
		return Invalid
	}
	s.space()
	if s.i >= len(s.b) {
		return Invalid
	}
	switch c := s.b[s.i]; {
	case c == '"':
		return Text
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == 'n':
		return Null
	case c == 't' || c == 'f':
		return Bool
	case c == '-' || '0' <= c && c <= '9':
		return Number
	}
	return Invalid
}

// Skip walks over the next value, whatever it is, and returns its text.
func (s *Scanner) Skip() []byte {
	if s.err != nil {
		return nil
	}
	s.space()
	start := s.i
	end, err := skipValue(s.b, s.i, s.depth)
	s.i = end
	if err != nil {
		s.fail(end, err)
		return nil
	}
	return s.b[start:end:end]
}

// Text walks over the next value, which must be a string (see Peek).
func (s *Scanner) Text() String {
	if s.Peek() != Text {
		s.unexpected()
		return String{}
	}
	start := s.i + 1
	end, less, escaped, err := scanString(s.b, start)
	if err != nil {
		s.i = end
		s.fail(end, err)
		return String{}
	}
	s.i = end + 1
	return String{s.b[start:end:end], end - start - less, escaped}
}

func (s *Scanner) unexpected() {
	if s.i >= len(s.b) {
		s.fail(s.i, ErrEnd)
	} else {
		s.fail(s.i, errToken)
	}
}

// Bool walks over the next value, which must be a boolean, and returns it.
func (s *Scanner) Bool() bool {
	v := s.Skip()
	return len(v) == 4 // true
}

// Enter walks into the next value, which must be an object or an array (see Peek). It reports whether
// there is a first member or element. Call More after each.
func (s *Scanner) Enter() bool {
	if k := s.Peek(); k != Object && k != Array {
		s.unexpected()
		return false
	}
	closing := s.b[s.i] + 2 // '{'+2 is '}', '['+2 is ']'
	s.depth++
	if s.depth > MaxDepth {
		s.fail(s.i, errDepth)
		return false
	}
	s.i++
	s.space()
	if s.i < len(s.b) && s.b[s.i] == closing {
		s.i++
		s.depth--
		return false
	}
	return s.err == nil
}

// More walks from one member or element of a value of the given kind to the next and reports whether there
// is one. If not, the scanner stands after the value.
func (s *Scanner) More(k Kind) bool {
	if s.err != nil {
		return false
	}
	s.space()
	if s.i >= len(s.b) {
		s.fail(s.i, ErrEnd)
		return false
	}
	closing := byte('}')
	if k == Array {
		closing = ']'
	}
	switch s.b[s.i] {
	case ',':
		s.i++
		return true
	case closing:
		s.i++
		s.depth--
		return false
	}
	s.fail(s.i, errToken)
	return false
}

// Key walks over the name of the next member and the colon, and returns the name unescaped.
func (s *Scanner) Key() []byte {
	str := s.Text()
	s.Colon()
	if str.Escaped {
		return str.Append(nil)
	}
	return str.Raw
}

// Colon walks over the colon after a member's name.
func (s *Scanner) Colon() {
	if s.err != nil {
		return
	}
	s.space()
	if s.i >= len(s.b) || s.b[s.i] != ':' {
		s.unexpected()
		return
	}
	s.i++
}

// From returns the text from an earlier Offset to where the scanner stands, without leading white space.
func (s *Scanner) From(start int) []byte {
	start = min(skipSpace(s.b, start), s.i)
	return s.b[start:s.i:s.i]
}

// CompactLen walks over the next value and returns the length, in UTF-16 code units, of its compact form: no white
// space, strings and numbers as JavaScript's JSON.stringify writes them.
func (s *Scanner) CompactLen() int {
	switch k := s.Peek(); k {
	case Text:
		return s.Text().compactLen()
	case Number:
		return numberLen(s.Skip())
	case Object, Array:
		n := 2
		for more := s.Enter(); more; {
			if k == Object {
				n += s.Text().compactLen() + 1
				s.Colon()
			}
			n += s.CompactLen()
			if more = s.More(k); more {
				n++
			}
		}
		return n
	default:
		return len(s.Skip())
	}
}

// CompactTextLen returns what CompactLen returns for a string that was already walked over.
func CompactTextLen(s String) int { return s.compactLen() }
