package harness_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/agent-eval/feedback/layers/harness"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// Two equal calls are expected. The agent makes both, in one of them with a wrong base.
func ExampleChoose() {
	area := harness.Expected{Tool: "area", Args: map[string]harness.Values{"base": {10}, "height": {5}}, Optional: map[string]harness.Values{"unit": {"cm"}}}
	c, err := harness.Choose([]harness.Expected{area, area}, []harness.Call{
		{Tool: "area", Input: `{"base": 999, "height": 5}`},
		{Tool: "area", Input: `{"base": 10, "height": 5, "unit": "cm"}`},
	})
	if err != nil {
		panic(err)
	}
	c.WriteText(os.Stdout)
	// Output:
	//   Tool choice — score 0.500: 1 right, 2 expected, 2 made
	//       not in the log  area: base is 999, want 10
}

// Of five runs four succeed.
func ExamplePassHatK() {
	hat, _ := harness.PassHatK(5, 4, 3) // all of three: C(4,3) / C(5,3)
	at, _ := harness.PassAtK(5, 4, 3)   // at least one of three
	_, err := harness.PassHatK(2, 2, 3)
	fmt.Println(hat, at, err)
	// Output: 0.4 1 fewer runs than k: 2 runs, k = 3
}

// A test fails, the agent edits, and the test passes: recovered in two steps, and nothing was merely repeated.
func ExampleRecover() {
	t := new(testing.T) // in a test, its own
	log := transcripttest.New()
	log.Request(1000).Bash("go test ./...").Error("FAIL")
	log.Request(1100).Call("Edit", transcripttest.Args{"file_path": "send.go"}).Result("edited")
	log.Request(1200).Bash("go test ./...").Result("ok")
	log.Request(1300).Text("The test passes.")
	log.End("The test passes.")
	s := log.SessionWith(t, transcript.Options{KeepText: true})

	recovered, err := harness.Recover(s, harness.CallOptions{})
	if err != nil {
		panic(err)
	}
	repeated, err := harness.Repeated(s, harness.CallOptions{})
	if err != nil {
		panic(err)
	}
	recovered.WriteText(os.Stdout)
	repeated.WriteText(os.Stdout)
	// Output:
	//   Recovery — 1 tool error: 1 recovered (100.0%), 0 repeated, 0 given up, 0 cut off
	//       run.jsonl:3  Bash go test ./...: recovered after 2 steps
	//   Calls made again with nothing changed — 0 of 3 calls (0.0%)
}
