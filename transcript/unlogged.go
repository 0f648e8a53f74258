package transcript

import "strings"

// Unlogged returns the requests that no line of the logs shows and a delegation's result tells of: the last one of each subagent
// in a stream, and of one whose log is not there. Such a request has no id, and stands where the result does. It is in no
// thread's events.
func (s *Session) Unlogged() (list []*Request) {
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			r, ok := ev.(*ToolResult)
			if !ok || r.SubagentUsage == nil || r.SubagentUsage.Prompt() == 0 || s.Thread(r.CallID).has(*r.SubagentUsage) {
				continue
			}
			o := r.Origin
			o.Thread = r.CallID
			list = append(list, &Request{Origin: o, Model: s.Thread(r.CallID).model(), Usage: r.SubagentUsage, OutputFinal: true})
		}
	}
	return list
}

// partlyLogged counts the delegations whose requests are not all in the logs, nor in Unlogged.
func (s *Session) partlyLogged() int {
	n := 0
	told := make(map[string]bool) // delegations whose result gives the last usage
	refused := make(map[string]bool)
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			if r, ok := ev.(*ToolResult); ok && r.Role == RoleDelegate {
				told[r.CallID] = r.SubagentUsage != nil && r.SubagentUsage.Prompt() > 0
				refused[r.CallID] = r.IsError
			}
		}
		if id := s.Threads[i].ID; strings.HasPrefix(id, agentPrefix) || strings.HasPrefix(id, sidechainPrefix) {
			n-- // one of the calls below started it
		}
	}
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			c, ok := ev.(*ToolCall)
			if !ok || c.Role != RoleDelegate {
				continue
			}
			t := s.Thread(c.ID)
			switch {
			case t == nil && refused[c.ID]:
			case t == nil, s.Segments[c.Segment].Format == FormatStreamJSON && !told[c.ID] && !t.answered():
				n++
			}
		}
	}
	return max(n, 0)
}

// answered reports whether the last thing in the thread is a text of the model.
func (t *Thread) answered() bool {
	if len(t.Events) == 0 {
		return false
	}
	_, ok := t.Events[len(t.Events)-1].(*AssistantText)
	return ok
}

// model returns the model of the thread's last request, empty without one.
func (t *Thread) model() (name string) {
	if t == nil {
		return ""
	}
	for _, ev := range t.Events {
		if r, ok := ev.(*Request); ok && r.Model != "" {
			name = r.Model
		}
	}
	return name
}

// has reports whether a request of the thread had a prompt of this usage.
func (t *Thread) has(u Usage) bool {
	if t == nil {
		return false
	}
	u.Output = 0
	for _, ev := range t.Events {
		r, ok := ev.(*Request)
		if !ok || r.Usage == nil {
			continue
		}
		v := *r.Usage
		v.Output = 0
		if v == u {
			return true
		}
	}
	return false
}
