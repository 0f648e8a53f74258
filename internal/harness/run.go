package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-eval/feedback/internal/jsonout"
	"github.com/agent-eval/feedback/internal/lookpath"
)

// runVariable marks everything that a run or a build starts.
const runVariable = "AB_RUN"

// An attempt is one try at a job.
type attempt struct {
	h      *Harness
	job    Job
	base   string // path of the logs, without what follows the name of the job
	conf   string // directory of the run's own configuration
	places places
	target string   // digest of what was copied
	env    []string // with the whole search path
	server *server
	logs   []string // of the turns that have one, by their final names, without the extension
	exit   error    // of the last turn's agent
}

// partial is the extension of a log that is being written, and lost that of one that is not measured: neither is found by package rundir.
const (
	partial = ".jsonl.part"
	lost    = ".jsonl.lost"
)

// attempt makes one run.
func (h *Harness) attempt(ctx context.Context, j Job, n int) Run {
	a := &attempt{h: h, job: j, base: filepath.Join(h.spec.Out, filepath.FromSlash(j.Name))}
	err := a.prepare(ctx, n)
	if err == nil {
		err = a.turns(ctx)
	}
	a.server.stop(h.grace)
	sweep(a.mark(n), h.grace)
	status, reason := a.settle(err)
	if status == Lost && ctx.Err() != nil {
		status, reason = Interrupted, context.Cause(ctx).Error()
	}
	if err := removeAll(h.runDir(n)); err != nil {
		h.warn("%s: %v", j.Name, err)
	}
	made := h.made(j)
	made.Target = a.target
	return Run{Status: status, Reason: reason, Ended: now(), Turns: len(a.logs), Made: made}
}

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// A noteError says what is odd about a run that counts.
type noteError struct{ text string }

func (e *noteError) Error() string { return e.text }

// runDir returns the directory of everything that the nth run needs.
func (h *Harness) runDir(n int) string { return filepath.Join(h.tmp, fmt.Sprintf("%04d", n)) }

// mark returns the mark of the nth run. It ends in a slash, as that of all runs does.
func (a *attempt) mark(n int) string { return a.h.runDir(n) + "/" }

// prepare makes the run's workspace and configuration, and starts its server. The path of the workspace does not tell the arm, and is as long
// in every run: it stands in the prompt.
func (a *attempt) prepare(ctx context.Context, n int) error {
	h := a.h
	target, err := h.target(ctx, a.job)
	if err != nil {
		return err
	}
	dir := h.runDir(n)
	a.conf = dir + "-conf" // where the agent does not look
	a.places = places{workspace: filepath.Join(dir, filepath.Base(target)), engine: h.engineOf(a.job.Arm)}
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Mkdir(a.conf, 0o700), os.MkdirAll(filepath.Dir(a.base), 0o755)); err != nil {
		return err
	}
	a.notify("copying the target")
	if a.target, err = copyTree(target, a.places.workspace, h.spec.leaves(target)); err != nil {
		return err
	}
	if name := h.otherTarget(a.job, a.target); name != "" {
		return fmt.Errorf("the target is not what it was for %s: choose another output directory, or run the arms again", name)
	}
	a.env = append(slices.Clone(h.env), a.places.env(h.spec.Agent.Environment)...)
	a.env = append(a.env, a.places.env(a.job.Arm.Environment)...)
	a.env = append(a.env, "AB_WORKSPACE="+a.places.workspace, "AB_ENGINE="+a.places.engine, runVariable+"="+a.mark(n))
	if err := a.setup(ctx); err != nil {
		return err
	}
	if err := a.configure(); err != nil {
		return err
	}
	return a.prewarm(ctx)
}

func (a *attempt) notify(phase string) {
	a.h.notify(Progress{Job: a.job.Name, Phase: phase})
}

// setup runs the arm's setup commands.
func (a *attempt) setup(ctx context.Context) error {
	if len(a.job.Arm.Setup) == 0 {
		return nil
	}
	log, err := os.Create(a.base + ".setup.txt")
	if err != nil {
		return err
	}
	defer log.Close()
	for _, c := range a.job.Arm.Setup {
		c = a.places.command(c)
		a.notify("setup: " + strings.Join(c, " "))
		p := proc{name: c[0], args: c[1:], dir: a.places.workspace, env: a.env, out: log, limit: a.h.spec.Limits.Setup}
		if err := a.h.exec(ctx, p); err != nil {
			return fmt.Errorf("setup: %s: %w", strings.Join(c, " "), err)
		}
	}
	return nil
}

