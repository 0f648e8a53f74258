package budget

import (
	"fmt"
	"slices"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// Options control [Analyze]. The zero value is the documented default of every field.
type Options struct {
	// Threshold is the context in tokens from which a turn has run away. 0, or less, means the smallest limit of the budgets in
	// tokens per call; without such a budget turns are not judged.
	Threshold int
	// Refused are calls that the harness did not make, which no log shows: see [Gate]. Each counts as a stopped call of the budget of
	// its name.
	Refused []Refused
}

// Analyze judges the budgets in one session, all threads of it together. It reads nothing but its arguments and does not change them.
//
// A request or a tool result over the limit stands in the log, so it went through. A call was stopped where the client compacted, on
// its own, a context over the limit of a budget in tokens per call, and the thread's next request, if any, was within it; and where
// [Options.Refused] says so.
func Analyze(s *transcript.Session, budgets []Budget, opts Options) Report {
	w := walk(s)
	r := Report{Why: []string{}, Requests: w.requests, Missing: w.missing, Budgets: []Result{}, Overlaps: overlaps(budgets)}
	if r.Missing == nil {
		r.Missing = []Missing{}
	}
	for _, b := range budgets {
		r.Budgets = append(r.Budgets, judge(b.WithDefaults(), w.steps, opts.Refused))
	}
	r.Turns = runaways(w.turns, threshold(budgets, opts))
	r.Why = append(r.Why, r.why()...)
	r.Causal = len(r.Why) == 0
	return r
}

// why says what speaks against the budgets being causal.
func (r *Report) why() (why []string) {
	measured := 0
	for _, b := range r.Budgets {
		switch {
		case b.Unmeasured == "":
			measured++
		case b.Budget.Validate() != nil: // the others merely had no call
			why = append(why, b.Budget.Name+": "+b.Unmeasured)
		}
		if b.Through > 0 {
			why = append(why, fmt.Sprintf("%s: %s over budget went through", b.Budget.Name, textutil.Count(b.Through, "call")))
		}
	}
	if measured == 0 {
		why = append(why, "nothing was measured")
	}
	if n := len(r.Missing); n > 0 {
		why = append(why, fmt.Sprintf("%s without usage", textutil.Count(n, "request")))
	}
	return why
}

// A judgement adds up the calls of one budget.
type judgement struct {
	Result
	turns map[int]int // amounts so far
	run   int
}

func judge(b Budget, steps []step, refused []Refused) Result {
	j := judgement{Result: Result{Budget: b, Over: []Call{}}, turns: make(map[int]int)}
	if err := b.Validate(); err != nil {
		j.Unmeasured = err.Error()
		return j.Result
	}
	for i, s := range steps {
		switch {
		case s.unit != b.Unit:
		case s.compact:
			j.compaction(s, steps[i+1:])
		case s.known:
			j.call(s)
		}
	}
	for _, c := range refused {
		if c.Budget == b.Name {
			j.over(Call{Position: c.Position, Thread: c.Thread, Amount: c.Amount, Stopped: true})
			j.Calls++
		}
	}
	j.finish()
	return j.Result
}

// call adds a call that was made.
func (j *judgement) call(s step) {
	amount := s.amount
	switch j.Budget.Scope {
	case PerTurn:
		if s.turn < 0 { // of no known turn
			return
		}
		j.turns[s.turn] += amount
		amount = j.turns[s.turn]
	case PerRun:
		j.run += amount
		amount = j.run
	}
	j.Calls++
	if j.Peak == nil || amount > *j.Peak {
		j.Peak = new(amount)
	}
	if amount > j.Budget.Limit {
		j.over(Call{Position: s.pos, Thread: s.thread, Amount: amount})
	}
}

// compaction adds a call that was stopped, if the compaction stands in the place of one.
func (j *judgement) compaction(s step, later []step) {
	if j.Budget.Scope != PerCall || s.amount <= j.Budget.Limit {
		return
	}
	for _, next := range later {
		if next.unit == Tokens && next.thread == s.thread && !next.compact {
			if !next.known || next.amount > j.Budget.Limit { // it may have gone through, or did all the same
				return
			}
			break
		}
	}
	j.Calls++
	j.over(Call{Position: s.pos, Thread: s.thread, Amount: s.amount, Stopped: true})
}

func (j *judgement) over(c Call) {
	j.Over = append(j.Over, c)
	if c.Stopped {
		j.Stopped++
	} else {
		j.Through++
	}
}

func (j *judgement) finish() {
	if j.Calls == 0 {
		j.Unmeasured = "no request with a usage"
		if j.Budget.Unit == Characters {
			j.Unmeasured = "no tool result"
		}
		return
	}
	j.OverShare = share(len(j.Over), j.Calls)
	j.ThroughShare = share(j.Through, len(j.Over))
}

func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}

// threshold returns from where on turns have run away; 0 when nothing says it.
func threshold(budgets []Budget, opts Options) (tokens int) {
	if opts.Threshold > 0 {
		return opts.Threshold
	}
	for _, b := range budgets {
		b = b.WithDefaults()
		if b.Validate() == nil && b.Unit == Tokens && b.Scope == PerCall && (tokens == 0 || b.Limit < tokens) {
			tokens = b.Limit
		}
	}
	return tokens
}

func runaways(turns []turn, threshold int) Turns {
	r := Turns{Runaway: []Turn{}}
	for _, t := range turns {
		away, known := t.runaway(threshold)
		switch {
		case threshold <= 0 && t.measured:
			r.Measured++
		case threshold <= 0 || !known:
			r.Unmeasured++
		default:
			r.Measured++
			if away != nil {
				r.Runaway = append(r.Runaway, *away)
			}
		}
	}
	if threshold > 0 {
		r.Threshold = new(threshold)
		r.Share = share(len(r.Runaway), r.Measured)
	}
	return r
}

// overlaps returns the pairs of budgets that differ in how they bound, unless exactly one budget decides.
func overlaps(budgets []Budget) []Overlap {
	list := []Overlap{}
	budgets = slices.DeleteFunc(slices.Clone(budgets), func(b Budget) bool { return b.Validate() != nil })
	deciding := 0
	for _, b := range budgets {
		if b.Authority {
			deciding++
		}
	}
	if deciding == 1 {
		return list
	}
	for i, a := range budgets {
		for _, b := range budgets[i+1:] {
			if d := differ(a.WithDefaults(), b.WithDefaults()); len(d) > 0 {
				list = append(list, Overlap{Budgets: [2]string{a.WithDefaults().Name, b.WithDefaults().Name}, Differ: d})
			}
		}
	}
	return list
}

func differ(a, b Budget) (in []string) {
	if a.Unit != b.Unit {
		in = append(in, "unit")
	}
	if a.Scope != b.Scope {
		in = append(in, "scope")
	}
	if a.Enforcement != b.Enforcement {
		in = append(in, "enforcement")
	}
	return in
}
