package arms

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

// WriteMarkdown writes the table in GitHub's Markdown, with the same cells as [Table.WriteText]. Labels and texts of logs come out as
// text, whatever they hold. The error is that of w.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "## Arm comparison — %s\n\n", escape(t.Title, 200))
	}
	t.markdownDifferences(&b)
	head := append([]string{""}, t.labels()...)
	change := t.ChangeTitle() != ""
	if change {
		head = append(head, t.ChangeTitle())
	}
	for i := range head {
		head[i] = escape(head[i], 100)
	}
	writeCells(&b, head)
	b.WriteString("|---|" + strings.Repeat("---:|", len(t.Arms)))
	if change {
		b.WriteString("---|")
	}
	b.WriteByte('\n')
	notes := t.footnotes()
	section := SectionRuns
	for _, r := range t.Rows {
		if r.Section != section {
			section = r.Section
			line := make([]string, len(head))
			line[0] = "**" + escape(section.Title(t.Tool), 100) + "**"
			writeCells(&b, line)
		}
		cells := append([]string{escape(r.Name, 100)}, r.texts()...)
		if change {
			cells = append(cells, r.changeText(notes))
		}
		writeCells(&b, cells)
	}
	t.markdownNotes(&b, notes)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeCells(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func (t *Table) markdownDifferences(b *strings.Builder) {
	for _, d := range t.Differences {
		fmt.Fprintf(b, "> **More than the treatment differs:** %s\n", d.Fact)
		for _, v := range d.Values {
			fmt.Fprintf(b, "> - %s in %s\n", escape(v.Text, 160), escape(strings.Join(v.Runs, ", "), 400))
		}
		b.WriteByte('\n')
	}
}

func (t *Table) markdownNotes(b *strings.Builder, footnotes []string) {
	b.WriteByte('\n')
	for _, w := range t.Warnings {
		fmt.Fprintf(b, "- **%s**\n", escape(w, 1000))
	}
	for _, n := range marked(footnotes) {
		fmt.Fprintf(b, "- %s\n", n)
	}
	for _, n := range t.Notes() {
		fmt.Fprintf(b, "- %s\n", escape(n, 1000))
	}
}

// escape makes text of a log or a label stand as text in Markdown.
func escape(s string, limit int) string {
	var b strings.Builder
	for _, r := range textutil.Printable(s, limit) {
		if strings.ContainsRune("\\`*_{}[]<>()#+!|~&@", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
