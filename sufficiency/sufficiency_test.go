package sufficiency_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/sufficiency"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

func analyze(t testing.TB, log *transcripttest.Log) sufficiency.Block {
	return sufficiency.Analyze(log.Session(t), sufficiency.Options{})
}

// response shows lib/response.js and names lib/other.js.
func response() string {
	return transcripttest.Response(transcripttest.File{Path: "lib/response.js", Defines: "send(method)", Source: "see lib/other.js"})
}

// explored returns a log whose main thread has one answered call, at the tokens that follow.
func explored() *transcripttest.Log {
	log := transcripttest.New()
	log.Request(1000).Explore("q").Result(response())
	return log
}

func TestBuckets(t *testing.T) {
	for _, c := range []struct {
		name string
		next func(*transcripttest.Log)
		want sufficiency.Bucket
		text string
	}{
		{"another retrieval", func(l *transcripttest.Log) { l.Request(2000).Explore("again").Result("x") }, sufficiency.ExploreAgain, "codegraph_explore"},
		{"another tool of the server", func(l *transcripttest.Log) { l.Request(2000).Call("mcp__codegraph__codegraph_node", nil).Result("x") }, sufficiency.ExploreAgain, "codegraph_node"},
		{"its command line", func(l *transcripttest.Log) { l.Request(2000).Bash("codegraph node send").Result("x") }, sufficiency.ExploreAgain, "Bash codegraph"},
		{"read of a returned file", func(l *transcripttest.Log) { l.Request(2000).ReadFile("/home/dev/proj/lib/response.js").Result("x") }, sufficiency.ReadReturned, "Read response.js"},
		{"read of a file only named", func(l *transcripttest.Log) { l.Request(2000).ReadFile("lib/other.js").Result("x") }, sufficiency.ReadMissed, "Read other.js"},
		{"read of another file", func(l *transcripttest.Log) { l.Request(2000).ReadFile("other/response.js").Result("x") }, sufficiency.ReadMissed, "Read response.js"},
		{"Grep", func(l *transcripttest.Log) {
			l.Request(2000).Call("Grep", transcripttest.Args{"pattern": "x"}).Result("x")
		}, sufficiency.Search, "Grep"},
		{"Glob", func(l *transcripttest.Log) { l.Request(2000).Call("Glob", nil).Result("x") }, sufficiency.Search, "Glob"},
		{"edit", func(l *transcripttest.Log) {
			l.Request(2000).Call("Edit", transcripttest.Args{"file_path": "lib/response.js"}).Result("x")
		}, sufficiency.Sufficient, "Edit response.js"},
		{"build", func(l *transcripttest.Log) { l.Request(2000).Bash("go test ./...").Result("x") }, sufficiency.Sufficient, "Bash"},
		{"answer", func(l *transcripttest.Log) { l.Request(2000).Text("a"); l.End("a") }, sufficiency.Sufficient, "answer"},
		{"shell read of a returned file", func(l *transcripttest.Log) { l.Request(2000).Bash("cd lib && sed -n 1,80p response.js").Result("x") }, sufficiency.ReadReturned, "Bash response.js"},
		{"shell read of another", func(l *transcripttest.Log) { l.Request(2000).Bash("cat x.go 2>/dev/null").Result("x") }, sufficiency.ReadMissed, "Bash x.go"},
		{"shell read of several, one returned", func(l *transcripttest.Log) { l.Request(2000).Bash("cat x.go lib/response.js").Result("x") }, sufficiency.ReadReturned, "Bash response.js"},
		{"git show", func(l *transcripttest.Log) { l.Request(2000).Bash("git show HEAD:lib/response.js").Result("x") }, sufficiency.ReadReturned, "Bash response.js"},
		{"shell search", func(l *transcripttest.Log) { l.Request(2000).Bash("grep -rn send lib").Result("x") }, sufficiency.Search, "Bash"},
		{"filter of a build", func(l *transcripttest.Log) { l.Request(2000).Bash("go build 2>&1 | grep -v warn").Result("x") }, sufficiency.Sufficient, "Bash"},
		{"shell write", func(l *transcripttest.Log) { l.Request(2000).Bash("sed -i s/a/b/ lib/response.js").Result("x") }, sufficiency.Sufficient, "Bash"},
		{"a read that failed shows the same", func(l *transcripttest.Log) { l.Request(2000).ReadFile("lib/response.js").Error("denied") }, sufficiency.ReadReturned, "Read response.js"},
		{"bookkeeping is stepped over", func(l *transcripttest.Log) {
			l.Request(1500).Call("TodoWrite", nil).Result("ok")
			l.Request(1600).Call("ToolSearch", nil).Result("ok")
			l.Request(2000).Call("Grep", nil).Result("x")
		}, sufficiency.Search, "Grep"},
		{"text is no action", func(l *transcripttest.Log) { l.Request(2000).Text("hm").Call("Grep", nil).Result("x") }, sufficiency.Search, "Grep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := explored()
			c.next(log)
			got := analyze(t, log).Calls[0]
			if got.Bucket != c.want || got.Next != c.text {
				t.Errorf("%q, next %q; want %q, %q", got.Bucket, got.Next, c.want, c.text)
			}
			if named := strings.HasSuffix(c.name, "only named"); got.Named != named {
				t.Errorf("named %v", got.Named)
			}
		})
	}
}

