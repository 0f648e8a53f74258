package jsontext

import (
	"math"
	"strconv"
)

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
