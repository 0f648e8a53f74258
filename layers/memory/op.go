package memory

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/agent-eval/feedback/layers/internal/strictjson"
	"github.com/agent-eval/feedback/transcript"
)

// An Op is one operation on a memory, as a log of the memory holds it.
type Op struct {
	Kind  Kind   `json:"op"`
	Run   string `json:"run"`   // the run in which it happened
	Actor string `json:"actor"` // who did it: an agent, a reviewer, …
	Key   string `json:"key"`   // of the entry
	// Version is the version of the entry that is meant, from 1: what a proposal or a write makes, what is approved or rejected, what a read
	// returned. 0 means the next one for a proposal, Base + 1 for a write, the latest proposal for an approval; for a read that the log does
	// not say it.
	Version int `json:"version"`
	// Base is the version that a write replaces or a delete removes, 0 for an entry that is not there. A write has to have it; a
	// delete without it means whatever is there.
	Base  *int   `json:"base,omitempty"`
	Value string `json:"value"` // what is proposed or written, or what a read returned; empty when the log does not say it
	// Fact is what the value is about. Entries of different keys that are about the same can contradict each other. Default: Key.
	Fact string `json:"fact,omitempty"`
	// Accepted is false for a write or a delete that the memory refused. Default: true.
	Accepted *bool `json:"accepted,omitempty"`
	// Found is false for a read that found nothing. Default: true; where the log then says neither version nor value, it is not known what was read.
	Found *bool  `json:"found,omitempty"`
	Time  string `json:"time,omitempty"` // for the reader of the log alone: the order of the log is what counts
	// Position is where the operation stands in its log.
	Position transcript.Position `json:"position"`
}

// A Kind is what an operation does.
type Kind string

// The kinds of operations.
const (
	Propose  Kind = "propose"
	Approve  Kind = "approve"
	Reject   Kind = "reject"
	Write    Kind = "write"
	Read     Kind = "read"
	Delete   Kind = "delete"
	Conflict Kind = "conflict" // the memory says that facts contradict each other
)

// ErrOp is what every error about an operation that cannot be used wraps.
var ErrOp = errors.New("not a memory operation")

// Validate returns an error that names the field if the operation cannot be judged.
func (o Op) Validate() error {
	switch o.Kind {
	case Propose, Approve, Reject, Read, Delete, Conflict:
	case Write:
		if o.Base == nil {
			return fmt.Errorf("%w: a write without its base version", ErrOp)
		}
	default:
		return fmt.Errorf("%w: op %q: want propose, approve, reject, write, read, delete or conflict", ErrOp, o.Kind)
	}
	switch {
	case o.Run == "":
		return fmt.Errorf("%w: a %s without a run", ErrOp, o.Kind)
	case o.Key == "" && (o.Kind != Conflict || o.Fact == ""):
		return fmt.Errorf("%w: a %s without a key", ErrOp, o.Kind)
	case o.Version < 0:
		return fmt.Errorf("%w: version %d", ErrOp, o.Version)
	case o.Base != nil && *o.Base < 0:
		return fmt.Errorf("%w: base version %d", ErrOp, *o.Base)
	case !o.found() && (o.Version > 0 || o.Value != ""):
		return fmt.Errorf("%w: a %s that found nothing, and yet a version or a value", ErrOp, o.Kind)
	}
	return nil
}

// accepted reports whether a write or a delete took effect.
func (o *Op) accepted() bool { return o.Accepted == nil || *o.Accepted }

// found reports whether a read returned something, as far as the log says.
func (o *Op) found() bool { return o.Found == nil || *o.Found }

// about returns what the operation is about.
func (o *Op) about() string { return cmp.Or(o.Fact, o.Key) }

// ReadLog reads operations from JSON lines, in the order in which they happened:
//
//	{"op": "propose", "run": "r1", "actor": "agent", "key": "build", "version": 1, "value": "use make"}
//	{"op": "approve", "run": "r1", "actor": "reviewer", "key": "build", "version": 1}
//	{"op": "write", "run": "r1", "actor": "agent", "key": "build", "base": 0, "version": 1, "value": "use make"}
//	{"op": "read", "run": "r1", "actor": "agent", "key": "build", "version": 1, "value": "use make"}
//
// A line that is no operation costs that line. All errors come joined, each a [transcript.Problem] with file and line, beside the operations
// that could be read; what is judged without the others may be wrong.
func ReadLog(r io.Reader, name string) (ops []Op, err error) {
	err = strictjson.Lines(r, name, func(pos transcript.Position, o Op) error {
		if err := o.Validate(); err != nil {
			return err
		}
		o.Position = pos
		ops = append(ops, o)
		return nil
	})
	return ops, err
}
