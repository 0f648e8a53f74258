package contamination

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

// WriteText writes nothing when there was no attempt, a line when all were blocked, and otherwise what returned output and
// where. Commands come from the log: what does not print is replaced, and long ones are cut, here and not in the data.
// The error is that of w.
func (b Block) WriteText(w io.Writer) error {
	var t strings.Builder
	if b.Contaminated() {
		fmt.Fprintf(&t, "!!! CONTAMINATED: the %s CLI was run through the shell and returned output (%s of %d)\n",
			b.Name, textutil.Count(b.Returned, "call"), b.Attempts)
		t.WriteString("!!! This run reached the tool by a back door: its other figures prove nothing.\n")
		for _, c := range b.Calls {
			if c.Verdict == Returned {
				fmt.Fprintf(&t, "!!!   %s  %s\n", textutil.Printable(c.Position.String(), 120), textutil.Printable(c.Command, 120))
			}
		}
	}
	if b.Blocked > 0 {
		fmt.Fprintf(&t, "  %s CLI: %s through the shell blocked\n", b.Name, textutil.Count(b.Blocked, "attempt"))
	}
	if b.Unknown > 0 {
		fmt.Fprintf(&t, "  %s CLI: %s through the shell whose result is not in the log\n", b.Name, textutil.Count(b.Unknown, "attempt"))
	}
	_, err := io.WriteString(w, t.String())
	return err
}
