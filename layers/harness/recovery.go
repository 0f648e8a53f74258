package harness

import (
	"fmt"
	"io"
	"slices"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript"
)

// A Recovery is what came after a tool error.
type Recovery struct {
	Position transcript.Position `json:"position"` // the call that failed
	Thread   string              `json:"thread"`   // as in transcript.Thread.ID
	Tool     string              `json:"tool"`
	Failure  transcript.Failure  `json:"failure"`
	Ending   Ending              `json:"ending"`
	// Steps is how many calls the agent made after the error, up to the one that recovered, or to the end of the turn.
	Steps int `json:"steps"`
	// Same is how many of them were the very call that had failed.
	Same int `json:"same"`
}

// An Ending says how a tool error ended.
type Ending string

// The endings.
const (
	Recovered Ending = "recovered" // a later call of the tool in the same turn did not fail
	Repeated  Ending = "repeated"  // none did, and the failed call was made again as it was
	GaveUp    Ending = "gave up"   // none did, and it was not
)

// Errors are the tool errors of a session and how they ended. It is plain data.
type Errors struct {
	Recoveries []Recovery `json:"recoveries"` // in order, thread by thread; never nil after [Recoveries]
	Recovered  int        `json:"recovered"`
	Repeated   int        `json:"repeated"`
	GaveUp     int        `json:"gave_up"`
	// Rate is Recovered / all, from 0 to 1, higher is better; nil without an error. Steps is the median of the steps that recoveries
	// took, the lower of two; nil without one.
	Rate  *float64 `json:"rate"`
	Steps *int     `json:"steps"`
}

// Recoveries finds every tool error and what came of it until the turn ended. Errors that follow one another until a call of
// the tool succeeds are one each, and all recovered by that call.
func Recoveries(s *transcript.Session) Errors {
	e := Errors{Recoveries: []Recovery{}}
	whole := keepsInput(s)
	for i := range s.Threads {
		for _, turn := range turns(&s.Threads[i]) {
			for k, c := range turn {
				if c.failed() {
					e.add(recovery(c, turn[k+1:], whole))
				}
			}
		}
	}
	e.Rate = share(e.Recovered, len(e.Recoveries))
	var steps []int
	for _, r := range e.Recoveries {
		if r.Ending == Recovered {
			steps = append(steps, r.Steps)
		}
	}
	if len(steps) > 0 {
		slices.Sort(steps)
		e.Steps = &steps[(len(steps)-1)/2]
	}
	return e
}

func (e *Errors) add(r Recovery) {
	e.Recoveries = append(e.Recoveries, r)
	switch r.Ending {
	case Recovered:
		e.Recovered++
	case Repeated:
		e.Repeated++
	default:
		e.GaveUp++
	}
}

func recovery(c Call, later []Call, whole bool) Recovery {
	r := Recovery{c.Pos, c.Thread, c.Name, c.Result.Failure, GaveUp, 0, 0}
	want := input(c.ToolCall, whole)
	for _, next := range later {
		r.Steps++
		if next.Name != c.Name {
			continue
		}
		if input(next.ToolCall, whole) == want {
			r.Same++
		}
		if next.Result != nil && !next.Result.IsError {
			r.Ending = Recovered
			return r
		}
	}
	if r.Same > 0 {
		r.Ending = Repeated
	}
	return r
}

// turns returns the calls of a thread turn by turn. A turn ends with the user's next prompt, or with a result.
func turns(t *transcript.Thread) (turns [][]Call) {
	calls := Calls(t)
	var turn []Call
	for _, ev := range t.Events {
		if ev.At().Abandoned {
			continue
		}
		ends := false
		switch ev := ev.(type) {
		case *transcript.ToolCall:
			turn, calls = append(turn, calls[0]), calls[1:]
		case *transcript.UserText:
			ends = ev.Prompt
		case *transcript.Result:
			ends = ev.Worked
		}
		if ends && len(turn) > 0 {
			turns, turn = append(turns, turn), nil
		}
	}
	if len(turn) > 0 {
		turns = append(turns, turn)
	}
	return turns
}

// Defects returns a defect for each error that the agent did not recover from: error_repeated or error_abandoned.
func (e Errors) Defects() (defects []layers.Defect) {
	for _, r := range e.Recoveries {
		name := map[Ending]string{Repeated: "error_repeated", GaveUp: "error_abandoned"}[r.Ending]
		if name != "" {
			defects = append(defects, layers.Defect{Layer: layers.Harness, Name: name, Position: r.Position, Detail: r.Tool})
		}
	}
	return defects
}

// WriteText writes the errors as lines of a report. The error is that of w.
func (e Errors) WriteText(w io.Writer) error {
	text := "  tool errors: none\n"
	if e.Rate != nil {
		text = fmt.Sprintf("  tool errors: %d, recovered %d (%.0f%%), repeated %d, gave up %d", len(e.Recoveries), e.Recovered, 100**e.Rate, e.Repeated, e.GaveUp)
		if e.Steps != nil {
			text += fmt.Sprintf("; a recovery took %s", textutil.Count(*e.Steps, "call"))
		}
		text += "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
