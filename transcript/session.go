package transcript

import "strings"

// A Session is one agent session, read from one log or stitched from several.
// It is plain data: nothing in it refers to a file that is still open.
type Session struct {
	// Tools is what the session was read with. The metrics use it too.
	Tools Tools
	// Segments are the logs in turn order.
	Segments []Segment
	// Threads are the windows of the session: the main thread first, always there, then one per
	// subagent in the order in which they started.
	Threads []Thread
	// Auxiliary are the windows of calls that the client made for itself, such as the summary for a compaction or a
	// warm-up. They are no delegations: their tokens were spent, and nothing else counts them.
	Auxiliary []Thread
	// Report says what was read and what could not be.
	Report Report
}

// A Segment is one log of a session: what one process of the client wrote.
type Segment struct {
	Name    string // as given to the reader
	Format  Format
	Inits   []*Init   // usually one
	Results []*Result // usually one; none when the run was killed, and in a session log
	CostUSD *float64  // running total that a session log holds, US dollars; nil when it holds none
}

// Format names a log format.
type Format string

// Formats that the readers know.
const (
	FormatStreamJSON Format = "claude-stream-json" // claude -p --output-format stream-json, or json, --verbose
	FormatSessionLog Format = "claude-session-log" // ~/.claude/projects/<slug>/<session>.jsonl
)

// Init returns the segment's first init, or nil when the log has none.
func (s *Segment) Init() *Init {
	if len(s.Inits) == 0 {
		return nil
	}
	return s.Inits[0]
}

// Result returns the last result that did work, or nil when the log has none.
func (s *Segment) Result() *Result {
	for i := len(s.Results) - 1; i >= 0; i-- {
		if s.Results[i].Worked {
			return s.Results[i]
		}
	}
	return nil
}

// A Thread is one window: the main conversation, or that of a subagent.
type Thread struct {
	// ID is empty for the main thread, else the id of the tool call that started the subagent. Where the logs do
	// not say which call that was, it is "agent:" and the subagent's id, or "sidechain:" and the uuid of its first line.
	ID     string
	Events []Event
}

// Main returns the main thread. A zero Session has an empty one.
func (s *Session) Main() *Thread {
	if len(s.Threads) == 0 {
		return &Thread{}
	}
	return &s.Threads[0]
}

// Thread returns the thread with the given id, or nil.
func (s *Session) Thread(id string) *Thread {
	for i := range s.Threads {
		if s.Threads[i].ID == id {
			return &s.Threads[i]
		}
	}
	return nil
}

// OK reports whether the last segment's result says success without an error. A stream without a result is not OK: nobody
// knows that it ended. A session log has no results: it is OK when its last turn ended with an answer of the model.
func (s *Session) OK() bool {
	if len(s.Segments) == 0 {
		return false
	}
	last := &s.Segments[len(s.Segments)-1]
	if r := last.Result(); r != nil || last.Format != FormatSessionLog {
		return r != nil && r.OK() && !s.unfinished()
	}
	return s.answered()
}

// unfinished reports whether the last log has results, but the model was asked something after the last of them: that turn did not
// end.
func (s *Session) unfinished() bool {
	events := s.Main().Events
	for i := len(events) - 1; i >= 0; i-- {
		switch ev := events[i].(type) {
		case *Result:
			return false
		case *Request:
			if last := len(s.Segments) - 1; ev.Segment == last {
				return s.Segments[last].Result() != nil
			}
			return false
		}
	}
	return false
}

// answered reports whether the last thing that happened on the main thread is a text of the model.
func (s *Session) answered() bool {
	events := s.Main().Events
	for i := len(events) - 1; i >= 0; i-- {
		switch ev := events[i].(type) {
		case *AssistantText:
			return !ev.Synthetic
		case *UserText:
			if !ev.Attached {
				return false
			}
		case *ToolCall, *ToolResult, *Request:
			return false
		}
	}
	return false
}

// Answer returns the final answer: the answers of all segments, joined by a blank line. A segment's answer is the
// text of its results, except that an empty or cut text yields to what the last message of that turn
// said on the main thread. It is empty when the session gave no answer.
func (s *Session) Answer() string {
	var answers []string
	for _, t := range s.turns() {
		if a := t.answer(); a != "" {
			answers = append(answers, a)
		}
	}
	return strings.Join(answers, "\n\n")
}
