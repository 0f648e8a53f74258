package rag

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A shown is what was returned of one file.
type shown struct {
	lines   map[int]string // those with a number
	texts   []int          // texts of the corpus that are of it, or may be
	loose   bool           // something of it, without numbers
	named   bool           // a command names it, or a response whose parts cannot be told apart: it may have been shown
	written bool           // the agent wrote it

	numbers []int // of the lines that were shown under this name and under the shorter ones in which it ends, in order
}

// add notes a numbered line.
func (f *shown) add(number, text string) {
	if n, err := strconv.Atoi(number); err == nil && n > 0 {
		f.lines[n] = text
	}
}

// has reports whether all of some lines were shown.
func (f *shown) has(from, to int) bool {
	i, ok := slices.BinarySearch(f.numbers, from)
	return ok && to-from < len(f.numbers)-i && f.numbers[i+to-from] == to
}

// A library is the files of which something was returned.
type library struct {
	files  map[string]*shown   // by cleaned path
	ending map[string][]string // the names of files by each tail of them that begins behind a slash, and by the whole
	globs  []pattern           // of files that a shell may have shown
}

// A pattern is one of files, and the text that may be of them.
type pattern struct {
	glob string
	text int
}

// longestPath is longer than the name of any file.
const longestPath = 4096

func (l *library) file(name string) *shown {
	name = clean(name)
	f := l.files[name]
	if f == nil {
		f = &shown{lines: make(map[int]string)}
		if len(name) < longestPath { // else it is none
			l.files[name] = f
		}
	}
	return f
}

// close ends the collection. It adds the parts of each file that several results show in turn to the corpus.
func (l *library) close(texts *corpus) {
	l.ending = make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		merged := make(map[int]string)
		for _, f := range slices.Backward(l.shorter(name)) { // its own lines come last, and win
			maps.Copy(merged, f.lines)
		}
		f := l.files[name]
		f.numbers = slices.Sorted(maps.Keys(merged))
		var part []string
		for i, n := range f.numbers {
			part = append(part, merged[n])
			if i == len(f.numbers)-1 || f.numbers[i+1] != n+1 {
				f.texts, part = append(f.texts, texts.add(part)), nil
			}
		}
		for tail := range tails(name) {
			l.ending[tail] = append(l.ending[tail], name)
		}
	}
}

// shorter returns what was shown of a file under its name and under the shorter ones in which it ends: one tool says /home/dev/proj/lib/a.go, and
// another lib/a.go.
func (l *library) shorter(name string) (all []*shown) {
	for tail := range tails(name) {
		if f := l.files[tail]; f != nil {
			all = append(all, f)
		}
	}
	return all
}

// named returns the names of the files that a cited path may name: they are equal, or one ends in the other at a slash.
func (l *library) named(cited string) []string {
	names := slices.Clip(l.ending[cited])
	for tail := range tails(cited) {
		if tail != cited && l.files[tail] != nil {
			names = append(names, tail)
		}
	}
	return names
}

// texts returns the texts that are of a cited path, or may be.
func (l *library) texts(cited string) (list []int) {
	for _, name := range l.named(cited) {
		for _, f := range l.shorter(name) {
			list = append(list, f.texts...)
		}
	}
	for _, p := range l.globs {
		if matchesTail(p.glob, cited) {
			list = append(list, p.text)
		}
	}
	return list
}

// tails iterates over a path and what stands behind each slash of it.
func tails(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for more := true; more; _, name, more = strings.Cut(name, "/") {
			if len(name) < longestPath && !yield(name) {
				return
			}
		}
	}
}

// matchesTail reports whether a pattern of a command line matches as many elements at the end of a path as it has.
func matchesTail(pattern, name string) bool {
	elems := strings.Split(name, "/")
	n := min(strings.Count(pattern, "/")+1, len(elems))
	parts := strings.Split(pattern, "/")
	ok, err := path.Match(strings.Join(parts[len(parts)-n:], "/"), strings.Join(elems[len(elems)-n:], "/"))
	return ok && err == nil
}
