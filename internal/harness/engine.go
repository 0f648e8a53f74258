package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// ErrSameBuild says that two refs do not differ where it matters.
var ErrSameBuild = errors.New("the refs do not differ")

// ofRepository reports whether a variable tells git of another repository than that of its directory, as in a hook.
func ofRepository(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX":
		return true
	}
	return false
}

// git runs git in a directory, without hooks of that repository, and with no housekeeping in the background. With ctx all that it started ends.
func (h *Harness) git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false",
		"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Env = append(slices.DeleteFunc(slices.Clone(h.env), func(v string) bool { return ofRepository(v) }),
		"GIT_TERMINAL_PROMPT=0")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	ownGroup(cmd)
	cmd.Cancel = func() error { interruptGroup(cmd); return nil }
	cmd.WaitDelay = h.grace
	err := cmd.Run()
	killGroup(cmd)
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, lastLine(errOut.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// resolve finds the commits of all refs, and refuses two arms that only differ in refs between which nothing of the engine's paths changed.
func (h *Harness) resolve(ctx context.Context) error {
	h.commits = make(map[string]string)
	e := h.spec.Engine
	var refs []string
	for i, a := range h.spec.Arms {
		if a.Ref == "" || h.commits[a.Ref] != "" {
			continue
		}
		commit, err := h.git(ctx, e.Dir, "rev-parse", "--verify", "--quiet", "--end-of-options", a.Ref+"^{commit}")
		if err != nil {
			return field(fmt.Sprintf("arms[%d].ref", i), "%q is no commit of %s", a.Ref, e.Dir)
		}
		h.commits[a.Ref] = commit
		refs = append(refs, a.Ref)
	}
	if len(refs) < 2 {
		return h.refuseTwins()
	}
	args := []string{"diff", "--name-only", h.commits[refs[0]], h.commits[refs[1]], "--"}
	changed, err := h.git(ctx, e.Dir, append(args, e.Paths...)...)
	if err != nil {
		return err
	}
	if len(refs) == 2 && changed == "" {
		where := "anywhere"
		if len(e.Paths) > 0 {
			where = "in " + strings.Join(e.Paths, ", ")
		}
		return fmt.Errorf("%w: %s and %s are the same %s", ErrSameBuild, refs[0], refs[1], where)
	}
	return h.warnOfChanges(ctx)
}

// refuseTwins refuses arms that are all built from one ref, when that is all that could tell them apart.
func (h *Harness) refuseTwins() error {
	if strings.HasPrefix(h.spec.Compare, "new-vs-baseline") {
		return fmt.Errorf("%w: both arms are %s", ErrSameBuild, h.spec.Arms[0].Ref)
	}
	return nil
}

// warnOfChanges says that what is not committed is in no build.
func (h *Harness) warnOfChanges(ctx context.Context) error {
	status, err := h.git(ctx, h.spec.Engine.Dir, "status", "--porcelain", "--untracked-files=no", "--", ".")
	if err == nil && status != "" {
		h.warn("%s has changes that are not committed: no build has them", h.spec.Engine.Dir)
	}
	return err
}

// build makes a worktree for each commit in use, and runs the build commands in it.
func (h *Harness) build(ctx context.Context, jobs []Job) error {
	h.builds = make(map[string]string)
	for _, j := range jobs {
		commit := h.commits[j.Arm.Ref]
		if j.Arm.Ref == "" || h.builds[commit] != "" {
			continue
		}
		dir := filepath.Join(h.tmp, fmt.Sprintf("engine%d", len(h.builds)+1), filepath.Base(h.spec.Engine.Dir))
		if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
			return err
		}
		h.state.Worktrees = append(h.state.Worktrees, dir)
		if err := h.state.save(); err != nil {
			return err
		}
		if _, err := h.git(ctx, h.spec.Engine.Dir, "worktree", "add", "--detach", dir, commit); err != nil {
			return err
		}
		prefix, err := h.git(ctx, h.spec.Engine.Dir, "rev-parse", "--show-prefix")
		if err != nil {
			return err
		}
		h.builds[commit] = filepath.Join(dir, prefix) // the engine may be a part of its repository
		if err := h.buildIn(ctx, h.builds[commit], j.Arm.Ref, commit); err != nil {
			return fmt.Errorf("build of %s: %w", j.Arm.Ref, err)
		}
	}
	return nil
}

