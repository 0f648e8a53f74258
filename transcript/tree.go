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

// A tree holds the lines of a session by uuid. It tells copies from new lines, finds the tool results of a line, and knows
// which branches of a conversation were abandoned.
type tree struct {
	seed    maphash.Seed
	table   []int32          // node by the hash of its uuid, plus 1; open addressing, a power of two long
	odd     map[string]int32 // node by a text that is no uuid
	pages   [][]node
	n       int32          // nodes
	parents map[int32]uuid // of nodes whose parent had not been read yet, or is no line
	results []string       // call ids of all tool results in order
}

// A node is one line.
type node struct {
	uuid    [16]byte // zero for a text that is none
	parent  int32    // index of the line that it follows, or -1
	results [2]int32 // range in tree.results
	events  [2]int32 // range in the main thread's events
	kind    nodeKind
}

// pageSize is how many nodes a page has: memory grows by pages, and nothing is copied.
const pageSize = 64

func (t *tree) node(i int32) *node { return &t.pages[i/pageSize][i%pageSize] }

type nodeKind uint8

const (
	nodeOther   nodeKind = iota // attachments, progress, subagents' lines, …
	nodeMessage                 // a message of the main conversation
	nodePrompt                  // a message that is a prompt
)

// add enters a line and returns its index. It reports false when the line was there already.
func (t *tree) add(u uuid) (int32, bool) {
	if i, ok := t.find(u); ok {
		return i, false
	}
	i := t.n
	t.n++
	if int(i/pageSize) == len(t.pages) {
		t.pages = append(t.pages, make([]node, pageSize))
	}
	n := int32(len(t.results))
	*t.node(i) = node{uuid: u.bin, parent: -1, results: [2]int32{n, n}}
	if u.text != "" {
		if t.odd == nil {
			t.odd = make(map[string]int32)
		}
		t.odd[u.text] = i
		return i, true
	}
	if int(t.n) > len(t.table)/2 {
		t.grow()
	}
	*t.slot(u.bin) = i + 1
	return i, true
}

// reset empties the tree and keeps its memory.
func (t *tree) reset() {
	clear(t.table)
	clear(t.odd)
	clear(t.parents)
	clear(t.results)
	t.n, t.results = 0, t.results[:0]
}

// find returns the index of a line.
func (t *tree) find(u uuid) (int32, bool) {
	if u.text != "" {
		i, ok := t.odd[u.text]
		return i, ok
	}
	if len(t.table) == 0 {
		return 0, false
	}
	i := *t.slot(u.bin)
	return i - 1, i > 0
}

// slot returns the place of a uuid in the table: where it is, or where it goes.
func (t *tree) slot(bin [16]byte) *int32 {
	mask := uint64(len(t.table) - 1)
	for at := maphash.Bytes(t.seed, bin[:]); ; at++ {
		if p := &t.table[at&mask]; *p == 0 || t.node(*p-1).uuid == bin {
			return p
		}
	}
}

// grow makes the table twice as long.
func (t *tree) grow() {
	old := t.table
	if old == nil {
		t.seed = maphash.MakeSeed()
	}
	t.table = make([]int32, max(64, 2*len(old)))
	for _, i := range old {
		if i > 0 {
			*t.slot(t.node(i - 1).uuid) = i
		}
	}
}

// follow notes which line a line follows.
func (t *tree) follow(i int32, parent uuid) {
	if p, ok := t.find(parent); ok {
		t.node(i).parent = p
		return
	}
	if t.parents == nil {
		t.parents = make(map[int32]uuid)
	}
	t.parents[i] = parent
}

// addResult notes that the line, the newest, holds the result of a call.
func (t *tree) addResult(i int32, callID string) {
	t.results = append(t.results, callID)
	t.node(i).results[1] = int32(len(t.results))
}

// between returns the calls whose results stand from the line head to the line tail.
func (t *tree) between(head, tail string) []string {
	h, ok1 := t.find(parseUUID([]byte(head)))
	l, ok2 := t.find(parseUUID([]byte(tail)))
	if !ok1 || !ok2 || h > l {
		return nil
	}
	return t.results[t.node(h).results[0]:t.node(l).results[1]]
}

// abandoned returns the ranges of the main thread's events that belong to branches which a rewind left behind, and how
// many such branches there are. A rewind shows as several prompts that follow one message; the branch that the newest
// message belongs to is the conversation.
func (t *tree) abandoned() (events [][2]int32, branches int) {
	for i, u := range t.parents {
		if p, ok := t.find(u); ok {
			t.node(i).parent = p
		}
	}
	prompts := make(map[fork][]int32)
	newest := int32(-1)
	rewound := false
	for i := range t.n {
		if t.node(i).kind == nodeOther {
			continue
		}
		newest = i
		if t.node(i).kind == nodePrompt {
			if f, ok := t.fork(i); ok {
				prompts[f] = append(prompts[f], i)
				rewound = rewound || len(prompts[f]) > 1
			}
		}
	}
	if !rewound {
		return nil, 0
	}
	dropped := t.dropped(prompts, newest)
	for i, under := range t.under(dropped) {
		if under {
			events = append(events, t.node(int32(i)).events)
		}
	}
	return events, len(dropped)
}

// A fork is what a prompt follows: a message, or where no message stands before it, the uuid that its first ancestor says it follows.
type fork struct {
	message int32 // or -1
	above   uuid
}

// fork returns what the line follows; false when its log does not say it.
func (t *tree) fork(i int32) (f fork, ok bool) {
	for steps := 0; steps < int(t.n); steps++ {
		p := t.node(i).parent
		if p < 0 {
			above, ok := t.parents[i]
			return fork{-1, above}, ok
		}
		if i = p; t.node(i).kind != nodeOther {
			return fork{message: i}, true
		}
	}
	return fork{}, false // a circle
}

// dropped returns, of all prompts that follow one message, those that the newest message does not descend from. Where it
// descends from none of them, the last is kept.
func (t *tree) dropped(prompts map[fork][]int32, newest int32) map[int32]bool {
	path := make(map[int32]bool)
	for i := newest; i >= 0 && !path[i]; i = t.node(i).parent {
		path[i] = true
	}
	dropped := make(map[int32]bool)
	for _, list := range prompts {
		keep := list[len(list)-1]
		for _, p := range list {
			if path[p] {
				keep = p
			}
		}
		for _, p := range list {
			if p != keep {
				dropped[p] = true
			}
		}
	}
	return dropped
}

// under returns for each line whether it is one of roots or follows one.
func (t *tree) under(roots map[int32]bool) []bool {
	const (
		unknown = iota
		open    // on the way up from the line that is looked at
		no
		yes
	)
	state := make([]uint8, int(t.n))
	result := make([]bool, int(t.n))
	var way []int32
	for i := range t.n {
		verdict := uint8(no)
		way = way[:0]
		for p := i; p >= 0 && state[p] != open; p = t.node(p).parent {
			if roots[p] {
				state[p] = yes
			}
			if state[p] > open {
				verdict = state[p]
				break
			}
			state[p] = open
			way = append(way, p)
		}
		for _, p := range way {
			state[p] = verdict
		}
		result[i] = state[i] == yes
	}
	return result
}
