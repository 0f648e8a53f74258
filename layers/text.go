package layers

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

const (
	nameWidth = 44
	cellWidth = 24
)

// WriteText writes the cross table for a terminal: the labels, the success rate in its two parts, the capability, each kind of defect with
// the success rates with and without it, and what cannot be told. What comes from logs and graders is made printable and cut where
// it is long, in the text only. The error is that of w.
func (t *Table) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "====== WHY DID IT SUCCEED — %s ======\n", textutil.Count(t.Counts.Measured()+t.Counts.Unmeasured, "run"))
	groups := append([]Group{t.Group}, t.Arms...)
	t.writeHead(&b)
	for _, row := range []struct {
		name string
		of   func(*Group) string
	}{
		{"clean success", func(g *Group) string { return textutil.Thousands(g.Counts.CleanSuccess) }},
		{"success with a defect", func(g *Group) string { return textutil.Thousands(g.Counts.TaintedSuccess) }},
		{"failure with a defect", func(g *Group) string { return textutil.Thousands(g.Counts.TaintedFailure) }},
		{"clean failure", func(g *Group) string { return textutil.Thousands(g.Counts.CleanFailure) }},
		{"unmeasured", func(g *Group) string { return textutil.Thousands(g.Counts.Unmeasured) }},
		{"", nil},
		{"success rate", func(g *Group) string { return g.Success.String() }},
		{"  of which without a defect", func(g *Group) string { return g.Clean.String() }},
		{"  of which with a defect", func(g *Group) string { return g.Tainted.String() }},
		{"capability: success among clean runs", func(g *Group) string { return g.Capability.String() }},
	} {
		if row.of == nil {
			b.WriteByte('\n')
			continue
		}
		cells := make([]string, len(groups))
		for i := range groups {
			cells[i] = row.of(&groups[i])
		}
		writeLine(&b, "  "+row.name, cells)
	}
	t.writeDefects(&b)
	t.writeNotes(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeLine(b *strings.Builder, name string, cells []string) {
	fmt.Fprintf(b, "%-*s", nameWidth, name)
	for _, c := range cells {
		fmt.Fprintf(b, "%*s", cellWidth, " "+c)
	}
	b.WriteByte('\n')
}

func (t *Table) writeHead(b *strings.Builder) {
	if len(t.Arms) == 0 {
		return
	}
	head := []string{"all"}
	for _, a := range t.Arms {
		head = append(head, textutil.Printable(a.Arm, cellWidth-1))
	}
	writeLine(b, "", head)
}

// String returns the rate with what it is of and its interval, 8/10 80% [49%–94%]; a dash when there is none.
func (r Rate) String() string {
	if r.Value == nil {
		return "—"
	}
	return fmt.Sprintf("%d/%d %.0f%% [%.0f%%–%.0f%%]", r.Count, r.Of, 100**r.Value, 100**r.Lo, 100**r.Hi)
}

func (t *Table) writeDefects(b *strings.Builder) {
	if len(t.Defects) == 0 {
		b.WriteString("\n  no defect was found\n")
		return
	}
	b.WriteString("\n")
	writeLine(b, "  defects", []string{"runs", "success with it", "success without it"})
	for _, d := range t.Defects {
		name := string(d.Layer) + ": " + d.Name
		if d.BreaksCausality {
			name += " *"
		}
		writeLine(b, "    "+textutil.Printable(name, nameWidth-4), []string{textutil.Thousands(d.Runs), d.With.String(), d.Without.String()})
	}
}

// writeNotes says what the table cannot tell.
func (t *Table) writeNotes(b *strings.Builder) {
	for _, n := range t.Notes() {
		fmt.Fprintf(b, "\n  %s\n", n)
	}
}

// Notes returns what limits the table, one sentence or two each.
func (t *Table) Notes() (notes []string) {
	if t.Indistinct > 0 {
		notes = append(notes, fmt.Sprintf("* breaks causality: in %s nobody can tell capability from a control that failed, so neither rate speaks for these runs.",
			textutil.Count(t.Indistinct, "run")))
	}
	for _, r := range t.Reasons {
		notes = append(notes, fmt.Sprintf("unmeasured, and in no rate: %s, %s", textutil.Count(r.Runs, "run"), textutil.Printable(r.Text, 200)))
	}
	for _, r := range t.Unchecked {
		notes = append(notes, fmt.Sprintf("not checked in %s, which may have such a defect all the same: %s", textutil.Count(r.Runs, "run"), textutil.Printable(r.Text, 200)))
	}
	for _, g := range t.Gains {
		notes = append(notes, g.String())
	}
	notes = append(notes, fmt.Sprintf("Intervals are Wilson's at %.0f%%. A defect in a successful run had its chance to help; that it did is not shown.", 100*Confidence))
	return notes
}

// String returns the gain as a sentence, and what to think of it.
func (g Gain) String() string {
	text := fmt.Sprintf("%s against %s: success %s points, of which %s without a defect and %s with one.",
		textutil.Printable(g.First, 60), textutil.Printable(g.Second, 60), points(g.Success), points(g.Clean), points(g.Tainted))
	if !g.AllTainted() {
		return text
	}
	better := g.First
	if g.Success < 0 {
		better = g.Second
	}
	return text + " All that " + textutil.Printable(better, 60) + " is better by is in runs in which a control failed."
}

// points writes a difference of rates.
func points(x float64) string {
	if p := math.Round(100 * x); p != 0 {
		return fmt.Sprintf("%+.0f", p)
	}
	return "0"
}
