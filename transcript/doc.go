// Package transcript reads the logs that coding agents leave behind into one event model, on which metrics stand.
//
// A [Session] is one agent session: its [Segment] values are the logs it was read from, its [Thread] values are its windows (the main
// conversation first, then one per subagent), and each thread holds its [Event] values in order: requests, texts, tool
// calls, tool results, compactions, results. Read one from files, from any reader, or event by event while the run
// still writes:
//
//	s, err := transcript.ReadFiles(transcript.Options{}, "run.jsonl", "run.t2.jsonl")
//	s, err := transcript.Decode(os.Stdin, "stdin", transcript.Options{})
//	d := transcript.NewDecoder(pipe, "live", transcript.Options{})
//	for ev, err := range d.All() { … }
//
// # What it takes care of
//
// Claude Code writes one line per content block and repeats message id and usage on each, so a naive sum counts a
// request two or three times. Here a message of three lines, each with input 3, cache read 20,000 and cache creation
// 500, is one [Request] whose prompt has 20,503 tokens. A usage that is missing stays missing; placeholders that never
// reached the model are no requests; what a resumed log repeats is counted once; subagents have threads of
// their own. A line that cannot be used costs that line, and the [Report] says which, where and why.
//
// Lengths are UTF-16 code units, as JavaScript counts them, so that they compare with what other tools report. Texts that no
// metric reads are measured and dropped; set [Options.KeepText] to keep them.
//
// # What it is not
//
// It judges nothing: which tools are under test is said by [Tools], what a retrieval response holds by a
// [ResponseParser], and everything else is left to the metrics. It does not write logs, and it prices nothing: costs are what
// the client reported.
package transcript
