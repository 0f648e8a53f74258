package contamination

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	json "github.com/goccy/go-json"

	"github.com/agent-eval/feedback/internal/lookpath"
	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// ErrProbe says that a shield does not do what it should.
var ErrProbe = errors.New("the shield does not hold")

// Probe shows that the shield works, by trying it: on its search path no command line of the tool is found, and all that is needed is; and its hook,
// run as the settings file says, denies real invocations (by name, by absolute path, through npx and sh -c), denies
// reading the index, and lets mentions and other calls pass. The error wraps [ErrProbe] and lists everything that failed.
func (s *Shield) Probe(ctx context.Context) error {
	errs := s.probePath()
	command, err := s.installed()
	if err != nil {
		errs = append(errs, err)
	} else {
		errs = append(errs, s.probeHook(ctx, command)...)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", ErrProbe, err)
	}
	return nil
}

func (s *Shield) probePath() (errs []error) {
	for _, elem := range filepath.SplitList(s.Path) {
		entries, err := os.ReadDir(elem)
		if err != nil {
			continue // not there, or not to be listed: NewShield looked
		}
		for _, e := range entries {
			if slices.ContainsFunc(s.guard.CLI, func(name string) bool { return shell.IsCommand(e.Name(), name) }) {
				errs = append(errs, fmt.Errorf("%s is still found: %s", e.Name(), filepath.Join(elem, e.Name())))
			}
		}
	}
	for _, name := range s.need {
		if _, err := lookpath.Find(name, s.Path); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// installed returns the hook's command as the settings file says it.
func (s *Shield) installed() (string, error) {
	data, err := os.ReadFile(s.Settings)
	if err != nil {
		return "", err
	}
	var v struct {
		Hooks map[string][]struct {
			Hooks []struct{ Command string } `json:"hooks"`
		} `json:"hooks"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return "", fmt.Errorf("%s: %w", s.Settings, err)
	}
	for _, m := range v.Hooks["PreToolUse"] {
		for _, h := range m.Hooks {
			return h.Command, nil
		}
	}
	return "", fmt.Errorf("%s: no pre-tool-use hook", s.Settings)
}

// A trial is a call that a hook has to deny, or to let pass.
type trial struct {
	tool  string
	input map[string]string
	deny  bool
}

// trials covers every form once. The full set of forms is Decide's to know.
func (s *Shield) trials() (trials []trial) {
	line := func(deny bool, format string, args ...any) {
		trials = append(trials, trial{"Bash", map[string]string{"command": fmt.Sprintf(format, args...)}, deny})
	}
	for _, name := range s.guard.CLI {
		line(true, "%s status", name)
		line(true, "/opt/probe/bin/%s explore x", name)
		line(true, "npx -y %s explore x", name)
		line(true, "sh -c 'cd /tmp && %s explore x'", name)
		line(false, "grep -rn %s README.md", name)
		line(false, "which %s", name)
	}
	for _, name := range s.guard.Index {
		file := filepath.ToSlash(filepath.Join(name, "probe"))
		line(true, "cat %s", file)
		line(false, "ls -d %s", name)
		if family, _ := s.guard.Tools.Family("Read"); family == transcript.Read {
			trials = append(trials, trial{"Read", map[string]string{"file_path": file}, true})
		}
	}
	line(false, "ls")
	return append(trials, trial{"Read", map[string]string{"file_path": "README.md"}, false})
}

func (s *Shield) probeHook(ctx context.Context, command string) (errs []error) {
	for _, t := range s.trials() {
		denied, err := s.try(ctx, command, t)
		text := textutil.Printable(t.input["command"]+t.input["file_path"], 120)
		switch {
		case err != nil:
			return append(errs, fmt.Errorf("hook: %w", err))
		case t.deny && !denied:
			errs = append(errs, fmt.Errorf("the hook lets %q pass", text))
		case denied && !t.deny:
			errs = append(errs, fmt.Errorf("the hook denies %q", text))
		}
	}
	return errs
}

// try runs the hook on a call as the client does.
func (s *Shield) try(ctx context.Context, command string, t trial) (denied bool, err error) {
	in, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "tool_name": t.tool, "tool_input": t.input})
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Env = s.Env(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errOut
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return false, fmt.Errorf("%w: %s", err, textutil.Printable(strings.TrimSpace(errOut.String()), 300))
	}
	if out.Len() == 0 {
		return false, nil
	}
	var v hookOutput
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		return false, fmt.Errorf("it writes no JSON: %w", err)
	}
	return v.Specific.Decision == "deny", nil
}
