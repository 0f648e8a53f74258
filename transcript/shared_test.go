package transcript_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/transcript"
)

// shared is a folder of real logs beside the project. Tests that need it skip where it is absent.
const shared = "../../shared/transcripts"

// trueUsage is what the scripted model says it counted; see the folder's README.
type trueUsage struct {
	Kind         string
	MessageID    string `json:"message_id"`
	Status       int
	PromptTokens int `json:"prompt_tokens"`
	Usage        struct {
		Input         int `json:"input_tokens"`
		CacheCreation int `json:"cache_creation_input_tokens"`
		CacheRead     int `json:"cache_read_input_tokens"`
	}
}

func logs(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(shared, func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".jsonl") {
			names = append(names, name)
		}
		return err
	})
	if os.IsNotExist(err) {
		t.Skip("no real logs beside the project")
	} else if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestRealLogsAreReadWithoutAProblem(t *testing.T) {
	for _, name := range logs(t) {
		s, err := transcript.ReadFiles(transcript.Options{}, name)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for _, p := range s.Report.Problems {
			t.Errorf("%v", p)
		}
		if strings.Contains(name, "projects") || strings.Contains(name, "session-") {
			continue // session logs
		}
		for what := range s.Report.Unknown {
			t.Errorf("%s: unknown %s", name, what)
		}
	}
}

// Every request that the model served on the main thread is in the log, in order, with the prompt that it counted.
func TestPromptsOfRealLogsEqualTheTrueUsage(t *testing.T) {
	for _, name := range logs(t) {
		data, err := os.ReadFile(strings.TrimSuffix(name, ".jsonl") + ".usage.json")
		if err != nil {
			continue
		}
		var truth []trueUsage
		if err := json.Unmarshal(data, &truth); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		type request struct {
			ID     string
			Prompt int
		}
		var want, got []request
		sum := 0
		for _, u := range truth {
			if u.Kind == "main" {
				if n := u.Usage.Input + u.Usage.CacheCreation + u.Usage.CacheRead; n != u.PromptTokens {
					t.Fatalf("%s: the truth contradicts itself: %+v", name, u)
				}
				want = append(want, request{u.MessageID, u.PromptTokens})
				sum += u.PromptTokens
			}
		}
		s, err := transcript.ReadFiles(transcript.Options{}, name)
		if err != nil {
			t.Fatal(err)
		}
		processed := 0
		for _, r := range of[*transcript.Request](s.Main()) {
			got = append(got, request{r.ID, r.Usage.Prompt()})
			processed += r.Usage.Prompt()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: requests (-model +log):\n%s", name, diff)
		}
		if n := s.Summary().Turns; n != len(want) || processed != sum {
			t.Errorf("%s: %d turns and %d tokens, want %d and %d", name, n, processed, len(want), sum)
		}
	}
}

func TestSubagentsOfARealLogStayOutOfTheMainWindow(t *testing.T) {
	logs(t)
	s, err := transcript.ReadFiles(transcript.Options{}, shared+"/live/05b-two-subagents/stream.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Threads) != 3 {
		t.Fatalf("%d threads, want main and two subagents", len(s.Threads))
	}
	for _, c := range of[*transcript.ToolCall](s.Main()) {
		if c.Name != "Agent" && c.Args.Label() != "/home/dev/proj/log/slog/level.go" {
			t.Errorf("the main thread has a subagent's %s %s", c.Name, c.Args.Label())
		}
	}
}
