package memory

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gobwas/glob"

	"github.com/agent-eval/feedback/internal/globs"
	"github.com/agent-eval/feedback/transcript"
)

// Options control [Check]. The zero value is the documented default of every field.
type Options struct {
	// Shared are globs of the keys that all runs have in common; a star stands for any text. Default: none, each run is by itself.
	Shared []string
	// NoApproval says that the memory takes writes that nobody approved.
	NoApproval bool
	// Reviewers are the actors that may approve and reject. Default: everybody.
	Reviewers []string
}

// Check judges the operations of a memory in the order given. Each run is a space of its own, in which a key has one entry; the keys
// of [Options.Shared] have one for all. It changes nothing. The error is about a glob that cannot be used; the contract then is zero.
// An operation that [Op.Validate] refuses is unchecked, and has no part in anything else: [ReadLog] returns none.
func Check(ops []Op, opts Options) (Contract, error) {
	c := checker{
		opts: opts, keys: make(map[string][]*entry), entries: make(map[place]*entry), about: make(map[subject][]*entry), runs: make(map[string]bool),
		contract: Contract{Runs: []string{}, Violations: []Violation{}, Unchecked: []Unchecked{}},
	}
	for _, pattern := range opts.Shared {
		p, err := globs.Compile(pattern)
		if err != nil {
			return Contract{}, fmt.Errorf("shared: pattern %q: %w", pattern, err)
		}
		c.shared = append(c.shared, p)
	}
	for i := range ops {
		c.at = i
		if err := ops[i].Validate(); err != nil {
			c.unchecked("", &ops[i], err.Error())
			continue
		}
		c.op(&ops[i])
	}
	c.silent()
	slices.SortStableFunc(c.found, func(a, b finding) int { return cmp.Compare(a.at, b.at) })
	for _, f := range c.found {
		c.contract.Violations = append(c.contract.Violations, f.Violation)
	}
	return c.contract, nil
}

// A checker follows the entries of all spaces.
type checker struct {
	opts     Options
	shared   []*glob.Pattern
	keys     map[string][]*entry  // by key: one a space
	entries  map[place]*entry     // the same
	about    map[subject][]*entry // entries by what they are about
	runs     map[string]bool
	contract Contract
	found    []finding
	at       int // index of the current operation

	contradictions []contradiction
	conflicts      []event
}

// An event is a conflict that the memory spoke of.
type event struct {
	*Op
	space    string
	at       int // index of the operation
	explains *Op // the first write that it was found to be about
}

type finding struct {
	Violation
	at int
}

// An entry is what one key holds in one space.
type entry struct {
	place
	current   int // the highest version so far; 0 before the first
	live      bool
	value     string
	fact      string
	at        transcript.Position // of the write that made it so
	index     int
	versions  []version
	replaced  map[int]transcript.Position // base version → the accepted write or delete on it
	proposals []*proposal
}

// A place is where an entry is.
type place struct{ space, key string }

type version struct {
	number int
	value  string
	at     transcript.Position
}

type proposal struct {
	version int
	value   string // empty when the log does not say it
	state   Kind   // Propose, Approve, Reject or Write
	at      int    // index of the operation
}

// A contradiction is a write against a fact that stands.
type contradiction struct {
	*Op
	space    string
	at       int
	proposed int    // index of its proposal, of the write itself without one
	against  string // key of the entry that it stands against
	since    int    // index of the write of that
	earlier  transcript.Position
	detail   string
}

// noticed reports whether a conflict event is about the contradiction. One that names no key is about a fact in all spaces.
func (k *contradiction) noticed(e *event) bool {
	switch {
	case e.at <= k.since, e.Fact != "" && e.Fact != k.about():
		return false
	case e.Key == "":
		return e.at > k.proposed
	case e.space != k.space:
		return false
	case e.Key == k.Key:
		return true
	}
	return e.at > k.proposed && (e.Fact != "" || e.Key == k.against || e.Key == k.about())
}

// A subject is a fact in a space.
type subject struct{ space, fact string }

// space returns the space of an operation: its run, or the one that all have in common.
func (c *checker) space(o *Op) string {
	if globs.MatchAny(c.shared, o.Key) {
		return "" // no run has this name
	}
	return o.Run
}

