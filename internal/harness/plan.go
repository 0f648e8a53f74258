package harness

import (
	"fmt"
	"path/filepath"
	"slices"
)

// A Job is one run to make.
type Job struct {
	Task   Task
	Repo   *Repository // nil outside a campaign
	Arm    *Arm
	Number int    // of the run, from 1; in a campaign, of the pass
	Name   string // of the log below the output directory, without its extension: run-new-1, gin/run1/run-with
}

// plan lists the runs with the numbers from first on. The arms take turns run by run, and each round starts with the next one, so that none is
// always the first.
func (s *Spec) plan(first int, labels []string) (jobs []Job) {
	for n := first; n < first+s.Runs; n++ {
		for _, t := range s.topics() {
			for k := range s.Arms {
				a := &s.Arms[(k+n-1)%len(s.Arms)]
				if len(labels) == 0 || slices.Contains(labels, a.Label) {
					jobs = append(jobs, Job{Task: t.task, Repo: t.repo, Arm: a, Number: n, Name: s.name(t, a, n)})
				}
			}
		}
	}
	return jobs
}

// A topic is what one run is about.
type topic struct {
	task Task
	repo *Repository
}

func (s *Spec) topics() (list []topic) {
	for _, t := range s.Tasks {
		list = append(list, topic{task: t})
	}
	for i := range s.Repositories {
		list = append(list, topic{s.Repositories[i].Task, &s.Repositories[i]})
	}
	return list
}

// name lays out the logs as package rundir expects them: a campaign as <repo>/run<n>/run-<label>, one task as run-<label>-<n>, and
// each of several tasks in a directory of its own.
func (s *Spec) name(t topic, a *Arm, n int) string {
	switch {
	case t.repo != nil:
		return fmt.Sprintf("%s/run%d/run-%s", t.repo.Name, n, a.Label)
	case len(s.Tasks) == 1:
		return fmt.Sprintf("run-%s-%d", a.Label, n)
	}
	return fmt.Sprintf("%s/run-%s-%d", t.task.Name, a.Label, n)
}

// log returns the name of the log of a turn, from 1, without its extension.
func (j Job) log(turn int) string {
	if turn == 1 {
		return j.Name
	}
	return fmt.Sprintf("%s.t%d", j.Name, turn)
}

// LogDirs returns the directories, one a task, that hold the logs; of a campaign the output directory.
func (s *Spec) LogDirs() (dirs []string) {
	if len(s.Repositories) > 0 || len(s.Tasks) == 1 {
		return []string{s.Out}
	}
	for _, t := range s.Tasks {
		dirs = append(dirs, filepath.Join(s.Out, t.Name))
	}
	return dirs
}

// Labels returns the labels of the arms.
func (s *Spec) Labels() (labels []string) {
	for _, a := range s.Arms {
		labels = append(labels, a.Label)
	}
	return labels
}

// Without returns the labels of the arms that have no server: they must not have the tool.
func (s *Spec) Without() (labels []string) {
	for _, a := range s.Arms {
		if len(a.MCP) == 0 {
			labels = append(labels, a.Label)
		}
	}
	return labels
}

// agentArgs returns the agent's command line, but for the program, for one turn. session is the one to resume, empty for the first turn.
func (s *Spec) agentArgs(settings, mcp, session, prompt string) []string {
	a := s.Agent
	args := slices.Clone(a.Command[1:])
	args = append(args, "-p", "--output-format", "stream-json", "--verbose", "--model", a.Model, "--effort", a.Effort,
		"--max-budget-usd", fmt.Sprintf("%g", a.Budget), "--permission-mode", a.PermissionMode,
		"--strict-mcp-config", "--mcp-config", mcp, "--settings", settings)
	if session != "" {
		args = append(args, "--resume", session)
	}
	return append(append(args, a.Flags...), "--", prompt)
}

// AgentLine returns the agent's command line for the first turn of a task, for people.
func (s *Spec) AgentLine() []string {
	return append([]string{s.Agent.Command[0]}, s.agentArgs("SETTINGS", "SERVERS", "", "QUESTION")...)
}
