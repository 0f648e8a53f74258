// Package contamination checks whether a run reached the retrieval tool by a back door, and keeps an agent from trying.
//
// The tool under test must be reached in one way only. In an arm that is not meant to have it, or that is meant to use its MCP server,
// a shell command that runs the tool's own command line is an attempt to reach it otherwise, and so is reading its index, where
// [Options] name one. An attempt whose result is no error returned output: the run is contaminated, and its other figures
// prove nothing. One that failed was blocked, which is benign.
//
// A run with `codegraph explore x` that printed something, `npx codegraph query x` that a hook denied, and
// `grep codegraph README.md`, has 2 attempts: 1 returned, 1 blocked. To look is not to run.
//
// # Prevention
//
// [Analyze] finds out afterwards. A harness prevents first: a [Shield] is a search path without the command line and a settings file
// with a hook, a [Guard] is what that hook runs, and [Decide] is the one rule that both the hook and Analyze apply.
//
// # What it is not
//
// It reads commands; it is no sandbox. A program that starts the tool by its own means (make, a script that is not in the log) is
// neither seen nor stopped by the hook, though it does not find the tool on the search path.
package contamination
