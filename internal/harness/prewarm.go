package harness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"
)

// ErrServer says that a run's server did not come up, or went away.
var ErrServer = errors.New("server")

// A server is what runs beside the agent. Its methods may be called on nil.
type server struct {
	cmd   *exec.Cmd
	done  chan error
	in    *os.File // the other end of its standard input
	ready func() bool
}

// poll is how often a server is looked at.
const poll = 20 * time.Millisecond

// prewarm starts an arm's server and waits until it is ready.
func (h *Harness) prewarm(ctx context.Context, p *Prewarm, pl places, proc proc) (*server, error) {
	if p == nil {
		return nil, nil
	}
	c := pl.command(p.Command)
	proc.name, proc.args = c[0], c[1:]
	cmd, err := proc.command()
	if err != nil {
		return nil, fmt.Errorf("%w did not come up: %w", ErrServer, err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd.Stdin = r
	s := &server{cmd: cmd, done: make(chan error, 1), in: w, ready: readiness(p, pl)}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, fmt.Errorf("%w did not come up: %w", ErrServer, err)
	}
	go func() { s.done <- cmd.Wait() }()
	if err := s.wait(ctx, p.Timeout); err != nil {
		s.stop(h.grace)
		return nil, err
	}
	return s, nil
}

// readiness returns what tells whether the server is there.
func readiness(p *Prewarm, pl places) func() bool {
	if p.Socket != "" {
		socket := pl.text(p.Socket)
		return func() bool {
			c, err := net.DialTimeout("unix", socket, time.Second)
			if err != nil {
				return false
			}
			c.Close()
			return true
		}
	}
	file := pl.text(p.File)
	return func() bool {
		_, err := os.Stat(file)
		return err == nil
	}
}

// wait returns when the server is ready. One that has ended well went to the background, and is waited for all the same.
func (s *server) wait(ctx context.Context, limit Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(limit), fmt.Errorf("%w did not come up within %v", ErrServer, limit))
	defer cancel()
	t := time.NewTicker(poll)
	defer t.Stop()
	for {
		if s.ready() {
			return nil
		}
		select {
		case err := <-s.done:
			s.done <- err // for stop
			if err != nil {
				return fmt.Errorf("%w did not come up: %w", ErrServer, err)
			}
		default:
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// lost reports whether the server is gone that was there before: it is not ready any more, or has ended with an error.
func (s *server) lost() bool {
	if s == nil {
		return false
	}
	select {
	case err := <-s.done:
		s.done <- err // for stop
		if err != nil {
			return true
		}
	default:
	}
	return !s.ready()
}

// stop ends the server: it sees the end of its input, then it is asked, and then it is made to.
func (s *server) stop(grace time.Duration) {
	if s == nil {
		return
	}
	s.in.Close()
	interruptGroup(s.cmd)
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-s.done:
	case <-t.C:
	}
	killGroup(s.cmd)
}
