// Package memory asks two things of an agent's memory: does it keep its rules, and is it of use? A state machine without a fault can
// hold nothing worth knowing, and a useful memory can lose updates, so both are measured, and neither stands for the other.
//
// The contract: [ReadLog] reads the log of a memory's operations, and [Check] finds illegal transitions, writes that nobody approved, lost
// updates, reads of what another run wrote, and contradictions that were accepted in silence, each with file and line. Two accepted writes on
// base version 1 are one lost update; had the memory refused the second, there would be none.
//
// The capability: a [Probe] is a lesson that a first session holds. [Score] says of a later one whether memory returned the workaround, whether
// the agent used it, and whether plan A was tried again first. [Compare] gives the experience recall rate of arms that retrieve memories in
// different ways, and checks that nothing else differs. Of ten probes, memory returned the workaround in eight, and the agent used six of
// these: the recall is 0.6, by Wilson's interval from 0.31 to 0.83.
//
// [Classify] sorts what episodes hold: only what happened, or something learnt.
//
// # What it is not
//
// It grades no answer and runs no memory. A probe recognizes actions by the tool and a text in its input; a workaround carried out in other words
// is not seen. That memory returned a text and the agent then acted on it is no proof that it acted because of it: compare with
// an arm without memory, in which Returned is 0 and Used is what the model finds by itself. The sorting of episodes goes by words.
//
// # Sources
//
// The lost update and its test by base versions are those of optimistic concurrency control (Kung and Robinson, ACM TODS 6, 1981). Intervals are
// Wilson's (JASA 22, 1927). Rules and the recall of experience are this package's own.
package memory
