package sufficiency

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

// maxText is how many characters of a text of the log a line shows.
const maxText = 100

// WriteText writes the block as a section of a report: the buckets with their share of the answered calls, then a line
// for each judged call. What gave no verdict is said where there is any. Queries and names come from the log: what does
// not print is replaced, and long ones are cut, here and not in the data. The error is that of w.
func (b Block) WriteText(w io.Writer) error {
	var t strings.Builder
	if len(b.Calls) == 0 {
		t.WriteString("  Explore sufficiency — no call to judge\n")
	} else {
		fmt.Fprintf(&t, "  Explore sufficiency — what the agent did NEXT (%s):\n", textutil.Count(b.Answered, "answered call"))
		b.writeBuckets(&t)
		b.writeApart(&t)
		for i := range b.Calls {
			fmt.Fprintf(&t, "    %d. ", i+1)
			b.Calls[i].write(&t)
		}
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// rows are the lines of the buckets: what the agent did, and what that points at.
var rows = [...]struct {
	bucket        Bucket
	did, pointsAt string
}{
	{ExploreAgain, "explore again", "insufficient: did not answer"},
	{ReadReturned, "Read a file we returned", "allocation: right file, wrong bytes"},
	{ReadMissed, "Read a file we did not return", "recall: file never surfaced"},
	{Search, "Grep/Glob", "recall (weak): still hunting for the file"},
	{Sufficient, "moved on / answered", "sufficient"},
}

func (b Block) writeBuckets(t *strings.Builder) {
	if b.Answered == 0 {
		return // there is no share of nothing
	}
	for _, r := range rows {
		n := b.Counts.Of(r.bucket)
		fmt.Fprintf(t, "    %3d %3.0f%%  %-29s  %s\n", n, 100*float64(n)/float64(b.Answered), r.did, r.pointsAt)
	}
}

// writeApart says what is in no bucket.
func (b Block) writeApart(t *strings.Builder) {
	if b.MissedNamed > 0 {
		fmt.Fprintf(t, "    of the files not returned, %d named in the response\n", b.MissedNamed)
	}
	if b.Concurrent > 0 {
		fmt.Fprintf(t, "    concurrent: %s in the same message as the call, no verdict\n", textutil.Count(b.Concurrent, "action"))
	}
	if b.Errors > 0 {
		fmt.Fprintf(t, "    not counted: %s failed or unanswered\n", textutil.Count(b.Errors, "call"))
	}
	if b.CutOff > 0 {
		fmt.Fprintf(t, "    not counted: %s cut off, the log does not show what came next\n", textutil.Count(b.CutOff, "call"))
	}
}

// write writes the line of a call.
func (c *Call) write(t *strings.Builder) {
	t.WriteByte('"')
	t.WriteString(textutil.Printable(c.Query, maxText))
	t.WriteByte('"')
	if c.Reason != Failed && c.Reason != Unanswered {
		fmt.Fprintf(t, " [%s]", textutil.Count(c.Files, "file"))
	}
	if c.Next != "" {
		t.WriteString(" → ")
		t.WriteString(textutil.Printable(c.Next, maxText))
	}
	if c.Named {
		t.WriteString(" (named in the response)")
	}
	if c.Reason != "" {
		t.WriteString(" (no verdict: " + c.Reason.text() + ")")
	}
	if c.Thread != "" {
		t.WriteString(" (subagent)")
	}
	t.WriteByte('\n')
}

func (r Reason) text() string {
	switch r {
	case Failed:
		return "the call failed"
	case Unanswered:
		return "the call never returned"
	case TurnLimit:
		return "the run was stopped by its turn limit"
	case RunError:
		return "the run failed"
	case Interrupted:
		return "the user interrupted the turn"
	case Killed:
		return "the log ends here"
	case UnseenAgent:
		return "the subagent is not in the log"
	case UnnamedFile:
		return "the log does not say which file was read"
	}
	return textutil.Printable(string(r), maxText)
}
