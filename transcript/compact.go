package transcript

import "slices"

// compactMetadata is what a compact_boundary line says.
type compactMetadata struct {
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

func (f *folder) compaction(l *line, o Origin) {
	var v struct {
		Meta compactMetadata `json:"compact_metadata"`
	}
	f.decode(l, o, &v)
	f.emit(&Compaction{
		Origin: o, Trigger: v.Meta.Trigger, PreTokens: v.Meta.PreTokens, PostTokens: v.Meta.PostTokens,
		Preserved: f.preserved(v.Meta),
	})
}

// preserved returns the calls whose results a compaction kept, in the order of their results.
func (f *folder) preserved(m compactMetadata) []string {
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

// microcompactMetadata is what a microcompact_boundary line says.
type microcompactMetadata struct {
	Trigger     string   `json:"trigger"`
	PreTokens   int      `json:"pre_tokens"`
	TokensSaved int      `json:"tokens_saved"`
	Cleared     []string `json:"compacted_tool_ids"`
}

func (f *folder) microCompaction(l *line, o Origin) {
	var v struct {
		Meta microcompactMetadata `json:"microcompact_metadata"`
	}
	f.decode(l, o, &v)
	f.emit(&MicroCompaction{Origin: o, Trigger: v.Meta.Trigger, PreTokens: v.Meta.PreTokens, TokensSaved: v.Meta.TokensSaved, Cleared: v.Meta.Cleared})
}
