package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/internal/golden"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write the files of the example anew")

// exampleLog makes a run that retrieves and answers. A large one has a prompt over the budget, and a blind one a request of which nobody
// knows the size.
func exampleLog(large, blind bool) []byte {
	log := transcripttest.New()
	response := transcripttest.Response(transcripttest.File{Path: "lib/send.go", Defines: "send(function)", Source: strings.Repeat("send()\n", 40)})
	log.Request(20_000).Explore("who calls send?").Result(response)
	prompt := 21_000
	if large {
		prompt = 130_000
	}
	if blind {
		log.RequestUsage(nil).ReadFile("lib/send.go").Result("send()")
	}
	log.Request(prompt).Text("lib/send.go calls it.")
	return log.End("lib/send.go calls it.").Bytes()
}

// exampleFilesMade are ten successes, of which two are tainted, two failures, one of them with a defect, and a run that nobody graded.
func exampleFilesMade() map[string][]byte {
	made := map[string][]byte{
		"budgets.json": []byte(`[{"name": "window", "unit": "tokens", "scope": "call", "enforcement": "before_call", "limit": 100000}]` + "\n"),
	}
	var outcomes strings.Builder
	for _, arm := range []string{"new", "baseline"} {
		for i := 1; i <= 6; i++ {
			id := fmt.Sprintf("%s-%d", arm, i)
			outcome := "success"
			if i == 6 {
				outcome = "failure"
			}
			fmt.Fprintf(&outcomes, "{\"id\": %q, \"outcome\": %q}\n", id, outcome)
			made["run-"+id+".jsonl"] = exampleLog(id == "new-5" || id == "baseline-6", id == "baseline-5")
		}
	}
	outcomes.WriteString(`{"id": "baseline-7", "outcome": "unmeasured", "reason": "the judge was down"}` + "\n")
	made["run-baseline-7.jsonl"] = exampleLog(false, false)
	made["outcomes.jsonl"] = []byte(outcomes.String())
	return made
}

func TestTheExampleIsWhatTheProjectMakes(t *testing.T) {
	for name, want := range exampleFilesMade() {
		name = filepath.Join("example", name)
		golden.Check(t, name, want, *update)
	}
}
