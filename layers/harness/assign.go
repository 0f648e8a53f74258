package harness

import "math"

// assign gives each row one column at most, and each column to one row, so that the weights, which are above 0, add up to the most. It
// returns the column of each row, or -1. This is the Hungarian method (Kuhn, Naval Research Logistics 2, 1955) in the form with potentials, in
// time rows² · columns for the smaller side as rows.
func assign(weights [][]int, columns int) []int {
	rows := len(weights)
	if rows > columns {
		turned := make([][]int, columns)
		for j := range turned {
			turned[j] = make([]int, rows)
			for i := range weights {
				turned[j][i] = weights[i][j]
			}
		}
		to := make([]int, rows)
		for i := range to {
			to[i] = -1
		}
		for j, i := range assign(turned, rows) {
			to[i] = j
		}
		return to
	}
	h := hungarian{weights: weights, u: make([]int, rows+1), v: make([]int, columns+1), row: make([]int, columns+1), from: make([]int, columns+1)}
	for i := 1; i <= rows; i++ {
		h.add(i)
	}
	to := make([]int, rows)
	for j := 1; j <= columns; j++ {
		if h.row[j] > 0 {
			to[h.row[j]-1] = j - 1
		}
	}
	return to
}

// hungarian is the state of an assignment; rows and columns count from 1.
type hungarian struct {
	weights [][]int
	u, v    []int // potentials
	row     []int // of each column; 0 is none
	from    []int // the column before it on the path
}

// add brings row i in along the cheapest path.
func (h *hungarian) add(i int) {
	n := len(h.v)
	least, used := make([]int, n), make([]bool, n)
	for j := range least {
		least[j] = math.MaxInt
	}
	h.row[0] = i
	j := 0
	for h.row[j] != 0 {
		used[j] = true
		i, delta, next := h.row[j], math.MaxInt, 0
		for k := 1; k < n; k++ {
			if used[k] {
				continue
			}
			if c := -h.weights[i-1][k-1] - h.u[i] - h.v[k]; c < least[k] {
				least[k], h.from[k] = c, j
			}
			if least[k] < delta {
				delta, next = least[k], k
			}
		}
		for k := range n {
			if used[k] {
				h.u[h.row[k]] += delta
				h.v[k] -= delta
			} else if k > 0 {
				least[k] -= delta
			}
		}
		j = next
	}
	for j != 0 {
		h.row[j] = h.row[h.from[j]]
		j = h.from[j]
	}
}
