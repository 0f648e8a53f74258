package layers

import (
	"cmp"
	"slices"

	"github.com/agent-eval/feedback/internal/wilson"
)

// Confidence is the level of the intervals.
const Confidence = 0.95

// A Table is the cross table of runs: contract against capability. It is plain data.
type Table struct {
	Schema int `json:"schema"`
	Group
	// Arms are the same of each arm, in the order in which the labels first come up; empty when no run has one.
	Arms []Group `json:"arms"`
	// Gains are what the first arm has over each other one, of those with measured runs.
	Gains []Gain `json:"gains"`
	// Runs are all runs, each with its label.
	Runs []Labelled `json:"runs"`
}

// A Group is some runs, counted.
type Group struct {
	Arm    string `json:"arm,omitempty"`
	Counts Counts `json:"counts"`
	// Success is the success rate of the measured runs. Clean and Tainted are its two parts: successes without a defect, and with one. They
	// add up to it.
	Success Rate `json:"success"`
	Clean   Rate `json:"clean"`
	Tainted Rate `json:"tainted"`
	// Capability is the success rate among the clean runs: what the model can do where no control failed.
	Capability Rate `json:"capability"`
	// Defects are the kinds of defects, the most frequent first.
	Defects []DefectRate `json:"defects"`
	// Indistinct is how many measured runs have a defect that breaks causality: in them capability and control cannot be told apart.
	Indistinct int `json:"indistinct"`
	// Reasons are why runs are unmeasured, and Unchecked what could not be checked in runs; with how many there are, the most frequent first.
	Reasons   []Reason `json:"reasons"`
	Unchecked []Reason `json:"unchecked"`
}

// Counts are runs by [Label].
type Counts struct {
	CleanSuccess   int `json:"clean_success"`
	TaintedSuccess int `json:"tainted_success"`
	TaintedFailure int `json:"tainted_failure"`
	CleanFailure   int `json:"clean_failure"`
	Unmeasured     int `json:"unmeasured"`
}

// Measured is how many runs have an outcome.
func (c Counts) Measured() int {
	return c.CleanSuccess + c.TaintedSuccess + c.TaintedFailure + c.CleanFailure
}

// A Rate is a share of runs, with Wilson's score interval at [Confidence]. Value, Lo and Hi are from 0 to 1, and nil when
// there are no runs to take a share of.
type Rate struct {
	Count int      `json:"count"`
	Of    int      `json:"of"`
	Value *float64 `json:"value"`
	Lo    *float64 `json:"lo"`
	Hi    *float64 `json:"hi"`
}

// NewRate returns k of n as a rate.
func NewRate(k, n int) Rate {
	if n <= 0 {
		return Rate{}
	}
	lo, hi := wilson.Interval(k, n, Confidence)
	return Rate{k, n, new(float64(k) / float64(n)), &lo, &hi}
}

// A DefectRate is one kind of defect.
type DefectRate struct {
	Layer           Layer  `json:"layer"`
	Name            string `json:"name"`
	BreaksCausality bool   `json:"breaks_causality,omitempty"`
	Runs            int    `json:"runs"`  // that have it, unmeasured ones too
	Count           int    `json:"count"` // how often it is in them
	// With and Without are the success rates of the measured runs that have it and of those that do not.
	With    Rate `json:"with"`
	Without Rate `json:"without"`
}

// A Reason is why something is not known of runs.
type Reason struct {
	Text string `json:"text"`
	Runs int    `json:"runs"`
}

// A Gain is what changed from one arm to another, in fractions: 0.2 is 20 points of success rate more. Clean and Tainted are the
// parts of Success that runs without and with a defect brought, and add up to it.
type Gain struct {
	First   string  `json:"first"`
	Second  string  `json:"second"`
	Success float64 `json:"success"`
	Clean   float64 `json:"clean"`
	Tainted float64 `json:"tainted"`
}

// AllTainted reports that one of the arms succeeds more often, and that its runs without a defect have no part in it.
func (g Gain) AllTainted() bool {
	return g.Success > 0 && g.Clean <= 0 || g.Success < 0 && g.Clean >= 0
}

// Labelled is a run and its place in the table.
type Labelled struct {
	Run
	Label Label `json:"label"`
}

