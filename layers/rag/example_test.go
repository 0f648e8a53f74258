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

// One of two queries has its only relevant document at rank 2, where the scores are tied: nDCG 1/log₂3 = 0.6309. Of the other one no relevant document
// is known.
func ExampleEvaluate() {
	judgements, err := rag.ReadJudgements(strings.NewReader("q1 0 lib/a.go 1\nq1 0 lib/b.go 0\nq2 0 lib/a.go 0\n"), "qrels.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	rankings, err := rag.ReadRankings(strings.NewReader("q1 Q0 lib/a.go 1 0.5 new\nq1 Q0 lib/b.go 2 0.5 new\n"), "new.run")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := rag.Evaluate(judgements, rankings, rag.Options{}).WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	//   retrieval over 1 query: nDCG@10 0.6309, recall@10 1.0000, precision@10 0.1000, MRR 0.5000, MAP 0.5000
	//     gain 2^grade-1, discount log2(rank+1), ideal from all judgements, relevant from grade 1, ties by score descending, then document id descending; averaged: judged queries with a relevant document; those without a ranking score 0
	//     in no mean, for no relevant document was judged: 1 query: q2
}

// The grader gives 0 of 2 on unanswerable questions, although the agent never made an answer up. A third run crashed.
func ExampleTallyAbstention() {
	yes, no := new(true), new(false)
	cases := []rag.Case{
		{ID: "1", Answerable: yes, Abstained: no, Grade: layers.Success},
		{ID: "2", Answerable: no, Abstained: yes, Grade: layers.Failure},
		{ID: "3", Answerable: no, Abstained: yes, Grade: layers.Failure},
		{ID: "4", Answerable: no, Reason: "the run crashed"},
	}
	if err := rag.TallyAbstention(cases).WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	//   abstention: precision 100% [34%–100%], recall 100% [34%–100%]; hallucination 0% [0%–66%], over-abstention 0% [0%–79%]
	//     accuracy of answered answerable questions 100% [21%–100%]; of unanswerable ones, as graded, 0% [0%–66%]
	//     answerable, answered         1 right,     0 wrong,     0 without a grade
	//     answerable, abstained        0 right,     0 wrong,     0 without a grade
	//     unanswerable, answered       0 right,     0 wrong,     0 without a grade
	//     unanswerable, abstained      0 right,     2 wrong,     0 without a grade
	//     that 0 is abstaining, and graded wrong for it: the fault is the grader's
	//     in no rate: 1 case of which it is not known whether there was an answer, or whether one was given
	//     not known or not graded: 1 case, the run crashed
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
	//   grounding: 67% [21%–94%] supported, of 3 citations and 0 code blocks; 0 could not be checked
	//     unsupported_citation: lib/send.go:19: lines not shipped
}
