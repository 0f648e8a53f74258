// Package arms puts the metrics of runs side by side.
//
// A [Run] is one session with all of its blocks: what occupancy, sufficiency, allocation and contamination say of it, beside
// the facts of [transcript.Summary]. [Measure] makes one of a session that was read once, so that all figures stand on the
// same parse; a run of two requests, one retrieval and an answer that cites half of the returned characters has one
// answered call in its sufficiency and an efficiency of 0.5 in its allocation.
//
// It reads no files: package transcript does that. It judges nothing itself: every figure is a metric's.
package arms
