package contamination

import (
	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/transcript"
)

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
	Command    string              `json:"command"`    // the whole command line as it stands in the log
	Invocation string              `json:"invocation"` // the word in it that runs the tool
	Verdict    Verdict             `json:"verdict"`
}

// A Verdict says what came of an attempt.
type Verdict string

// The verdicts.
const (
	Returned Verdict = "returned" // it returned output
	Blocked  Verdict = "blocked"  // it was denied, or failed
	Unknown  Verdict = "unknown"  // the log does not show its result
)

// Options control [Analyze]. The zero value is the documented default of every field.
type Options struct {
	// CLI are the names of the commands to look for. Empty means those of the session's Tools.
	CLI []string
}

// Analyze looks at every shell call of a session. One without any has a Block without attempts.
func Analyze(s *transcript.Session, opts Options) Block {
	tools := s.Tools.WithDefaults()
	names := opts.CLI
	if len(names) == 0 {
		names = tools.CLI
	}
	b := Block{Name: tools.Name, Calls: []Call{}}
	at := make(map[string]int) // call id → index into b.Calls
	var lines shell.Reader
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			switch ev := ev.(type) {
			case *transcript.ToolCall:
				if ev.Family != transcript.Shell {
					continue
				}
				if invocation, ok := lines.Runs(ev.Args.Command, names); ok {
					at[ev.ID] = len(b.Calls)
					b.Calls = append(b.Calls, Call{ev.Pos, ev.Thread, ev.Args.Command, invocation, Unknown})
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
