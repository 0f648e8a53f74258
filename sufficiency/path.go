package sufficiency

import (
	"iter"
	"slices"
	"strings"
)

// components returns the components of a cleaned path from the last to the first. The root of an absolute path comes as
// "/". What stands for an unknown directory at the start (.. or ~) is left out, so that the rest can match as a tail.
func components(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		up := 0 // directories that a .. further right takes back
		for rest, more := path, true; more; {
			i := strings.LastIndexAny(rest, `/\`)
			c := rest[i+1:]
			switch {
			case c == "" || c == ".":
			case c == "..":
				up++
			case up > 0:
				up--
			case i < 0 && c[0] == '~' && len(c) < len(path): // the home directory of somebody
			case !yield(c):
				return
			}
			if i == 0 {
				yield("/")
			}
			more = i > 0
			if more {
				rest = rest[:i]
			}
		}
	}
}

// clean returns a path as its components make it, with slashes.
func clean(path string) string {
	if isClean(path) {
		return path
	}
	var parts []string
	for c := range components(path) {
		parts = append(parts, c)
	}
	slices.Reverse(parts)
	return strings.Replace(strings.Join(parts, "/"), "//", "/", 1)
}

// isClean reports whether clean would return the path as it is.
func isClean(path string) bool {
	if path == "" || path[0] == '~' || strings.ContainsRune(path, '\\') {
		return path == ""
	}
	start := 0
	if path[0] == '/' {
		start = 1
	}
	for c := range strings.SplitSeq(path[start:], "/") {
		if c == "" || c == "." || c == ".." {
			return false
		}
	}
	return true
}

// tails returns the ends of a cleaned path by whole components, the whole path first.
func tails(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := path != ""; more; {
			if !yield(path) {
				return
			}
			_, path, more = strings.Cut(path, "/")
			more = more && path != ""
		}
	}
}

// A fileSet is a set of paths that can be asked whether it holds the same file as another path: one that is equal, or a
// tail of the other by whole components. A question costs the length of the path, however large the set. The zero
// fileSet is empty.
type fileSet struct {
	paths map[string]struct{} // as cleaned
	tails map[string]struct{} // and all their ends
}

func (s *fileSet) add(path string) {
	path = clean(path)
	if _, ok := s.paths[path]; ok || path == "" {
		return
	}
	if s.paths == nil {
		s.paths, s.tails = make(map[string]struct{}), make(map[string]struct{})
	}
	s.paths[path] = struct{}{}
	for t := range tails(path) {
		s.tails[t] = struct{}{}
	}
}

func (s *fileSet) has(path string) bool {
	path = clean(path)
	if _, ok := s.tails[path]; ok {
		return true
	}
	for t := range tails(path) {
		if _, ok := s.paths[t]; ok {
			return true
		}
	}
	return false
}

// baseName returns the last component of a path, or the path itself if it has none.
func baseName(path string) string {
	for c := range components(path) {
		return c
	}
	return path
}
