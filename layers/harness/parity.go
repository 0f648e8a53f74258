package harness

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript"
)

// A Parity says whether two runtimes took the same trajectory: prompts, texts, calls with their inputs and results, compactions and ends, ids
// and times aside. It is plain data.
type Parity struct {
	Same bool `json:"same"`
	// First is where they part; nil when they are the same.
	First *Difference `json:"first"`
	// Distance is the edit distance: the least number of steps to insert, to remove or to replace to make one of the other (Levenshtein,
	// 1966). 0 when they are the same, at most the longer one's steps; lower is better.
	Distance int `json:"distance"`
	OldSteps int `json:"old_steps"`
	NewSteps int `json:"new_steps"`
	// Unmeasured says why there is nothing to compare: neither session has a step. Same is false then.
	Unmeasured string `json:"unmeasured,omitempty"`
	// LengthsOnly reports that a session was read without KeepText: what it did not keep is compared by its length, so Same may be wrong.
	LengthsOnly bool `json:"lengths_only,omitempty"`
}

// A Difference is the first step in which two trajectories differ.
type Difference struct {
	Index int    `json:"index"` // of the step, from 0
	What  string `json:"what"`  // kind, tool, input, result, error, text; "end" where one trajectory stops and the other goes on
	Old   *Step  `json:"old"`   // nil where it has no such step
	New   *Step  `json:"new"`
}

// ParityOptions control [Compare]. The zero value is the documented default of every field.
type ParityOptions struct {
	// Ignore are regular expressions (RE2) of what else may differ in texts and inputs, such as a working directory or a duration.
	Ignore []string
}

// Compare compares the trajectories of two sessions, main threads with their subagents. Read both with [transcript.Options].KeepText. The
// error is about an expression that cannot be used.
func Compare(old, new *transcript.Session, opts ParityOptions) (Parity, error) {
	var ignore []*regexp.Regexp
	for _, pattern := range opts.Ignore {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return Parity{}, fmt.Errorf("ignore: %w", err)
		}
		ignore = append(ignore, re)
	}
	a, b := tracer{ignore: ignore}, tracer{ignore: ignore}
	a.trace(old)
	b.trace(new)
	p := Parity{OldSteps: len(a.steps), NewSteps: len(b.steps), LengthsOnly: a.noText || b.noText}
	if len(a.steps)+len(b.steps) == 0 {
		p.Unmeasured = "neither session has a step"
		return p, nil
	}
	p.First = firstDifference(a.steps, b.steps)
	p.Same = p.First == nil
	if !p.Same {
		numbers := make(map[Step]int)
		p.Distance = distance(number(numbers, a.steps), number(numbers, b.steps))
	}
	return p, nil
}

func firstDifference(a, b []Step) *Difference {
	i := 0
	for i < len(a) && i < len(b) {
		if what := a[i].differs(b[i]); what != "" {
			return &Difference{Index: i, What: what, Old: &a[i], New: &b[i]}
		}
		i++
	}
	switch {
	case i < len(a):
		return &Difference{Index: i, What: "end", Old: &a[i]}
	case i < len(b):
		return &Difference{Index: i, What: "end", New: &b[i]}
	}
	return nil
}

// differs names what two steps differ in, or returns "".
func (s Step) differs(t Step) string {
	switch {
	case s.Kind != t.Kind:
		return "kind"
	case s.Tool != t.Tool:
		return "tool"
	case s.Input != t.Input:
		return "input"
	case s.IsError != t.IsError:
		return "error"
	case s.Text != t.Text && s.Kind == StepCall:
		return "result"
	case s.Text != t.Text:
		return "text"
	}
	return ""
}

// number gives equal steps equal numbers.
func number(numbers map[Step]int, steps []Step) []int {
	list := make([]int, len(steps))
	for i, s := range steps {
		s.Position, s.Thread = transcript.Position{}, ""
		n, ok := numbers[s]
		if !ok {
			n = len(numbers)
			numbers[s] = n
		}
		list[i] = n
	}
	return list
}

// TrajectoryDiffers is the name of the defect of a [Parity].
const TrajectoryDiffers = "trajectory_differs"

// Defects returns the first difference as a defect of the new runtime's run; none is an empty list.
func (p *Parity) Defects() []layers.Defect {
	if p.First == nil {
		return []layers.Defect{}
	}
	d := layers.Defect{Layer: layers.Harness, Name: TrajectoryDiffers, Detail: p.First.text()}
	if p.First.New != nil {
		d.Position = p.First.New.Position
	}
	return []layers.Defect{d}
}

// text says in one line how the steps differ.
func (d *Difference) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "step %d, %s: ", d.Index+1, d.What)
	for i, s := range []*Step{d.Old, d.New} {
		if i > 0 {
			b.WriteString(", new ")
		} else {
			b.WriteString("old ")
		}
		switch {
		case s == nil:
			b.WriteString("has no such step")
		case d.What == "input":
			b.WriteString(s.Tool + " " + s.Input)
		case d.What == "kind" || d.What == "end":
			b.WriteString(strings.TrimSpace(string(s.Kind) + " " + s.Tool))
		case d.What == "tool":
			b.WriteString(s.Tool)
		case d.What == "error" && !s.IsError:
			b.WriteString("succeeded")
		default:
			b.WriteString(s.Text)
		}
	}
	return b.String()
}
