// Package walk puts the events of a session's threads into one order.
package walk

import (
	"iter"

	"github.com/agent-eval/feedback/transcript"
)

// Events walks over the events of a session as they happened, as far as that is known: a subagent's stand after the call that started it, and
// those of subagents that no call is known of come last. What was abandoned happened too.
func Events(s *transcript.Session) iter.Seq[transcript.Event] {
	return func(yield func(transcript.Event) bool) {
		threads := make(map[string]*transcript.Thread) // not yet walked
		for i := range s.Threads {
			threads[s.Threads[i].ID] = &s.Threads[i]
		}
		var thread func(id string) bool
		thread = func(id string) bool {
			t := threads[id]
			if t == nil {
				return true
			}
			delete(threads, id)
			for _, ev := range t.Events {
				if !yield(ev) {
					return false
				}
				if c, ok := ev.(*transcript.ToolCall); ok && c.ID != "" && !thread(c.ID) {
					return false
				}
			}
			return true
		}
		for i := range s.Threads {
			if !thread(s.Threads[i].ID) {
				return
			}
		}
	}
}
