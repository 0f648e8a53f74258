package layers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agent-eval/feedback/internal/globs"
	"github.com/agent-eval/feedback/internal/jsontext"
	"github.com/agent-eval/feedback/transcript"
)

// An Action is a kind of tool call, as probes look for it in a log.
type Action struct {
	Tool string `json:"tool,omitempty"` // glob of the tool's name, as in transcript.Tools; empty means any tool
	// Text stands somewhere in the call's input, read as text: a quote in it is a quote, however JSON writes it. Empty means any input.
	Text string `json:"text,omitempty"`
}

// ErrAction says that an action has neither tool nor text, and so would be every call.
var ErrAction = errors.New("an action without tool and text")

// Matcher returns a function that reports whether a call is of this kind. The whole input is looked at where the session was read with
// [transcript.Options].KeepText, else [transcript.Args.Label] alone. The error is [ErrAction], or about the glob.
func (a Action) Matcher() (func(*transcript.ToolCall) bool, error) {
	if a.Tool == "" && a.Text == "" {
		return nil, ErrAction
	}
	is := func(c *transcript.ToolCall) bool {
		return jsontext.Contains(c.Input, a.Text) || strings.Contains(c.Args.Label(), a.Text)
	}
	if a.Tool == "" {
		return is, nil
	}
	tool, err := globs.Compile(a.Tool)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", a.Tool, err)
	}
	return func(c *transcript.ToolCall) bool { return tool.Match(c.Name) && is(c) }, nil
}
