package allocation

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

// listed is how many files the texts list.
const listed = 12

// WriteText writes the block as a section of a report: the efficiency, then a line a call, then the files with the most
// characters, the cited ones marked with a star. Paths come from the log: what does not print is replaced, and long
// ones are cut, here and not in the data. The error is that of w.
func (b Block) WriteText(w io.Writer) error {
	var t strings.Builder
	if len(b.Calls) == 0 {
		t.WriteString("  Explore allocation — no answered call\n")
		_, err := io.WriteString(w, t.String())
		return err
	}
	fmt.Fprintf(&t, "  Explore allocation — share of returned bytes the answer used (%s, %s):\n",
		textutil.Count(len(b.Calls), "call"), textutil.Count(b.FilesReturned, "file"))
	switch {
	case !b.HasAnswer:
		fmt.Fprintf(&t, "    efficiency  not measured: the run gave no answer   (%s chars returned)\n", textutil.Thousands(b.Envelope))
	case b.Efficiency == nil:
		t.WriteString("    efficiency  not measured: the responses show no file\n")
	default:
		fmt.Fprintf(&t, "    efficiency %s  %s of %s chars   (%d/%d files cited; path-cited alone %s)\n", percent(*b.Efficiency),
			textutil.Thousands(*b.Used), textutil.Thousands(b.Envelope), b.FilesUsed, b.FilesReturned, strings.TrimSpace(percent(*b.EfficiencyPath)))
	}
	b.writeCalls(&t)
	for _, f := range b.Files[:min(len(b.Files), listed)] {
		mark, via := " ", "—"
		switch f.Via {
		case ViaPath:
			mark, via = "*", "path"
		case ViaSymbol:
			mark, via = "*", "symbol `"+textutil.Printable(f.Symbol, 60)+"`"
		}
		fmt.Fprintf(&t, "    %s %s %6d  %s  %s\n", mark, percent(share(f.Chars, b.Envelope)), f.Chars, textutil.Printable(f.Path, 120), via)
	}
	if n := len(b.Files) - listed; n > 0 {
		fmt.Fprintf(&t, "      … and %s more\n", textutil.Count(n, "file"))
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func (b Block) writeCalls(t *strings.Builder) {
	for i, c := range b.Calls {
		switch {
		case c.Envelope == 0:
			fmt.Fprintf(t, "    call %d:   —    no file shown\n", i+1)
		case c.Efficiency == nil:
			fmt.Fprintf(t, "    call %d:   —    %s chars  %s\n", i+1, textutil.Thousands(c.Envelope), textutil.Count(c.Files, "file"))
		default:
			fmt.Fprintf(t, "    call %d: %s  %s/%s chars  %d/%d files\n", i+1, percent(*c.Efficiency),
				textutil.Thousands(*c.Used), textutil.Thousands(c.Envelope), c.FilesUsed, c.Files)
		}
	}
}

func percent(x float64) string { return fmt.Sprintf("%5.1f%%", 100*x) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
