package harness

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/shell"
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
	// Steps is how many calls the agent made when it knew of the error, up to the one that recovered, or to the end of the turn.
	Steps int `json:"steps"`
	// Same is how many of them were the very call that had failed, with nothing in between that may change something.
	Same int `json:"same"`
}

// An Ending says how a tool error ended.
type Ending string

// The endings.
const (
	Recovered Ending = "recovered" // a later call of the tool, for commands one of the same program, in the same turn did not fail
	Repeated  Ending = "repeated"  // none did, and the failed call was made again as it was
	GaveUp    Ending = "gave up"   // none did, and it was not
	CutOff    Ending = "cut off"   // none did until the run was ended by a limit, an error or a kill: no verdict
)

// Errors are the tool errors of a session and how they ended. It is plain data.
type Errors struct {
	Recoveries []Recovery `json:"recoveries"` // in order, thread by thread; never nil after [Recoveries]
	Recovered  int        `json:"recovered"`
	Repeated   int        `json:"repeated"`
	GaveUp     int        `json:"gave_up"`
	CutOff     int        `json:"cut_off"`
	// Rate is Recovered / all but those cut off, from 0 to 1, higher is better; nil without any. Steps is the median of the steps that recoveries
	// took, the lower of two; nil without one.
	Rate  *float64 `json:"rate"`
	Steps *int     `json:"steps"`
}

// Recoveries finds every tool error and what came of it until the turn ended. Errors that follow one another until a call of
// the tool succeeds are one each, and all recovered by that call.
func Recoveries(s *transcript.Session) Errors {
	e := Errors{Recoveries: []Recovery{}}
	whole := keepsInput(s)
	var lines shell.Reader
	for i := range s.Threads {
		for _, turn := range turns(s, &s.Threads[i]) {
			for k, c := range turn.calls {
				if !c.failed() {
					continue
				}
				r := recovery(c, turn.calls[k+1:], whole, &lines)
				if turn.cut && r.Ending != Recovered {
					r.Ending = CutOff
				}
				e.add(r)
			}
		}
	}
	e.Rate = share(e.Recovered, len(e.Recoveries)-e.CutOff)
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
	case CutOff:
		e.CutOff++
	default:
		e.GaveUp++
	}
}

func recovery(c Call, later []Call, whole bool, lines *shell.Reader) Recovery {
	r := Recovery{c.Pos, c.Thread, c.Name, c.Result.Failure, GaveUp, 0, 0}
	want := input(c.ToolCall, whole)
	changed := false
	for _, next := range later {
		if next.Request == c.Request { // sent before anybody knew of the error
			continue
		}
		r.Steps++
		same := next.Name == c.Name && input(next.ToolCall, whole) == want
		if same && !changed {
			r.Same++
		}
		changed = changed || !same && !readOnly(next.ToolCall, lines)
		if sameAim(c, next) && next.Result != nil && !next.Result.IsError {
			r.Ending = Recovered
			return r
		}
	}
	if r.Same > 0 {
		r.Ending = Repeated
	}
	return r
}

// sameAim reports whether a call may be a further attempt at what failed. Commands are all calls of one tool, so their programs count.
func sameAim(a, b Call) bool {
	return a.Name == b.Name && (a.Family != transcript.Shell || program(a.Args.Command) == program(b.Args.Command))
}

// program returns the first word of a command line that is neither an assignment nor a change of directory.
func program(command string) string {
	words := strings.Fields(command)
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "cd":
			for i < len(words) && words[i] != "&&" && !strings.HasSuffix(words[i], ";") {
				i++
			}
		case strings.Contains(w, "="):
		default:
			return w
		}
	}
	return ""
}

// A turn is the calls of a thread up to the user's next prompt, a result or the end of the log.
type turn struct {
	calls []Call
	cut   bool // it did not end by itself
}

// turns returns the calls of a thread turn by turn.
func turns(s *transcript.Session, t *transcript.Thread) (turns []turn) {
	calls := Calls(t)
	var cur turn
	end := func(cut bool) {
		if cur.cut = cut; len(cur.calls) > 0 {
			turns = append(turns, cur)
		}
		cur = turn{}
	}
	segment := 0
	for _, ev := range t.Events {
		o := ev.At()
		if o.Abandoned {
			continue
		}
		if o.Segment != segment {
			end(t.ID == "")
			segment = o.Segment
		}
		switch ev := ev.(type) {
		case *transcript.ToolCall:
			cur.calls, calls = append(cur.calls, calls[0]), calls[1:]
		case *transcript.UserText:
			if ev.Prompt {
				end(false)
			}
		case *transcript.Result:
			if ev.Worked {
				end(!ev.OK())
			}
		}
	}
	end(t.ID == "" && !s.OK())
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
	switch {
	case e.Rate == nil && e.CutOff > 0:
		text = fmt.Sprintf("  tool errors: %d, all cut off: not measured\n", e.CutOff)
	case e.Rate != nil:
		text = fmt.Sprintf("  tool errors: %d, recovered %d (%.0f%%), repeated %d, gave up %d", len(e.Recoveries), e.Recovered, 100**e.Rate, e.Repeated, e.GaveUp)
		if e.CutOff > 0 {
			text += fmt.Sprintf(", cut off %d", e.CutOff)
		}
		if e.Steps != nil {
			text += fmt.Sprintf("; a recovery took %s", textutil.Count(*e.Steps, "call"))
		}
		text += "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
