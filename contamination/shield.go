package contamination

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-eval/feedback/internal/jsonout"
	"github.com/agent-eval/feedback/internal/shell"
)

// A Shield keeps an agent from the back doors, in two layers: a search path without the tool's command line, and a settings file whose pre-tool-use hook
// denies every attempt that [Decide] knows. It is no sandbox: what an agent's script does by its own means is not seen. [NewShield] makes
// one, and [Shield.Probe] shows that it works; a harness should not start without.
type Shield struct {
	// Path is the search path to give to the agent.
	Path string
	// Settings is the client's settings file, for its flag --settings.
	Settings string
	// Replaced are the directories of the given search path that hold the command line; others stand in their place.
	Replaced []string

	guard Guard
	hook  string // as the client runs it
	need  []string
}

// ShieldOptions say what to shield, and from what. Guard and Hook have to agree: the hook runs a [Guard.Hook] of the same guard.
type ShieldOptions struct {
	Guard Guard
	// Hook is the command that the client runs before each tool call, with its arguments: a program by its absolute path.
	Hook []string
	// Path is the search path that the agent would have. Elements that are empty or relative are left out: in
	// every directory that the agent goes to they would be another one.
	Path string
	// Need are commands that have to be found all the same, such as the agent and node. Those given by a path are only looked at.
	Need []string
}

// NewShield makes the files of a shield in dir, which has to exist and to be empty, and belongs to the shield from then on. The client needs
// them until the agent ends; removing dir is up to the caller.
func NewShield(dir string, opts ShieldOptions) (*Shield, error) {
	if len(opts.Hook) == 0 || !filepath.IsAbs(opts.Hook[0]) {
		return nil, fmt.Errorf("shield: the hook's program has to be an absolute path, not %q", opts.Hook)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &Shield{guard: opts.Guard, need: opts.Need, hook: commandLine(opts.Hook), Settings: filepath.Join(dir, "settings.json")}
	s.guard.Options = opts.Guard.options()
	settings, err := s.settings()
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(s.Settings, settings, 0o600); err != nil {
		return nil, err
	}
	var elems []string
	for i, elem := range filepath.SplitList(opts.Path) {
		if !filepath.IsAbs(elem) {
			continue
		}
		instead, err := s.replace(elem, filepath.Join(dir, "path", strconv.Itoa(i)))
		if err != nil {
			return nil, fmt.Errorf("shield: %w", err)
		}
		elems = append(elems, instead)
	}
	s.Path = strings.Join(elems, string(filepath.ListSeparator))
	return s, nil
}

// replace returns what stands in the place of a directory of the search path: itself, or one with links to all that is no
// command line of the tool.
func (s *Shield) replace(elem, instead string) (string, error) {
	entries, err := os.ReadDir(elem)
	if err != nil {
		return elem, s.unlisted(elem, err)
	}
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return s.hides(elem, e) }) {
		return elem, nil
	}
	if err := os.MkdirAll(instead, 0o700); err != nil {
		return "", err
	}
	for _, e := range entries {
		if s.hides(elem, e) {
			continue
		}
		if err := os.Symlink(filepath.Join(elem, e.Name()), filepath.Join(instead, e.Name())); err != nil {
			return "", err
		}
	}
	s.Replaced = append(s.Replaced, elem)
	return instead, nil
}

// unlisted is the error for a directory that cannot be listed: none when it holds no command line.
func (s *Shield) unlisted(elem string, err error) error {
	for _, name := range s.guard.CLI {
		if _, lookErr := os.Stat(filepath.Join(elem, name)); lookErr == nil {
			return err
		}
	}
	return nil
}

// hides reports whether an entry of a directory is a command line of the tool, or a link to one.
func (s *Shield) hides(dir string, e fs.DirEntry) bool {
	names := append([]string{e.Name()}, targets(filepath.Join(dir, e.Name()))...)
	return slices.ContainsFunc(s.guard.CLI, func(name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return shell.IsCommand(n, name) })
	})
}

// targets returns what a link leads to, link by link; nothing for a file.
func targets(file string) (names []string) {
	for range 40 { // as many as a system follows
		target, err := os.Readlink(file)
		if err != nil {
			return names
		}
		names = append(names, target)
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(file), target)
		}
		file = target
	}
	return names
}

// Env returns a copy of an environment, in the form of os.Environ, with the search path of the shield.
func (s *Shield) Env(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	return append(env, "PATH="+s.Path)
}

// settings returns the client's settings.
func (s *Shield) settings() ([]byte, error) {
	type hook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"` // seconds
	}
	type matcher struct {
		Matcher string `json:"matcher"`
		Hooks   []hook `json:"hooks"`
	}
	v := map[string]map[string][]matcher{"hooks": {"PreToolUse": {{"*", []hook{{"command", s.hook, 60}}}}}}
	var b bytes.Buffer
	err := jsonout.Write(&b, v)
	return b.Bytes(), err
}

// commandLine returns a command as a shell reads it.
func commandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}
