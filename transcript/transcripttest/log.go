// Package transcripttest builds small transcripts in a test, as net/http/httptest builds requests: a few calls
// describe what the agent did, and the result is a [transcript.Session] or the bytes of a log.
//
// A log reads like the run it stands for. This one retrieves once, reads a file, and answers:
//
//	log := transcripttest.New()
//	log.Request(10_000).Call("mcp__codegraph__codegraph_explore", transcripttest.Args{"query": "res.send"}).Result("…")
//	log.Request(14_000).Call("Read", transcripttest.Args{"file_path": "lib/response.js"}).Result("…")
//	log.Request(16_000).Text("res.send is in lib/response.js")
//	log.End("res.send is in lib/response.js")
//	session := log.Session(t)
//
// Everything is deterministic: the same calls give the same bytes. Sessions are read back from those bytes by
// the same reader that reads real logs. The package is for tests: what cannot be built panics.
package transcripttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/agent-eval/feedback/transcript"
)

// Args are the arguments of a tool call.
type Args map[string]any

// A Log is a transcript under construction: one session of one or more segments, in Claude Code's
// stream-json format. Make one with [New].
type Log struct {
	*Thread  // the main thread
	segments [][]byte
	names    []string
	counter  int
}

// A Thread is the main conversation or a subagent's.
type Thread struct {
	log    *Log
	parent string // id of the call that started it
}

// A Message is one message of the assistant: one request.
type Message struct {
	thread *Thread
	id     string
	model  string
	usage  any // *Usage, nil or a caller's own value
	output int
	stop   any
}

// A Call is a tool call whose result can be given.
type Call struct {
	ID     string // id that the result refers to
	thread *Thread
}

// New returns a log whose first segment, run.jsonl, starts with an init line that offers the codegraph
// explore tool.
func New() *Log {
	l := NewBare()
	l.Init(nil)
	return l
}

// NewBare returns a log without a single line.
func NewBare() *Log {
	l := &Log{}
	l.Thread = &Thread{log: l}
	l.segments = [][]byte{nil}
	l.names = []string{"run.jsonl"}
	return l
}

// Init writes an init line. The given fields replace the default ones; a nil value removes a field.
func (l *Log) Init(fields Args) *Log {
	l.emit(merge(Args{
		"type": "system", "subtype": "init", "cwd": "/home/dev/proj", "session_id": sessionID,
		"tools":       []string{"Task", "Bash", "Glob", "Grep", "Read", "Edit", "Write", "TodoWrite", "ToolSearch", "mcp__codegraph__codegraph_explore"},
		"mcp_servers": []Args{{"name": "codegraph", "status": "connected"}},
		"model":       Model, "permissionMode": "bypassPermissions", "claude_code_version": "2.1.112",
	}, fields))
	return l
}

const sessionID = "5e551017-0000-4000-8000-000000000001"

// Model is the name of the model in the logs that are built.
const Model = "claude-test-1"

func merge(base, over Args) Args {
	for k, v := range over {
		if v == nil {
			delete(base, k)
		} else {
			base[k] = v
		}
	}
	return base
}

func (l *Log) next(format string) string {
	l.counter++
	return fmt.Sprintf(format, l.counter)
}

func (l *Log) emit(v Args) {
	if _, ok := v["uuid"]; !ok {
		v["uuid"] = l.next("00000000-0000-4000-8000-%012d")
	}
	if _, ok := v["session_id"]; !ok {
		v["session_id"] = sessionID
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("transcripttest: %v", err))
	}
	l.write(b.Bytes())
}

func (l *Log) write(b []byte) {
	last := len(l.segments) - 1
	l.segments[last] = append(l.segments[last], b...)
}

// Line writes a line as it is: a malformed one, or one that the builder has no method for. A line
// feed is added.
func (l *Log) Line(raw string) *Log {
	l.write([]byte(raw + "\n"))
	return l
}

// Event writes one JSON object; a missing uuid and session_id are filled in.
func (l *Log) Event(fields Args) *Log {
	l.emit(merge(Args{}, fields))
	return l
}

// Cut takes the last n bytes of the log away, as a crash does.
func (l *Log) Cut(n int) *Log {
	last := len(l.segments) - 1
	s := l.segments[last]
	l.segments[last] = s[:max(0, len(s)-n)]
	return l
}

