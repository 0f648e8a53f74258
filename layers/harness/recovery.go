package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/internal/walk"
	"github.com/agent-eval/feedback/transcript"
)

// Recoveries are what came of the tool errors of a session. It is plain data.
type Recoveries struct {
	// Errors are the errors with what came of each, in the order in which they happened. A further error on the way is part of the first.
	Errors    []Recovery `json:"errors"`
	Recovered int        `json:"recovered"`
	Repeated  int        `json:"repeated"`
	GaveUp    int        `json:"gave_up"`
	CutOff    int        `json:"cut_off"`
	// Rate is the recovered part of those that were not cut off, from 0 to 1, higher is better. Nil when there are none: nothing to recover from.
	Rate *float64 `json:"rate"`
}

// A Recovery is what came of one tool error.
type Recovery struct {
	Position transcript.Position `json:"position"` // of the result that is an error
	Thread   string              `json:"thread,omitempty"`
	Tool     string              `json:"tool"`
	Label    string              `json:"label"` // the argument that says most; may be empty
	Failure  transcript.Failure  `json:"failure"`
	End      RecoveryEnd         `json:"end"`
	// Steps is how many calls the thread made from the error to the one that worked, that one counted: 1 when the next call did. 0 unless
	// recovered. Bookkeeping does not count.
	Steps int `json:"steps"`
	// Failed counts the further attempts that failed, Again those of them that were the same call with nothing changed in between.
	Failed int `json:"failed"`
	Again  int `json:"again"`
	// RecoveredAt is the result of the call that worked; zero unless recovered.
	RecoveredAt transcript.Position `json:"recovered_at"`
}

// A RecoveryEnd is how it went on after an error.
type RecoveryEnd string

// The ends.
const (
	Recovered   RecoveryEnd = "recovered" // an attempt at the same worked within the turn
	RepeatedEnd RecoveryEnd = "repeated"  // it was tried again unchanged, and never worked
	GaveUp      RecoveryEnd = "gave_up"   // it never worked, though it was not merely tried again
	CutOff      RecoveryEnd = "cut_off"   // the run ended by a limit, an error or a kill before anybody knows: no verdict
)

// Recover follows every tool error to the end of its turn. An attempt at the same is a call of the same tool, or one on the same path; for
// command lines, which are all calls of one tool, one that starts with the same program. The error is about a glob.
func Recover(s *transcript.Session, opts CallOptions) (Recoveries, error) {
	w, err := newWatch(s, opts)
	if err != nil {
		return Recoveries{}, err
	}
	f := follower{watch: w, calls: make(map[string]attempt), made: make(map[string]int), open: make(map[string][]*trouble)}
	segment := 0
	for ev := range walk.Events(s) {
		if o := ev.At(); o.Thread == "" && o.Segment != segment {
			f.endTurn(cutOff(s, segment))
			segment = o.Segment
		}
		f.event(ev)
	}
	f.endTurn(!s.OK())
	r := Recoveries{Errors: []Recovery{}}
	for _, t := range f.all {
		r.add(t.Recovery)
	}
	r.Rate = share(r.Recovered, r.Recovered+r.Repeated+r.GaveUp)
	return r, nil
}

// cutOff reports whether a segment of a stream ended without saying how.
func cutOff(s *transcript.Session, segment int) bool {
	if segment >= len(s.Segments) {
		return true
	}
	seg := &s.Segments[segment]
	return seg.Format == transcript.FormatStreamJSON && seg.Result() == nil
}

func (r *Recoveries) add(x Recovery) {
	r.Errors = append(r.Errors, x)
	switch x.End {
	case Recovered:
		r.Recovered++
	case RepeatedEnd:
		r.Repeated++
	case GaveUp:
		r.GaveUp++
	default:
		r.CutOff++
	}
}

// A follower keeps the errors that nothing has come of yet.
type follower struct {
	*watch
	calls map[string]attempt // by id
	made  map[string]int     // thread → calls so far
	open  map[string][]*trouble
	all   []*trouble
}

// An attempt is a call that was made.
type attempt struct {
	call   *transcript.ToolCall
	number int // in its thread
	before state
	after  state
}

