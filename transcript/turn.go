package transcript

import "strings"

// A turn is what happened on the main thread from a prompt to its answer.
type turn struct {
	result *Result  // nil where the log has none
	texts  []string // texts of its last message
}

// turns divides the main thread. A turn ends with a result that did work, with the next prompt, or with
// its segment.
func (s *Session) turns() []turn {
	var turns []turn
	var cur turn
	open := false
	end := func() {
		if open {
			turns = append(turns, cur)
		}
		cur, open = turn{}, false
	}
	segment := 0
	for _, ev := range s.Main().Events {
		if ev.At().Abandoned {
			continue
		}
		if seg := ev.At().Segment; seg != segment {
			end()
			segment = seg
		}
		switch ev := ev.(type) {
		case *Request:
			open, cur.texts = true, cur.texts[:0]
		case *AssistantText:
			if !ev.Synthetic {
				cur.texts = append(cur.texts, ev.Text)
			}
		case *UserText:
			if ev.Prompt {
				end()
			}
		case *Result:
			if ev.Worked {
				open, cur.result = true, ev
				end()
			}
		}
	}
	end()
	return turns
}

// answer returns what the turn answered.
func (t turn) answer() string {
	said := strings.Join(t.texts, "\n\n")
	switch {
	case t.result == nil:
		return said
	case t.result.IsError: // what it says is the error
		return ""
	}
	text := t.result.Text
	if whole := strings.TrimRight(text, "….\n "); strings.HasPrefix(said, whole) && len(said) > len(whole) {
		return said
	}
	return text
}
