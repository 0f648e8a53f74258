package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/internal/lookpath"
)

// Options control a [Harness]. Hook is required; the zero value of every other field is its default.
type Options struct {
	// Hook is the command that runs a contamination.Guard of [Spec.Guard] as the client's pre-tool-use hook: a program by its absolute path, and arguments.
	Hook []string
	// Env is the environment, in the form of os.Environ, that everything starts from. Default: that of the process.
	Env []string
	// From is the number of the first run. Default: 1. Runs before it are left as they are.
	From int
	// Arms are the labels of the arms to run again: their runs that are there are set aside. Empty means all arms, and only runs that are not there.
	Arms []string
	// Grace is how long a program that is asked to end may take. Default: 5 seconds.
	Grace time.Duration
	// Notify, unless it is nil, is told what happens; never twice at a time.
	Notify func(Progress)
	// Temp is the directory of the workspaces. Default: that of the system. It should be in no repository, since agents read
	// what they find in the directories above.
	Temp string
}

// Progress is what a harness is doing.
type Progress struct {
	Job   string // its name; empty before the first
	Phase string // in words; empty when the job has ended
	Run   Run    // what came of it, when it has ended
	Done  int    // jobs that have ended
	Total int    // jobs
	// Warning is something to know that stops nothing.
	Warning string
}

// A Harness makes the runs of a spec.
type Harness struct {
	spec    *Spec
	opts    Options
	env     []string
	grace   time.Duration
	state   *state
	shield  *contamination.Shield
	tmp     string            // everything that is removed in the end
	mine    *os.File          // in tmp, locked while this harness is at work
	commits map[string]string // by ref
	builds  map[string]string // directories, by commit
	done    int
	total   int
}

// ErrOtherwise says that a run which is there was made with another task, build or configuration.
var ErrOtherwise = errors.New("was made otherwise")

// ErrBusy says that another harness works in the output directory.
var ErrBusy = errors.New("another harness works there")

// Guard returns what the spec hides from the agent.
func (s *Spec) Guard() contamination.Guard {
	return contamination.Guard{Tools: s.Tools, Options: contamination.Options{CLI: s.Hide.CLI, Index: s.Hide.Index}}
}

// New returns a harness for a spec of [Load].
func New(s *Spec, opts Options) (*Harness, error) {
	h := &Harness{spec: s, opts: opts, env: opts.Env, grace: opts.Grace}
	orDefault(&h.opts.From, 1)
	orDefault(&h.grace, 5*time.Second)
	if h.env == nil {
		h.env = os.Environ()
	}
	// A client refuses to start inside another one, or connects to its editor.
	h.env = slices.DeleteFunc(slices.Clone(h.env), func(v string) bool {
		return strings.HasPrefix(v, "CLAUDECODE=") || strings.HasPrefix(v, "CLAUDE_CODE_ENTRYPOINT=") || strings.HasPrefix(v, "CLAUDE_CODE_SSE_PORT=")
	})
	if h.opts.From < 1 {
		return nil, fmt.Errorf("run %d: runs are numbered from 1", h.opts.From)
	}
	for _, label := range opts.Arms {
		if !slices.Contains(s.Labels(), label) {
			return nil, fmt.Errorf("no arm %q: want one of %q", label, s.Labels())
		}
	}
	var err error
	h.state, err = readState(s.Out)
	return h, err
}

// A Step is a job and what has come of it so far.
type Step struct {
	Job
	Run
}

// Plan lists the runs in the order in which Run makes them. It looks up the refs, and refuses what cannot be compared. An error is also that a run
// which is there was made in another way, or that a log is there which the harness did not make.
func (h *Harness) Plan(ctx context.Context) ([]Step, error) {
	if err := h.resolve(ctx); err != nil {
		return nil, err
	}
	var steps []Step
	errs := h.conflicts()
	for _, j := range h.spec.plan(h.opts.From, h.opts.Arms) {
		run, known := h.state.Runs[j.Name]
		there := h.there(j.Name)
		switch {
		case len(h.opts.Arms) > 0:
			run = Run{Status: Pending}
		case !known && there:
			errs = append(errs, fmt.Errorf("%s has a log that this harness did not make", j.Name))
		case !known || run.Status == Finished && !there:
			run = Run{Status: Pending}
		}
		steps = append(steps, Step{j, run})
	}
	return steps, errors.Join(errs...)
}

