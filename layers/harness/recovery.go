package harness

import (
	"fmt"
	"io"
	"slices"

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
	// Steps is how many calls the agent made when it knew of the error, up to the one that recovered, or to the end of the turn. After a denial
	// it is all of them.
	Steps int `json:"steps"`
	// Same is how many of them were the very call that had failed, with nothing in between that may change something.
	Same int `json:"same"`
}

// An Ending says how a tool error ended.
type Ending string

// The endings.
const (
	Recovered Ending = "recovered" // a later call in the same turn that was after the same did not fail: see [Recoveries]
	Repeated  Ending = "repeated"  // none did, and the failed call was made again as it was
	GaveUp    Ending = "gave up"   // none did, and it was not
	CutOff    Ending = "cut off"   // none did until the run was ended by a limit, an error or a kill: no verdict
	Denied    Ending = "denied"    // a hook, the mode or the user did not let the call be made, as Failure says: no error to recover from
)

// Errors are the tool errors of a session and how they ended. It is plain data.
type Errors struct {
	Recoveries []Recovery `json:"recoveries"` // in order, thread by thread; never nil after [Recoveries]
	Recovered  int        `json:"recovered"`
	Repeated   int        `json:"repeated"`
	GaveUp     int        `json:"gave_up"`
	CutOff     int        `json:"cut_off"`
	// Denied are the calls that were not let through. They are no errors of a tool, and in no rate.
	Denied Denials `json:"denied"`
	// Rate is Recovered / the errors that were not cut off, from 0 to 1, higher is better; nil without any. Steps is the median of the steps that recoveries
	// took, the lower of two; nil without one.
	Rate  *float64 `json:"rate"`
	Steps *int     `json:"steps"`
}

// Denials are calls that were denied, by who denied them.
type Denials struct {
	Hook int `json:"hook"`
	Mode int `json:"mode"`
	User int `json:"user"`
}

// All returns how many calls were denied.
func (d Denials) All() int { return d.Hook + d.Mode + d.User }

func (d *Denials) add(f transcript.Failure) {
	switch f {
	case transcript.DeniedByHook:
		d.Hook++
	case transcript.DeniedByMode:
		d.Mode++
	default:
		d.User++
	}
}

func denied(f transcript.Failure) bool {
	return f == transcript.DeniedByHook || f == transcript.DeniedByMode || f == transcript.DeniedByUser
}

// Recoveries finds every tool error and what came of it until the turn ended. Errors that follow one another until a call that is after the
// same succeeds are one each, and all recovered by that call. Two calls are after the same if they are of one tool, and of the same file where
// both name one; commands, if they run the same program with the same subcommand. To read a file is the same by any tool or command, and a
// file that was looked for in one directory may be found in another.
func Recoveries(s *transcript.Session) Errors {
	e := Errors{Recoveries: []Recovery{}}
	whole := keepsInput(s)
	var lines shell.Reader
	for i := range s.Threads {
		for _, turn := range turns(s, &s.Threads[i]) {
			list := attempts(turn.calls, whole, &lines)
			for k := range list {
				if !list[k].failed() {
					continue
				}
				r := list[k].recovery(list[k+1:])
				if turn.cut && r.Ending != Recovered && r.Ending != Denied {
					r.Ending = CutOff
				}
				e.add(r)
			}
		}
	}
	e.Rate = share(e.Recovered, e.Recovered+e.Repeated+e.GaveUp)
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
	case Denied:
		e.Denied.add(r.Failure)
	default:
		e.GaveUp++
	}
}

// An attempt is a call, and what it is compared by.
type attempt struct {
	Call
	aim     aim
	input   string
	changes bool // it may change something
}

// attempts returns the calls from the first that failed on.
func attempts(calls []Call, whole bool, lines *shell.Reader) (list []attempt) {
	for _, c := range calls {
		if len(list) > 0 || c.failed() {
			list = append(list, attempt{c, aimOf(c.ToolCall, lines), input(c.ToolCall, whole), !readOnly(c.ToolCall, lines)})
		}
	}
	return list
}

// recovery says what came of a call that failed.
func (a *attempt) recovery(later []attempt) Recovery {
	r := Recovery{a.Pos, a.Thread, a.Name, a.Result.Failure, GaveUp, 0, 0}
	if denied(r.Failure) {
		r.Ending = Denied
	}
	changed := false
	for i := range later {
		next := &later[i]
		if next.Request == a.Request { // sent before anybody knew of the error
			continue
		}
		r.Steps++
		same := next.Name == a.Name && next.input == a.input
		if same && !changed {
			r.Same++
		}
		changed = changed || !same && next.changes
		if r.Ending != Denied && next.Result != nil && !next.Result.IsError && a.aim.same(next.aim) {
			r.Ending = Recovered
			return r
		}
	}
	if r.Same > 0 && r.Ending != Denied {
		r.Ending = Repeated
	}
	return r
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
	text := "  tool errors: none"
	switch {
	case e.Rate == nil && e.CutOff > 0:
		text = fmt.Sprintf("  tool errors: %d, all cut off: not measured", e.CutOff)
	case e.Rate != nil:
		text = fmt.Sprintf("  tool errors: %d, recovered %d (%.0f%%), repeated %d, gave up %d", len(e.Recoveries)-e.Denied.All(), e.Recovered, 100**e.Rate, e.Repeated, e.GaveUp)
		if e.CutOff > 0 {
			text += fmt.Sprintf(", cut off %d", e.CutOff)
		}
		if e.Steps != nil {
			text += fmt.Sprintf("; a recovery took %s", textutil.Count(*e.Steps, "call"))
		}
	}
	if d := e.Denied; d.All() > 0 {
		text += fmt.Sprintf("; denied besides: %d by a hook, %d by the mode, %d by the user", d.Hook, d.Mode, d.User)
	}
	_, err := io.WriteString(w, text+"\n")
	return err
}
