// Package arms puts the metrics of runs side by side: did it move?
//
// A [Run] is one session with all of its blocks: what occupancy, sufficiency, allocation and contamination say of it, beside
// the facts of [transcript.Summary]. [Measure] makes one of a session that was read once, so that all figures stand on the
// same parse; a run of two requests, one retrieval and an answer that cites half of the returned characters has one
// answered call in its sufficiency and an efficiency of 0.5 in its allocation.
//
// An [Arm] is the runs of one build, and [Compare] makes a [Table] of several: behavior and occupancy as median [min–max] over the
// runs, sufficiency pooled over the calls, allocation pooled over the characters, contamination added up. Of three runs with a
// residual of 7,193, 11,549 and 12,591 tokens the cell is 11,549 [7,193–12,591], and that range holds the true median 75 % of the
// time. For two arms it says what changed, and whether that can be told from noise; with three runs against three no rank test can.
// What the logs say of how the runs were made has to be the same in all of them but for the treatment: anything else is a [Difference].
//
// It reads no files: package rundir finds and reads those of a directory, and package campaign sums up arms over several
// repositories. It judges nothing itself: every figure is a metric's, every test one of the literature.
package arms
