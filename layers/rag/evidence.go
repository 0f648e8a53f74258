package rag

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/transcript"
)

// Evidence is what the tools of a session returned of files.
type evidence struct {
	files []*shown
	texts [][]string // the lines of every result, without line numbers
}

// A shown is what was returned of one file.
type shown struct {
	path  string
	lines map[int]bool // the numbered ones
	loose bool         // lines without numbers too
}

// of returns the files that a cited path names: an equal one, or those that end in it, or in which it ends, at a slash.
func (e *evidence) of(path string) (files []*shown) {
	for _, f := range e.files {
		if f.path == path || strings.HasSuffix(f.path, "/"+path) || strings.HasSuffix(path, "/"+f.path) {
			files = append(files, f)
		}
	}
	return files
}

func (e *evidence) file(path string) *shown {
	path = clean(path)
	for _, f := range e.files {
		if f.path == path {
			return f
		}
	}
	f := &shown{path: path, lines: make(map[int]bool)}
	e.files = append(e.files, f)
	return f
}

// clean brings a path into the form in which paths are compared.
func clean(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	for strings.HasPrefix(path, "./") {
		path = path[2:]
	}
	return strings.TrimPrefix(path, "/")
}

var (
	numbered = regexp.MustCompile(`^\s*(\d+)(?:→|\t)(.*)$`)        // as the Read tool and retrieval responses show a line
	header   = regexp.MustCompile("^\\*\\*`([^`]+)`\\*\\*")        // of a file's section in a retrieval response
	found    = regexp.MustCompile(`^([^\s:][^:]*):(\d+)[:-](.*)$`) // as grep -n shows a line
	fence    = regexp.MustCompile("^\\s{0,3}(`{3,}|~{3,})")
)

// gather collects the evidence of all threads: what subagents were shown, they may have passed on.
func gather(s *transcript.Session) *evidence {
	e := &evidence{}
	var lines shell.Reader
	for i := range s.Threads {
		calls := make(map[string]*transcript.ToolCall)
		for _, ev := range s.Threads[i].Events {
			switch ev := ev.(type) {
			case *transcript.ToolCall:
				calls[ev.ID] = ev
			case *transcript.ToolResult:
				if c := calls[ev.CallID]; c != nil && !ev.IsError {
					e.add(c, ev.Text, &lines)
				}
			}
		}
	}
	return e
}

func (e *evidence) add(c *transcript.ToolCall, text string, shells *shell.Reader) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	plain := make([]string, len(lines))
	var file *shown
	switch c.Family {
	case transcript.Read:
		if c.Args.Path != "" {
			file = e.file(c.Args.Path)
		}
	case transcript.Shell:
		if act := shells.Classify(c.Args.Command); act.Kind == shell.Read {
			for _, name := range act.Files {
				f := e.file(name)
				f.loose = true
				if len(act.Files) == 1 {
					file = f
				}
			}
		}
	}
	open := ""
	for i, line := range lines {
		plain[i] = line
		if c.Family == transcript.Retrieval || c.Family == transcript.Shell { // a shell may print what the tool's command line says
			if open == "" {
				if m := header.FindStringSubmatch(line); m != nil {
					file = e.file(m[1])
					file.loose = true
					continue
				}
			}
			open = fenced(open, line)
		}
		if m := numbered.FindStringSubmatch(line); m != nil && file != nil {
			plain[i] = m[2]
			file.add(m[1])
		} else if m := found.FindStringSubmatch(line); m != nil && (c.Family == transcript.Search || c.Family == transcript.Shell) {
			plain[i] = m[3]
			e.file(m[1]).add(m[2])
		}
	}
	e.texts = append(e.texts, plain)
}

func (f *shown) add(number string) {
	if n, err := strconv.Atoi(number); err == nil {
		f.lines[n] = true
	}
}

// fenced returns the fence that is open after a line.
func fenced(open, line string) string {
	m := fence.FindStringSubmatch(line)
	switch {
	case m == nil:
		return open
	case open == "":
		return m[1]
	case m[1][0] == open[0] && len(m[1]) >= len(open):
		return ""
	}
	return open
}

// holdsAll reports whether each part of a quotation between ellipses stands in some result.
func (e *evidence) holdsAll(quote []string) bool {
	var part []string
	for _, l := range append(quote, "…") {
		if !ellipsis(l) {
			part = append(part, l)
			continue
		}
		if len(part) > 0 && !e.holds(part) {
			return false
		}
		part = nil
	}
	return true
}

// ellipsis reports whether a line stands for what was left out: three dots, alone or in a comment.
func ellipsis(line string) bool {
	dots := strings.Trim(line, " \t/#*-<!>")
	return dots == "..." || dots == "…"
}

// holds reports whether the lines stand one after the other in some result, white space at their ends and a common indent aside.
func (e *evidence) holds(quote []string) bool {
	quote = level(quote)
	first := strings.TrimSpace(quote[0])
	for _, text := range e.texts {
		for i := 0; i+len(quote) <= len(text); i++ {
			if strings.TrimSpace(text[i]) == first && slices.Equal(level(text[i:i+len(quote)]), quote) {
				return true
			}
		}
	}
	return false
}

// level returns lines without the indent that all of them share, and without white space at their ends.
func level(lines []string) []string {
	indent := -1
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if n := len(l) - len(strings.TrimLeft(l, " \t")); indent < 0 || n < indent {
			indent = n
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(l[min(len(l), max(indent, 0)):], " \t\r")
	}
	return out
}
