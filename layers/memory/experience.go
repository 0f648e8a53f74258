package memory

import (
	"errors"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/globs"
	"github.com/agent-eval/feedback/internal/jsontext"
	"github.com/agent-eval/feedback/layers/internal/walk"
	"github.com/agent-eval/feedback/transcript"
)

// ErrRecall says that a probe has no text that shows the workaround.
var ErrRecall = errors.New("no text shows the workaround")

// A course is what a session shows of a probe, by the index of its events.
type course struct {
	requests int
	noText   bool // read without KeepText
	returned sighting
	planA    sighting   // the first time that plan A was tried
	failed   sighting   // the first time that it failed
	worked   []sighting // workarounds that did not fail
}

// A sighting is an event; its zero value is none.
type sighting struct {
	index int // from 1
	pos   transcript.Position
}

func (s *sighting) note(index int, pos transcript.Position) {
	if s.index == 0 {
		*s = sighting{index, pos}
	}
}

// follow walks over a session. A call is seen where it was made, whenever its result came.
func (m *matcher) follow(s *transcript.Session) (v course) {
	made := make(map[string]sighting) // calls of plan A or of the workaround
	calls := make(map[string]kind)
	index := 0
	for ev := range walk.Events(s) {
		index++
		switch ev := ev.(type) {
		case *transcript.Request:
			v.requests++
		case *transcript.UserText:
			m.recalls(&v, index, ev.Pos, ev.Text)
		case *transcript.ToolCall:
			v.noText = v.noText || ev.Input == "" && ev.InputChars > 0
			k := m.kind(ev)
			calls[ev.ID], made[ev.ID] = k, sighting{index, ev.Pos}
			if k == planA {
				v.planA.note(index, ev.Pos)
			}
		case *transcript.ToolResult:
			if globs.MatchAny(m.memory, ev.Tool) && !ev.IsError {
				m.recalls(&v, index, ev.Pos, ev.Text)
			}
			switch k := calls[ev.CallID]; {
			case k == planA && ev.IsError:
				v.failed.note(index, ev.Pos)
			case k == workaround && !ev.IsError:
				v.worked = append(v.worked, made[ev.CallID])
			}
		}
	}
	return v
}

func (m *matcher) recalls(v *course, index int, pos transcript.Position, text string) {
	if jsontext.Contains(strings.ToLower(text), m.recall) {
		v.returned.note(index, pos)
	}
}

// learnt returns why the first session has nothing to remember, or "": plan A has to fail in it, and the workaround to work after that.
func (v *course) learnt() string {
	switch {
	case v.noText:
		return "the first session was read without KeepText"
	case v.failed.index == 0:
		return "in the first session plan A did not fail"
	case !slices.ContainsFunc(v.worked, func(s sighting) bool { return s.index > v.failed.index }):
		return "in the first session no workaround worked after plan A had failed"
	}
	return ""
}

// experience returns what the later session shows.
func (v *course) experience(probe string) Experience {
	e := Experience{Probe: probe}
	switch {
	case v.requests == 0:
		e.Unmeasured = "the later session made no request"
	case v.noText:
		e.Unmeasured = "the later session was read without KeepText"
	}
	if e.Unmeasured != "" {
		return e
	}
	used := sighting{}
	if len(v.worked) > 0 {
		used = slices.MinFunc(v.worked, func(a, b sighting) int { return a.index - b.index })
		e.Used, e.UsedAt = true, used.pos
	}
	before := func(s sighting) bool { return s.index > 0 && (used.index == 0 || s.index < used.index) }
	if before(v.returned) {
		e.Returned, e.ReturnedAt = true, v.returned.pos
	}
	if before(v.planA) {
		e.PlanAFirst, e.PlanAAt = true, v.planA.pos
	}
	return e
}
