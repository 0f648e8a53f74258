// Package sufficiency judges the responses of a retrieval tool by what the agent did next.
//
// Every answered call of the tool falls into one [Bucket], that of the first substantive action after it in the same
// thread. An agent that asks again was not answered. One that reads a file which the response already showed got the right
// file and the wrong lines. One that reads another file, or searches, was not shown what it needed. One that edits, runs
// the tests or answers had enough.
//
// A run that asks once, reads a file of the response, asks again, and answers has two answered calls: one
// [ReadReturned], one [Sufficient], 50 % each. Its text block says so, one line a call:
//
//	Explore sufficiency — what the agent did NEXT (2 answered calls):
//	    0   0%  explore again                  insufficient: did not answer
//	    1  50%  Read a file we returned        allocation: right file, wrong bytes
//	    0   0%  Read a file we did not return  recall: file never surfaced
//	    0   0%  Grep/Glob                      recall (weak): still hunting for the file
//	    1  50%  moved on / answered            sufficient
//	  1. "res.send Content-Type" [3 files] → Read response.js
//	  2. "setHeader" [1 file] → answer
//
// # What decides
//
//   - An action is a tool call. Text and thinking are none, and the tools that [transcript.Tools] calls bookkeeping are stepped
//     over. An action that failed or was denied still shows what the agent wanted.
//   - An action in the same assistant message was sent before the response existed: it is no verdict, and
//     [Block].Concurrent counts it. The first action of a later message decides, for all calls of the earlier message.
//   - A turn ends with its answer, and the next turn says nothing about a call of the one before.
//   - A delegation is judged by the first action of its subagent. What a subagent does otherwise is never held against
//     a call of another thread.
//   - A shell command that shows files is a read, one that looks for something is a search, and one that runs the
//     retrieval tool's own command line ([transcript.Tools].CLI) is a call of the tool by another way: [ExploreAgain].
//   - A file was returned when a section of a response shows it: of this call's, or of any that the thread had received
//     before the read. Two paths are the same file when they are equal once cleaned, or when one is the tail of the other by
//     whole components: lib/response.js and /home/dev/proj/lib/response.js. Different files with equal tails pass for one.
//
// Where the log does not show what came next, there is no verdict: the call is counted apart, with a [Reason].
//
// # What it is not
//
// Sufficient means that the agent moved on, not that its answer is right, and not that the response was small: read the figure
// beside residual occupancy and allocation. A call is judged by one action, so one run says little; pool the calls of
// several.
package sufficiency
