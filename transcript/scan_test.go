package transcript

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/internal/jsontext"
)

// flatLine is a scanned line with its strings decoded: what the scanner and encoding/json must agree on.
type flatLine struct {
	Type, Subtype, UUID, Parent string
	Synthetic, Meta, Summary    bool
	HasMessage                  bool
	ID, Model, Stop             string
	HasUsage                    bool
	Usage                       Usage
	Blocks                      []flatBlock
}

type flatBlock struct {
	Kind           blockKind
	Name, ID, Tool string
	Chars          int
	Texts          []string
	Args           [argCount]string
	Input          string
	IsError        bool
	Images         [][2]string
}

func flatten(l *line) flatLine {
	get := func(s str) string { return string(s.Append(nil)) }
	v := flatLine{
		get(l.typ), get(l.subtype), get(l.uuid), get(l.parentTool), l.synthetic, l.meta, l.summary,
		l.hasMessage, get(l.msgID), get(l.model), get(l.stopReason), l.hasUsage, l.usage, nil,
	}
	for i := range l.blocks {
		b := &l.blocks[i]
		f := flatBlock{Kind: b.kind, ID: get(b.id), Tool: get(b.toolName), IsError: b.isError, Chars: b.chars, Input: string(b.input)}
		if b.kind == blockUnknown {
			v.Blocks = append(v.Blocks, flatBlock{Name: get(b.name)})
			continue
		}
		for _, t := range l.texts[b.texts[0]:b.texts[1]] {
			f.Texts = append(f.Texts, get(t))
		}
		for k, a := range b.args {
			f.Args[k] = get(a)
		}
		for _, im := range l.images[b.images[0]:b.images[1]] {
			f.Images = append(f.Images, [2]string{get(im.mediaType), get(im.data)})
		}
		v.Blocks = append(v.Blocks, f)
	}
	return v
}

type object = map[string]json.RawMessage

func slowObject(raw json.RawMessage) (o object) {
	json.Unmarshal(raw, &o)
	return o
}

func slowText(raw json.RawMessage) (s string) {
	if len(raw) > 0 && raw[0] == '"' {
		json.Unmarshal(raw, &s)
	}
	return s
}

func slowTokens(raw json.RawMessage) int {
	n, ok := jsontext.Int(raw)
	if len(raw) == 0 || !ok || raw[0] == '"' {
		return 0
	}
	return n
}

// slowScan takes a line apart with encoding/json.
func slowScan(data []byte) flatLine {
	top := slowObject(data)
	v := flatLine{
		Type: slowText(top["type"]), Subtype: slowText(top["subtype"]), UUID: slowText(top["uuid"]), Parent: slowText(top["parent_tool_use_id"]),
		Synthetic: string(top["isSynthetic"]) == "true", Meta: string(top["isMeta"]) == "true", Summary: string(top["isCompactSummary"]) == "true",
	}
	msg := slowObject(top["message"])
	if v.HasMessage = msg != nil; !v.HasMessage {
		return v
	}
	v.ID, v.Model, v.Stop = slowText(msg["id"]), slowText(msg["model"]), slowText(msg["stop_reason"])
	if u := slowObject(msg["usage"]); u != nil {
		v.HasUsage = true
		v.Usage = Usage{slowTokens(u["input_tokens"]), slowTokens(u["cache_read_input_tokens"]), slowTokens(u["cache_creation_input_tokens"]), slowTokens(u["output_tokens"])}
	}
	if c := msg["content"]; len(c) > 0 && c[0] == '"' {
		v.Blocks = append(v.Blocks, slowTexts(flatBlock{Kind: blockText}, c))
		return v
	}
	var blocks []json.RawMessage
	json.Unmarshal(msg["content"], &blocks)
	for _, raw := range blocks {
		if b := slowObject(raw); b != nil {
			v.Blocks = append(v.Blocks, slowBlock(b))
		}
	}
	return v
}

func slowTexts(f flatBlock, raws ...json.RawMessage) flatBlock {
	for _, raw := range raws {
		s := slowText(raw)
		f.Texts = append(f.Texts, s)
		f.Chars += utf16Len(s)
	}
	return f
}

