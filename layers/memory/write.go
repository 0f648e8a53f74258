package memory

import (
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
		c.contradict(o, e, e, number)
	}
	for _, other := range c.about[subject{c.space(o), o.about()}] {
		if other != e && other.live {
			c.contradict(o, e, other, number)
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
		switch {
		case o.Value == "":
			c.unchecked(UnapprovedWrite, o, "the log does not say what was written")
		case p.value == "":
			c.unchecked(UnapprovedWrite, o, "the log does not say what was approved")
		}
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

// contradict notes a write whose value is not that of another entry about the same fact, or of its own when it replaces an older version.
func (c *checker) contradict(o *Op, own, e *entry, number int) {
	switch {
	case o.about() != e.fact:
		return
	case o.Value == "":
		c.unchecked(SilentConflict, o, "the log does not say what was written, where "+e.key+" is about the same")
		return
	case e.value == "":
		c.unchecked(SilentConflict, o, "the log does not say what "+e.key+" says of the same")
		return
	case o.Value == e.value:
		return
	}
	k := contradiction{
		Op: o, space: c.space(o), at: c.at, proposed: c.at, against: e.key, since: e.index, earlier: e.at,
		detail: "says " + textutil.Printable(o.Value, 60) + ", where " + e.key + " says " + textutil.Printable(e.value, 60),
	}
	if p := own.proposal(number, o.Value, ""); p != nil {
		k.proposed = p.at
	}
	c.contradictions = append(c.contradictions, k)
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
	if !o.found() {
		return
	}
	e := c.entry(o)
	mine, sure := e.holds(o)
	other, space := c.elsewhere(e, o)
	switch {
	case o.Version == 0 && o.Value == "":
		if mine != nil || other != nil { // else there was nothing to find
			c.unchecked(CrossRunRead, o, "the log does not say what was read")
		}
	case mine == nil && other != nil:
		c.violation(CrossRunRead, o, other.at, "returned what run %s wrote", textutil.Printable(space, 60))
	case mine == nil:
		c.illegal(o, "a read of version %d with a value that nobody wrote", o.Version)
	case !e.live:
		c.illegal(o, "a read of what was deleted")
	case !sure:
		c.unchecked(CrossRunRead, o, "the log does not say what this run wrote")
	case o.Value == "" && other != nil && other.value != mine.value:
		c.unchecked(CrossRunRead, o, "the log does not say which value was read, and run "+textutil.Printable(space, 60)+" wrote another one")
	}
}

// elsewhere returns the version that a read returned if the key's entry in another space holds it, and that space.
func (c *checker) elsewhere(own *entry, o *Op) (*version, string) {
	for _, e := range c.keys[o.Key] {
		if e != own {
			if v, sure := e.holds(o); sure {
				return v, e.space
			}
		}
	}
	return nil, ""
}

// holds returns the version that a read returned, or nil. It is not sure where the log does not say the version's value.
func (e *entry) holds(o *Op) (v *version, sure bool) {
	for i := range slices.Backward(e.versions) {
		w := &e.versions[i]
		switch {
		case o.Version != 0 && w.number != o.Version:
		case o.Value == "" || w.value == o.Value:
			return w, true
		case w.value == "" && v == nil:
			v = w
		}
	}
	return v, false
}
