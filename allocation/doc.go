// Package allocation measures which share of what a retrieval tool returned went to files that the answer cites.
//
// The envelope is the characters of the file sections in all judged responses. A file's sections are used when the final
// answer cites the file: by its path, or by the name of something that only that file defines. The efficiency is
//
//	used / envelope, from 0 to 1, higher is better
//
// Two calls that return lib/response.js with 6,000 characters and lib/express.js with 4,000, and an answer that says
// "see lib/response.js:120", have an efficiency of 0.6. A file that is returned twice took the window twice: it is charged,
// and credited, twice.
//
// # What cites a file
//
//   - Its path: the whole path, the end of it from a directory on, or the base name alone. What follows, such as :120-180, does
//     not matter. A longer path is never read as a bare name: a/index.ts does not cite b/index.ts. A file without an
//     extension is cited by its path, or by its base name in a code span.
//   - A symbol: a name in a code span (`name`) that only this file's section header lists as defined. A variable or
//     constant, which may be an import, yields to a real definition of the name in another file.
//
// A name that three or more returned files carry identifies none of them. Wherever a citation is in doubt it does not count: the
// figure may be too low, and must not be too high. The path channel alone is reported as the conservative figure.
//
// # What it is not
//
// It is relative: it compares builds on the same question and is no grade by itself. An efficient response can be useless, when
// it returned little and the right file was missing; read it beside sufficiency. Without an answer there is no
// figure at all.
package allocation
