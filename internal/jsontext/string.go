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

// special returns a mask whose lowest set bit is in the first byte of w that is a quote, a backslash, a control
// character or not ASCII. Bits above the lowest may be wrong, because a subtraction borrows.
func special(w uint64) uint64 {
	quote := (w ^ '"'*ones) - ones
	backslash := (w ^ '\\'*ones) - ones
	control := w - ' '*ones
	return (quote | backslash | control | w) & highs
}

// scanString measures the string whose opening quote stands just before b[i]. It returns the index after
// the closing quote.
func scanString(b []byte, i int) (s String, end int, err error) {
	start, shorter, escaped := i, 0, false
	for {
		for i+8 <= len(b) {
			m := special(binary.LittleEndian.Uint64(b[i:]))
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
			break
		}
		if i >= len(b) {
			return s, i, ErrEnd
		}
		switch c := b[i]; {
		case c == '"':
			return String{b[start:i:i], i - start - shorter, escaped}, i + 1, nil
		case c == '\\':
			n, err := escapeLen(b, i)
			if err != nil {
				return s, i, err
			}
			i += n
			shorter += n - 1
			escaped = true
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(b[i:])
			i += n
			shorter += n - 1
			if r > 0xFFFF {
				shorter-- // two code units
			}
			if n == 1 {
				escaped = true
			}
		case c < ' ':
			return s, i, errControl
		default:
			i++
		}
	}
}

// escapeLen returns the length of the escape that starts at b[i], a backslash.
func escapeLen(b []byte, i int) (int, error) {
	if i+1 >= len(b) {
		return 0, ErrEnd
	}
	switch b[i+1] {
	case 'n', 't', '"', '\\', '/', 'r', 'b', 'f':
		return 2, nil
	case 'u':
		for k := i + 2; k < i+6; k++ {
			if k >= len(b) {
				return 0, ErrEnd
			}
			if hexDigit(b[k]) < 0 {
				return 0, errEscape
			}
		}
		return 6, nil
	}
	return 0, errEscape
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
		n := plainLen(raw[i:])
		dst = append(dst, raw[i:i+n]...)
		i += n
		if i == len(raw) {
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

// plainLen returns how many bytes at the start of b stand for themselves and are ASCII.
func plainLen(b []byte) int {
	i := 0
	for i+8 <= len(b) {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < len(b) && b[i] < utf8.RuneSelf && b[i] != '\\' {
		i++
	}
	return i
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
