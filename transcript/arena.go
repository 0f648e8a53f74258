package transcript

import "strings"

// A slab hands out values of one type from blocks, so that many small values cost few allocations.
type slab[T any] struct {
	free []T
	size int // of the last block
}

// put returns a pointer to a copy of v.
func (s *slab[T]) put(v T) *T {
	if len(s.free) == 0 {
		s.size = min(max(2*s.size, 8), 64)
		s.free = make([]T, s.size)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	*p = v
	return p
}

// A textArena hands out short strings from blocks.
type textArena struct{ block *strings.Builder }

const arenaBlock = 8 << 10

// bytes returns the string of b.
func (a *textArena) bytes(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > arenaBlock/8 {
		return string(b)
	}
	if a.block == nil || a.block.Cap()-a.block.Len() < len(b) {
		a.block = new(strings.Builder)
		a.block.Grow(arenaBlock)
	}
	start := a.block.Len()
	a.block.Write(b)
	return a.block.String()[start:]
}
