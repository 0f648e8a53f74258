package transcript

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	json "github.com/goccy/go-json"
)

// readSubagents reads the logs of the subagents that a session log has in and below <session>/subagents, before the session log
// itself: what that repeats of them is then a copy.
func (f *folder) readSubagents(session string) error {
	dir := strings.TrimSuffix(session, ".jsonl")
	if dir == session {
		return nil
	}
	dir = filepath.Join(dir, "subagents")
	return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name == dir: // most sessions have none
			return nil
		case err != nil:
			return &FileError{name, err}
		case e.IsDir() || !strings.HasPrefix(e.Name(), "agent-") || filepath.Ext(name) != ".jsonl":
			return nil
		}
		f.linkByMeta(name)
		return f.readSubagent(name)
	})
}

// readNeighbours reads the logs of the subagents that the session refers to and that stand beside the session log, where
// older clients wrote them.
func (f *folder) readNeighbours(session string) error {
	var agents []string
	for agent, callID := range f.links {
		if _, ok := f.threads[callID]; !ok {
			agents = append(agents, strings.TrimPrefix(agent, agentPrefix))
		}
	}
	slices.Sort(agents)
	for _, agent := range agents {
		name := filepath.Join(filepath.Dir(session), "agent-"+filepath.Base(agent)+".jsonl")
		if _, err := os.Stat(name); err != nil {
			continue // not written, or published without it
		}
		if err := f.readSubagent(name); err != nil {
			return err
		}
	}
	return nil
}

// readSubagent reads one subagent's log into the current segment.
func (f *folder) readSubagent(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return &FileError{name, err}
	}
	defer file.Close()
	session, events := f.file, f.events
	f.file = name
	err = f.readLines(file, name, chunkOf(file))
	f.file, f.events = session, events
	return err
}

// linkByMeta takes from agent-ID.meta.json which call started the subagent. Old clients write none.
func (f *folder) linkByMeta(name string) {
	meta := strings.TrimSuffix(name, ".jsonl") + ".meta.json"
	data, err := os.ReadFile(meta)
	if err != nil {
		return
	}
	var v struct {
		ToolUseID string `json:"toolUseId"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		f.session.Report.problem(Position{File: meta}, err.Error())
		return
	}
	id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "agent-"), ".jsonl")
	f.link(agentPrefix+id, v.ToolUseID)
}
