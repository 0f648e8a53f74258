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

// attachment walks over an attachment. A queued prompt is one that the user typed while the agent was at work.
func (s *lineScanner) attachment() {
	l := s.line
	var prompt str
	s.object("attachment", func(key string) {
		switch {
		case key == "type":
			l.innerType = s.text("attachment type")
		case key == "prompt" && s.Peek() == jsontext.Text:
			prompt = s.Text()
		default:
			s.Skip()
		}
	})
	if string(l.innerType.Raw) == "queued_command" {
		b := s.newBlock()
		b.kind = blockText
		s.addText(b, prompt)
	}
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
