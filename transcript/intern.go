package transcript

// An interner returns one string for equal texts, so that names and ids that repeat are allocated once. The
// zero interner is ready to use.
type interner struct {
	m     map[string]string
	arena textArena
}

// bytes returns the string of b.
func (in *interner) bytes(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := in.m[string(b)]; ok {
		return s
	}
	return in.add(in.arena.bytes(b))
}

// join returns a + b.
func (in *interner) join(a, b string) string {
	var buf [64]byte
	return in.bytes(append(append(buf[:0], a...), b...))
}

func (in *interner) add(s string) string {
	if in.m == nil {
		in.m = make(map[string]string)
	}
	in.m[s] = s
	return s
}

// forget drops what is likely not to come again, so that reading many logs does not collect the names of all of them.
func (in *interner) forget() {
	if len(in.m) > 1000 {
		clear(in.m)
	}
}
