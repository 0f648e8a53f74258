package harness

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	// Made says what the run was made with.
	Made Made `json:"made"`
}

// Made identifies how a run was made, by digests. Runs of one comparison have to agree: all of them in Common, those of one task in Task, and those
// of one arm in Arm.
type Made struct {
	Topic  string `json:"topic"` // name of the task or the repository; empty where there is only one
	Label  string `json:"label"`
	Task   string `json:"task"`   // of the target's place and what is asked
	Target string `json:"target"` // of what the target held; empty when it was not copied
	Arm    string `json:"arm"`    // of the arm's configuration and build
	Common string `json:"common"` // of the agent, its limits, and what is hidden or left out
}

// state is what the output directory remembers.
type state struct {
	Schema int            `json:"schema"`
	Runs   map[string]Run `json:"runs"` // by the names of their jobs
	// Worktrees are those that are in use, or that a crash left behind.
	Worktrees []string `json:"worktrees,omitempty"`
	// Temp is the directory of the workspaces that is in use, or that a crash left behind.
	Temp string `json:"temp,omitempty"`

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

// made returns how a job's run is made.
func (h *Harness) made(j Job) Made {
	s := h.spec
	m := Made{Label: j.Arm.Label, Common: digest(s.Agent, s.Hide, s.LeaveOut, s.Limits.Turn)}
	if j.Repo != nil {
		m.Topic, m.Task = j.Repo.Name, digest(j.Repo.URL, j.Repo.Ref, j.Repo.Dir, j.Task.Turns)
	} else {
		m.Task = digest(s.Target, j.Task.Turns)
		if len(s.Tasks) > 1 {
			m.Topic = j.Task.Name
		}
	}
	arm := *j.Arm
	commit := h.commits[arm.Ref] // says it better than the ref
	arm.Ref = ""
	if s.Engine != nil {
		m.Arm = digest(arm, commit, s.Engine.Build)
	} else {
		m.Arm = digest(arm)
	}
	return m
}

// digest returns a short hash of the values' JSON.
func digest(values ...any) string {
	data, err := json.Marshal(values)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// conflicts lists the finished runs that would be compared with those of the spec, and were made otherwise.
func (h *Harness) conflicts() (errs []error) {
	now := make(map[[2]string]Made)
	dirs := make(map[string]string) // by topic
	for _, j := range h.spec.plan(1, nil) {
		m := h.made(j)
		now[[2]string{m.Topic, m.Label}] = m
		dirs[m.Topic] = h.targetDir(j)
	}
	holds := make(map[string]string) // digests of the targets, by directory
	for _, name := range slices.Sorted(maps.Keys(h.state.Runs)) {
		run := h.state.Runs[name]
		m, compared := now[[2]string{run.Made.Topic, run.Made.Label}]
		if run.Status != Finished || !compared || !h.there(name) || h.again(run.Made.Label, name) {
			continue
		}
		target, err := h.targetHolds(dirs[m.Topic], holds)
		if err != nil {
			return append(errs, err)
		}
		what := ""
		switch {
		case run.Made.Common != m.Common:
			what = "with another agent or limit, or with something else hidden or left out"
		case run.Made.Task != m.Task:
			what = "for another task"
		case target != "" && run.Made.Target != target:
			what = "on a target that held something else"
		case run.Made.Arm != m.Arm:
			what = "with another build or configuration of the arm"
		default:
			continue
		}
		errs = append(errs, fmt.Errorf("%s %w, %s: choose another output directory, or run the arm again", name, ErrOtherwise, what))
	}
	return errs
}

// targetHolds returns the digest of a target; empty when it is not there yet.
func (h *Harness) targetHolds(dir string, known map[string]string) (digest string, err error) {
	digest, ok := known[dir]
	if !ok && dirExists(dir) {
		digest, err = copyTree(dir, "", h.spec.leaves(dir))
		known[dir] = digest
	}
	return digest, err
}

func dirExists(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// otherTarget returns a finished run on the same topic whose target held something else; empty when there is none.
func (h *Harness) otherTarget(j Job, target string) string {
	topic := h.made(j).Topic
	for _, name := range slices.Sorted(maps.Keys(h.state.Runs)) {
		r := h.state.Runs[name]
		if r.Status == Finished && r.Made.Topic == topic && r.Made.Target != "" && r.Made.Target != target && h.there(name) {
			return name
		}
	}
	return ""
}

// there reports whether a run has a log.
func (h *Harness) there(name string) bool {
	_, err := os.Stat(filepath.Join(h.spec.Out, filepath.FromSlash(name)) + ".jsonl")
	return err == nil
}

// again reports whether a run is set aside and made again.
func (h *Harness) again(label, name string) bool {
	if !slices.Contains(h.opts.Arms, label) {
		return false
	}
	return slices.ContainsFunc(h.spec.plan(h.opts.From, h.opts.Arms), func(j Job) bool { return j.Name == name })
}
