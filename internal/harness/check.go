package harness

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// complete expands a decoded spec, fills in its defaults, makes its paths absolute and checks it.
func (s *Spec) complete(dir string) error {
	if err := s.expand(); err != nil {
		return err
	}
	s.setDefaults()
	for _, p := range s.paths() {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(dir, *p)
		}
	}
	c := &checker{spec: s}
	c.tasks()
	c.arms()
	c.agent()
	c.rest()
	return errors.Join(c.errs...)
}

// paths returns the fields that are relative to the spec.
func (s *Spec) paths() []*string {
	list := []*string{&s.Target, &s.Out}
	if s.Engine != nil {
		list = append(list, &s.Engine.Dir)
	}
	for i := range s.Repositories {
		list = append(list, &s.Repositories[i].Dir)
	}
	return list
}

// expand turns a shorthand into arms.
func (s *Spec) expand() error {
	if s.Compare == "" {
		if s.Tool != nil {
			return field("tool", "it belongs to compare, and there is none")
		}
		return nil
	}
	if len(s.Arms) > 0 {
		return field("compare", "exclusive with arms")
	}
	if s.Tool == nil {
		return field("tool", "compare needs it: how is the tool set up and served?")
	}
	if s.Tool.Label != "" {
		return field("tool.label", "compare names the arms")
	}
	with := func(label, ref string) Arm {
		a := *s.Tool
		a.Label = label
		if ref != "" {
			a.Ref = ref
		}
		if a.Prewarm != nil {
			p := *a.Prewarm
			a.Prewarm = &p
		}
		return a
	}
	switch words := strings.Fields(s.Compare); {
	case len(words) == 1 && words[0] == "with-vs-without":
		s.Arms = []Arm{with("with", ""), {Label: "without", Environment: s.Tool.Environment}}
	case len(words) == 2 && words[0] == "new-vs-baseline":
		s.Arms = []Arm{with("new", "HEAD"), with("baseline", words[1])}
	default:
		return field("compare", "%q: want \"new-vs-baseline REF\" or \"with-vs-without\"", s.Compare)
	}
	return nil
}

func field(name, format string, args ...any) error {
	return &SpecError{Field: name, Err: fmt.Errorf(format, args...)}
}

// A checker collects what is wrong.
type checker struct {
	spec *Spec
	errs []error
}

func (c *checker) wrong(name, format string, args ...any) {
	c.errs = append(c.errs, field(name, format, args...))
}

func (c *checker) directory(name, dir string) {
	if info, err := os.Stat(dir); err != nil {
		c.errs = append(c.errs, &SpecError{Field: name, Err: err})
	} else if !info.IsDir() {
		c.wrong(name, "%s is no directory", dir)
	}
}

func (c *checker) tasks() {
	s := c.spec
	switch {
	case len(s.Repositories) > 0:
		if s.Target != "" || len(s.Tasks) > 0 {
			c.wrong("repositories", "exclusive with target and tasks")
		}
		c.repositories()
		return
	case s.Target == "":
		c.wrong("target", "which directory does the agent work on?")
	default:
		c.directory("target", s.Target)
	}
	if len(s.Tasks) == 0 {
		c.wrong("tasks", "nothing is asked")
	}
	seen := make(map[string]bool)
	for i := range s.Tasks {
		t := &s.Tasks[i]
		at := fmt.Sprintf("tasks[%d]", i)
		orDefault(&t.Name, fmt.Sprintf("task%d", i+1))
		c.turns(at, *t)
		c.fileName(at+".name", t.Name)
		if seen[t.Name] {
			c.wrong(at+".name", "%q is taken", t.Name)
		}
		seen[t.Name] = true
	}
}

func (c *checker) turns(at string, t Task) {
	if len(t.Turns) == 0 {
		c.wrong(at, "nothing is asked")
	}
	for k, turn := range t.Turns {
		if turn == "" {
			c.wrong(at, "turn %d is empty", k+1)
		}
	}
}

func (c *checker) repositories() {
	seen := make(map[string]bool)
	for i, r := range c.spec.Repositories {
		at := fmt.Sprintf("repositories[%d]", i)
		c.fileName(at+".name", r.Name)
		if seen[r.Name] {
			c.wrong(at+".name", "%q is taken", r.Name)
		}
		seen[r.Name] = true
		switch {
		case (r.URL == "") == (r.Dir == ""):
			c.wrong(at, "want either url and ref, or dir")
		case r.URL != "" && (r.Ref == "" || strings.HasPrefix(r.Ref, "-")):
			c.wrong(at+".ref", "which commit of it, so that every run has the same?")
		case strings.HasPrefix(r.URL, "-"):
			c.wrong(at+".url", "%q is no address", r.URL)
		case r.Dir != "":
			c.directory(at+".dir", r.Dir)
		}
		c.turns(at+".task", r.Task)
	}
}

// fileName refuses what cannot be a part of a file's name.
func (c *checker) fileName(at, name string) {
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\\x00") || len(name) > 100 {
		c.wrong(at, "%q cannot be the name of a file", name)
	}
}

// ambiguous are labels whose logs would be taken for those of other labels, or for later turns.
var ambiguous = regexp.MustCompile(`(-\d+|\.t\d+)$`)

