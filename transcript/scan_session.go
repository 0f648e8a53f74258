package transcript

import "github.com/agent-eval/feedback/internal/jsontext"

// structuredResult walks over the structured copy of a tool result. The model never saw it; only what a delegation
// says of its subagent is noted.
func (s *lineScanner) structuredResult() {
	if s.Peek() != jsontext.Object {
		s.Skip()
		return
	}
	v := &s.line.subagent
	*v = subagentFields{}
	for more := s.Enter(); more; more = s.More(jsontext.Object) {
		switch key := s.Key(); {
		case string(key) == "agentId" && s.Peek() == jsontext.Text:
			v.agent = s.Text()
		case string(key) == "usage" && s.Peek() == jsontext.Object:
			v.usage = s.counts()
			v.hasUsage = true
		default:
			s.Skip()
		}
	}
}

// attachment walks over an attachment: what the client puts beside the messages. A queued prompt is one that the user typed
// while the agent was at work.
func (s *lineScanner) attachment() {
	l := s.line
	var prompt str
	notes := len(l.notes) // what the model was sent of it, if the line has said so before
	s.object("attachment", func(key string) {
		switch key {
		case "type":
			l.innerType = s.text("attachment type")
		case "prompt":
			if s.Peek() == jsontext.Text {
				prompt = s.Text()
			} else {
				s.Skip()
			}
		case "content", "snippet", "text", "addedLines", "addedBlocks":
			s.attached()
		default:
			s.Skip()
		}
	})
	switch string(l.innerType.Raw) {
	case "queued_command":
		b := s.newBlock()
		b.kind = blockText
		s.addText(b, prompt)
	case "hook_success", "hook_system_message", "prompt_snapshot": // not sent as they stand
	default:
		if notes == 0 {
			return
		}
	}
	l.notes = l.notes[:notes]
}

// attached notes a text of an attachment: a string, several of them, or an object that holds one.
func (s *lineScanner) attached() {
	switch k := s.Peek(); k {
	case jsontext.Text:
		s.line.notes = append(s.line.notes, s.Text())
	case jsontext.Array:
		for more := s.Enter(); more; more = s.More(k) {
			s.attached()
		}
	case jsontext.Object:
		for more := s.Enter(); more; more = s.More(k) {
			switch string(s.Key()) {
			case "content", "file", "text":
				s.attached()
			default:
				s.Skip()
			}
		}
	default:
		s.Skip()
	}
}

// rendering walks over what newer clients write beside an attachment: the text that the model was sent.
func (s *lineScanner) rendering() {
	s.line.notes = s.line.notes[:0]
	s.attached()
}

// progress walks over the data of a progress line. Some clients copy the lines of a subagent there.
func (s *lineScanner) progress() {
	l := s.line
	if s.Peek() != jsontext.Object {
		s.Skip()
		return
	}
	s.object("data", func(key string) {
		switch {
		case key == "type" && s.Peek() == jsontext.Text:
			l.innerType = s.Text()
		case key == "agentId" && s.Peek() == jsontext.Text:
			l.session.agent = s.Text()
		case key == "message" && s.Peek() == jsontext.Object:
			s.object("message", func(key string) {
				switch key {
				case "type":
					l.innerLine = s.text("type")
				case "uuid":
					l.innerUUID = s.text("uuid")
				case "message":
					s.message()
				default:
					s.Skip()
				}
			})
		default:
			s.Skip()
		}
	})
}

// rejection walks over the note of who decided on a call: an object, or in streams an array of objects that hold one.
func (s *lineScanner) rejection(key string) {
	switch k := s.Peek(); {
	case k == jsontext.Array:
		for more := s.Enter(); more; more = s.More(k) {
			s.rejection(key)
		}
	case k == jsontext.Object:
		var decision, source str
		s.object(key, func(key string) {
			switch {
			case key == "permission_decision" || key == "permissionDecision":
				s.rejection(key)
			case key == "decision" && s.Peek() == jsontext.Text:
				decision = s.Text()
			case key == "source" && s.Peek() == jsontext.Text:
				source = s.Text()
			default:
				s.Skip()
			}
		})
		if string(decision.Raw) == "reject" {
			s.line.rejected = source
		}
	default:
		s.Skip()
	}
}
