package contamination

import "github.com/agent-eval/feedback/transcript"

// A Block is the contamination of a session, main thread and subagents together. It is plain data; Blocked, Returned and
// Unknown add up to Attempts. Lower is better, and 0 attempts is clean.
type Block struct {
	// Name is what the session's Tools call the retrieval tool.
	Name     string `json:"name"`
	Attempts int    `json:"attempts"`
	Blocked  int    `json:"blocked"`  // attempts whose result is an error
	Returned int    `json:"returned"` // attempts that returned output: they contaminate the run
	Unknown  int    `json:"unknown"`  // attempts whose result is not in the log
	// Calls are the attempts, thread by thread as in the session and in order within each. Never nil after Analyze.
	Calls []Call `json:"calls"`
}

// Contaminated reports whether an attempt returned output.
func (b Block) Contaminated() bool { return b.Returned > 0 }

// A Call is one attempt.
type Call struct {
	Position   transcript.Position `json:"position"`
	Thread     string              `json:"thread"`     // as in transcript.Thread.ID
	Command    string              `json:"command"`    // the whole command line as it stands in the log; else the path
	Invocation string              `json:"invocation"` // the word in it that runs the tool, or that leads into its index
	Verdict    Verdict             `json:"verdict"`
	Door       Door                `json:"door"`
}

// A Verdict says what came of an attempt.
type Verdict string

// The verdicts.
const (
	Returned Verdict = "returned" // it returned output
	Blocked  Verdict = "blocked"  // it was denied, or failed
	Unknown  Verdict = "unknown"  // the log does not show its result
)

// Options control [Analyze] and [Decide]. The zero value is the documented default of every field.
type Options struct {
	// CLI are the names of the commands to look for. Empty means those of the session's Tools.
	CLI []string
	// Index are the directories that hold the tool's index: names such as .codegraph, which count at any depth, or
	// absolute paths. What is read in them, by a shell or by a tool that reads or searches, is an attempt too. Empty means that nobody looks for it.
	Index []string
}

// Analyze looks at every call of a session. One without any attempt has a Block without attempts.
func Analyze(s *transcript.Session, opts Options) Block {
	tools := s.Tools.WithDefaults()
	if len(opts.CLI) == 0 {
		opts.CLI = tools.CLI
	}
	b := Block{Name: tools.Name, Calls: []Call{}}
	at := make(map[string]int) // call id → index into b.Calls
	var d decider
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			switch ev := ev.(type) {
			case *transcript.ToolCall:
				if a, ok := d.decide(ev, opts); ok {
					at[ev.ID] = len(b.Calls)
					b.Calls = append(b.Calls, Call{ev.Pos, ev.Thread, a.Command, a.Invocation, Unknown, a.Door})
				}
			case *transcript.ToolResult:
				if k, ok := at[ev.CallID]; ok {
					b.Calls[k].Verdict = Returned
					if ev.IsError {
						b.Calls[k].Verdict = Blocked
					}
				}
			}
		}
	}
	b.count()
	return b
}

func (b *Block) count() {
	b.Attempts = len(b.Calls)
	for _, c := range b.Calls {
		switch c.Verdict {
		case Returned:
			b.Returned++
		case Blocked:
			b.Blocked++
		default:
			b.Unknown++
		}
	}
}
