package arms

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

// A Fact is something that a log says of how its run was made.
type Fact string

// The facts that have to be the same in all runs, but for the treatment.
const (
	FactModel          Fact = "model"
	FactClientVersion  Fact = "client version"
	FactTools          Fact = "tools"       // those not under test
	FactServers        Fact = "MCP servers" // those not under test
	FactPermissionMode Fact = "permission mode"
	FactEffort         Fact = "effort"
	FactPrompt         Fact = "prompt"
	FactTurns          Fact = "turns"             // of the user, not of the model
	FactDirectory      Fact = "working directory" // its base name
	FactTool           Fact = "tool under test"   // its name
	// FactRetrieval is whether the tool under test was offered. It may differ between arms, not within one.
	FactRetrieval Fact = "retrieval tools"
)

// Facts returns all facts in the order in which they are reported.
func Facts() []Fact {
	return []Fact{FactModel, FactClientVersion, FactTools, FactServers, FactPermissionMode, FactEffort, FactPrompt, FactTurns,
		FactDirectory, FactTool, FactRetrieval}
}

// ofTask reports whether a fact belongs to the question asked: it is compared within pairs where runs are paired.
func (f Fact) ofTask() bool { return f == FactPrompt || f == FactTurns || f == FactDirectory }

// A Difference is a fact in which runs differ though they should not.
type Difference struct {
	Fact   Fact    `json:"fact"`
	Values []Value `json:"values"` // at least two, in the order of their first run's name
}

// A Value is what some of the runs have for a fact. Of lists of names it holds those that not all runs have.
type Value struct {
	Text string   `json:"text"`
	Runs []string `json:"runs"` // their names, in order
}

// A known is a fact's value in one run whose log says it.
type known struct {
	arm   int
	index int // of the run in its arm
	run   string
	task  string
	value string
}

// compareFacts fills in Differences and Unchecked, and warns of facts that only some logs say.
func (t *Table) compareFacts(treatment []Fact) {
	paired := t.paired()
	var silent silence
	for _, f := range Facts() {
		values := t.values(f)
		switch n := t.runs() - len(values); {
		case len(values) == 0 && n > 0:
			t.Unchecked = append(t.Unchecked, f)
		case n > 0:
			silent.add(f, t.without(values))
		}
		groups := [][]known{values}
		if paired && f.ofTask() {
			groups = groupBy(values, func(k known) string { return k.task })
		}
		if f == FactRetrieval || slices.Contains(treatment, f) { // only within an arm
			var within [][]known
			for _, g := range groups {
				within = append(within, groupBy(g, func(k known) string { return strconv.Itoa(k.arm) })...)
			}
			groups = within
		}
		for _, g := range groups {
			if d := difference(f, g); d != nil {
				t.Differences = append(t.Differences, *d)
			}
		}
	}
	t.Warnings = append(t.Warnings, silent.warnings()...)
}

// A silence is which facts the logs of some runs do not say, by those runs.
type silence struct {
	runs  []string
	facts map[string][]string
}

func (s *silence) add(f Fact, runs string) {
	if s.facts == nil {
		s.facts = make(map[string][]string)
	}
	if s.facts[runs] == nil {
		s.runs = append(s.runs, runs)
	}
	s.facts[runs] = append(s.facts[runs], string(f))
}

func (s *silence) warnings() (warnings []string) {
	for _, runs := range s.runs {
		warnings = append(warnings, "not in the logs of "+runs+", so nobody knows whether they differ there: "+strings.Join(s.facts[runs], ", "))
	}
	return warnings
}

// without lists the runs that none of the values is of.
func (t *Table) without(values []known) string {
	has := make(map[[2]int]bool)
	for _, v := range values {
		has[[2]int{v.arm, v.index}] = true
	}
	var names []string
	for i := range t.Arms {
		for j := range t.Arms[i].Runs {
			if !has[[2]int{i, j}] {
				names = append(names, t.Arms[i].name(j))
			}
		}
	}
	return list(names)
}

func (t *Table) runs() (n int) {
	for _, a := range t.Arms {
		n += len(a.Runs)
	}
	return n
}

