package harness

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

func exitText(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// said returns what a program said last, for a message.
func said(file string) string {
	text, err := os.ReadFile(file)
	if line := lastLine(string(text)); err == nil && line != "" {
		return ": " + textutil.Printable(line, 200)
	}
	return ""
}

func (a *attempt) read(turn int) (*transcript.Session, error) {
	return transcript.ReadFiles(transcript.Options{Tools: a.h.spec.Tools}, a.logs[turn-1]+partial)
}

// judge reads the log of a turn: whether it counts, and the session to resume.
func (a *attempt) judge(turn int) (session string, err error) {
	s, err := a.read(turn)
	if err != nil {
		return "", fmt.Errorf("turn %d: %w", turn, err)
	}
	seg := &s.Segments[0]
	if in := seg.Init(); in != nil {
		session = in.SessionID
		for _, m := range in.MCPServers {
			if _, own := a.job.Arm.MCP[m.Name]; own && m.Status == "failed" {
				return "", fmt.Errorf("%w %s did not come up: the client says that it failed", ErrServer, m.Name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(a.job.Arm.MCP)) {
			if !slices.ContainsFunc(in.MCPServers, func(m transcript.MCPServer) bool { return m.Name == name }) {
				return "", fmt.Errorf("%w %s did not come up: the client does not list it", ErrServer, name)
			}
		}
	}
	r := seg.Result()
	switch {
	case r == nil:
		return "", fmt.Errorf("turn %d: the agent ended without a result (%s)%s", turn, exitText(a.exit), said(a.logs[turn-1]+".stderr.txt"))
	case r.Subtype == "error_during_execution":
		return "", fmt.Errorf("turn %d: the agent was stopped: %s", turn, r.Subtype)
	case r.IsError && r.Subtype == "success":
		return "", fmt.Errorf("turn %d: the client reports an error: %s", turn, textutil.Printable(r.Text, 200))
	case r.SessionID != "":
		session = r.SessionID
	}
	last := turn == len(a.job.Task.Turns)
	switch {
	case !last && !r.OK():
		return "", &noteError{fmt.Sprintf("turn %d ended with %s: no later turn", turn, r.Subtype)}
	case !last && session == "":
		return "", fmt.Errorf("turn %d has no session id: turn %d cannot resume it", turn, turn+1)
	}
	return session, nil
}

// settle says what came of the run, and gives the logs their final names: all of them when the run counts, the first one last so that a run appears as
// a whole.
func (a *attempt) settle(err error) (Status, string) {
	note, odd := errors.AsType[*noteError](err)
	extension := lost
	if err == nil || odd {
		extension = ".jsonl"
	}
	var errs []error
	for _, name := range slices.Backward(a.logs) {
		errs = append(errs, os.Rename(name+partial, name+extension))
	}
	if extension == ".jsonl" {
		err = errors.Join(errs...)
	}
	switch {
	case err != nil:
		return Lost, textutil.Printable(err.Error(), 400)
	case odd:
		return Finished, note.Error()
	}
	return Finished, ""
}
