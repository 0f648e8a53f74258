package jsontext

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// A String is a JSON string in place. The zero String stands for one that is absent.
type String struct {
	// Raw is what stands between the quotes. It points into the text that was scanned.
	Raw []byte
	// Chars is the length of the string in UTF-16 code units. A byte that is no UTF-8 counts one, as
	// the U+FFFD that it reads as.
	Chars int
	// Escaped reports whether Raw differs from the string itself: it holds an escape or invalid UTF-8.
	Escaped bool
}

// Empty reports whether the string is absent or has no characters.
func (s String) Empty() bool { return len(s.Raw) == 0 }

// Append appends the string's bytes to dst. Invalid UTF-8 and unpaired surrogates become U+FFFD.
func (s String) Append(dst []byte) []byte {
	if !s.Escaped {
		return append(dst, s.Raw...)
	}
	return unescape(dst, s.Raw)
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special returns a mask of the bytes of w that are a quote, a backslash, a control character or not ASCII: the highest bit
// of each is set.
func special(w uint64) uint64 {
	// With the highest bit of a byte set, no subtraction borrows from the next; it stays set unless the rest was smaller.
	low := (w ^ 2*ones | highs) - 33*ones // below 33 after the exchange are the control characters and the quote
	backslash := (w ^ '\\'*ones | highs) - ones
	return (^(low & backslash) | w) & highs
}

// skipPlain returns the index of the first special character at or after b[i], or of one within the last 7 bytes of b.
func skipPlain(b []byte, i int) int {
	for ; i <= len(b)-8; i += 8 {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	return i
}

// escapes holds the length of an escape by the character after its backslash; 0 is an invalid one.
var escapes = [256]uint8{'"': 2, '\\': 2, '/': 2, 'b': 2, 'f': 2, 'n': 2, 'r': 2, 't': 2, 'u': 6}

// scanString measures the string whose opening quote stands just before b[i]. It returns the index of the closing quote,
// how many more bytes than UTF-16 code units the string has, and whether it differs from its text.
func scanString(b []byte, i int) (end, less int, escaped bool, err error) {
	simple := 0
	for {
		at, n := skipSimple(b, i)
		simple += n
		if at >= len(b) {
			return at, 0, false, ErrEnd
		}
		c := b[at]
		if c == '"' {
			return at, less + simple, escaped || simple > 0, nil
		}
		n, d, err := oddChar(b, at)
		if err != nil {
			return at, 0, false, err
		}
		i = at + n
		less += d
		escaped = escaped || c == '\\' || c >= utf8.RuneSelf && n == 1
	}
}

// skipSimple skips plain characters and escapes of two bytes from b[i] on. It returns the index of the first byte that is part of
// neither, or of one within the last 7 bytes of b, and how many escapes it has passed. It calls nothing, which keeps its variables in registers:
// most of the time that reading a log takes is spent here.
func skipSimple(b []byte, i int) (at, simple int) {
	for {
		i = skipPlain(b, i)
		if i >= len(b)-1 || b[i] != '\\' || escapes[b[i+1]] != 2 {
			return i, simple
		}
		simple++
		i += 2
	}
}

// oddChar measures the character or escape at b[i], which is no quote: its length in bytes and how many more that is
// than it has UTF-16 code units.
func oddChar(b []byte, i int) (n, less int, err error) {
	switch c := b[i]; {
	case c == '\\':
		return escape(b, i)
	case c < ' ':
		return 0, 0, errControl
	case c < utf8.RuneSelf:
		return 1, 0, nil
	}
	r, n := utf8.DecodeRune(b[i:])
	if r > 0xFFFF {
		return n, n - 2, nil
	}
	return n, n - 1, nil
}

// escape checks the escape at b[i].
func escape(b []byte, i int) (n, less int, err error) {
	if i+1 == len(b) {
		return 0, 0, ErrEnd
	}
	n = int(escapes[b[i+1]])
	for k := i + 2; k < i+n; k++ {
		if k >= len(b) {
			return 0, 0, ErrEnd
		}
		if hexDigit(b[k]) < 0 {
			return 0, 0, errEscape
		}
	}
	if n == 0 {
		return 0, 0, errEscape
	}
	return n, n - 1, nil
}

func hexDigit(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c - 'a' + 10)
	case 'A' <= c && c <= 'F':
		return rune(c - 'A' + 10)
	}
	return -1
}

func hex4(b []byte) rune {
	return hexDigit(b[0])<<12 | hexDigit(b[1])<<8 | hexDigit(b[2])<<4 | hexDigit(b[3])
}

// unescape appends the string that raw, the inside of a valid JSON string, stands for.
func unescape(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		n := skipPlain(raw, i)
		dst = append(dst, raw[i:n]...)
		if i = n; i == len(raw) {
			break
		}
		switch {
		case raw[i] != '\\':
			r, n := utf8.DecodeRune(raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		case raw[i+1] == 'u':
			r := hex4(raw[i+2:])
			i += 6
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if i+6 <= len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
					low = hex4(raw[i+2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, simpleEscape(raw[i+1]))
			i += 2
		}
	}
	return dst
}

func simpleEscape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	}
	return c
}

// compactLen returns the length of s as JSON.stringify writes it, quotes included, in UTF-16 code units.
func (s String) compactLen() int {
	if !s.Escaped {
		return s.Chars + 2
	}
	n := 2
	for i := 0; i < len(s.Raw); {
		c := s.Raw[i]
		switch {
		case c != '\\' && c < utf8.RuneSelf:
			n++
			i++
		case c != '\\':
			r, size := utf8.DecodeRune(s.Raw[i:])
			n += utf16.RuneLen(r)
			i += size
		case s.Raw[i+1] != 'u':
			n++
			if s.Raw[i+1] != '/' {
				n++
			}
			i += 2
		default:
			r := hex4(s.Raw[i+2:])
			i += 6
			paired := false
			if 0xD800 <= r && r < 0xDC00 && i+6 <= len(s.Raw) && s.Raw[i] == '\\' && s.Raw[i+1] == 'u' {
				low := hex4(s.Raw[i+2:])
				paired = 0xDC00 <= low && low < 0xE000
			}
			if paired {
				n += 2
				i += 6
			} else {
				n += stringifiedLen(r)
			}
		}
	}
	return n
}

// stringifiedLen returns how many code units JSON.stringify writes for one code unit.
func stringifiedLen(r rune) int {
	switch {
	case r == '"' || r == '\\' || r == '\n' || r == '\t' || r == '\r' || r == '\b' || r == '\f':
		return 2
	case r < ' ' || utf16.IsSurrogate(r):
		return 6
	}
	return 1
}

// Len16 returns the length of text in UTF-16 code units; a byte that is no UTF-8 counts one.
func Len16(text []byte) int {
	n := len(text)
	for i := 0; i < len(text); {
		if i <= len(text)-8 && binary.LittleEndian.Uint64(text[i:])&highs == 0 {
			i += 8
			continue
		}
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		i += size
		n -= size - 1
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
