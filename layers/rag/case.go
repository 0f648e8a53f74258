package rag

import (
	"github.com/agent-eval/feedback/layers"
)

// A Case is one question, what the agent did with it, and what a grader said. In the zero Case nothing is known.
type Case struct {
	ID string `json:"id"`
	// Answerable says whether what the agent was given holds the answer, and Abstained whether it said that it does not know. Nil is not known, as
	// when a run crashed: neither is a run without an answer a hallucination, nor is it an abstention.
	Answerable *bool `json:"answerable"`
	Abstained  *bool `json:"abstained"`
	// Grade is what the grader said of the answer, or of abstaining.
	Grade layers.Outcome `json:"grade"`
	// Reason is why there is no grade, or why something else is not known.
	Reason string `json:"reason,omitempty"`
}

// known reports whether the case has a place in the table, graded or not.
func (c *Case) known() bool { return c.Answerable != nil && c.Abstained != nil }

// Defects returns what went wrong in the case, at most one defect: hallucinated, when an unanswerable question was answered, whatever the
// grade; over_abstained, when the answer was there; abstained_misgraded, when abstaining was right and graded wrong, a fault of the grader. Its
// detail is the case's ID. A wrong answer to an answerable question is a failure, and no defect.
func (c Case) Defects() []layers.Defect {
	name := ""
	switch {
	case !c.known():
	case !*c.Answerable && !*c.Abstained:
		name = "hallucinated"
	case *c.Answerable && *c.Abstained:
		name = "over_abstained"
	case *c.Abstained && c.Grade == layers.Failure:
		name = "abstained_misgraded"
	}
	if name == "" {
		return nil
	}
	return []layers.Defect{{Layer: layers.RAG, Name: name, Detail: c.ID}}
}
