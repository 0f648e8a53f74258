// Package harness checks the runtime around the model: what it does the same, and what it keeps from happening. Everything is read from
// sessions, so it costs no run, and needs no model to judge.
//
//	Compare         parity: the same trajectory on the old and the new runtime, ids and times aside
//	Choose          tool choice: the calls made against those expected
//	Repeated        calls made again with nothing changed in between
//	Recover         what came of each tool error: recovered, repeated, given up, and in how many steps
//	Reliable        pass@k and pass^k over tasks
//	ReadGates       named gates that the harness checked itself: consistency, sandbox, rollback, …
//	Expose, Secure  whether an injected instruction was followed, and utility and security together
//
// Each turns what it found into defects of package layers. Where there is nothing to judge, a figure is nil and in no mean.
//
// Of five runs of a task four succeed: pass^3, the chance that three of three do, is C(4,3)/C(5,3) = 4/10, while pass@3 is 1, for
// among any three one succeeded. Where two equal calls were expected and both made, the score of the tool choice is 1; with base=999 in one
// of them, where 10 is right, it is 2·1/4 = 0.5.
//
// # What it is not
//
// It runs nothing, and it does not say which of two trajectories is better. That a task was solved is the caller's to say. A command line may change
// anything, so a call after one that is more than reading and searching is no repetition: the figure errs towards fewer. An attempt at the
// same is recognized by tool, path or program, not by what the agent had in mind.
//
// # Sources
//
// Tool choice: Patil et al., The Berkeley Function Calling Leaderboard (BFCL). pass@k: Chen et al., Evaluating Large Language Models Trained on Code
// (2021). pass^k: Yao et al., τ-bench (2024). Utility under attack and attack success: Debenedetti et al., AgentDojo (2024). Edit distance:
// Levenshtein (1966), computed as by Ukkonen (1985). Assignment: Kuhn (1955). Repetition and recovery are this package's own definitions.
package harness
