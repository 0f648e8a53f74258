package rag

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
)

// A Case is one question, what the agent did with it, and what a grader said.
type Case struct {
	ID         string `json:"id"`
	Answerable bool   `json:"answerable"` // what it was given holds the answer
	Abstained  bool   `json:"abstained"`  // it said that it does not know
	// Grade is what the grader said of the answer, or of abstaining. One that is unmeasured has a reason.
	Grade  layers.Outcome `json:"grade"`
	Reason string         `json:"reason,omitempty"`
}

// Abstention counts cases by whether they could be answered, whether they were, and how they were graded. It is plain data.
type Abstention struct {
	// Of the answerable cases: answered and graded right, answered and graded wrong, answered without a grade, and abstained.
	AnsweredRight    int `json:"answered_right"`
	AnsweredWrong    int `json:"answered_wrong"`
	AnsweredUngraded int `json:"answered_ungraded"`
	OverAbstained    int `json:"over_abstained"`
	// Of the unanswerable cases: answered, which is a hallucination whatever its grade; abstained and graded right; abstained and graded wrong, which
	// is a fault of the grader; and abstained without a grade.
	Hallucinated      int `json:"hallucinated"`
	AbstainedRight    int `json:"abstained_right"`
	AbstainedMisgrade int `json:"abstained_misgraded"`
	AbstainedUngraded int `json:"abstained_ungraded"`

	// Precision is the unanswerable ones of the abstained cases, and Recall the abstained ones of the unanswerable: from 0 to 1, higher is better.
	Precision layers.Rate `json:"precision"`
	Recall    layers.Rate `json:"recall"`
	// Hallucination is the answered ones of the unanswerable cases, OverAbstention the abstained ones of the answerable; lower is better.
	Hallucination  layers.Rate `json:"hallucination"`
	OverAbstention layers.Rate `json:"over_abstention"`
	// Accuracy is the cases graded right of the answerable ones that were answered and graded. Graded is what the grader alone would report of the
	// unanswerable ones: those graded right of those graded.
	Accuracy layers.Rate `json:"accuracy"`
	Graded   layers.Rate `json:"graded"`
	// Reasons are why cases have no grade, with how many there are, the most frequent first.
	Reasons []layers.Reason `json:"reasons"`
}

// TallyAbstention counts cases. A case without a grade is in no rate that needs one.
func TallyAbstention(cases []Case) Abstention {
	a := Abstention{Reasons: []layers.Reason{}}
	gradedRight, graded := 0, 0
	for _, c := range cases {
		*a.cell(c)++
		if !c.Grade.Measured() {
			a.reason(cmp.Or(c.Reason, "no reason given"))
		} else if !c.Answerable {
			graded++
			if c.Grade == layers.Success {
				gradedRight++
			}
		}
	}
	abstained := a.AbstainedRight + a.AbstainedMisgrade + a.AbstainedUngraded
	answerable := a.AnsweredRight + a.AnsweredWrong + a.AnsweredUngraded + a.OverAbstained
	a.Precision = layers.NewRate(abstained, abstained+a.OverAbstained)
	a.Recall = layers.NewRate(abstained, abstained+a.Hallucinated)
	a.Hallucination = layers.NewRate(a.Hallucinated, abstained+a.Hallucinated)
	a.OverAbstention = layers.NewRate(a.OverAbstained, answerable)
	a.Accuracy = layers.NewRate(a.AnsweredRight, a.AnsweredRight+a.AnsweredWrong)
	a.Graded = layers.NewRate(gradedRight, graded)
	slices.SortFunc(a.Reasons, func(x, y layers.Reason) int { return cmp.Or(y.Runs-x.Runs, cmp.Compare(x.Text, y.Text)) })
	return a
}

// cell returns the count that a case belongs to.
func (a *Abstention) cell(c Case) *int {
	switch {
	case c.Answerable && c.Abstained:
		return &a.OverAbstained
	case c.Answerable:
		return by(c.Grade, &a.AnsweredRight, &a.AnsweredWrong, &a.AnsweredUngraded)
	case !c.Abstained:
		return &a.Hallucinated
	}
	return by(c.Grade, &a.AbstainedRight, &a.AbstainedMisgrade, &a.AbstainedUngraded)
}

func by(grade layers.Outcome, right, wrong, ungraded *int) *int {
	switch grade {
	case layers.Success:
		return right
	case layers.Failure:
		return wrong
	}
	return ungraded
}

func (a *Abstention) reason(text string) {
	for i := range a.Reasons {
		if a.Reasons[i].Text == text {
			a.Reasons[i].Runs++
			return
		}
	}
	a.Reasons = append(a.Reasons, layers.Reason{Text: text, Runs: 1})
}

// Why says what an accuracy of 0 on unanswerable questions is made of: hallucinations, abstaining that was graded wrong, or both. It is empty when
// the grader's figure is not 0, or there is none.
func (a Abstention) Why() string {
	if a.Graded.Value == nil || *a.Graded.Value > 0 {
		return ""
	}
	switch {
	case a.AbstainedMisgrade == 0:
		return "always hallucinating: every unanswerable question was answered"
	case a.Hallucinated == 0:
		return "abstaining, and graded wrong for it: the fault is the grader's"
	}
	return fmt.Sprintf("both: %d hallucinated, %d abstained and were graded wrong for it", a.Hallucinated, a.AbstainedMisgrade)
}

// WriteText writes the rates. The error is that of w.
func (a Abstention) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "  abstention: precision %s, recall %s; hallucination %s, over-abstention %s\n", a.Precision, a.Recall, a.Hallucination, a.OverAbstention)
	fmt.Fprintf(&b, "    accuracy of answered answerable questions %s; of unanswerable ones, as graded, %s\n", a.Accuracy, a.Graded)
	if why := a.Why(); why != "" {
		fmt.Fprintf(&b, "    that 0 is %s\n", why)
	}
	for _, r := range a.Reasons {
		fmt.Fprintf(&b, "    without a grade: %d, %s\n", r.Runs, textutil.Printable(r.Text, 200))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
