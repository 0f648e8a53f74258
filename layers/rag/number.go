package rag

import "strings"

// A numbering takes a line as a tool shows it apart: the number, and the text behind it.
type numbering func(line string) (number, text string, ok bool)

// arrowed reads a line as the Read tool and codegraph show it: the number, and an arrow or a tab.
func arrowed(line string) (number, text string, ok bool) {
	number, rest := digits(strings.TrimLeft(line, " \t"))
	if number == "" {
		return "", "", false
	}
	if text, ok = strings.CutPrefix(rest, "\t"); !ok {
		text, ok = strings.CutPrefix(rest, "→")
	}
	return number, text, ok
}

// barred reads a line as other servers show it: 12→text, 12: text or 12 | text.
func barred(line string) (number, text string, ok bool) {
	if number, text, ok = arrowed(line); ok {
		return number, text, ok
	}
	number, rest := digits(strings.TrimLeft(line, " \t"))
	if number == "" {
		return "", "", false
	}
	if text, ok = strings.CutPrefix(rest, ":"); !ok {
		text, ok = strings.CutPrefix(strings.TrimPrefix(rest, " "), "|")
	}
	return number, strings.TrimPrefix(text, " "), ok
}

// ofOne reads a line as grep -n shows one of the only file: 12:text, or 12-text of context.
func ofOne(line string) (number, text string, ok bool) {
	number, rest := digits(line)
	if number == "" || rest == "" || rest[0] != ':' && rest[0] != '-' {
		return "", "", false
	}
	return number, rest[1:], true
}

// located reads a line as grep -n shows one of several files: path:12:text.
func located(line string) (path, number, text string, ok bool) {
	path, rest, ok := strings.Cut(line, ":")
	if !ok || path == "" {
		return "", "", "", false
	}
	number, rest = digits(rest)
	text, ok = strings.CutPrefix(rest, ":")
	return path, number, text, ok && number != ""
}

// around reads a line of context, path-12-text, of one of the files.
func around(line string, files map[string]bool) (path, number, text string, ok bool) {
	for at := range min(len(line), longestPath) {
		if line[at] != '-' || !files[line[:at]] {
			continue
		}
		if number, text, ok = ofOne(line[at+1:]); ok {
			return line[:at], number, text, true
		}
	}
	return "", "", "", false
}

// digits parts a text behind the digits that it starts with.
func digits(s string) (number, rest string) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}
