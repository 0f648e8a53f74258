package harness

import (
	"bytes"
	"encoding/json"

	"github.com/agent-eval/feedback/transcript"
)

// A Call is a tool call and what came of it.
type Call struct {
	*transcript.ToolCall
	Result *transcript.ToolResult // nil when the log has none
}

// failed reports whether the call returned an error.
func (c Call) failed() bool { return c.Result != nil && c.Result.IsError }

// Calls returns the calls of a thread in order, without those of abandoned branches.
func Calls(t *transcript.Thread) (calls []Call) {
	at := make(map[string]int)
	for _, ev := range t.Events {
		if ev.At().Abandoned {
			continue
		}
		switch ev := ev.(type) {
		case *transcript.ToolCall:
			at[ev.ID] = len(calls)
			calls = append(calls, Call{ToolCall: ev})
		case *transcript.ToolResult:
			if i, ok := at[ev.CallID]; ok {
				calls[i].Result = ev
			}
		}
	}
	return calls
}

// input returns what a call asks, so that equal calls have equal texts: the whole input with its names in order, where the session
// keeps it, else the arguments that a transcript always keeps, and the input's length.
func input(c *transcript.ToolCall, whole bool) string {
	if whole {
		return canonical(c.Input)
	}
	text, _ := json.Marshal(struct {
		Args  transcript.Args
		Chars int
	}{c.Args, c.InputChars})
	return string(text)
}

// canonical returns JSON with the names of objects sorted and without white space; what is no JSON stays.
func canonical(text string) string {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return text
	}
	out, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return string(out)
}

// keepsInput reports whether the session was read with its inputs kept.
func keepsInput(s *transcript.Session) bool {
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			if c, ok := ev.(*transcript.ToolCall); ok {
				return c.Input != ""
			}
		}
	}
	return true // no call contradicts
}
