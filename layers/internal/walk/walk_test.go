package walk

import (
	"strings"
	"testing"

	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

func TestSubagentsStandWhereTheyWereStarted(t *testing.T) {
	log := transcripttest.New()
	m := log.Request(10)
	a, b := m.Call("Agent", nil), m.Call("Agent", nil)
	b.Subagent().Request(20).Bash("b")
	a.Subagent().Request(30).Bash("a")
	log.Request(40).Bash("main")
	s := log.Session(t)
	s.Threads = append(s.Threads, transcript.Thread{ID: "lost", Events: []transcript.Event{&transcript.ToolCall{Args: transcript.Args{Command: "lost"}}}})
	var got []string
	for ev := range Events(s) {
		if c, ok := ev.(*transcript.ToolCall); ok {
			got = append(got, c.Name+c.Args.Command)
		}
	}
	if want := "Agent Basha Agent Bashb Bashmain lost"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
	for range Events(s) { // may be left
		break
	}
	for range Events(&transcript.Session{}) {
		t.Error("an empty session has an event")
	}
}
