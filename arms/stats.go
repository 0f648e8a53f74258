package arms

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	// The field's own statistics of small samples: medians, order-statistic intervals, Mann–Whitney.
	"golang.org/x/perf/benchmath"
)

// sample returns a sample of its own copy of values, since benchmath sorts what it is given.
func sample(values []float64, alpha float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.Thresholds{CompareAlpha: alpha})
}

// summarize returns the median of at least one value and its interval, nil where that has no bounds; the warnings say why.
func summarize(values []float64, opts Options) (median float64, interval *Interval, warnings []string) {
	s := benchmath.AssumeNothing.Summary(sample(values, opts.Alpha), opts.Confidence)
	if !math.IsInf(s.Lo, 0) && !math.IsInf(s.Hi, 0) && len(values) > 1 {
		interval = &Interval{s.Lo, s.Hi, s.Confidence}
	}
	for _, w := range s.Warnings {
		warnings = append(warnings, w.Error())
	}
	return s.Center, interval, warnings
}

// median returns the median of at least one value.
func median(values []float64, opts Options) float64 {
	m, _, _ := summarize(values, opts)
	return m
}

// mannWhitney tests whether one of two samples tends to be above the other. With ties the distribution of the statistic is not
// symmetric, and benchmath takes the tail of its first sample even where the statistic is the second one's: it is given
// the lower sample first.
func mannWhitney(x, y []float64, alpha float64) benchmath.Comparison {
	above := 0
	for _, a := range x {
		for _, b := range y {
			above += cmp.Compare(a, b)
		}
	}
	if above > 0 {
		x, y = y, x
	}
	c := benchmath.AssumeNothing.Compare(sample(x, alpha), sample(y, alpha))
	c.P = min(1, c.P) // twice a tail
	return c
}

// Coverage returns how often the least and the greatest of n values have the true median between them: 1 − 2·(½)ⁿ, whatever the
// distribution, since a miss takes all n on one side of it. From 0, for n of 1 or less, to 1.
func Coverage(n int) float64 {
	if n < 1 {
		return 0
	}
	return 1 - math.Ldexp(1, 1-n)
}

// LeastP returns the smallest two-sided p-value that a rank test of n against m values can give: 2 in the number of ways to
// choose n of n+m, when all values of one sample are above all of the other. It is 1 when either is empty.
func LeastP(n, m int) float64 {
	if n < 1 || m < 1 {
		return 1
	}
	ways, _ := new(big.Float).SetInt(new(big.Int).Binomial(int64(n+m), int64(n))).Float64()
	return min(1, 2/ways)
}

// RunsNeeded returns how many runs two arms of equal size need for a rank test to be able to give p ≤ alpha: 4 for 0.05. Alpha
// has to be above 0: no number is enough for less, which is 0.
func RunsNeeded(alpha float64) int {
	if !(alpha > 0) {
		return 0
	}
	n := 1
	for LeastP(n, n) > alpha {
		n++
	}
	return n
}

// fisher returns the two-sided p-value of Fisher's exact test that two rates, k of n and l of m, are of one population: the probability of all
// tables with the same margins that are no more likely than this one. It is 1 when either has no trials.
func fisher(k, n, l, m int) float64 {
	if n == 0 || m == 0 {
		return 1
	}
	successes := k + l
	table := func(i int) float64 { // logarithm of its probability, but for a constant
		return choose(n, i) + choose(m, successes-i)
	}
	here, sum, total := table(k), 0.0, 0.0
	for i := max(0, successes-m); i <= min(n, successes); i++ {
		p := math.Exp(table(i) - here)
		total += p
		if p <= 1+1e-7 { // equal tables differ in the last digits
			sum += p
		}
	}
	return min(1, sum/total)
}

// choose returns the logarithm of the binomial coefficient.
func choose(n, k int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return lg(n) - lg(k) - lg(n-k)
}

// exactPairs is up to how many pairs the signed-rank distribution is counted out; beyond, it is as good as normal.
const exactPairs = 100

// signedRank returns the two-sided p-value of Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945) that differences are symmetric about 0.
// Differences of 0 are left out; equal ones share their ranks. Without any it is 1.
func signedRank(differences []float64) float64 {
	d := slices.DeleteFunc(slices.Clone(differences), func(x float64) bool { return x == 0 })
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	ranks := make([]int, len(d)) // doubled, so that shared ranks are whole
	for i := 0; i < len(d); {
		j := i
		for j < len(d) && math.Abs(d[j]) == math.Abs(d[i]) {
			j++
		}
		for k := i; k < j; k++ {
			ranks[k] = i + j + 1
		}
		i = j
	}
	total, positive, squares := 0, 0, 0.0
	for i, r := range ranks {
		total += r
		squares += float64(r) * float64(r)
		if d[i] > 0 {
			positive += r
		}
	}
	low := min(positive, total-positive)
	if len(d) > exactPairs {
		z := (float64(total)/2 - float64(low)) / (math.Sqrt(squares) / 2)
		return math.Erfc(z / math.Sqrt2)
	}
	return min(1, 2*tail(ranks, total, low))
}

// tail returns the probability that ranks, each counted or not with even chance, add up to at most low.
func tail(ranks []int, total, low int) float64 {
	p := make([]float64, total+1) // p[s] is the probability of the sum s
	p[0] = 1
	for _, r := range ranks {
		for s := total; s >= 0; s-- {
			p[s] /= 2
			if s >= r {
				p[s] += p[s-r] / 2
			}
		}
	}
	sum := 0.0
	for _, x := range p[:low+1] {
		sum += x
	}
	return sum
}
