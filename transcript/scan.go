package transcript

import (
	"github.com/agent-eval/feedback/internal/jsontext"
)

// scanLine takes the JSON value at data[start:] apart and returns the index after it. The error is a syntax error;
// values of an unexpected type are problems of the line and cost nothing but themselves.
func scanLine(l *line, data []byte, start int) (end int, err error) {
	l.reset()
	var s lineScanner
	s.line = l
	s.Reset(data, start)
	if s.Peek() == jsontext.Object {
		start = s.Offset()
		s.envelope()
	} else {
		k := s.Peek()
		s.Skip()
		l.bad = true
		l.problem("want an object, got " + k.String())
	}
	if s.Err() != nil {
		return s.Offset(), s.Err()
	}
	l.raw = data[start:s.Offset()]
	return s.Offset(), nil
}

// A lineScanner walks the envelope of a line and notes what a session needs. Everything else is validated and skipped.
type lineScanner struct {
	jsontext.Scanner
	line *line
}

func (s *lineScanner) envelope() {
	for more := s.Enter(); more; more = s.More(jsontext.Object) {
		if key := s.Key(); !s.common(string(key)) && !s.sessionLog(string(key)) {
			s.Skip()
		}
	}
}

// common walks over the value of a member that both formats have. It reports false for any other.
func (s *lineScanner) common(key string) bool {
	l := s.line
	switch key {
	case "type":
		l.typ = s.text("type")
	case "subtype":
		l.subtype = s.text("subtype")
	case "uuid":
		l.uuid = s.text("uuid")
	case "parent_tool_use_id", "parentToolUseID":
		l.parentTool = s.text("parent_tool_use_id")
	case "isSynthetic":
		l.synthetic = s.flag("isSynthetic")
	case "isMeta":
		l.meta = s.flag("isMeta")
	case "isCompactSummary":
		l.summary = s.flag("isCompactSummary")
	case "message":
		s.message()
	case "event":
		s.streamEvent()
	case "tool_use_result", "toolUseResult":
		s.structuredResult()
	case "tool_result_meta", "toolResultMeta", "permissionDecision":
		s.rejection(key)
	default:
		return false
	}
	return true
}

// sessionLog walks over the value of a member that only session logs have. It reports false for any other.
func (s *lineScanner) sessionLog(key string) bool {
	v := &s.line.session
	switch key {
	case "sessionId":
		v.id = s.text("sessionId")
	case "version":
		v.version = s.text("version")
	case "cwd":
		v.cwd = s.text("cwd")
	case "permissionMode":
		v.permissionMode = s.text("permissionMode")
	case "effort":
		v.effort = s.text("effort")
	case "parentUuid":
		v.root = s.Peek() == jsontext.Null
		v.parent = s.text("parentUuid")
	case "logicalParentUuid":
		v.logicalParent = s.text("logicalParentUuid")
	case "agentId":
		v.agent = s.text("agentId")
	case "isSidechain":
		v.sidechain = s.flag("isSidechain")
	case "attachment":
		s.attachment()
	case "rendered":
		s.rendering()
	case "data":
		s.progress()
	default:
		return false
	}
	return true
}

// object walks over an object and calls each with the name of every member; each must walk over its value. Anything
// but an object is a problem, except null.
func (s *lineScanner) object(name string, each func(key string)) {
	switch k := s.Peek(); k {
	case jsontext.Object:
		for more := s.Enter(); more; more = s.More(k) {
			each(string(s.Key()))
		}
	case jsontext.Null:
		s.Skip()
	default:
		s.mismatch(name, "an object", k)
	}
}

// text walks over a string. Null is an absent one; anything else is a problem.
func (s *lineScanner) text(name string) str {
	switch k := s.Peek(); k {
	case jsontext.Text:
		return s.Text()
	case jsontext.Null:
		s.Skip()
	default:
		s.mismatch(name, "a string", k)
	}
	return str{}
}

func (s *lineScanner) flag(name string) bool {
	switch k := s.Peek(); k {
	case jsontext.Bool:
		return s.Bool()
	case jsontext.Null:
		s.Skip()
	default:
		s.mismatch(name, "a boolean", k)
	}
	return false
}

// mismatch skips a value of an unexpected kind and notes it.
func (s *lineScanner) mismatch(name, want string, got jsontext.Kind) {
	s.Skip()
	if s.Err() == nil {
		s.line.problem(name + ": want " + want + ", got " + got.String())
	}
}

func (s *lineScanner) message() {
	l := s.line
	l.hasMessage = s.Peek() == jsontext.Object
	l.msgID, l.model, l.stopReason, l.hasUsage = str{}, str{}, str{}, false
	l.blocks = l.blocks[:0]
	if !l.hasMessage {
		s.Skip() // a problem only where the type of the line wants a message
		return
	}
	for more := s.Enter(); more; more = s.More(jsontext.Object) {
		switch string(s.Key()) {
		case "id":
			l.msgID = s.text("message.id")
		case "model":
			l.model = s.text("message.model")
		case "stop_reason":
			l.stopReason = s.text("message.stop_reason")
		case "usage":
			s.usage()
		case "content":
			s.content()
		default:
			s.Skip()
		}
	}
}

func (s *lineScanner) usage() {
	l := s.line
	l.hasUsage, l.usage = false, Usage{}
	switch k := s.Peek(); k {
	case jsontext.Object:
		l.hasUsage, l.usage = true, s.counts()
	case jsontext.Null:
		s.Skip()
	default:
		s.mismatch("message.usage", "an object", k)
	}
}

// counts walks over a usage object.
func (s *lineScanner) counts() (u Usage) {
	for more := s.Enter(); more; more = s.More(jsontext.Object) {
		switch string(s.Key()) {
		case "input_tokens":
			u.Input = s.tokens("input_tokens")
		case "cache_read_input_tokens":
			u.CacheRead = s.tokens("cache_read_input_tokens")
		case "cache_creation_input_tokens":
			u.CacheCreation = s.tokens("cache_creation_input_tokens")
		case "output_tokens":
			u.Output = s.tokens("output_tokens")
		default:
			s.Skip()
		}
	}
	return u
}

// tokens walks over a count of tokens.
func (s *lineScanner) tokens(name string) int {
	switch k := s.Peek(); k {
	case jsontext.Number:
		raw := s.Skip()
		n, ok := jsontext.Int(raw)
		if !ok && s.Err() == nil {
			s.line.problem(name + ": not a number of tokens")
		}
		return n
	case jsontext.Null:
		s.Skip()
	default:
		s.mismatch(name, "a number", k)
	}
	return 0
}
