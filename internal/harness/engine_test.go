//go:build unix

package harness

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (b *bench) git(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", filepath.Join(b.dir, "engine"), "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// engine makes a repository with two commits: src and docs differ, lib does not.
func (b *bench) engine() {
	b.t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		b.t.Skip("git is not installed")
	}
	b.file("engine/src/tool", "old\n")
	b.file("engine/lib/x", "x\n")
	b.git("init", "--quiet")
	b.git("add", ".")
	b.git("commit", "--quiet", "-m", "old")
	b.git("tag", "v1")
	b.file("engine/src/tool", "new\n")
	b.git("commit", "--quiet", "-a", "-m", "new")
}

func (b *bench) newVsBaseline(edits ...func(m)) m {
	return b.spec(append([]func(m){func(s m) {
		delete(s, "arms")
		s["compare"] = "new-vs-baseline v1"
		s["tool"] = m{"setup": []any{[]string{"cp", "{engine}/built", "{workspace}/index"}}, "mcp": m{"codegraph": m{"command": "{engine}/server"}}}
		s["engine"] = m{"dir": "engine", "paths": []string{"src"}, "build": []any{`cp src/tool built; cp /bin/sh server; echo "$AB_ENGINE" > where`}}
	}}, edits...)...)
}

// Each arm is indexed by its own build, and the checkout stays as it is, with its uncommitted change.
func TestBuildsOfTwoRefs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine()
	b.file("engine/src/tool", "not committed\n")
	before := b.git("status", "--porcelain=v2", "--branch") + b.git("worktree", "list") + b.git("stash", "list")
	var warnings []string
	steps := b.run(b.newVsBaseline(task("[bash: cat index]")), func(o *Options) {
		o.Notify = func(p Progress) {
			if p.Warning != "" {
				warnings = append(warnings, p.Warning)
			}
		}
	})
	if diff := cmp.Diff([]string{"run-new-1 finished", "run-baseline-1 finished"}, statuses(steps)); diff != "" {
		t.Error(diff)
	}
	if after := b.git("status", "--porcelain=v2", "--branch") + b.git("worktree", "list") + b.git("stash", "list"); after != before {
		t.Errorf("the checkout was touched:\n%s\n%s", before, after)
	}
	for name, want := range map[string]string{"run-new-1.jsonl": `"new\n"`, "run-baseline-1.jsonl": `"old\n"`} {
		if log, err := os.ReadFile(filepath.Join(b.dir, "out", name)); err != nil || !strings.Contains(string(log), want) {
			t.Errorf("%s: no %s, %v", name, want, err)
		}
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "not committed") {
		t.Errorf("warnings %q", warnings)
	}
	b.run(b.newVsBaseline(task("[bash: cat index]")))
	if n := len(b.calls()); n != 2 {
		t.Errorf("%d calls, want no more than 2", n)
	}
}

func TestRefsThatDoNotDifferAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine()
	for name, edit := range map[string]func(m){
		"in the paths": func(s m) { s["engine"].(m)["paths"] = []string{"lib"} },
		"at all":       func(s m) { s["compare"] = "new-vs-baseline HEAD" },
		"by name only": func(s m) { b.git("tag", "same"); s["compare"] = "new-vs-baseline same" },
	} {
		h, err := b.harness(b.newVsBaseline(edit))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Run(t.Context()); !errors.Is(err, ErrSameBuild) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h, err := b.harness(b.newVsBaseline(func(s m) { s["compare"] = "new-vs-baseline absent" }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `arms[1].ref: "absent" is no commit`) {
		t.Error(err)
	}
}

// A build that fails stops everything before any run, and leaves no worktree.
func TestABuildThatFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine()
	h, err := b.harness(b.newVsBaseline(func(s m) { s["engine"].(m)["build"] = []any{"echo no compiler; exit 5"} }))
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "build of HEAD: sh -c echo no compiler; exit 5: exit status 5 (see ") || len(b.calls()) > 0 {
		t.Error(err)
	}
	if list := b.git("worktree", "list"); strings.Count(list, "\n") != 1 {
		t.Errorf("left behind:\n%s", list)
	}
	b.clean()
}

// A crash leaves a worktree, a workspace and a server behind; the next call removes them.
func TestWhatACrashLeftIsRemoved(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine()
	temp := filepath.Join(b.dir, "ab-crashed")
	left := filepath.Join(temp, "engine1", "engine")
	b.git("worktree", "add", "--detach", left, "v1")
	b.file("out/"+stateName, `{"schema": 1, "runs": {}, "worktrees": ["`+left+`"], "temp": "`+temp+`"}`)
	server := exec.Command("sleep", "600")
	server.Env = []string{runVariable + "=" + temp + "/0001/"}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	b.run(b.newVsBaseline()) // which looks for a directory that was left behind
	if list := b.git("worktree", "list"); strings.Count(list, "\n") != 1 {
		t.Errorf("left behind:\n%s", list)
	}
	if !exists("/proc/self/environ") {
		server.Process.Kill()
	}
	if err := <-ended; err == nil {
		t.Error("the server ended by itself")
	}
}

