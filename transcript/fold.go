package transcript

import (
	"io"
	"strings"

	json "github.com/goccy/go-json"
)

// A folder makes a session of lines, one after the other in the order of the logs.
type folder struct {
	opts    Options
	matcher *toolMatcher
	classes map[string]class // tool name → what it is
	intern  interner

	session  *Session
	segment  int
	file     string
	threads  map[string]int      // thread id → index into session.Threads
	requests map[string]*Request // message id → request
	calls    map[string]call     // call id → call
	open     map[string]string   // thread id → message that is being streamed
	seen     seen
	uuid     uuid // of the line that is folded
	blocks   blocks
	last     map[string]*lastMessage // thread id → its newest message

	thinking int     // client's estimate for the message that comes next
	worked   bool    // something happened since the last result
	events   int     // events of the current segment
	emitted  []Event // events since the caller took them
	quiet    bool    // nobody takes them
	scratch  []byte
	slabs    struct {
		requests slab[Request]
		usages   slab[Usage]
		texts    slab[AssistantText]
		thinking slab[Thinking]
		calls    slab[ToolCall]
		results  slab[ToolResult]
	}
}

type class struct {
	name   string
	family Family
	role   Role
}

type call struct {
	*ToolCall
	answered bool
}

// A lastMessage is the newest message of a thread, whose texts may turn out to be an answer.
type lastMessage struct {
	id    string
	texts []*AssistantText
}

func newFolder(opts Options) (*folder, error) {
	opts.Tools = opts.Tools.WithDefaults()
	m, err := compileTools(opts.Tools)
	if err != nil {
		return nil, err
	}
	return &folder{
		opts:     opts,
		matcher:  m,
		classes:  make(map[string]class),
		session:  &Session{Tools: opts.Tools, Threads: []Thread{{}}},
		segment:  -1,
		threads:  map[string]int{"": 0},
		requests: make(map[string]*Request),
		calls:    make(map[string]call),
		open:     make(map[string]string),
		last:     make(map[string]*lastMessage),
	}, nil
}

// startSegment begins the next log.
func (f *folder) startSegment(name string) {
	f.endTurn("")
	f.segment++
	f.file = name
	f.thinking, f.worked, f.events = 0, false, 0
	f.session.Segments = append(f.session.Segments, Segment{Name: name, Format: FormatStreamJSON})
}

// endSegment returns io.EOF, or ErrNoEvents if the log held no event.
func (f *folder) endSegment() error {
	if f.events == 0 {
		return &FileError{f.file, ErrNoEvents}
	}
	return io.EOF
}

func (f *folder) seg() *Segment { return &f.session.Segments[f.segment] }

func (f *folder) problem(lineNo int, reason string) {
	f.session.Report.problem(Position{f.file, lineNo}, reason)
}

func (f *folder) emit(ev Event) {
	o := ev.At()
	i, ok := f.threads[o.Thread]
	if !ok {
		i = len(f.session.Threads)
		f.threads[o.Thread] = i
		f.session.Threads = append(f.session.Threads, Thread{ID: o.Thread})
	}
	t := &f.session.Threads[i]
	t.Events = append(t.Events, ev)
	if !f.quiet {
		f.emitted = append(f.emitted, ev)
	}
}

// addBatch folds scanned lines; base is how many lines of the log stand before them.
func (f *folder) addBatch(b *batch, base int) {
	for i := range b.n {
		f.add(&b.lines[i], base+b.lines[i].no)
	}
}

