package rag

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// A Gain is what a grade is worth to nDCG. A grade of 0 or less is worth nothing.
type Gain string

// The gains.
const (
	Exponential Gain = "2^grade-1" // Burges et al., Learning to Rank using Gradient Descent (ICML 2005)
	Linear      Gain = "grade"     // Järvelin and Kekäläinen (2002), and trec_eval
)

// of returns the gain of a grade, divided by 2^best or by best, the highest grade there is: so no grade is too large for a float, and
// nDCG, a ratio of gains, is the same.
func (g Gain) of(grade, best int) float64 {
	switch {
	case grade <= 0:
		return 0
	case g == Linear:
		return float64(grade) / float64(best)
	}
	return math.Exp2(float64(grade-best)) - math.Exp2(float64(-best))
}

// ndcg returns the discounted cumulative gain of a ranking by that of the best order of all judged documents, of which one has a grade above 0.
func ndcg(grades map[string]int, docs []Scored, opts Options) float64 {
	returned := make([]int, len(docs))
	for i, d := range docs {
		returned[i] = grades[d.Doc]
	}
	ideal := slices.SortedFunc(maps.Values(grades), func(a, b int) int { return cmp.Compare(b, a) })
	best := ideal[0]
	return dcg(returned, best, opts) / dcg(ideal, best, opts)
}

func dcg(grades []int, best int, opts Options) (sum float64) {
	for i, g := range grades[:min(len(grades), opts.K)] {
		sum += opts.Gain.of(g, best) / math.Log2(float64(i+2))
	}
	return sum
}
