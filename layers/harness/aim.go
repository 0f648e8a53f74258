package harness

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/transcript"
)

// An aim is what a call is after: two calls of one aim are attempts at the same thing.
type aim struct {
	does  string   // the tool; of a command the program and its subcommand; reading a file is one thing, whatever does it
	files []string // that the call names; empty when it names none
}

const reads = "read"

func aimOf(c *transcript.ToolCall, lines *shell.Reader) aim {
	switch c.Family {
	case transcript.Read:
		return aim{reads, named(c.Args.Path)}
	case transcript.Retrieval, transcript.Search: // a path says where to look, which is what a further attempt may change
		return aim{c.Name, nil}
	case transcript.Shell:
		act := lines.Classify(c.Args.Command)
		if act.Kind == shell.Read && len(act.Files) > 0 {
			return aim{reads, act.Files}
		}
		does, files := program(c.Args.Command)
		if act.Kind == shell.Search {
			does, _, _ = strings.Cut(does, " ")
			files = nil
		}
		return aim{c.Name + " " + does, files}
	}
	return aim{c.Name, named(c.Args.Path)}
}

func named(file string) []string {
	if file == "" {
		return nil
	}
	return []string{file}
}

// same reports whether two calls are after the same: they do the same thing, with a file in common where both name some. A read may find the file in
// another directory than it was first looked for in.
func (a aim) same(b aim) bool {
	if a.does != b.does || len(a.files) == 0 || len(b.files) == 0 {
		return a.does == b.does
	}
	return slices.ContainsFunc(a.files, func(x string) bool {
		return slices.ContainsFunc(b.files, func(y string) bool {
			return oneFile(x, y) || a.does == reads && path.Base(slashed(x)) == path.Base(slashed(y))
		})
	})
}

// oneFile reports whether two names may be of one file: they are equal, or one ends in the other at a slash.
func oneFile(a, b string) bool {
	a, b = slashed(a), slashed(b)
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

func slashed(name string) string { return path.Clean(strings.ReplaceAll(name, `\`, "/")) }

// program returns the program that a command line runs first, changes of directory, assignments and wrappers aside, with the subcommand right
// behind it, if there is one, and the files that it is given.
func program(command string) (does string, files []string) {
	words := strings.Fields(command)
	for i := 0; i < len(words) && does == ""; i++ {
		switch w := words[i]; {
		case w == "cd":
			for i+1 < len(words) && words[i] != "&&" && !strings.HasSuffix(words[i], ";") {
				i++
			}
		case w == "timeout":
			i++ // how long
		case strings.Contains(w, "=") || w[0] == '-' || w == "sudo" || w == "env" || w == "time" || w == "nohup":
		default:
			does, words, i = path.Base(w), words[i+1:], 0
		}
	}
	if len(words) > 0 && does != "" && plain(words[0]) {
		does += " " + words[0]
	}
	for _, w := range words {
		if strings.ContainsAny(w, "|&;<>") {
			break
		}
		w = strings.Trim(w, `"'`)
		if strings.ContainsAny(w, "./") && !strings.HasPrefix(w, "-") && !strings.Contains(w, "...") {
			files = append(files, w)
		}
	}
	return does, files
}

// plain reports whether a word may be a subcommand: it consists of letters, with hyphens and colons between them.
func plain(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != ':' }) < 0 && word[0] != '-'
}
