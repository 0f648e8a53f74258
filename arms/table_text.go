package arms

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

const (
	labelWidth = 36
	cellWidth  = 24
)

// Title returns what reports call the section; empty for the first, which has none.
func (s Section) Title(tool string) string {
	switch s {
	case SectionBehavior:
		return "behavior"
	case SectionOccupancy:
		return "residual context occupancy — tokens still resident at end of run"
	case SectionSufficiency:
		return "explore sufficiency — pooled over every answered explore call"
	case SectionAllocation:
		return "explore allocation efficiency — share of returned bytes the answer cited"
	case SectionContamination:
		return "contamination — the CLI must never be how " + textutil.Printable(tool, 40) + " is reached"
	}
	return ""
}

// WriteText writes the table for a terminal: a column an arm, then for two arms what changed, then warnings, footnotes and how
// to read it. What comes from logs and labels is made printable and cut where it is long, in the text only. The error is that
// of w.
func (t *Table) WriteText(w io.Writer) error {
	var b strings.Builder
	b.WriteString("====== ARM COMPARISON")
	if t.Title != "" {
		b.WriteString(" — " + textutil.Printable(t.Title, 200))
	}
	b.WriteString(" ======\n")
	t.writeDifferences(&b)
	t.writeHeader(&b)
	notes := t.footnotes()
	section := SectionRuns
	for _, r := range t.Rows {
		if r.Section != section {
			section = r.Section
			fmt.Fprintf(&b, "\n  %s\n", section.Title(t.Tool))
		}
		indent := "  "
		if r.Section == SectionRuns && r.Name == "runs" {
			indent = ""
		}
		writeRow(&b, indent+r.Name, r.texts(), r.changeText(notes))
	}
	t.writeIntervals(&b)
	t.writeNotes(&b, notes)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeRow writes a label, cells to the right of their columns, and what changed. A cell that fills its column or more still has
// a space before it.
func writeRow(b *strings.Builder, label string, cells []string, change string) {
	fmt.Fprintf(b, "  %-*s", labelWidth, label)
	for _, c := range cells {
		fmt.Fprintf(b, "%*s", cellWidth, " "+c)
	}
	if change != "" {
		b.WriteString("  " + change)
	}
	b.WriteByte('\n')
}

func (t *Table) writeHeader(b *strings.Builder) {
	writeRow(b, "", t.labels(), t.ChangeTitle())
}

// labels returns the arms' labels as they fit a column.
func (t *Table) labels() []string {
	labels := make([]string, len(t.Arms))
	for i, a := range t.Arms {
		labels[i] = a.Label
	}
	return textutil.Apart(labels, cellWidth-1)
}

// ChangeTitle returns the title of the column of changes; empty where there is none.
func (t *Table) ChangeTitle() string {
	if !slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Compare != nil }) {
		return ""
	}
	labels := t.labels()
	return labels[0] + " against " + labels[1]
}

func (r *Row) texts() []string {
	texts := make([]string, len(r.Cells))
	for i, c := range r.Cells {
		texts[i] = c.Text
	}
	return texts
}

// footnotes returns the warnings of all changes, each once.
func (t *Table) footnotes() (notes []string) {
	for _, r := range t.Rows {
		if r.Compare == nil {
			continue
		}
		for _, w := range r.Compare.Warnings {
			if !slices.Contains(notes, w) {
				notes = append(notes, w)
			}
		}
	}
	return notes
}

// changeText is the change with the marks of its footnotes.
func (r *Row) changeText(notes []string) string {
	if r.Compare == nil {
		return ""
	}
	text := r.Compare.Text
	for _, w := range r.Compare.Warnings {
		text += " " + superscript(slices.Index(notes, w)+1)
	}
	return text
}

// marked returns footnotes with their marks.
func marked(notes []string) (lines []string) {
	for i, n := range notes {
		lines = append(lines, superscript(i+1)+" "+n)
	}
	return lines
}

// Footnotes returns the warnings that the marks in [Table.ChangeText] stand for, each with its mark.
func (t *Table) Footnotes() []string { return marked(t.footnotes()) }

// ChangeText returns the change of a row with the marks of its footnotes; empty where there is none.
func (t *Table) ChangeText(r *Row) string { return r.changeText(t.footnotes()) }

func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var s string
	for _, d := range fmt.Sprint(n) {
		s += string(digits[d-'0'])
	}
	return s
}

// writeDifferences names what makes the comparison unfair.
func (t *Table) writeDifferences(b *strings.Builder) {
	if len(t.Differences) == 0 {
		return
	}
	b.WriteString("  !!! More than the treatment differs between these runs:\n")
	for _, d := range t.Differences {
		fmt.Fprintf(b, "  !!!   %s:\n", d.Fact)
		for _, v := range d.Values {
			text := textutil.Printable(v.Text, 160)
			if text == "" {
				text = "none beyond what all have"
			}
			fmt.Fprintf(b, "  !!!     %s  in %s\n", text, textutil.Printable(list(v.Runs), 400))
		}
	}
}

// writeIntervals writes the intervals of the rates, which have no range of their own.
func (t *Table) writeIntervals(b *strings.Builder) {
	title := fmt.Sprintf("\n  sufficiency, where each share may really lie — %.0f%% intervals (Wilson)\n", 100*t.Confidence)
	for _, r := range t.Rows {
		if r.Kind != Rate || !slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Interval != nil }) {
			continue
		}
		b.WriteString(title)
		title = ""
		cells := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			cells[i] = noData
			if c.Interval != nil {
				cells[i] = fmt.Sprintf("%.0f%%–%.0f%%", 100*c.Interval.Lo, 100*c.Interval.Hi)
			}
		}
		writeRow(b, "  "+r.Name, cells, "")
	}
}
