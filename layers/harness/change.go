package harness

import (
	"strings"

	"github.com/gobwas/glob"

	"github.com/agent-eval/feedback/internal/globs"
	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/transcript"
)

// CallOptions say what tools do, for [Repeated] and [Recover]. The zero value is the documented default of every field. Names are matched
// by globs, as in [transcript.Tools].
type CallOptions struct {
	// ReadOnly are tools that change nothing, beside the families read, search and retrieval and bookkeeping. Default: WebFetch, WebSearch.
	ReadOnly []string
	// Polling are tools that are called again until something is done; no call of theirs is a repetition. Default: BashOutput, TaskOutput.
	Polling []string
}

func (o CallOptions) withDefaults() CallOptions {
	if len(o.ReadOnly) == 0 {
		o.ReadOnly = []string{"WebFetch", "WebSearch"}
	}
	if len(o.Polling) == 0 {
		o.Polling = []string{"BashOutput", "TaskOutput"}
	}
	return o
}

// A watch counts what may have changed the world or a window since a call.
type watch struct {
	session           *transcript.Session
	readOnly, polling []*glob.Pattern
	shell             shell.Reader
	world             int            // changes of files and all else
	windows           map[string]int // thread → what it lost: compactions
}

func newWatch(s *transcript.Session, opts CallOptions) (*watch, error) {
	opts = opts.withDefaults()
	w := &watch{session: s, windows: make(map[string]int)}
	var err error
	if w.readOnly, err = compile(opts.ReadOnly); err != nil {
		return nil, err
	}
	if w.polling, err = compile(opts.Polling); err != nil {
		return nil, err
	}
	return w, nil
}

// A state is how things stand in a thread.
type state struct{ world, window int }

func (w *watch) state(thread string) state { return state{w.world, w.windows[thread]} }

// see counts an event.
func (w *watch) see(ev transcript.Event) {
	switch ev := ev.(type) {
	case *transcript.ToolCall:
		if w.changes(ev) {
			w.world++
		}
	case *transcript.UserText:
		if ev.Prompt { // between two turns a person may have done anything
			w.world++
		}
	case *transcript.Compaction, *transcript.MicroCompaction: // a result may be gone: to ask for it again is right
		w.windows[ev.At().Thread]++
	}
}

// changes reports whether a call may change something. Of a command line it is known only that it does not when it is one pipeline that reads or
// searches.
func (w *watch) changes(c *transcript.ToolCall) bool {
	switch {
	case c.Family == transcript.Shell:
		command := strings.ReplaceAll(c.Args.Command, "2>&1", "")
		return strings.ContainsAny(command, ";&\n`") || strings.Contains(command, "$(") || w.shell.Classify(command).Kind == shell.Other
	case c.Role == transcript.RoleDelegate:
		return w.session.Thread(c.ID) == nil // what the subagent does counts by itself, if the log has it
	case c.Family != transcript.Other, c.Role == transcript.RoleBookkeeping:
		return false
	}
	return !globs.MatchAny(w.readOnly, c.Name) && !globs.MatchAny(w.polling, c.Name)
}
