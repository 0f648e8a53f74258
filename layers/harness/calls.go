package harness

import (
	"errors"
	"fmt"

	"github.com/gobwas/glob"

	"github.com/agent-eval/feedback/internal/globs"
	"github.com/agent-eval/feedback/layers/internal/walk"
	"github.com/agent-eval/feedback/transcript"
)

// ErrNoText says that a session was read without [transcript.Options].KeepText, so that the inputs of its calls are not known.
var ErrNoText = errors.New("the session was read without KeepText")

// A Call is a tool call that was made.
type Call struct {
	Position transcript.Position `json:"position"`
	Thread   string              `json:"thread,omitempty"` // as in transcript.Thread.ID
	Tool     string              `json:"tool"`
	Input    string              `json:"input"` // JSON, as it stands in the log
}

// Calls returns the tool calls of a session whose names match one of the globs; without a glob all but bookkeeping. Subagents' calls stand
// after the call that started them. The error is [ErrNoText], or about a glob.
func Calls(s *transcript.Session, tools ...string) ([]Call, error) {
	patterns, err := compile(tools)
	if err != nil {
		return nil, err
	}
	calls := []Call{}
	for ev := range walk.Events(s) {
		c, ok := ev.(*transcript.ToolCall)
		switch {
		case !ok:
		case len(tools) > 0 && !globs.MatchAny(patterns, c.Name), len(tools) == 0 && c.Role == transcript.RoleBookkeeping:
		case noText(c):
			return nil, ErrNoText
		default:
			calls = append(calls, Call{c.Pos, c.Thread, c.Name, c.Input})
		}
	}
	return calls, nil
}

func noText(c *transcript.ToolCall) bool { return c.Input == "" && c.InputChars > 0 }

func compile(patterns []string) (list []*glob.Pattern, err error) {
	for _, pattern := range patterns {
		p, err := globs.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		list = append(list, p)
	}
	return list, nil
}
