package arms

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

// unpaired compares the medians of two arms, or returns nil when one of them has none.
func (b *builder) unpaired(unit Unit, cells []Cell, samples [][]float64) *Change {
	if cells[0].Median == nil || cells[1].Median == nil {
		return nil
	}
	c := change(*cells[0].Median, *cells[1].Median, unit)
	test := mannWhitney(samples[0], samples[1], b.opts.Alpha)
	c.P, c.Test, c.N = &test.P, MannWhitney, [2]int{len(samples[0]), len(samples[1])}
	c.Significant = test.P <= b.opts.Alpha
	if !constant(samples) {
		for _, w := range test.Warnings {
			c.Warnings = append(c.Warnings, w.Error())
		}
	}
	c.Text = c.changeText(unit, fmt.Sprintf("n=%d+%d", c.N[0], c.N[1]))
	return &c
}

// constant reports whether all values are equal, which is no fault of the test.
func constant(samples [][]float64) bool {
	all := slices.Concat(samples...)
	return slices.Min(all) == slices.Max(all)
}

// change returns what changed from second to first.
func change(first, second float64, unit Unit) Change {
	c := Change{Difference: first - second}
	if second != 0 && unit != Fraction {
		c.Relative = new((first - second) / math.Abs(second))
	}
	return c
}

// A pair is the runs of two arms that answer one question: indexes into their runs.
type pair struct {
	task string
	runs [2][]int
}

// pairUp pairs the runs of two arms by their tasks. It returns nil unless every run has one, and some is in both arms.
func (b *builder) pairUp() (pairs []pair) {
	if len(b.arms) != 2 {
		return nil
	}
	at := make(map[string]int)
	for i, a := range b.arms {
		for j := range a.Runs {
			task := a.Runs[j].Task
			if task == "" {
				return nil
			}
			k, ok := at[task]
			if !ok {
				k = len(pairs)
				at[task] = k
				pairs = append(pairs, pair{task: task})
			}
			pairs[k].runs[i] = append(pairs[k].runs[i], j)
		}
	}
	pairs = slices.DeleteFunc(pairs, func(p pair) bool { return len(p.runs[0]) == 0 || len(p.runs[1]) == 0 })
	if len(pairs) == 0 {
		return nil
	}
	return pairs
}

// paired compares two arms within the pairs in which both have the figure, or returns nil when there is none. Several runs of
// one pair count as their median.
func (b *builder) paired(unit Unit, of func(*Run) *float64) *Change {
	return b.withinPairs(unit, func(arm int, p pair) *float64 {
		var values []float64
		for _, j := range p.runs[arm] {
			if x := of(&b.arms[arm].Runs[j]); x != nil {
				values = append(values, *x)
			}
		}
		if len(values) == 0 {
			return nil
		}
		return new(median(values, b.opts))
	})
}

// pairedRate compares two rates within pairs. The calls of several runs of one pair are pooled.
func (b *builder) pairedRate(of, total func(*Run) int) *Change {
	return b.withinPairs(Fraction, func(arm int, p pair) *float64 {
		k, n := 0, 0
		for _, j := range p.runs[arm] {
			k += of(&b.arms[arm].Runs[j])
			n += total(&b.arms[arm].Runs[j])
		}
		if n == 0 {
			return nil
		}
		return new(float64(k) / float64(n))
	})
}

// withinPairs compares a figure of two arms pair by pair.
func (b *builder) withinPairs(unit Unit, of func(arm int, p pair) *float64) *Change {
	var differences, logRatios []float64
	for _, p := range b.pairs {
		first, second := of(0, p), of(1, p)
		if first == nil || second == nil {
			continue
		}
		differences = append(differences, *first-*second)
		if *first > 0 && *second > 0 {
			logRatios = append(logRatios, math.Log(*first / *second))
		}
	}
	if len(differences) == 0 {
		return nil
	}
	c := Change{Test: SignedRank, N: [2]int{len(differences), len(differences)}}
	c.Difference = median(differences, b.opts)
	if unit != Fraction && len(logRatios) == len(differences) {
		c.Relative = new(math.Exp(median(logRatios, b.opts)) - 1)
	}
	c.P = new(signedRank(differences))
	c.Significant = *c.P <= b.opts.Alpha
	c.Text = c.changeText(unit, "n="+textutil.Count(len(differences), "pair"))
	return &c
}

// rateChange compares two rates by Fisher's exact test, or returns nil when one of them has no calls. The interval of their difference is
// Newcombe's method 10 (Statistics in Medicine 17, 1998), which is made of both rates' Wilson intervals; of few calls it may leave out 0 where
// the test finds nothing.
func rateChange(first, second Cell, alpha float64) *Change {
	if first.Interval == nil || second.Interval == nil {
		return nil
	}
	p, q := *first.Median, *second.Median
	a, b := first.Interval, second.Interval
	c := change(p, q, Fraction)
	c.Test, c.N = Fisher, [2]int{first.N, second.N}
	c.P = new(fisher(*first.Count, first.N, *second.Count, second.N))
	c.Interval = &Interval{
		c.Difference - math.Hypot(p-a.Lo, b.Hi-q),
		c.Difference + math.Hypot(a.Hi-p, q-b.Lo),
		a.Confidence,
	}
	c.Significant = *c.P <= alpha
	c.Text = c.changeText(Fraction, fmt.Sprintf("[%+.0f to %+.0f points]", 100*c.Interval.Lo, 100*c.Interval.Hi))
	return &c
}

// changeText words the change by its sign. Where nothing can be said it is ~.
func (c *Change) changeText(unit Unit, n string) string {
	text := "~"
	if c.Significant {
		text = c.words(unit)
	}
	if c.P != nil {
		text += " " + pText(*c.P)
	}
	return text + " " + n
}

func pText(p float64) string {
	if p < 0.001 {
		return "p<0.001"
	}
	return fmt.Sprintf("p=%.3f", p)
}

// words says which way the figure went, and how far.
func (c *Change) words(unit Unit) string {
	direction := "HIGHER"
	switch {
	case c.Difference < 0:
		direction = "LOWER"
	case c.Difference == 0:
		return "same median"
	}
	d := math.Abs(c.Difference)
	switch {
	case unit == Fraction:
		return fmt.Sprintf("%s points %s", digits(100*d), direction)
	case c.Relative != nil && math.Signbit(*c.Relative) == math.Signbit(c.Difference):
		return fmt.Sprintf("%s%% %s", digits(100*math.Abs(*c.Relative)), direction)
	}
	name := string(unit)
	if d == 1 && strings.HasSuffix(name, "s") && len(name) > 1 {
		name = name[:len(name)-1]
	}
	return fmt.Sprintf("%s %s %s", format(d, unit), name, direction)
}

// digits writes a percentage with a decimal where it is small.
func digits(x float64) string {
	if x < 9.95 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
