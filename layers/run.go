package layers

import "github.com/agent-eval/feedback/transcript"

// An Outcome is how a run came out, as whoever graded it says. The zero Outcome is unmeasured.
type Outcome string

// The outcomes.
const (
	Success    Outcome = "success"
	Failure    Outcome = "failure"
	Unmeasured Outcome = "unmeasured" // nobody knows: the judge was down, nothing was graded
)

// Measured reports whether the outcome is known. One of another name is not.
func (o Outcome) Measured() bool { return o == Success || o == Failure }

// A Layer is what a defect was found in.
type Layer string

// The layers.
const (
	Budget  Layer = "budget"  // of context
	Memory  Layer = "memory"  // over sessions
	RAG     Layer = "rag"     // retrieval, abstention, grounding
	Harness Layer = "harness" // the runtime around the model
)

// A Defect is a contract that did not hold in a run: a fact of the log, which needs no model to see.
type Defect struct {
	Layer Layer `json:"layer"`
	// Name is the kind of defect, such as over_budget_through: what is counted together has the same.
	Name     string              `json:"name"`
	Position transcript.Position `json:"position"` // where it shows; zero where no line does
	Detail   string              `json:"detail,omitempty"`
	// BreaksCausality marks a defect after which nobody can tell whether the control or the capability decided the run: a usage that was missing and
	// let through, a budget that was checked only afterwards.
	BreaksCausality bool `json:"breaks_causality,omitempty"`
}

// A Run is one run's outcome and the defects that it triggered.
type Run struct {
	ID  string `json:"id"`
	Arm string `json:"arm,omitempty"` // label of the build, where several are compared
	// Outcome is how it came out, Score what the grader gave, nil without one, and Reason why the outcome is what it is; of an
	// unmeasured one it says what is missing.
	Outcome Outcome  `json:"outcome"`
	Score   *float64 `json:"score,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	// Defects are all that were found, in any order; none is what makes a run clean.
	Defects []Defect `json:"defects"`
	// Unchecked are the contracts that could not be checked in the run, each with the reason: "grounding: the session gave no answer". A
	// defect of theirs would not have been seen.
	Unchecked []string `json:"unchecked,omitempty"`
}

// Clean reports whether no contract was broken in the run, of those that were checked.
func (r *Run) Clean() bool { return len(r.Defects) == 0 }

// A Label is the place of a run in the cross table.
type Label string

// The labels.
const (
	CleanSuccess    Label = "clean success"
	TaintedSuccess  Label = "success with a defect"
	TaintedFailure  Label = "failure with a defect"
	CleanFailure    Label = "clean failure"
	UnmeasuredLabel Label = "unmeasured"
)

// Labels returns the labels in the order in which they are reported.
func Labels() []Label {
	return []Label{CleanSuccess, TaintedSuccess, TaintedFailure, CleanFailure, UnmeasuredLabel}
}

// Label returns the place of the run in the cross table.
func (r *Run) Label() Label {
	switch {
	case !r.Outcome.Measured():
		return UnmeasuredLabel
	case r.Outcome == Success && r.Clean():
		return CleanSuccess
	case r.Outcome == Success:
		return TaintedSuccess
	case r.Clean():
		return CleanFailure
	}
	return TaintedFailure
}
