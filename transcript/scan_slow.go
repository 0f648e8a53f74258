package transcript

import (
	"bytes"
	"encoding/json"
	"unicode/utf16"
)

// slowScan takes one JSON value apart with encoding/json.
func slowScan(l *line, data []byte) error {
	l.reset()
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return err
	}
	l.raw = data
	l.typ = slowStr(top["type"])
	l.subtype = slowStr(top["subtype"])
	l.uuid = slowStr(top["uuid"])
	l.parentTool = slowStr(top["parent_tool_use_id"])
	l.synthetic = string(top["isSynthetic"]) == "true"
	l.meta = string(top["isMeta"]) == "true"
	l.summary = string(top["isCompactSummary"]) == "true"
	var msg map[string]json.RawMessage
	if json.Unmarshal(top["message"], &msg) != nil || msg == nil {
		return nil
	}
	l.hasMessage = true
	l.msgID = slowStr(msg["id"])
	l.model = slowStr(msg["model"])
	l.stopReason = slowStr(msg["stop_reason"])
	var usage map[string]json.RawMessage
	if json.Unmarshal(msg["usage"], &usage) == nil && usage != nil {
		l.hasUsage = true
		num := func(k string) (n int) { json.Unmarshal(usage[k], &n); return n }
		l.usage = Usage{num("input_tokens"), num("cache_read_input_tokens"), num("cache_creation_input_tokens"), num("output_tokens")}
	}
	content := msg["content"]
	if len(content) > 0 && content[0] == '"' {
		l.addText(blockText, content)
		return nil
	}
	var blocks []map[string]json.RawMessage
	json.Unmarshal(content, &blocks)
	for _, b := range blocks {
		switch typ := slowStr(b["type"]); string(typ.raw) {
		case "text":
			l.addText(blockText, b["text"])
		case "thinking":
			l.addText(blockThinking, b["thinking"])
		case "redacted_thinking":
			l.addText(blockRedacted, nil)
		case "tool_use":
			blk := block{kind: blockToolUse, name: slowStr(b["name"]), id: slowStr(b["id"]), input: b["input"]}
			var c bytes.Buffer
			json.Compact(&c, b["input"])
			blk.inputChars = len(utf16.Encode([]rune(c.String())))
			var args map[string]json.RawMessage
			json.Unmarshal(b["input"], &args)
			for i, name := range argNames() {
				blk.args[i] = slowStr(args[name])
			}
			l.blocks = append(l.blocks, blk)
		case "tool_result":
			blk := block{kind: blockToolResult, id: slowStr(b["tool_use_id"]), isError: string(b["is_error"]) == "true"}
			blk.texts[0], blk.images[0] = int32(len(l.texts)), int32(len(l.images))
			var parts []map[string]json.RawMessage
			if s := slowStr(b["content"]); s.raw != nil {
				l.texts = append(l.texts, s)
				blk.chars += s.chars
			} else {
				json.Unmarshal(b["content"], &parts)
			}
			for _, p := range parts {
				switch string(slowStr(p["type"]).raw) {
				case "text":
					s := slowStr(p["text"])
					l.texts = append(l.texts, s)
					blk.chars += s.chars
				case "image":
					var src map[string]json.RawMessage
					json.Unmarshal(p["source"], &src)
					l.images = append(l.images, image{slowStr(src["media_type"]), slowStr(src["data"])})
				}
			}
			blk.texts[1], blk.images[1] = int32(len(l.texts)), int32(len(l.images))
			l.blocks = append(l.blocks, blk)
		default:
			l.blocks = append(l.blocks, block{kind: blockUnknown, name: typ})
		}
	}
	return nil
}

func (l *line) addText(kind blockKind, raw []byte) {
	s := slowStr(raw)
	b := block{kind: kind, chars: s.chars}
	b.texts[0] = int32(len(l.texts))
	l.texts = append(l.texts, s)
	b.texts[1] = int32(len(l.texts))
	l.blocks = append(l.blocks, b)
}

func slowStr(raw json.RawMessage) str {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return str{}
	}
	body := raw[1 : len(raw)-1]
	return str{raw: body, escape: string(body) != s, chars: len(utf16.Encode([]rune(s)))}
}

// unquote appends the string that the inside of a JSON string stands for.
func unquote(dst, raw []byte) []byte {
	var s string
	json.Unmarshal([]byte(`"`+string(raw)+`"`), &s)
	return append(dst, s...)
}
