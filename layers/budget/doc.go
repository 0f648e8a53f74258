// Package budget asks whether a harness's budgets are causal: did they decide what the agent did, or were they only written down?
//
// A budget limits what enters the model's window: prompts in tokens, or tool results in characters, per call, turn or run. [Analyze] takes
// a session and the budgets that its harness declares, and finds the calls over budget, those that went through all the same and those that
// were really stopped, the requests whose usage is missing, the turns that ran away between two checks, and budgets that bound the same
// window in different ways with none that decides. A success of a run in which a call over budget went through may be owed to that call.
//
// Requests with prompts of 90,000, 120,000 and 80,000 tokens under a budget of 100,000 tokens per call: 3 calls, 1 over (a share of 0.333), 1
// through. The same under a budget of 250,000 tokens per run: 90,000, 210,000 and 290,000 so far, so the third call is over.
//
// For authors of harnesses, a [Gate] keeps a budget before the call: it estimates, refuses, and is told the usage afterwards.
//
// # What it is not
//
// It counts what the log has. A call that was stopped leaves no line of its own: it is seen where the client compacted instead, and where the
// harness says so ([Options.Refused]); so Stopped is a lower bound, Through is exact. Nor does it price anything: prompts are
// counted whole, read from a cache or not, and what the model writes is not counted at all until it is in the next prompt.
//
// # Sources
//
// The size of a prompt is input + cache read + cache creation of the API's usage. The gate's estimate is calibrated as package occupancy
// calibrates: lower median of the ratios, those beyond a factor of 1.5 left out, the rest pooled. A context budget that is checked only
// between turns is what the term runaway turn is about; the term and its definition are this package's own.
package budget
