// Package harness runs an agent on the same task under two or more arms, fairly, and leaves the logs where package rundir finds them.
//
// A [Spec] says what to run: a target, tasks, arms, an agent. [Load] reads one from a file, checks it, and expands its shorthands; [New] makes a
// [Harness] of it, whose Plan lists the runs and whose Run makes them. Three runs of two arms on one task are six runs, in the order new-1, baseline-1,
// baseline-2, new-2, new-3, baseline-3: the arms take turns, and so does who is first.
//
// Every run has a fresh copy of the target, which its arm's own build indexes, a server of its own, and no way to the tool's command
// line (see contamination.Shield). A run counts when its agent ended by itself and its log says how; all others are lost, listed with the
// reason, and made again by the next call. Nothing is deleted that the harness did not make.
//
// It measures nothing: packages rundir and arms do that with the logs.
package harness
