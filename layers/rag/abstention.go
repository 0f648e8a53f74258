package rag

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
)

// Grades are cases by what the grader said of them.
type Grades struct {
	Right    int `json:"right"`
	Wrong    int `json:"wrong"`
	Ungraded int `json:"ungraded"`
}

// All returns how many cases there are.
func (g Grades) All() int { return g.Right + g.Wrong + g.Ungraded }

func (g *Grades) add(grade layers.Outcome) {
	switch grade {
	case layers.Success:
		g.Right++
	case layers.Failure:
		g.Wrong++
	default:
		g.Ungraded++
	}
}

// Abstention counts cases by whether they could be answered, whether they were, and how they were graded. It is plain data. All rates are from 0 to
// 1 and have no value where there is no case to take a share of.
type Abstention struct {
	// Answered and OverAbstained are the answerable cases: those that were answered, and those on which the agent abstained.
	Answered      Grades `json:"answered"`
	OverAbstained Grades `json:"over_abstained"`
	// Hallucinated and Abstained are the unanswerable cases: an answer to one is a hallucination, whatever its grade, and abstaining is right; where it
	// is graded wrong, the fault is the grader's.
	Hallucinated Grades `json:"hallucinated"`
	Abstained    Grades `json:"abstained"`
	// Unmeasured are the cases of which it is not known whether they could be answered, or whether they were. They are in no rate.
	Unmeasured int `json:"unmeasured"`

	// Precision is the unanswerable ones of the abstained cases, and Recall the abstained ones of the unanswerable: higher is better.
	Precision layers.Rate `json:"precision"`
	Recall    layers.Rate `json:"recall"`
	// Hallucination is the answered ones of the unanswerable cases, OverAbstention the abstained ones of the answerable; lower is better.
	Hallucination  layers.Rate `json:"hallucination"`
	OverAbstention layers.Rate `json:"over_abstention"`
	// Accuracy is the cases graded right of the answerable ones that were answered and graded. Graded is what the grader alone would report of the
	// unanswerable ones: those graded right of those graded.
	Accuracy layers.Rate `json:"accuracy"`
	Graded   layers.Rate `json:"graded"`
	// Reasons are why cases are unmeasured or have no grade, with how many there are, the most frequent first.
	Reasons []CaseReason `json:"reasons"`
}

// A CaseReason is why cases are unmeasured or have no grade.
type CaseReason struct {
	Text  string `json:"text"`
	Cases int    `json:"cases"`
}

// TallyAbstention counts cases. A case without a grade is in no rate that needs one, and one that is unmeasured in none at all.
func TallyAbstention(cases []Case) Abstention {
	a := Abstention{Reasons: []CaseReason{}}
	reasons := make(map[string]int)
	for _, c := range cases {
		if c.known() {
			a.cell(c).add(c.Grade)
		} else {
			a.Unmeasured++
		}
		if !c.known() || !c.Grade.Measured() {
			reasons[cmp.Or(c.Reason, "no reason given")]++
		}
	}
	for _, text := range slices.Sorted(maps.Keys(reasons)) {
		a.Reasons = append(a.Reasons, CaseReason{text, reasons[text]})
	}
	slices.SortStableFunc(a.Reasons, func(x, y CaseReason) int { return y.Cases - x.Cases })
	a.rate()
	return a
}

// rate computes the rates of the counts.
func (a *Abstention) rate() {
	abstained, hallucinated, over := a.Abstained.All(), a.Hallucinated.All(), a.OverAbstained.All()
	a.Precision = layers.NewRate(abstained, abstained+over)
	a.Recall = layers.NewRate(abstained, abstained+hallucinated)
	a.Hallucination = layers.NewRate(hallucinated, abstained+hallucinated)
	a.OverAbstention = layers.NewRate(over, over+a.Answered.All())
	a.Accuracy = layers.NewRate(a.Answered.Right, a.Answered.Right+a.Answered.Wrong)
	right := a.Hallucinated.Right + a.Abstained.Right
	a.Graded = layers.NewRate(right, right+a.Hallucinated.Wrong+a.Abstained.Wrong)
}

// cell returns the counts that a known case belongs to.
func (a *Abstention) cell(c Case) *Grades {
	switch {
	case *c.Answerable && *c.Abstained:
		return &a.OverAbstained
	case *c.Answerable:
		return &a.Answered
	case *c.Abstained:
		return &a.Abstained
	}
	return &a.Hallucinated
}

// Why says what an accuracy of 0 on unanswerable questions is made of: hallucinations, abstaining that was graded wrong, or both. It speaks of
// the graded cases only, and is empty when the grader's figure is not 0, or there is none.
func (a Abstention) Why() string {
	if a.Graded.Value == nil || *a.Graded.Value > 0 {
		return ""
	}
	switch {
	case a.Abstained.Wrong == 0:
		return "always hallucinating: every graded unanswerable question was answered"
	case a.Hallucinated.Wrong == 0:
		return "abstaining, and graded wrong for it: the fault is the grader's"
	}
	return fmt.Sprintf("both: %d hallucinated, %d abstained and were graded wrong for it", a.Hallucinated.Wrong, a.Abstained.Wrong)
}

// WriteText writes the counts and the rates. The error is that of w.
func (a Abstention) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "  abstention: precision %s, recall %s; hallucination %s, over-abstention %s\n", a.Precision, a.Recall, a.Hallucination, a.OverAbstention)
	fmt.Fprintf(&b, "    accuracy of answered answerable questions %s; of unanswerable ones, as graded, %s\n", a.Accuracy, a.Graded)
	for _, cell := range []struct {
		name string
		Grades
	}{
		{"answerable, answered", a.Answered}, {"answerable, abstained", a.OverAbstained},
		{"unanswerable, answered", a.Hallucinated}, {"unanswerable, abstained", a.Abstained},
	} {
		fmt.Fprintf(&b, "    %-24s %5d right, %5d wrong, %5d without a grade\n", cell.name, cell.Right, cell.Wrong, cell.Ungraded)
	}
	if why := a.Why(); why != "" {
		fmt.Fprintf(&b, "    that 0 is %s\n", why)
	}
	if a.Unmeasured > 0 {
		fmt.Fprintf(&b, "    in no rate: %s of which it is not known whether there was an answer, or whether one was given\n", textutil.Count(a.Unmeasured, "case"))
	}
	for _, r := range a.Reasons {
		fmt.Fprintf(&b, "    not known or not graded: %s, %s\n", textutil.Count(r.Cases, "case"), textutil.Printable(r.Text, 200))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
