package harness

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	json "github.com/goccy/go-json"

	"github.com/agent-eval/feedback/internal/jsonout"
)

// stateName is the file in the output directory that says which runs are made. Beside it, a log counts for nothing.
const stateName = "ab-state.json"

// A Status says what came of a run.
type Status string

// The statuses. Only a finished run is not made again.
const (
	Finished    Status = "finished"    // the agent ended by itself, and the log says how
	Lost        Status = "lost"        // something beside the agent's work ended it: it is not measured
	Interrupted Status = "interrupted" // the harness was stopped
	Pending     Status = "not run"
)

// A Run is what came of a job.
type Run struct {
	Status Status    `json:"status"`
	Reason string    `json:"reason,omitempty"` // why it is not finished, or what is odd about it
	Ended  time.Time `json:"ended"`
	Turns  int       `json:"turns"` // that have a log
	// Made identifies what the run was made with: runs that differ in it are not of one arm.
	Made string `json:"made"`
}

// state is what the output directory remembers.
type state struct {
	Schema int            `json:"schema"`
	Runs   map[string]Run `json:"runs"` // by the names of their jobs
	// Worktrees are those that are in use, or that a crash left behind.
	Worktrees []string `json:"worktrees,omitempty"`

	file string
}

func readState(out string) (*state, error) {
	s := &state{file: filepath.Join(out, stateName)}
	data, err := os.ReadFile(s.file)
	if err == nil {
		if err = json.Unmarshal(data, s); err == nil && s.Schema != 1 {
			err = fmt.Errorf("schema %d is not known here", s.Schema)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.file, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s.Schema = 1
	if s.Runs == nil {
		s.Runs = make(map[string]Run)
	}
	return s, nil
}

// save writes the state so that a crash leaves the old one or the new one.
func (s *state) save() error {
	var b bytes.Buffer
	if err := jsonout.Write(&b, s); err != nil {
		return err
	}
	next := s.file + ".new"
	if err := os.WriteFile(next, b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(next, s.file)
}

// made returns what identifies how a job's run is made: everything that the model or the figures could depend on.
func (h *Harness) made(j Job) string {
	s := h.spec
	target := s.Target
	if j.Repo != nil {
		target = j.Repo.URL + j.Repo.Dir + " " + j.Repo.Ref
	}
	commit := ""
	if j.Arm.Ref != "" {
		commit = h.commits[j.Arm.Ref]
	}
	arm := *j.Arm
	arm.Ref = "" // the commit says it better
	var build []Command
	if s.Engine != nil {
		build = s.Engine.Build
	}
	data, err := json.Marshal([]any{j.Task.Turns, target, commit, arm, build, s.Agent, s.Hide, s.LeaveOut, s.Limits.Turn})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
