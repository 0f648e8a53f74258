package arms

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

// Notes returns how the table is to be read, one sentence or two each: what its statistics can and cannot say, and what the
// figures mean.
func (t *Table) Notes() []string {
	notes := append(t.statistics(), t.intervals()...)
	if len(t.Unchecked) > 0 {
		facts := make([]string, len(t.Unchecked))
		for i, f := range t.Unchecked {
			facts[i] = string(f)
		}
		notes = append(notes, "Not in these logs, so nobody knows whether it differs: "+strings.Join(facts, ", ")+".")
	}
	tool := textutil.Printable(t.Tool, 40)
	return append(notes,
		"Compare each arm's own → retrieval residual: "+tool+" and file access together are what the agent took in to know what it knew. A "+tool+" residual alone rewards an arm that reads files instead.",
		"Shares of the context hold for one host and one window only; the ratio of two residuals travels.",
		"\"explore again\" is ambiguous: the response did not answer, or it led to the next question.",
		"Efficiency is relative: compare arms on the same question, never one number alone.",
		"Read the range before the median.",
	)
}

// statistics says what the runs are too few for.
func (t *Table) statistics() (notes []string) {
	if n := t.sizes(); len(n) > 0 {
		var parts []string
		for _, n := range n[:min(len(n), 4)] {
			percent := fmt.Sprintf("%.0f%%", 100*Coverage(n))
			if percent == "100%" {
				percent = "more than 99%"
			}
			parts = append(parts, percent+" of the time with "+textutil.Count(n, "run"))
		}
		notes = append(notes, "[min–max] holds the true median "+strings.Join(parts, ", ")+".")
	}
	most, fewest := t.strengths()
	switch {
	case t.ChangeTitle() == "":
	case t.has(SignedRank) && t.leastPaired() > t.Alpha:
		notes = append(notes, fmt.Sprintf("With so few pairs no two-sided signed-rank test goes below p = %.2f, so every row has ~: it would take %d pairs.",
			t.leastPaired(), pairsNeeded(t.Alpha)))
	case t.has(SignedRank):
		notes = append(notes, fmt.Sprintf("p is of Wilcoxon's signed-rank test within pairs, two-sided; ~ is p above %g: nothing can be said.", t.Alpha))
	case most == nil:
	case LeastP(most[0], most[1]) > t.Alpha:
		notes = append(notes, fmt.Sprintf("With %d against %d runs no two-sided rank test goes below p = %.2f, so every row of runs has ~: it would take %d runs an arm.",
			most[0], most[1], LeastP(most[0], most[1]), RunsNeeded(t.Alpha)))
	default:
		notes = append(notes, fmt.Sprintf("p is of the Mann–Whitney test, two-sided; ~ is p above %g: nothing can be said. Of so many rows one in %.0f looks different by chance.",
			t.Alpha, 1/t.Alpha))
		if LeastP(fewest[0], fewest[1]) > t.Alpha {
			notes = append(notes, fmt.Sprintf("A row with as few as %d against %d measured runs cannot go below p = %.2f.", fewest[0], fewest[1], LeastP(fewest[0], fewest[1])))
		}
	}
	if t.has(Fisher) {
		notes = append(notes, "For shares of calls, p is of Fisher's exact test, and [a to b points] is where the difference may lie. Both take calls for independent, which those of one run are not quite: p is larger in truth, and the interval wider.")
	}
	return notes
}

// intervals returns what the intervals of the medians cannot say, which are in the JSON and the CSV.
func (t *Table) intervals() (notes []string) {
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			for _, w := range c.Warnings {
				if n := "Of the median: " + w + "."; !slices.Contains(notes, n) {
					notes = append(notes, n)
				}
			}
		}
	}
	return notes
}

// strengths returns the sizes of the samples that a rank test can say most of, and least; nil without such a test.
func (t *Table) strengths() (most, fewest *[2]int) {
	for _, r := range t.Rows {
		if r.Compare == nil || r.Compare.Test != MannWhitney {
			continue
		}
		n := &r.Compare.N
		if most == nil || LeastP(n[0], n[1]) < LeastP(most[0], most[1]) {
			most = n
		}
		if fewest == nil || LeastP(n[0], n[1]) > LeastP(fewest[0], fewest[1]) {
			fewest = n
		}
	}
	return most, fewest
}

// sizes returns the different numbers of runs above 1 that spans stand on.
func (t *Table) sizes() (n []int) {
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			if r.Kind == Span && c.N > 1 {
				n = append(n, c.N)
			}
		}
	}
	slices.Sort(n)
	return slices.Compact(n)
}

// leastPaired is the smallest p-value that the most pairs of a row can give: 2 in 2ⁿ ways to choose signs.
func (t *Table) leastPaired() float64 {
	n := 0
	for _, r := range t.Rows {
		if r.Compare != nil && r.Compare.Test == SignedRank {
			n = max(n, r.Compare.N[0])
		}
	}
	return min(1, math.Ldexp(2, -n))
}

// pairsNeeded is how many pairs a signed-rank test needs to be able to give p ≤ alpha: 6 for 0.05.
func pairsNeeded(alpha float64) int {
	n := 1
	for math.Ldexp(2, -n) > alpha {
		n++
	}
	return n
}

func (t *Table) has(test Test) bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Compare != nil && r.Compare.Test == test })
}

func (t *Table) writeNotes(b *strings.Builder, footnotes []string) {
	if len(t.Warnings) > 0 {
		b.WriteByte('\n')
	}
	for _, w := range t.Warnings {
		fmt.Fprintf(b, "  !!! %s\n", textutil.Printable(w, 1000))
	}
	if len(footnotes) > 0 {
		b.WriteByte('\n')
	}
	for _, n := range marked(footnotes) {
		fmt.Fprintf(b, "  %s\n", n)
	}
	b.WriteString("\n  how to read it\n")
	for _, n := range t.Notes() {
		fmt.Fprintf(b, "    · %s\n", n)
	}
}
