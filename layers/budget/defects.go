package budget

import (
	"fmt"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
)

// The names of the defects that a [Report] has.
const (
	// OverBudgetThrough is a call that a budget enforced before the call let through: the control failed.
	OverBudgetThrough = "over_budget_through"
	// CheckedAfterwards is a call over a budget that is not enforced before the call. It breaks causality: the call was made
	// whatever the budget says.
	CheckedAfterwards = "checked_afterwards"
	// UsageMissing is a request without usage after which the run went on. It breaks causality: no budget knew what it spent.
	UsageMissing = "usage_missing"
	// RunawayTurn is a turn that ran away: see [Turns].
	RunawayTurn = "runaway_turn"
)

// Defects returns what the run did that the budgets do not allow, one defect a call, request and turn; none is an empty list. An
// [Overlap] is no defect of a run: it is in how the harness is set up, whatever the run does.
func (r *Report) Defects() []layers.Defect {
	list := []layers.Defect{}
	for _, b := range r.Budgets {
		list = append(list, b.defects()...)
	}
	for _, m := range r.Missing {
		if m.LetThrough {
			list = append(list, layers.Defect{Layer: layers.Budget, Name: UsageMissing, Position: m.Position, BreaksCausality: true,
				Detail: "a request without usage was let through as if it had cost nothing"})
		}
	}
	for _, t := range r.Turns.Runaway {
		list = append(list, layers.Defect{Layer: layers.Budget, Name: RunawayTurn, Position: t.Position,
			Detail: fmt.Sprintf("from %s to %s tokens within one turn of %s", textutil.Thousands(t.Start), textutil.Thousands(t.Peak), textutil.Count(t.Calls, "tool call"))})
	}
	return list
}

func (r *Result) defects() (list []layers.Defect) {
	name := OverBudgetThrough
	if r.Budget.Enforcement.Afterwards() {
		name = CheckedAfterwards
	}
	for _, c := range r.Over {
		if !c.Stopped {
			list = append(list, layers.Defect{Layer: layers.Budget, Name: name, Position: c.Position, BreaksCausality: r.Budget.Enforcement.Afterwards(),
				Detail: fmt.Sprintf("%s: %s of %s %s per %s", r.Budget.Name, textutil.Thousands(c.Amount), textutil.Thousands(r.Budget.Limit), r.Budget.Unit, r.Budget.Scope)})
		}
	}
	return list
}