// Run makes the runs that are not there yet. Its steps are those of Plan, with what came of them; a run that is lost is no error. The error is what
// kept it from starting, or why it stopped: then the steps say how far it came, and a later call goes on from there.
func (h *Harness) Run(ctx context.Context) (steps []Step, err error) {
	if err := os.MkdirAll(h.spec.Out, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(h.spec.Out, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := lock(f); err != nil {
		return nil, fmt.Errorf("%s: %w", h.spec.Out, ErrBusy)
	}
	defer unlock(f)
	if h.state, err = readState(h.spec.Out); err != nil { // another one may have been here since New
		return nil, err
	}
	if steps, err = h.Plan(ctx); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(steps, func(s Step) bool { return s.Status != Finished }) {
		return steps, nil
	}
	defer func() { err = errors.Join(err, h.cleanUp()) }()
	if err := h.start(ctx, steps); err != nil {
		return steps, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(h.spec.Limits.Total), fmt.Errorf("%w in all", limitError{h.spec.Limits.Total}))
	defer cancel()
	return steps, h.all(ctx, steps)
}

// start makes what all runs need.
func (h *Harness) start(ctx context.Context, steps []Step) (err error) {
	if err := h.afterCrash(); err != nil {
		return err
	}
	if err := h.makeTemp(); err != nil {
		return err
	}
	h.state.Temp = h.tmp
	if err := h.state.save(); err != nil {
		return err
	}
	if err := h.raise(ctx); err != nil {
		return err
	}
	var jobs []Job
	for _, s := range steps {
		if s.Status != Finished {
			jobs = append(jobs, s.Job)
		}
	}
	h.total = len(jobs)
	if len(h.opts.Arms) > 0 {
		if err := h.setAside(jobs); err != nil {
			return err
		}
	}
	return h.build(ctx, jobs)
}

// tempPrefix begins the name of the directory of the workspaces.
const tempPrefix = "ab-"

func (h *Harness) makeTemp() (err error) {
	in := h.opts.Temp
	orDefault(&in, os.TempDir())
	for _, target := range h.spec.targets() {
		if samePlace(in, target) || within(in, target) {
			return fmt.Errorf("the directory of the workspaces, %s, lies in the target %s: set TMPDIR to another one", in, target)
		}
	}
	if h.tmp, err = os.MkdirTemp(h.opts.Temp, tempPrefix); err != nil {
		return err
	}
	if h.tmp, err = filepath.EvalSymlinks(h.tmp); err != nil { // as the agent sees it
		return err
	}
	if h.mine, err = os.Create(filepath.Join(h.tmp, ".lock")); err != nil {
		return err
	}
	return lock(h.mine)
}

// removeTemp removes what makeTemp made, and all that was put there.
func (h *Harness) removeTemp() error {
	if h.mine != nil {
		h.mine.Close()
	}
	return removeAll(h.tmp)
}

// raise makes the shield and probes it.
func (h *Harness) raise(ctx context.Context) (err error) {
	dir := filepath.Join(h.tmp, "shield")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	path := lookup(h.env, "PATH")
	if _, err := lookpath.Find(h.spec.Agent.Command[0], path); err != nil {
		return &SpecError{Field: "agent.command", Err: err}
	}
	need := []string{h.spec.Agent.Command[0]}
	if _, err := lookpath.Find("node", path); err == nil {
		need = append(need, "node")
	}
	h.shield, err = contamination.NewShield(dir, contamination.ShieldOptions{Guard: h.spec.Guard(), Hook: h.opts.Hook, Path: path, Need: need})
	if err != nil {
		return err
	}
	return h.shield.Probe(ctx)
}

// Probe makes the shield that Run would make, tries it, and takes it down. It returns the directories of the search path that are replaced.
func (h *Harness) Probe(ctx context.Context) (replaced []string, err error) {
	if err := h.makeTemp(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.removeTemp()) }()
	if err := h.raise(ctx); err != nil {
		return nil, err
	}
	return h.shield.Replaced, nil
}

// all makes the runs.
func (h *Harness) all(ctx context.Context, steps []Step) error {
	n := 0
	for i := range steps {
		s := &steps[i]
		if s.Status == Finished {
			continue
		}
		if ctx.Err() != nil {
			s.Run = Run{Status: Pending, Reason: context.Cause(ctx).Error()}
			continue
		}
		n++
		s.Run = h.make(ctx, s.Job, n)
		h.done++
		h.state.Runs[s.Name] = s.Run
		if err := h.state.save(); err != nil {
			h.warn("the state is not saved, and a later call will not know of %s: %v", s.Name, err)
		}
		h.notify(Progress{Job: s.Name, Run: s.Run})
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// make makes a run that the state knows of from its start on: whatever ends the harness, the run is made again. One that the state could not know is
// not paid for.
func (h *Harness) make(ctx context.Context, j Job, n int) Run {
	made := h.made(j)
	h.state.Runs[j.Name] = Run{Status: Interrupted, Reason: "the harness ended in the middle of it", Made: made}
	if err := h.state.save(); err != nil {
		return Run{Status: Lost, Reason: fmt.Sprintf("the state cannot be saved: %v", err), Ended: now(), Made: made}
	}
	return h.attempt(ctx, j, n)
}

// cleanUp removes what the harness made beside the logs.
func (h *Harness) cleanUp() error {
	err := h.removeWorktrees()
	if h.tmp == "" {
		return err
	}
	h.state.Temp = ""
	return errors.Join(err, h.removeTemp(), h.state.save())
}

func (h *Harness) notify(p Progress) {
	if h.opts.Notify != nil {
		p.Done, p.Total = h.done, h.total
		h.opts.Notify(p)
	}
}

func (h *Harness) warn(format string, args ...any) {
	h.notify(Progress{Warning: fmt.Sprintf(format, args...)})
}
