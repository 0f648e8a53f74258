package transcript

import (
	"strconv"

	json "github.com/goccy/go-json"
)

// A folder makes a session of lines, one after the other in the order of the logs.
type folder struct {
	*memory
	opts    Options
	matcher *toolMatcher
	classes map[string]class // tool name → what it is

	session *Session
	segment int
	file    string
	events  int  // known events of the current log
	worked  bool // something happened since the last result

	threads  map[string]threadRef // thread id → where it is
	links    map[string]string    // subagent → call that started it
	roots    map[uuid]string      // line of a sidechain without an agent id → its thread
	open     map[string]string    // thread id → message that is being streamed
	last     map[string]*lastMessage
	node     int32 // the current line in tree, or -1
	warmUp   bool  // the current text is that of a warm-up
	thinking int   // client's estimate for the message that comes next

	emitted []Event // events since the caller took them
	quiet   bool    // nobody takes them
	slabs   struct {
		requests slab[Request]
		usages   slab[Usage]
		texts    slab[AssistantText]
		thinking slab[Thinking]
		calls    slab[ToolCall]
		results  slab[ToolResult]
	}
}

// A class is what the session's Tools say of a tool.
type class struct {
	name   string
	family Family
	role   Role
}

// A call is a tool call and whether its result was read.
type call struct {
	*ToolCall
	answered bool
}

func newFolder(opts Options) (*folder, error) {
	opts.Tools = opts.Tools.WithDefaults()
	m, err := compileTools(opts.Tools)
	if err != nil {
		return nil, err
	}
	f := makeFolder(opts, m)
	f.memory = newMemory()
	return f, nil
}

// makeFolder returns a folder without workers, for tools that are compiled.
func makeFolder(opts Options, m *toolMatcher) *folder {
	return &folder{
		opts:    opts,
		matcher: m,
		classes: make(map[string]class),
		session: &Session{Tools: opts.Tools, Threads: []Thread{{}}},
		segment: -1,
		threads: map[string]threadRef{"": {}},
		links:   make(map[string]string),
		open:    make(map[string]string),
		last:    make(map[string]*lastMessage),
	}
}

// startSegment begins the next log.
func (f *folder) startSegment(name string) {
	f.endTurn("")
	f.segment++
	f.file = name
	f.thinking, f.worked, f.events = 0, false, 0
	f.session.Segments = append(f.session.Segments, Segment{Name: name, Format: FormatStreamJSON})
}

func (f *folder) seg() *Segment { return &f.session.Segments[f.segment] }

func (f *folder) problem(lineNo int, reason string) {
	f.session.Report.problem(Position{f.file, lineNo}, reason)
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
		f.session.Report.unknown("block " + f.str(typ))
	}
	name := f.lineName(l)
	if name == "" {
		f.problem(lineNo, "object without a type")
		return
	}
	count(&f.session.Report.Lines, name)
	handle := handlers(name)
	if handle == nil && !passive(name) {
		f.session.Report.unknown("event " + name)
		return
	}
	f.events++
	if !f.enter(l, handle != nil) {
		return
	}
	f.describe(l, lineNo)
	if handle == nil {
		return
	}
	before := len(f.session.Threads[0].Events)
	handle(f, l, Origin{Pos: Position{f.file, lineNo}, Segment: f.segment, Thread: f.threadOf(l)})
	if f.node >= 0 {
		f.tree.node(f.node).events = [2]int32{int32(before), int32(len(f.session.Threads[0].Events))}
	}
}

// enter notes the line in the tree. It reports false when the line was read before.
func (f *folder) enter(l *line, handled bool) bool {
	f.node = -1
	id := l.uuid
	if !l.innerUUID.Empty() {
		id = l.innerUUID
	}
	parent := l.session.parent
	if parent.Empty() {
		parent = l.session.logicalParent
	}
	if id.Empty() || !handled && parent.Empty() {
		return true
	}
	i, ok := f.tree.add(parseUUID(id.Raw))
	if !ok {
		f.session.Report.Copies++
		f.clearedCopies(l)
		return false
	}
	f.node = i
	switch {
	case !parent.Empty():
		f.tree.follow(i, parseUUID(parent.Raw))
	case l.session.root && string(l.subtype.Raw) != "compact_boundary": // an older client does not say what that one follows
		f.tree.follow(i, uuid{text: "\x00log " + strconv.Itoa(f.segment)})
	}
	return true
}

// lineName returns the type of the line, with the subtype where that says what it is.
func (f *folder) lineName(l *line) string {
	switch typ := f.str(l.typ); {
	case typ == "system" && !l.subtype.Empty():
		return f.intern.join("system/", f.str(l.subtype))
	case typ == "progress" && !l.innerLine.Empty():
		return f.intern.join("progress/", f.str(l.innerLine))
	case typ == "attachment" && string(l.innerType.Raw) == "queued_command":
		return "attachment/queued_command"
	default:
		return typ
	}
}

