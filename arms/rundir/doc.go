// Package rundir finds the logs of arms in a directory, and reads them.
//
// An arm's runs are files by name: run-<label>-<i>.jsonl are independent runs, run-<label>.jsonl is one, and .t2, .t3, …
// before the extension are the later turns of the same session, never runs of their own. In a directory with run-new-1.jsonl,
// run-new-2.jsonl, run-new-2.t2.jsonl and run-old.jsonl, Find(dir, "new", "old") gives two runs of new, the second of two
// files, and one of old. Files with other names are given as label=glob.
//
// It compares nothing: package arms does that with what [Read] returns.
package rundir
