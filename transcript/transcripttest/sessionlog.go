package transcripttest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// SessionLog returns the log as the client keeps it under ~/.claude/projects: the lines of all segments in one file, chained by
// parentUuid, with usage and subagents in files of their own. Agents holds those by the subagent's id, which is the id of
// the delegating call with "agent" before it. Lines that are not JSON stay as they are.
func (l *Log) SessionLog() (main []byte, agents map[string][]byte) {
	agents = make(map[string][]byte)
	last := make(map[string]any) // agent id, or "" → uuid of its last line
	for _, segment := range l.segments {
		for line := range bytes.Lines(segment) {
			var v Args
			if json.Unmarshal(line, &v) != nil {
				main = append(main, line...)
				continue
			}
			agent := l.toSessionLine(v)
			if agent == nil {
				continue
			}
			v["parentUuid"] = last[*agent]
			if v["subtype"] == "compact_boundary" {
				v["parentUuid"], v["logicalParentUuid"] = nil, last[*agent]
			}
			last[*agent] = v["uuid"]
			text := append(mustJSON(v), '\n')
			if *agent == "" {
				main = append(main, text...)
			} else {
				agents[*agent] = append(agents[*agent], text...)
			}
		}
	}
	return main, agents
}

// toSessionLine rewrites a line in place and returns the subagent that it belongs to, empty for the main thread, or nil when session
// logs do not have such a line.
func (l *Log) toSessionLine(v Args) *string {
	switch v["type"] {
	case "assistant", "user":
	case "system":
		switch v["subtype"] {
		case "compact_boundary":
			camel(v, "compact_metadata", "compactMetadata")
		case "microcompact_boundary":
			camel(v, "microcompact_metadata", "microcompactMetadata")
		default:
			return nil
		}
	default:
		return nil
	}
	agent := ""
	if parent, ok := v["parent_tool_use_id"].(string); ok {
		agent = "agent" + parent
		v["agentId"] = agent
	}
	if id, ok := l.delegationResult(v); ok {
		v["toolUseResult"] = Args{"status": "completed", "agentId": "agent" + id}
	}
	delete(v, "parent_tool_use_id")
	delete(v, "session_id")
	v["isSidechain"], v["sessionId"], v["version"], v["cwd"] = agent != "", sessionID, "2.1.112", "/home/dev/proj"
	return &agent
}

// delegationResult returns the call that a line answers, if that call started a subagent.
func (l *Log) delegationResult(v Args) (id string, ok bool) {
	text := string(mustJSON(v))
	for _, segment := range l.segments {
		for line := range bytes.Lines(segment) {
			var sub struct {
				Parent string `json:"parent_tool_use_id"`
			}
			if json.Unmarshal(line, &sub) == nil && sub.Parent != "" && strings.Contains(text, `"tool_use_id":"`+sub.Parent+`"`) {
				return sub.Parent, true
			}
		}
	}
	return "", false
}

// camel moves a member to its name in session logs, and renames its own members likewise.
func camel(v Args, from, to string) {
	if m, ok := v[from].(map[string]any); ok {
		renamed := Args{}
		for k, x := range m {
			parts := strings.Split(k, "_")
			for i := 1; i < len(parts); i++ {
				parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
			}
			renamed[strings.Join(parts, "")] = x
		}
		v[to] = renamed
		delete(v, from)
	}
}

// WriteSessionLog writes the session log and its subagents below a temporary directory, as the client lays them out, and returns the
// name of the session log.
func (l *Log) WriteSessionLog(tb testing.TB) string {
	tb.Helper()
	main, agents := l.SessionLog()
	name := filepath.Join(tb.TempDir(), sessionID+".jsonl")
	files := map[string][]byte{name: main}
	for id, text := range agents {
		files[filepath.Join(strings.TrimSuffix(name, ".jsonl"), "subagents", "agent-"+id+".jsonl")] = text
	}
	for file, text := range files {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return name
}
