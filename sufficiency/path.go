package sufficiency

import (
	"iter"
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

// A fileSet is a set of paths that can be asked whether it holds the same file as another path: one that is equal, or a
// tail of the other by whole components. It is a tree of components, last one first, so that a question costs the length of the
// path, however large the set. The zero fileSet is empty.
type fileSet struct {
	seen map[string]struct{} // paths as they were added
	root fileNode
}

type fileNode struct {
	next map[string]*fileNode
	end  bool // a path of the set ends here
}

func (s *fileSet) add(path string) {
	if _, ok := s.seen[path]; ok {
		return
	}
	if s.seen == nil {
		s.seen = make(map[string]struct{})
	}
	s.seen[path] = struct{}{}
	n := &s.root
	for c := range components(path) {
		child := n.next[c]
		if child == nil {
			if n.next == nil {
				n.next = make(map[string]*fileNode)
			}
			child = new(fileNode)
			n.next[c] = child
		}
		n = child
	}
	n.end = n != &s.root
}

func (s *fileSet) has(path string) bool {
	n := &s.root
	for c := range components(path) {
		if n = n.next[c]; n == nil {
			return false
		}
		if n.end {
			return true
		}
	}
	return n != &s.root
}

// baseName returns the last component of a path, or the path itself if it has none.
func baseName(path string) string {
	for c := range components(path) {
		return c
	}
	return path
}
