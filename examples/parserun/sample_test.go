package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write sample.jsonl anew")

// source returns n lines of a file as a response or the Read tool shows them.
func source(first, n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\t%s // step %d\n", first+i, line, i+1)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// makeSample makes the run that the command reads without a file: how does res.send set the Content-Type? The agent
// retrieves twice, reads one of the returned files, looks for the tests, and answers. Prompts are those of a model
// with 2.5 characters a token; the last one shed nothing.
func makeSample() *transcripttest.Log {
	first := transcripttest.Response(
		transcripttest.File{Path: "lib/response.js", Defines: "send(method), json(method), ETagFunction(type_alias)", Source: source(120, 70, "res.send = function send(body) { return this.set('Content-Type', type) }")},
		transcripttest.File{Path: "lib/express.js", Defines: "createApplication(function), mixin(calls)", Source: source(1, 40, "exports.response = Object.create(res)")},
	)
	second := transcripttest.Response(
		transcripttest.File{Path: "lib/utils.js", Defines: "compileETag(function), setCharset(function)", Source: source(10, 60, "exports.setCharset = function setCharset(type, charset) { return format(type) }")},
		transcripttest.File{Path: "lib/application.js", Defines: "defaultConfiguration(method)", Source: source(60, 30, "app.defaultConfiguration = function () { this.set('etag', 'weak') }")},
	)
	body := source(120, 60, "res.send = function send(body) { return this.end(chunk, encoding) }")
	found := "test/res.send.js:12:  it('should set Content-Type')\ntest/res.send.js:40:  it('should set ETag')"
	answer := "`res.send` (lib/response.js:120-189) sets the Content-Type from the body's type; the charset comes from `setCharset`, and the ETag from `compileETag`."

	log := transcripttest.New()
	prompt := 18_000
	request := func(grown string) *transcripttest.Message {
		prompt += len(grown) * 2 / 5
		return log.Request(prompt)
	}
	request("").Thinking("Ask the graph first.").Explore("res.send Content-Type").Blocks(transcripttest.TextBlock(first))
	request(first).Explore("setCharset compileETag").Blocks(transcripttest.TextBlock(second))
	request(second).Text("Now the body of send.").ReadFile("/home/dev/proj/lib/response.js").Result(body)
	request(body).Call("Grep", transcripttest.Args{"pattern": "Content-Type", "path": "test"}).Result(found)
	request(found).Text(answer)
	return log.EndWith(transcripttest.Args{
		"result": answer, "num_turns": 5, "duration_ms": 24_000, "total_cost_usd": 0.31,
		"modelUsage": transcripttest.Args{transcripttest.Model: transcripttest.Args{"contextWindow": 200_000}},
	})
}

func TestSampleIsWhatTheProjectMakes(t *testing.T) {
	want := makeSample().Bytes()
	if *update {
		if err := os.WriteFile("sample.jsonl", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(sample, want) && !*update {
		t.Error("sample.jsonl is not what makeSample makes: go test ./examples/parserun -update")
	}
	if _, err := transcript.Decode(bytes.NewReader(want), "sample.jsonl", transcript.Options{}); err != nil {
		t.Error(err)
	}
}
