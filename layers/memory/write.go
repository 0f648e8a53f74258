package memory

import (
	"maps"
	"slices"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// write judges an accepted write and carries it out.
func (c *checker) write(o *Op) {
	e := c.entry(o)
	base := *o.Base
	number := o.Version
	if number == 0 {
		number = base + 1
		if base == 0 && !e.live { // anew, after a delete
			number = e.current + 1
		}
	}
	if !c.opts.NoApproval {
		c.approved(o, e, number)
	}
	first, replaced := e.replaced[base]
	anew := base == 0 && !e.live
	switch {
	case replaced && !anew:
		c.violation(LostUpdate, o, first, "a second write on version %d", base)
	case base != e.current && !anew:
		c.illegal(o, "a write on version %d, which never was: the current one is %d", base, e.current)
	case number <= e.current:
		c.illegal(o, "version %d was there before", number)
	}
	if e.live && base != e.current {
		c.contradict(o, e)
	}
	for _, other := range c.about[subject{c.space(o), o.about()}] {
		if other != e && other.live {
			c.contradict(o, other)
		}
	}
	if anew || !replaced {
		e.replaced[base] = o.Position
	}
	c.tells(e, o)
	e.current, e.live, e.value, e.at, e.index = max(e.current, number), true, o.Value, o.Position, c.at
	e.versions = append(e.versions, version{number, o.Value, o.Position})
}

// tells notes what an entry is about from this write on.
func (c *checker) tells(e *entry, o *Op) {
	fact := o.about()
	if e.fact == fact {
		return
	}
	old := subject{c.space(o), e.fact}
	c.about[old] = slices.DeleteFunc(c.about[old], func(x *entry) bool { return x == e })
	s := subject{c.space(o), fact}
	c.about[s] = append(c.about[s], e)
	e.fact = fact
}

// approved judges whether somebody approved just this value for this version.
func (c *checker) approved(o *Op, e *entry, number int) {
	if p := e.proposal(number, o.Value, Approve); p != nil {
		p.state = Write
		return
	}
	detail := "nobody proposed it"
	if p := e.proposal(number, o.Value, ""); p != nil {
		detail = "its proposal was " + p.was()
	} else if e.proposal(number, "", Approve) != nil {
		detail = "what was approved has another value"
	}
	c.violation(UnapprovedWrite, o, transcript.Position{}, "version %d: %s", number, detail)
}

// contradict notes a write whose value is not that of an entry about the same fact.
func (c *checker) contradict(o *Op, e *entry) {
	if o.Value == e.value || o.about() != e.fact {
		return
	}
	c.contradictions = append(c.contradictions, contradiction{
		event: event{c.space(o), o.Key, o.about(), c.at}, op: o, against: e.key, since: e.index, earlier: e.at,
		detail: "says " + textutil.Printable(o.Value, 60) + ", where " + e.key + " says " + textutil.Printable(e.value, 60),
	})
}

// remove judges an accepted delete and carries it out.
func (c *checker) remove(o *Op) {
	e := c.entry(o)
	base := e.current
	if o.Base != nil {
		base = *o.Base
	}
	first, replaced := e.replaced[base]
	switch {
	case !e.live:
		c.illegal(o, "a delete of what is not there")
		return
	case replaced:
		c.violation(LostUpdate, o, first, "a delete on version %d, which was replaced", base)
	case base != e.current:
		c.illegal(o, "a delete on version %d, which never was: the current one is %d", base, e.current)
	}
	if !replaced {
		e.replaced[base] = o.Position
	}
	e.live = false
}

// read judges what a read returned.
func (c *checker) read(o *Op) {
	if o.Version == 0 && o.Value == "" { // it found nothing
		return
	}
	own := c.space(o)
	if e := c.spaces[own][o.Key]; e != nil && e.holds(o) != nil {
		if !e.live {
			c.illegal(o, "a read of what was deleted")
		}
		return
	}
	for _, space := range slices.Sorted(maps.Keys(c.spaces)) {
		if e := c.spaces[space][o.Key]; space != own && e != nil {
			if v := e.holds(o); v != nil {
				c.violation(CrossRunRead, o, v.at, "returned what run %s wrote", textutil.Printable(space, 60))
				return
			}
		}
	}
	c.illegal(o, "a read of version %d with a value that nobody wrote", o.Version)
}

// holds returns the version that a read returned, or nil.
func (e *entry) holds(o *Op) *version {
	for i := range slices.Backward(e.versions) {
		if v := &e.versions[i]; (o.Version == 0 || v.number == o.Version) && (o.Value == "" || v.value == o.Value) {
			return v
		}
	}
	return nil
}
