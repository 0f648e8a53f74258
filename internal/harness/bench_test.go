//go:build unix

package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-eval/feedback/internal/standin"
)

// A bench is a place to try specs: a target, a search path with the tool's command line, and a directory where the agent records its calls.
type bench struct {
	t                         *testing.T
	dir, target, bin, records string
	self                      string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b := &bench{t: t, dir: dir, target: filepath.Join(dir, "project"), bin: filepath.Join(dir, "bin"), records: filepath.Join(dir, "records"), self: self}
	b.file("project/main.go", "package main\n")
	b.file("project/.git/HEAD", "ref: refs/heads/main\n")
	b.file("project/node_modules/x/index.js", "x\n")
	b.file("project/.codegraph/stale.db", "stale\n")
	b.file("project/sub/dist/out.js", "x\n")
	b.file("bin/codegraph", "#!/bin/sh\necho indexed by the tool\n")
	if err := errors.Join(os.Chmod(filepath.Join(b.bin, "codegraph"), 0o700), os.Symlink(self, filepath.Join(b.bin, "agent")), os.Mkdir(b.records, 0o700)); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) file(name, content string) string {
	b.t.Helper()
	name = filepath.Join(b.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return name
}

// m is a JSON object.
type m = map[string]any

// spec returns a spec of two arms, one with the tool, changed by edits.
func (b *bench) spec(edits ...func(m)) m {
	s := m{
		"target": "project", "tasks": []any{"Where is main? [explore: main]"}, "runs": 1, "out": "out",
		"arms": []any{
			m{"label": "with", "setup": []any{[]string{"codegraph", "init"}, "echo index > $AB_WORKSPACE/indexed"}, "mcp": m{"codegraph": m{"command": "codegraph", "args": []string{"{workspace}"}}}},
			m{"label": "without"},
		},
		"agent":  m{"command": []string{"agent", "agent"}, "environment": m{"STANDIN_RECORD": b.records}},
		"limits": m{"turn": "30s", "setup": "10s"},
	}
	for _, e := range edits {
		e(s)
	}
	return s
}

func (b *bench) harness(spec m, edits ...func(*Options)) (*Harness, error) {
	b.t.Helper()
	data, err := json.Marshal(spec)
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := Load(b.file("ab.json", string(data)), "")
	if err != nil {
		return nil, err
	}
	opts := Options{Hook: []string{b.self, "hook"}, Env: []string{"PATH=" + b.bin + ":/usr/bin:/bin", "HOME=" + b.dir, "CLAUDECODE=1", standin.Quick}, Grace: 2 * time.Second, Temp: b.dir}
	for _, e := range edits {
		e(&opts)
	}
	return New(s, opts)
}

func (b *bench) run(spec m, edits ...func(*Options)) []Step {
	b.t.Helper()
	h, err := b.harness(spec, edits...)
	if err != nil {
		b.t.Fatal(err)
	}
	steps, err := h.Run(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	b.clean()
	return steps
}

// clean fails if a workspace was left behind.
func (b *bench) clean() {
	b.t.Helper()
	if left, _ := filepath.Glob(filepath.Join(b.dir, "ab-*")); len(left) > 0 {
		b.t.Errorf("left behind: %q", left)
	}
}

func (b *bench) calls() []standin.Record {
	b.t.Helper()
	records, err := standin.Records(b.records)
	if err != nil {
		b.t.Fatal(err)
	}
	return records
}

func (b *bench) out(pattern string) (names []string) {
	files, _ := filepath.Glob(filepath.Join(b.dir, "out", pattern))
	for _, f := range files {
		rel, _ := filepath.Rel(filepath.Join(b.dir, "out"), f)
		names = append(names, rel)
	}
	return names
}

func statuses(steps []Step) (list []string) {
	for _, s := range steps {
		list = append(list, fmt.Sprintf("%s %s", s.Name, s.Status))
	}
	return list
}

func arm(s m, i int) m { return s["arms"].([]any)[i].(m) }

func task(text string) func(m) { return func(s m) { s["tasks"] = []any{text} } }

func runs(n int) func(m) { return func(s m) { s["runs"] = n } }
