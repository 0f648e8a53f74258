package harness

import (
	"maps"
	"time"

	"github.com/agent-eval/feedback/transcript"
)

// A Spec says what to run. Paths are relative to the directory of its file. The zero value of a field means its default.
type Spec struct {
	// Target is the directory that the agent works on. It is copied for every run, and never touched.
	Target string `json:"target"`
	// Tasks are what the agent is asked; each is a run of its own.
	Tasks []Task `json:"tasks"`
	// Repositories, in place of Target and Tasks, make a campaign.
	Repositories []Repository `json:"repositories"`
	// Arms are compared. Exclusive with Compare.
	Arms []Arm `json:"arms"`
	// Compare is a shorthand for Arms: "new-vs-baseline REF" or "with-vs-without".
	Compare string `json:"compare"`
	// Tool is what an arm of a shorthand has when it has the tool: an arm without a label.
	Tool *Arm `json:"tool"`
	// Engine is where the tool is built from.
	Engine *Engine `json:"engine"`
	// Runs is how many runs each arm makes of each task. Default: 3.
	Runs   int    `json:"runs"`
	Agent  Agent  `json:"agent"`
	Limits Limits `json:"limits"`
	// Out is the directory of the logs. Default: out.
	Out  string `json:"out"`
	Hide Hide   `json:"hide"`
	// LeaveOut are the files and directories of the target that are not copied: patterns of path.Match, for the name, or for the path
	// below the target where they have a slash. Default: [DefaultLeaveOut]. The index is always left out.
	LeaveOut []string `json:"leave_out"`
	// Tools says which tools are measured, for another tool than codegraph.
	Tools transcript.Tools `json:"tools"`
}

// A Task is one session: the turns that the user takes.
type Task struct {
	Name  string   // of the directory of the logs where there are several tasks; default: task1, task2, …
	Turns []string // each one question
}

// A Repository is one part of a campaign: a target and its task.
type Repository struct {
	Name string `json:"name"`
	// URL and Ref say what to fetch, once, by git; Dir is a directory that is there. One of them.
	URL string `json:"url"`
	Ref string `json:"ref"`
	Dir string `json:"dir"`
	// Task is its questions, separated by ||.
	Task Task `json:"task"`
}

// An Arm is one side of the comparison. In Setup, MCP, Environment and Prewarm, {workspace} stands for the run's copy of the target, and
// {engine} for the directory of the arm's build.
type Arm struct {
	// Label names the logs.
	Label string `json:"label"`
	// Ref is the git ref of the engine that the arm's tool is built from, in a worktree of its own. Empty means the engine's
	// directory as it is.
	Ref string `json:"ref"`
	// Setup are run in each workspace, before the agent: they index it.
	Setup []Command `json:"setup"`
	// MCP are the servers, as in the client's configuration (mcpServers). None means an empty configuration.
	MCP map[string]any `json:"mcp"`
	// Environment is added to that of everything that the arm runs.
	Environment map[string]string `json:"environment"`
	// Prewarm starts the arm's server before the agent.
	Prewarm *Prewarm `json:"prewarm"`
}

// A Prewarm is a command that runs beside the agent, with an open standard input, and what shows that it is ready: a socket that takes connections,
// or a file that is there.
type Prewarm struct {
	Command Command `json:"command"`
	Socket  string  `json:"socket"`
	File    string  `json:"file"`
	// Timeout is how long to wait. Default: one minute.
	Timeout Duration `json:"timeout"`
}

// An Engine is the git checkout that the tool is built from. The checkout itself is never touched.
type Engine struct {
	Dir string `json:"dir"`
	// Paths are those in which two refs have to differ to be worth comparing. Default: all.
	Paths []string `json:"paths"`
	// Build are run in each worktree, once.
	Build []Command `json:"build"`
}

