package transcript

import (
	"fmt"
	"slices"

	"github.com/gobwas/glob"

	"github.com/agent-eval/feedback/internal/globs"
)

// A Family is what kind of tool a call uses. Occupancy is reported per family.
type Family string

// The families of tools. Every tool belongs to exactly one.
const (
	Retrieval Family = "retrieval" // the tool under test
	Read      Family = "read"      // reads one file
	Search    Family = "search"    // looks for files or lines
	Shell     Family = "shell"     // runs a command line
	Other     Family = "other"     // everything else
)

// Families returns the families in the order in which they are reported.
func Families() []Family { return []Family{Retrieval, Read, Search, Shell, Other} }

// A Role is what a tool call means to the metrics beyond its family. Most calls have none.
type Role string

// The roles of tool calls.
const (
	RoleJudged      Role = "judged"      // a retrieval call whose sufficiency is judged
	RoleDelegate    Role = "delegate"    // starts a subagent
	RoleBookkeeping Role = "bookkeeping" // says nothing about what the agent needed
)

// Tools says which tool is which. Tool names are matched by globs of github.com/gobwas/glob: * stands for any
// text, ? for one character, {a,b} for either, [a-z] and [!a-z] for one of a set. The first of Retrieval, Read, Search and Shell
// that matches decides the family.
//
// The zero value of every field means its default, and so the zero Tools means codegraph in Claude
// Code. To measure another retrieval server, set Name and Retrieval:
//
//	transcript.Tools{Name: "sourcegraph", Retrieval: []string{"mcp__sourcegraph__*"}}
type Tools struct {
	// Name is what reports call the retrieval tool. Default: codegraph.
	Name string `json:"name,omitempty"`
	// Retrieval are the tools under test. Default: mcp__codegraph__* and mcp__plugin_*_codegraph__*.
	Retrieval []string `json:"retrieval,omitempty"`
	// Judged are the retrieval tools whose responses sufficiency and allocation judge. Default: those
	// of Retrieval that end in explore; all of Retrieval when that is set.
	Judged []string `json:"judged,omitempty"`
	// Read are the tools that read one file. Default: Read, NotebookRead.
	Read []string `json:"read,omitempty"`
	// Search are the tools that look for files or lines. Default: Grep, Glob, LS.
	Search []string `json:"search,omitempty"`
	// Shell are the tools that run a command line. Default: Bash.
	Shell []string `json:"shell,omitempty"`
	// Delegate are the tools that start a subagent. Default: Agent, Task.
	Delegate []string `json:"delegate,omitempty"`
	// Bookkeeping are the tools that carry no signal. Default: ToolSearch, TodoWrite, and TaskCreate,
	// TaskUpdate, TaskList and TaskGet, which replaced the latter.
	Bookkeeping []string `json:"bookkeeping,omitempty"`
	// CLI are the names of the commands by which the retrieval tool can be reached through a shell;
	// names, not globs. Default: Name.
	CLI []string `json:"cli,omitempty"`
}

// WithDefaults returns t with every zero field replaced by its default.
func (t Tools) WithDefaults() Tools {
	if t.Name == "" {
		t.Name = "codegraph"
	}
	if len(t.Judged) == 0 {
		t.Judged = []string{"mcp__codegraph__*explore", "mcp__plugin_*_codegraph__*explore"}
		if len(t.Retrieval) > 0 {
			t.Judged = slices.Clone(t.Retrieval)
		}
	}
	if len(t.Retrieval) == 0 {
		t.Retrieval = []string{"mcp__codegraph__*", "mcp__plugin_*_codegraph__*"}
	}
	if len(t.Read) == 0 {
		t.Read = []string{"Read", "NotebookRead"}
	}
	if len(t.Search) == 0 {
		t.Search = []string{"Grep", "Glob", "LS"}
	}
	if len(t.Shell) == 0 {
		t.Shell = []string{"Bash"}
	}
	if len(t.Delegate) == 0 {
		t.Delegate = []string{"Agent", "Task"}
	}
	if len(t.Bookkeeping) == 0 {
		t.Bookkeeping = []string{"ToolSearch", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"}
	}
	if len(t.CLI) == 0 {
		t.CLI = []string{t.Name}
	}
	return t
}

// clone returns a copy that shares no list with t.
func (t Tools) clone() Tools {
	for _, list := range []*[]string{&t.Retrieval, &t.Judged, &t.Read, &t.Search, &t.Shell, &t.Delegate, &t.Bookkeeping, &t.CLI} {
		*list = slices.Clone(*list)
	}
	return t
}

// Validate returns an error that names the field and the pattern if a glob cannot be used. A pattern may have at
// most 256 bytes, five stars and two alternations, so that no pattern takes long to match.
func (t Tools) Validate() error {
	_, err := compileTools(t)
	return err
}

// Family returns the family and the role of the tool with the given name. A pattern that Validate would
// refuse matches nothing.
func (t Tools) Family(name string) (Family, Role) {
	m, _ := compileTools(t)
	return m.classify(name)
}

// toolMatcher is a compiled Tools.
type toolMatcher struct {
	retrieval, judged, read, search, shell, delegate, bookkeeping []*glob.Pattern
}

func compileTools(t Tools) (*toolMatcher, error) {
	t = t.WithDefaults()
	m := new(toolMatcher)
	var first error
	for _, f := range []struct {
		field    string
		patterns []string
		to       *[]*glob.Pattern
	}{
		{"retrieval", t.Retrieval, &m.retrieval},
		{"judged", t.Judged, &m.judged},
		{"read", t.Read, &m.read},
		{"search", t.Search, &m.search},
		{"shell", t.Shell, &m.shell},
		{"delegate", t.Delegate, &m.delegate},
		{"bookkeeping", t.Bookkeeping, &m.bookkeeping},
	} {
		for _, pattern := range f.patterns {
			p, err := globs.Compile(pattern)
			if err != nil {
				if first == nil {
					first = fmt.Errorf("tools: %s: pattern %q: %w", f.field, pattern, err)
				}
				continue
			}
			*f.to = append(*f.to, p)
		}
	}
	return m, first
}

func (m *toolMatcher) classify(name string) (Family, Role) {
	family, role := Other, Role("")
	switch {
	case globs.MatchAny(m.retrieval, name):
		family = Retrieval
		if globs.MatchAny(m.judged, name) {
			role = RoleJudged
		}
		return family, role
	case globs.MatchAny(m.read, name):
		family = Read
	case globs.MatchAny(m.search, name):
		family = Search
	case globs.MatchAny(m.shell, name):
		family = Shell
	}
	switch {
	case globs.MatchAny(m.delegate, name):
		role = RoleDelegate
	case globs.MatchAny(m.bookkeeping, name):
		role = RoleBookkeeping
	}
	return family, role
}
