package sufficiency

import (
	"slices"

	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/transcript"
)

// Options control the judgement. There are none yet; the zero value will stay the documented default of those to come.
type Options struct{}

// Analyze judges every call that the session's Tools say is to be judged, in every thread, each within its own. It reads
// nothing but the session, changes nothing in it, and is safe for concurrent use.
func Analyze(s *transcript.Session, opts Options) Block {
	a := newAnalysis(s)
	for i := range s.Threads {
		a.thread(&s.Threads[i])
	}
	return a.block
}

// An analysis is what the judgement of one thread needs to know of all others, and the block that they fill.
type analysis struct {
	session *transcript.Session
	cli     []string
	results map[string]*transcript.ToolResult // results of judged calls and delegations by call id
	agents  agents
	shell   shell.Reader
	block   Block
}

func newAnalysis(s *transcript.Session) *analysis {
	a := &analysis{
		session: s,
		cli:     s.Tools.WithDefaults().CLI,
		results: make(map[string]*transcript.ToolResult),
		agents:  newAgents(s.Threads),
		block:   Block{Calls: []Call{}},
	}
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			r, ok := ev.(*transcript.ToolResult)
			if !ok || r.Role != transcript.RoleJudged && r.Role != transcript.RoleDelegate {
				continue
			}
			if a.results[r.CallID] == nil {
				a.results[r.CallID] = r
			}
		}
	}
	a.block.Calls = slices.Grow(a.block.Calls, len(a.results))
	return a
}

// A judge walks over one thread. At any time the calls that wait for a verdict belong to one assistant message: the first
// action of a later one settles them all.
type judge struct {
	*analysis
	id       string  // of the thread
	returned fileSet // files that responses showed so far
	open     []openCall

	message  string // id of the open calls' message
	received bool   // a tool returned since the newest of the open calls
	said     speech // what followed on the open calls
	request  *transcript.Request
	last     transcript.Origin // of the newest event
}

// An openCall is an answered call that waits for its verdict.
type openCall struct {
	index    int // in Block.Calls
	response *transcript.Response
}

// speech is what was last said since a call.
type speech int

const (
	nothing speech = iota
	words          // by the model
	notice         // by the client in its place, of an error or an interruption
)

func (a *analysis) thread(t *transcript.Thread) {
	j := judge{analysis: a, id: t.ID}
	for i, ev := range t.Events {
		o := ev.At()
		if i > 0 && o.Segment != j.last.Segment {
			j.settle(j.logEnd())
			j.request = nil
		}
		j.last = o
		j.event(ev)
	}
	j.settle(j.logEnd())
}

func (j *judge) event(ev transcript.Event) {
	switch ev := ev.(type) {
	case *transcript.Request:
		j.request = ev
	case *transcript.AssistantText:
		j.text(ev)
	case *transcript.ToolCall:
		j.call(ev)
	case *transcript.ToolResult:
		j.received = true
		if ev.Family == transcript.Retrieval && ev.Response != nil {
			for i := range ev.Response.Sections {
				j.returned.add(ev.Response.Sections[i].Path)
			}
		}
	case *transcript.UserText:
		if ev.Prompt {
			j.settle(j.promptEnd())
		}
	case *transcript.Result:
		if ev.Worked {
			j.settle(resultEnd(ev))
		}
	}
}

func (j *judge) text(t *transcript.AssistantText) {
	switch {
	case t.Synthetic:
		j.said = notice
	case !j.beside(t.Request):
		j.said = words
	}
}

// beside reports whether what belongs to the given message stands in the message of the open calls. Without message ids,
// it does until a tool returns.
func (j *judge) beside(message string) bool {
	if message == "" && j.message == "" {
		return !j.received
	}
	return message == j.message
}

func (j *judge) call(c *transcript.ToolCall) {
	if c.Role == transcript.RoleBookkeeping {
		return
	}
	if len(j.open) > 0 {
		if j.beside(c.Request) {
			j.block.Concurrent++
		} else {
			j.settle(j.verdict(c))
		}
	}
	if c.Role == transcript.RoleJudged {
		j.judged(c)
	}
}

// judged lists a call, and opens it if there is a response to judge.
func (j *judge) judged(c *transcript.ToolCall) {
	call := Call{Position: c.Pos, Thread: j.id, Query: c.Args.Label()}
	r := j.results[c.ID]
	switch {
	case r == nil:
		call.Reason = Unanswered
	case r.IsError:
		call.Reason = Failed
	default:
		call.Chars = r.Chars
		if r.Response != nil {
			call.Files = countFiles(r.Response)
		}
		j.open = append(j.open, openCall{len(j.block.Calls), r.Response})
		j.message, j.received, j.said = c.Request, false, nothing
	}
	j.block.add(call)
}

// countFiles returns how many different files a response shows.
func countFiles(r *transcript.Response) int {
	seen := make(map[string]struct{}, len(r.Sections))
	for i := range r.Sections {
		seen[r.Sections[i].Path] = struct{}{}
	}
	return len(seen)
}

// settle gives the verdict to all open calls.
func (j *judge) settle(v verdict) {
	for _, o := range j.open {
		c := &j.block.Calls[o.index]
		c.Bucket, c.Reason, c.Next, c.NextPosition = v.bucket, v.reason, v.next, v.at
		c.Named = v.missed != nil && o.response != nil && slices.ContainsFunc(o.response.Mentioned, v.missed.has)
		j.block.count(c)
	}
	j.open = j.open[:0]
}
