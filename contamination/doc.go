// Package contamination checks whether a run reached the retrieval tool by a back door.
//
// The tool under test must be reached in one way only. In an arm that is not meant to have it, or that is meant to use its MCP server,
// a shell command that runs the tool's own command line is an attempt to reach it otherwise. An attempt whose result is no
// error returned output: the run is contaminated, and its other figures prove nothing. One that failed was blocked, which is
// benign.
//
// A run with `codegraph explore x` that printed something, `npx codegraph query x` that a hook denied, and
// `grep codegraph README.md`, has 2 attempts: 1 returned, 1 blocked. To look is not to run.
//
// # What it is not
//
// It reads commands in a log; it is no sandbox. A program that starts the tool by its own means (make, a script that is not in the log) is
// not seen. Prevent first, and check then.
package contamination
