package transcript

import "slices"

// snakeCompact is the metadata of a compaction as streams spell it, camelCompact as session logs do.
type snakeCompact struct {
	Trigger    string `json:"trigger"`
	PreTokens  int    `json:"pre_tokens"`
	PostTokens int    `json:"post_tokens"`
	Segment    struct {
		Head string `json:"head_uuid"`
		Tail string `json:"tail_uuid"`
	} `json:"preserved_segment"`
	Messages struct {
		UUIDs []string `json:"uuids"`
	} `json:"preserved_messages"`
}

type camelCompact struct {
	Trigger    string `json:"trigger"`
	PreTokens  int    `json:"preTokens"`
	PostTokens int    `json:"postTokens"`
	Segment    struct {
		Head string `json:"headUuid"`
		Tail string `json:"tailUuid"`
	} `json:"preservedSegment"`
	Messages struct {
		UUIDs []string `json:"uuids"`
	} `json:"preservedMessages"`
}

func (f *folder) compaction(l *line, o Origin) {
	var v struct {
		Snake *snakeCompact `json:"compact_metadata"`
		Camel *camelCompact `json:"compactMetadata"`
	}
	f.decode(l, o, &v)
	var m snakeCompact
	switch {
	case v.Snake != nil:
		m = *v.Snake
	case v.Camel != nil:
		m.Trigger, m.PreTokens, m.PostTokens, m.Messages.UUIDs = v.Camel.Trigger, v.Camel.PreTokens, v.Camel.PostTokens, v.Camel.Messages.UUIDs
		m.Segment.Head, m.Segment.Tail = v.Camel.Segment.Head, v.Camel.Segment.Tail
	}
	c := &Compaction{Origin: o, Trigger: m.Trigger, PreTokens: m.PreTokens, PostTokens: m.PostTokens, Preserved: f.preserved(m)}
	if f.compactedTwice(c) {
		f.session.Report.Copies++
		return
	}
	f.emit(c)
}

// compactedTwice reports whether the thread already has the compaction: with the same size before it, and no request
// since.
func (f *folder) compactedTwice(c *Compaction) bool {
	ref, ok := f.threads[c.Thread]
	if !ok || c.PreTokens == 0 {
		return false
	}
	events := (*f.list(ref))[ref.index].Events
	for i := len(events) - 1; i >= 0; i-- {
		switch ev := events[i].(type) {
		case *Request:
			return false
		case *Compaction:
			return ev.PreTokens == c.PreTokens
		}
	}
	return false
}

// preserved returns the calls whose results a compaction kept, in the order of their results.
func (f *folder) preserved(m snakeCompact) []string {
	kept := slices.Clone(f.tree.between(m.Segment.Head, m.Segment.Tail))
	for _, u := range m.Messages.UUIDs {
		for _, id := range f.tree.between(u, u) {
			if !slices.Contains(kept, id) {
				kept = append(kept, id)
			}
		}
	}
	return kept
}

func (f *folder) microCompaction(l *line, o Origin) {
	var v struct {
		Snake *struct {
			Trigger     string   `json:"trigger"`
			PreTokens   int      `json:"pre_tokens"`
			TokensSaved int      `json:"tokens_saved"`
			Cleared     []string `json:"compacted_tool_ids"`
		} `json:"microcompact_metadata"`
		Camel *struct {
			Trigger     string   `json:"trigger"`
			PreTokens   int      `json:"preTokens"`
			TokensSaved int      `json:"tokensSaved"`
			Cleared     []string `json:"compactedToolIds"`
		} `json:"microcompactMetadata"`
	}
	f.decode(l, o, &v)
	m := &MicroCompaction{Origin: o}
	switch {
	case v.Snake != nil:
		m.Trigger, m.PreTokens, m.TokensSaved, m.Cleared = v.Snake.Trigger, v.Snake.PreTokens, v.Snake.TokensSaved, v.Snake.Cleared
	case v.Camel != nil:
		m.Trigger, m.PreTokens, m.TokensSaved, m.Cleared = v.Camel.Trigger, v.Camel.PreTokens, v.Camel.TokensSaved, v.Camel.Cleared
	}
	f.emit(m)
}
