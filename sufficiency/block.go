package sufficiency

import "github.com/agent-eval/feedback/transcript"

// A Bucket is what the agent did next, and so what a response lacked.
type Bucket string

// The buckets, in the order in which they are reported.
const (
	ExploreAgain Bucket = "explore_again" // called the retrieval tool again: it did not answer
	ReadReturned Bucket = "read_returned" // read a file that was returned: right file, wrong bytes
	ReadMissed   Bucket = "read_missed"   // read a file that was not returned: it never surfaced
	Search       Bucket = "search"        // searched: still hunting, a weaker sign of the same
	Sufficient   Bucket = "sufficient"    // did anything else, or answered: enough, which is not the same as correct
)

// Buckets returns the buckets in the order in which they are reported.
func Buckets() []Bucket {
	return []Bucket{ExploreAgain, ReadReturned, ReadMissed, Search, Sufficient}
}

// A Reason says why a call has no bucket. The empty Reason means that it has one.
type Reason string

// Of a call that failed or never returned there is nothing to judge; [Block].Errors counts both.
const (
	Failed     Reason = "failed"     // its result is an error
	Unanswered Reason = "unanswered" // its result is not in the log
)

// Of an answered call, the log may not show what came next; [Block].CutOff counts these.
const (
	TurnLimit   Reason = "turn_limit"   // the run was stopped by its turn limit right after the call
	RunError    Reason = "run_error"    // the run, or the subagent that decides, failed right after the call
	Interrupted Reason = "interrupted"  // the user spoke before the agent did or said anything
	Killed      Reason = "killed"       // the log ends right after the call, without an answer
	UnseenAgent Reason = "unseen_agent" // the agent delegated, and the subagent is not in the log
	UnnamedFile Reason = "unnamed_file" // the agent read a file, and the log does not say which
)

// A Block is the sufficiency of all judged calls of a session, main thread and subagents together. It is plain data. The judged
// calls are Answered + Errors + CutOff; a session without any has a zero Block.
type Block struct {
	// Answered is the number of calls that have a bucket; Counts adds up to it.
	Answered int `json:"answered"`
	// Errors is the number of calls that failed or never returned.
	Errors int `json:"errors"`
	// Concurrent is the number of actions that came after an answered call in the same assistant message and so are no
	// verdict on it: actions, not calls, and each once, whatever the number of calls before it.
	Concurrent int `json:"concurrent"`
	// CutOff is the number of calls that returned, but of what came next the log shows too little for a verdict.
	CutOff int `json:"cut_off"`
	// MissedNamed is how many of Counts.ReadMissed read a file that the response at least named.
	MissedNamed int    `json:"missed_named"`
	Counts      Counts `json:"counts"`
	// Calls are the judged calls, thread by thread as in the session and in order within each. Never nil after Analyze.
	Calls []Call `json:"calls"`
}

// Counts are numbers of calls by [Bucket].
type Counts struct {
	ExploreAgain int `json:"explore_again"`
	ReadReturned int `json:"read_returned"`
	ReadMissed   int `json:"read_missed"`
	Search       int `json:"search"`
	Sufficient   int `json:"sufficient"`
}

// Of returns the number of calls in bucket b, 0 for a bucket that does not exist.
func (c Counts) Of(b Bucket) int {
	if n := c.field(b); n != nil {
		return *n
	}
	return 0
}

func (c *Counts) field(b Bucket) *int {
	switch b {
	case ExploreAgain:
		return &c.ExploreAgain
	case ReadReturned:
		return &c.ReadReturned
	case ReadMissed:
		return &c.ReadMissed
	case Search:
		return &c.Search
	case Sufficient:
		return &c.Sufficient
	}
	return nil
}

// A Call is one judged call of the retrieval tool.
type Call struct {
	Position transcript.Position `json:"position"`
	Thread   string              `json:"thread"` // id of the delegating call; empty on the main thread
	Query    string              `json:"query"`  // what it asked, as it stands in the log
	Files    int                 `json:"files"`  // different files that the response shows
	Chars    int                 `json:"chars"`  // length of the whole response, UTF-16 code units
	Bucket   Bucket              `json:"bucket"` // empty when there is no verdict
	// Next is what the agent did next: a tool without its server's name, and the base name of the file where there is one
	// ("codegraph_explore", "Read response.js", "Grep", "Bash response.js"); "answer" when the turn ended; and for a
	// delegation both steps ("Agent → Read response.js"). It is empty where the log shows nothing.
	Next string `json:"next"`
	// NextPosition is where the action that decided stands, zero for an answer.
	NextPosition transcript.Position `json:"next_position"`
	// Named reports, for ReadMissed, that the response at least named the file. It is false elsewhere.
	Named bool `json:"named,omitempty"`
	// Reason says why there is no bucket.
	Reason Reason `json:"reason,omitempty"`
}

// add counts a call and appends it.
func (b *Block) add(c Call) {
	b.Calls = append(b.Calls, c)
	b.count(&b.Calls[len(b.Calls)-1])
}

// count adds a call that has its bucket or its reason to the totals. A call that still waits counts nowhere.
func (b *Block) count(c *Call) {
	if n := b.Counts.field(c.Bucket); n != nil {
		*n++
		b.Answered++
	}
	if c.Named {
		b.MissedNamed++
	}
	switch c.Reason {
	case "":
	case Failed, Unanswered:
		b.Errors++
	default:
		b.CutOff++
	}
}
