package memory_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/memory"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// Two agents write on version 1, and the memory takes both.
func ExampleCheck() {
	ops, err := memory.ReadLog(strings.NewReader(`{"op": "write", "run": "r1", "actor": "a", "key": "build", "base": 0, "version": 1, "value": "make"}
{"op": "write", "run": "r1", "actor": "a", "key": "build", "base": 1, "version": 2, "value": "just"}
{"op": "write", "run": "r1", "actor": "b", "key": "build", "base": 1, "version": 2, "value": "bazel"}
`), "memory.jsonl")
	if err != nil {
		panic(err)
	}
	c, err := memory.Check(ops, memory.Options{NoApproval: true})
	if err != nil {
		panic(err)
	}
	c.WriteText(os.Stdout)
	// Output:
	//   Memory contract — 3 operations in 1 run, 2 violations:
	//       0  illegal transition
	//       0  write without approval
	//       1  lost update
	//       0  cross run read
	//       1  silent conflict
	//       memory.jsonl:3  lost_update  build: a second write on version 1 (memory.jsonl:2)
	//       memory.jsonl:3  silent_conflict  build: says bazel, where build says just (memory.jsonl:2)
}

// In the first session the plain install fails; in the later one memory says so, and the agent does not try it again.
func ExampleScore() {
	t := new(testing.T) // in a test, its own
	keep := transcript.Options{KeepText: true}
	first := transcripttest.New()
	first.Request(1000).Bash("npm install").Error("ERESOLVE")
	first.Request(1100).Bash("npm ci --legacy").Result("added 12 packages")
	later := transcripttest.New()
	later.Request(1000).Call("mcp__memory__search", nil).Result("npm install fails here; npm ci --legacy works")
	later.Request(1100).Bash("npm ci --legacy").Result("added 12 packages")

	e, err := memory.Score(memory.Probe{
		ID:         "npm",
		PlanA:      layers.Action{Tool: "Bash", Text: "npm install"},
		Workaround: layers.Action{Tool: "Bash", Text: "npm ci --legacy"},
	}, first.SessionWith(t, keep), later.SessionWith(t, keep))
	fmt.Println(e.Returned, e.Used, e.PlanAFirst, e.Recalled(), err)
	// Output: true true false true <nil>
}
