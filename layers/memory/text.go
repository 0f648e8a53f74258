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
	_, err := io.WriteString(w, t.String())
	return err
}
