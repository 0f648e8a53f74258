package contamination

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

// WriteText writes nothing when there was no attempt, a line when all were blocked, and otherwise what returned output and
// where. Commands come from the log: what does not print is replaced, and long ones are cut, here and not in the data.
// The error is that of w.
func (b Block) WriteText(w io.Writer) error {
	var t strings.Builder
	if b.Contaminated() {
		how := "CLI was run through the shell"
		if b.through(DoorIndex) {
			how = "CLI or its index was reached directly"
		}
		fmt.Fprintf(&t, "!!! CONTAMINATED: the %s %s and returned output (%s of %d)\n", b.Name, how, textutil.Count(b.Returned, "call"), b.Attempts)
		t.WriteString("!!! This run reached the tool by a back door: its other figures prove nothing.\n")
		for _, c := range b.Calls {
			if c.Verdict == Returned {
				fmt.Fprintf(&t, "!!!   %s  %s\n", textutil.Printable(c.Position.String(), 120), textutil.Printable(c.Command, 120))
			}
		}
	}
	what := "CLI: %s through the shell"
	if b.through(DoorIndex) {
		what = "CLI or index: %s to reach it directly"
	}
	if b.Blocked > 0 {
		fmt.Fprintf(&t, "  %s "+what+" blocked\n", b.Name, textutil.Count(b.Blocked, "attempt"))
	}
	if b.Unknown > 0 {
		fmt.Fprintf(&t, "  %s "+what+" whose result is not in the log\n", b.Name, textutil.Count(b.Unknown, "attempt"))
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// through reports whether an attempt tried the door.
func (b Block) through(d Door) bool {
	return slices.ContainsFunc(b.Calls, func(c Call) bool { return c.Door == d })
}
