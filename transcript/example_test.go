package transcript_test

import (
	"fmt"
	"strings"

	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// A log goes in, events come out: here the calls of the main thread and how much each returned.
func ExampleDecode() {
	log := transcripttest.New()
	log.Request(10_000).Explore("res.send").Result(strings.Repeat("x", 4000))
	log.Request(12_000).ReadFile("lib/response.js").Result(strings.Repeat("x", 1000))
	log.Request(12_500).Text("It is in lib/response.js.")
	log.End("It is in lib/response.js.")

	s, err := transcript.Decode(strings.NewReader(string(log.Bytes())), "run.jsonl", transcript.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ev := range s.Main().Events {
		switch ev := ev.(type) {
		case *transcript.Request:
			fmt.Println("request of", ev.Usage.Prompt(), "tokens")
		case *transcript.ToolCall:
			fmt.Println(" ", ev.Pos, ev.Family, ev.Args.Label())
		case *transcript.ToolResult:
			fmt.Println(" ", ev.Pos, ev.Chars, "characters")
		}
	}
	fmt.Println("answer:", s.Answer())
	// Output:
	// request of 10000 tokens
	//   run.jsonl:2 retrieval res.send
	//   run.jsonl:3 4000 characters
	// request of 12000 tokens
	//   run.jsonl:4 read lib/response.js
	//   run.jsonl:5 1000 characters
	// request of 12500 tokens
	// answer: It is in lib/response.js.
}

// A harness follows a run while it is still going, and stops it when the window is full.
func ExampleDecoder() {
	log := transcripttest.New()
	for tokens := 50_000; tokens < 300_000; tokens += 50_000 {
		log.Request(tokens).ReadFile("big.go").Result("…")
	}
	d := transcript.NewDecoder(strings.NewReader(string(log.Bytes())), "live", transcript.Options{})
	for ev, err := range d.All() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if r, ok := ev.(*transcript.Request); ok && r.Measured() && r.Usage.Prompt() > 150_000 {
			fmt.Println("over budget at", r.Pos)
			break
		}
	}
	fmt.Println("turns so far:", d.Session().Summary().Turns)
	// Output:
	// over budget at live:8
	// turns so far: 4
}

// What could not be used is in the report, with its position.
func ExampleReport() {
	log := transcripttest.New()
	log.Request(100).Text("hello")
	log.Line(`{"type":"assistant","mess`)
	log.Event(transcripttest.Args{"type": "brand_new_event"})
	s, _ := transcript.Decode(strings.NewReader(string(log.Bytes())), "run.jsonl", transcript.Options{})
	for _, p := range s.Report.Problems {
		fmt.Println(p)
	}
	fmt.Println(s.Report.Unknown)
	// Output:
	// run.jsonl:3: line is cut off: unexpected end of JSON (byte 26)
	// map[event brand_new_event:1]
}

// Another retrieval server is a few globs away.
func ExampleTools() {
	tools := transcript.Tools{Name: "sourcegraph", Retrieval: []string{"mcp__sourcegraph__*"}}
	fmt.Println(tools.Family("mcp__sourcegraph__keyword_search"))
	fmt.Println(tools.Family("Read"))
	// Output:
	// retrieval judged
	// read
}
