package arms

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// WriteText writes the run as text: how it ended and what it called, then each block. Brief leaves out the list of
// calls. Whatever comes from the log is made printable and cut where it is long, in the text only. The error is
// that of w.
func (r *Run) WriteText(w io.Writer, brief bool) error {
	var t strings.Builder
	fmt.Fprintf(&t, "=== %s ===\n", textutil.Printable(strings.Join(r.Segments, " + "), 400))
	if r.Contamination.Contaminated() {
		r.Contamination.WriteText(&t)
	}
	r.writeCalls(&t, brief)
	r.writeResult(&t)
	r.WriteWeaknesses(&t)
	if !r.Contamination.Contaminated() {
		r.Contamination.WriteText(&t)
	}
	for _, block := range []interface{ WriteText(io.Writer) error }{r.Occupancy, r.Sufficiency, r.Allocation} {
		t.WriteByte('\n')
		block.WriteText(&t) // a strings.Builder does not fail
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func (r *Run) writeCalls(t *strings.Builder, brief bool) {
	if r.Setup.Tools == nil {
		fmt.Fprintf(t, "%s tools exposed: not in the log\n", r.Tool)
	} else {
		fmt.Fprintf(t, "%s tools exposed: %d\n", r.Tool, len(r.RetrievalTools))
	}
	fmt.Fprintf(t, "Tool calls (%d):\n", len(r.Calls))
	if len(r.Calls) == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(r.ToolCounts), func(a, b string) int {
		if d := r.ToolCounts[b] - r.ToolCounts[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", textutil.Printable(name, 80), r.ToolCounts[name])
	}
	fmt.Fprintf(t, "  by type: %s\n", strings.Join(names, ", "))
	if brief {
		return
	}
	for i, c := range r.Calls {
		fmt.Fprintf(t, "  %d. %s", i+1, textutil.Printable(c.Tool, 80))
		if c.Label != "" {
			fmt.Fprintf(t, " \"%s\"", textutil.Printable(c.Label, 100))
		}
		if c.Thread != "" {
			t.WriteString("  (subagent)")
		}
		t.WriteByte('\n')
	}
}

func (r *Run) writeResult(t *strings.Builder) {
	outcome := "no result: the run did not end"
	if n := len(r.Outcomes); n > 0 {
		if last := r.Outcomes[n-1]; last != "no result" {
			outcome = last
		}
	}
	fmt.Fprintf(t, "Result: %s", textutil.Printable(outcome, 80))
	if r.DurationS != nil {
		fmt.Fprintf(t, " | duration %s", seconds(*r.DurationS))
	}
	fmt.Fprintf(t, " | turns %d", r.Turns)
	if n := len(r.Segments); n > 1 {
		fmt.Fprintf(t, " | %d segments (%s)", n, textutil.Printable(strings.Join(r.Outcomes, ", "), 200))
	}
	t.WriteString("\n  tokens processed: ")
	if r.ProcessedTokens == nil {
		t.WriteString("not measured: no request has a usage")
	} else {
		t.WriteString(textutil.Thousands(*r.ProcessedTokens))
		if len(r.SubagentToolCounts) > 0 {
			t.WriteString(" (subagents included)")
		}
	}
	if r.CostUSD != nil {
		fmt.Fprintf(t, " | cost $%.3f", *r.CostUSD)
		if len(r.Segments) > 1 {
			fmt.Fprintf(t, " (%s)", r.CostRule)
		}
	}
	t.WriteByte('\n')
}

func plural(branches int) string {
	if branches == 1 {
		return "1 abandoned branch"
	}
	return textutil.Thousands(branches) + " abandoned branches"
}

// seconds returns a duration with as many digits as say something.
func seconds(s float64) string {
	if s < 10 {
		return fmt.Sprintf("%.1fs", s)
	}
	return fmt.Sprintf("%.0fs", s)
}

// WriteWeaknesses writes what was not understood in the logs, and why the run may not be what it seems; nothing when there is
// nothing of the kind.
func (r *Run) WriteWeaknesses(w io.Writer) error {
	var t strings.Builder
	if r.Raced {
		fmt.Fprintf(&t, "  cold start: the %s server was configured, but its tools were never there\n", r.Tool)
	}
	if r.CostRule == transcript.CostAssumed && len(r.Segments) > 1 {
		t.WriteString("  cost: segments added up; the client version is not known, and newer ones carry costs over\n")
	}
	if n := r.PartlyLogged; n > 0 {
		fmt.Fprintf(&t, "  tokens: those of %s are not all in the log, nor in the totals\n", textutil.Count(n, "subagent"))
	}
	if r.Branches > 0 {
		fmt.Fprintf(&t, "  rewound: %s left behind, and out of the window\n", plural(r.Branches))
	}
	if n := len(r.Problems) + r.MoreProblems; n > 0 {
		fmt.Fprintf(&t, "  not read: %s\n", textutil.Count(n, "problem"))
		for _, p := range r.Problems[:min(len(r.Problems), 5)] {
			fmt.Fprintf(&t, "    %s\n", textutil.Printable(p.Error(), 200))
		}
		if n > 5 {
			fmt.Fprintf(&t, "    … and %d more\n", n-5)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Unknown)) {
		fmt.Fprintf(&t, "  not understood: %s, %d times\n", textutil.Printable(name, 80), r.Unknown[name])
	}
	_, err := io.WriteString(w, t.String())
	return err
}
