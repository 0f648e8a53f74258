package budget

import (
	"cmp"
	"slices"

	"github.com/agent-eval/feedback/transcript"
)

// A step is one call of the session, or the compaction that came in the place of one.
type step struct {
	unit    Unit
	pos     transcript.Position
	thread  string
	turn    int // -1: no turn of the main thread is known to be behind it
	amount  int // of a compaction, the context before it
	known   bool
	compact bool
}

// A walker puts the calls of all threads into one order: a subagent's stand where it was started. What nobody is known to have
// started, the client's own calls with it, comes last.
type walker struct {
	ok       bool                          // the session ended well
	threads  map[string]*transcript.Thread // not yet walked
	last     map[string]int                // thread → its last measured prompt so far
	steps    []step
	turns    []turn
	missing  []Missing
	requests int
}

func walk(s *transcript.Session) *walker {
	w := &walker{ok: s.OK(), threads: make(map[string]*transcript.Thread), last: make(map[string]int)}
	for i := range s.Threads {
		w.threads[s.Threads[i].ID] = &s.Threads[i]
	}
	w.thread(s.Main().ID, 0)
	for i := range s.Threads {
		w.thread(s.Threads[i].ID, -1)
	}
	for i := range s.Auxiliary {
		w.walk(&s.Auxiliary[i], -1)
	}
	return w
}

// thread walks a thread of the session, once.
func (w *walker) thread(id string, turn int) {
	if t := w.threads[id]; t != nil {
		delete(w.threads, id)
		w.walk(t, turn)
	}
}

// walk walks over a thread. The main thread counts its turns as it goes; all of a subagent belongs to the turn that started it.
func (w *walker) walk(t *transcript.Thread, turn int) {
	v := visit{walker: w, id: t.ID, turn: turn}
	for _, ev := range t.Events {
		v.event(ev)
	}
	v.endTurn()
	if w.ok && !v.resulted {
		v.letThrough()
	}
}

// A visit is the walk over one thread.
type visit struct {
	*walker
	id      string
	turn    int
	segment int
	window  turn
	open    []int // indices into missing of which nothing has shown yet that they were let through
	// resulted says that the thread has results, which tell turn by turn how it ended.
	resulted bool
}

func (v *visit) event(ev transcript.Event) {
	o := ev.At()
	if o.Segment != v.segment {
		v.endTurn()
		v.segment = o.Segment
	}
	switch ev := ev.(type) {
	case *transcript.Request:
		v.request(ev)
	case *transcript.ToolCall:
		v.window.call(o)
		if ev.ID != "" {
			v.thread(ev.ID, v.turn)
		}
	case *transcript.ToolResult:
		v.unseen(ev)
		v.step(step{unit: Characters, pos: o.Pos, amount: ev.Chars, known: true})
	case *transcript.Compaction:
		v.window.compacted(o)
		if ev.Trigger != "manual" && !o.Abandoned {
			v.step(step{unit: Tokens, pos: o.Pos, amount: ev.PreTokens, compact: true})
		}
	case *transcript.UserText:
		if ev.Prompt {
			v.endTurn()
		}
	case *transcript.Result:
		v.resulted = true
		if ev.OK() {
			v.letThrough()
		}
		if ev.Worked {
			v.endTurn()
		}
	}
}

func (v *visit) step(s step) {
	s.thread, s.turn = v.id, v.turn
	v.steps = append(v.steps, s)
}

func (v *visit) request(r *transcript.Request) {
	v.letThrough()
	v.requests++
	v.window.request(r)
	if !r.Measured() {
		v.open = append(v.open, len(v.missing))
		v.missing = append(v.missing, Missing{Position: r.Pos, Thread: v.id})
		v.step(step{unit: Tokens, pos: r.Pos})
		return
	}
	v.last[v.id] = r.Usage.Prompt()
	v.step(step{unit: Tokens, pos: r.Pos, amount: r.Usage.Prompt(), known: true})
}

// unseen adds the last request of a subagent where the log has it in the delegation's result alone, as a stream does.
func (v *visit) unseen(r *transcript.ToolResult) {
	if r.SubagentUsage == nil || r.SubagentUsage.Prompt() == 0 || r.SubagentUsage.Prompt() == v.last[r.CallID] {
		return
	}
	v.requests++
	v.steps = append(v.steps, step{unit: Tokens, pos: r.Pos, thread: r.CallID, turn: v.turn, amount: r.SubagentUsage.Prompt(), known: true})
}

// letThrough marks the requests without usage after which the run went on, or ended well.
func (v *visit) letThrough() {
	for _, i := range v.open {
		v.missing[i].LetThrough = true
	}
	v.open = v.open[:0]
}

func (v *visit) endTurn() {
	if !v.window.started {
		return
	}
	v.window.thread = v.id
	v.turns = append(v.turns, v.window)
	if v.id == "" && v.turn >= 0 {
		v.turn++
	}
	v.window = turn{}
}

// A turn is one window from a prompt to its answer. Abandoned events happened, and are in no window.
type turn struct {
	thread   string
	started  bool // a request was made
	calls    int
	prompts  []sized
	compacts []int // how many prompts stood before each compaction
}

// sized is one measured prompt.
type sized struct {
	pos    transcript.Position
	tokens int
}

func (t *turn) request(r *transcript.Request) {
	t.started = true
	if r.Measured() && !r.Abandoned {
		t.prompts = append(t.prompts, sized{r.Pos, r.Usage.Prompt()})
	}
}

func (t *turn) call(o transcript.Origin) {
	if !o.Abandoned {
		t.calls++
	}
}

func (t *turn) compacted(o transcript.Origin) {
	if !o.Abandoned {
		t.compacts = append(t.compacts, len(t.prompts))
	}
}

// runaway returns how the turn ran away over the threshold, or false.
func (t *turn) runaway(threshold int) (Turn, bool) {
	n := len(t.prompts)
	if n < 2 || t.calls < 2 || t.prompts[0].tokens > threshold || t.prompts[n-1].tokens <= threshold {
		return Turn{}, false
	}
	crossing := n - 1 // the last time, from which on it stayed above
	for crossing > 0 && t.prompts[crossing-1].tokens > threshold {
		crossing--
	}
	if last := len(t.compacts) - 1; last >= 0 && t.compacts[last] > crossing {
		return Turn{}, false
	}
	largest := slices.MaxFunc(t.prompts, func(a, b sized) int { return cmp.Compare(a.tokens, b.tokens) })
	return Turn{
		Position: t.prompts[crossing].pos, Thread: t.thread, Calls: t.calls,
		Start: t.prompts[0].tokens, Peak: largest.tokens, End: t.prompts[n-1].tokens,
	}, true
}