// An output directory that was copied while a harness was at work there leaves that one alone.
func TestACopiedOutputDirectoryEndsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	temp := filepath.Join(t.TempDir(), "ab-live")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(temp, ".lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := lock(f); err != nil {
		t.Fatal(err)
	}
	b.file("out/"+stateName, `{"schema": 1, "runs": {}, "temp": "`+temp+`"}`)
	server := exec.Command("sleep", "600")
	server.Env = []string{runVariable + "=" + temp + "/0001/"}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	b.run(b.spec())
	if err := server.Process.Signal(syscall.Signal(0)); err != nil || !exists(temp) {
		t.Errorf("ended: %v", err)
	}
	server.Process.Kill()
	if err := server.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("it had ended by %v", err)
	}
}

// A repository of a campaign is fetched once, at its ref, and again when the ref is another one.
func TestRepositoriesAreFetched(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine()
	spec := func(ref string) m {
		return b.spec(func(s m) {
			delete(s, "target")
			delete(s, "tasks")
			s["repositories"] = []any{m{"name": "tool", "url": "file://" + filepath.Join(b.dir, "engine"), "ref": ref, "task": "[bash: cat src/tool]"}}
		})
	}
	b.run(spec("v1"))
	log, err := os.ReadFile(filepath.Join(b.dir, "out", "tool", "run1", "run-with.jsonl"))
	if err != nil || !strings.Contains(string(log), `"old\n"`) {
		t.Errorf("%s, %v", log, err)
	}
	if c := b.calls()[0]; filepath.Base(c.Dir) != "tool" {
		t.Errorf("workspace %s", c.Dir)
	}
	head := strings.TrimSpace(b.git("rev-parse", "HEAD"))
	both := func(o *Options) { o.Arms = []string{"with", "without"} }
	b.run(spec(head), both)
	if log, err = os.ReadFile(filepath.Join(b.dir, "out", "tool", "run1", "run-with.jsonl")); err != nil || !strings.Contains(string(log), `"new\n"`) {
		t.Errorf("%s, %v", log, err)
	}
	steps := b.run(spec("absent"), both)
	if steps[0].Status != Lost || !strings.Contains(steps[0].Reason, "git fetch") {
		t.Errorf("%+v", steps[0].Run)
	}
}

func TestCopies(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.file("src/a.go", "a")
	b.file("src/deep/b.go", "b")
	b.file("src/deep/gen/c.go", "c")
	b.file("src/out/run-x-1.jsonl", "log")
	src, dst := filepath.Join(b.dir, "src"), filepath.Join(b.dir, "dst")
	for link, to := range map[string]string{"in": filepath.Join(src, "a.go"), "rel": "deep/b.go", "outside": "/etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(src, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(src, "a.go"), 0o555); err != nil {
		t.Fatal(err)
	}
	s := &Spec{LeaveOut: []string{"deep/gen"}, Out: filepath.Join(src, "out")}
	if _, err := copyTree(src, dst, s.leaves(src)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"in": filepath.Join(dst, "a.go"), "rel": "deep/b.go", "outside": "/etc/passwd"} {
		if got, err := os.Readlink(filepath.Join(dst, name)); got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if exists(filepath.Join(dst, "deep", "gen")) || exists(filepath.Join(dst, "out")) || !exists(filepath.Join(dst, "deep", "b.go")) {
		t.Error("left out too much, or too little")
	}
	was, _ := os.Stat(filepath.Join(src, "a.go"))
	is, err := os.Stat(filepath.Join(dst, "a.go"))
	if err != nil || is.Mode().Perm() != 0o755 || !is.ModTime().Equal(was.ModTime()) {
		t.Errorf("%v: %v, %v", err, is.Mode(), is.ModTime())
	}
	size, err := s.Size(src)
	if err != nil || size.Files != 2 || size.Bytes != 2 || len(size.LeftOut) != 2 {
		t.Errorf("%+v, %v", size, err)
	}
	if err := os.Chmod(filepath.Join(dst, "deep"), 0o500); err != nil {
		t.Fatal(err)
	}
	if err := removeAll(dst); err != nil || exists(dst) {
		t.Errorf("not removed: %v", err)
	}
}
