package transcript

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A Finding is something that a session's report tells and that a caller may want to be a failure.
type Finding string

// The findings.
const (
	FindProblems   Finding = "problems"   // lines, or parts of them, that could not be used
	FindUnknown    Finding = "unknown"    // event and block types without a rule
	FindCopies     Finding = "copies"     // lines and blocks that were there already
	FindBranches   Finding = "branches"   // branches that a rewind left behind
	FindUnmeasured Finding = "unmeasured" // requests without a usage
	FindOrphans    Finding = "orphans"    // tool results without a call
	FindNoEnd      Finding = "no end"     // a session that is not OK because nothing says that it ended
)

// ErrStrict is what every error of [Strict] wraps.
var ErrStrict = errors.New("strict")

// Strict turns what the session's report tells into an error: the given findings, or all of them if none is given. It is nil where
// there is nothing of the kind. The error names each finding with its number; the problems are in it with their positions
// and can be had by errors.As with a [Problem].
func Strict(s *Session, findings ...Finding) error {
	if len(findings) == 0 {
		findings = []Finding{FindProblems, FindUnknown, FindCopies, FindBranches, FindUnmeasured, FindOrphans, FindNoEnd}
	}
	var errs []error
	for _, f := range findings {
		errs = append(errs, s.strict(f)...)
	}
	return errors.Join(errs...)
}

func (s *Session) strict(f Finding) (errs []error) {
	r := &s.Report
	counted := func(n int, what string) {
		if n > 0 {
			errs = append(errs, fmt.Errorf("%w: %d %s", ErrStrict, n, what))
		}
	}
	switch f {
	case FindProblems:
		for _, p := range r.Problems {
			errs = append(errs, fmt.Errorf("%w: %w", ErrStrict, p))
		}
		counted(r.MoreProblems, "more problems")
	case FindUnknown:
		for _, name := range slices.Sorted(maps.Keys(r.Unknown)) {
			counted(r.Unknown[name], "times unknown: "+name)
		}
	case FindCopies:
		counted(r.Copies, "copies of what was read before")
	case FindBranches:
		counted(r.Branches, "abandoned branches")
	case FindUnmeasured:
		counted(r.Unmeasured, "requests without a usage")
	case FindOrphans:
		counted(r.Orphans, "tool results without their call")
	case FindNoEnd:
		if n := len(s.Segments); n == 0 || s.Segments[n-1].Result() == nil && !s.OK() {
			errs = append(errs, fmt.Errorf("%w: the session did not end", ErrStrict))
		}
	default:
		errs = append(errs, fmt.Errorf("%w: no finding is called %q", ErrStrict, f))
	}
	return errs
}
