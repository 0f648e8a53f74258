package rag

import (
	"strings"

	json "github.com/goccy/go-json" // results and inputs can be large, and it is several times as fast as encoding/json

	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/transcript"
)

// An evidence is what the tools of a session returned, and what the agent knows without them.
type evidence struct {
	library
	results []string // as they came
	plain   corpus   // their lines, without line numbers; parts of them, and the parts of each file
	own     corpus   // lines of what the agent wrote into files, and of the user's prompts
	// unseen says that a subagent ran of which the log has no results.
	unseen bool

	shells shell.Reader
}

// gather collects the evidence of all threads: what a subagent was shown, it may have passed on. What it reports is none: a model wrote it.
func gather(s *transcript.Session) *evidence {
	e := &evidence{library: library{files: make(map[string]*shown)}}
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
					e.own.add(lines(ev.Text))
				}
			}
		}
		if i > 0 && results >= len(calls) { // one that only answered was seen too
			subagents++
		}
	}
	e.unseen = delegated > subagents
	e.close(&e.plain)
	return e
}

// result adds what a call returned.
func (e *evidence) result(c *transcript.ToolCall, r *transcript.ToolResult) {
	text := unwrap(r.Text)
	e.results = append(e.results, text)
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
			for _, written := range inputTexts(c.Input) {
				e.own.add(written)
			}
		}
	}
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
