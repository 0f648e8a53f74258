package occupancy

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/agent-eval/feedback/internal/textutil"
)

// WriteText writes the block as a section of a report: the final context and its fixed part, a row per family, what is
// neither (fixed part and conversation), and how it was measured. The error is that of w.
func (b Block) WriteText(w io.Writer) error {
	var t strings.Builder
	t.WriteString("  Residual context occupancy at end of run:\n")
	b.writeContext(&t)
	for _, row := range []struct {
		name  string
		share Share
	}{
		{b.Name, b.Families.Retrieval}, {"Read", b.Families.Read}, {"Grep/Glob", b.Families.Search}, {"Bash", b.Families.Shell},
		{"→ file-access", b.FileAccess}, {"other tools", b.Families.Other},
	} {
		b.writeRow(&t, row.name, row.share.Residual, fmt.Sprintf("   (%s chars, %s)", textutil.Thousands(row.share.Chars), textutil.Count(row.share.Results, "result")))
	}
	b.writeRow(&t, "base (prompt+prose)", b.Remainder(), "")
	b.writeMeasure(&t)
	for _, sub := range b.Threads {
		sub.writeThread(&t)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func (b Block) writeContext(t *strings.Builder) {
	if b.FinalContext == nil {
		fmt.Fprintf(t, "    %-19s  not measured\n", "final context")
	} else {
		fmt.Fprintf(t, "    %s tok  %5.1f%% of %s window\n", figure("final context", *b.FinalContext, 26),
			percent(float64(*b.FinalContext), b.Window), size(b.Window))
	}
	if b.BaseContext != nil {
		fmt.Fprintf(t, "      %s tok  system + tool schemas + question, before any tool answered\n", figure("of which fixed", *b.BaseContext, 24))
	}
}

func (b Block) writeRow(t *strings.Builder, name string, tokens *float64, tail string) {
	if tokens == nil {
		fmt.Fprintf(t, "    %-19s  not measured%s\n", textutil.Printable(name, 19), tail)
		return
	}
	ofContext := "    —  of ctx"
	if b.FinalContext != nil {
		ofContext = fmt.Sprintf("%5.1f%% of ctx", percent(*tokens, *b.FinalContext))
	}
	fmt.Fprintf(t, "    %s tok  %s  %5.1f%% of %s win%s\n", figure(textutil.Printable(name, 19), int(math.Round(*tokens)), 26),
		ofContext, percent(*tokens, b.Window), size(b.Window), tail)
}

// figure returns a name and its tokens, apart by what makes them width characters together.
func figure(name string, tokens, width int) string {
	n := textutil.Thousands(tokens)
	return name + strings.Repeat(" ", max(1, width-utf8.RuneCountInString(name)-len(n))) + n
}

func (b Block) writeMeasure(t *strings.Builder) {
	how := "measured"
	if !b.Calibrated {
		how = "NOT CALIBRATED"
	}
	fmt.Fprintf(t, "    measure: %.2f chars/tok %s", b.CharsPerToken, how)
	if b.Dispersion != nil {
		fmt.Fprintf(t, " ±%.1f%%", 100**b.Dispersion)
	}
	fmt.Fprintf(t, " · turns %d · compactions %d", b.Requests, b.Compactions)
	if b.MicroCompactions > 0 {
		fmt.Fprintf(t, " · micro-compactions %d", b.MicroCompactions)
	}
	if b.Evicted > 0 {
		fmt.Fprintf(t, " · evicted %s tok", textutil.Thousands(int(math.Round(b.Evicted))))
	}
	t.WriteByte('\n')
	if b.WindowFrom == WindowAssumed {
		fmt.Fprintf(t, "    note: the window of %s is assumed: the log does not say how large it is\n", size(b.Window))
	}
	for _, n := range b.Notes {
		fmt.Fprintf(t, "    note: %s\n", n)
	}
}

// writeThread writes a subagent's window in one line.
func (b Block) writeThread(t *strings.Builder) {
	fmt.Fprintf(t, "    subagent %s: ", textutil.Printable(b.Thread, 60))
	if b.FinalContext == nil || b.Families.Retrieval.Residual == nil {
		t.WriteString("not measured\n")
		return
	}
	fmt.Fprintf(t, "final context %s tok, %s %s tok\n", textutil.Thousands(*b.FinalContext), b.Name,
		textutil.Thousands(int(math.Round(*b.Families.Retrieval.Residual))))
}

func percent(part float64, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * part / float64(whole)
}

// size returns a window's size as people say it: 200k, 1M.
func size(tokens int) string {
	switch {
	case tokens >= 1_000_000 && tokens%1_000_000 == 0:
		return fmt.Sprintf("%dM", tokens/1_000_000)
	case tokens >= 1000 && tokens%1000 == 0:
		return fmt.Sprintf("%dk", tokens/1000)
	}
	return textutil.Thousands(tokens)
}
