package budget

import (
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

// A turn is one window from a prompt to its answer. Abandoned events happened, and are in no window. What came before a compaction is of no
// matter to whether the turn ran away in the end, so it is left out.
type turn struct {
	thread   string
	started  bool    // a request was made
	asking   bool    // the last request called a tool: the turn goes on
	calls    int     // since the last compaction
	prompts  []sized // since the last compaction
	measured bool    // some prompt of the turn was
	first    int     // prompts of the whole turn: the first, and the largest
	largest  int
}

// sized is one prompt.
type sized struct {
	pos    transcript.Position
	tokens int // 0 when it is not known
}

func (t *turn) request(r *transcript.Request) {
	t.started, t.asking = true, false
	if r.Abandoned {
		return
	}
	p := sized{pos: r.Pos}
	if r.Measured() {
		p.tokens = r.Usage.Prompt()
		if !t.measured {
			t.measured, t.first = true, p.tokens
		}
		t.largest = max(t.largest, p.tokens)
	}
	t.prompts = append(t.prompts, p)
}

func (t *turn) call(o transcript.Origin) {
	if !o.Abandoned {
		t.asking = true
		t.calls++
	}
}

// compacted notes a compaction. One that came when the answer had been given is none of the turn.
func (t *turn) compacted(o transcript.Origin) {
	if !o.Abandoned && t.asking {
		t.prompts, t.calls = nil, 0
	}
}

// runaway returns how the turn ran away over the threshold, or nil. Known is false where a missing usage hides whether it did.
func (t *turn) runaway(threshold int) (away *Turn, known bool) {
	if !t.measured {
		return nil, false
	}
	if t.calls < 2 {
		return nil, true
	}
	below, last := -1, -1 // the last prompts that are known, of those within the threshold and of all
	for i, p := range t.prompts {
		if p.tokens > 0 {
			last = i
		}
		if p.tokens > 0 && p.tokens <= threshold {
			below = i
		}
	}
	missing := func(p sized) bool { return p.tokens == 0 }
	switch {
	case last == below: // it ended within, unless a later prompt is missing
		return nil, last == len(t.prompts)-1
	case below < 0: // it began above, unless an earlier prompt is missing
		return nil, !slices.ContainsFunc(t.prompts[:last], missing)
	}
	rest := slices.DeleteFunc(slices.Clone(t.prompts[below+1:]), missing)
	return &Turn{
		Position: rest[0].pos, Thread: t.thread, Calls: t.calls,
		Start: t.first, Peak: t.largest, End: rest[len(rest)-1].tokens,
	}, true
}