func (c *checker) arms() {
	if len(c.spec.Arms) < 2 {
		c.wrong("arms", "want at least two, or compare")
	}
	seen := make(map[string]bool)
	for i := range c.spec.Arms {
		a := &c.spec.Arms[i]
		at := fmt.Sprintf("arms[%d]", i)
		c.fileName(at+".label", a.Label)
		if ambiguous.MatchString(a.Label) {
			c.wrong(at+".label", "%q ends like the number of a run", a.Label)
		}
		if seen[a.Label] {
			c.wrong(at+".label", "%q is taken", a.Label)
		}
		seen[a.Label] = true
		if a.Ref != "" && c.spec.Engine == nil {
			c.wrong(at+".ref", "of which repository? There is no engine")
		}
		if strings.HasPrefix(a.Ref, "-") {
			c.wrong(at+".ref", "%q is no ref", a.Ref)
		}
		c.commands(at+".setup", a.Setup)
		c.servers(at+".mcp", a.MCP)
		c.prewarm(at+".prewarm", a.Prewarm)
		c.engineOf(at, a)
	}
	c.sameEnvironment()
}

// commands refuses empty commands, and placeholders where a shell would take them apart.
func (c *checker) commands(at string, list []Command) {
	for i, cmd := range list {
		c.command(fmt.Sprintf("%s[%d]", at, i), cmd)
	}
}

func (c *checker) command(at string, cmd Command) {
	if len(cmd) == 0 || cmd[0] == "" {
		c.wrong(at, "an empty command")
		return
	}
	if len(cmd) == 3 && cmd[0] == "sh" && cmd[1] == "-c" && placeholder.MatchString(cmd[2]) {
		c.wrong(at, `in a line for sh, write "$AB_WORKSPACE" and "$AB_ENGINE"`)
	}
}

func (c *checker) servers(at string, mcp map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(mcp)) {
		server, ok := mcp[name].(map[string]any)
		if !ok {
			c.wrong(at+"."+name, "want an object")
			continue
		}
		command, isText := server["command"].(string)
		if _, url := server["url"]; !url && (!isText || command == "") {
			c.wrong(at+"."+name, "want a command or a url")
		}
	}
}

func (c *checker) prewarm(at string, p *Prewarm) {
	if p == nil {
		return
	}
	c.command(at+".command", p.Command)
	if (p.Socket == "") == (p.File == "") {
		c.wrong(at, "what shows that it is ready: socket or file?")
	}
}

// engineOf refuses {engine} where there is none.
func (c *checker) engineOf(at string, a *Arm) {
	if c.spec.Engine == nil && a.uses("{engine}") {
		c.wrong(at, "{engine} is used, and there is no engine")
	}
}

// decisive are the variables that decide on the model, its effort or its limits, or on what else the client loads: they have to be the same in all arms.
var decisive = regexp.MustCompile(`^(ANTHROPIC_.*|AWS_.*|HOME|XDG_.*|CLAUDE_CONFIG_DIR|CLAUDE_CODE_(SUBAGENT_MODEL|EFFORT_LEVEL|MAX_.*|USE_.*|AUTO_COMPACT.*|DISABLE_.*|SIMPLE)|` +
	`MAX_THINKING_TOKENS|MAX_MCP_OUTPUT_TOKENS|BASH_.*|API_.*|DISABLE_.*|ENABLE_TOOL_SEARCH|MCP_.*)$`)

func (c *checker) sameEnvironment() {
	for i, a := range c.spec.Arms {
		at := fmt.Sprintf("arms[%d].environment", i)
		for _, name := range slices.Sorted(maps.Keys(a.Environment)) {
			switch {
			case name == "" || strings.ContainsAny(name, "=\x00"):
				c.wrong(at, "%q is no name of a variable", name)
			case name == "PATH":
				c.wrong(at+".PATH", "the search path is the shield's; name programs by their paths")
			case decisive.MatchString(name) && c.differs(name):
				c.wrong(at+"."+name, "it decides on more than the tool, and has to be the same in every arm")
			}
		}
	}
}

// differs reports whether arms have different values of a variable, or not all have it.
func (c *checker) differs(name string) bool {
	first, ok := c.spec.Arms[0].Environment[name]
	return slices.ContainsFunc(c.spec.Arms, func(a Arm) bool {
		v, has := a.Environment[name]
		return has != ok || v != first
	})
}

// own are the flags that the harness sets.
var own = []string{"-p", "--print", "--output-format", "--verbose", "--model", "--effort", "--max-budget-usd", "--permission-mode", "--strict-mcp-config",
	"--mcp-config", "--settings", "--resume", "-r", "--continue", "-c", "--session-id", "--fork-session", "--no-session-persistence", "--bare", "--worktree", "-w"}

func (c *checker) agent() {
	a := c.spec.Agent
	c.command("agent.command", a.Command)
	if a.Budget < 0 {
		c.wrong("agent.budget", "%g is no sum", a.Budget)
	}
	for i, f := range a.Flags {
		name, _, _ := strings.Cut(f, "=")
		if slices.Contains(own, name) {
			c.wrong(fmt.Sprintf("agent.flags[%d]", i), "%s is set by the harness", name)
		}
		if f == "--" {
			c.wrong(fmt.Sprintf("agent.flags[%d]", i), "the harness ends the flags")
		}
	}
	for name := range a.Environment {
		if name == "PATH" {
			c.wrong("agent.environment.PATH", "the search path is the shield's")
		}
	}
}

func (c *checker) rest() {
	s := c.spec
	if s.Runs < 0 {
		c.wrong("runs", "%d is no number of runs", s.Runs)
	}
	for i, p := range s.LeaveOut {
		if _, err := path.Match(p, ""); err != nil || p == "" {
			c.wrong(fmt.Sprintf("leave_out[%d]", i), "%q is no pattern", p)
		}
	}
	if err := s.Tools.Validate(); err != nil {
		c.errs = append(c.errs, &SpecError{Field: "tools", Err: err})
	}
	if s.Engine == nil {
		return
	}
	if s.Engine.Dir == "" {
		c.wrong("engine.dir", "where is it?")
	} else {
		c.directory("engine.dir", s.Engine.Dir)
	}
	c.commands("engine.build", s.Engine.Build)
}
