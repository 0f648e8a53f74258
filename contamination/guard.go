package contamination

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	// The decoder and encoder of all JSON in this module.
	json "github.com/goccy/go-json"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// A Guard denies attempts before they are made, as a pre-tool-use hook of the client. Its zero value guards codegraph's command line.
type Guard struct {
	// Tools says which tools run command lines, read and search. The CLI of the options, where it is empty, is theirs.
	Tools transcript.Tools
	Options
}

// ErrNoHookInput says that what a hook was given is not the description of a tool call.
var ErrNoHookInput = errors.New("not the input of a pre-tool-use hook")

// maxHookInput is more than any tool call takes.
const maxHookInput = 64 << 20

// hookInput is what the client writes to a pre-tool-use hook.
type hookInput struct {
	Event string `json:"hook_event_name"`
	CWD   string `json:"cwd"`
	Tool  string `json:"tool_name"`
	Input any    `json:"tool_input"` // an object; other tools name what they like in it as these do
}

// text returns a member of the input that is a text.
func (in hookInput) text(name string) string {
	object, _ := in.Input.(map[string]any)
	s, _ := object[name].(string)
	return s
}

// hookOutput is what the client reads from it.
type hookOutput struct {
	Specific struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	} `json:"hookSpecificOutput"`
}

// Hook is the pre-tool-use hook: it reads the description of one tool call from r, and writes the decision to deny it to w. For a call that is no
// attempt it writes nothing, which leaves the decision to the client. The error wraps [ErrNoHookInput] when r holds no such description. After any error a
// command should exit with status 2, by which the client takes the call for denied; any other status lets it pass.
func (g Guard) Hook(r io.Reader, w io.Writer) error {
	data, err := io.ReadAll(io.LimitReader(r, maxHookInput))
	if err != nil {
		return err
	}
	var in hookInput
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("%w: %w", ErrNoHookInput, err)
	}
	if in.Tool == "" {
		return fmt.Errorf("%w: it names no tool", ErrNoHookInput)
	}
	if family, _ := g.Tools.Family(in.Tool); family == transcript.Shell && in.text("command") == "" {
		return fmt.Errorf("%w: %s without a command", ErrNoHookInput, textutil.Printable(in.Tool, 60))
	}
	attempt, denied := g.decide(in)
	if !denied {
		return nil
	}
	var out hookOutput
	out.Specific.Event = "PreToolUse"
	out.Specific.Decision = "deny"
	out.Specific.Reason = g.reason(attempt)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

func (g Guard) decide(in hookInput) (Attempt, bool) {
	call := transcript.ToolCall{Name: in.Tool}
	call.Family, call.Role = g.Tools.Family(in.Tool)
	call.Args.Command, call.Args.Pattern, call.Args.Glob = in.text("command"), in.text("pattern"), in.text("glob")
	for _, name := range []string{in.text("file_path"), in.text("notebook_path"), in.text("path")} {
		if call.Args.Path == "" {
			call.Args.Path = name
		}
	}
	d := decider{dir: filepath.ToSlash(in.CWD)}
	return d.decide(&call, g.options())
}

// options returns the options with the commands filled in.
func (g Guard) options() Options {
	if len(g.CLI) == 0 {
		g.CLI = g.Tools.WithDefaults().CLI
	}
	return g.Options
}

// reason is what the model reads.
func (g Guard) reason(a Attempt) string {
	name := g.Tools.WithDefaults().Name
	if a.Door == DoorIndex {
		return fmt.Sprintf("The index of %s is not available here (%s). Continue without reading it.", name, textutil.Printable(a.Invocation, 120))
	}
	return fmt.Sprintf("The %s command line is not available here (%s). Continue without it.", name, textutil.Printable(a.Invocation, 120))
}
