package transcript

import "encoding/hex"

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
	index   map[[16]byte]int32 // node by uuid in binary
	odd     map[string]int32   // node by a text that is no uuid
	nodes   []node
	parents map[int32]uuid // of nodes whose parent had not been read yet
	results []string       // call ids of all tool results in order
}

// A node is one line.
type node struct {
	parent  int32    // index of the line that it follows, or -1
	results [2]int32 // range in tree.results
	events  [2]int32 // range in the main thread's events
	kind    nodeKind
}

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
	if t.index == nil {
		t.index, t.odd = make(map[[16]byte]int32), make(map[string]int32)
	}
	i := int32(len(t.nodes))
	if u.text == "" {
		t.index[u.bin] = i
	} else {
		t.odd[u.text] = i
	}
	n := int32(len(t.results))
	t.nodes = append(t.nodes, node{parent: -1, results: [2]int32{n, n}})
	return i, true
}

// find returns the index of a line.
func (t *tree) find(u uuid) (int32, bool) {
	if u.text == "" {
		i, ok := t.index[u.bin]
		return i, ok
	}
	i, ok := t.odd[u.text]
	return i, ok
}

// follow notes which line a line follows.
func (t *tree) follow(i int32, parent uuid) {
	if p, ok := t.find(parent); ok {
		t.nodes[i].parent = p
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
	t.nodes[i].results[1] = int32(len(t.results))
}

// between returns the calls whose results stand from the line head to the line tail.
func (t *tree) between(head, tail string) []string {
	h, ok1 := t.find(parseUUID([]byte(head)))
	l, ok2 := t.find(parseUUID([]byte(tail)))
	if !ok1 || !ok2 || h > l {
		return nil
	}
	return t.results[t.nodes[h].results[0]:t.nodes[l].results[1]]
}

// abandoned returns the ranges of the main thread's events that belong to branches which a rewind left behind, and how
// many such branches there are. A rewind shows as several prompts that follow one message; the branch that the newest
// message belongs to is the conversation.
func (t *tree) abandoned() (events [][2]int32, branches int) {
	for i, u := range t.parents {
		if p, ok := t.find(u); ok {
			t.nodes[i].parent = p
		}
	}
	prompts := make(map[int32][]int32) // message → prompts that follow it
	newest := int32(-1)
	rewound := false
	for i := range t.nodes {
		if t.nodes[i].kind == nodeOther {
			continue
		}
		newest = int32(i)
		if t.nodes[i].kind == nodePrompt {
			if m := t.message(int32(i)); m >= 0 {
				prompts[m] = append(prompts[m], int32(i))
				rewound = rewound || len(prompts[m]) > 1
			}
		}
	}
	if !rewound {
		return nil, 0
	}
	dropped := t.dropped(prompts, newest)
	for i, under := range t.under(dropped) {
		if under {
			events = append(events, t.nodes[i].events)
		}
	}
	return events, len(dropped)
}

// message returns the nearest message that the line follows, or -1.
func (t *tree) message(i int32) int32 {
	for steps := 0; steps < len(t.nodes); steps++ {
		if i = t.nodes[i].parent; i < 0 || t.nodes[i].kind != nodeOther {
			return i
		}
	}
	return -1 // a circle
}

// dropped returns, of all prompts that follow one message, those that the newest message does not descend from. Where it
// descends from none of them, the last is kept.
func (t *tree) dropped(prompts map[int32][]int32, newest int32) map[int32]bool {
	path := make(map[int32]bool)
	for i := newest; i >= 0 && !path[i]; i = t.nodes[i].parent {
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
	state := make([]uint8, len(t.nodes))
	result := make([]bool, len(t.nodes))
	var way []int32
	for i := range t.nodes {
		verdict := uint8(no)
		way = way[:0]
		for p := int32(i); p >= 0 && state[p] != open; p = t.nodes[p].parent {
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