// paired reports whether every run has a task.
func (t *Table) paired() bool {
	for _, a := range t.Arms {
		if slices.ContainsFunc(a.Runs, func(r Run) bool { return r.Task == "" }) {
			return false
		}
	}
	return t.runs() > 0
}

// values returns what the logs say of a fact, run by run. Lists lose the names that all runs have.
func (t *Table) values(f Fact) (values []known) {
	var lists [][]string
	for i, a := range t.Arms {
		for j := range a.Runs {
			text, list := a.Runs[j].fact(f)
			if list != nil {
				lists = append(lists, list)
			} else if text == "" {
				continue
			}
			values = append(values, known{i, j, a.name(j), a.Runs[j].Task, text})
		}
	}
	if len(lists) > 0 {
		for i, list := range withoutCommon(lists) {
			values[i].value = strings.Join(list, ", ")
		}
	}
	slices.SortStableFunc(values, func(a, b known) int { return textutil.Natural(a.run, b.run) })
	return values
}

// fact returns what the run's logs say of a fact: a text that is empty when they say nothing, or a list that is nil then.
func (r *Run) fact(f Fact) (text string, list []string) {
	s := &r.Setup
	switch f {
	case FactModel:
		return r.Model, nil
	case FactClientVersion:
		return r.ClientVersion, nil
	case FactTools:
		return "", r.otherTools()
	case FactServers:
		return "", r.otherServers()
	case FactPermissionMode:
		return s.PermissionMode, nil
	case FactEffort:
		return s.Effort, nil
	case FactPrompt:
		return strings.Join(s.Prompts, " ⏎ "), nil
	case FactTurns:
		return strconv.Itoa(s.Turns), nil
	case FactDirectory:
		if s.CWD == "" {
			return "", nil
		}
		return path.Base(strings.ReplaceAll(s.CWD, `\`, "/")), nil
	case FactTool:
		return r.Tool, nil
	case FactRetrieval:
		if s.Tools == nil && s.MCPServers == nil {
			return "", nil
		}
		if r.OffersRetrieval() {
			return "offered", nil
		}
		return "not offered", nil
	}
	return "", nil
}

// OffersRetrieval reports whether an init offers the tool under test, or lists its server, which may connect later.
func (r *Run) OffersRetrieval() bool {
	for _, m := range r.Setup.MCPServers {
		if m.Retrieval {
			return true
		}
	}
	return len(r.RetrievalTools) > 0
}

func (r *Run) otherTools() (names []string) {
	if r.Setup.Tools == nil {
		return nil
	}
	names = []string{}
	for _, name := range r.Setup.Tools {
		if !slices.Contains(r.RetrievalTools, name) {
			names = append(names, name)
		}
	}
	return names
}

func (r *Run) otherServers() (names []string) {
	if r.Setup.MCPServers == nil {
		return nil
	}
	names = []string{}
	for _, m := range r.Setup.MCPServers {
		if !m.Retrieval {
			names = append(names, m.Name)
		}
	}
	return names
}

// withoutCommon returns the lists, sorted, without the names that are in all of them.
func withoutCommon(lists [][]string) [][]string {
	in := make(map[string]int)
	rest := make([][]string, len(lists))
	for i, list := range lists {
		rest[i] = sortedNames(slices.Clone(list))
		for _, name := range rest[i] {
			in[name]++
		}
	}
	for i := range rest {
		rest[i] = slices.DeleteFunc(rest[i], func(name string) bool { return in[name] == len(lists) })
	}
	return rest
}

// groupBy divides values by key, in the order in which the keys come up.
func groupBy(values []known, key func(known) string) (groups [][]known) {
	at := make(map[string]int)
	for _, v := range values {
		i, ok := at[key(v)]
		if !ok {
			i = len(groups)
			at[key(v)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}

// difference returns how values differ, or nil when they do not.
func difference(f Fact, values []known) *Difference {
	d := Difference{Fact: f}
	for _, g := range groupBy(values, func(k known) string { return k.value }) {
		v := Value{Text: g[0].value}
		for _, k := range g {
			v.Runs = append(v.Runs, k.run)
		}
		d.Values = append(d.Values, v)
	}
	if len(d.Values) < 2 {
		return nil
	}
	return &d
}
