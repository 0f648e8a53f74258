package harness

import (
	"fmt"
	"io"
	"regexp"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript"
)

// Parity says whether two sessions have the same trajectory. It is plain data.
type Parity struct {
	// Steps are the lengths of both trajectories.
	Steps [2]int `json:"steps"`
	// First is where they part; nil when they do not.
	First *Divergence `json:"first"`
	// Distance is the edit distance of the trajectories (Levenshtein, 1966): how many steps have to be put in, left out or changed, from
	// 0 for equal ones.
	Distance int `json:"distance"`
	// Similarity is 1 − Distance / the longer length, from 0 to 1, higher is more alike; nil when both are empty.
	Similarity *float64 `json:"similarity"`
}

// Same reports whether the trajectories are equal.
func (p Parity) Same() bool { return p.First == nil }

// A Divergence is the first step at which two trajectories part.
type Divergence struct {
	Index int `json:"index"` // of the step, from 0
	// Old and New are the steps there; nil where that trajectory has ended.
	Old *Step `json:"old"`
	New *Step `json:"new"`
}

// A Step is one tool call and whether it failed, or the end of the session.
type Step struct {
	Position transcript.Position `json:"position"`
	Thread   int                 `json:"thread"` // 0 is the main thread, then subagents in the order in which they started
	Tool     string              `json:"tool"`   // empty for the end
	Input    string              `json:"input"`  // see [ParityOptions]; for the end, how the session ended
	Failed   bool                `json:"failed"`
}

func (s Step) equal(t Step) bool {
	return s.Thread == t.Thread && s.Tool == t.Tool && s.Input == t.Input && s.Failed == t.Failed
}

// ParityOptions control [Compare]. The zero value is the documented default of every field. Inputs are compared whole when both sessions
// were read with transcript.Options.KeepText, else by the arguments that are always kept and by their length.
type ParityOptions struct {
	// Rewrite, unless it is nil, is applied to every input before they are compared: to take out what differs by
	// intention, such as the path of a workspace.
	Rewrite func(string) string
}

// Compare compares the trajectories of one task on an old and a new runtime: the calls of every thread in order, whether each failed,
// and how the session ended. Ids, times, texts of the model and the order of results do not count.
func Compare(old, now *transcript.Session, opts ParityOptions) Parity {
	whole := keepsInput(old) && keepsInput(now)
	a, b := trajectory(old, whole, opts), trajectory(now, whole, opts)
	p := Parity{Steps: [2]int{len(a), len(b)}, Distance: distance(a, b)}
	for i := range max(len(a), len(b)) {
		if i < len(a) && i < len(b) && a[i].equal(b[i]) {
			continue
		}
		p.First = &Divergence{i, at(a, i), at(b, i)}
		break
	}
	if n := max(len(a), len(b)); n > 0 {
		p.Similarity = new(1 - float64(p.Distance)/float64(n))
	}
	return p
}

func at(steps []Step, i int) *Step {
	if i >= len(steps) {
		return nil
	}
	return &steps[i]
}

// ids and times are what differs between two runs of one trajectory: a client's ids, UUIDs, and times of the day.
var (
	ids   = regexp.MustCompile(`\b(toolu|call|msg|req)_[A-Za-z0-9]{20,}\b|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`)
	times = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?`)
)

func trajectory(s *transcript.Session, whole bool, opts ParityOptions) (steps []Step) {
	for i := range s.Threads {
		for _, c := range Calls(&s.Threads[i]) {
			text := input(c.ToolCall, whole)
			text = times.ReplaceAllString(ids.ReplaceAllString(text, "<id>"), "<time>")
			if opts.Rewrite != nil {
				text = opts.Rewrite(text)
			}
			steps = append(steps, Step{c.Pos, i, c.Name, text, c.failed()})
		}
	}
	for _, outcome := range s.Summary().Outcomes {
		steps = append(steps, Step{Input: outcome})
	}
	return steps
}

// distance is the edit distance, in a row of memory.
func distance(a, b []Step) int {
	for len(a) > 0 && len(b) > 0 && a[0].equal(b[0]) {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1].equal(b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			change := diagonal
			if !a[i].equal(b[j]) {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Defects returns a parity_broken defect where the trajectories part, none when they do not.
func (p Parity) Defects() []layers.Defect {
	if p.Same() {
		return nil
	}
	d := layers.Defect{Layer: layers.Harness, Name: "parity_broken", Detail: p.First.text()}
	if s := p.First.New; s != nil {
		d.Position = s.Position
	}
	return []layers.Defect{d}
}

// WriteText writes the parity as lines of a report. The error is that of w.
func (p Parity) WriteText(w io.Writer) error {
	if p.Same() {
		_, err := fmt.Fprintf(w, "  parity: the same trajectory, %s\n", textutil.Count(p.Steps[0], "step"))
		return err
	}
	_, err := fmt.Fprintf(w, "  parity: BROKEN, %s apart of %d and %d\n    %s\n", textutil.Count(p.Distance, "step"), p.Steps[0], p.Steps[1], p.First.text())
	return err
}

func (d *Divergence) text() string {
	return fmt.Sprintf("step %d was %s and is %s", d.Index+1, d.Old.text(), d.New.text())
}

func (s *Step) text() string {
	switch {
	case s == nil:
		return "nothing"
	case s.Tool == "":
		return "the end (" + textutil.Printable(s.Input, 60) + ")"
	case s.Failed:
		return textutil.Printable(s.Tool+" "+s.Input, 120) + ", failed"
	}
	return textutil.Printable(s.Tool+" "+s.Input, 120)
}
