package layers

import (
	"errors"
	"fmt"
	"io"

	"github.com/agent-eval/feedback/layers/internal/strictjson"
	"github.com/agent-eval/feedback/transcript"
)

// A Verdict is what a grader said of a run.
type Verdict struct {
	ID      string   `json:"id"`
	Outcome Outcome  `json:"outcome"`
	Score   *float64 `json:"score"`
	Reason  string   `json:"reason"`
}

// Outcomes are verdicts by the id of their run.
type Outcomes map[string]Verdict

// ReadOutcomes reads verdicts from JSON lines: {"id": "new-1", "outcome": "success", "score": 0.9, "reason": "…"}, of which id and outcome
// have to be there. A line that is none costs that line. All errors come joined, each a [transcript.Problem] with file and
// line, beside the outcomes that could be read.
func ReadOutcomes(r io.Reader, name string) (Outcomes, error) {
	read := make(Outcomes)
	lines := make(map[string]int)
	err := strictjson.Lines(r, name, func(pos transcript.Position, v Verdict) error {
		switch {
		case v.ID == "":
			return errors.New("an outcome without an id")
		case !v.Outcome.Measured() && v.Outcome != Unmeasured:
			return fmt.Errorf("outcome %q: want success, failure or unmeasured", v.Outcome)
		case lines[v.ID] > 0:
			return fmt.Errorf("%s has an outcome already, on line %d", v.ID, lines[v.ID])
		}
		read[v.ID], lines[v.ID] = v, pos.Line
		return nil
	})
	return read, err
}

// Grade returns a run with the outcome that was given for its id, and its defects. Without one it is unmeasured.
func (o Outcomes) Grade(id, arm string, defects []Defect) Run {
	r := Run{ID: id, Arm: arm, Outcome: Unmeasured, Reason: "no outcome was given", Defects: append([]Defect{}, defects...)}
	if v, ok := o[id]; ok {
		r.Outcome, r.Score, r.Reason = v.Outcome, v.Score, v.Reason
	}
	return r
}
