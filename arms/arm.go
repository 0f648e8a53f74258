package arms

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/occupancy"
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

// calls counts the run's calls of one family, all threads together.
func (r *Run) calls(f transcript.Family) int {
	n := 0
	for _, c := range r.Calls {
		if c.Family == f {
			n++
		}
	}
	return n
}

// retrievalResidual is what retrieval and file access hold together, in tokens: what the agent had to take in to know
// what it knew. Nil when it was not measured.
func (r *Run) retrievalResidual() *float64 {
	retrieval, files := r.Occupancy.Families.Retrieval.Residual, r.Occupancy.FileAccess.Residual
	if retrieval == nil || files == nil {
		return nil
	}
	return new(*retrieval + *files)
}

// share returns what part of the final context a number of tokens is, from 0 to 1; nil when either is not known.
func share(tokens *float64, o *occupancy.Block) *float64 {
	if tokens == nil || o.FinalContext == nil || *o.FinalContext == 0 {
		return nil
	}
	return new(*tokens / float64(*o.FinalContext))
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

// naturally orders names as people do: run-2 before run-10.
func naturally(a, b string) int {
	for a != "" && b != "" {
		x, restA, numA := chunk(a)
		y, restB, numB := chunk(b)
		if numA && numB {
			x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if c := cmp.Compare(len(x), len(y)); c != 0 {
				return c
			}
		}
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
		a, b = restA, restB
	}
	return cmp.Compare(len(a), len(b))
}

// chunk cuts the leading run of digits, or of anything else, off s.
func chunk(s string) (head, rest string, digits bool) {
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
	digits = isDigit(s[0])
	n := 1
	for n < len(s) && isDigit(s[n]) == digits {
		n++
	}
	return s[:n], s[n:], digits
}

// sortedNames sorts names naturally and drops copies.
func sortedNames(names []string) []string {
	slices.SortFunc(names, naturally)
	return slices.Compact(names)
}
