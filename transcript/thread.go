package transcript

import (
	"slices"
	"strings"
)

// A threadRef says where a thread is: in Session.Threads or in Session.Auxiliary.
type threadRef struct {
	index     int
	auxiliary bool
}

func (f *folder) list(ref threadRef) *[]Thread {
	if ref.auxiliary {
		return &f.session.Auxiliary
	}
	return &f.session.Threads
}

// emit appends an event to its thread, which it opens when it is the first.
func (f *folder) emit(ev Event) {
	id := ev.origin().Thread
	ref, ok := f.threads[id]
	if !ok {
		ref.auxiliary = f.isAuxiliary(id)
		list := f.list(ref)
		ref.index = len(*list)
		*list = append(*list, Thread{ID: id})
		f.threads[id] = ref
	}
	t := &(*f.list(ref))[ref.index]
	if len(t.Events) == cap(t.Events) {
		t.Events = slices.Grow(t.Events, max(8, len(t.Events))) // twice as many: append grows long slices by less, and leaves more behind
	}
	t.Events = append(t.Events, ev)
	if !f.quiet {
		f.emitted = append(f.emitted, ev)
	}
}

// agentPrefix starts the id of a thread whose delegating call is not known, before the id of the subagent.
const agentPrefix = "agent:"

// sidechainPrefix starts the id of a thread of which not even the subagent is known, before the uuid of its first line.
const sidechainPrefix = "sidechain:"

// isAuxiliary reports whether a thread that starts with the current line is the client's own: the summary for a compaction,
// or a subagent that is started before it is needed.
func (f *folder) isAuxiliary(id string) bool {
	return strings.HasPrefix(id, agentPrefix+"acompact-") || id != "" && f.warmUp
}

// threadOf returns the id of the line's thread.
func (f *folder) threadOf(l *line) string {
	v := &l.session
	switch {
	case !v.agent.Empty() && (v.sidechain || !l.innerLine.Empty()):
		agent := f.intern.join(agentPrefix, f.str(v.agent))
		if !l.innerLine.Empty() && !l.parentTool.Empty() {
			f.link(agent, f.callID(l.parentTool))
		}
		if id, ok := f.links[agent]; ok {
			return id
		}
		return agent
	case v.sidechain:
		return f.sidechain(l)
	case !v.id.Empty():
		return ""
	default:
		return f.callID(l.parentTool)
	}
}

// sidechain returns the thread of a line that belongs to a subagent which the log does not name: the thread of the line
// that it follows, else one of its own.
func (f *folder) sidechain(l *line) string {
	id := parseUUID(l.uuid.Raw)
	thread, ok := f.roots[parseUUID(l.session.parent.Raw)]
	if !ok || l.session.parent.Empty() {
		thread = sidechainPrefix + f.str(l.uuid)
	}
	if f.roots == nil {
		f.roots = make(map[uuid]string)
	}
	f.roots[id] = thread
	return thread
}

// link notes which call started a subagent, and renames the thread if it is there already.
func (f *folder) link(agent, callID string) {
	if _, ok := f.links[agent]; ok || callID == "" {
		return
	}
	f.links[agent] = callID
	ref, ok := f.threads[agent]
	if _, taken := f.threads[callID]; !ok || taken {
		return
	}
	delete(f.threads, agent)
	f.threads[callID] = ref
	t := &(*f.list(ref))[ref.index]
	t.ID = callID
	for _, ev := range t.Events {
		ev.origin().Thread = callID
	}
	if last, ok := f.last[agent]; ok {
		f.last[callID] = last
	}
}

// finish brings the session into the state that its documentation promises. It may be called again after more lines.
func (f *folder) finish() *Session {
	s := f.session
	f.sortThreads()
	ranges, branches := f.tree.abandoned()
	s.Report.Branches = branches
	main := s.Threads[0].Events
	for _, ev := range main {
		ev.origin().Abandoned = false
	}
	for _, r := range ranges {
		for _, ev := range main[r[0]:r[1]] {
			ev.origin().Abandoned = true
		}
	}
	s.Report.Unmeasured = unmeasured(s.Threads) + unmeasured(s.Auxiliary)
	return s
}

// unmeasured counts the requests whose size is not known.
func unmeasured(threads []Thread) (n int) {
	for i := range threads {
		for _, ev := range threads[i].Events {
			if r, ok := ev.(*Request); ok && !r.Measured() {
				n++
			}
		}
	}
	return n
}

// sortThreads puts the subagents into the order in which they were started, as far as their calls are known; the
// others keep theirs, after them.
func (f *folder) sortThreads() {
	list := f.session.Threads
	if len(list) < 3 {
		return
	}
	order := make(map[string]int) // thread id → rank
	var visit func(t *Thread)
	visit = func(t *Thread) {
		for _, ev := range t.Events {
			c, ok := ev.(*ToolCall)
			if !ok {
				continue
			}
			ref, ok := f.threads[c.ID]
			if _, done := order[c.ID]; !ok || done || ref.auxiliary || c.ID == "" {
				continue
			}
			order[c.ID] = len(order) + 1
			visit(&list[ref.index])
		}
	}
	visit(&list[0])
	rank := func(t Thread) int {
		if r, ok := order[t.ID]; ok {
			return r
		}
		return len(list) + 1
	}
	slices.SortStableFunc(list[1:], func(a, b Thread) int { return rank(a) - rank(b) })
	for i, t := range list {
		f.threads[t.ID] = threadRef{index: i}
	}
}