func TestTheSameMessageIsNoVerdict(t *testing.T) {
	log := transcripttest.New()
	m := log.Request(1000)
	a := m.Explore("a")
	b := m.Explore("b")
	r := m.ReadFile("lib/response.js")
	a.Result(response())
	b.Result(response())
	r.Result("x")
	log.Request(2000).Call("Grep", nil).Result("x")
	got := analyze(t, log)
	// Two actions stand behind an answered call in its message: b and the read. Both calls are judged by the Grep.
	if got.Concurrent != 2 || got.Counts.Search != 2 || got.Answered != 2 {
		t.Errorf("%+v", got)
	}
}

func TestAFileThatAnEarlierCallReturned(t *testing.T) {
	log := explored()
	log.Request(2000).Explore("again").Result("nothing here")
	log.Request(3000).ReadFile("lib/response.js").Result("x")
	if got := analyze(t, log); got.Calls[1].Bucket != sufficiency.ReadReturned {
		t.Errorf("%+v", got.Calls[1])
	}
}

func TestDelegationIsJudgedByTheSubagent(t *testing.T) {
	log := explored()
	call := log.Request(2000).Call("Agent", nil)
	sub := call.Subagent()
	sub.Request(100).Call("TodoWrite", nil).Result("ok")
	nested := sub.Request(150).Call("Task", nil)
	nested.Subagent().Request(50).ReadFile("lib/response.js").Result("x")
	nested.Result("done")
	call.Result("done")
	log.Request(3000).Text("a")
	log.End("a")
	if got := analyze(t, log).Calls[0]; got.Bucket != sufficiency.ReadReturned || got.Next != "Agent → Read response.js" {
		t.Errorf("%+v", got)
	}
}

func TestASubagentThatUsedNoToolIsSufficient(t *testing.T) {
	log := explored()
	call := log.Request(2000).Call("Agent", nil)
	call.Subagent().Prompt("think")
	call.Result("done")
	log.Request(3000).Text("a")
	log.End("a")
	if got := analyze(t, log).Calls[0]; got.Bucket != sufficiency.Sufficient {
		t.Errorf("%+v", got)
	}
}

