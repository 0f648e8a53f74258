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
	case "parentUuid":
		v.parent = s.text("parentUuid")
	case "logicalParentUuid":
		v.logicalParent = s.text("logicalParentUuid")
	case "agentId":
		v.agent = s.text("agentId")
	case "isSidechain":
		v.sidechain = s.flag("isSidechain")
	case "attachment":
		s.attachment()
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

func (s *lineScanner) content() {
	l := s.line
	l.blocks, l.texts, l.images = l.blocks[:0], l.texts[:0], l.images[:0]
	switch k := s.Peek(); k {
	case jsontext.Text:
		b := s.newBlock()
		b.kind = blockText
		s.addText(b, s.Text())
	case jsontext.Null:
		s.Skip()
	case jsontext.Array:
		for more := s.Enter(); more; more = s.More(jsontext.Array) {
			if k := s.Peek(); k == jsontext.Object {
				s.block()
			} else {
				s.mismatch("message.content", "blocks", k)
			}
		}
	default:
		s.mismatch("message.content", "a string or an array", k)
	}
}

// newBlock appends an empty block to the line. It is valid until the next call.
func (s *lineScanner) newBlock() *block {
	l := s.line
	l.blocks = append(l.blocks, block{
		texts:  [2]int32{int32(len(l.texts)), int32(len(l.texts))},
		images: [2]int32{int32(len(l.images)), int32(len(l.images))},
	})
	return &l.blocks[len(l.blocks)-1]
}

func (s *lineScanner) addText(b *block, t str) {
	s.line.texts = append(s.line.texts, t)
	b.texts[1]++
	b.chars += t.Chars
}

// block walks over a content block. Its members may come in any order, so what depends on the type is sorted out at the end.
func (s *lineScanner) block() {
	b := s.newBlock()
	problems, unknown := len(s.line.problems), len(s.line.unknown)
	var id, callID, text, thinking str
	for more := s.Enter(); more; more = s.More(jsontext.Object) {
		switch string(s.Key()) {
		case "type":
			b.name = s.text("block type")
			b.kind = kindOf(b.name)
		case "text":
			text = s.text("block text")
		case "thinking":
			thinking = s.text("block thinking")
		case "id":
			id = s.text("block id")
		case "tool_use_id":
			callID = s.text("block tool_use_id")
		case "name":
			b.toolName = s.text("block name")
		case "is_error":
			b.isError = s.flag("is_error")
		case "input":
			s.input(b)
		case "content":
			s.resultContent(b)
		default:
			s.Skip()
		}
	}
	switch b.kind {
	case blockText:
		s.addText(b, text)
	case blockThinking:
		s.addText(b, thinking)
	case blockToolUse:
		b.id = id
	case blockToolResult:
		b.id = callID
	case blockUnknown: // its members may mean anything
		s.line.problems, s.line.unknown = s.line.problems[:problems], s.line.unknown[:unknown]
	}
}

func kindOf(t str) blockKind {
	switch string(t.Raw) {
	case "text":
		return blockText
	case "thinking":
		return blockThinking
	case "redacted_thinking":
		return blockRedacted
	case "tool_use":
		return blockToolUse
	case "tool_result":
		return blockToolResult
	}
	return blockUnknown
}

// input measures a tool call's input and notes the arguments that a session keeps.
func (s *lineScanner) input(b *block) {
	b.args = [argCount]str{}
	if s.Peek() != jsontext.Object {
		start := s.Offset()
		b.inputChars = s.CompactLen()
		b.input = s.From(start)
		return
	}
	start := s.Offset()
	n := 2
	for more := s.Enter(); more; {
		key := s.Text()
		n += jsontext.CompactTextLen(key) + 1
		s.Colon()
		if i := argIndex(key); i >= 0 && s.Peek() == jsontext.Text {
			b.args[i] = s.Text()
			n += jsontext.CompactTextLen(b.args[i])
		} else {
			n += s.CompactLen()
		}
		if more = s.More(jsontext.Object); more {
			n++
		}
	}
	b.inputChars = n
	b.input = s.From(start)
}

func argIndex(key str) int {
	switch string(key.Raw) {
	case "file_path":
		return argFilePath
	case "notebook_path":
		return argNotebookPath
	case "path":
		return argPath
	case "command":
		return argCommand
	case "query":
		return argQuery
	case "question":
		return argQuestion
	case "symbol":
		return argSymbol
	case "pattern":
		return argPattern
	case "description":
		return argDescription
	}
	return -1
}

// resultContent walks over the content of a tool result: a string, or blocks.
func (s *lineScanner) resultContent(b *block) {
	b.chars, b.texts[0], b.images[0] = 0, int32(len(s.line.texts)), int32(len(s.line.images))
	b.texts[1], b.images[1] = b.texts[0], b.images[0]
	switch k := s.Peek(); k {
	case jsontext.Text:
		s.addText(b, s.Text())
	case jsontext.Null:
		s.Skip()
	case jsontext.Array:
		for more := s.Enter(); more; more = s.More(jsontext.Array) {
			switch k := s.Peek(); k {
			case jsontext.Text:
				s.addText(b, s.Text())
			case jsontext.Object:
				s.resultBlock(b)
			default:
				s.mismatch("tool result", "blocks", k)
			}
		}
	default:
		s.mismatch("tool result", "a string or an array", k)
	}
}

func (s *lineScanner) resultBlock(b *block) {
	var typ, text str
	var im imageBlock
	for more := s.Enter(); more; more = s.More(jsontext.Object) {
		switch string(s.Key()) {
		case "type":
			typ = s.text("tool result block type")
		case "text":
			text = s.text("tool result block text")
		case "source":
			im = s.imageSource()
		default:
			s.Skip()
		}
	}
	switch string(typ.Raw) {
	case "text":
		s.addText(b, text)
	case "image":
		s.line.images = append(s.line.images, im)
		b.images[1]++
	case "tool_reference": // stands for a tool's schema and has no text
	default:
		s.line.unknown = append(s.line.unknown, typ)
	}
}

func (s *lineScanner) imageSource() (im imageBlock) {
	if k := s.Peek(); k != jsontext.Object {
		s.mismatch("image source", "an object", k)
		return im
	}
	for more := s.Enter(); more; more = s.More(jsontext.Object) {
		switch string(s.Key()) {
		case "media_type":
			im.mediaType = s.text("image media_type")
		case "data":
			im.data = s.text("image data")
		default:
			s.Skip()
		}
	}
	return im
}