// CrossTab joins outcomes and defects. Without runs it is a table of zeros, whose rates have no value. It does not change the runs.
func CrossTab(runs []Run) Table {
	t := Table{Schema: 1, Group: group("", runs), Arms: []Group{}, Gains: []Gain{}, Runs: []Labelled{}}
	var labels []string
	by := make(map[string][]Run)
	for _, r := range runs {
		t.Runs = append(t.Runs, Labelled{r, r.Label()})
		if _, ok := by[r.Arm]; !ok && r.Arm != "" {
			labels = append(labels, r.Arm)
		}
		by[r.Arm] = append(by[r.Arm], r)
	}
	for _, label := range labels {
		t.Arms = append(t.Arms, group(label, by[label]))
	}
	for i := 1; i < len(t.Arms); i++ {
		if a, b := &t.Arms[0], &t.Arms[i]; a.Counts.Measured() > 0 && b.Counts.Measured() > 0 {
			t.Gains = append(t.Gains, gain(a, b))
		}
	}
	return t
}

func gain(a, b *Group) Gain {
	return Gain{a.Arm, b.Arm, *a.Success.Value - *b.Success.Value, *a.Clean.Value - *b.Clean.Value, *a.Tainted.Value - *b.Tainted.Value}
}

// group counts some runs.
func group(arm string, runs []Run) Group {
	g := Group{Arm: arm, Defects: []DefectRate{}}
	reasons, unchecked := make(tally), make(tally)
	for i := range runs {
		r := &runs[i]
		g.count(r)
		if !r.Outcome.Measured() {
			reasons[cmp.Or(r.Reason, "no reason given")]++
		}
		for _, u := range slices.Compact(slices.Sorted(slices.Values(r.Unchecked))) {
			unchecked[u]++
		}
	}
	g.Reasons, g.Unchecked = reasons.list(), unchecked.list()
	c := g.Counts
	n := c.Measured()
	g.Success = NewRate(c.CleanSuccess+c.TaintedSuccess, n)
	g.Clean = NewRate(c.CleanSuccess, n)
	g.Tainted = NewRate(c.TaintedSuccess, n)
	g.Capability = NewRate(c.CleanSuccess, c.CleanSuccess+c.CleanFailure)
	g.Defects = append(g.Defects, defectRates(runs)...)
	return g
}

func (g *Group) count(r *Run) {
	switch r.Label() {
	case CleanSuccess:
		g.Counts.CleanSuccess++
	case TaintedSuccess:
		g.Counts.TaintedSuccess++
	case TaintedFailure:
		g.Counts.TaintedFailure++
	case CleanFailure:
		g.Counts.CleanFailure++
	default:
		g.Counts.Unmeasured++
		return
	}
	if slices.ContainsFunc(r.Defects, func(d Defect) bool { return d.BreaksCausality }) {
		g.Indistinct++
	}
}

// A tally counts runs by a text.
type tally map[string]int

// list returns the texts, the most frequent first.
func (t tally) list() []Reason {
	list := make([]Reason, 0, len(t))
	for text, n := range t {
		list = append(list, Reason{text, n})
	}
	slices.SortFunc(list, func(a, b Reason) int { return cmp.Or(b.Runs-a.Runs, cmp.Compare(a.Text, b.Text)) })
	return list
}

// defectRates counts every kind of defect in the runs.
func defectRates(runs []Run) (rates []DefectRate) {
	type kind struct {
		layer Layer
		name  string
	}
	at := make(map[kind]int)
	var has [][]bool // per kind and run
	for i := range runs {
		for _, d := range runs[i].Defects {
			k := kind{d.Layer, d.Name}
			j, ok := at[k]
			if !ok {
				j = len(rates)
				at[k] = j
				rates, has = append(rates, DefectRate{Layer: d.Layer, Name: d.Name}), append(has, make([]bool, len(runs)))
			}
			rates[j].Count++
			rates[j].BreaksCausality = rates[j].BreaksCausality || d.BreaksCausality
			has[j][i] = true
		}
	}
	for j := range rates {
		rates[j].split(runs, has[j])
	}
	slices.SortFunc(rates, func(a, b DefectRate) int {
		return cmp.Or(b.Runs-a.Runs, cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Name, b.Name))
	})
	return rates
}

// split computes the success rates with the defect and without it.
func (d *DefectRate) split(runs []Run, has []bool) {
	var successes, measured [2]int // without, with
	for i := range runs {
		with := 0
		if has[i] {
			with = 1
			d.Runs++
		}
		if !runs[i].Outcome.Measured() {
			continue
		}
		measured[with]++
		if runs[i].Outcome == Success {
			successes[with]++
		}
	}
	d.Without, d.With = NewRate(successes[0], measured[0]), NewRate(successes[1], measured[1])
}
