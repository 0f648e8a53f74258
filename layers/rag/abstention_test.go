package rag_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/rag"
)

func cases(n int, answerable, abstained bool, grade layers.Outcome) (cs []rag.Case) {
	for range n {
		cs = append(cs, rag.Case{Answerable: &answerable, Abstained: &abstained, Grade: grade})
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
	cs := append(cases(2, true, false, layers.Success), rag.Case{Answerable: new(true), Abstained: new(false), Reason: "the judge was down"}, rag.Case{Answerable: new(false), Abstained: new(true)})
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

// Of 5 unanswerable questions 2 were answered: 40 %, by Wilson from 12 % to 77 % (centre (0.4 + 3.8415/10)/(1 + 3.8415/5) = 0.4435, half width
// 1.96/1.7683·√(0.24/5 + 3.8415/100) = 0.3258). Two crashed runs and one question without a label change nothing.
func TestUnmeasuredCasesAreInNoRate(t *testing.T) {
	cs := append(cases(2, false, false, layers.Failure), cases(3, false, true, layers.Success)...)
	crashed := rag.Case{Answerable: new(false), Reason: "the run crashed"}
	cs = append(cs, crashed, crashed, rag.Case{Abstained: new(true), Grade: layers.Failure}, rag.Case{})
	a := rag.TallyAbstention(cs)
	near(t, "hallucination", a.Hallucination.Value, 0.4)
	near(t, "lower bound", a.Hallucination.Lo, 0.1176)
	near(t, "upper bound", a.Hallucination.Hi, 0.7693)
	near(t, "precision", a.Precision.Value, 1)
	if a.Unmeasured != 4 || a.Hallucination.Of != 5 || a.Graded.Of != 5 {
		t.Errorf("%+v", a)
	}
	if diff := cmp.Diff([]rag.CaseReason{{Text: "no reason given", Cases: 2}, {Text: "the run crashed", Cases: 2}}, a.Reasons); diff != "" {
		t.Error(diff)
	}
	var b strings.Builder
	a.WriteText(&b)
	for _, want := range []string{"in no rate: 4 cases of which", "2 cases, the run crashed"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// The agent abstained on one of four questions that it could have answered; how its answers were graded does not matter.
func TestOverAbstentionIsOfAllAnswerableCases(t *testing.T) {
	cs := append(cases(1, true, true, layers.Failure), cases(1, true, false, layers.Success)...)
	cs = append(append(cs, cases(1, true, false, layers.Failure)...), cases(1, true, false, layers.Unmeasured)...)
	near(t, "over-abstention", rag.TallyAbstention(cs).OverAbstention.Value, 0.25)
}

func TestNoCaseIsNoRate(t *testing.T) {
	for _, cs := range [][]rag.Case{nil, {{}}} {
		a := rag.TallyAbstention(cs)
		for _, r := range []layers.Rate{a.Precision, a.Recall, a.Hallucination, a.OverAbstention, a.Accuracy, a.Graded} {
			if r.Value != nil || r.Of != 0 {
				t.Errorf("%+v", r)
			}
		}
	}
}

// A case read from JSON that does not say whether the agent abstained is no hallucination.
func TestAMissingFieldIsNotKnown(t *testing.T) {
	var c rag.Case
	if err := json.Unmarshal([]byte(`{"id": "a", "answerable": false, "grade": "failure"}`), &c); err != nil {
		t.Fatal(err)
	}
	if a := rag.TallyAbstention([]rag.Case{c}); a.Unmeasured != 1 || a.Hallucinated.All() != 0 || c.Defects() != nil {
		t.Errorf("%+v, %v", a, c.Defects())
	}
}

func TestCaseDefects(t *testing.T) {
	yes, no := new(true), new(false)
	for _, c := range []struct {
		rag.Case
		want string
	}{
		{rag.Case{ID: "q", Answerable: no, Abstained: no, Grade: layers.Failure}, "hallucinated"},
		{rag.Case{ID: "q", Answerable: no, Abstained: no, Grade: layers.Success}, "hallucinated"},
		{rag.Case{ID: "q", Answerable: yes, Abstained: yes}, "over_abstained"},
		{rag.Case{ID: "q", Answerable: no, Abstained: yes, Grade: layers.Failure}, "abstained_misgraded"},
		{rag.Case{ID: "q", Answerable: no, Abstained: yes, Grade: layers.Success}, ""},
		{rag.Case{ID: "q", Answerable: no, Abstained: yes}, ""},
		{rag.Case{ID: "q", Answerable: yes, Abstained: no, Grade: layers.Failure}, ""},
		{rag.Case{ID: "q", Answerable: no}, ""},
		{rag.Case{ID: "q", Abstained: no}, ""},
	} {
		var want []layers.Defect
		if c.want != "" {
			want = []layers.Defect{{Layer: layers.RAG, Name: c.want, Detail: "q"}}
		}
		if diff := cmp.Diff(want, c.Defects()); diff != "" {
			t.Errorf("%+v: %s", c.Case, diff)
		}
	}
}

// Each case is in one place, the rates follow from their counts, order does not matter, and the result survives JSON.
func TestAbstentionLaws(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		tri := func() *bool { return []*bool{nil, new(true), new(false)}[r.IntN(3)] }
		var cs []rag.Case
		for range r.IntN(30) {
			cs = append(cs, rag.Case{Answerable: tri(), Abstained: tri(), Grade: []layers.Outcome{"", layers.Success, layers.Failure, "odd"}[r.IntN(4)]})
		}
		a := rag.TallyAbstention(cs)
		if a.Answered.All()+a.OverAbstained.All()+a.Hallucinated.All()+a.Abstained.All()+a.Unmeasured != len(cs) {
			t.Fatalf("%d cases: %+v", len(cs), a)
		}
		if a.Recall.Count+a.Hallucination.Count != a.Recall.Of || a.Recall.Of != a.Hallucination.Of || a.Recall.Count != a.Precision.Count {
			t.Fatalf("%+v", a)
		}
		defects := 0
		for _, c := range cs {
			defects += len(c.Defects())
		}
		if defects != a.Hallucination.Count+a.OverAbstention.Count+a.Abstained.Wrong {
			t.Fatalf("%d defects of %+v", defects, a)
		}
		r.Shuffle(len(cs), func(i, j int) { cs[i], cs[j] = cs[j], cs[i] })
		if diff := cmp.Diff(a, rag.TallyAbstention(cs)); diff != "" {
			t.Fatal(diff)
		}
		data, err := json.Marshal(a)
		var back rag.Abstention
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if diff := cmp.Diff(a, back); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	}
}
