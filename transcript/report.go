package transcript

import "slices"

// A Report says what was read, and what was not understood. Nothing that is passed over is passed over in silence.
type Report struct {
	// Lines counts the events of the logs by type, such as assistant, user, system/init.
	Lines map[string]int
	// Unknown counts what the reader has no rule for by name, such as "event brand_new" or "block hologram".
	Unknown map[string]int
	// Problems are the lines, or parts of lines, that could not be used, at most [MaxProblems] of them.
	Problems []Problem
	// MoreProblems is how many further problems there were.
	MoreProblems int
	// Copies is how many lines or blocks were left out because an earlier one of the session was the same.
	Copies int
	// Orphans is how many tool results have no call in the logs.
	Orphans int
	// Branches is how many branches of the conversation a rewind left behind.
	Branches int
	// Unmeasured is how many requests have no usage, or one of zero.
	Unmeasured int
	// Versions are the client versions that the logs name, each once, in order.
	Versions []string
}

// MaxProblems is how many problems a [Report] lists. A log that holds more is no transcript.
const MaxProblems = 1000

// A Problem is a line, or a part of one, that could not be used.
type Problem struct {
	Pos    Position `json:"position"`
	Reason string   `json:"reason"`
}

// Error returns position: reason.
func (p Problem) Error() string { return p.Pos.String() + ": " + p.Reason }

func (r *Report) problem(pos Position, reason string) {
	if len(r.Problems) >= MaxProblems {
		r.MoreProblems++
		return
	}
	r.Problems = append(r.Problems, Problem{pos, reason})
}

func (r *Report) unknown(name string) { count(&r.Unknown, name) }

func (r *Report) version(v string) {
	if v != "" && !slices.Contains(r.Versions, v) {
		r.Versions = append(r.Versions, v)
	}
}

func count(m *map[string]int, name string) {
	if *m == nil {
		*m = make(map[string]int)
	}
	(*m)[name]++
}
