package harness

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript"
)

// A Repeat is a call that was made again though nothing had changed since the same call before it.
type Repeat struct {
	Position transcript.Position `json:"position"`
	Thread   string              `json:"thread"` // as in transcript.Thread.ID
	Before   transcript.Position `json:"before"` // the same call before it
	Tool     string              `json:"tool"`
	Label    string              `json:"label"`  // the argument that says most; may be empty
	Failed   bool                `json:"failed"` // the call before had failed
}

// Redundancy is the calls of a session that were made again for nothing. It is plain data.
type Redundancy struct {
	Calls   int      `json:"calls"`   // all calls
	Repeats []Repeat `json:"repeats"` // in order, thread by thread; never nil after [Repeats]
	// Share is the part of the calls that repeat another, from 0 to 1, lower is better; nil without calls.
	Share *float64 `json:"share"`
}

// Repeats finds the calls that ask the same of the same tool as one before them in their thread, with nothing in between that may have
// changed the answer or the window: a call that only reads, searches or retrieves changes nothing; any other may, and so do a
// prompt of the user and a compaction. A shell command changes nothing when it is one pipeline that reads or searches; in doubt a call is no
// repeat. Calls of one message do not wait for one another, and two equal ones among them count. To ask a background task again (BashOutput,
// TaskOutput) is no repeat.
func Repeats(s *transcript.Session) Redundancy {
	r := Redundancy{Repeats: []Repeat{}}
	whole := keepsInput(s)
	var lines shell.Reader
	for i := range s.Threads {
		r.thread(&s.Threads[i], whole, &lines)
	}
	r.Share = share(len(r.Repeats), r.Calls)
	return r
}

func (r *Redundancy) thread(t *transcript.Thread, whole bool, lines *shell.Reader) {
	seen := make(map[string]*transcript.ToolCall) // since the last change
	failed := make(map[string]bool)
	for _, ev := range t.Events {
		if ev.At().Abandoned {
			continue
		}
		switch ev := ev.(type) {
		case *transcript.ToolCall:
			r.Calls++
			key := ev.Name + "\x00" + input(ev, whole)
			if before := seen[key]; before != nil && !polls(ev) {
				r.Repeats = append(r.Repeats, Repeat{ev.Pos, ev.Thread, before.Pos, ev.Name, ev.Args.Label(), failed[before.ID]})
			}
			if !readOnly(ev, lines) {
				clear(seen)
			}
			seen[key] = ev
		case *transcript.ToolResult:
			failed[ev.CallID] = ev.IsError
		case *transcript.Compaction, *transcript.MicroCompaction:
			clear(seen)
		case *transcript.UserText:
			if ev.Prompt {
				clear(seen)
			}
		}
	}
}

// readOnly reports whether a call leaves everything as it is.
func readOnly(c *transcript.ToolCall, lines *shell.Reader) bool {
	switch c.Family {
	case transcript.Retrieval, transcript.Read, transcript.Search:
		return true
	case transcript.Shell:
		return onlyLooks(c.Args.Command, lines)
	}
	return c.Role == transcript.RoleBookkeeping
}

// onlyLooks reports whether a command line is one pipeline that reads or searches. Of a longer one, Classify tells the most telling
// part: make && cat f is a Read.
func onlyLooks(command string, lines *shell.Reader) bool {
	command = strings.ReplaceAll(command, "2>&1", "")
	if strings.ContainsAny(command, ";&\n`") || strings.Contains(command, "$(") {
		return false
	}
	kind := lines.Classify(command).Kind
	return kind == shell.Read || kind == shell.Search
}

// polls reports whether a call asks how far a background task is.
func polls(c *transcript.ToolCall) bool { return c.Name == "BashOutput" || c.Name == "TaskOutput" }

// Defects returns a repeated_call defect for each repeat.
func (r Redundancy) Defects() (defects []layers.Defect) {
	for _, p := range r.Repeats {
		defects = append(defects, layers.Defect{Layer: layers.Harness, Name: "repeated_call", Position: p.Position,
			Detail: fmt.Sprintf("%s %s, as at %v", p.Tool, p.Label, p.Before)})
	}
	return defects
}

// WriteText writes the redundancy as lines of a report. The error is that of w.
func (r Redundancy) WriteText(w io.Writer) error {
	if len(r.Repeats) == 0 {
		_, err := fmt.Fprintf(w, "  repeats: none of %s\n", textutil.Count(r.Calls, "call"))
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  repeats: %d of %s (%.0f%%) made again with nothing changed\n", len(r.Repeats), textutil.Count(r.Calls, "call"), 100**r.Share)
	for _, d := range r.Defects() {
		fmt.Fprintf(&b, "    %s %s\n", textutil.Printable(d.Position.String(), 120), textutil.Printable(d.Detail, 160))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