func TestADelegationThatIsNotInTheLogGivesNoVerdict(t *testing.T) {
	log := explored()
	log.Request(2000).Call("Agent", nil).Result("done")
	log.End("a")
	if got := analyze(t, log); got.Calls[0].Reason != sufficiency.UnseenAgent || got.CutOff != 1 || got.Answered != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAParentIsNotBlamedForItsSubagent(t *testing.T) {
	log := transcripttest.New()
	agent := log.Request(500).Call("Agent", nil)
	explore := log.Request(1000).Explore("q")
	explore.Result(response())
	agent.Subagent().Request(50).ReadFile("lib/x.js").Result("x") // of a delegation before the call
	agent.Result("done")
	log.Request(2000).Text("a")
	log.End("a")
	if got := analyze(t, log).Calls[0]; got.Bucket != sufficiency.Sufficient {
		t.Errorf("%+v", got)
	}
}

func TestASubagentsOwnCallIsJudgedInItsThread(t *testing.T) {
	log := transcripttest.New()
	call := log.Request(1000).Call("Agent", nil)
	sub := call.Subagent()
	sub.Request(50).Explore("q").Result(response())
	sub.Request(60).ReadFile("lib/response.js").Result("x")
	sub.Request(70).Explore("q2").Result(response())
	call.Result("done")
	log.Request(2000).Call("Grep", nil).Result("x")
	got := analyze(t, log)
	if len(got.Calls) != 2 || got.Calls[0].Thread != call.ID || got.Calls[0].Bucket != sufficiency.ReadReturned || got.Calls[1].Bucket != sufficiency.Sufficient {
		t.Errorf("%+v: the second ends with the subagent's report", got.Calls)
	}
}

func TestFailedAndUnansweredCallsAreCountedApart(t *testing.T) {
	log := transcripttest.New()
	log.Request(1000).Explore("failed").Error("not indexed")
	log.Request(1500).Explore("never returned")
	log.Request(2000).ReadFile("x").Result("x")
	got := analyze(t, log)
	if got.Errors != 2 || got.Answered != 0 || got.Calls[0].Reason != sufficiency.Failed || got.Calls[1].Reason != sufficiency.Unanswered {
		t.Errorf("%+v", got)
	}
}

func TestATurnEndsWithItsAnswer(t *testing.T) {
	for name, end := range map[string]func(*transcripttest.Log){
		"result": func(l *transcripttest.Log) { l.End("a") },
		"prompt": func(l *transcripttest.Log) { l.Prompt("and now?") },
	} {
		log := explored()
		log.Request(2000).Text("a")
		end(log)
		log.Request(3000).ReadFile("lib/response.js").Result("x")
		if got := analyze(t, log).Calls[0]; got.Bucket != sufficiency.Sufficient || got.Next != "answer" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	log := explored()
	log.Request(2000).Text("a")
	log.End("a").Resume().Request(3000).ReadFile("lib/response.js").Result("x")
	if got := analyze(t, log).Calls[0]; got.Bucket != sufficiency.Sufficient {
		t.Errorf("segment: %+v", got)
	}
}

func TestACutOffRunGivesNoVerdict(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*transcripttest.Log)
		want sufficiency.Reason
	}{
		{"turn limit", func(l *transcripttest.Log) {
			l.EndWith(transcripttest.Args{"subtype": "error_max_turns", "result": nil})
		}, sufficiency.TurnLimit},
		{"error", func(l *transcripttest.Log) {
			l.EndWith(transcripttest.Args{"subtype": "error_during_execution", "is_error": true})
		}, sufficiency.RunError},
		{"success that is an error", func(l *transcripttest.Log) { l.EndWith(transcripttest.Args{"is_error": true}) }, sufficiency.RunError},
		{"interrupted", func(l *transcripttest.Log) {
			l.Prompt("no, stop")
			l.Request(2000).ReadFile("lib/response.js").Result("x")
		}, sufficiency.Interrupted},
		{"killed", func(l *transcripttest.Log) {}, sufficiency.Killed},
		{"killed, then resumed", func(l *transcripttest.Log) { l.Resume().Request(5000).ReadFile("lib/response.js").Result("x") }, sufficiency.Killed},
	} {
		log := explored()
		c.end(log)
		got := analyze(t, log)
		if got.CutOff != 1 || got.Answered != 0 || got.Calls[0].Reason != c.want || got.Calls[0].Bucket != "" {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestSameFile(t *testing.T) {
	for _, c := range []struct {
		returned, read string
		same           bool
	}{
		{"lib/a.js", "lib/a.js", true}, {"lib/a.js", "./lib/a.js", true}, {"lib/a.js", "/p/lib/a.js", true}, {"/p/lib/a.js", "lib/a.js", true}, {"lib/a.js", "a.js", true},
		{"lib/a.js", "lib/x/../a.js", true}, {"lib/a.js", `lib\a.js`, true}, {"lib/a.js", "~/p/lib/a.js", true}, {"lib/a.js", "xlib/a.js", false}, {"lib/a.js", "lib/ba.js", false},
		{"lib/a.js", "lib", false}, {"lib/a.js", "lib/a.jsx", false},
	} {
		log := transcripttest.New()
		log.Request(1000).Explore("q").Result(transcripttest.Response(transcripttest.File{Path: c.returned}))
		log.Request(2000).ReadFile(c.read).Result("x")
		want := map[bool]sufficiency.Bucket{true: sufficiency.ReadReturned, false: sufficiency.ReadMissed}[c.same]
		if got := analyze(t, log).Calls[0].Bucket; got != want {
			t.Errorf("returned %s, read %s: %s", c.returned, c.read, got)
		}
	}
}

func TestHostileTextIsMadeSafeInTheTextOnly(t *testing.T) {
	query := "\x1b[31m\u202e" + strings.Repeat("x", 10_000)
	log := transcripttest.New()
	log.Request(1000).Explore(query).Result("x")
	log.Request(2000).ReadFile("\x1bevil").Result("x")
	b := analyze(t, log)
	var out strings.Builder
	b.WriteText(&out)
	if strings.ContainsAny(out.String(), "\x1b\u202e") || out.Len() > 2000 || b.Calls[0].Query != query {
		t.Errorf("%.500q", out.String())
	}
}

func TestBlocksRoundTripThroughJSON(t *testing.T) {
	log := explored()
	log.Request(2000).ReadFile("lib/other.js").Result("x")
	want := analyze(t, log)
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got sufficiency.Block
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// randomLog makes a log of any shape. With bookkeeping, calls that carry no signal stand between the others.
func randomLog(seed uint64, bookkeeping bool) (log *transcripttest.Log, judged int) {
	r := rand.New(rand.NewPCG(seed, 7))
	log = transcripttest.New()
	threads := []*transcripttest.Thread{log.Thread}
	for range r.IntN(25) {
		th := threads[r.IntN(len(threads))]
		m := th.Request(100).Text("hm") // so that the message is in the log
		if bookkeeping {
			m.Call("TodoWrite", nil).Result("ok")
		}
		for range r.IntN(3) {
			var c *transcripttest.Call
			switch r.IntN(7) {
			case 0, 1:
				c = m.Explore("q")
				judged++
			case 2:
				c = m.ReadFile([]string{"lib/response.js", "lib/other.js", "x.go", ""}[r.IntN(4)])
			case 3:
				c = m.Bash([]string{"cat lib/response.js", "ls", "make", "codegraph x"}[r.IntN(4)])
			case 4:
				c = m.Call("Agent", nil)
				threads = append(threads, c.Subagent())
			case 5:
				c = m.Call("Grep", nil)
			default:
				m.Text("hm")
				continue
			}
			switch r.IntN(6) {
			case 0:
				c.Error("no")
			case 1:
			default:
				c.Result(response())
			}
		}
		switch r.IntN(12) {
		case 0:
			log.Prompt("next")
		case 1:
			log.End("a")
		case 2:
			log.Resume()
		case 3:
			log.EndWith(transcripttest.Args{"subtype": "error_max_turns"})
		}
	}
	return log, judged
}

func TestLaws(t *testing.T) {
	for seed := range uint64(400) {
		log, judged := randomLog(seed, false)
		b := analyze(t, log)
		sum := 0
		for _, bucket := range sufficiency.Buckets() {
			sum += b.Counts.Of(bucket)
		}
		if sum != b.Answered || b.Answered+b.Errors+b.CutOff != judged || len(b.Calls) != judged {
			t.Fatalf("seed %d: %d judged, %+v", seed, judged, b)
		}
		for _, c := range b.Calls {
			if (c.Bucket == "") == (c.Reason == "") {
				t.Fatalf("seed %d: bucket %q and reason %q", seed, c.Bucket, c.Reason)
			}
		}
		with, _ := randomLog(seed, true)
		if other := analyze(t, with); other.Counts != b.Counts || other.Errors != b.Errors || other.CutOff != b.CutOff || other.Concurrent != b.Concurrent {
			t.Fatalf("seed %d: bookkeeping changes %+v to %+v", seed, b.Counts, other.Counts)
		}
	}
}

func TestRealLogsGiveAVerdictOnEveryCall(t *testing.T) {
	names, _ := filepath.Glob("../../shared/transcripts/*/*/*.jsonl")
	if len(names) == 0 {
		t.Skip("no real logs beside the project")
	}
	for _, name := range names {
		s, err := transcript.ReadFiles(transcript.Options{}, name)
		if err != nil {
			t.Fatal(err)
		}
		b := sufficiency.Analyze(s, sufficiency.Options{})
		if b.Answered+b.Errors+b.CutOff != len(b.Calls) || b.CutOff > 0 {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// Three steps and an answer: two responses, one of which was not enough.
func ExampleAnalyze() {
	t := new(testing.T) // in a test, its own
	log := transcripttest.New()
	log.Request(10_000).Explore("res.send").Result(transcripttest.Response(transcripttest.File{Path: "lib/response.js"}))
	log.Request(12_000).ReadFile("/proj/lib/response.js").Result("…")
	log.Request(13_000).Explore("who calls it").Result(transcripttest.Response(transcripttest.File{Path: "lib/application.js"}))
	log.Request(15_000).Text("It is called by json.")
	log.End("It is called by json.")

	b := sufficiency.Analyze(log.Session(t), sufficiency.Options{})
	fmt.Println(b.Counts.Sufficient, "of", b.Answered)
	b.WriteText(os.Stdout)
	// Output:
	// 1 of 2
	//   Explore sufficiency — what the agent did NEXT (2 answered calls):
	//       0   0%  explore again                  insufficient: did not answer
	//       1  50%  Read a file we returned        allocation: right file, wrong bytes
	//       0   0%  Read a file we did not return  recall: file never surfaced
	//       0   0%  Grep/Glob                      recall (weak): still hunting for the file
	//       1  50%  moved on / answered            sufficient
	//     1. "res.send" [1 file] → Read response.js
	//     2. "who calls it" [1 file] → answer
}

func BenchmarkAnalyze(b *testing.B) {
	log := transcripttest.New()
	for range 1000 {
		log.Request(1000).Explore("q").Result(response())
		log.Request(2000).ReadFile("lib/response.js").Result("x")
	}
	s := log.Session(b)
	b.ReportAllocs()
	for b.Loop() {
		sufficiency.Analyze(s, sufficiency.Options{})
	}
}