// Request starts a new message of the assistant whose prompt has the given number of tokens.
func (t *Thread) Request(prompt int) *Message {
	return t.RequestUsage(&transcript.Usage{Input: prompt})
}

// RequestUsage starts a new message of the assistant with the given usage; nil leaves it out of the log.
func (t *Thread) RequestUsage(u *transcript.Usage) *Message {
	m := &Message{thread: t, id: t.log.next("msg_%04d"), model: Model, output: 1}
	if u != nil {
		m.output = max(u.Output, 1)
		m.usage = usage(*u)
	}
	return m
}

func usage(u transcript.Usage) Args {
	return Args{"input_tokens": u.Input, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheCreation}
}

// ID returns the message id.
func (m *Message) ID() string { return m.id }

// Final says that the lines of this message from here on carry the final number of output tokens and a
// stop reason, as newer session logs do.
func (m *Message) Final(output int) *Message {
	m.output, m.stop = output, "tool_use"
	return m
}

// RawUsage replaces the usage of the lines from here on by any JSON value, for instance nil for null.
func (m *Message) RawUsage(v any) *Message {
	m.usage = json.RawMessage(mustJSON(v))
	return m
}

// From says which model wrote the lines from here on.
func (m *Message) From(model string) *Message {
	m.model = model
	return m
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("transcripttest: %v", err))
	}
	return b
}

// Block writes one line of the message with the given content block.
func (m *Message) Block(block any) *Message {
	msg := Args{"id": m.id, "type": "message", "role": "assistant", "model": m.model, "stop_reason": m.stop, "content": []any{block}}
	switch u := m.usage.(type) {
	case Args:
		u["output_tokens"] = m.output
		msg["usage"] = u
	case json.RawMessage:
		msg["usage"] = u
	}
	m.thread.emit(Args{"type": "assistant", "message": msg})
	return m
}

func (t *Thread) emit(v Args) {
	v["parent_tool_use_id"] = nil
	if t.parent != "" {
		v["parent_tool_use_id"] = t.parent
	}
	t.log.emit(v)
}

// Text writes a text block.
func (m *Message) Text(text string) *Message {
	return m.Block(Args{"type": "text", "text": text})
}

// Thinking writes a thinking block. An empty text is thinking that the log hides.
func (m *Message) Thinking(text string) *Message {
	return m.Block(Args{"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"})
}

// Call writes a tool call.
func (m *Message) Call(tool string, args Args) *Call {
	c := &Call{ID: m.thread.log.next("toolu_%04d"), thread: m.thread}
	if args == nil {
		args = Args{}
	}
	m.Block(Args{"type": "tool_use", "id": c.ID, "name": tool, "input": args})
	return c
}

// Explore writes a call of codegraph's explore tool.
func (m *Message) Explore(query string) *Call {
	return m.Call("mcp__codegraph__codegraph_explore", Args{"query": query})
}

// ReadFile writes a call of the Read tool.
func (m *Message) ReadFile(path string) *Call { return m.Call("Read", Args{"file_path": path}) }

// Bash writes a call of the Bash tool.
func (m *Message) Bash(command string) *Call { return m.Call("Bash", Args{"command": command}) }

// Result writes the call's result as a string.
func (c *Call) Result(text string) *Call { return c.content(text, nil) }

// Blocks writes the call's result as content blocks, as MCP servers return it.
func (c *Call) Blocks(blocks ...any) *Call { return c.content(blocks, nil) }

// Error writes a result that is an error.
func (c *Call) Error(text string) *Call { return c.content(text, true) }

// Image writes a result that is one PNG image of the given size in pixels.
func (c *Call) Image(width, height int) *Call {
	return c.Blocks(ImageBlock(width, height))
}

func (c *Call) content(content, isError any) *Call {
	block := Args{"type": "tool_result", "tool_use_id": c.ID, "content": content}
	if isError != nil {
		block["is_error"] = isError
	}
	c.thread.User(block)
	return c
}

// Subagent returns the thread of the subagent that the call starts.
func (c *Call) Subagent() *Thread { return &Thread{log: c.thread.log, parent: c.ID} }

// User writes a line on the user's side with the given content blocks.
func (t *Thread) User(blocks ...any) *Thread {
	t.emit(Args{"type": "user", "message": Args{"role": "user", "content": blocks}})
	return t
}