// add folds one line into the session.
func (f *folder) add(l *line, lineNo int) {
	for _, reason := range l.problems {
		f.problem(lineNo, reason)
	}
	if l.bad {
		return
	}
	for _, typ := range l.unknown {
		count(&f.session.Report.Unknown, "block "+f.str(typ))
	}
	name := f.lineName(l)
	if name == "" {
		f.problem(lineNo, "object without a type")
		return
	}
	count(&f.session.Report.Lines, name)
	if passive(name) {
		f.events++
		return
	}
	handle := f.handler(name)
	if handle == nil {
		count(&f.session.Report.Unknown, "event "+name)
		return
	}
	f.events++
	f.uuid = uuid{}
	if !l.uuid.Empty() {
		f.uuid = parseUUID(l.uuid.Raw)
		if !f.seen.add(f.uuid) {
			f.session.Report.Copies++
			return
		}
	}
	handle(f, l, Origin{Pos: Position{f.file, lineNo}, Segment: f.segment, Thread: f.str(l.parentTool)})
}

// handler returns what folds lines of this name, or nil.
func (f *folder) handler(name string) func(*folder, *line, Origin) {
	switch name {
	case "assistant":
		return (*folder).assistant
	case "user":
		return (*folder).user
	case "result":
		return (*folder).result
	case "system/init":
		return (*folder).init
	case "system/thinking_tokens":
		return (*folder).thinkingTokens
	case "system/compact_boundary":
		return (*folder).compaction
	case "system/microcompact_boundary":
		return (*folder).microCompaction
	case "stream_event":
		return (*folder).streamEvent
	}
	return nil
}

// lineName returns type, or type/subtype for the types whose subtypes differ in meaning.
func (f *folder) lineName(l *line) string {
	typ := f.str(l.typ)
	if typ == "system" && len(l.subtype.Raw) > 0 {
		return f.intern.join("system/", f.str(l.subtype))
	}
	return typ
}

// passive reports whether lines of this name are known and hold nothing that a session needs.
func passive(name string) bool {
	switch name {
	case "rate_limit_event", "stream_request_start", "keep_alive", "control_request", "control_response", "control_cancel_request",
		"tool_progress", "auth_status", "tool_use_summary", "prompt_suggestion",
		"system/status", "system/api_retry", "system/task_started", "system/task_progress", "system/task_updated",
		"system/task_notification", "system/hook_started", "system/hook_progress", "system/hook_response", "system/ui_invalidate",
		"system/permission_denied", "system/local_command_output", "system/files_persisted", "system/session_state_changed",
		"system/elicitation_complete", "system/post_turn_summary", "system/api_error":
		return true
	}
	return false
}

// str returns the interned string of s; for names and ids, which repeat.
func (f *folder) str(s str) string {
	if !s.Escaped {
		return f.intern.bytes(s.Raw)
	}
	f.scratch = s.Append(f.scratch[:0])
	return f.intern.bytes(f.scratch)
}

// keep returns the string of s; for short texts that do not repeat and stay.
func (f *folder) keep(s str) string {
	if !s.Escaped {
		return f.intern.arena.bytes(s.Raw)
	}
	f.scratch = s.Append(f.scratch[:0])
	return f.intern.arena.bytes(f.scratch)
}

// text returns the string of s; for texts, which do not repeat and may be dropped.
func (f *folder) text(s str) string {
	if !s.Escaped {
		return string(s.Raw)
	}
	f.scratch = s.Append(f.scratch[:0])
	return string(f.scratch)
}

func (f *folder) assistant(l *line, o Origin) {
	if o.Thread == "" {
		f.worked = true
	}
	if !l.hasMessage {
		f.problem(o.Pos.Line, "assistant line without a message")
		return
	}
	model := f.str(l.model)
	id := f.str(l.msgID)
	synthetic := model == "<synthetic>"
	if synthetic {
		id = ""
	} else {
		f.request(l, o, id, model)
	}
	for i := range l.blocks {
		f.assistantBlock(l, &l.blocks[i], o, id, synthetic)
	}
}