// An Agent is what runs, the same for all arms. The defaults are a deliberate floor: what works on a weaker model works on stronger ones.
type Agent struct {
	// Command is the program and its first arguments. Default: claude.
	Command Command `json:"command"`
	// Model. Default: sonnet.
	Model string `json:"model"`
	// Effort. Default: high.
	Effort string `json:"effort"`
	// Budget is what one turn may cost, in US dollars. Default: 4.
	Budget float64 `json:"budget"`
	// PermissionMode. Default: bypassPermissions.
	PermissionMode string `json:"permission_mode"`
	// Flags are added to the command line.
	Flags []string `json:"flags"`
	// Environment is added to that of all arms. CODEGRAPH_NO_PROMPT_HOOK is 1 unless it says otherwise, which switches off the hook
	// that codegraph may have installed for the user: it would give every arm what only one should have.
	Environment map[string]string `json:"environment"`
}

// Limits bound the time. A run that exceeds one is lost.
type Limits struct {
	Turn  Duration `json:"turn"`  // one turn of the agent. Default: 30m
	Setup Duration `json:"setup"` // one command of Setup or Build. Default: 15m
	Total Duration `json:"total"` // everything, from the first run on. Default: 24h
}

// Hide says what has to be out of the agent's reach.
type Hide struct {
	CLI   []string `json:"cli"`   // names of commands. Default: those of Tools
	Index []string `json:"index"` // names of directories. Default: a dot and the name of the tool
}

// A Command is a program and its arguments. In a spec it is a list, or a text that is run by sh.
type Command []string

// A Duration is written as in Go: 90s, 1h30m.
type Duration time.Duration

// The defaults of a Spec.
const (
	DefaultRuns    = 3
	DefaultBudget  = 4
	DefaultTurn    = 30 * time.Minute
	DefaultSetup   = 15 * time.Minute
	DefaultTotal   = 24 * time.Hour
	DefaultPrewarm = time.Minute
)

// maxRuns is the most runs of one arm: more is a slip, and years of work.
const maxRuns = 10_000

// DefaultLeaveOut returns what is not copied by default: version control, dependencies and build output.
func DefaultLeaveOut() []string {
	return []string{".git", ".hg", ".svn", "node_modules", "bower_components", ".venv", "venv", "__pycache__", ".tox", ".gradle", ".next",
		"Pods", "DerivedData", ".build", "build", "dist", "target"}
}

// noPromptHook is the variable that switches off codegraph's prompt hook.
const noPromptHook = "CODEGRAPH_NO_PROMPT_HOOK"

// setDefaults replaces zero fields.
func (s *Spec) setDefaults() {
	tools := s.Tools.WithDefaults()
	orDefault(&s.Runs, DefaultRuns)
	orDefault(&s.Out, "out")
	orDefault(&s.Agent.Model, "sonnet")
	orDefault(&s.Agent.Effort, "high")
	orDefault(&s.Agent.Budget, DefaultBudget)
	orDefault(&s.Agent.PermissionMode, "bypassPermissions")
	orDefault(&s.Limits.Turn, Duration(DefaultTurn))
	orDefault(&s.Limits.Setup, Duration(DefaultSetup))
	orDefault(&s.Limits.Total, Duration(DefaultTotal))
	orDefaults(&s.Agent.Command, "claude")
	orDefaults(&s.Hide.CLI, tools.CLI...)
	orDefaults(&s.Hide.Index, "."+tools.Name)
	orDefaults(&s.LeaveOut, DefaultLeaveOut()...)
	if _, ok := s.Agent.Environment[noPromptHook]; !ok {
		s.Agent.Environment = maps.Clone(s.Agent.Environment)
		if s.Agent.Environment == nil {
			s.Agent.Environment = make(map[string]string)
		}
		s.Agent.Environment[noPromptHook] = "1"
	}
	for i := range s.Arms {
		if p := s.Arms[i].Prewarm; p != nil {
			orDefault(&p.Timeout, Duration(DefaultPrewarm))
		}
	}
}

func orDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

func orDefaults[S ~[]E, E any](v *S, values ...E) {
	if len(*v) == 0 {
		*v = values
	}
}
