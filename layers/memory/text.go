package memory

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

// listed is how many places the texts list of a kind.
const listed = 12

// WriteText writes the contract as a section: how many operations there were, how often each rule was broken, and where. Keys and values
// come from the log: what does not print is replaced, and long ones are cut, here and not in the data. The error is that of w.
func (c Contract) WriteText(w io.Writer) error {
	var t strings.Builder
	if n := c.Counts.Total() + c.RefusedWrites; n == 0 {
		t.WriteString("  Memory contract — not measured: no operation\n")
	} else {
		fmt.Fprintf(&t, "  Memory contract — %s in %s, %s:\n", textutil.Count(n, "operation"), textutil.Count(len(c.Runs), "run"),
			textutil.Count(len(c.Violations), "violation"))
		for _, rule := range Rules() {
			fmt.Fprintf(&t, "    %3d  %s\n", c.Broken(rule), strings.ReplaceAll(string(rule), "_", " "))
		}
	}
	for _, v := range c.Violations[:min(len(c.Violations), listed)] {
		fmt.Fprintf(&t, "      %s  %s  %s: %s", textutil.Printable(v.Position.String(), 120), v.Rule, textutil.Printable(v.Key, 60), textutil.Printable(v.Detail, 200))
		if !v.Earlier.IsZero() {
			fmt.Fprintf(&t, " (%s)", textutil.Printable(v.Earlier.String(), 120))
		}
		t.WriteByte('\n')
	}
	if n := len(c.Violations) - listed; n > 0 {
		fmt.Fprintf(&t, "      … and %d more\n", n)
	}
	for _, u := range c.Unchecked[:min(len(c.Unchecked), listed)] {
		fmt.Fprintf(&t, "      not checked: %s\n", textutil.Printable(u.text(), 300))
	}
	if n := len(c.Unchecked) - listed; n > 0 {
		fmt.Fprintf(&t, "      … and %d more not checked\n", n)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// WriteText writes the recall as a section: a row an arm, then what else differs between them, and what could not be measured. The error is
// that of w.
func (r Recall) WriteText(w io.Writer) error {
	var t strings.Builder
	t.WriteString("  Experience recall — was last time's workaround returned by memory and used:\n")
	for i := range r.Arms {
		r.Arms[i].write(&t)
	}
	for _, d := range r.Differences {
		fmt.Fprintf(&t, "    !!! %s differs, not retrieval alone:", d.Fact)
		for _, v := range d.Values {
			fmt.Fprintf(&t, " %q (%s)", textutil.Printable(v.Text, 60), textutil.Printable(strings.Join(v.Runs, ", "), 60))
		}
		t.WriteByte('\n')
	}
	for _, v := range r.SameRetrieval {
		fmt.Fprintf(&t, "    !!! %s retrieve the same way (%s): nothing is under test between them\n",
			textutil.Printable(strings.Join(v.Runs, ", "), 100), textutil.Printable(v.Text, 60))
	}
	for _, f := range r.Unchecked {
		fmt.Fprintf(&t, "    not checked: %s\n", f)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func (a *ArmRecall) write(t *strings.Builder) {
	fmt.Fprintf(t, "    %-20s recall %s · returned %s · used %s · plan A first %s\n", textutil.Printable(a.Label, 20),
		a.Recall, a.Returned, a.Used, a.PlanAFirst)
	for _, e := range a.Unmeasured[:min(len(a.Unmeasured), listed)] {
		fmt.Fprintf(t, "      not measured: %s: %s\n", textutil.Printable(e.Probe, 40), textutil.Printable(e.Unmeasured, 100))
	}
	if n := len(a.Unmeasured) - listed; n > 0 {
		fmt.Fprintf(t, "      … and %d more\n", n)
	}
}

// WriteEpisodes writes how many episodes there are of each class. The error is that of w.
func WriteEpisodes(w io.Writer, list []Episode) error {
	var t strings.Builder
	fmt.Fprintf(&t, "  Episodes — what the memory holds (%s):\n", textutil.Count(len(list), "episode"))
	for _, class := range Classes() {
		n := 0
		for _, e := range list {
			if e.Class == class {
				n++
			}
		}
		if n > 0 {
			fmt.Fprintf(&t, "    %3d %3.0f%%  %s\n", n, 100*float64(n)/float64(len(list)), class)
		}
	}
	_, err := io.WriteString(w, t.String())
	return err
}
