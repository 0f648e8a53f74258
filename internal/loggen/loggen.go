// Package loggen writes realistic logs of any size, for benchmarks and for the check of memory.
//
// They have the shape of Claude Code's stream-json: a line per content block, with message id and usage repeated; results of
// 0.2–60 KB of source text, with the structured copy that the client adds; retrieval responses with sections; some text that is not
// ASCII; subagents, parallel calls and system lines. The same options give the same bytes.
package loggen

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// Options say what to write. The zero value is one log of 1 MB.
type Options struct {
	Seed  uint64
	Bytes int64 // the log ends with the turn that reaches this size; 0 means 1 MB
}

// Stats are the truth about a log.
type Stats struct {
	Bytes          int64
	Lines          int
	Requests       int // on the main thread
	ToolResults    int // of all threads
	RetrievalCalls int
	Prompt         int // tokens of the last main request
}

// Write writes one log.
func Write(w io.Writer, opts Options) (Stats, error) {
	if opts.Bytes == 0 {
		opts.Bytes = 1 << 20
	}
	g := &generator{w: bufio.NewWriterSize(w, 1<<20), r: rand.New(rand.NewPCG(opts.Seed, 1)), prompt: 18_000}
	g.init()
	for g.stats.Bytes < opts.Bytes && g.err == nil {
		g.turn()
	}
	g.request("", func(m *message) { m.text("It is in lib/file3.js:120 and `walk7` does it.") })
	g.line(`{"type":"result","subtype":"success","is_error":false,"duration_ms":24000,"num_turns":7,"result":"It is in lib/file3.js:120 and ` +
		"`walk7`" + ` does it.","session_id":"s","total_cost_usd":0.31,"usage":{"input_tokens":3},"modelUsage":{"claude-bench-1":{"inputTokens":3,"contextWindow":200000}}}`)
	g.stats.Prompt = g.prompt
	if err := g.w.Flush(); g.err == nil {
		g.err = err
	}
	return g.stats, g.err
}

type generator struct {
	w      *bufio.Writer
	r      *rand.Rand
	stats  Stats
	err    error
	ids    int
	prompt int
	buf    []byte
}

func (g *generator) line(s string) {
	n, err := g.w.WriteString(s)
	if err == nil {
		err = g.w.WriteByte('\n')
	}
	g.stats.Bytes += int64(n) + 1
	g.stats.Lines++
	if g.err == nil {
		g.err = err
	}
}

func (g *generator) id(prefix string) string {
	g.ids++
	return fmt.Sprintf("%s01%022d", prefix, g.ids)
}

func (g *generator) uuid() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", g.r.Uint32(), g.r.Uint32()&0xffff, g.r.Uint32()&0xfff, g.r.Uint32()&0xfff, g.r.Uint64()&0xffffffffffff)
}

func (g *generator) init() {
	tools := make([]string, 60)
	for i := range tools {
		tools[i] = fmt.Sprintf(`"tool_number_%d_with_a_long_name"`, i)
	}
	g.line(`{"type":"system","subtype":"init","cwd":"/home/dev/proj","session_id":"s","tools":["Bash","Read","Grep","Agent","mcp__codegraph__codegraph_explore",` +
		strings.Join(tools, ",") + `],"mcp_servers":[{"name":"codegraph","status":"connected"}],"model":"claude-bench-1","permissionMode":"bypassPermissions","claude_code_version":"2.1.112","uuid":"` + g.uuid() + `"}`)
}

// A message is one message of the assistant, or of a subagent.
type message struct {
	g      *generator
	id     string
	parent string // JSON
}

func (g *generator) request(parent string, body func(*message)) {
	m := &message{g, g.id("msg_"), "null"}
	if parent != "" {
		m.parent = `"` + parent + `"`
	} else {
		g.stats.Requests++
	}
	body(m)
}

func (m *message) block(block string) {
	g := m.g
	g.line(fmt.Sprintf(`{"type":"assistant","message":{"model":"claude-bench-1","id":"%s","type":"message","role":"assistant","content":[%s],"stop_reason":null,"stop_sequence":null,`+
		`"usage":{"input_tokens":3,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard","inference_geo":"not_available"},`+
		`"context_management":null},"parent_tool_use_id":%s,"session_id":"6a54e36c-e7a4-4acf-877d-0e058c2559bc","uuid":"%s","timestamp":"2026-01-02T03:04:05.678Z","request_id":"%s"}`,
		m.id, block, g.prompt/10, g.prompt-g.prompt/10-3, g.prompt/10, m.parent, g.uuid(), g.id("req_")))
}

func (m *message) text(s string) { m.block(`{"type":"text","text":` + quote(s) + `}`) }

func (m *message) thinking() {
	m.block(`{"type":"thinking","thinking":"Let me look at the next file.","signature":"` + strings.Repeat("Ab3dE+", 60) + `"}`)
}

func (m *message) call(tool, input string) string {
	id := m.g.id("toolu_")
	m.block(fmt.Sprintf(`{"type":"tool_use","id":"%s","name":"%s","input":%s,"caller":{"type":"direct"}}`, id, tool, input))
	return id
}

