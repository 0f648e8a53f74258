package transcripttest_test

import (
	"fmt"
	"testing"

	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// A test describes a run in a few lines and gets the session that a reader would give. In a test, t is the
// *testing.T.
func ExampleLog() {
	t := new(testing.T)
	log := transcripttest.New()
	log.Request(10_000).Thinking("hm").Explore("who calls send?").Result(transcripttest.Response(
		transcripttest.File{Path: "lib/response.js", Defines: "send(method)", Source: "1\tres.send = function () {}"},
	))
	call := log.Request(14_000).Call("Agent", transcripttest.Args{"description": "look closer"})
	sub := call.Subagent()
	sub.Prompt("look closer")
	sub.Request(5_000).Bash("grep -rn send lib").Error("Exit code 1")
	call.Result("nothing more")
	log.Compact(14_500, 6_000)
	log.Line("a line that is no JSON")
	log.Resume().Request(6_000).Text("send is called by json")
	log.End("send is called by json")

	s := log.Session(t)
	for _, th := range s.Threads {
		for _, ev := range th.Events {
			fmt.Printf("%-14s %T\n", ev.At().Pos, ev)
		}
	}
	fmt.Println(s.Report.Problems[0])
	fmt.Println(s.Answer())
	// Output:
	// run.jsonl:1    *transcript.Init
	// run.jsonl:2    *transcript.Request
	// run.jsonl:2    *transcript.Thinking
	// run.jsonl:3    *transcript.ToolCall
	// run.jsonl:4    *transcript.ToolResult
	// run.jsonl:5    *transcript.Request
	// run.jsonl:5    *transcript.ToolCall
	// run.jsonl:9    *transcript.ToolResult
	// run.jsonl:10   *transcript.Compaction
	// run.jsonl:11   *transcript.UserText
	// run.t2.jsonl:1 *transcript.Init
	// run.t2.jsonl:2 *transcript.Request
	// run.t2.jsonl:2 *transcript.AssistantText
	// run.t2.jsonl:3 *transcript.Result
	// run.jsonl:6    *transcript.UserText
	// run.jsonl:7    *transcript.Request
	// run.jsonl:7    *transcript.ToolCall
	// run.jsonl:8    *transcript.ToolResult
	// run.jsonl:12: not JSON: unexpected character (byte 1)
	// send is called by json
}

// A message can carry the usage that a test needs: split over the cache, final, missing or odd.
func ExampleMessage() {
	t := new(testing.T)
	log := transcripttest.New()
	log.RequestUsage(&transcript.Usage{Input: 3, CacheRead: 9_000, CacheCreation: 1_000}).Final(42).Text("one")
	log.RequestUsage(nil).Text("two")
	for _, ev := range log.Session(t).Main().Events {
		if r, ok := ev.(*transcript.Request); ok {
			fmt.Println(r.Measured(), r.OutputFinal)
		}
	}
	// Output:
	// true true
	// false false
}