func utf16Len(s string) (n int) {
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

func slowBlock(b object) flatBlock {
	f := flatBlock{Tool: slowText(b["name"]), IsError: string(b["is_error"]) == "true", Input: string(b["input"])}
	for k, name := range []string{"file_path", "notebook_path", "path", "command", "query", "question", "symbol", "pattern", "glob", "description"} {
		f.Args[k] = slowText(slowObject(b["input"])[name])
	}
	f = slowResultContent(f, b["content"])
	switch typ := slowText(b["type"]); typ {
	case "text":
		f.Kind = blockText
		return slowTexts(f, b["text"])
	case "thinking":
		f.Kind = blockThinking
		return slowTexts(f, b["thinking"])
	case "redacted_thinking":
		f.Kind = blockRedacted
	case "tool_use":
		f.Kind, f.ID = blockToolUse, slowText(b["id"])
	case "tool_result":
		f.Kind, f.ID = blockToolResult, slowText(b["tool_use_id"])
	default:
		return flatBlock{Name: typ}
	}
	return f
}

func slowResultContent(f flatBlock, c json.RawMessage) flatBlock {
	if len(c) > 0 && c[0] == '"' {
		return slowTexts(f, c)
	}
	var parts []json.RawMessage
	json.Unmarshal(c, &parts)
	for _, raw := range parts {
		p := slowObject(raw)
		switch {
		case raw[0] == '"':
			f = slowTexts(f, raw)
		case slowText(p["type"]) == "text":
			f = slowTexts(f, p["text"])
		case slowText(p["type"]) == "image":
			src := slowObject(p["source"])
			f.Images = append(f.Images, [2]string{slowText(src["media_type"]), slowText(src["data"])})
		}
	}
	return f
}

// lines are the seeds of the differential fuzz target.
func lines() []string {
	return []string{
		`{"type":"system","subtype":"init","tools":["Read"],"uuid":"u1"}`,
		`{"type":"assistant","message":{"id":"m1","model":"x","stop_reason":null,"usage":{"input_tokens":3,"cache_read_input_tokens":1e3,"cache_creation_input_tokens":null,"output_tokens":"7"},"content":[{"type":"text","text":"a\u00e9😀"},{"type":"thinking","thinking":"","signature":"s"},{"type":"redacted_thinking","data":"zz"}]},"parent_tool_use_id":null}`,
		`{"type":"assistant","message":{"id":"m1","content":[{"input":{"file_path":"a\/b.go","limit":1.0,"x":[{}]},"name":"Read","id":"t1","type":"tool_use"}]},"parent_tool_use_id":"p"}`,
		`{"type":"user","isSynthetic":true,"message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","is_error":true,"content":[{"type":"text","text":"1\tx\n"},"bare",{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},{"type":"tool_reference","tool_name":"x"},5]}]}}`,
		`{"type":"user","message":{"content":"plain"},"isMeta":true,"isCompactSummary":false}`,
		`{"type":5,"message":null}`, `{"message":{"content":{}}}`, `{"message":{"content":[1,null,"x",{"type":"hologram","content":7}]}}`,
		`{"ty\u0070e":"user","message":{"id":"a"},"message":{"model":"b"}}`, `{"type":"a","type":null}`,
		`{"message":{"content":[{"type":"tool_result","content":"a","content":[],"tool_use_id":"x","id":"y"}]}}`,
		`{"message":{"usage":{"input_tokens":-1},"usage":5}}`, `{"message":{"content":[{"type":"tool_use","input":"x"},{"type":"tool_use","input":null}]}}`,
		"{\"type\":\"us\xffer\",\"message\":{\"content\":\"\xe6\x97\"}}", `{"event":{"type":"message_delta"}}`,
	}
}

func compareScans(t *testing.T, data []byte) {
	t.Helper()
	var l line
	end, err := scanLine(&l, data, 0)
	valid := json.Valid(data)
	if whole := err == nil && len(strings.TrimLeft(string(data[end:]), " \t\r\n")) == 0; whole != valid {
		t.Fatalf("%q: accepted %v (%v), valid %v", data, whole, err, valid)
	}
	if !valid || slowObject(data) == nil {
		return
	}
	got, want := flatten(&l), slowScan(data)
	if top := slowObject(data); top["event"] != nil {
		return // its members stand for those of a message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q: scanner differs from encoding/json (-want +got):\n%s", data, diff)
	}
}

func TestScannerAgreesWithEncodingJSON(t *testing.T) {
	for _, s := range lines() {
		compareScans(t, []byte(s))
	}
}

func FuzzScanLine(f *testing.F) {
	for _, s := range lines() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { compareScans(t, data) })
}
