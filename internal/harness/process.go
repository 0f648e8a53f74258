package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/agent-eval/feedback/internal/lookpath"
)

// A proc is a program to run: in a process group of its own, which ends with it.
type proc struct {
	name  string
	args  []string
	dir   string
	env   []string
	path  string   // search path for name; empty means that of env
	out   *os.File // standard output and error, unless log is set
	log   io.Writer
	limit Duration
}

// errLimit says that a time limit ended a program.
var errLimit = errors.New("time limit")

// A limitError is an errLimit that says which.
type limitError struct{ limit Duration }

func (e limitError) Error() string        { return fmt.Sprintf("time limit of %v", e.limit) }
func (e limitError) Is(target error) bool { return target == errLimit }

// command returns the program, not started.
func (p proc) command() (*exec.Cmd, error) {
	path := p.path
	if path == "" {
		path = lookup(p.env, "PATH")
	}
	file, err := lookpath.Find(p.name, path)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(file, p.args...)
	cmd.Args[0] = p.name
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.Stdout, cmd.Stderr = p.out, p.out
	ownGroup(cmd)
	return cmd, nil
}

// exec runs a program to its end. Its whole group ends with it, with ctx, and with the time limit. The error is the cause.
func (h *Harness) exec(ctx context.Context, p proc) error {
	if p.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(p.limit), limitError{p.limit})
		defer cancel()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	cmd, err := p.command()
	if err != nil {
		return err
	}
	var out *pipe
	if p.log != nil {
		if out, err = newPipe(p.log); err != nil {
			return err
		}
		cmd.Stdout = out.w
	}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, out.close(0))
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	err = h.await(ctx, cmd, done, out.failed())
	killGroup(cmd)
	return errors.Join(out.close(h.grace), err)
}

// await waits for a program, and ends it when it has to: gently, and after a while by force.
func (h *Harness) await(ctx context.Context, cmd *exec.Cmd, done <-chan error, failed <-chan struct{}) error {
	var cause error
	select {
	case err := <-done:
		return err
	case <-failed: // the log cannot be written: the error is the pipe's
	case <-ctx.Done():
		cause = context.Cause(ctx)
	}
	interruptGroup(cmd)
	t := time.NewTimer(h.grace)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
		killGroup(cmd)
		<-done
	}
	return cause
}

// A pipe copies what a program writes. Its methods may be called on nil.
type pipe struct {
	r, w *os.File
	bad  chan struct{} // closed when writing has failed
	done chan struct{}
	err  error // of writing; valid when done is closed
}

func newPipe(to io.Writer) (*pipe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &pipe{r: r, w: w, bad: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		if _, err := io.Copy(onlyWriter{to}, r); err != nil && !errors.Is(err, os.ErrClosed) {
			p.err = err
			close(p.bad)
			io.Copy(io.Discard, r) // the program ends; it must not hang on a full pipe before
		}
	}()
	return p, nil
}

// onlyWriter hides that a file could read from a pipe itself, whose errors do not say which side failed.
type onlyWriter struct{ io.Writer }

func (p *pipe) failed() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.bad
}

// close waits for the rest of what was written, not longer than the grace: a process that left the group may hold the pipe.
func (p *pipe) close(grace time.Duration) error {
	if p == nil {
		return nil
	}
	p.w.Close()
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-p.done:
	case <-t.C:
	}
	p.r.Close()
	<-p.done
	return p.err
}

// lookup returns a variable of an environment.
func lookup(env []string, name string) (value string) {
	for _, v := range env {
		if len(v) > len(name) && v[:len(name)] == name && v[len(name)] == '=' {
			value = v[len(name)+1:]
		}
	}
	return value
}
