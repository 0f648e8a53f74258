package arms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

// listed is how many runs a sentence names.
const listed = 12

// warnings says what weakens the table, arm by arm.
func (b *builder) warnings() []string {
	warnings := []string{}
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	tool := textutil.Printable(b.tool, 40)
	for i := range b.arms {
		a := &b.arms[i]
		label := textutil.Printable(a.Label, 60)
		switch len(a.Runs) {
		case 0:
			warn("%s has no runs", label)
			continue
		case 1:
			warn("%s has one run: it shows no range", label)
		}
		if names := a.which(func(r *Run) bool { return r.Contamination.Contaminated() }); names != "" {
			warn("%s is CONTAMINATED: the %s CLI was run through the shell and returned output in %s. What came that way is in no %s row: "+
				"calls, residual, sufficiency and allocation of this arm are not those of its tool", label, tool, names, tool)
		}
		if slices.Contains(b.opts.Without, a.Label) {
			if names := a.which((*Run).OffersRetrieval); names != "" {
				warn("%s is CONTAMINATED: it must not have %s, and the init of %s offers it. It is no arm without the tool", label, tool, names)
			}
		}
		if names := a.which(func(r *Run) bool { return len(r.Problems)+r.MoreProblems > 0 }); names != "" {
			warn("%s: not every line could be read of %s", label, names)
		}
	}
	if b.pairs != nil {
		if names := b.unpairedRuns(); names != "" {
			warn("without a partner in the other arm, and so in no comparison: %s", names)
		}
	}
	return warnings
}

// which names the runs of the arm for which is holds, in order; empty when there is none.
func (a *Arm) which(is func(*Run) bool) string {
	var names []string
	for i := range a.Runs {
		if is(&a.Runs[i]) {
			names = append(names, a.name(i))
		}
	}
	return list(names)
}

// list joins names, sorted, as far as a sentence can hold them.
func list(names []string) string {
	names = slices.Clone(names)
	slices.SortStableFunc(names, textutil.Natural)
	more := ""
	if n := len(names) - listed; n > 0 {
		names, more = names[:listed], fmt.Sprintf(" and %s more", textutil.Thousands(n))
	}
	for i, n := range names {
		names[i] = textutil.Printable(n, 60)
	}
	return strings.Join(names, ", ") + more
}

// unpairedRuns names the runs whose task the other arm does not have.
func (b *builder) unpairedRuns() string {
	var names []string
	for i := range b.arms {
		a := &b.arms[i]
		in := make(map[int]bool)
		for _, p := range b.pairs {
			for _, j := range p.runs[i] {
				in[j] = true
			}
		}
		for j := range a.Runs {
			if !in[j] {
				names = append(names, a.name(j))
			}
		}
	}
	return list(names)
}
