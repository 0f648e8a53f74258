package campaign

import (
	"cmp"
	"math"
	"slices"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// Options control [Analyze]. The zero value is the documented default of every field.
type Options struct {
	Title string // what is reported, such as the directory
	// IncludeRaced keeps runs with the tool whose server was not there at the start: they ran without it.
	IncludeRaced bool
	// IncludeContaminated keeps runs without the tool that reached it all the same.
	IncludeContaminated bool
	// Compare are the options of the table. Its Title and Without are set.
	Compare arms.Options
}

// Analyze sums up the runs with a tool and without it. A run without a Task counts as one on the repository "". It does not change the
// arms.
func Analyze(with, without arms.Arm, opts Options) Report {
	r := Report{
		Schema: arms.Schema, Title: opts.Title, With: with.Label, Without: without.Label,
		Repos: []Repo{}, Averages: []Average{}, LeftOut: []LeftOut{}, Warnings: []string{},
	}
	kept := []arms.Arm{
		r.keep(with, opts.IncludeRaced, raced),
		r.keep(without, opts.IncludeContaminated, contaminated),
	}
	opts.Compare.Title, opts.Compare.Without = opts.Title, []string{without.Label}
	r.Table = arms.Compare(kept, opts.Compare)
	r.Tool = r.Table.Tool
	for _, name := range repos(with, without) {
		r.Repos = append(r.Repos, repo(name, of(kept[0], name), of(kept[1], name)))
	}
	for _, repo := range r.Repos {
		if repo.Runs[0] == 0 || repo.Runs[1] == 0 {
			r.Warnings = append(r.Warnings, repo.Name+": one arm has no run that counts, so it is in no average")
		}
	}
	r.average()
	return r
}

// raced says why a run with the tool does not count; empty when it does.
func raced(r *arms.Run) string {
	if r.Raced {
		return "raced: the server lost a cold start"
	}
	return ""
}

// contaminated says why a run without the tool does not count; empty when it does.
func contaminated(r *arms.Run) string {
	switch {
	case r.Contamination.Contaminated():
		return "contaminated: the command line was run through the shell, and returned output"
	case r.CallsOf(transcript.Retrieval) > 0:
		return "contaminated: it called the tool"
	case r.OffersRetrieval():
		return "contaminated: its init offers the tool"
	}
	return ""
}

// keep returns the runs that count, and lists the others.
func (r *Report) keep(a arms.Arm, all bool, reason func(*arms.Run) string) arms.Arm {
	kept := arms.Arm{Label: a.Label, Runs: []arms.Run{}}
	for i := range a.Runs {
		if why := reason(&a.Runs[i]); !all && why != "" {
			r.LeftOut = append(r.LeftOut, LeftOut{a.Runs[i].Name, why})
			continue
		}
		kept.Runs = append(kept.Runs, a.Runs[i])
	}
	return kept
}

// repos returns the names of all repositories, those too whose runs are all left out.
func repos(as ...arms.Arm) (names []string) {
	for _, a := range as {
		for i := range a.Runs {
			names = append(names, a.Runs[i].Task)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(textutil.Natural(a, b), cmp.Compare(a, b)) })
	return slices.Compact(names)
}

// of returns the runs of an arm on one repository.
func of(a arms.Arm, repo string) arms.Arm {
	some := arms.Arm{Label: a.Label}
	for i := range a.Runs {
		if a.Runs[i].Task == repo {
			some.Runs = append(some.Runs, a.Runs[i])
		}
	}
	return some
}

// measures are what a campaign compares, in the order in which they are reported.
var measures = [...]struct {
	name string
	unit arms.Unit
	of   func(*arms.Run) *float64
}{
	{"time", arms.Seconds, func(r *arms.Run) *float64 { return r.DurationS }},
	{"tool calls", arms.Calls, func(r *arms.Run) *float64 { return new(float64(len(r.Calls))) }},
	{"tokens", arms.Tokens, func(r *arms.Run) *float64 { return float(r.ProcessedTokens) }},
	{"cost", Dollars, func(r *arms.Run) *float64 { return r.CostUSD }},
	{"turns", Requests, func(r *arms.Run) *float64 { return new(float64(r.Turns)) }},
	{"final context", arms.Tokens, func(r *arms.Run) *float64 { return float(r.Occupancy.FinalContext) }},
	{"retrieval residual", arms.Tokens, (*arms.Run).RetrievalResidual},
	{"share of context", arms.Fraction, (*arms.Run).RetrievalShare},
}

// throughput is how many of the measures are about throughput; the others are about occupancy.
const throughput = 4

func float(n *int) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

func repo(name string, with, without arms.Arm) Repo {
	r := Repo{Name: name, Runs: [2]int{len(with.Runs), len(without.Runs)}, Measures: []Measure{}, Mix: []Mix{}}
	for _, m := range measures {
		r.Measures = append(r.Measures, measure(m.name, m.unit, median(with, m.of), median(without, m.of)))
	}
	first := func(r *arms.Run) *float64 { return float(r.Occupancy.BaseContext) }
	if a, b := median(with, first), median(without, first); a != nil && b != nil {
		r.FixedOverhead = new(*a - *b)
	}
	for i := range with.Runs {
		r.judge(&with.Runs[i])
	}
	if r.Envelope > 0 {
		r.Efficiency = new(float64(r.Used) / float64(r.Envelope))
	}
	for _, a := range []arms.Arm{with, without} {
		for i := range a.Runs {
			r.Mix = append(r.Mix, mix(a.Label, &a.Runs[i]))
		}
	}
	return r
}

// judge adds a run with the tool to what is pooled.
func (r *Repo) judge(run *arms.Run) {
	s, c := run.Sufficiency, &r.Counts
	r.Answered += s.Answered
	c.ExploreAgain += s.Counts.ExploreAgain
	c.ReadReturned += s.Counts.ReadReturned
	c.ReadMissed += s.Counts.ReadMissed
	c.Search += s.Counts.Search
	c.Sufficient += s.Counts.Sufficient
	if used := run.Allocation.Used; used != nil {
		r.Used += *used
		r.Envelope += run.Allocation.Envelope
	}
}

func mix(arm string, r *arms.Run) Mix {
	return Mix{r.Name, arm, r.CallsOf(transcript.Retrieval), r.CallsOf(transcript.Read), r.CallsOf(transcript.Search),
		r.CallsOf(transcript.Shell), r.CallsOf(transcript.Other)}
}

func measure(name string, unit arms.Unit, with, without *float64) Measure {
	m := Measure{Name: name, Unit: unit, With: with, Without: without}
	if with != nil && without != nil && *without != 0 {
		m.Saved = new(1 - *with / *without)
	}
	return m
}

// median returns the median of a figure over the runs that have it, nil when none has.
func median(a arms.Arm, of func(*arms.Run) *float64) *float64 {
	var values []float64
	for i := range a.Runs {
		if x := of(&a.Runs[i]); x != nil {
			values = append(values, *x)
		}
	}
	n := len(values)
	if n == 0 {
		return nil
	}
	slices.Sort(values)
	return new((values[(n-1)/2] + values[n/2]) / 2)
}

// average fills in Averages.
func (r *Report) average() {
	for i, m := range measures {
		a := Average{Measure: m.name}
		logs := 0.0
		for _, repo := range r.Repos {
			saved := repo.Measures[i].Saved
			if saved == nil || *saved >= 1 {
				continue
			}
			a.Repos++
			logs += math.Log(1 - *saved)
			if a.Min == nil {
				a.Min, a.Max = new(*saved), new(*saved)
			}
			*a.Min, *a.Max = min(*a.Min, *saved), max(*a.Max, *saved)
		}
		if a.Repos > 0 {
			a.Mean = new(1 - math.Exp(logs/float64(a.Repos)))
		}
		r.Averages = append(r.Averages, a)
	}
}
