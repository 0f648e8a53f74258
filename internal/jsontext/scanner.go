package jsontext

import (
	"errors"
	"fmt"
	"math"
	"strconv"
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

// numberLen returns the length of a JSON number as JavaScript writes it.
func numberLen(raw []byte) int {
	if _, end, ok := shortInt(raw); ok && end == len(raw) {
		return len(raw)
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil && math.IsInf(f, 0) {
		return len("null")
	}
	if f == 0 {
		return len("0") // -0 too
	}
	var buf [32]byte
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return len(strconv.AppendFloat(buf[:0], f, 'f', -1, 64))
	}
	b := strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	if n := len(b); b[n-2] == '0' && (b[n-3] == '-' || b[n-3] == '+') {
		return n - 1 // e-07 is written e-7
	}
	return len(b)
}

// shortInt reads the digits at the start of raw, at most 15, which a float64 holds exactly.
func shortInt(raw []byte) (n, end int, ok bool) {
	for end < len(raw) && '0' <= raw[end] && raw[end] <= '9' {
		n = n*10 + int(raw[end]-'0')
		end++
		if end > 15 {
			return 0, end, false
		}
	}
	return n, end, end > 0
}

// Int returns the number that raw, a JSON number, stands for. It reports false unless that is a whole number from 0 to 2^53.
func Int(raw []byte) (int, bool) {
	if n, end, ok := shortInt(raw); ok && end == len(raw) {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 || f > 1<<53 || f != math.Trunc(f) {
		return 0, false
	}
	return int(f), true
}

// Valid reports whether text is one JSON value and nothing else, as encoding/json does.
func Valid(text []byte) bool {
	var s Scanner
	s.Reset(text, 0)
	s.Skip()
	s.space()
	return s.err == nil && s.i == len(text)
}

// skipValue returns the index after the value that starts at b[i], or where it went wrong.
func skipValue(b []byte, i, depth int) (int, error) {
	if i >= len(b) {
		return i, ErrEnd
	}
	switch c := b[i]; {
	case c == '"':
		end, _, _, err := scanString(b, i+1)
		if err != nil {
			return end, err
		}
		return end + 1, nil
	case c == '{':
		return skipObject(b, i+1, depth+1)
	case c == '[':
		return skipArray(b, i+1, depth+1)
	case c == 't':
		return skipLiteral(b, i, "true")
	case c == 'f':
		return skipLiteral(b, i, "false")
	case c == 'n':
		return skipLiteral(b, i, "null")
	case c == '-' || '0' <= c && c <= '9':
		return skipNumber(b, i)
	}
	return i, errToken
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

func skipObject(b []byte, i, depth int) (int, error) {
	if depth > MaxDepth {
		return i, errDepth
	}
	i = skipSpace(b, i)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	for {
		i = skipSpace(b, i)
		if i >= len(b) {
			return i, ErrEnd
		}
		if b[i] != '"' {
			return i, errToken
		}
		end, _, _, err := scanString(b, i+1)
		if err != nil {
			return end, err
		}
		i = skipSpace(b, end+1)
		if i >= len(b) {
			return i, ErrEnd
		}
		if b[i] != ':' {
			return i, errToken
		}
		if i, err = skipValue(b, skipSpace(b, i+1), depth); err != nil {
			return i, err
		}
		i = skipSpace(b, i)
		if i >= len(b) {
			return i, ErrEnd
		}
		if b[i] == '}' {
			return i + 1, nil
		}
		if b[i] != ',' {
			return i, errToken
		}
		i++
	}
}

func skipArray(b []byte, i, depth int) (int, error) {
	if depth > MaxDepth {
		return i, errDepth
	}
	i = skipSpace(b, i)
	if i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	for {
		var err error
		if i, err = skipValue(b, skipSpace(b, i), depth); err != nil {
			return i, err
		}
		i = skipSpace(b, i)
		if i >= len(b) {
			return i, ErrEnd
		}
		if b[i] == ']' {
			return i + 1, nil
		}
		if b[i] != ',' {
			return i, errToken
		}
		i++
	}
}

func skipLiteral(b []byte, i int, word string) (int, error) {
	for k := range len(word) {
		if i+k >= len(b) {
			return i + k, ErrEnd
		}
		if b[i+k] != word[k] {
			return i + k, errLiteral
		}
	}
	return i + len(word), nil
}

func skipNumber(b []byte, i int) (int, error) {
	if b[i] == '-' {
		i++
	}
	end := skipDigits(b, i)
	if end == i || b[i] == '0' && end > i+1 {
		return numberError(b, i, end)
	}
	i = end
	if i < len(b) && b[i] == '.' {
		if end = skipDigits(b, i+1); end == i+1 {
			return numberError(b, end, end)
		}
		i = end
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if end = skipDigits(b, i); end == i {
			return numberError(b, end, end)
		}
		i = end
	}
	return i, nil
}

func numberError(b []byte, at, end int) (int, error) {
	if end >= len(b) {
		return end, ErrEnd
	}
	return at, errNumber
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}
