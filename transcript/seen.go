package transcript

import (
	"encoding/hex"
	"hash/maphash"
)

// A uuid is a line's uuid in binary, or a text that is none.
type uuid struct {
	bin  [16]byte
	text string
}

// parseUUID reads the usual form, 8-4-4-4-12 hexadecimal digits; any other text stands for itself.
func parseUUID(s []byte) uuid {
	var u uuid
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return uuid{text: string(s)}
	}
	i := 0
	for _, part := range [...][]byte{s[:8], s[9:13], s[14:18], s[19:23], s[24:]} {
		n, err := hex.Decode(u.bin[i:], part)
		if err != nil {
			return uuid{text: string(s)}
		}
		i += n
	}
	return u
}

// seen remembers the lines of a session by uuid, and which tool results each of them holds, so that copies are told
// from new lines and a compaction's preserved messages are found.
type seen struct {
	lines   map[uuid][2]int32 // range in results
	results []string          // call ids of all tool results in order
}

// add remembers a line. It reports false when the line was there already.
func (s *seen) add(u uuid) bool {
	if _, ok := s.lines[u]; ok {
		return false
	}
	if s.lines == nil {
		s.lines = make(map[uuid][2]int32)
	}
	n := int32(len(s.results))
	s.lines[u] = [2]int32{n, n}
	return true
}

// addResult notes that the line holds the result of a call.
func (s *seen) addResult(u uuid, callID string) {
	s.results = append(s.results, callID)
	if r, ok := s.lines[u]; ok {
		r[1] = int32(len(s.results))
		s.lines[u] = r
	}
}

// between returns the calls whose results stand from the line head to the line tail.
func (s *seen) between(head, tail string) []string {
	h, ok1 := s.lines[parseUUID([]byte(head))]
	t, ok2 := s.lines[parseUUID([]byte(tail))]
	if !ok1 || !ok2 || h[0] > t[1] {
		return nil
	}
	return s.results[h[0]:t[1]]
}

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
