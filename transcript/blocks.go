package transcript

import "hash/maphash"

// A blockKey tells the blocks of a message apart by what they say.
type blockKey struct {
	request string
	kind    blockKind
	hash    uint64
}

// blocks remembers the text and thinking blocks of a session, each with the segment that it first stood in.
type blocks struct {
	seed  maphash.Seed
	first map[blockKey]int
}

// repeated reports whether an earlier segment had the block.
func (b *blocks) repeated(request string, kind blockKind, texts []str, segment int) bool {
	if b.first == nil {
		b.seed, b.first = maphash.MakeSeed(), make(map[blockKey]int)
	}
	k := blockKey{request: request, kind: kind}
	for _, t := range texts {
		k.hash = k.hash*31 + maphash.Bytes(b.seed, t.Raw)
	}
	first, ok := b.first[k]
	if !ok {
		b.first[k] = segment
	}
	return ok && first < segment
}
