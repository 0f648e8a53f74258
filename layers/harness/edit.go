package harness

// distance returns the edit distance of two sequences. It takes time in their length times the distance (Ukkonen, Information and
// Control 64, 1985), for what is compared is mostly the same.
func distance(a, b []int) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	for limit := len(b) - len(a) + 1; ; limit *= 2 {
		if d := within(a, b, limit); d <= limit {
			return d
		}
	}
}

// within returns the distance if it is at most limit, else something larger. b is not the shorter one.
func within(a, b []int, limit int) int {
	row := make([]int, len(b)+1) // row[j] is the distance of a[:i] and b[:j]
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-limit), min(len(b), i+limit)
		diagonal := row[from-1]
		row[from-1] = limit + 1 // outside of the band
		if from == 1 {
			row[0] = i
		}
		for j := from; j <= to; j++ {
			above := row[j]
			if j == i+limit { // not computed in the row before
				above = limit + 1
			}
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, above, row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
