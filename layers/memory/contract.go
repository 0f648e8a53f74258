package memory

import (
	"cmp"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript"
)

// A Contract says whether a memory kept its rules. It is plain data.
type Contract struct {
	// Counts are the operations of each kind; of writes those that were accepted.
	Counts        Counts `json:"counts"`
	RefusedWrites int    `json:"refused_writes"`
	// Runs are the runs that the log shows, in the order in which they begin.
	Runs []string `json:"runs"`
	// Violations are in the order of the log. None is what a memory should have; when there is no operation either, nothing was
	// measured.
	Violations []Violation `json:"violations"`
	// Unchecked is what the log says too little for, in its order: there, no violation is no proof.
	Unchecked []Unchecked `json:"unchecked"`
}

// Counts are numbers of operations.
type Counts struct {
	Propose  int `json:"propose"`
	Approve  int `json:"approve"`
	Reject   int `json:"reject"`
	Write    int `json:"write"`
	Read     int `json:"read"`
	Delete   int `json:"delete"`
	Conflict int `json:"conflict"`
}

// Of returns the number of operations of a kind; nil for one that is none.
func (c *Counts) Of(k Kind) *int {
	switch k {
	case Propose:
		return &c.Propose
	case Approve:
		return &c.Approve
	case Reject:
		return &c.Reject
	case Write:
		return &c.Write
	case Read:
		return &c.Read
	case Delete:
		return &c.Delete
	case Conflict:
		return &c.Conflict
	}
	return nil
}

// Total returns the number of all operations.
func (c Counts) Total() int {
	return c.Propose + c.Approve + c.Reject + c.Write + c.Read + c.Delete + c.Conflict
}

// A Violation is an operation that breaks a rule.
type Violation struct {
	Rule     Rule                `json:"rule"`
	Position transcript.Position `json:"position"`
	// Earlier is the operation that it stands against: the first write on the base, the write of another run, the fact contradicted. Zero
	// where there is none.
	Earlier transcript.Position `json:"earlier"`
	Run     string              `json:"run"`
	Key     string              `json:"key"`
	Detail  string              `json:"detail"`
}

// Unchecked is an operation at which a rule could not be checked.
type Unchecked struct {
	Rule     Rule                `json:"rule,omitempty"` // empty for all: see [Op.Validate]
	Position transcript.Position `json:"position"`
	Run      string              `json:"run"`
	Key      string              `json:"key"`
	Reason   string              `json:"reason"`
}

// A Rule is one that a memory has to keep. As a defect it has the same name.
type Rule string

// The rules.
const (
	// IllegalTransition is a step that the life of an entry does not have: an approval without a proposal, a second verdict on one, a version that
	// was there before, a base that never was, a delete or a read of what is not there.
	IllegalTransition Rule = "illegal_transition"
	// UnapprovedWrite is an accepted write of a value that nobody approved for this version.
	UnapprovedWrite Rule = "write_without_approval"
	// LostUpdate is the second of two accepted writes, or deletes, on one base version: what the first did is lost.
	LostUpdate Rule = "lost_update"
	// CrossRunRead is a read that returned what another run wrote.
	CrossRunRead Rule = "cross_run_read"
	// SilentConflict is an accepted write that contradicts a fact that stands, with no conflict event about it. One that came before the write
	// is about it if it names its key, or came when the write had been proposed.
	SilentConflict Rule = "silent_conflict"
)

// Rules returns the rules in the order in which they are reported.
func Rules() []Rule {
	return []Rule{IllegalTransition, UnapprovedWrite, LostUpdate, CrossRunRead, SilentConflict}
}

// Broken counts the violations of a rule.
func (c *Contract) Broken(rule Rule) int {
	n := 0
	for _, v := range c.Violations {
		if v.Rule == rule {
			n++
		}
	}
	return n
}

// Defects returns the violations of one run as defects; none is an empty list.
func (c *Contract) Defects(run string) []layers.Defect {
	list := []layers.Defect{}
	for _, v := range c.Violations {
		if v.Run == run {
			list = append(list, layers.Defect{Layer: layers.Memory, Name: string(v.Rule), Position: v.Position, Detail: v.Key + ": " + v.Detail})
		}
	}
	return list
}

// NotChecked says what could not be checked in one run, in the form of layers.Run.Unchecked; none is an empty list.
func (c *Contract) NotChecked(run string) []string {
	list := []string{}
	for _, u := range c.Unchecked {
		if u.Run == run {
			list = append(list, "memory: "+u.text())
		}
	}
	return list
}

func (u *Unchecked) text() string {
	rule := string(cmp.Or(u.Rule, "all rules"))
	return rule + " at " + u.Position.String() + ": " + u.Reason
}

func (c *Contract) count(o *Op) {
	if o.Kind == Write && !o.accepted() {
		c.RefusedWrites++
		return
	}
	if n := c.Counts.Of(o.Kind); n != nil {
		*n++
	}
}
