package harness

import (
	"fmt"

	"github.com/agent-eval/feedback/internal/globs"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/internal/walk"
	"github.com/agent-eval/feedback/transcript"
)

// Repeats are the calls of a session that were made again with nothing changed in between. It is plain data.
type Repeats struct {
	// Calls counts the calls that were looked at: all but bookkeeping and polling.
	Calls    int      `json:"calls"`
	Repeated []Repeat `json:"repeated"`
	// Share is the repeated part of the calls, from 0 to 1, lower is better. Nil without a call.
	Share *float64 `json:"share"`
	// Unmeasured says why nothing is known: the session was read without KeepText. Empty otherwise.
	Unmeasured string `json:"unmeasured,omitempty"`
}

// A Repeat is a call that was made again.
type Repeat struct {
	Position transcript.Position `json:"position"`
	First    transcript.Position `json:"first"` // the call before it with the same tool and input
	Thread   string              `json:"thread,omitempty"`
	Tool     string              `json:"tool"`
	Label    string              `json:"label"` // the argument that says most; may be empty
	// AfterError reports that the call before it had failed.
	AfterError bool `json:"after_error"`
}

// Repeated finds the calls that repeat an earlier one of the same thread, with the same tool and the same input, while nothing can have changed the
// answer: no call in between that may write (an edit, a command line that is more than one pipeline of reading and searching, an unknown tool), no
// prompt of the user, and no compaction of that window, after which a result has to be fetched again. In doubt a call is no repetition. The
// session has to be read with [transcript.Options].KeepText. The error is about a glob.
func Repeated(s *transcript.Session, opts CallOptions) (Repeats, error) {
	w, err := newWatch(s, opts)
	if err != nil {
		return Repeats{}, err
	}
	r := Repeats{Repeated: []Repeat{}}
	last := make(map[callKey]madeCall)
	failed := make(map[string]bool)
	for ev := range walk.Events(s) {
		if res, ok := ev.(*transcript.ToolResult); ok {
			failed[res.CallID] = res.IsError
		}
		w.see(ev)
		c, ok := ev.(*transcript.ToolCall)
		if !ok || c.Role == transcript.RoleBookkeeping || globs.MatchAny(w.polling, c.Name) {
			continue
		}
		if noText(c) {
			return Repeats{Repeated: []Repeat{}, Unmeasured: ErrNoText.Error()}, nil
		}
		r.Calls++
		key := callKey{c.Thread, c.Name, canonicalInput(c.Input)}
		now := w.state(c.Thread)
		before := now
		if w.changes(c) { // by itself
			before.world--
		}
		if m, ok := last[key]; ok && m.after == before {
			r.Repeated = append(r.Repeated, Repeat{c.Pos, m.pos, c.Thread, c.Name, c.Args.Label(), failed[m.id]})
		}
		last[key] = madeCall{c.ID, c.Pos, now}
	}
	r.Share = share(len(r.Repeated), r.Calls)
	return r, nil
}

type callKey struct{ thread, tool, input string }

type madeCall struct {
	id    string
	pos   transcript.Position
	after state
}

func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}

// RepeatedCall is the name of the defects of [Repeats].
const RepeatedCall = "repeated_call"

// Defects returns a defect for each repeated call; none is an empty list.
func (r *Repeats) Defects() []layers.Defect {
	list := []layers.Defect{}
	for _, x := range r.Repeated {
		list = append(list, layers.Defect{Layer: layers.Harness, Name: RepeatedCall, Position: x.Position,
			Detail: fmt.Sprintf("%s %s: as at %s, and nothing had changed", x.Tool, x.Label, x.First)})
	}
	return list
}
