// Package messagesapi serves the Messages API of a model on loopback, with answers from a script, so that a test can run a real client.
//
//	api := messagesapi.New(t, func(r messagesapi.Request) []messagesapi.Block {
//		if r.Results == 0 {
//			return messagesapi.Use("Bash", map[string]any{"command": "ls"})
//		}
//		return messagesapi.Text("done")
//	})
//	cmd.Env = append(cmd.Env, "ANTHROPIC_BASE_URL="+api.URL, "ANTHROPIC_API_KEY=test")
//
// The usage of an answer is made up from its prompt, a token for each four bytes, of which all but the first thousand were cached.
package messagesapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A Request is what the model is asked.
type Request struct {
	Model  string
	Prompt string   // the last text of the user that is no result and no note of the client
	Turn   int      // how many such texts there are
	Tools  []string // names of the tools that are offered; none in calls that the client makes for itself
	// Results is how many tool results followed the prompt, and Result is the text of the last one.
	Results int
	Result  string
	Bytes   int // size of the request
}

// A Block is a part of an answer: a text, or the use of a tool.
type Block struct {
	Text  string
	Tool  string
	Input map[string]any
}

// Text is an answer of one text, which ends a turn.
func Text(text string) []Block { return []Block{{Text: text}} }

// Use is an answer that uses one tool.
func Use(tool string, input map[string]any) []Block { return []Block{{Tool: tool, Input: input}} }

// An API is a server. It is safe for concurrent use.
type API struct {
	URL string

	t      testing.TB
	script func(Request) []Block
	mu     sync.Mutex
	asked  []Request
	ids    int
}

// New serves a script until the test ends. Requests without tools, which the client makes for itself (a title, a summary), are answered with a
// word and do not reach the script.
func New(t testing.TB, script func(Request) []Block) *API {
	a := &API{t: t, script: script}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", a.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", a.count)
	s := httptest.NewServer(mux) // on 127.0.0.1
	t.Cleanup(s.Close)
	a.URL = s.URL
	return a
}

// Requests returns what the script was asked so far.
func (a *API) Requests() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]Request(nil), a.asked...)
}

// body is the part of a request that matters here.
type body struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []message `json:"messages"`
	Tools    []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is a list of parts, or a text in their place.
type content []part

type part struct {
	Type    string  `json:"type"`
	Text    string  `json:"text"`
	Content content `json:"content"` // of a result
}

func (c *content) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*c = content{{Type: "text"}}
		return json.Unmarshal(data, &(*c)[0].Text)
	}
	return json.Unmarshal(data, (*[]part)(c))
}

func (c content) text() string {
	var texts []string
	for _, p := range c {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// request reads the conversation.
func (b *body) request() Request {
	r := Request{Model: b.Model}
	for _, tool := range b.Tools {
		r.Tools = append(r.Tools, tool.Name)
	}
	for _, m := range b.Messages {
		if m.Role != "user" {
			continue
		}
		for _, p := range m.Content {
			switch {
			case p.Type == "tool_result":
				r.Results++
				r.Result = p.Content.text()
			case p.Type == "text" && !strings.HasPrefix(strings.TrimSpace(p.Text), "<"):
				r.Prompt, r.Turn, r.Results, r.Result = p.Text, r.Turn+1, 0, ""
			}
		}
	}
	return r
}

func (a *API) read(r *http.Request) (b body, req Request, err error) {
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	req = b.request()
	req.Bytes = len(data)
	return b, req, err
}

func (a *API) count(w http.ResponseWriter, r *http.Request) {
	_, req, _ := a.read(r)
	json.NewEncoder(w).Encode(map[string]any{"input_tokens": req.Bytes / 4})
}

func (a *API) messages(w http.ResponseWriter, r *http.Request) {
	b, req, err := a.read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	blocks := Text("ok")
	a.mu.Lock()
	a.ids++
	id := a.ids
	if len(req.Tools) > 0 {
		a.asked = append(a.asked, req)
	}
	a.mu.Unlock()
	if len(req.Tools) > 0 {
		blocks = a.script(req)
	}
	m := answer{id: id, model: b.Model, blocks: blocks, tokens: req.Bytes / 4}
	if b.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		m.stream(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(m.whole())
}

// An answer is one message of the model.
type answer struct {
	id     int
	model  string
	blocks []Block
	tokens int // of the prompt
}

func (m answer) message() map[string]any {
	return map[string]any{"id": fmt.Sprintf("msg_%04d", m.id), "type": "message", "role": "assistant", "model": m.model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": m.usage(1)}
}

func (m answer) usage(output int) map[string]any {
	fresh := min(m.tokens, 1000)
	return map[string]any{"input_tokens": fresh, "cache_read_input_tokens": m.tokens - fresh, "cache_creation_input_tokens": 0, "output_tokens": output}
}

func (m answer) stop() string {
	for _, b := range m.blocks {
		if b.Tool != "" {
			return "tool_use"
		}
	}
	return "end_turn"
}

func (m answer) block(i int) map[string]any {
	if b := m.blocks[i]; b.Tool != "" {
		return map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%04d_%d", m.id, i), "name": b.Tool, "input": b.Input}
	}
	return map[string]any{"type": "text", "text": m.blocks[i].Text}
}

func (m answer) output() (tokens int) {
	for i := range m.blocks {
		data, _ := json.Marshal(m.block(i))
		tokens += len(data)/4 + 1
	}
	return tokens
}

func (m answer) whole() map[string]any {
	v := m.message()
	content := []any{}
	for i := range m.blocks {
		content = append(content, m.block(i))
	}
	v["content"], v["stop_reason"], v["usage"] = content, m.stop(), m.usage(m.output())
	return v
}

// stream writes the message as server-sent events.
func (m answer) stream(w http.ResponseWriter) {
	event := func(name string, v map[string]any) {
		v["type"] = name
		data, _ := json.Marshal(v)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, data)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	event("message_start", map[string]any{"message": m.message()})
	for i := range m.blocks {
		start := m.block(i)
		var delta map[string]any
		if m.blocks[i].Tool != "" {
			input, _ := json.Marshal(m.blocks[i].Input)
			start["input"] = map[string]any{}
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
		} else {
			start["text"] = ""
			delta = map[string]any{"type": "text_delta", "text": m.blocks[i].Text}
		}
		event("content_block_start", map[string]any{"index": i, "content_block": start})
		event("content_block_delta", map[string]any{"index": i, "delta": delta})
		event("content_block_stop", map[string]any{"index": i})
	}
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": m.stop(), "stop_sequence": nil}, "usage": m.usage(m.output())})
	event("message_stop", map[string]any{})
}
