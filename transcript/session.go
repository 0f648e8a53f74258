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
	// Report says what was read and what could not be.
	Report Report
}

// A Segment is one log of a session: what one process of the client wrote.
type Segment struct {
	Name    string // as given to the reader
	Format  Format
	Inits   []*Init   // usually one
	Results []*Result // usually one; none when the run was killed
}

// Format names a log format.
type Format string

// Formats that the readers know.
const (
	FormatStreamJSON Format = "claude-stream-json"
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
	ID     string // id of the tool call that started it; empty for the main thread
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

// OK reports whether the last segment's result says success without an error. A session without a
// result is not OK: nobody knows that it ended.
func (s *Session) OK() bool {
	if len(s.Segments) == 0 {
		return false
	}
	r := s.Segments[len(s.Segments)-1].Result()
	return r != nil && r.OK()
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