// A trouble is an error and the attempts since.
type trouble struct {
	Recovery
	first  attempt
	made   int // calls of the thread when the error came back
	failed []attempt
}

// tried reports whether a call is an attempt at what failed, made when that was known.
func (t *trouble) tried(a attempt) bool { return a.number > t.made && sameAim(t.first.call, a.call) }

func (f *follower) event(ev transcript.Event) {
	before := f.state(ev.At().Thread)
	f.see(ev)
	switch ev := ev.(type) {
	case *transcript.ToolCall:
		if ev.Role != transcript.RoleBookkeeping {
			f.made[ev.Thread]++
		}
		f.calls[ev.ID] = attempt{ev, f.made[ev.Thread], before, f.state(ev.Thread)}
	case *transcript.ToolResult:
		if a, ok := f.calls[ev.CallID]; ok && a.call.Role != transcript.RoleBookkeeping {
			f.result(a, ev)
		}
	case *transcript.UserText:
		if ev.Prompt && ev.Thread == "" {
			f.endTurn(false)
		}
	case *transcript.Result:
		if ev.Worked {
			f.endTurn(!ev.OK())
		}
	}
}

// result closes what a call that worked recovers from, or adds a failure.
func (f *follower) result(a attempt, res *transcript.ToolResult) {
	open := f.open[a.call.Thread]
	if !res.IsError {
		f.open[a.call.Thread] = slices.DeleteFunc(open, func(t *trouble) bool {
			if !t.tried(a) {
				return false
			}
			t.End, t.Steps, t.RecoveredAt = Recovered, a.number-t.made, res.Pos
			return true
		})
		return
	}
	for _, t := range open {
		if t.tried(a) {
			t.fail(a)
			return
		}
	}
	t := &trouble{first: a, made: f.made[a.call.Thread], failed: []attempt{a}, Recovery: Recovery{
		Position: res.Pos, Thread: res.Thread, Tool: a.call.Name, Label: a.call.Args.Label(), Failure: res.Failure,
	}}
	f.open[a.call.Thread] = append(open, t)
	f.all = append(f.all, t)
}

// fail adds a further attempt that failed.
func (t *trouble) fail(a attempt) {
	t.Failed++
	if slices.ContainsFunc(t.failed, func(b attempt) bool { return sameCall(a.call, b.call) && a.before == b.after }) {
		t.Again++
	}
	t.failed = append(t.failed, a)
}

// endTurn closes what is open.
func (f *follower) endTurn(cut bool) {
	for thread, open := range f.open {
		for _, t := range open {
			switch {
			case cut:
				t.End = CutOff
			case t.Again > 0:
				t.End = RepeatedEnd
			default:
				t.End = GaveUp
			}
		}
		delete(f.open, thread)
	}
}

func sameCall(a, b *transcript.ToolCall) bool {
	if noText(a) || noText(b) {
		return a.Name == b.Name && a.Args == b.Args && a.InputChars == b.InputChars
	}
	return a.Name == b.Name && canonicalInput(a.Input) == canonicalInput(b.Input)
}

// sameAim reports whether b is an attempt at what a failed at.
func sameAim(a, b *transcript.ToolCall) bool {
	if a.Args.Path != "" && a.Args.Path == b.Args.Path {
		return true
	}
	if a.Name != b.Name {
		return false
	}
	return a.Family != transcript.Shell || program(a.Args.Command) == program(b.Args.Command)
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
		case strings.Contains(w, "=") && !strings.HasPrefix(w, "="):
		default:
			return w
		}
	}
	return ""
}

// ErrorNotRecovered is the name of the defects of [Recoveries].
const ErrorNotRecovered = "error_not_recovered"

// Defects returns a defect for each error that was given up or merely repeated; none is an empty list.
func (r *Recoveries) Defects() []layers.Defect {
	list := []layers.Defect{}
	for _, x := range r.Errors {
		if x.End == GaveUp || x.End == RepeatedEnd {
			list = append(list, layers.Defect{Layer: layers.Harness, Name: ErrorNotRecovered, Position: x.Position,
				Detail: fmt.Sprintf("%s %s: %s after %s", x.Tool, x.Label, strings.ReplaceAll(string(x.End), "_", " "), textutil.Count(x.Failed, "further attempt"))})
		}
	}
	return list
}
