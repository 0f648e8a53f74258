// Package textutil formats figures and foreign texts for reports that people read.
package textutil

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns s on one line, at most limit characters long: what does not print (control characters, bidirectional
// overrides, invalid UTF-8) is replaced by U+FFFD, white space by a space, and a cut is marked by … at the end.
func Printable(s string, limit int) string {
	if len(s) <= limit && strings.IndexFunc(s, odd) < 0 {
		return s
	}
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

// odd reports whether Printable replaces the character.
func odd(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }

// Thousands returns n with a comma between each three digits: 12,345.
func Thousands(n int) string {
	var buf [32]byte
	b := strconv.AppendInt(buf[:0], int64(n), 10)
	for i := len(b) - 3; i > 0 && b[i-1] != '-'; i -= 3 {
		b = slices.Insert(b, i, ',')
	}
	return string(b)
}

// Count returns the number and the noun, which takes an s unless the number is 1: 1 file, 2 files.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Thousands(n) + " " + noun
}