// handlers returns what folds lines of this name, or nil.
func handlers(name string) func(*folder, *line, Origin) {
	switch name {
	case "assistant", "progress/assistant":
		return (*folder).assistant
	case "user", "progress/user", "attachment/queued_command":
		return (*folder).user
	case "result":
		return (*folder).result
	case "cost-state":
		return (*folder).costState
	case "system/init":
		return (*folder).init
	case "system/thinking_tokens":
		return (*folder).thinkingTokens
	case "system/compact_boundary":
		return (*folder).compaction
	case "system/microcompact_boundary":
		return (*folder).microCompaction
	case "attachment":
		return (*folder).attachment
	case "stream_event":
		return (*folder).streamEvent
	}
	return nil
}

// passive reports whether lines of this name are known and hold nothing that a session needs.
func passive(name string) bool {
	switch name {
	// stream-json
	case "rate_limit_event", "stream_request_start", "keep_alive", "control_request", "control_response", "control_cancel_request",
		"tool_progress", "auth_status", "tool_use_summary", "prompt_suggestion",
		"system/status", "system/api_retry", "system/task_started", "system/task_progress", "system/task_updated",
		"system/task_notification", "system/hook_started", "system/hook_progress", "system/hook_response", "system/ui_invalidate",
		"system/permission_denied", "system/local_command_output", "system/files_persisted", "system/session_state_changed",
		"system/elicitation_complete", "system/post_turn_summary":
		return true
	// session logs
	case "progress", "queue-operation", "file-history-snapshot", "summary", "last-prompt", "ai-title", "custom-title",
		"agent-name", "permission-mode", "mode", "pr-link", "atis-latch", "tools-used", "api-request", "api-request-shape",
		"api-request-blob", "system/stop_hook_summary", "system/turn_duration", "system/api_error", "system/local_command",
		"system/bridge_status", "system/informational", "system/away_summary":
		return true
	}
	return false
}

// knownType reports whether a line may be of the type.
func knownType(typ string) bool { return typ == "system" || handlers(typ) != nil || passive(typ) }

// describe takes from a session log's line what an init line says in a stream.
func (f *folder) describe(l *line, lineNo int) {
	v := &l.session
	if v.id.Empty() {
		return
	}
	seg := f.seg()
	seg.Format = FormatSessionLog
	version := f.str(v.version)
	f.session.Report.version(version)
	if len(seg.Inits) == 0 {
		seg.Inits = append(seg.Inits, &Init{Origin: Origin{Pos: Position{f.file, lineNo}, Segment: f.segment}, SessionID: f.str(v.id)})
	}
	in := seg.Inits[0]
	setDefault(&in.ClientVersion, version)
	setDefault(&in.CWD, f.str(v.cwd))
	setDefault(&in.PermissionMode, f.str(v.permissionMode))
	setDefault(&in.Effort, f.str(v.effort))
}

// str returns the interned string of s; for names and ids, which repeat.
func (f *folder) str(s str) string {
	if !s.Escaped {
		return f.intern.bytes(s.Raw)
	}
	f.scratch = s.Append(f.scratch[:0])
	return f.intern.bytes(f.scratch)
}

// requestID returns the message id s. That of a request that was read is the same string, without another map to find it by.
func (f *folder) requestID(s str) string {
	if s.Escaped {
		return f.str(s)
	}
	if r := f.requests[string(s.Raw)]; r != nil {
		return r.ID
	}
	return f.keep(s)
}

// callID returns the id of a tool call, likewise.
func (f *folder) callID(s str) string {
	if s.Escaped {
		return f.str(s)
	}
	if c := f.calls[string(s.Raw)]; c.ToolCall != nil {
		return c.ID
	}
	return f.keep(s)
}

// keep returns the string of s; for short texts that do not repeat and stay.
func (f *folder) keep(s str) string {
	if !s.Escaped {
		return f.intern.arena.bytes(s.Raw)
	}
	f.scratch = s.Append(f.scratch[:0])
	return f.intern.arena.bytes(f.scratch)
}

// joined returns the texts of a block as one string; for texts that do not repeat and may be dropped.
func (f *folder) joined(l *line, b *block) string {
	f.scratch = appendTexts(f.scratch[:0], l, b)
	return string(f.scratch)
}

// appendTexts appends the texts of a block.
func appendTexts(dst []byte, l *line, b *block) []byte {
	for _, t := range l.texts[b.texts[0]:b.texts[1]] {
		dst = t.Append(dst)
	}
	return dst
}

// decode reads a small structured line. A value of an unexpected type is a problem.
func (f *folder) decode(l *line, o Origin, v any) {
	if err := json.Unmarshal(l.raw, v); err != nil {
		f.problem(o.Pos.Line, err.Error())
	}
}