// request finds or makes the request that the line belongs to, and takes over what the line adds to it.
func (f *folder) request(l *line, o Origin, id, model string) {
	r := f.requests[id]
	if r == nil || id == "" {
		r = f.slabs.requests.put(Request{Origin: o, ID: id, Model: model})
		f.requests[id] = r
		f.emit(r)
		f.supersede(o.Thread, id)
	}
	if l.hasUsage {
		f.addUsage(r, l.usage)
	}
	if len(l.stopReason.Raw) > 0 {
		r.StopReason = f.str(l.stopReason)
		r.OutputFinal = r.Usage != nil
	}
	r.ThinkingEstimate += f.thinking
	f.thinking = 0
}

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
func (f *folder) supersede(thread, id string) {
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
	last.id, last.texts = id, last.texts[:0]
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
		f.unknownBlock(b)
	}
}

func (f *folder) unknownBlock(b *block) {
	count(&f.session.Report.Unknown, "block "+f.str(b.name))
}

func (f *folder) toolCall(b *block, o Origin, request string) {
	id := f.str(b.id)
	if id == "" {
		f.problem(o.Pos.Line, "tool call without an id")
	} else if f.calls[id].ToolCall != nil {
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

func (f *folder) classify(name str) class {
	s := f.str(name)
	c, ok := f.classes[s]
	if !ok {
		c.name = s
		c.family, c.role = f.matcher.classify(s)
		f.classes[s] = c
	}
	return c
}

func (f *folder) args(b *block) Args {
	first := func(kinds ...int) string {
		for _, k := range kinds {
			if len(b.args[k].Raw) > 0 {
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
		Description: first(argDescription),
	}
}

// joined returns the texts of a block as one string.
func (f *folder) joined(l *line, b *block) string {
	texts := l.texts[b.texts[0]:b.texts[1]]
	if len(texts) == 1 {
		return f.text(texts[0])
	}
	f.scratch = joinTexts(f.scratch[:0], texts)
	return string(f.scratch)
}

func joinTexts(dst []byte, texts []str) []byte {
	for _, t := range texts {
		dst = t.Append(dst)
	}
	return dst
}

func (f *folder) user(l *line, o Origin) {
	if o.Thread == "" {
		f.worked = true
	}
	if !l.hasMessage {
		f.problem(o.Pos.Line, "user line without a message")
		return
	}
	hasResult := false
	for i := range l.blocks {
		hasResult = hasResult || l.blocks[i].kind == blockToolResult
	}
	for i := range l.blocks {
		b := &l.blocks[i]
		switch b.kind {
		case blockToolResult:
			f.toolResult(l, b, o)
		case blockText:
			f.userText(l, b, o, hasResult)
		default:
			f.unknownBlock(b)
		}
	}
}

func (f *folder) userText(l *line, b *block, o Origin, besideResult bool) {
	text := f.joined(l, b)
	prompt := !l.meta && !l.synthetic && !l.summary && !besideResult && !clientNote(text)
	t := &UserText{Origin: o, Chars: b.chars, Prompt: prompt}
	if f.opts.KeepText {
		t.Text = text
	}
	f.emit(t)
	if prompt {
		f.endTurn(o.Thread)
	}
}

// clientNote reports whether a user text is one that the client writes by itself.
func clientNote(text string) bool {
	for _, prefix := range []string{
		"<local-command-", "<system-reminder>", "<task-notification>", "[Request interrupted by user",
	} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

func (f *folder) toolResult(l *line, b *block, o Origin) {
	r := f.slabs.results.put(ToolResult{Origin: o, Chars: b.chars, IsError: b.isError, Family: Other})
	id := f.str(b.id)
	c := f.calls[id]
	switch {
	case c.ToolCall == nil:
		r.CallID = id
		f.session.Report.Orphans++
		f.problem(o.Pos.Line, "tool result without its call")
	case c.answered:
		f.session.Report.Copies++
		return
	default:
		f.calls[id] = call{c.ToolCall, true}
		r.CallID, r.Tool, r.Family, r.Role = c.ID, c.Name, c.Family, c.Role
	}
	for _, im := range l.images[b.images[0]:b.images[1]] {
		r.Images = append(r.Images, f.image(im))
	}
	if r.Family == Retrieval && !r.IsError {
		r.Response = f.response(l, b)
	}
	if f.opts.KeepText {
		r.Text = f.joined(l, b)
	}
	f.seen.addResult(f.uuid, r.CallID)
	f.emit(r)
}

func (f *folder) response(l *line, b *block) *Response {
	texts := l.texts[b.texts[0]:b.texts[1]]
	f.scratch = joinTexts(f.scratch[:0], texts)
	var resp Response
	if f.opts.ParseResponse != nil {
		resp = f.opts.ParseResponse(f.scratch)
	} else {
		resp = parseResponse(f.scratch, &f.intern)
	}
	resp.Chars = b.chars
	return &resp
}

func (f *folder) init(l *line, o Origin) {
	var v struct {
		SessionID      string      `json:"session_id"`
		Model          string      `json:"model"`
		ClientVersion  string      `json:"claude_code_version"`
		CWD            string      `json:"cwd"`
		PermissionMode string      `json:"permissionMode"`
		Tools          []string    `json:"tools"`
		MCPServers     []MCPServer `json:"mcp_servers"`
	}
	f.decode(l, o, &v)
	o.Thread = ""
	in := &Init{o, v.SessionID, v.Model, v.ClientVersion, v.CWD, v.PermissionMode, v.Tools, v.MCPServers}
	seg := f.seg()
	seg.Inits = append(seg.Inits, in)
	f.emit(in)
}

// decode reads a small structured line; a value of an unexpected type costs that value.
func (f *folder) decode(l *line, o Origin, v any) {
	if err := json.Unmarshal(l.raw, v); err != nil {
		f.problem(o.Pos.Line, err.Error())
	}
}

func (f *folder) thinkingTokens(l *line, o Origin) {
	var v struct {
		Delta int `json:"estimated_tokens_delta"`
	}
	f.decode(l, o, &v)
	f.thinking += v.Delta
}

type resultUsage struct {
	Input         int `json:"input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	Output        int `json:"output_tokens"`
}

func (f *folder) result(l *line, o Origin) {
	var v struct {
		SessionID  string       `json:"session_id"`
		Subtype    string       `json:"subtype"`
		IsError    bool         `json:"is_error"`
		Result     string       `json:"result"`
		NumTurns   int          `json:"num_turns"`
		DurationMS float64      `json:"duration_ms"`
		CostUSD    *float64     `json:"total_cost_usd"`
		Usage      *resultUsage `json:"usage"`
		ModelUsage map[string]struct {
			Input         int `json:"inputTokens"`
			CacheRead     int `json:"cacheReadInputTokens"`
			CacheCreation int `json:"cacheCreationInputTokens"`
			Output        int `json:"outputTokens"`
			ContextWindow int `json:"contextWindow"`
		} `json:"modelUsage"`
		Denials []struct {
			ID string `json:"tool_use_id"`
		} `json:"permission_denials"`
	}
	f.decode(l, o, &v)
	o.Thread = ""
	seg := f.seg()
	r := &Result{
		Origin: o, SessionID: v.SessionID, Subtype: v.Subtype, IsError: v.IsError, Text: v.Result, Turns: v.NumTurns,
		DurationMS: v.DurationMS, CostUSD: v.CostUSD, Worked: f.worked || len(seg.Results) == 0,
	}
	if u := v.Usage; u != nil {
		r.Usage = &Usage{u.Input, u.CacheRead, u.CacheCreation, u.Output}
	}
	for model, u := range v.ModelUsage {
		if r.ModelUsage == nil {
			r.ModelUsage = make(map[string]ModelUsage)
		}
		r.ModelUsage[model] = ModelUsage{Usage{u.Input, u.CacheRead, u.CacheCreation, u.Output}, u.ContextWindow}
	}
	for _, d := range v.Denials {
		r.Denials = append(r.Denials, d.ID)
	}
	seg.Results = append(seg.Results, r)
	f.emit(r)
	if r.Worked {
		f.endTurn("")
	}
	f.worked = false
}
