package contamination

import (
	"strings"

	"github.com/agent-eval/feedback/internal/shell"
)

// What is longer, or stands for more patterns, than anybody writes is not gone through, and counts.
const (
	maxGlob     = 4 << 10
	maxPatterns = 4 << 10
)

// globIn reports whether a search in the files of a glob looks into one of the directories. As the client takes it, a glob is a list of
// patterns, separated by spaces or commas, in which braces hold alternatives; one that begins with ! leaves files out.
func globIn(glob string, dirs []string) bool {
	if len(dirs) == 0 || glob == "" {
		return false
	}
	if len(glob) > maxGlob {
		return true
	}
	left := maxPatterns
	outside := func(patterns string) bool {
		left--
		for p := range strings.SplitSeq(patterns, ",") {
			if left < 0 || !strings.HasPrefix(p, "!") && shell.PathIn(p, dirs) {
				return false
			}
		}
		return true
	}
	for p := range strings.FieldsSeq(glob) {
		if !alternatives(p, outside) {
			return true
		}
	}
	return false
}

// alternatives calls yield with each pattern without braces that a pattern stands for, until it returns false.
func alternatives(pattern string, yield func(string) bool) bool {
	for open := range len(pattern) {
		if pattern[open] != '{' {
			continue
		}
		list, rest, ok := braces(pattern[open+1:])
		if !ok {
			continue // nothing closes it: a brace like any letter
		}
		for _, alternative := range list {
			if !alternatives(pattern[:open]+alternative+rest, yield) {
				return false
			}
		}
		return true
	}
	return yield(pattern)
}

// braces returns the alternatives up to the brace that closes them, and what follows it.
func braces(text string) (list []string, rest string, ok bool) {
	depth, from := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == ',' && depth == 0:
			list = append(list, text[from:i])
			from = i + 1
		case c == '}':
			return append(list, text[from:i]), text[i+1:], true
		}
	}
	return nil, "", false
}