// Prompt writes what a user, or the delegating agent, asks.
func (t *Thread) Prompt(text string) *Thread { return t.User(TextBlock(text)) }

// TextBlock returns a text content block.
func TextBlock(text string) Args { return Args{"type": "text", "text": text} }

// Compact writes a compaction with the context's size before and after it (0 leaves the latter out), and the
// summary that follows. The results of the preserved calls stay in the window.
func (l *Log) Compact(pre, post int, preserved ...*Call) *Log {
	meta := Args{"trigger": "auto", "pre_tokens": pre}
	if post > 0 {
		meta["post_tokens"] = post
	}
	if len(preserved) > 0 {
		var uuids []string
		for _, c := range preserved {
			uuids = append(uuids, l.resultUUID(c.ID))
		}
		meta["preserved_messages"] = Args{"uuids": uuids}
	}
	l.emit(Args{"type": "system", "subtype": "compact_boundary", "compact_metadata": meta})
	l.emit(Args{"type": "user", "isSynthetic": true, "message": Args{"role": "user", "content": "This session is being continued from a previous conversation."}, "parent_tool_use_id": nil})
	return l
}

// resultUUID returns the uuid of the line that holds the call's result.
func (l *Log) resultUUID(id string) string {
	for _, s := range l.segments {
		for line := range bytes.Lines(s) {
			var v struct {
				UUID    string
				Message struct {
					Content []struct {
						ID string `json:"tool_use_id"`
					}
				}
			}
			if json.Unmarshal(line, &v) == nil && len(v.Message.Content) > 0 && v.Message.Content[0].ID == id {
				return v.UUID
			}
		}
	}
	panic("transcripttest: call " + id + " has no result yet")
}

// MicroCompact writes a micro-compaction that cleared the results of the given calls.
func (l *Log) MicroCompact(saved int, calls ...*Call) *Log {
	ids := []string{}
	for _, c := range calls {
		ids = append(ids, c.ID)
	}
	l.emit(Args{"type": "system", "subtype": "microcompact_boundary", "microcompact_metadata": Args{"trigger": "auto", "tokens_saved": saved, "compacted_tool_ids": ids}})
	return l
}

// End writes a successful result that ends the turn with the given answer, after 1 s and for $0.10.
func (l *Log) End(answer string) *Log { return l.EndWith(Args{"result": answer}) }

// EndWith writes a result line. The given fields replace those that End writes; a nil value removes a field.
func (l *Log) EndWith(fields Args) *Log {
	l.emit(merge(Args{
		"type": "result", "subtype": "success", "is_error": false, "result": "", "num_turns": 1, "duration_ms": 1000, "total_cost_usd": 0.1,
	}, fields))
	return l
}

// Resume starts the next segment, which a resumed process writes: run.t2.jsonl, run.t3.jsonl, …
func (l *Log) Resume() *Log { return l.ResumeWith(nil) }

// ResumeWith is Resume with fields for the init line, as in [Log.Init].
func (l *Log) ResumeWith(fields Args) *Log {
	l.segments = append(l.segments, nil)
	l.names = append(l.names, fmt.Sprintf("run.t%d.jsonl", len(l.segments)))
	return l.Init(fields)
}

// Names returns the names of the segments.
func (l *Log) Names() []string { return l.names }

// Segments returns the bytes of each segment, in turn order.
func (l *Log) Segments() [][]byte { return l.segments }

// Bytes returns the log of the only segment. It panics when there are several.
func (l *Log) Bytes() []byte {
	if len(l.segments) != 1 {
		panic("transcripttest: a log of several segments: use Segments")
	}
	return l.segments[0]
}

// Session reads the log back with the default options.
func (l *Log) Session(tb testing.TB) *transcript.Session {
	tb.Helper()
	return l.SessionWith(tb, transcript.Options{})
}

// SessionWith reads the log back with the given options. A log that cannot be read fails the test.
func (l *Log) SessionWith(tb testing.TB, opts transcript.Options) *transcript.Session {
	tb.Helper()
	var d *transcript.Decoder
	for i, s := range l.segments {
		if d == nil {
			d = transcript.NewDecoder(bytes.NewReader(s), l.names[i], opts)
		} else {
			d.Append(bytes.NewReader(s), l.names[i])
		}
		for {
			_, err := d.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				tb.Fatalf("transcripttest: %v", err)
			}
		}
	}
	return d.Session()
}
