// Package readme holds the test of the README: every command in it runs, and its first program builds and runs.
package readme

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const root = "../.."

// blocks returns the README's code blocks in the given language.
func blocks(t *testing.T, language string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n```"+language+"\n")[1:] {
		block, _, ok := strings.Cut(part, "\n```")
		if !ok {
			t.Fatalf("a block of the README is not closed: %.60s", part)
		}
		list = append(list, block)
	}
	if len(list) == 0 {
		t.Fatalf("the README has no %s block", language)
	}
	return list
}

func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestCommandsOfTheREADMERun(t *testing.T) {
	ci, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks(t, "sh") {
		if strings.HasPrefix(block, "go test ") {
			if want := strings.Replace(block, "go test ", "go test -race ", 1); !strings.Contains(string(ci), want) {
				t.Errorf(".ci/run does not run %q", want)
			}
			continue // this test is part of it
		}
		if out := output(t, root, "bash", "-euc", block); !strings.Contains(out, "=== ") && !strings.HasPrefix(out, "report.html: 2 arms") {
			t.Errorf("%s\nprints no report:\n%s", block, out)
		}
	}
}

// The first program is built as a stranger would: in a module of its own that requires this one.
func TestFirstProgramOfTheREADMERuns(t *testing.T) {
	dir := t.TempDir()
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(data), "module github.com/agent-eval/feedback\n", "module example.com/first\n", 1)
		if file == "go.mod" {
			text += "\nrequire github.com/agent-eval/feedback v0.0.0\n\nreplace github.com/agent-eval/feedback => " + module + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := blocks(t, "go")[0]
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	out := output(t, dir, "go", "run", "-mod=mod", ".", filepath.Join(module, "examples", "parserun", "sample.jsonl"))
	if !strings.Contains(out, "answered calls were enough") {
		t.Errorf("the program prints:\n%s", out)
	}
}
