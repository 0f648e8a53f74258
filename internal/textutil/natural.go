package textutil

import (
	"cmp"
	"strings"
)

// Natural orders names as people do, by the numbers in them: run-2 comes before run-10. It is for use with slices.SortFunc.
func Natural(a, b string) int {
	for a != "" && b != "" {
		x, restA, numA := chunk(a)
		y, restB, numB := chunk(b)
		if numA && numB {
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if c := cmp.Compare(len(x), len(y)); c != 0 {
				return c
			}
		}
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
		a, b = restA, restB
	}
	return cmp.Compare(len(a), len(b))
}

// chunk cuts the leading run of digits, or of anything else, off s.
func chunk(s string) (head, rest string, digits bool) {
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
	digits = isDigit(s[0])
	n := 1
	for n < len(s) && isDigit(s[n]) == digits {
		n++
	}
	return s[:n], s[n:], digits
}
