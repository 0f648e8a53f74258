package campaign

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/sufficiency"
)

// WriteText writes the report for a terminal: throughput and occupancy per repository, with and without the tool and what it saves; sufficiency
// and allocation; the averages; what each run called; what was left out; and the table of all runs. The error is that of w.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	b.WriteString("====== CAMPAIGN")
	if r.Title != "" {
		b.WriteString(" — " + textutil.Printable(r.Title, 200))
	}
	b.WriteString(" ======\n")
	for _, l := range r.LeftOut {
		fmt.Fprintf(&b, "  !!! left out: %s, %s\n", textutil.Printable(l.Run, 200), l.Reason)
	}
	for _, s := range r.Warnings {
		fmt.Fprintf(&b, "  !!! %s\n", textutil.Printable(s, 400))
	}
	arrow := textutil.Printable(r.With, 30) + " → " + textutil.Printable(r.Without, 30)
	r.writeMeasures(&b, "throughput, "+arrow+", medians of the runs and what "+textutil.Printable(r.With, 30)+" saves", 0, throughput)
	r.writeMeasures(&b, "occupancy at the end, "+arrow, throughput, len(measures))
	r.writeOverhead(&b)
	r.writeJudged(&b)
	r.writeAverages(&b)
	r.writeMix(&b)
	b.WriteByte('\n')
	r.Table.WriteText(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

const (
	repoWidth = 18
	cellWidth = 27
)

// names returns the repositories' names as they fit their column.
func (r *Report) names() []string {
	names := make([]string, len(r.Repos))
	for i := range r.Repos {
		names[i] = r.Repos[i].Name
	}
	names = textutil.Apart(names, repoWidth)
	for i := range names {
		names[i] = fmt.Sprintf("%-*s", repoWidth, names[i])
	}
	return names
}

func (r *Report) writeMeasures(b *strings.Builder, title string, from, to int) {
	fmt.Fprintf(b, "\n  %s\n    %-*s%8s", title, repoWidth, "repository", "runs")
	for _, m := range measures[from:to] {
		fmt.Fprintf(b, "%*s", cellWidth, m.name+unitName(m.unit))
	}
	b.WriteByte('\n')
	names := r.names()
	for i := range r.Repos {
		repo := &r.Repos[i]
		fmt.Fprintf(b, "    %s%8s", names[i], fmt.Sprintf("%d → %d", repo.Runs[0], repo.Runs[1]))
		for _, m := range repo.Measures[from:to] {
			fmt.Fprintf(b, "%*s", cellWidth, m.text())
		}
		b.WriteByte('\n')
	}
}

// unitName is the unit as it stands behind a name; nothing where the name says it.
func unitName(u arms.Unit) string {
	switch u {
	case arms.Calls, Requests:
		return ""
	case arms.Fraction:
		return " (%)"
	}
	return " (" + string(u) + ")"
}

func (m Measure) text() string {
	text := m.figure(m.With) + " → " + m.figure(m.Without)
	if m.Saved != nil {
		text += "  " + changed(*m.Saved)
	}
	return text
}

func (m Measure) figure(x *float64) string {
	switch {
	case x == nil:
		return "—"
	case m.Unit == Dollars:
		return fmt.Sprintf("%.3f", *x)
	case m.Unit == arms.Fraction:
		return fmt.Sprintf("%.1f", 100**x)
	case math.Abs(*x) < 10 && *x != math.Trunc(*x):
		return fmt.Sprintf("%.1f", *x)
	case m.Unit == arms.Tokens && math.Abs(*x) >= 10_000:
		return textutil.Thousands(int(math.Round(*x/1000))) + "k"
	}
	return textutil.Thousands(int(math.Round(*x)))
}

// changed words what is saved by its sign.
func changed(saved float64) string { return bySign(saved, "same", "less", "MORE") }

func bySign(saved float64, same, less, more string) string {
	percent := math.Round(100 * math.Abs(saved))
	switch {
	case percent == 0:
		return same
	case saved < 0:
		return fmt.Sprintf("%.0f%% %s", percent, more)
	}
	return fmt.Sprintf("%.0f%% %s", percent, less)
}

func (r *Report) writeOverhead(b *strings.Builder) {
	b.WriteString("\n  fixed overhead — what the tool's schemas and instructions add to every prompt\n")
	names := r.names()
	for i := range r.Repos {
		text := "not measured"
		if x := r.Repos[i].FixedOverhead; x != nil {
			text = fmt.Sprintf("%s tok", textutil.Thousands(int(math.Round(*x))))
		}
		fmt.Fprintf(b, "    %s%16s\n", names[i], text)
	}
}

func (r *Report) writeJudged(b *strings.Builder) {
	fmt.Fprintf(b, "\n  sufficiency and allocation of %s, pooled per repository\n    %-*s", textutil.Printable(r.With, 40), repoWidth, "repository")
	for _, name := range []string{"answered", "again", "returned", "missed", "search", "enough"} {
		fmt.Fprintf(b, "%11s", name)
	}
	fmt.Fprintf(b, "%24s\n", "efficiency")
	names := r.names()
	for i := range r.Repos {
		repo := &r.Repos[i]
		fmt.Fprintf(b, "    %s%11d", names[i], repo.Answered)
		for _, bucket := range sufficiency.Buckets() {
			text := "—"
			if n := repo.Counts.Of(bucket); repo.Answered > 0 {
				text = fmt.Sprintf("%d  %.0f%%", n, 100*float64(n)/float64(repo.Answered))
			}
			fmt.Fprintf(b, "%11s", text)
		}
		text := "—"
		if repo.Efficiency != nil {
			text = fmt.Sprintf("%.1f%% of %s chars", 100**repo.Efficiency, textutil.Thousands(repo.Envelope))
		}
		fmt.Fprintf(b, "%24s\n", text)
	}
}

func (r *Report) writeAverages(b *strings.Builder) {
	fmt.Fprintf(b, "\n  %s against %s, mean over repositories\n", textutil.Printable(r.With, 40), textutil.Printable(r.Without, 40))
	for _, a := range r.Averages {
		fmt.Fprintf(b, "    %-*s %s\n", repoWidth, a.Measure, a.words())
	}
}

// Text returns the average as a sentence, worded by its sign.
func (a Average) Text() string { return a.Measure + ": " + a.words() }

func (a Average) words() string {
	if a.Mean == nil {
		return "not measured"
	}
	return fmt.Sprintf("%s  (%s to %s, %s)", direction(*a.Mean), direction(*a.Max), direction(*a.Min), repositories(a.Repos))
}

// repositories counts them.
func repositories(n int) string {
	if n == 1 {
		return "1 repository"
	}
	return textutil.Thousands(n) + " repositories"
}

// direction words an average by its sign.
func direction(saved float64) string { return bySign(saved, "the same", "LOWER", "HIGHER") }

func (r *Report) writeMix(b *strings.Builder) {
	fmt.Fprintf(b, "\n  what each run called\n    %-*s", 2*repoWidth, "run")
	for _, name := range []string{textutil.Printable(r.Tool, 15), "Read", "Grep/Glob", "Bash", "other"} {
		fmt.Fprintf(b, "%16s", name)
	}
	b.WriteByte('\n')
	for i := range r.Repos {
		for _, m := range r.Repos[i].Mix {
			fmt.Fprintf(b, "    %-*s", 2*repoWidth, textutil.Printable(m.Run, 2*repoWidth))
			for _, n := range []int{m.Retrieval, m.Read, m.Search, m.Shell, m.Other} {
				fmt.Fprintf(b, "%16s", textutil.Thousands(n))
			}
			b.WriteByte('\n')
		}
	}
}
