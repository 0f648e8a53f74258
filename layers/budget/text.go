package budget

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// listed is how many places the texts list of a kind.
const listed = 12

// WriteText writes the report as a section: whether the budgets are causal and what speaks against it, then each budget with its calls
// over, what was not measured, the turns that ran away, and the overlaps. Names come from files: what does not print is replaced, and
// long ones are cut, here and not in the data. The error is that of w.
func (r Report) WriteText(w io.Writer) error {
	var t strings.Builder
	verdict := "causal: every call within budget, every usage known"
	if !r.Causal {
		verdict = "NOT CAUSAL: " + textutil.Printable(strings.Join(r.Why, "; "), 300)
	}
	fmt.Fprintf(&t, "  Budgets — %s\n", verdict)
	for i := range r.Budgets {
		r.Budgets[i].write(&t)
	}
	if len(r.Missing) > 0 {
		r.writeMissing(&t)
	}
	r.Turns.write(&t)
	for _, o := range r.Overlaps {
		fmt.Fprintf(&t, "    overlap: %s and %s differ in %s, and no one budget decides\n",
			textutil.Printable(o.Budgets[0], 40), textutil.Printable(o.Budgets[1], 40), strings.Join(o.Differ, ", "))
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func (r *Result) write(t *strings.Builder) {
	b := r.Budget
	fmt.Fprintf(t, "    %s: ", textutil.Printable(b.Name, 40))
	if r.Unmeasured != "" {
		fmt.Fprintf(t, "not measured: %s\n", textutil.Printable(r.Unmeasured, 120))
		return
	}
	fmt.Fprintf(t, "%s %s per %s, %s: %s", textutil.Thousands(b.Limit), b.Unit, b.Scope,
		b.Enforcement.text(), textutil.Count(r.Calls, "call"))
	if r.Peak != nil {
		fmt.Fprintf(t, ", peak %s", textutil.Thousands(*r.Peak))
	}
	if len(r.Over) == 0 {
		t.WriteString(", none over\n")
		return
	}
	fmt.Fprintf(t, ", %d over (%s): %d went through (%s), %d stopped\n", len(r.Over), percent(r.OverShare), r.Through, percent(r.ThroughShare), r.Stopped)
	for _, c := range r.Over[:min(len(r.Over), listed)] {
		what := "went through"
		if c.Stopped {
			what = "stopped"
		}
		fmt.Fprintf(t, "      %s  %s  %s%s\n", at(c.Position), textutil.Thousands(c.Amount), what, subagent(c.Thread))
	}
	more(t, len(r.Over))
}

func (e Enforcement) text() string {
	switch e {
	case ReportOnly:
		return "only reported"
	case Projection:
		return "enforced in what is shown"
	case AfterCall:
		return "enforced after the call"
	default:
		return "enforced before the call"
	}
}

func (r *Report) writeMissing(t *strings.Builder) {
	through := 0
	for _, m := range r.Missing {
		if m.LetThrough {
			through++
		}
	}
	fmt.Fprintf(t, "    without usage: %d of %s, %d let through as if it were zero\n", len(r.Missing), textutil.Count(r.Requests, "request"), through)
	for _, m := range r.Missing[:min(len(r.Missing), listed)] {
		fmt.Fprintf(t, "      %s%s\n", at(m.Position), subagent(m.Thread))
	}
	more(t, len(r.Missing))
}

func (u *Turns) write(t *strings.Builder) {
	if u.Share == nil {
		reason := "no turn has a request with a usage"
		if u.Threshold == nil {
			reason = "no threshold is given"
		}
		fmt.Fprintf(t, "    runaway turns: not measured: %s\n", reason)
		return
	}
	fmt.Fprintf(t, "    runaway turns: %d of %d (%s) crossed %s tokens\n", len(u.Runaway), u.Measured, percent(u.Share), textutil.Thousands(*u.Threshold))
	if u.Unmeasured > 0 {
		fmt.Fprintf(t, "      %s not measured: a usage is missing\n", textutil.Count(u.Unmeasured, "more turn"))
	}
	for _, v := range u.Runaway[:min(len(u.Runaway), listed)] {
		fmt.Fprintf(t, "      %s  %s → %s tokens at most, %s at the end, %s%s\n", at(v.Position), textutil.Thousands(v.Start), textutil.Thousands(v.Peak),
			textutil.Thousands(v.End), textutil.Count(v.Calls, "tool call"), subagent(v.Thread))
	}
	more(t, len(u.Runaway))
}

func more(t *strings.Builder, n int) {
	if n > listed {
		fmt.Fprintf(t, "      … and %d more\n", n-listed)
	}
}

func at(p transcript.Position) string {
	if p.IsZero() {
		return "not in the log"
	}
	return textutil.Printable(p.String(), 120)
}

func subagent(thread string) string {
	if thread == "" {
		return ""
	}
	return " (subagent)"
}

func percent(share *float64) string {
	if share == nil {
		return "—"
	}
	return fmt.Sprintf("%.1f%%", 100**share)
}
