package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/internal/golden"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write the files of the example anew")

// source returns n lines of a function.
func source(name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "function %s(req, res) {\n", name)
	for i := range n {
		fmt.Fprintf(&b, "  step%d(req, res) // %s goes on\n", i, name)
	}
	b.WriteString("}")
	return b.String()
}

// exampleRun makes a run of one of two builds. The old one returns the wrong part of the right file, so that the agent asks again
// and reads; in its last run the conversation is compacted. Prompts are those of a model with 2.5 characters a token.
func exampleRun(fresh bool, i int) *transcripttest.Log {
	log := transcripttest.New()
	prompt := 18_000
	request := func(grown string) *transcripttest.Message {
		prompt += len(grown) * 2 / 5
		return log.Request(prompt)
	}
	send := transcripttest.File{Path: "lib/response.js", Defines: "send(method), json(method)", Source: source("send", 110+15*i)}
	utils := transcripttest.File{Path: "lib/utils.js", Defines: "setCharset(function)", Source: source("setCharset", 40+5*i)}
	express := transcripttest.File{Path: "lib/express.js", Defines: "createApplication(function)", Source: source("createApplication", 70)}
	answer := "`res.send` in lib/response.js sets the type, and `setCharset` the charset."
	if fresh {
		response := transcripttest.Response(send, utils)
		request("").Explore("how does res.send set the Content-Type?").Result(response)
		if i == 1 {
			more := transcripttest.Response(utils, express)
			request(response).Explore("setCharset").Result(more)
			response = more
		}
		request(response).Text(answer)
	} else {
		first, second := transcripttest.Response(express, utils), transcripttest.Response(send, express)
		body := source("send", 180)
		request("").Explore("how does res.send set the Content-Type?").Result(first)
		request(first).Explore("res.send body").Result(second)
		request(second).ReadFile("lib/response.js").Result(body)
		grown := body
		if i == 3 {
			log.Compact(prompt, 21_000)
			prompt, grown = 21_000, ""
		} else {
			found := strings.Repeat("test/res.send.js: it sets the Content-Type\n", 10)
			request(grown).Call("Grep", transcripttest.Args{"pattern": "Content-Type"}).Result(found)
			grown = found
		}
		request(grown).Text(answer)
	}
	duration := 24_000 + 3_000*i
	if !fresh {
		duration += 15_000
	}
	return log.EndWith(transcripttest.Args{"result": answer, "duration_ms": duration, "total_cost_usd": 0.2 + 0.01*float64(i)})
}

func TestTheExampleIsWhatTheProjectMakes(t *testing.T) {
	for _, label := range []string{"new", "baseline"} {
		for i := 1; i <= 3; i++ {
			name := filepath.Join("example", fmt.Sprintf("run-%s-%d.jsonl", label, i))
			want := exampleRun(label == "new", i).Bytes()
			golden.Check(t, name, want, *update)
		}
	}
}
