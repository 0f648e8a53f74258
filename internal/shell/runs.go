package shell

import (
	"slices"
	"strings"
)

// Runs reports whether the command line runs one of the named commands, and how the first such invocation is written:
// the word in command position, such as codegraph, /opt/bin/codegraph or @scope/codegraph@1.2, without
// quotes, with variables filled in, and with … for what cannot be told.
//
// A command runs in any command position: alone, in lists, pipelines, loops, substitutions and called functions, behind
// assignments, aliases and wrappers (env, sudo, timeout, xargs, find -exec, npx, …), as the script of an interpreter
// (node dist/codegraph.js), and inside a script (sh -c '…', su -c '…', eval, trap, a here-document for a shell). Only the last element of a path counts,
// without the extension of a script or of a Windows program and without regard to case; of a package, without its version.
// To look is not to run: arguments, comments, quoted text, which, type and command -v are no runs, and neither is
// installing a package or declaring a function that is never called.
//
// A line that may run the command, and that is too long or nested too deeply to be gone through, counts as one that does; its invocation is …
//
// Names are plain names; an empty one matches nothing, and no names match nothing.
func (r *Reader) Runs(command string, names []string) (invocation string, ok bool) {
	if !slices.ContainsFunc(names, func(n string) bool { return mayRun(command, n) }) {
		return "", false
	}
	d := r.dryRun(names)
	d.script(command, nil, input{})
	if d.lost && !d.hit {
		return unread, true
	}
	return d.found, d.hit
}

// unread is how an invocation is written that may stand in what could not be gone through.
const unread = "…"

// mayRun reports whether a line can run the command at all: it holds the name, apart from quotes, or something that may
// expand to it. Most lines do not, and need no parsing.
func mayRun(command, name string) bool {
	name = baseName(name)
	if name == "" || strings.ContainsAny(command, "$`") || strings.Contains(command, "{") && strings.Contains(command, ",") {
		return name != ""
	}
	for i := range len(command) {
		if holdsAt(command[i:], name) {
			return true
		}
	}
	return false
}

// holdsAt reports whether the line begins with the name, apart from case, quotes, backslashes and continuations.
func holdsAt(line, name string) bool {
	n := 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' || c == '"' || c == '\\' || c == '\n':
			if n == 0 {
				return false // tried from the next byte
			}
		case lower(c) != lower(name[n]):
			return false
		default:
			if n++; n == len(name) {
				return true
			}
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// saw notes that the word stands in a command position, and ends the dry run if that is what is looked for.
func (d *dryRun) saw(word string) { d.sawAs(word, word) }

// sawAs is saw for an invocation that is written in another way than the name that it runs.
func (d *dryRun) sawAs(name, written string) {
	if d.hit || !slices.ContainsFunc(d.names, func(n string) bool { return isCommand(name, n) }) {
		return
	}
	d.found, d.hit = strings.ReplaceAll(written, unknown, "…"), true
	d.fuel = 0
}

// sawPackage notes that the package, given as a package runner takes it, is run.
func (d *dryRun) sawPackage(spec string) { d.sawAs(packageName(spec), spec) }

// sawScript notes that an interpreter runs the file.
func (d *dryRun) sawScript(file string) {
	d.saw(file)
	elems := strings.FieldsFunc(file, isSlash)
	for i := 1; i < len(elems)-1; i++ {
		// A package's own script, whatever its name.
		if before := elems[i-1]; before == "node_modules" || before[0] == '@' || strings.Contains(before, unknown) {
			d.sawAs(elems[i], file)
		}
	}
}

// isCommand reports whether the word, in command position, runs the command with the given name.
func isCommand(word, name string) bool {
	base := baseName(word)
	return strings.EqualFold(base, baseName(name)) || strings.EqualFold(trimExtension(base), baseName(name))
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// baseName returns the last element of a path with slashes or backslashes.
func baseName(path string) string {
	return path[strings.LastIndexFunc(path, isSlash)+1:]
}

// commandName returns the name of the program that the word in command position runs.
func commandName(word string) string {
	base := baseName(word)
	if ext := extension(base); ext == ".exe" || ext == ".cmd" || ext == ".bat" {
		return base[:len(base)-len(ext)]
	}
	return base
}

// extensions are those of Windows programs and of scripts.
const extensions = " .exe .cmd .bat .com .ps1 .js .mjs .cjs .ts .mts .cts .py .rb .pl .php .sh .bash .zsh .jar "

func extension(base string) string {
	i := strings.LastIndexByte(base, '.')
	if i <= 0 {
		return ""
	}
	return strings.ToLower(base[i:])
}

func trimExtension(base string) string {
	if ext := extension(base); ext != "" && strings.Contains(extensions, " "+ext+" ") {
		return base[:len(base)-len(ext)]
	}
	return base
}

// packageName returns the last element of a package's name, without its version: codegraph for @scope/codegraph@1.2,
// github:org/codegraph#main and https://host/codegraph.git.
func packageName(spec string) string {
	spec, _, _ = strings.Cut(spec, "#")
	base := spec[strings.LastIndexAny(spec, "/:")+1:]
	if i := strings.IndexByte(base, '@'); i > 0 {
		base = base[:i]
	}
	return strings.TrimSuffix(base, ".git")
}

// IsCommand reports whether a file of that name, or a path to one, runs the named command when it is called: only the last element counts, without
// the extension of a script or of a Windows program and without regard to case.
func IsCommand(file, name string) bool { return baseName(name) != "" && isCommand(file, name) }
