package rag_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/rag"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// The one relevant document is at rank 2: its gain is 1/log₂3 = 0.6309 of the ideal. Nobody knows what to find for q2, so it is in no mean.
func ExampleEvaluate() {
	judgements, err := rag.ReadJudgements(strings.NewReader("q1 0 lib/send.go 1\nq2 0 lib/a.go 0\n"), "qrels.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	rankings, err := rag.ReadRankings(strings.NewReader("q1 Q0 lib/app.go 1 9.1 new\nq1 Q0 lib/send.go 2 7.4 new\n"), "run.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	rag.Evaluate(judgements, rankings, rag.Options{}).WriteText(os.Stdout)
	// Output:
	//   retrieval over 1 query: nDCG@10 0.6309, recall@10 1.0000, precision@10 0.1000, MRR 0.5000, MAP 0.5000
	//     gain 2^grade-1, discount log2(rank+1), ties by score descending, then document id descending; averaged: judged queries with a relevant document; those without a ranking score 0
	//     in no mean: q2, no relevant document was judged
}

// The grader gives 0 for four questions that nobody could answer, but the agent answered only one of them.
func ExampleTallyAbstention() {
	cases := []rag.Case{{Answerable: true, Grade: layers.Success}, {Grade: layers.Failure}}
	for range 3 {
		cases = append(cases, rag.Case{Abstained: true, Grade: layers.Failure})
	}
	a := rag.TallyAbstention(cases)
	fmt.Println(a.Why())
	fmt.Println("hallucination", a.Hallucination)
	// Output:
	// both: 1 hallucinated, 3 abstained and were graded wrong for it
	// hallucination 1/4 25% [5%–70%]
}

// Two lines of the file were shown, and the answer cites a third too.
func ExampleGround() {
	log := transcripttest.New()
	log.Request(10_000).ReadFile("lib/send.go").Result("11\tfunc send() {\n12\t\twrite()")
	log.Request(11_000).Text("send (lib/send.go:11) calls write (lib/send.go:12) and close (lib/send.go:19).")
	session := log.End("send (lib/send.go:11) calls write (lib/send.go:12) and close (lib/send.go:19).").
		SessionWith(&testing.T{}, transcript.Options{KeepText: true}) // in a test, its *testing.T
	rag.Ground(session).WriteText(os.Stdout)
	// Output:
	//   grounding: 2/3 67% [21%–94%] supported; 3 citations, 0 code blocks, 0 of them not to be checked
	//     unsupported_citation: lib/send.go:19: lines not shipped
}
