package sufficiency

import "github.com/agent-eval/feedback/transcript"

// agents finds what the subagents of a session did first.
type agents struct {
	threads []transcript.Thread
	index   map[string]int // thread by the id of the delegating call
	found   map[int]found  // by thread
}

// found is what a delegation comes down to.
type found struct {
	// call is the subagent's first action, through nested delegations. When the last subagent called no tool it is
	// the delegation to that one.
	call *transcript.ToolCall
	ok   bool // false when a subagent is not in the log
}

func newAgents(threads []transcript.Thread) agents {
	a := agents{threads: threads, index: make(map[string]int, len(threads)), found: make(map[int]found)}
	for i := range threads {
		if _, ok := a.index[threads[i].ID]; !ok && threads[i].ID != "" {
			a.index[threads[i].ID] = i
		}
	}
	return a
}

// first follows a delegation.
func (a *agents) first(c *transcript.ToolCall) found {
	var way []int // threads that lead to the same end
	var end found
	for {
		i, ok := a.index[c.ID]
		if !ok {
			break
		}
		if end, ok = a.found[i]; ok {
			break
		}
		a.found[i] = found{} // also ends a log that runs in a circle
		way = append(way, i)
		action := firstAction(&a.threads[i])
		if action == nil || action.Role != transcript.RoleDelegate {
			end = found{action, true}
			if action == nil {
				end.call = c
			}
			break
		}
		c = action
	}
	for _, i := range way {
		a.found[i] = end
	}
	return end
}

// firstAction returns the first call in a thread that carries a signal, or nil.
func firstAction(t *transcript.Thread) *transcript.ToolCall {
	for _, ev := range t.Events {
		if c, ok := ev.(*transcript.ToolCall); ok && c.Role != transcript.RoleBookkeeping {
			return c
		}
	}
	return nil
}

// last returns where the newest event of a subagent stands.
func (a *agents) last(id string) transcript.Origin {
	if i, ok := a.index[id]; ok && len(a.threads[i].Events) > 0 {
		return a.threads[i].Events[len(a.threads[i].Events)-1].At()
	}
	return transcript.Origin{}
}
