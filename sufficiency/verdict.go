package sufficiency

import (
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/transcript"
)

// A verdict is what came next, or why that is not known: either bucket or reason is set.
type verdict struct {
	bucket Bucket
	reason Reason
	next   string
	at     transcript.Position
	missed *fileSet // what was read, for ReadMissed
}

// verdict judges by the first action after a call.
func (j *judge) verdict(c *transcript.ToolCall) verdict {
	if c.Role != transcript.RoleDelegate {
		return j.action(c)
	}
	name := shortName(c.Name)
	f := j.agents.first(c)
	var v verdict
	switch {
	case !f.ok:
		return verdict{reason: UnseenAgent, next: name, at: c.Pos}
	case f.call.Role == transcript.RoleDelegate:
		v = j.agentEnd(f.call.ID, j.agents.last(f.call.ID))
		v.at = f.call.Pos
	default:
		v = j.action(f.call)
	}
	v.next = strings.TrimSuffix(name+" → "+v.next, " → ")
	return v
}

// action judges by a call that is no delegation.
func (j *judge) action(c *transcript.ToolCall) verdict {
	v := verdict{bucket: Sufficient, next: shortName(c.Name), at: c.Pos}
	switch c.Family {
	case transcript.Retrieval:
		v.bucket = ExploreAgain
	case transcript.Search:
		v.bucket = Search
	case transcript.Read:
		return j.read(v, []string{c.Args.Path})
	case transcript.Shell:
		return j.command(v, c.Args.Command)
	default:
		v.withFile(c.Args.Path)
	}
	return v
}

// command judges by a shell command.
func (j *judge) command(v verdict, line string) verdict {
	if cli, ok := j.shell.Runs(line, j.cli); ok {
		v.bucket = ExploreAgain
		v.next += " " + cli
		return v
	}
	switch act := j.shell.Classify(line); act.Kind {
	case shell.Read:
		return j.read(v, act.Files)
	case shell.Search:
		v.bucket = Search
	}
	return v
}

// read judges by a read of one or several files: the first that was returned decides, else the first.
func (j *judge) read(v verdict, files []string) verdict {
	files = slices.DeleteFunc(slices.Clone(files), func(f string) bool { return f == "" })
	if len(files) == 0 {
		v.bucket, v.reason = "", UnnamedFile
		return v
	}
	if i := slices.IndexFunc(files, j.returned.has); i >= 0 {
		v.bucket = ReadReturned
		v.withFile(files[i])
		return v
	}
	v.bucket, v.missed = ReadMissed, new(fileSet)
	for _, f := range files {
		v.missed.add(f)
	}
	v.withFile(files[0])
	return v
}

func (v *verdict) withFile(path string) {
	if path != "" {
		v.next += " " + baseName(path)
	}
}

// shortName returns a tool's name without the server that MCP puts in front of it.
func shortName(tool string) string {
	if strings.HasPrefix(tool, "mcp__") {
		if i := strings.LastIndex(tool, "__"); i+2 < len(tool) {
			return tool[i+2:]
		}
	}
	return tool
}
