package rag

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	json "github.com/goccy/go-json" // results and inputs can be large, and it is several times as fast as encoding/json

	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/transcript"
)

// An evidence is what the tools of a session returned, and what the agent knows without them.
type evidence struct {
	files map[string]*shown // by cleaned path
	globs []string          // patterns of files that a shell may have shown
	texts []string          // results as they came
	plain [][]string        // their lines, without line numbers
	own   [][]string        // lines of what the agent wrote into files, and of the user's prompts
	// unseen says that a subagent ran of which the log has no results.
	unseen bool

	shells shell.Reader
}

// A shown is what was returned of one file.
type shown struct {
	lines   map[int]string // those with a number
	loose   bool           // something of it, without numbers
	named   bool           // a command names it, or a response whose parts cannot be told apart: it may have been shown
	written bool           // the agent wrote it
}

func (e *evidence) file(name string) *shown {
	name = clean(name)
	f := e.files[name]
	if f == nil {
		f = &shown{lines: make(map[int]string)}
		e.files[name] = f
	}
	return f
}

// add notes a numbered line.
func (f *shown) add(number, text string) {
	if n, err := strconv.Atoi(number); err == nil && n > 0 {
		f.lines[n] = text
	}
}

// same returns what was shown of a file under its name and under the shorter ones in which it ends: one tool says /home/dev/proj/lib/a.go, and
// another lib/a.go.
func (e *evidence) same(name string) (all []*shown) {
	for more := true; more; _, name, more = strings.Cut(name, "/") {
		if f := e.files[name]; f != nil {
			all = append(all, f)
		}
	}
	return all
}

// has reports whether all lines of a file were shown.
func (e *evidence) has(name string, from, to int) bool {
	all := e.same(name)
	for n := from; n <= to; n++ {
		if !slices.ContainsFunc(all, func(f *shown) bool { _, ok := f.lines[n]; return ok }) {
			return false
		}
	}
	return true
}

// shows reports whether anything was shown, written or named of a file that a cited path may name.
func (e *evidence) shows(cited string) bool {
	for name := range e.files {
		if sameFile(name, cited) {
			return true
		}
	}
	return false
}

// gather collects the evidence of all threads: what a subagent was shown, it may have passed on. What it reports is none: a model wrote it.
func gather(s *transcript.Session) *evidence {
	e := &evidence{files: make(map[string]*shown)}
	delegated, subagents := 0, 0
	for i := range s.Threads {
		calls := make(map[string]*transcript.ToolCall)
		results := 0
		for _, ev := range s.Threads[i].Events {
			if ev.At().Abandoned {
				continue
			}
			switch ev := ev.(type) {
			case *transcript.ToolCall:
				calls[ev.ID] = ev
			case *transcript.ToolResult:
				results++
				switch c := calls[ev.CallID]; {
				case c == nil || ev.IsError:
				case c.Role == transcript.RoleDelegate:
					delegated++
				default:
					e.result(c, ev)
				}
			case *transcript.UserText:
				if ev.Prompt && ev.Thread == "" {
					e.own = append(e.own, lines(ev.Text))
				}
			}
		}
		if i > 0 && results >= len(calls) { // one that only answered was seen too
			subagents++
		}
	}
	e.unseen = delegated > subagents
	return e
}

// result adds what a call returned.
func (e *evidence) result(c *transcript.ToolCall, r *transcript.ToolResult) {
	text := unwrap(r.Text)
	e.texts = append(e.texts, text)
	p := newPage(e, text)
	switch c.Family {
	case transcript.Read:
		if !onlyReminder(text) {
			p.sections(c.Args.Path, arrowed, nil)
		}
	case transcript.Retrieval:
		p.retrieval(c.Args.Path, r.Response)
	case transcript.Search:
		p.found(c.Args.Path)
	case transcript.Shell:
		p.shell(c.Args.Command)
	default:
		if c.Args.Path != "" {
			p.sections(c.Args.Path, arrowed, nil)
			e.file(c.Args.Path).written = true
			e.own = append(e.own, inputTexts(c.Input)...)
		}
	}
	e.plain = append(e.plain, p.plain)
}

func lines(text string) []string {
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// onlyReminder reports whether a read returned nothing but a note of the client: the file is empty, or shorter than where the read began.
func onlyReminder(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "<system-reminder>") && strings.HasSuffix(text, "</system-reminder>") && strings.Count(text, "<system-reminder>") == 1
}

// unwrap returns the text of a response that is a JSON object with a text, as some servers send it.
func unwrap(text string) string {
	if !strings.HasPrefix(text, `{"`) {
		return text
	}
	var wrapped struct{ Text *string }
	if err := json.Unmarshal([]byte(text), &wrapped); err != nil || wrapped.Text == nil {
		return text
	}
	return *wrapped.Text
}

// inputTexts returns the lines of every text in a call's input.
func inputTexts(input string) (texts [][]string) {
	var v any
	if err := json.Unmarshal([]byte(input), &v); err != nil {
		return nil
	}
	var collect func(any)
	collect = func(v any) {
		switch v := v.(type) {
		case string:
			texts = append(texts, lines(v))
		case []any:
			for _, x := range v {
				collect(x)
			}
		case map[string]any:
			for _, x := range v {
				collect(x)
			}
		}
	}
	collect(v)
	return texts
}

// join adds the parts of each file that several results show in turn.
func (e *evidence) join() {
	for name := range e.files {
		merged := make(map[int]string)
		for _, f := range slices.Backward(e.same(name)) { // its own lines come last, and win
			maps.Copy(merged, f.lines)
		}
		var part []string
		last := 0
		for _, n := range slices.Sorted(maps.Keys(merged)) {
			if n != last+1 && len(part) > 0 {
				e.plain, part = append(e.plain, part), nil
			}
			part, last = append(part, merged[n]), n
		}
		if len(part) > 0 {
			e.plain = append(e.plain, part)
		}
	}
}
