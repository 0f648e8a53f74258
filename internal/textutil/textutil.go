// Package textutil formats figures and foreign texts for reports that people read.
package textutil

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns s on one line, at most limit characters long: what does not print (control characters, bidirectional
// overrides, invalid UTF-8) is replaced by U+FFFD, white space by a space, and a cut is marked by … at the end.
func Printable(s string, limit int) string {
	var b strings.Builder
	n := 0
	for i, r := range s {
		if n == limit-1 && utf8.RuneCountInString(s[i:]) > 1 || n >= limit {
			b.WriteRune('…')
			break
		}
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case !unicode.IsPrint(r):
			r = utf8.RuneError
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// Thousands returns n with a comma between each three digits: 12,345.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	digits, sign := s, ""
	if n < 0 {
		digits, sign = s[1:], "-"
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Count returns the number and the noun, which takes an s unless the number is 1: 1 file, 2 files.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Thousands(n) + " " + noun
}
