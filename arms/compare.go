package arms

import (
	"github.com/agent-eval/feedback/sufficiency"
	"github.com/agent-eval/feedback/transcript"
)

// Options control [Compare]. The zero value is the documented default of every field.
type Options struct {
	// Title says what is compared, such as the directory of the logs.
	Title string
	// Alpha is the p-value up to which a change counts, above 0 and below 1. Any other value means 0.05.
	Alpha float64
	// Confidence is the level of the intervals, above 0 and below 1. Any other value means 0.95.
	Confidence float64
	// Treatment are the facts that may differ between arms, though never within one. What is under test, the
	// retrieval server and its tools, always may.
	Treatment []Fact
	// Without are the labels of the arms that must not have the retrieval tool: one whose logs offer it is contaminated. Nil means an arm
	// that is labelled without.
	Without []string
}

func (o Options) withDefaults() Options {
	if !(o.Alpha > 0 && o.Alpha < 1) {
		o.Alpha = 0.05
	}
	if !(o.Confidence > 0 && o.Confidence < 1) {
		o.Confidence = 0.95
	}
	if o.Without == nil {
		o.Without = []string{"without"}
	}
	return o
}

// Compare puts arms side by side. It changes neither arms nor their runs, which the Table holds on to. Without arms it has rows without
// cells. Runs are paired by [Run].Task when all runs of two arms have one.
func Compare(arms []Arm, opts Options) Table {
	b := builder{arms: arms, opts: opts.withDefaults(), tool: toolOf(arms)}
	b.pairs = b.pairUp()
	b.runs()
	b.behavior()
	b.occupancy()
	b.sufficiency()
	b.allocation()
	b.contamination()
	t := Table{
		Schema: Schema, Title: opts.Title, Tool: b.tool, Arms: arms, Rows: b.rows, Differences: []Difference{}, Unchecked: []Fact{},
		Warnings: b.warnings(), Alpha: b.opts.Alpha, Confidence: b.opts.Confidence,
	}
	t.compareFacts(opts.Treatment)
	return t
}

func (b *builder) runs() {
	b.section = SectionRuns
	b.sum("runs", Runs, always, func(*Run) int { return 1 })
	b.sum("of which non-success", Runs, ifAny, func(r *Run) int { return one(!r.OK) })
	b.sum("cold-start races", Runs, ifAny, func(r *Run) int { return one(r.Raced) })
}

func (b *builder) behavior() {
	b.section = SectionBehavior
	b.span("duration (s)", Seconds, func(r *Run) *float64 { return r.DurationS })
	b.span("tool calls", Calls, func(r *Run) *float64 { return number(len(r.Calls)) })
	for _, row := range []struct {
		name   string
		family transcript.Family
	}{{"Read", transcript.Read}, {"Grep/Glob", transcript.Search}, {"Bash", transcript.Shell}, {b.toolName() + " calls", transcript.Retrieval}} {
		b.span(row.name, Calls, func(r *Run) *float64 { return number(r.CallsOf(row.family)) })
	}
}

func (b *builder) occupancy() {
	b.section = SectionOccupancy
	b.span("final context (tok)", Tokens, func(r *Run) *float64 {
		if r.Occupancy.FinalContext == nil {
			return nil
		}
		return number(*r.Occupancy.FinalContext)
	})
	b.span(b.toolName()+" residual (tok)", Tokens, func(r *Run) *float64 { return r.Occupancy.Families.Retrieval.Residual })
	b.span("file-access residual (tok)", Tokens, func(r *Run) *float64 { return r.Occupancy.FileAccess.Residual })
	b.span("→ retrieval residual (tok)", Tokens, (*Run).RetrievalResidual)
	b.span("→ share of final context", Fraction, (*Run).RetrievalShare)
	b.sum("unmeasured runs", Runs, ifAny, func(r *Run) int { return one(r.Occupancy.Families.Retrieval.Residual == nil) })
	b.sum("runs with unmeasured requests", Runs, ifAny, func(r *Run) int { return one(r.Occupancy.UnmeasuredRequests > 0) })
	b.sum("runs with an uncalibrated ratio", Runs, ifAny, func(r *Run) int { return one(!r.Occupancy.Calibrated) })
}

func (b *builder) sufficiency() {
	b.section = SectionSufficiency
	answered := func(r *Run) int { return r.Sufficiency.Answered }
	b.sum("answered explore calls", Calls, always, answered)
	for _, row := range []struct {
		name   string
		bucket sufficiency.Bucket
	}{
		{"explore again", sufficiency.ExploreAgain}, {"Read a file we returned", sufficiency.ReadReturned},
		{"Read a file we did not return", sufficiency.ReadMissed}, {"Grep/Glob", sufficiency.Search},
		{"moved on / answered", sufficiency.Sufficient},
	} {
		b.rate(row.name, func(r *Run) int { return r.Sufficiency.Counts.Of(row.bucket) }, answered)
	}
	b.sum("cut off (not bucketed)", Calls, ifAny, func(r *Run) int { return r.Sufficiency.CutOff })
	b.sum("errored/unanswered (not bucketed)", Calls, ifAny, func(r *Run) int { return r.Sufficiency.Errors })
}

func (b *builder) allocation() {
	b.section = SectionAllocation
	b.sum("explore calls with source", Calls, always, func(r *Run) int {
		n := 0
		for _, c := range r.Allocation.Calls {
			n += one(c.Envelope > 0)
		}
		return n
	})
	b.pooled("pooled efficiency", func(r *Run) (part, whole int) {
		if r.Allocation.Used == nil {
			return 0, 0
		}
		return *r.Allocation.Used, r.Allocation.Envelope
	})
	b.span("per-run efficiency", Fraction, func(r *Run) *float64 { return r.Allocation.Efficiency })
	b.span("envelope (chars)", Characters, func(r *Run) *float64 {
		if r.Allocation.Envelope == 0 { // a run that never retrieved adds nothing, not a zero
			return nil
		}
		return number(r.Allocation.Envelope)
	})
	b.sum("runs without an answer", Runs, ifAny, func(r *Run) int { return one(!r.Allocation.HasAnswer) })
}

func (b *builder) contamination() {
	b.section = SectionContamination
	b.sum("CLI calls that RETURNED output", Calls, always, func(r *Run) int { return r.Contamination.Returned })
	b.sum("CLI attempts blocked", Calls, always, func(r *Run) int { return r.Contamination.Blocked })
	b.sum("CLI attempts, result not in the log", Calls, ifAny, func(r *Run) int { return r.Contamination.Unknown })
}

func number(n int) *float64 { return new(float64(n)) }

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
