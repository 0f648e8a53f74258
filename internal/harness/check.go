package harness

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
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
	if strings.ContainsRune(s.Agent.Command[0], filepath.Separator) {
		list = append(list, &s.Agent.Command[0])
	}
	if s.Engine != nil {
		list = append(list, &s.Engine.Dir)
	}
	for i := range s.Repositories {
		list = append(list, &s.Repositories[i].Dir)
	}
	return list
}

// targets returns the directories that the agent works on, but for those that are fetched.
func (s *Spec) targets() (list []string) {
	for _, dir := range append([]string{s.Target}, dirs(s.Repositories)...) {
		if dir != "" {
			list = append(list, dir)
		}
	}
	return list
}

func dirs(repos []Repository) (list []string) {
	for _, r := range repos {
		list = append(list, r.Dir)
	}
	return list
}

// samePlace reports whether two paths lead to one directory that is there.
func samePlace(a, b string) bool {
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(first, second)
}

// within reports whether a directory that is there lies in another one, by whatever names they are called.
func within(dir, in string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	for err == nil && dir != filepath.Dir(dir) {
		if dir = filepath.Dir(dir); samePlace(dir, in) {
			return true
		}
	}
	return false
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
	taken := make(names)
	for i := range s.Tasks {
		t := &s.Tasks[i]
		at := fmt.Sprintf("tasks[%d]", i)
		orDefault(&t.Name, fmt.Sprintf("task%d", i+1))
		c.turns(at, *t)
		c.name(at+".name", t.Name, taken)
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
	taken := make(names)
	for i, r := range c.spec.Repositories {
		at := fmt.Sprintf("repositories[%d]", i)
		c.name(at+".name", r.Name, taken)
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

// own are the flags that the harness sets.
var own = []string{"-p", "--print", "--output-format", "--verbose", "--model", "--effort", "--max-budget-usd", "--permission-mode", "--strict-mcp-config",
	"--mcp-config", "--settings", "--resume", "-r", "--continue", "-c", "--session-id", "--fork-session", "--no-session-persistence", "--bare", "--worktree", "-w"}

func (c *checker) agent() {
	a := c.spec.Agent
	c.command("agent.command", a.Command)
	for i, f := range a.Command {
		if name, _, _ := strings.Cut(f, "="); i > 0 && strings.HasPrefix(f, "--") && slices.Contains(own, name) { // a short one may be a wrapper's
			c.wrong(fmt.Sprintf("agent.command[%d]", i), "%s is set by the harness", name)
		}
	}
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
	for _, name := range slices.Sorted(maps.Keys(a.Environment)) {
		c.variable("agent.environment", name, a.Environment[name])
		if name == "PATH" {
			c.wrong("agent.environment.PATH", "the search path is the shield's")
		}
	}
}

func (c *checker) rest() {
	s := c.spec
	for _, dir := range s.targets() {
		if samePlace(dir, s.Out) {
			c.wrong("out", "it is the target: each run would see the logs of those before it")
		} else if within(dir, s.Out) {
			c.wrong("out", "it holds the target %s: name a directory for the logs alone", dir)
		}
	}
	if s.Runs < 0 || s.Runs > maxRuns {
		c.wrong("runs", "%d is no number of runs: want at most %d", s.Runs, maxRuns)
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
