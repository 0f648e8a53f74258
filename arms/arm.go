package arms

import (
	"slices"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// An Arm is the runs of one build: what is compared with another arm.
type Arm struct {
	Label string `json:"label"` // any text
	Runs  []Run  `json:"runs"`
}

// DefaultTool is what reports call the retrieval tool of arms without a run.
const DefaultTool = "codegraph"

// toolOf returns what the first run calls the retrieval tool.
func toolOf(arms []Arm) string {
	for _, a := range arms {
		for i := range a.Runs {
			if t := a.Runs[i].Tool; t != "" {
				return t
			}
		}
	}
	return DefaultTool
}

// CallsOf counts the run's calls of one family of tools, all threads together.
func (r *Run) CallsOf(f transcript.Family) int {
	n := 0
	for _, c := range r.Calls {
		if c.Family == f {
			n++
		}
	}
	return n
}

// RetrievalResidual returns what retrieval and file access hold together at the end, in tokens: what the agent had to take in to
// know what it knew. Nil when it was not measured.
func (r *Run) RetrievalResidual() *float64 {
	retrieval, files := r.Occupancy.Families.Retrieval.Residual, r.Occupancy.FileAccess.Residual
	if retrieval == nil || files == nil {
		return nil
	}
	return new(*retrieval + *files)
}

// RetrievalShare returns what part of the final context the [Run.RetrievalResidual] is, from 0 to 1; nil when either is not
// known.
func (r *Run) RetrievalShare() *float64 {
	tokens, context := r.RetrievalResidual(), r.Occupancy.FinalContext
	if tokens == nil || context == nil || *context == 0 {
		return nil
	}
	return new(*tokens / float64(*context))
}

// name returns what a report calls run i of the arm.
func (a *Arm) name(i int) string {
	if n := a.Runs[i].Name; n != "" {
		return n
	}
	if n := a.Runs[i].Segments; len(n) > 0 {
		return n[0]
	}
	return a.Label
}

// sortedNames sorts names textutil.Natural and drops copies.
func sortedNames(names []string) []string {
	slices.SortFunc(names, textutil.Natural)
	return slices.Compact(names)
}
