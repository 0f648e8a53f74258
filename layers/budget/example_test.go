package budget_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/agent-eval/feedback/layers/budget"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// The second request is over a budget that is only checked after the call.
func ExampleAnalyze() {
	t := new(testing.T) // in a test, its own
	log := transcripttest.New()
	log.Request(90_000).ReadFile("send.go").Result("func send() { … }")
	log.Request(120_000).ReadFile("json.go").Result("func json() { … }")
	log.Request(80_000).Text("send calls json")
	log.End("send calls json")

	window := budget.Budget{Name: "window", Enforcement: budget.AfterCall, Limit: 100_000}
	r := budget.Analyze(log.Session(t), []budget.Budget{window}, budget.Options{})
	r.WriteText(os.Stdout)
	for _, d := range r.Defects() {
		fmt.Println(d.Position, d.Name, d.BreaksCausality)
	}
	// Output:
	//   Budgets — NOT CAUSAL: window: 1 call over budget went through
	//     window: 100,000 tokens per call, enforced after the call: 3 calls, peak 120,000, 1 over (33.3%): 1 went through (100.0%), 0 stopped
	//       run.jsonl:4  120,000  went through
	//     runaway turns: 0 of 1 (0.0%) crossed 100,000 tokens
	// run.jsonl:4 checked_afterwards true
}

// A harness asks before each request, and says afterwards what it took.
func ExampleGate() {
	gate, err := budget.NewGate(budget.Budget{Name: "run", Scope: budget.PerRun, Limit: 2000}, budget.GateOptions{})
	if err != nil {
		panic(err)
	}
	ticket, err := gate.Admit(budget.Prompt{Text: fmt.Sprintf("%4500s", "")}) // 4,500 characters: 1,500 tokens at first
	fmt.Println(err)
	fmt.Println(gate.Settle(ticket, &transcript.Usage{Input: 1800}))
	_, err = gate.Admit(budget.Prompt{Base: 1800, Text: "and now?"})
	fmt.Println(err)
	// Output:
	// <nil>
	// <nil>
	// run: over budget: 3,604 of 2,000 tokens
}