// result writes a tool result and its structured copy.
func (m *message) result(id, content, structured string, chars int) {
	g := m.g
	g.stats.ToolResults++
	if m.parent == "null" {
		g.prompt += chars * 2 / 5
	}
	g.line(fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"%s","type":"tool_result","content":%s}]},"parent_tool_use_id":%s,"session_id":"6a54e36c-e7a4-4acf-877d-0e058c2559bc","uuid":"%s","timestamp":"2026-01-02T03:04:05.678Z","tool_use_result":%s}`,
		id, content, m.parent, g.uuid(), structured))
}

func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// size returns the length of a result: most are short, some are long.
func (g *generator) size() int {
	return 200 + int(60_000*g.r.Float64()*g.r.Float64()*g.r.Float64())
}

// turn writes a message or two with calls and results.
func (g *generator) turn() {
	switch g.r.IntN(8) {
	case 0:
		g.line(`{"type":"system","subtype":"thinking_tokens","estimated_tokens":40,"estimated_tokens_delta":40,"session_id":"s","uuid":"` + g.uuid() + `"}`)
	case 1:
		g.line(`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":1796075513},"uuid":"` + g.uuid() + `","session_id":"s"}`)
	}
	if g.r.IntN(40) == 0 {
		g.request("", g.delegate)
		return
	}
	g.request("", g.act)
}

func (g *generator) delegate(m *message) {
	id := m.call("Agent", `{"description":"look closer","prompt":"look closer","subagent_type":"general-purpose"}`)
	for range 3 {
		g.request(id, g.act)
	}
	m.result(id, `[{"type":"text","text":"done"}]`, `{"status":"completed","agentId":"a1","usage":{"input_tokens":5}}`, 4)
}

func (g *generator) act(m *message) {
	if g.r.IntN(3) == 0 {
		m.thinking()
	}
	if g.r.IntN(4) == 0 {
		m.text("Now the next part: how `walk` is called, and where.")
	}
	for range 1 + g.r.IntN(2) {
		g.step(m)
	}
}

func (g *generator) step(m *message) {
	switch n := g.size(); g.r.IntN(5) {
	case 0:
		g.stats.RetrievalCalls++
		text := g.response(n)
		q := quote(text)
		id := m.call("mcp__codegraph__codegraph_explore", fmt.Sprintf(`{"query":"walk%d range action"}`, g.r.IntN(99)))
		blocks := `[{"type":"text","text":` + q + `}]`
		m.result(id, blocks, blocks, len(text))
	case 1, 2:
		text := g.source(n, true)
		file := fmt.Sprintf("/home/dev/proj/lib/file%d.js", g.r.IntN(200))
		id := m.call("Read", `{"file_path":"`+file+`","offset":1,"limit":200}`)
		q := quote(text)
		m.result(id, q, `{"type":"text","file":{"filePath":"`+file+`","content":`+q+`,"numLines":200,"startLine":1,"totalLines":900}}`, len(text))
	default:
		text := g.source(n, false)
		id := m.call("Bash", fmt.Sprintf(`{"command":"grep -rn \"walk%d\" lib | head -50","description":"Find it"}`, g.r.IntN(99)))
		q := quote(text)
		m.result(id, q, `{"stdout":`+q+`,"stderr":"","interrupted":false,"isImage":false}`, len(text))
	}
}

// statements are lines of code as they are: some 50 characters long, with an escape or two in JSON.
func statements() []string {
	return []string{
		"const type = this.get('Content-Type') || mime.lookup(path)", "\tif err := s.walk(dot, node); err != nil {", "    return self.render(request, context, **kwargs)",
		"\t\tstate.tmpl.errorf(\"range can't iterate over %v\", val)", "  app.use(function (req, res, next) { next(createError(404)) })", "// It is called early, before any arguments are processed, to save effort.",
		"func (h *handler) Handle(ctx context.Context, r Record) error {", "export async function load({ params, fetch }: LoadEvent): Promise<Output> {", "}", "",
		"  let mut buffer = Vec::with_capacity(self.capacity + header.len());", "        for key, value in sorted(settings.items(), key=lambda kv: kv[0]):",
	}
}

// source returns n bytes of numbered or plain code.
func (g *generator) source(n int, numbered bool) string {
	b := g.buf[:0]
	list := statements()
	for i := 1; len(b) < n; i++ {
		if numbered {
			b = fmt.Appendf(b, "%d\t", i)
		}
		if g.r.IntN(50) == 0 {
			b = append(b, "// où l'on mesure — 日本語の説明 🚀"...)
		}
		b = append(b, list[g.r.IntN(len(list))]...)
		b = append(b, '\n')
	}
	g.buf = b
	return string(b)
}

// response returns a retrieval response of some n bytes.
func (g *generator) response(n int) string {
	var b strings.Builder
	b.WriteString("**Exploration: walk range action**\n\nFound 83 symbols across 4 files.\n\n**Source Code**\n\n> The code below is the current source of these files.\n\n")
	for b.Len() < n {
		k := g.r.IntN(200)
		fmt.Fprintf(&b, "**`lib/file%d.js`** — walk%d(function), render(method), send(calls), Value(references), +12 more\n\n```js\n", k, k)
		b.WriteString(g.source(min(n/3+1, 8_000), true))
		b.WriteString("```\n\n")
	}
	b.WriteString("**Not shown above — explore these names for their source**\n\n- lib/other.js: send:23\n\n> Some sections were trimmed for size.\n")
	return b.String()
}