func (h *Harness) buildIn(ctx context.Context, dir, ref, commit string) error {
	log, err := os.Create(filepath.Join(h.spec.Out, "build-"+commit[:min(12, len(commit))]+".txt"))
	if err != nil {
		return err
	}
	defer log.Close()
	mark := filepath.Join(h.tmp, "build") + "/"
	defer sweep(mark, h.grace) // a build server would take its share of the machine from some of the runs
	for _, c := range h.spec.Engine.Build {
		h.notify(Progress{Phase: "build of " + ref})
		p := proc{name: c[0], args: c[1:], dir: dir, env: append(slices.Clone(h.env), "AB_ENGINE="+dir, runVariable+"="+mark), out: log, limit: h.spec.Limits.Setup}
		if err := h.exec(ctx, p); err != nil {
			return fmt.Errorf("%s: %w (see %s)", strings.Join(c, " "), err, log.Name())
		}
	}
	return nil
}

// removeWorktrees removes the worktrees that this harness made, and those that one before it left behind.
func (h *Harness) removeWorktrees() error {
	if h.spec.Engine == nil || len(h.state.Worktrees) == 0 {
		return nil
	}
	var errs []error
	for _, dir := range h.state.Worktrees {
		listed, err := h.git(context.Background(), h.spec.Engine.Dir, "worktree", "list", "--porcelain")
		if err == nil && slices.Contains(strings.Split(listed, "\n"), "worktree "+dir) {
			_, err = h.git(context.Background(), h.spec.Engine.Dir, "worktree", "remove", "--force", "--force", dir)
		}
		errs = append(errs, err)
	}
	h.state.Worktrees = nil
	return errors.Join(append(errs, h.state.save())...)
}

// engineOf returns the directory of an arm's build.
func (h *Harness) engineOf(a *Arm) string {
	switch {
	case h.spec.Engine == nil:
		return ""
	case a.Ref == "":
		return h.spec.Engine.Dir
	}
	return h.builds[h.commits[a.Ref]]
}

// Commit returns the commit that a ref of an arm stands for, once Plan has looked it up.
func (h *Harness) Commit(ref string) string { return h.commits[ref] }

// targetDir returns the directory that a job works on; it may not be fetched yet.
func (h *Harness) targetDir(j Job) string {
	switch {
	case j.Repo == nil:
		return h.spec.Target
	case j.Repo.Dir != "":
		return j.Repo.Dir
	}
	return filepath.Join(h.spec.Out, ".repositories", j.Repo.Name)
}

// target returns the directory that a job works on, and fetches it where it is not there.
func (h *Harness) target(ctx context.Context, j Job) (string, error) {
	dir := h.targetDir(j)
	if j.Repo == nil || j.Repo.Dir != "" {
		return dir, nil
	}
	if dirExists(dir) {
		if got, err := os.ReadFile(dir + ".ref"); err == nil && string(got) == j.Repo.URL+" "+j.Repo.Ref {
			return dir, nil
		}
	}
	h.notify(Progress{Job: j.Name, Phase: "fetching " + j.Repo.URL})
	next := dir + ".new"
	if err := errors.Join(removeAll(next), removeAll(dir), os.MkdirAll(next, 0o755)); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"fetch", "--quiet", "--depth", "1", "--", j.Repo.URL, j.Repo.Ref}, {"checkout", "--quiet", "--detach", "FETCH_HEAD"}} {
		if _, err := h.git(ctx, next, args...); err != nil {
			return "", fmt.Errorf("%s: %w", j.Repo.URL, err)
		}
	}
	return dir, errors.Join(os.Rename(next, dir), os.WriteFile(dir+".ref", []byte(j.Repo.URL+" "+j.Repo.Ref), 0o644))
}

// lastLine returns the last line of what a program wrote, for a message.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
