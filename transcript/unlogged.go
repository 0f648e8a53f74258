package transcript

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
