// Parsesession reads a session log that Claude Code keeps of its own, with the logs of its subagents, and prints what was called, what it
// took, and the four metrics.
//
// Usage:
//
//	parsesession [-project DIR | -session FILE] [-json]
//
// With -project it reads the newest session of the project in that directory, by default the current one. The client keeps
// sessions in ~/.claude/projects, or below CLAUDE_CONFIG_DIR, under the directory's absolute path with a dash for every
// character that is no letter or digit of ASCII. It exits with 1 when no session is found or the log cannot be read, and with 2
// when a flag is wrong.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/internal/jsonout"
	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

func main() { os.Exit(run(os.Args[1:], os.Getenv, os.Stdout, os.Stderr)) }

func run(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("parsesession", flag.ContinueOnError)
	fs.SetOutput(stderr)
	project := fs.String("project", ".", "`directory` of the project whose newest session is read")
	session := fs.String("session", "", "session log to read instead: a `file`")
	asJSON := fs.Bool("json", false, "print one JSON object")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if fs.NArg() > 0 {
		fmt.Fprintf(stderr, "parsesession: %s: name a log with -session\n", fs.Arg(0))
		return 2
	}
	err := report(*project, *session, *asJSON, getenv, stdout)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func report(project, session string, asJSON bool, getenv func(string) string, w io.Writer) error {
	read := func() (*transcript.Session, error) { return newestSession(project, getenv) }
	if session != "" {
		read = func() (*transcript.Session, error) { return transcript.ReadFiles(transcript.Options{}, session) }
	}
	s, err := read()
	if err != nil {
		return err
	}
	r := arms.Measure(s, arms.MeasureOptions{})
	if asJSON {
		return jsonout.Write(w, r)
	}
	return write(w, s, &r)
}

// newestSession reads the session of a project that was written last. One in which nobody said anything is passed over: clients leave such
// behind when they are closed at once.
func newestSession(project string, getenv func(string) string) (*transcript.Session, error) {
	dir, err := filepath.Abs(project)
	if err != nil {
		return nil, err
	}
	config := getenv("CLAUDE_CONFIG_DIR")
	if config == "" {
		config = filepath.Join(getenv("HOME"), ".claude")
	}
	folder := filepath.Join(config, "projects", slug(dir))
	names, err := sessionLogs(folder)
	if err != nil {
		return nil, &transcript.FileError{File: folder, Err: err}
	}
	for _, name := range names {
		s, err := transcript.ReadFiles(transcript.Options{}, name)
		if err != nil {
			return nil, err
		}
		if len(s.Main().Events) > 0 {
			return s, nil
		}
	}
	return nil, &transcript.FileError{File: folder, Err: errors.New("no session log with a message")}
}

// sessionLogs returns the session logs in a folder, the newest first. Empty ones are no logs.
func sessionLogs(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	written := make(map[string]time.Time)
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".jsonl" || strings.HasPrefix(e.Name(), "agent-") {
			continue
		}
		info, err := e.Info()
		if err != nil || info.Size() == 0 {
			continue
		}
		name := filepath.Join(folder, e.Name())
		names = append(names, name)
		written[name] = info.ModTime()
	}
	slices.SortStableFunc(names, func(a, b string) int { return written[b].Compare(written[a]) })
	return names, nil
}

// slug returns the name under which the client keeps the sessions of a directory.
func slug(dir string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, dir)
}

func write(w io.Writer, s *transcript.Session, r *arms.Run) error {
	var t strings.Builder
	fmt.Fprintf(&t, "=== %s ===\n", textutil.Printable(strings.Join(r.Segments, " + "), 400))
	if r.Contamination.Contaminated() {
		r.Contamination.WriteText(&t)
	}
	main := make(map[string]int)
	for name, n := range r.ToolCounts {
		if n -= r.SubagentToolCounts[name]; n > 0 {
			main[name] = n
		}
	}
	fmt.Fprintf(&t, "main thread: %s\n", counts(main))
	fmt.Fprintf(&t, "subagents (%d): %s\n", len(s.Threads)-1, counts(r.SubagentToolCounts))
	fmt.Fprintf(&t, "verdict: %s\n", verdict(s))
	tokens, final := s.Tokens()
	bound := ""
	if !final {
		bound = "at least "
	}
	fresh := tokens.Input + tokens.CacheCreation
	fmt.Fprintf(&t, "tokens: %s%s generated | %s fresh input | %s cached | %s%s billable (generated + fresh input)\n", bound, textutil.Thousands(tokens.Output),
		textutil.Thousands(fresh), textutil.Thousands(tokens.CacheRead), bound, textutil.Thousands(tokens.Output+fresh))
	r.WriteWeaknesses(&t)
	t.WriteByte('\n')
	r.Sufficiency.WriteText(&t)
	t.WriteByte('\n')
	r.Allocation.WriteText(&t)
	t.WriteByte('\n')
	r.Occupancy.WriteText(&t)
	if !r.Contamination.Contaminated() {
		r.Contamination.WriteText(&t)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// counts lists tools with their numbers, the most used first.
func counts(m map[string]int) string {
	if len(m) == 0 {
		return "no tool calls"
	}
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if d := m[b] - m[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", textutil.Printable(name, 80), m[name])
	}
	return strings.Join(names, ", ")
}

// verdict says in one line whether the retrieval tool was used, and what was used beside it.
func verdict(s *transcript.Session) string {
	judged, read, search := 0, 0, 0
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			c, ok := ev.(*transcript.ToolCall)
			switch {
			case !ok:
			case c.Role == transcript.RoleJudged:
				judged++
			case c.Family == transcript.Read:
				read++
			case c.Family == transcript.Search || c.Family == transcript.Shell:
				search++
			}
		}
	}
	explore := fmt.Sprintf("explore used %dx", judged)
	if judged == 0 {
		explore = "explore NOT used"
	}
	return fmt.Sprintf("%s | Read %d | Grep/Bash %d", explore, read, search)
}
