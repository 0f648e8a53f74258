package arms

import (
	"fmt"
	"slices"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/internal/wilson"
)

// A builder makes the rows of a table, a section at a time.
type builder struct {
	arms    []Arm
	opts    Options
	tool    string
	pairs   []pair // nil when runs are not paired
	section Section
	rows    []Row
}

// toolName returns the tool's name as it fits a label.
func (b *builder) toolName() string { return textutil.Printable(b.tool, 17) }

func (b *builder) add(name string, unit Unit, kind Kind, cells []Cell, change *Change) {
	b.rows = append(b.rows, Row{b.section, name, unit, kind, cells, change})
}

// span adds a row of medians over the runs that have the figure.
func (b *builder) span(name string, unit Unit, of func(*Run) *float64) {
	cells := make([]Cell, len(b.arms))
	samples := make([][]float64, len(b.arms))
	for i, a := range b.arms {
		for j := range a.Runs {
			if x := of(&a.Runs[j]); x != nil {
				samples[i] = append(samples[i], *x)
			}
		}
		cells[i] = spanCell(samples[i], unit, b.opts)
		if n := len(samples[i]); 0 < n && n < len(a.Runs) && b.section != SectionAllocation { // not every run retrieves
			cells[i].Text += fmt.Sprintf(" (%d of %d)", n, len(a.Runs))
		}
	}
	var change *Change
	switch {
	case b.pairs != nil:
		change = b.paired(unit, of)
	case len(b.arms) == 2:
		change = b.unpaired(unit, cells, samples)
	}
	b.add(name, unit, Span, cells, change)
}

func spanCell(values []float64, unit Unit, opts Options) Cell {
	c := Cell{N: len(values), Text: noData}
	if len(values) == 0 {
		return c
	}
	var median float64
	median, c.Interval, c.Warnings = summarize(values, opts)
	c.Median = &median
	c.Min, c.Max = new(slices.Min(values)), new(slices.Max(values))
	c.Text = spanText(median, *c.Min, *c.Max, unit)
	return c
}

// When a row of sums is shown.
type show bool

const (
	always show = true
	ifAny  show = false // when it is not 0 in some arm
)

// sum adds a row of counts that are added up over the runs.
func (b *builder) sum(name string, unit Unit, when show, of func(*Run) int) {
	cells := make([]Cell, len(b.arms))
	for i, a := range b.arms {
		total := 0
		for j := range a.Runs {
			total += of(&a.Runs[j])
		}
		when = when || total > 0
		x := float64(total)
		cells[i] = Cell{Median: &x, Min: &x, Max: &x, N: len(a.Runs), Text: textutil.Thousands(total)}
		if len(a.Runs) == 0 && unit != Runs {
			cells[i] = Cell{Text: noData}
		}
	}
	if when {
		b.add(name, unit, Sum, cells, nil)
	}
}

// rate adds a row of shares of calls, pooled over the runs.
func (b *builder) rate(name string, of, total func(*Run) int) {
	cells := make([]Cell, len(b.arms))
	for i, a := range b.arms {
		k, n := 0, 0
		for j := range a.Runs {
			k += of(&a.Runs[j])
			n += total(&a.Runs[j])
		}
		cells[i] = Cell{Text: noData}
		if n > 0 {
			x := float64(k) / float64(n)
			lo, hi := wilson.Interval(k, n, b.opts.Confidence)
			cells[i] = Cell{Median: &x, Min: &x, Max: &x, N: n, Count: &k, Interval: &Interval{lo, hi, b.opts.Confidence}, Text: rateText(k, n)}
		}
	}
	var change *Change
	switch {
	case b.pairs != nil:
		change = b.pairedRate(of, total)
	case len(b.arms) == 2:
		change = rateChange(cells[0], cells[1], b.opts.Alpha)
	}
	b.add(name, Calls, Rate, cells, change)
}

// pooled adds a row of shares of characters, pooled over the runs.
func (b *builder) pooled(name string, of func(*Run) (part, whole int)) {
	cells := make([]Cell, len(b.arms))
	for i, a := range b.arms {
		part, whole, n := 0, 0, 0
		for j := range a.Runs {
			p, w := of(&a.Runs[j])
			part += p
			whole += w
			n += one(w > 0)
		}
		cells[i] = Cell{Text: noData}
		if whole > 0 {
			x := float64(part) / float64(whole)
			cells[i] = Cell{Median: &x, Min: &x, Max: &x, N: n, Text: format(x, Fraction)}
		}
	}
	b.add(name, Fraction, Pooled, cells, nil)
}
