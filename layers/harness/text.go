package harness

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript"
)

// listed is how many places the texts list of a kind.
const listed = 12

// A report is a text under construction. What comes from logs is made printable and cut, here and not in the data.
type report struct{ strings.Builder }

func (t *report) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

// more says how many of n things are not listed.
func (t *report) more(n int) {
	if n > listed {
		t.line("      … and %d more", n-listed)
	}
}

func (t *report) to(w io.Writer) error {
	_, err := io.WriteString(w, t.String())
	return err
}

func at(p transcript.Position) string {
	if p.IsZero() {
		return "not in the log"
	}
	return textutil.Printable(p.String(), 120)
}

func short(s string) string { return textutil.Printable(s, 100) }

func percent(share *float64) string {
	if share == nil {
		return "—"
	}
	return fmt.Sprintf("%.1f%%", 100**share)
}

func rate(r layers.Rate) string {
	if r.Value == nil {
		return "not measured"
	}
	return fmt.Sprintf("%d/%d %.0f%% [%.0f–%.0f%%]", r.Count, r.Of, 100**r.Value, 100**r.Lo, 100**r.Hi)
}

// WriteText writes the parity as a section. The error is that of w.
func (p Parity) WriteText(w io.Writer) error {
	var t report
	switch {
	case p.Unmeasured != "" || !p.Same && p.First == nil:
		t.line("  Parity — not measured: %s", cmp.Or(p.Unmeasured, "nothing was compared"))
	case p.Same:
		t.line("  Parity — the same trajectory, %s", textutil.Count(p.OldSteps, "step"))
	default:
		t.line("  Parity — NOT THE SAME: %s apart, %d old and %d new", textutil.Count(p.Distance, "step"), p.OldSteps, p.NewSteps)
		t.line("    first: %s", textutil.Printable(p.First.text(), 300))
		for _, s := range []*Step{p.First.Old, p.First.New} {
			if s != nil {
				t.line("      %s", at(s.Position))
			}
		}
	}
	if p.LengthsOnly {
		t.line("    note: read without KeepText, so texts are compared by their lengths")
	}
	return t.to(w)
}

// WriteText writes the choice as a section: the score, then what is not as expected. The error is that of w.
func (c Choice) WriteText(w io.Writer) error {
	var t report
	if c.Score == nil {
		t.line("  Tool choice — not measured: no call was expected, and none was made")
		return t.to(w)
	}
	t.line("  Tool choice — score %.3f: %d right, %d expected, %d made", *c.Score, c.Right, c.Expected, c.Made)
	n := 0
	for _, m := range c.Matches {
		if m.Right() {
			continue
		}
		if n++; n > listed {
			continue
		}
		place, tool := "not made", ""
		if m.Call != nil {
			place, tool = at(m.Call.Position), m.Call.Tool
		} else {
			tool = m.Expected.Tool
		}
		t.line("      %s  %s: %s", place, short(tool), textutil.Printable(strings.Join(m.Wrong, "; "), 200))
	}
	t.more(n)
	return t.to(w)
}

// WriteText writes the repeats as a section. The error is that of w.
func (r Repeats) WriteText(w io.Writer) error {
	var t report
	if r.Share == nil {
		t.line("  Calls made again with nothing changed — not measured: %s", cmp.Or(r.Unmeasured, "no call"))
		return t.to(w)
	}
	t.line("  Calls made again with nothing changed — %d of %s (%s)", len(r.Repeated), textutil.Count(r.Calls, "call"), percent(r.Share))
	for _, x := range r.Repeated[:min(len(r.Repeated), listed)] {
		after := ""
		if x.AfterError {
			after = ", after an error"
		}
		t.line("      %s  %s %s (as at %s%s)", at(x.Position), short(x.Tool), short(x.Label), at(x.First), after)
	}
	t.more(len(r.Repeated))
	return t.to(w)
}

// WriteText writes the recoveries as a section. The error is that of w.
func (r Recoveries) WriteText(w io.Writer) error {
	var t report
	if len(r.Errors) == 0 {
		t.line("  Recovery — not measured: no tool error")
		return t.to(w)
	}
	t.line("  Recovery — %s: %d recovered (%s), %d repeated, %d given up, %d cut off", textutil.Count(len(r.Errors), "tool error"), r.Recovered,
		percent(r.Rate), r.Repeated, r.GaveUp, r.CutOff)
	for _, x := range r.Errors[:min(len(r.Errors), listed)] {
		end := strings.ReplaceAll(string(x.End), "_", " ")
		if x.End == Recovered {
			end += " after " + textutil.Count(x.Steps, "step")
		} else if x.Failed > 0 {
			end += " after " + textutil.Count(x.Failed, "further attempt")
		}
		t.line("      %s  %s %s: %s", at(x.Position), short(x.Tool), short(x.Label), end)
	}
	t.more(len(r.Errors))
	return t.to(w)
}

// WriteText writes the reliability as a section: the means, then a line a task. The error is that of w.
func (r Reliability) WriteText(w io.Writer) error {
	var t report
	if r.PassAtK == nil {
		t.line("  Reliability — not measured: no task")
		return t.to(w)
	}
	t.line("  Reliability — pass@%d %.3f, pass^%d %.3f (mean of %s)", r.K, *r.PassAtK, r.K, *r.PassHatK, textutil.Count(len(r.Tasks), "task"))
	for _, x := range r.Tasks {
		unmeasured := ""
		if x.Unmeasured > 0 {
			unmeasured = fmt.Sprintf(", %d unmeasured", x.Unmeasured)
		}
		t.line("    %-20s  %d of %d%s  pass@%d %.3f  pass^%d %.3f", textutil.Printable(x.Task, 40), x.Successes, x.Runs, unmeasured, r.K, x.PassAtK, r.K, x.PassHatK)
	}
	return t.to(w)
}

// WriteText writes utility and security as a section. The error is that of w.
func (v Security) WriteText(w io.Writer) error {
	var t report
	t.line("  Utility and security under attack:")
	t.line("                    not followed   followed")
	t.line("    task solved     %12d %10d", v.UsefulSecure, v.UsefulInsecure)
	t.line("    not solved      %12d %10d", v.UselessSecure, v.UselessInsecure)
	t.line("    utility under attack %s · attack success %s · both %s", rate(v.UtilityUnderAttack), rate(v.AttackSuccess), rate(v.Both))
	if v.UnknownUtility+v.UnknownExposures > 0 {
		t.line("    not counted: %d without an outcome, %d without an exposure", v.UnknownUtility, v.UnknownExposures)
	}
	return t.to(w)
}
