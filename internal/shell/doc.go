// Package shell says what a shell command line does without running it: which files it shows, whether it searches,
// and which commands it runs. It parses the line with mvdan.cc/sh/v3/syntax, as bash or else as zsh, and then goes
// through it as the shell would: it follows lists, pipelines, loops, functions, subshells, substitutions,
// variables that the line itself assigns, cd, wrappers such as sudo and xargs, and scripts inside scripts such as sh -c '…'.
//
//	r.Classify("cd lib && sed -n 1,80p response.js | head") // Read of lib/response.js
//	r.Classify("grep -rn res.send . | head")                // Search
//	r.Classify("go build ./... 2>&1 | grep -v warn")        // Other
//	r.Runs("npx -y @scope/codegraph@1.2 init", names)       // @scope/codegraph@1.2, true
//	r.ReadsIn("cd .index && sqlite3 db .dump", dirs, "")    // ., true
//
// It is not a sandbox and no proof: what depends on the machine (environment variables, aliases, what a glob matches,
// what a program prints) is unknown to it, a branch counts whether or not it would be taken, and a program that starts
// another one by its own means (python -c, make) is not looked into.
//
// A line of any content costs bounded time and memory: 256 KB of it are read, nesting is followed up to a depth of a few
// hundred, and the work of loops, functions and nested scripts is limited. What lies beyond is passed over.
// All functions are safe for concurrent use.
package shell
