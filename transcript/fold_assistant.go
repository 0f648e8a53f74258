package transcript

// A lastMessage is the newest message of a thread, whose texts may turn out to be an answer.
type lastMessage struct {
	texts []*AssistantText
}

func (f *folder) assistant(l *line, o Origin) {
	f.message(o)
	if !l.hasMessage {
		f.problem(o.Pos.Line, "assistant line without a message")
		return
	}
	model := f.str(l.model)
	synthetic := model == "<synthetic>"
	id := ""
	if !synthetic {
		id = f.requestID(l.msgID)
		f.request(l, o, id, model)
	}
	for i := range l.blocks {
		f.assistantBlock(l, &l.blocks[i], o, id, synthetic)
	}
}

// message notes that a line of the main conversation was read.
func (f *folder) message(o Origin) {
	if o.Thread != "" {
		return
	}
	f.worked = true
	if f.node >= 0 {
		f.tree.node(f.node).kind = nodeMessage
	}
}

// request finds or makes the request that the line belongs to, and takes over what the line adds to it.
func (f *folder) request(l *line, o Origin, id, model string) {
	r := f.requests[id]
	if r == nil || id == "" {
		r = f.slabs.requests.put(Request{Origin: o, ID: id, Model: model})
		f.requests[id] = r
		f.emit(r)
		f.supersede(o.Thread)
		if in := f.seg().Init(); in != nil && o.Thread == "" {
			setDefault(&in.Model, model)
		}
	}
	if l.hasUsage {
		f.addUsage(r, l.usage)
	}
	if !l.stopReason.Empty() {
		r.StopReason = f.str(l.stopReason)
		r.OutputFinal = r.Usage != nil
	}
	r.ThinkingEstimate += f.thinking
	f.thinking = 0
}

// addUsage keeps the largest of each figure.
func (f *folder) addUsage(r *Request, u Usage) {
	if r.Usage == nil {
		r.Usage = f.slabs.usages.put(Usage{})
	}
	v := r.Usage
	v.Input = max(v.Input, u.Input)
	v.CacheRead = max(v.CacheRead, u.CacheRead)
	v.CacheCreation = max(v.CacheCreation, u.CacheCreation)
	v.Output = max(v.Output, u.Output)
}

// supersede starts a new message on a thread. The texts of the one before are dropped unless they
// ended a turn.
func (f *folder) supersede(thread string) {
	last := f.last[thread]
	if last == nil {
		last = new(lastMessage)
		f.last[thread] = last
	}
	if !f.opts.KeepText {
		for _, t := range last.texts {
			t.Text = ""
		}
	}
	last.texts = last.texts[:0]
}

// endTurn keeps the texts of the thread's last message: they are its answer.
func (f *folder) endTurn(thread string) {
	if last := f.last[thread]; last != nil {
		last.texts = last.texts[:0]
	}
}

func (f *folder) assistantBlock(l *line, b *block, o Origin, id string, synthetic bool) {
	if b.kind != blockToolUse && id != "" && f.blocks.repeated(id, b.kind, l.texts[b.texts[0]:b.texts[1]], f.segment) {
		f.session.Report.Copies++
		return
	}
	switch b.kind {
	case blockText:
		t := f.slabs.texts.put(AssistantText{Origin: o, Request: id, Chars: b.chars, Text: f.joined(l, b), Synthetic: synthetic})
		f.emit(t)
		if last := f.last[o.Thread]; !synthetic && last != nil {
			last.texts = append(last.texts, t)
		}
	case blockThinking, blockRedacted:
		t := f.slabs.thinking.put(Thinking{Origin: o, Request: id, Chars: b.chars, Hidden: b.chars == 0})
		if f.opts.KeepText {
			t.Text = f.joined(l, b)
		}
		f.emit(t)
	case blockToolUse:
		f.toolCall(b, o, id)
	default:
		f.session.Report.unknown("block " + f.str(b.name))
	}
}

func (f *folder) toolCall(b *block, o Origin, request string) {
	id := f.callID(b.id)
	if id == "" {
		f.problem(o.Pos.Line, "tool call without an id")
	} else if c := f.calls[id]; c.ToolCall != nil && c.Request == request {
		f.session.Report.Copies++
		return
	}
	c := f.classify(b.toolName)
	t := f.slabs.calls.put(ToolCall{
		Origin: o, Request: request, ID: id, Name: c.name, Family: c.family, Role: c.role, Args: f.args(b), InputChars: b.inputChars,
	})
	if f.opts.KeepText {
		t.Input = string(b.input)
	}
	if id != "" {
		f.calls[id] = call{ToolCall: t}
	}
	f.emit(t)
}

func (f *folder) classify(name str) class { return f.classifyName(f.str(name)) }

func (f *folder) classifyName(name string) class {
	c, ok := f.classes[name]
	if !ok {
		c.name = name
		c.family, c.role = f.matcher.classify(name)
		f.classes[name] = c
	}
	return c
}

func (f *folder) args(b *block) Args {
	first := func(kinds ...int) string {
		for _, k := range kinds {
			if !b.args[k].Empty() {
				return f.keep(b.args[k])
			}
		}
		return ""
	}
	return Args{
		Path:        first(argFilePath, argNotebookPath, argPath),
		Command:     first(argCommand),
		Query:       first(argQuery, argQuestion, argSymbol),
		Pattern:     first(argPattern),
		Glob:        first(argGlob),
		Description: first(argDescription),
	}
}
