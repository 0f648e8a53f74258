package rag_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/rag"
)

func cases(n int, answerable, abstained bool, grade layers.Outcome) (cs []rag.Case) {
	for range n {
		cs = append(cs, rag.Case{Answerable: answerable, Abstained: abstained, Grade: grade})
	}
	return cs
}

// Both agents have 0 of 4 on unanswerable questions; one answers them all, the other abstains and is graded wrong for it.
func TestAnAccuracyOfZeroIsSplit(t *testing.T) {
	liar := rag.TallyAbstention(append(cases(4, false, false, layers.Failure), cases(1, true, false, layers.Success)...))
	near(t, "hallucination", liar.Hallucination.Value, 1)
	near(t, "recall", liar.Recall.Value, 0)
	honest := rag.TallyAbstention(append(cases(4, false, true, layers.Failure), cases(1, true, true, layers.Failure)...))
	near(t, "hallucination", honest.Hallucination.Value, 0)
	near(t, "recall", honest.Recall.Value, 1)
	near(t, "precision", honest.Precision.Value, 0.8)
	near(t, "over-abstention", honest.OverAbstention.Value, 1)
	if *liar.Graded.Value != 0 || *honest.Graded.Value != 0 || !strings.HasPrefix(liar.Why(), "always hallucinating") || !strings.HasPrefix(honest.Why(), "abstaining, and graded wrong") {
		t.Errorf("%q, %q", liar.Why(), honest.Why())
	}
	if liar.Precision.Value != nil || honest.Accuracy.Value != nil {
		t.Error("nothing to take a share of")
	}
	both := rag.TallyAbstention(append(cases(1, false, false, layers.Failure), cases(2, false, true, layers.Failure)...))
	if both.Why() != "both: 1 hallucinated, 2 abstained and were graded wrong for it" {
		t.Errorf("%q", both.Why())
	}
}

func TestCasesWithoutAGradeAreUnmeasured(t *testing.T) {
	cs := append(cases(2, true, false, layers.Success), rag.Case{Answerable: true, Reason: "the judge was down"}, rag.Case{Abstained: true})
	a := rag.TallyAbstention(cs)
	if a.Answered != (rag.Grades{Right: 2, Ungraded: 1}) || a.Abstained != (rag.Grades{Ungraded: 1}) || a.Accuracy.Of != 2 || a.Graded.Value != nil || a.Recall.Of != 1 || a.Why() != "" {
		t.Errorf("%+v", a)
	}
	if diff := cmp.Diff([]rag.CaseReason{{Text: "no reason given", Cases: 1}, {Text: "the judge was down", Cases: 1}}, a.Reasons); diff != "" {
		t.Error(diff)
	}
}

// Two unanswerable questions were answered and one was not, which nobody graded: of all three it is not true that every one was answered.
func TestWhySpeaksOfGradedCases(t *testing.T) {
	a := rag.TallyAbstention(append(cases(2, false, false, layers.Failure), cases(1, false, true, layers.Unmeasured)...))
	if a.Why() != "always hallucinating: every graded unanswerable question was answered" || *a.Recall.Value != 1.0/3 {
		t.Errorf("%q, %+v", a.Why(), a)
	}
	// A hallucination that the grader takes for right makes its figure more than 0.
	if a := rag.TallyAbstention(cases(1, false, false, layers.Success)); *a.Graded.Value != 1 || *a.Hallucination.Value != 1 || a.Why() != "" {
		t.Errorf("%+v", a)
	}
}