func (c *checker) entry(o *Op) *entry {
	at := place{c.space(o), o.Key}
	e := c.entries[at]
	if e == nil {
		e = &entry{place: at, replaced: make(map[int]transcript.Position)}
		c.entries[at] = e
		c.keys[o.Key] = append(c.keys[o.Key], e)
	}
	return e
}

func (c *checker) violation(rule Rule, o *Op, earlier transcript.Position, format string, args ...any) {
	c.found = append(c.found, finding{Violation{
		Rule: rule, Position: o.Position, Earlier: earlier, Run: o.Run, Key: o.Key, Detail: fmt.Sprintf(format, args...),
	}, c.at})
}

func (c *checker) illegal(o *Op, format string, args ...any) {
	c.violation(IllegalTransition, o, transcript.Position{}, format, args...)
}

func (c *checker) unchecked(rule Rule, o *Op, reason string) {
	c.contract.Unchecked = append(c.contract.Unchecked, Unchecked{rule, o.Position, o.Run, o.Key, reason})
}

func (c *checker) op(o *Op) {
	if !c.runs[o.Run] {
		c.runs[o.Run] = true
		c.contract.Runs = append(c.contract.Runs, o.Run)
	}
	c.contract.count(o)
	switch o.Kind {
	case Propose:
		e := c.entry(o)
		e.proposals = append(e.proposals, &proposal{cmp.Or(o.Version, e.current+1), o.Value, Propose, c.at})
	case Approve, Reject:
		c.verdict(o)
	case Write:
		if o.accepted() {
			c.write(o)
		}
	case Delete:
		if o.accepted() {
			c.remove(o)
		}
	case Read:
		c.read(o)
	case Conflict:
		c.conflicts = append(c.conflicts, event{Op: o, space: c.space(o), at: c.at})
	}
}

// verdict approves or rejects a proposal.
func (c *checker) verdict(o *Op) {
	if len(c.opts.Reviewers) > 0 && !slices.Contains(c.opts.Reviewers, o.Actor) {
		c.illegal(o, "%s by %q, who is no reviewer", o.Kind, o.Actor)
		return
	}
	e := c.entry(o)
	p := e.proposal(o.Version, o.Value, Propose)
	if p == nil {
		if p = e.proposal(o.Version, o.Value, ""); p == nil {
			c.illegal(o, "%s without a proposal", o.Kind)
		} else {
			c.illegal(o, "%s of a proposal that was %s", o.Kind, p.was())
		}
		return
	}
	p.state, p.value = o.Kind, cmp.Or(p.value, o.Value)
}

// proposal returns the latest proposal of a version and a value, in a state; a zero stands for any. Without one it is the latest of which the
// log does not say the value.
func (e *entry) proposal(version int, value string, state Kind) (unsaid *proposal) {
	for _, p := range slices.Backward(e.proposals) {
		switch {
		case version != 0 && p.version != version, state != "" && p.state != state:
		case value == "" || p.value == value:
			return p
		case p.value == "" && unsaid == nil:
			unsaid = p
		}
	}
	return unsaid
}

func (p *proposal) was() string {
	switch p.state {
	case Approve:
		return "approved before"
	case Reject:
		return "rejected before"
	case Write:
		return "written before"
	}
	return "not approved yet"
}

// silent turns the contradictions that no conflict event is about into violations.
func (c *checker) silent() {
	for i := range c.contradictions {
		k := &c.contradictions[i]
		if e := c.notice(k); e != nil {
			e.explains = cmp.Or(e.explains, k.Op)
			continue
		}
		c.at = k.at
		c.violation(SilentConflict, k.Op, k.earlier, "%s", k.detail)
	}
}

// notice returns the first conflict event that is about a contradiction. One that was about an earlier write says nothing of a later one.
func (c *checker) notice(k *contradiction) *event {
	for i := range c.conflicts {
		e := &c.conflicts[i]
		if spent := e.at < k.at && e.explains != nil && e.explains != k.Op; !spent && k.noticed(e) {
			return e
		}
	}
	return nil
}
