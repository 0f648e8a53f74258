package transcript

import (
	"bytes"
	"strings"
)

func (f *folder) user(l *line, o Origin) {
	f.message(o)
	if !l.hasMessage && len(l.blocks) == 0 {
		f.problem(o.Pos.Line, "user line without a message")
		return
	}
	hasResult := false
	for i := range l.blocks {
		hasResult = hasResult || l.blocks[i].kind == blockToolResult
	}
	var said *UserText // with the images of the line
	var images []Image
	for i := range l.blocks {
		b := &l.blocks[i]
		switch b.kind {
		case blockToolResult:
			f.toolResult(l, b, o)
		case blockText:
			said = f.userText(l, b, o, hasResult)
		case blockImage:
			images = append(images, f.images(l, b)...)
		case blockUnknown:
			if name := f.str(b.name); name != "document" {
				f.session.Report.unknown("block " + name)
			}
		}
	}
	if len(images) > 0 && said == nil {
		said = f.userText(l, &block{}, o, hasResult)
	}
	if said != nil {
		said.Images = images
	}
}

// userText emits the text of a block, which may be empty.
func (f *folder) userText(l *line, b *block, o Origin, besideResult bool) *UserText {
	f.scratch = appendTexts(f.scratch[:0], l, b)
	prompt := !l.meta && !l.synthetic && !l.summary && !besideResult && !clientNote(f.scratch)
	t := &UserText{Origin: o, Chars: b.chars, Prompt: prompt}
	f.warmUp = string(f.scratch) == "Warmup"
	if f.opts.KeepText || prompt && o.Thread == "" {
		t.Text = string(f.scratch)
	}
	f.emit(t)
	f.warmUp = false
	if !prompt {
		return t
	}
	f.endTurn(o.Thread)
	if o.Thread == "" && f.node >= 0 {
		f.tree.node(f.node).kind = nodePrompt
	}
	return t
}

// attachment takes the text of a reminder, a listing or a file that the client put beside the messages.
func (f *folder) attachment(l *line, o Origin) {
	t := &UserText{Origin: o, Attached: true}
	f.scratch = f.scratch[:0]
	for _, n := range l.notes {
		t.Chars += n.Chars
		f.scratch = n.Append(f.scratch)
	}
	if t.Chars == 0 {
		return
	}
	if f.opts.KeepText {
		t.Text = string(f.scratch)
	}
	f.emit(t)
}

// clientNote reports whether a user text is one that the client writes by itself.
func clientNote(text []byte) bool {
	for _, prefix := range []string{
		"<local-command-", "<system-reminder>", "<task-notification>", "[Request interrupted by user",
	} {
		if bytes.HasPrefix(text, []byte(prefix)) {
			return true
		}
	}
	return false
}

func (f *folder) toolResult(l *line, b *block, o Origin) {
	id := f.callID(b.id)
	c := f.calls[id]
	if c.answered {
		f.session.Report.Copies++
		f.cleared(l, b, o)
		return
	}
	r := f.slabs.results.put(ToolResult{Origin: o, CallID: id, Chars: b.chars, Schemas: b.schemas, IsError: b.isError, Family: Other})
	if c.ToolCall == nil {
		f.session.Report.Orphans++
		f.problem(o.Pos.Line, "tool result without its call")
	} else {
		f.calls[id] = call{c.ToolCall, true}
		r.Tool, r.Family, r.Role = c.Name, c.Family, c.Role
	}
	r.Images = f.images(l, b)
	if r.IsError {
		r.Failure = failure(l, b)
	} else if r.Family == Retrieval {
		r.Response = f.response(l, b)
	}
	if f.opts.KeepText {
		r.Text = f.joined(l, b)
	}
	f.delegated(l, r)
	if f.node >= 0 {
		f.tree.addResult(f.node, r.CallID)
	}
	f.emit(r)
}

// delegated takes from a delegation's result which subagent it was and what its last request used.
func (f *folder) delegated(l *line, r *ToolResult) {
	if r.Role != RoleDelegate {
		return
	}
	if !l.subagent.agent.Empty() && !l.session.id.Empty() {
		f.link(f.intern.join(agentPrefix, f.str(l.subagent.agent)), r.CallID)
	}
	if l.subagent.hasUsage {
		u := l.subagent.usage
		r.SubagentUsage = &u
	}
}

func (f *folder) response(l *line, b *block) *Response {
	f.scratch = f.scratch[:0]
	for _, t := range l.texts[b.texts[0]:b.texts[1]] {
		if n := len(f.scratch); n > 0 && f.scratch[n-1] != '\n' {
			f.scratch = append(f.scratch, '\n') // the next block starts a line
		}
		f.scratch = t.Append(f.scratch)
	}
	var resp Response
	if f.opts.ParseResponse != nil {
		resp = f.opts.ParseResponse(f.scratch)
	} else {
		resp = f.responses.parse(f.scratch, &f.intern)
	}
	resp.Chars = b.chars
	return &resp
}

// clearedText stands where the client took a tool result out of the window.
const clearedText = "[Old tool result content cleared]"

// clearedCopies looks at a line that was read before: a later log may hold it with its results cleared.
func (f *folder) clearedCopies(l *line) {
	for i := range l.blocks {
		if b := &l.blocks[i]; b.kind == blockToolResult {
			f.cleared(l, b, Origin{Pos: Position{f.file, 0}, Segment: f.segment, Thread: f.threadOf(l)})
		}
	}
}

// cleared turns a copy of a result that holds the placeholder into a micro-compaction.
func (f *folder) cleared(l *line, b *block, o Origin) {
	texts := l.texts[b.texts[0]:b.texts[1]]
	if len(texts) != 1 || string(texts[0].Raw) != clearedText {
		return
	}
	f.emit(&MicroCompaction{Origin: o, Trigger: "placeholder", Cleared: []string{f.callID(b.id)}})
}

// failure tells the kinds of errors apart by what the client writes into the result.
func failure(l *line, b *block) Failure {
	texts := l.texts[b.texts[0]:b.texts[1]]
	if len(texts) == 0 {
		return FailureTool
	}
	text := string(texts[0].Raw[:min(len(texts[0].Raw), 400)])
	switch {
	case strings.HasPrefix(text, "<tool_use_error>"):
		return FailureRefused
	case strings.HasPrefix(text, "PreToolUse:"):
		return DeniedByHook
	case strings.HasPrefix(text, "The user doesn't want to"):
		return DeniedByUser
	case strings.Contains(text, "but you haven't granted it yet"), strings.HasPrefix(text, "Permission to use"),
		strings.Contains(text, "don't ask mode"), strings.Contains(text, "requires approval"):
		return DeniedByMode
	}
	if l.rejected.Empty() {
		return FailureTool
	}
	switch string(l.rejected.Raw) {
	case "hook":
		return DeniedByHook
	case "user":
		return DeniedByUser
	}
	return DeniedByMode
}