// configure writes the client's configuration of MCP servers, and its settings. A server is named by its path: on the agent's search path it
// may not be found.
func (a *attempt) configure() error {
	servers := make(map[string]any)
	path := lookup(a.env, "PATH")
	for _, name := range slices.Sorted(maps.Keys(a.job.Arm.MCP)) {
		server := a.places.value(a.job.Arm.MCP[name]).(map[string]any)
		if command, ok := server["command"].(string); ok {
			file, err := lookpath.Find(command, path)
			if err != nil {
				return fmt.Errorf("%w %s did not come up: %w", ErrServer, name, err)
			}
			server["command"] = file
			env, _ := server["env"].(map[string]any)
			env = maps.Clone(env)
			if env == nil {
				env = make(map[string]any)
			}
			if _, ok := env["PATH"]; !ok {
				env["PATH"] = path
			}
			server["env"] = env
		}
		servers[name] = server
	}
	var b bytes.Buffer
	if err := jsonout.Write(&b, map[string]any{"mcpServers": servers}); err != nil {
		return err
	}
	settings, err := os.ReadFile(a.h.shield.Settings)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(a.mcpFile(), b.Bytes(), 0o600), os.WriteFile(a.settingsFile(), settings, 0o600))
}

func (a *attempt) mcpFile() string      { return filepath.Join(a.conf, "mcp.json") }
func (a *attempt) settingsFile() string { return filepath.Join(a.conf, "settings.json") }

func (a *attempt) prewarm(ctx context.Context) error {
	if a.job.Arm.Prewarm == nil {
		return nil
	}
	a.notify("waiting for the server")
	log, err := os.Create(a.base + ".server.txt")
	if err != nil {
		return err
	}
	defer log.Close()
	a.server, err = a.h.prewarm(ctx, a.job.Arm.Prewarm, a.places, proc{dir: a.places.workspace, env: a.env, out: log})
	return err
}

// turns makes the turns of the run, one after the other.
func (a *attempt) turns(ctx context.Context) error {
	session := ""
	for i, prompt := range a.job.Task.Turns {
		turn := i + 1
		a.notify(fmt.Sprintf("turn %d of %d", turn, len(a.job.Task.Turns)))
		a.logs = append(a.logs, filepath.Join(a.h.spec.Out, filepath.FromSlash(a.job.log(turn))))
		err := a.turn(ctx, turn, session, prompt)
		if err == nil && a.server.lost() {
			err = fmt.Errorf("%w went away during turn %d", ErrServer, turn)
		}
		if err == nil {
			session, err = a.judge(turn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// agentEnv is the environment without what tells the agent where the build of its arm is.
func agentEnv(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "AB_ENGINE=") })
}

// turn runs the agent once. That it exits with an error is its log's to explain.
func (a *attempt) turn(ctx context.Context, turn int, session, prompt string) error {
	name := a.logs[turn-1]
	log, err := os.Create(name + partial)
	if err != nil {
		return err
	}
	stderr, err := os.Create(name + ".stderr.txt")
	if err != nil {
		return errors.Join(err, log.Close())
	}
	h := a.h
	a.exit = nil
	p := proc{
		name: h.spec.Agent.Command[0], args: h.spec.agentArgs(a.settingsFile(), a.mcpFile(), session, prompt),
		dir: a.places.workspace, env: agentEnv(h.shield.Env(a.env)), log: log, out: stderr, limit: h.spec.Limits.Turn,
	}
	err = h.exec(ctx, p)
	_, exited := errors.AsType[interface {
		error
		ExitCode() int
	}](err)
	if ctx.Err() == nil && exited && !errors.Is(err, errLimit) {
		if _, readErr := a.read(turn); readErr != nil {
			err = fmt.Errorf("turn %d: the agent ended with %w and left no log%s", turn, err, said(name+".stderr.txt"))
		} else {
			a.exit, err = err, nil
		}
	} else if err != nil {
		err = fmt.Errorf("turn %d: %w", turn, err)
	}
	return errors.Join(err, log.Close(), stderr.Close())
}
