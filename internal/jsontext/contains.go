package jsontext

import "strings"

// nested is how many strings within strings [Contains] looks into.
const nested = 4

// Contains reports whether a text holds another one, as it is or within JSON strings, where it is written with escapes, or within
// JSON that such a string holds in its turn. The text itself may be JSON, have JSON in it, or be none.
func Contains(text, want string) bool {
	for range nested {
		if strings.Contains(text, want) {
			return true
		}
		if strings.IndexByte(text, '\\') < 0 {
			return false
		}
		text = readEscapes(text)
	}
	return strings.Contains(text, want)
}

// readEscapes returns a text with every escape replaced by what it stands for. A backslash that begins none stays.
func readEscapes(text string) string {
	b := []byte(text)
	raw := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		n := 1
		if b[i] == '\\' {
			var err error
			if n, _, err = escape(b, i); err != nil {
				n = 1
				raw = append(raw, '\\')
			}
		}
		raw = append(raw, b[i:i+n]...)
		i += n
	}
	return string(unescape(nil, raw))
}
