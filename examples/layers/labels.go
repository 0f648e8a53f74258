package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
)

// writeRuns writes the label of every run, and the defects behind it.
func writeRuns(w io.Writer, t *layers.Table) error {
	var b strings.Builder
	for i := range t.Runs {
		r := &t.Runs[i]
		fmt.Fprintf(&b, "%s: %s", textutil.Printable(r.ID, 60), r.Label)
		if r.Label == layers.UnmeasuredLabel && r.Reason != "" {
			fmt.Fprintf(&b, ", %s", textutil.Printable(r.Reason, 120))
		}
		b.WriteByte('\n')
		for _, d := range r.Defects[:min(len(r.Defects), 5)] {
			fmt.Fprintf(&b, "    %s %s  %s: %s\n", textutil.Printable(d.Position.String(), 120), d.Layer, textutil.Printable(d.Name, 60), textutil.Printable(d.Detail, 120))
		}
		if n := len(r.Defects) - 5; n > 0 {
			fmt.Fprintf(&b, "    … and %d more\n", n)
		}
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}
