package transcript

import "github.com/agent-eval/feedback/internal/jsontext"

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
	var im imageBlock
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
		case "source":
			if im = (imageBlock{}); s.Peek() == jsontext.Object {
				im = s.imageSource()
			} else {
				s.Skip()
			}
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
	case blockImage:
		s.line.images = append(s.line.images, im)
		b.images[1]++
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
	case "image":
		return blockImage
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
	case "glob":
		return argGlob
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
		b.schemas++
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
