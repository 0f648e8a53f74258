package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/transcript/transcripttest"
)

var shots = flag.String("shots", "", "directory to keep the screenshots in")

// hostile returns a log that tries to be more than text wherever a log has text.
func hostile(label string) *transcripttest.Log {
	evil := `</td></script></style><script>window.hacked = 1; fetch("http://127.0.0.1:9/x")</script><img src=x onerror="window.hacked=1">` +
		"\"'`{{.}}\x1b[2J\u202e\x00" + label
	long := strings.Repeat("W", 10_000)
	response := transcripttest.Response(
		transcripttest.File{Path: "lib/" + evil + ".js", Defines: "f(function)", Source: "x\n"},
		transcripttest.File{Path: strings.Repeat("deep/", 2_000) + "a.js", Defines: long + "(function)", Source: "x\n"})
	log := transcripttest.New()
	log.Request(10_000).Explore(evil).Result(response)
	log.Request(11_000).Explore(long).Result(response)
	log.Request(12_000).Bash("codegraph explore '" + evil + "'").Result(evil)
	log.Line(`{"type":"` + "evil<script>" + `"}`).Line("<script>no json</script>")
	log.Request(13_000).Text(evil)
	return log.EndWith(transcripttest.Args{"result": evil, "subtype": "<script>window.hacked=1</script>"})
}

// pages writes the pages that are looked at: the example, and one of hostile logs.
func pages(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	names := map[string]string{"example": filepath.Join(dir, "example.html"), "hostile": filepath.Join(dir, "hostile.html")}
	logs := filepath.Join(dir, `<script>window.hacked=1<`+"\u202e")
	if err := os.Mkdir(logs, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{`<svg onload="window.hacked=1">`, strings.Repeat("a long label ", 15)} {
		for i := range 2 {
			label = strings.ReplaceAll(label, "/", "")
			if err := os.WriteFile(filepath.Join(logs, fmt.Sprintf("run-%s-%d.jsonl", label, i)), hostile(label).Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, args := range map[string][]string{"example": nil, "hostile": {logs}} {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), append([]string{"-o", names[name]}, args...), &stdout, &stderr); code != 0 {
			t.Fatalf("%s: exit %d: %s", name, code, stderr.String())
		}
	}
	return names
}

func TestThePageInABrowser(t *testing.T) {
	b := startBrowser(t)
	for name, file := range pages(t) {
		for _, width := range []int{1280, 390} {
			for _, scheme := range []string{"light", "dark"} {
				t.Run(fmt.Sprintf("%s %d %s", name, width, scheme), func(t *testing.T) {
					b.open("file://"+file, width, scheme)
					b.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
					if got := b.evaluate("document.documentElement.scrollWidth"); got != fmt.Sprint(width) {
						t.Errorf("the page is %s wide in a window of %d", got, width)
					}
					if got := b.evaluate("window.hacked === undefined && document.scripts.length === 0"); got != "true" {
						t.Error("a script ran")
					}
					if got := b.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0 && i.alt.length > 20)"); got != "true" {
						t.Error("a drawing is broken, or says nothing to who cannot see it")
					}
					b.quiet(t, file)
					if *shots != "" {
						if err := os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), b.screenshot(), 0o600); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
	}
}

// quiet reports what the browser had to say, and every request but for the page itself.
func (b *browser) quiet(t *testing.T, file string) {
	t.Helper()
	for _, e := range b.events {
		switch e.Method {
		case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
			t.Errorf("%s: %.400s", e.Method, e.Params)
		case "Network.requestWillBeSent":
			var p struct{ Request struct{ URL string } }
			if err := json.Unmarshal(e.Params, &p); err != nil {
				t.Fatal(err)
			}
			if u := p.Request.URL; !strings.HasPrefix(u, "data:image/svg+xml") && u != "file://"+file {
				t.Errorf("a request for %.200s", u)
			}
		}
	}
}
