package sufficiency_test

import (
	"testing"

	"github.com/agent-eval/feedback/sufficiency"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// What was said before a call is no answer to it: the user spoke right after the second response.
func TestWordsBeforeACallAreNoAnswerToIt(t *testing.T) {
	log := explored()
	log.Request(2000).Text("I ask again.").Explore("again").Result(response())
	log.Prompt("stop")
	log.Request(3000).Text("ok")
	b := analyze(t, log)
	if b.Calls[0].Bucket != sufficiency.ExploreAgain || b.Calls[1].Reason != sufficiency.Interrupted {
		t.Errorf("%+v", b.Calls)
	}
}

// A log without a result whose model stopped by itself ends with an answer; one that stopped for a tool does not.
func TestTheReasonToStopSaysWhetherALogEndsWithAnAnswer(t *testing.T) {
	for stop, want := range map[string]sufficiency.Reason{"end_turn": "", "stop_sequence": "", "tool_use": sufficiency.Killed, "max_tokens": sufficiency.Killed} {
		log := explored()
		log.Event(transcripttest.Args{"type": "assistant", "message": transcripttest.Args{"id": "last", "model": "x", "stop_reason": stop,
			"content": []any{transcripttest.TextBlock("It is send.")}}})
		if c := analyze(t, log).Calls[0]; c.Reason != want || (c.Bucket == sufficiency.Sufficient) != (want == "") {
			t.Errorf("%s: %+v", stop, c)
		}
	}
}

// Every tool of the server returns files, those too that are not judged.
func TestWhatAnyRetrievalToolReturnedWasReturned(t *testing.T) {
	log := transcripttest.New()
	log.Request(1000).Call("mcp__codegraph__codegraph_node", transcripttest.Args{"symbol": "x"}).Result(
		transcripttest.Response(transcripttest.File{Path: "lib/node.js", Source: "x"}))
	log.Request(2000).Explore("q").Result(response())
	log.Request(3000).ReadFile("lib/node.js").Result("x")
	if c := analyze(t, log).Calls; len(c) != 1 || c[0].Bucket != sufficiency.ReadReturned {
		t.Errorf("%+v", c)
	}
}

// A good result in the same log, before a subagent's last event, says nothing of how that ended.
func TestADelegationThatNeverReturnedIsCutOff(t *testing.T) {
	log := transcripttest.New()
	agent := log.Request(1000).Call("Agent", transcripttest.Args{"prompt": "look"})
	sub := agent.Subagent()
	sub.Request(500).Explore("q").Result(response())
	if c := analyze(t, log).Calls[0]; c.Reason != sufficiency.Killed {
		t.Errorf("%+v", c)
	}
}
