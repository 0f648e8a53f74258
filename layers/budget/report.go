package budget

import "github.com/agent-eval/feedback/transcript"

// A Report says what became of the declared budgets in one session. It is plain data.
type Report struct {
	// Causal is whether the budgets decided what was done: true only if something was measured, no call over budget went through
	// and no request was without usage. Why says what speaks against it, one sentence each; it is empty when Causal is true.
	Causal bool     `json:"causal"`
	Why    []string `json:"why"`
	// Requests counts the requests of the model in all threads. Missing are those of them whose prompt the log does not size.
	Requests int       `json:"requests"`
	Missing  []Missing `json:"missing"`
	// Budgets are what became of each budget, in the order in which they were given.
	Budgets  []Result  `json:"budgets"`
	Overlaps []Overlap `json:"overlaps"`
	Turns    Turns     `json:"turns"`
}

// Missing is a request without usage. It is never taken as zero: whoever adds up prompts does not know what was spent from it on.
type Missing struct {
	Position transcript.Position `json:"position"`
	Thread   string              `json:"thread"` // as in transcript.Thread.ID
	// LetThrough reports that the run went on as if it had cost nothing: the thread made a later request, or the session ended well.
	LetThrough bool `json:"let_through"`
}

// Result is what became of one budget.
type Result struct {
	Budget Budget `json:"budget"` // with its defaults
	// Unmeasured says why there is nothing to judge: the budget is not valid, or no call of its kind was measured. Empty otherwise.
	Unmeasured string `json:"unmeasured,omitempty"`
	// Calls counts the calls that were judged: those that the log measures, and those that were stopped.
	Calls int `json:"calls"`
	// Over are the calls over budget in the order in which they happened. Through of them were made all the same, Stopped were not; the
	// two add up to len(Over).
	Over    []Call `json:"over"`
	Through int    `json:"through"`
	Stopped int    `json:"stopped"`
	// OverShare is the part of the calls that was over budget, and ThroughShare the part of those that went through: from 0 to 1, lower
	// is better. Nil when there is nothing to take a part of.
	OverShare    *float64 `json:"over_share"`
	ThroughShare *float64 `json:"through_share"`
	// Peak is the largest amount that a call, turn or run came to, in the budget's unit, stopped calls left out; nil without any.
	Peak *int `json:"peak"`
}

// A Call is one call over budget.
type Call struct {
	// Position is the request or the tool result; for a stopped call the compaction that came in its place, or what the caller said.
	Position transcript.Position `json:"position"`
	Thread   string              `json:"thread"` // as in transcript.Thread.ID
	// Amount is what the scope came to with this call, in the budget's unit.
	Amount  int  `json:"amount"`
	Stopped bool `json:"stopped"` // it was not made
}

// An Overlap is two budgets that bound the same window in different ways, with no single one that decides.
type Overlap struct {
	Budgets [2]string `json:"budgets"` // their names
	// Differ are what they differ in: unit, scope, enforcement.
	Differ []string `json:"differ"`
}

// Turns are the turns that ran away: within one turn the context crossed the threshold over several tool calls, no compaction came until
// it ended, and it ended above. A check at the end of turns, or between compactions, does not see one. After a compaction within a turn it begins
// anew: what counts are the prompts and the calls from there to the end.
type Turns struct {
	// Threshold is a size of context in tokens; nil when neither the options nor a budget give one.
	Threshold *int `json:"threshold"`
	// Measured counts the turns of all threads that were judged. Of those in Unmeasured a missing usage hides whether they ran away: no prompt is
	// known, or not the one that would tell where the turn began or ended.
	Measured   int    `json:"measured"`
	Unmeasured int    `json:"unmeasured"`
	Runaway    []Turn `json:"runaway"`
	// Share is the part of the measured turns that ran away, from 0 to 1, lower is better; nil without a threshold or a turn.
	Share *float64 `json:"share"`
}

// A Turn is one that ran away.
type Turn struct {
	Position transcript.Position `json:"position"` // the request that crossed the threshold
	Thread   string              `json:"thread"`   // as in transcript.Thread.ID
	Calls    int                 `json:"calls"`    // tool calls of the turn, or since its last compaction; at least 2
	// Start, Peak and End are the first, the largest and the last prompt of the turn, in tokens.
	Start int `json:"start"`
	Peak  int `json:"peak"`
	End   int `json:"end"`
}
