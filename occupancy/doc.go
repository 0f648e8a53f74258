// Package occupancy measures residual context occupancy: how many tokens of the model's window the responses of a
// retrieval tool, and those of the tools it competes with, still hold when a run ends.
//
// # How
//
// The log says how many tokens each request's prompt had, so the difference between neighbouring requests is exactly
// what was appended between them: a gap. [Analyze] takes the characters per token of this session from the gaps that are
// nearly all tool result, prices every tool result, keeps the results of a thread in a queue, and takes from the queue what
// compactions, micro-compactions and unannounced shedding removed. What is left is the residual. No tokenizer is
// involved, and no fixed number of bytes per token.
//
// What the model itself wrote is in a gap too. It is subtracted where the log gives the final count of a request, or, as a stream
// does, that of a turn, which is then shared out over the turn's messages by what the log shows of each; else the client's estimate of the thinking
// is. Results that are all else in a gap share what is left of its growth; any other result is priced at the session's characters per token. What the client attached to the messages is in session logs and not in streams, so beside a long attachment the results of a stream are
// priced too high.
//
// Three requests of 10,000, 14,000 and 16,000 tokens, with a retrieval result of 10,000 characters in the first gap and a
// file of 5,000 characters in the second, give 15,000 / 6,000 = 2.5 characters a token. The retrieval result holds 4,000 tokens,
// 25 % of the final context of 16,000; the file holds 2,000; 10,000 are fixed; nothing is left for conversation.
//
// Always:
//
//	fixed part + residual of each family + conversation = final context
//	contributed = residual + evicted + cleared, added over the families
//
// # What it is not
//
// It is no quality: a small residual is good only if the answer was right. It is no cost either: a result is paid for
// with each request that carries it, and that is not what stands at the end. A subagent has a window of its own
// and is reported apart. Figures of runs under different models do not compare, for their tokens differ.
//
// What the log does not show is inferred and said in [Block.Notes]; what cannot be known is nil, never 0.
package occupancy
