package contamination

import (
	"path"

	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/transcript"
)

// A Door is a way round the one by which the tool is meant to be reached.
type Door string

// The back doors.
const (
	DoorCLI   Door = "cli"   // the tool's command line is run
	DoorIndex Door = "index" // the tool's index is read
)

// An Attempt is a call that tries a back door.
type Attempt struct {
	Door       Door
	Command    string // the whole command line, or the path
	Invocation string // the word in it that runs the tool, or that leads into its index
}

// Decide reports whether a call of a tool is an attempt, before it is made or after. It is what [Analyze] asks of every call in a log, and
// what a [Guard] asks of every call that an agent is about to make, so that both agree.
//
// It uses the call's Name, Family and Args. No CLI in the options means that of the zero [transcript.Tools].
//
// Running the tool is whatever runs it in a command line: by name or path, behind wrappers, through npx, sh -c, a substitution, … To look is
// not to run. A retrieval call is never an attempt.
func Decide(call *transcript.ToolCall, opts Options) (Attempt, bool) {
	if len(opts.CLI) == 0 {
		opts.CLI = transcript.Tools{}.WithDefaults().CLI
	}
	var d decider
	return d.decide(call, opts)
}

// A decider decides on call after call.
type decider struct {
	lines shell.Reader
	dir   string // where a shell starts, if that is known
}

func (d *decider) decide(c *transcript.ToolCall, opts Options) (Attempt, bool) {
	args := c.Args
	switch {
	case c.Family == transcript.Shell, c.Family == transcript.Other && args.Command != "" && c.Name != "SlashCommand":
		if word, ok := d.lines.Runs(args.Command, opts.CLI); ok {
			return Attempt{DoorCLI, args.Command, word}, true
		}
		if word, ok := d.lines.ReadsIn(args.Command, opts.Index, d.dir); ok {
			return Attempt{DoorIndex, args.Command, word}, true
		}
	case c.Family == transcript.Read, c.Family == transcript.Search && !namesOnly(c.Name):
		name := args.Path
		if name == "" && c.Family == transcript.Search {
			name = "."
		}
		if d.dir != "" && name != "" && !path.IsAbs(name) {
			name = path.Join(d.dir, name)
		}
		if shell.PathIn(name, opts.Index) {
			return Attempt{DoorIndex, name, name}, true
		}
		if c.Family == transcript.Search && globIn(args.Glob, opts.Index) {
			return Attempt{DoorIndex, args.Glob, args.Glob}, true
		}
	}
	return Attempt{}, false
}

// namesOnly reports whether a search shows no more than the names of files.
func namesOnly(tool string) bool { return tool == "Glob" || tool == "LS" }
