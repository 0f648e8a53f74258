package memory

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gobwas/glob"

	"github.com/agent-eval/feedback/internal/globs"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript"
)

// A Probe is a question about experience: in a first session plan A fails and a workaround is found; in a later one the same kind of
// problem comes up. It says how to tell these things in a log.
type Probe struct {
	// ID names the probe, and Problem the kind of problem, for reports.
	ID      string `json:"id"`
	Problem string `json:"problem,omitempty"`
	// PlanA is the action that does not work, Workaround the one that does.
	PlanA      layers.Action `json:"plan_a"`
	Workaround layers.Action `json:"workaround"`
	// Memory are globs of the tools by which the agent reads its memory. Default: mcp__*memory*.
	Memory []string `json:"memory,omitempty"`
	// Recall is a text that shows that a memory holds the workaround: it is looked for in what its tools return, and in the prompts,
	// where a harness may put memories by itself. Letter case does not matter. Default: the workaround's Text.
	Recall string `json:"recall,omitempty"`
}

// An Experience is how a later session used what an earlier one learnt. It is plain data.
type Experience struct {
	Probe string `json:"probe"` // its ID
	// Unmeasured says why the probe shows nothing; empty when it does. The answers below then mean nothing.
	Unmeasured string `json:"unmeasured,omitempty"`
	// Returned reports that memory returned the workaround before it was used, or without its being used.
	Returned bool `json:"returned"`
	// Used reports that the agent carried out the workaround, and it did not fail.
	Used bool `json:"used"`
	// PlanAFirst reports that plan A was tried again before the workaround was, or without it.
	PlanAFirst bool `json:"plan_a_first"`
	// ReturnedAt, UsedAt and PlanAAt are where; zero where it did not happen.
	ReturnedAt transcript.Position `json:"returned_at"`
	UsedAt     transcript.Position `json:"used_at"`
	PlanAAt    transcript.Position `json:"plan_a_at"`
}

// Recalled reports experience recall: memory returned the workaround, and the agent used it. A workaround that was found again without memory is
// none.
func (e *Experience) Recalled() bool { return e.Unmeasured == "" && e.Returned && e.Used }

// Score judges a later session by what the first one learnt. Both have to be read with [transcript.Options].KeepText. Only the main thread
// and its subagents count, in the order in which their events stand in the log. The error is about a probe that cannot be used: an action
// without tool and text, or a glob that is none.
func Score(p Probe, first, later *transcript.Session) (Experience, error) {
	m, err := compile(p)
	if err != nil {
		return Experience{}, err
	}
	v := m.follow(first)
	if reason := v.learnt(); reason != "" {
		return Experience{Probe: p.ID, Unmeasured: reason}, nil
	}
	v = m.follow(later)
	return v.experience(p.ID), nil
}

// A matcher is a compiled Probe.
type matcher struct {
	probe                 Probe
	isPlanA, isWorkaround func(*transcript.ToolCall) bool
	memory                []*glob.Pattern
	recall                string
}

func compile(p Probe) (m matcher, err error) {
	fail := func(field string, err error) error { return fmt.Errorf("probe %s: %s: %w", p.ID, field, err) }
	m.probe = p
	if m.isPlanA, err = p.PlanA.Matcher(); err != nil {
		return m, fail("plan_a", err)
	}
	if m.isWorkaround, err = p.Workaround.Matcher(); err != nil {
		return m, fail("workaround", err)
	}
	if len(p.Memory) == 0 {
		p.Memory = []string{"mcp__*memory*"}
	}
	for _, pattern := range p.Memory {
		g, err := globs.Compile(pattern)
		if err != nil {
			return m, fail("memory", fmt.Errorf("pattern %q: %w", pattern, err))
		}
		m.memory = append(m.memory, g)
	}
	if m.recall = strings.ToLower(cmp.Or(p.Recall, p.Workaround.Text)); m.recall == "" {
		return m, fail("recall", ErrRecall)
	}
	return m, nil
}

// A kind is what a call is to a probe.
type kind int

const (
	neither kind = iota
	planA
	workaround
)

// kind tells what a call is. What is both is that whose text says more: npm install --force is no npm install.
func (m *matcher) kind(c *transcript.ToolCall) kind {
	a, w := m.isPlanA(c), m.isWorkaround(c)
	switch {
	case w && (!a || len(m.probe.Workaround.Text) >= len(m.probe.PlanA.Text)):
		return workaround
	case a:
		return planA
	}
	return neither
}
