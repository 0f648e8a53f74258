package transcript_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

func readSession(t *testing.T, log *transcripttest.Log) *transcript.Session {
	t.Helper()
	s, err := transcript.ReadFiles(transcript.Options{}, log.WriteSessionLog(t))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// line returns a line of a session log.
func line(fields transcripttest.Args) transcripttest.Args {
	v := transcripttest.Args{"sessionId": "s", "version": "2.1.112", "session_id": nil, "isSidechain": false}
	for k, x := range fields {
		v[k] = x
	}
	return v
}

func prompt(uuid, parent string) transcripttest.Args {
	v := line(transcripttest.Args{"type": "user", "uuid": uuid, "message": transcripttest.Args{"role": "user", "content": "prompt " + uuid}})
	if parent != "" {
		v["parentUuid"] = parent
	}
	return v
}

func says(uuid, parent, text string, tokens int) transcripttest.Args {
	return line(transcripttest.Args{"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": transcripttest.Args{
		"id": "msg_" + uuid, "model": "m", "stop_reason": "end_turn", "content": []any{transcripttest.TextBlock(text)}, "usage": transcripttest.Args{"input_tokens": tokens},
	}})
}

func TestASessionLogIsTheSameSessionAsItsStream(t *testing.T) {
	log := sample()
	stream, session := log.Session(t), readSession(t, log)
	if session.Segments[0].Format != transcript.FormatSessionLog || stream.Segments[0].Format != transcript.FormatStreamJSON {
		t.Errorf("formats %s and %s", session.Segments[0].Format, stream.Segments[0].Format)
	}
	shape := func(s *transcript.Session) (list []string) {
		for _, th := range s.Threads {
			for _, ev := range th.Events {
				switch ev := ev.(type) {
				case *transcript.Request:
					list = append(list, th.ID+" request "+ev.ID)
				case *transcript.ToolCall:
					list = append(list, th.ID+" call "+ev.ID)
				case *transcript.ToolResult:
					list = append(list, th.ID+" result "+ev.CallID)
				case *transcript.AssistantText:
					list = append(list, th.ID+" text "+ev.Text)
				case *transcript.Compaction:
					list = append(list, "compaction")
				}
			}
		}
		return list
	}
	if diff := cmp.Diff(shape(stream), shape(session)); diff != "" {
		t.Errorf("-stream +session:\n%s", diff)
	}
	v, w := stream.Summary(), session.Summary()
	if !session.OK() || v.Turns != w.Turns || *v.ProcessedTokens != *w.ProcessedTokens || stream.Answer() != session.Answer() || w.ClientVersion != "2.1.112" {
		t.Errorf("%+v\n%+v", v, w)
	}
	if len(session.Report.Problems)+len(session.Report.Unknown) > 0 {
		t.Errorf("%+v", session.Report)
	}
}

func TestSubagentFilesAreLinked(t *testing.T) {
	log := transcripttest.New()
	call := log.Request(100).Call("Agent", nil)
	call.Subagent().Request(50).ReadFile("a").Result("x")
	call.Result("done")
	name := log.WriteSessionLog(t)
	dir := strings.TrimSuffix(name, ".jsonl") + "/subagents"
	file := filepath.Join(dir, "agent-agent"+call.ID+".jsonl")
	check := func(what string) {
		t.Helper()
		s, err := transcript.ReadFiles(transcript.Options{}, name)
		if err != nil || len(s.Threads) != 2 || s.Threads[1].ID != call.ID || s.Threads[1].Events[0].At().Thread != call.ID {
			t.Errorf("%s: %v %+v", what, err, s.Threads)
		}
	}
	check("by the result's agent id")
	// Without a result only the meta file says so.
	text, _ := os.ReadFile(name)
	os.WriteFile(name, text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1], 0o600)
	os.WriteFile(strings.TrimSuffix(file, ".jsonl")+".meta.json", []byte(`{"toolUseId":"`+call.ID+`"}`), 0o600)
	check("by the meta file")
	// Older clients write them beside the session log.
	os.WriteFile(name, text, 0o600)
	os.Rename(file, filepath.Join(filepath.Dir(name), filepath.Base(file)))
	os.RemoveAll(dir)
	check("beside the session log")
}

// The agents of a workflow have a folder of their own, with a journal.
func TestSubagentsOfAWorkflowAreRead(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Call("Agent", nil).Subagent().Request(50).ReadFile("a").Result("x")
	name := log.WriteSessionLog(t)
	dir := strings.TrimSuffix(name, ".jsonl") + "/subagents"
	files, _ := filepath.Glob(dir + "/agent-*.jsonl")
	os.MkdirAll(dir+"/workflows/wf1", 0o700)
	if err := os.Rename(files[0], dir+"/workflows/wf1/"+filepath.Base(files[0])); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(dir+"/workflows/wf1/journal.jsonl", []byte("{}\n"), 0o600)
	s, err := transcript.ReadFiles(transcript.Options{}, name)
	if err != nil || len(s.Threads) != 2 || *s.Summary().ProcessedTokens != 150 || len(s.Report.Problems) != 0 {
		t.Errorf("%v, %d threads, %v", err, len(s.Threads), s.Report.Problems)
	}
}

func TestInlineSidechainsAreNeverTheMainWindow(t *testing.T) {
	log := transcripttest.NewBare()
	log.Event(prompt("u1", ""))
	side := prompt("u2", "")
	side["isSidechain"] = true
	log.Event(side)
	inner := says("u3", "u2", "inside", 50)
	inner["isSidechain"] = true
	log.Event(inner)
	log.Event(says("u4", "u1", "outside", 100))
	s := log.Session(t)
	if len(s.Threads) != 2 || s.Threads[1].ID != "sidechain:u2" || len(of[*transcript.Request](s.Main())) != 1 {
		t.Errorf("%+v", s.Threads)
	}
}

func TestProgressCopiesCountOnce(t *testing.T) {
	log := transcripttest.New()
	call := log.Request(100).Call("Task", nil)
	sub := call.Subagent()
	sub.Request(50).ReadFile("a").Result("x")
	call.Result("done")
	main, agents := log.SessionLog()
	for id, text := range agents {
		for l := range bytes.Lines(text) {
			main = append(main, `{"type":"progress","sessionId":"s","uuid":"p`...)
			main = append(main, byte('0'+len(main)%10))
			main = append(main, `","parentToolUseID":"`+call.ID+`","data":{"type":"agent_progress","agentId":"`+id+`","message":`...)
			main = append(append(main, bytes.TrimSpace(l)...), "}}\n"...)
		}
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "s.jsonl")
	os.WriteFile(name, main, 0o600)
	alone, err := transcript.ReadFiles(transcript.Options{}, name)
	if err != nil || len(alone.Threads) != 2 || alone.Threads[1].ID != call.ID || len(of[*transcript.ToolResult](&alone.Threads[1])) != 1 {
		t.Errorf("copies alone: %v %+v", err, alone.Threads)
	}
	os.MkdirAll(filepath.Join(dir, "s", "subagents"), 0o700)
	for id, text := range agents {
		os.WriteFile(filepath.Join(dir, "s", "subagents", "agent-"+id+".jsonl"), text, 0o600)
	}
	both, err := transcript.ReadFiles(transcript.Options{}, name)
	if err != nil || len(both.Threads) != 2 || len(both.Threads[1].Events) != len(alone.Threads[1].Events) || both.Report.Copies == 0 {
		t.Errorf("with the file: %v, %d events, %d copies", err, len(both.Threads[1].Events), both.Report.Copies)
	}
}

func TestCompactionAndWarmUpAgentsAreNoDelegation(t *testing.T) {
	log := transcripttest.NewBare()
	log.Event(prompt("u1", ""))
	for i, first := range []transcripttest.Args{{"agentId": "acompact-1a2b3c"}, {"agentId": "77", "message": transcripttest.Args{"content": "Warmup"}}} {
		v := prompt([]string{"v1", "v2"}[i], "")
		v["isSidechain"] = true
		for k, x := range first {
			v[k] = x
		}
		log.Event(v)
		w := says([]string{"w1", "w2"}[i], v["uuid"].(string), "x", 500)
		w["isSidechain"], w["agentId"] = true, v["agentId"]
		log.Event(w)
	}
	log.Event(says("u2", "u1", "done", 100))
	s := log.Session(t)
	if len(s.Threads) != 1 || len(s.Auxiliary) != 2 {
		t.Fatalf("%d threads, %d auxiliary", len(s.Threads), len(s.Auxiliary))
	}
	if n := *s.Summary().ProcessedTokens; n != 1100 {
		t.Errorf("%d tokens processed, want 1,100: what they used was spent", n)
	}
}

func TestAQueuedPromptEndsATurn(t *testing.T) {
	log := transcripttest.NewBare()
	log.Event(prompt("u1", ""))
	log.Event(says("u2", "u1", "one", 100))
	log.Event(line(transcripttest.Args{"type": "attachment", "uuid": "u3", "parentUuid": "u2", "attachment": transcripttest.Args{"type": "queued_command", "prompt": "and this"}}))
	log.Event(line(transcripttest.Args{"type": "attachment", "uuid": "u4", "parentUuid": "u3", "attachment": transcripttest.Args{"type": "date"}}))
	log.Event(says("u5", "u4", "two", 200))
	s := log.Session(t)
	if got := of[*transcript.UserText](s.Main()); len(got) != 2 || !got[1].Prompt || got[1].Chars != len("and this") {
		t.Errorf("%+v", got)
	}
	if s.Answer() != "one\n\ntwo" {
		t.Errorf("answer %q", s.Answer())
	}
}

// A client that was closed before anything was asked leaves a log of bookkeeping lines.
func TestASessionLogIsKnownBeforeItsFirstMessage(t *testing.T) {
	log := transcripttest.NewBare()
	log.Event(transcripttest.Args{"type": "queue-operation", "operation": "enqueue", "sessionId": "s9", "session_id": nil})
	log.Event(transcripttest.Args{"type": "file-history-snapshot", "session_id": nil})
	s := log.Session(t)
	if v := s.Summary(); v.Format != transcript.FormatSessionLog || v.SessionID != "s9" || v.Outcomes[0] != "no answer" || v.OK || v.ProcessedTokens != nil {
		t.Errorf("%+v", v)
	}
}

func TestWhatTheClientAttachesIsMeasured(t *testing.T) {
	for name, c := range map[string]struct {
		fields transcripttest.Args
		want   string
	}{
		"listing":            {transcripttest.Args{"type": "agent_listing_delta", "addedTypes": []string{"x"}, "addedLines": []string{"- a", "- b"}}, "- a- b"},
		"instructions":       {transcripttest.Args{"addedBlocks": []string{"## codegraph"}, "type": "mcp_instructions_delta"}, "## codegraph"},
		"skills":             {transcripttest.Args{"type": "skill_listing", "content": "- dataviz"}, "- dataviz"},
		"hook":               {transcripttest.Args{"type": "hook_additional_context", "content": []string{"remember"}}, "remember"},
		"file":               {transcripttest.Args{"type": "file", "content": transcripttest.Args{"type": "text", "file": transcripttest.Args{"filePath": "a.go", "content": "package a"}}}, "package a"},
		"edited file":        {transcripttest.Args{"type": "edited_text_file", "filename": "a.go", "snippet": "1 package"}, "1 package"},
		"no text":            {transcripttest.Args{"type": "budget_usd", "used": 1, "total": 2}, ""},
		"reminder":           {transcripttest.Args{"type": "task_reminder", "content": []any{}, "itemCount": 0}, ""},
		"output of a hook":   {transcripttest.Args{"type": "hook_success", "content": "not sent"}, ""},
		"a system prompt":    {transcripttest.Args{"type": "prompt_snapshot", "content": "sent as such"}, ""},
		"odd":                {transcripttest.Args{"type": "new", "content": []any{5, nil, true, transcripttest.Args{"content": nil}}, "text": 7}, ""},
		"image":              {transcripttest.Args{"type": "file", "content": transcripttest.Args{"type": "image", "file": transcripttest.Args{"base64": "aGk="}}}, ""},
		"emoji":              {transcripttest.Args{"type": "x", "content": "\U0001f600"}, "\U0001f600"},
		"two texts in order": {transcripttest.Args{"type": "x", "content": "a", "snippet": "b"}, "ab"},
	} {
		log := transcripttest.NewBare()
		log.Event(prompt("u1", ""))
		log.Event(line(transcripttest.Args{"type": "attachment", "uuid": "u2", "parentUuid": "u1", "attachment": c.fields}))
		log.Event(says("u3", "u2", "one", 100))
		s, err := transcript.Decode(bytes.NewReader(log.Bytes()), "s.jsonl", transcript.Options{KeepText: true})
		if err != nil {
			t.Fatal(err)
		}
		got := of[*transcript.UserText](s.Main())[1:]
		if c.want == "" {
			if len(got) != 0 {
				t.Errorf("%s: %+v", name, got[0])
			}
		} else if len(got) != 1 || got[0].Text != c.want || got[0].Chars != len(utf16.Encode([]rune(c.want))) || got[0].Prompt || !got[0].Attached {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
		if len(s.Report.Problems)+len(s.Report.Unknown) > 0 || s.Report.Lines["attachment"] != 1 {
			t.Errorf("%s: %+v", name, s.Report)
		}
	}
}

// Newer clients write what the model was sent; it stands for the rest, in whatever order the members come.
func TestTheRenderedTextOfAnAttachmentIsWhatTheModelSaw(t *testing.T) {
	const attachment, rendered = `"attachment":{"type":"skill_listing","content":"- dataviz"}`, `"rendered":[{"content":"<system-reminder>- dataviz"},{"content":[{"type":"text","text":"!"}]}]`
	for _, members := range []string{attachment + "," + rendered, rendered + "," + attachment, attachment + "," + attachment + "," + rendered} {
		s, err := transcript.Decode(strings.NewReader(`{"type":"attachment","uuid":"u1","sessionId":"s",`+members+"}\n"), "s.jsonl", transcript.Options{KeepText: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := of[*transcript.UserText](s.Main()); len(got) != 1 || got[0].Text != "<system-reminder>- dataviz!" || got[0].Chars != 27 {
			t.Errorf("%s: %+v", members, got)
		}
	}
}

func TestAnAttachmentAfterTheAnswerTakesItNotBack(t *testing.T) {
	log := transcripttest.NewBare()
	log.Event(prompt("u1", ""))
	log.Event(says("u2", "u1", "one", 100))
	log.Event(line(transcripttest.Args{"type": "attachment", "uuid": "u3", "parentUuid": "u2", "attachment": transcripttest.Args{"type": "hook_additional_context", "content": []string{"x"}}}))
	s := log.Session(t)
	if !s.OK() || s.Answer() != "one" {
		t.Errorf("ok %v, answer %q", s.OK(), s.Answer())
	}
}

func TestARewindAbandonsABranch(t *testing.T) {
	log := transcripttest.NewBare()
	log.Event(prompt("u1", ""))
	log.Event(says("u2", "u1", "hello", 100))
	log.Event(line(transcripttest.Args{"type": "progress", "uuid": "p1", "parentUuid": "u2", "data": transcripttest.Args{"type": "hook_progress"}}))
	log.Event(prompt("u3", "p1")) // this branch is left behind
	log.Event(says("u4", "u3", "wrong", 200))
	log.Event(prompt("u5", "u2")) // the other prompt under the same message
	log.Event(says("u6", "u5", "right", 150))
	s := log.Session(t)
	var abandoned []bool
	for _, r := range of[*transcript.Request](s.Main()) {
		abandoned = append(abandoned, r.Abandoned)
	}
	if diff := cmp.Diff([]bool{false, true, false}, abandoned); diff != "" || s.Report.Branches != 1 {
		t.Errorf("%s%d branches", diff, s.Report.Branches)
	}
	if s.Answer() != "hello\n\nright" {
		t.Errorf("answer %q", s.Answer())
	}
}

// root makes a line say that it follows none.
func root(v transcripttest.Args) transcripttest.Args {
	v["parentUuid"] = json.RawMessage("null")
	return v
}

func TestARewindToTheFirstPromptAbandonsWhatFollowedIt(t *testing.T) {
	start := func(uuid string) transcripttest.Args { // what a hook writes: a line of its own
		return root(line(transcripttest.Args{"type": "attachment", "uuid": uuid, "attachment": transcripttest.Args{"type": "hook_success"}}))
	}
	boundary := root(line(transcripttest.Args{"type": "system", "subtype": "compact_boundary", "uuid": "c1", "compactMetadata": transcripttest.Args{"trigger": "auto", "preTokens": 100}}))
	for name, c := range map[string]struct {
		logs      [][]transcripttest.Args
		abandoned []bool // by request
	}{
		"two prompts without a parent": {[][]transcripttest.Args{{root(prompt("u1", "")), says("a1", "u1", "wrong", 100), root(prompt("u2", "")), says("a2", "u2", "right", 90)}}, []bool{true, false}},
		"two prompts after a hook":     {[][]transcripttest.Args{{start("h"), prompt("u1", "h"), says("a1", "u1", "wrong", 100), prompt("u2", "h"), says("a2", "u2", "right", 90)}}, []bool{true, false}},
		"two logs":                     {[][]transcripttest.Args{{root(prompt("u1", "")), says("a1", "u1", "one", 100)}, {root(prompt("u2", "")), says("a2", "u2", "two", 120)}}, []bool{false, false}},
		"a compaction":                 {[][]transcripttest.Args{{root(prompt("u1", "")), says("a1", "u1", "one", 100), boundary, prompt("u2", "c1"), says("a2", "u2", "two", 50)}}, []bool{false, false}},
		"a log without a tree":         {[][]transcripttest.Args{{prompt("u1", ""), says("a1", "u1", "one", 100), prompt("u2", ""), says("a2", "u2", "two", 120)}}, []bool{false, false}},
	} {
		d := transcript.NewDecoder(strings.NewReader(""), "", transcript.Options{})
		for i, events := range c.logs {
			log := transcripttest.NewBare()
			for _, ev := range events {
				log.Event(ev)
			}
			d.Append(bytes.NewReader(log.Bytes()), fmt.Sprint("log", i))
			drain(t, d)
		}
		s := d.Session()
		var got []bool
		branches := 0
		for _, r := range of[*transcript.Request](s.Main()) {
			got = append(got, r.Abandoned)
			if r.Abandoned {
				branches++
			}
		}
		if diff := cmp.Diff(c.abandoned, got); diff != "" || s.Report.Branches != branches {
			t.Errorf("%s: %s%d branches", name, diff, s.Report.Branches)
		}
	}
}

func TestForksOfParallelCallsAndHooksKeepTheirResults(t *testing.T) {
	log := transcripttest.New()
	m := log.Request(100)
	a, b := m.ReadFile("a"), m.ReadFile("b")
	a.Result("x")
	b.Result("y")
	log.Request(200).Text("done")
	main, _ := log.SessionLog()
	// Each result follows its own call, and the answer follows the first result.
	lines := bytes.SplitAfter(main, []byte("\n"))
	uuid := func(i int) string {
		_, rest, _ := bytes.Cut(lines[i], []byte(`"uuid":"`))
		return string(rest[:36])
	}
	lines[2] = bytes.Replace(lines[2], []byte(`"parentUuid":"`+uuid(1)), []byte(`"parentUuid":"`+uuid(0)), 1)
	lines[4] = bytes.Replace(lines[4], []byte(`"parentUuid":"`+uuid(3)), []byte(`"parentUuid":"`+uuid(2)), 1)
	s, err := transcript.Decode(bytes.NewReader(bytes.Join(lines, nil)), "s.jsonl", transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range of[*transcript.ToolResult](s.Main()) {
		if r.Abandoned {
			t.Errorf("result of %s is lost", r.CallID)
		}
	}
	if n := len(of[*transcript.ToolResult](s.Main())); n != 2 || s.Report.Branches != 0 {
		t.Errorf("%d results, %d branches", n, s.Report.Branches)
	}
}

func TestAForkedLogRepeatsNothing(t *testing.T) {
	log := sample()
	name := log.WriteSessionLog(t)
	text, _ := os.ReadFile(name)
	fork := filepath.Join(t.TempDir(), "fork.jsonl")
	os.WriteFile(fork, bytes.ReplaceAll(text, []byte(`"sessionId":"5e`), []byte(`"sessionId":"ff`)), 0o600)
	one, _ := transcript.ReadFiles(transcript.Options{}, name)
	two, err := transcript.ReadFiles(transcript.Options{}, name, fork)
	if err != nil || len(one.Main().Events) != len(two.Main().Events) || two.Report.Copies == 0 {
		t.Errorf("%v: %d events, with the copy %d", err, len(one.Main().Events), len(two.Main().Events))
	}
}

func TestCompactionsInBothSpellings(t *testing.T) {
	log := transcripttest.New()
	a := log.Request(100).ReadFile("a").Result("x")
	log.Compact(300, 150, a)
	log.MicroCompact(40, a)
	for name, s := range map[string]*transcript.Session{"stream": log.Session(t), "session log": readSession(t, log)} {
		c := of[*transcript.Compaction](s.Main())
		m := of[*transcript.MicroCompaction](s.Main())
		if len(c) != 1 || c[0].PreTokens != 300 || c[0].PostTokens != 150 || !cmp.Equal(c[0].Preserved, []string{a.ID}) || len(m) != 1 || m[0].TokensSaved != 40 || !cmp.Equal(m[0].Cleared, []string{a.ID}) {
			t.Errorf("%s: %+v %+v", name, c, m)
		}
	}
}

func TestOneCompactionWrittenTwiceIsOne(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Text("a")
	log.Compact(300, 150)
	log.Compact(300, 150)
	log.Request(150).Text("b")
	log.Compact(300, 150) // another one of the same size
	if n := len(of[*transcript.Compaction](log.Session(t).Main())); n != 2 {
		t.Errorf("%d compactions, want 2", n)
	}
}

func TestAResultClearedInACopyIsAMicroCompaction(t *testing.T) {
	log := transcripttest.New()
	c := log.Request(100).ReadFile("a").Result("the text")
	main, _ := log.SessionLog()
	copied := bytes.Replace(main, []byte("the text"), []byte("[Old tool result content cleared]"), 1)
	d := transcript.NewDecoder(bytes.NewReader(main), "a", transcript.Options{})
	drain(t, d)
	d.Append(bytes.NewReader(copied), "b")
	drain(t, d)
	m := of[*transcript.MicroCompaction](d.Session().Main())
	if len(m) != 1 || !cmp.Equal(m[0].Cleared, []string{c.ID}) || m[0].Trigger != "placeholder" {
		t.Errorf("%+v", m)
	}
}

func TestErrorsAreToldApart(t *testing.T) {
	for _, c := range []struct {
		text string
		meta any
		want transcript.Failure
	}{
		{"Exit code 1\nnot found", nil, transcript.FailureTool},
		{"<tool_use_error>Error: No such tool available: X</tool_use_error>", nil, transcript.FailureRefused},
		{"PreToolUse:Bash hook error: no", nil, transcript.DeniedByHook},
		{"The user doesn't want to proceed with this tool use. The tool use was rejected", nil, transcript.DeniedByUser},
		{"Claude requested permissions to use Bash, but you haven't granted it yet.", nil, transcript.DeniedByMode},
		{"the bare reason", []any{transcripttest.Args{"id": "x", "permission_decision": transcripttest.Args{"decision": "reject", "source": "hook"}}}, transcript.DeniedByHook},
		{"Exit code 2", []any{transcripttest.Args{"id": "x", "permission_decision": transcripttest.Args{"decision": "accept", "source": "config"}}}, transcript.FailureTool},
	} {
		log := transcripttest.New()
		call := log.Request(100).Bash("x")
		log.Event(transcripttest.Args{"type": "user", "tool_result_meta": c.meta, "parent_tool_use_id": nil, "message": transcripttest.Args{"content": []any{
			transcripttest.Args{"type": "tool_result", "tool_use_id": call.ID, "is_error": true, "content": c.text}}}})
		if r := of[*transcript.ToolResult](log.Session(t).Main())[0]; r.Failure != c.want {
			t.Errorf("%q: %q, want %q", c.text, r.Failure, c.want)
		}
	}
}

// Up to 2.1.112 a hook's denial is its bare reason, but the result lists the call as denied.
func TestADenialWithABareReasonIsAHooks(t *testing.T) {
	log := transcripttest.New()
	m := log.Request(100)
	bare, mode, failed := m.Bash("a"), m.Bash("b"), m.Bash("c")
	bare.Error("use grep")
	mode.Error("Claude requested permissions to use Bash, but you haven't granted it yet.")
	failed.Error("Exit code 1")
	log.EndWith(transcripttest.Args{"permission_denials": []any{transcripttest.Args{"tool_use_id": bare.ID}, transcripttest.Args{"tool_use_id": mode.ID}}})
	var got []transcript.Failure
	for _, r := range of[*transcript.ToolResult](log.Session(t).Main()) {
		got = append(got, r.Failure)
	}
	if diff := cmp.Diff([]transcript.Failure{transcript.DeniedByHook, transcript.DeniedByMode, transcript.FailureTool}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheStructuredCopyIsNotWhatTheModelSaw(t *testing.T) {
	log := transcripttest.New()
	call := log.Request(100).Bash("x")
	log.Event(transcripttest.Args{"type": "user", "parent_tool_use_id": nil, "tool_use_result": transcripttest.Args{"stdout": strings.Repeat("x", 30_000)},
		"message": transcripttest.Args{"content": []any{transcripttest.Args{"type": "tool_result", "tool_use_id": call.ID, "content": "<persisted-output>preview"}}}})
	if r := of[*transcript.ToolResult](log.Session(t).Main())[0]; r.Chars != len("<persisted-output>preview") {
		t.Errorf("%d characters", r.Chars)
	}
}

func TestASubagentsLastRequestIsInTheTotals(t *testing.T) {
	log := transcripttest.New()
	call := log.Request(1000).Call("Agent", nil)
	call.Subagent().Request(50).ReadFile("a").Result("x")
	log.Event(transcripttest.Args{"type": "user", "parent_tool_use_id": nil, "tool_use_result": transcripttest.Args{"usage": transcripttest.Args{"input_tokens": 70}},
		"message": transcripttest.Args{"content": []any{transcripttest.Args{"type": "tool_result", "tool_use_id": call.ID, "content": "done"}}}})
	if n := *log.Session(t).Summary().ProcessedTokens; n != 1120 { // 1,000 + 50 + 70
		t.Errorf("%d tokens processed, want 1,120", n)
	}
	sum, final := log.Session(t).Tokens()
	if sum.Prompt() != 1120 || final {
		t.Errorf("tokens %+v, final %v; want the same, and not final", sum, final)
	}
	if r := log.Session(t).Unlogged(); len(r) != 1 || r[0].Thread != call.ID || r[0].Pos.Line != 5 || r[0].Model != transcripttest.Model {
		t.Errorf("%+v", r)
	}
}

// A subagent's log that goes on after the delegation's result, as one does that is sent another message, has that request; so the totals have it
// once: 1,000 + 50 + 70 + 90.
func TestASubagentsRequestIsInTheTotalsOnce(t *testing.T) {
	log := transcripttest.New()
	call := log.Request(1000).Call("Agent", nil)
	sub := call.Subagent()
	sub.Request(50).ReadFile("a").Result("x")
	sub.Request(70).Text("done")
	log.Event(transcripttest.Args{"type": "user", "parent_tool_use_id": nil, "tool_use_result": transcripttest.Args{"usage": transcripttest.Args{"input_tokens": 70, "output_tokens": 4}},
		"message": transcripttest.Args{"content": []any{transcripttest.Args{"type": "tool_result", "tool_use_id": call.ID, "content": "done"}}}})
	sub.Request(90).Text("more")
	s := log.Session(t)
	if n := *s.Summary().ProcessedTokens; n != 1210 || len(s.Unlogged()) != 0 {
		t.Errorf("%d tokens processed, want 1,210; %d requests not logged", n, len(s.Unlogged()))
	}
}

// What a subagent used is all there when its thread ends with an answer or the result says the last request's usage. Otherwise somebody is told.
func TestSubagentsThatAreNotAllInTheLogAreCounted(t *testing.T) {
	answer := func(log *transcripttest.Log, id string, more transcripttest.Args) {
		fields := transcripttest.Args{"type": "user", "parent_tool_use_id": nil,
			"message": transcripttest.Args{"content": []any{transcripttest.Args{"type": "tool_result", "tool_use_id": id, "content": "done"}}}}
		for k, v := range more {
			fields[k] = v
		}
		log.Event(fields)
	}
	usage := transcripttest.Args{"tool_use_result": transcripttest.Args{"usage": transcripttest.Args{"input_tokens": 70}}}
	for name, c := range map[string]struct {
		run       func(log *transcripttest.Log, call *transcripttest.Call)
		partly    int
		processed int
	}{
		"usage of the last request": {func(log *transcripttest.Log, call *transcripttest.Call) {
			call.Subagent().Request(50).ReadFile("a").Result("x")
			answer(log, call.ID, usage)
		}, 0, 1120},
		"no usage": {func(log *transcripttest.Log, call *transcripttest.Call) {
			call.Subagent().Request(50).ReadFile("a").Result("x")
			answer(log, call.ID, nil)
		}, 1, 1050},
		"no answer": {func(log *transcripttest.Log, call *transcripttest.Call) {
			call.Subagent().Request(50).ReadFile("a").Result("x")
		}, 1, 1050},
		"all of it": {func(log *transcripttest.Log, call *transcripttest.Call) {
			call.Subagent().Request(50).Text("report")
			answer(log, call.ID, nil)
		}, 0, 1050},
		"only the last request": {func(log *transcripttest.Log, call *transcripttest.Call) { answer(log, call.ID, usage) }, 1, 1070},
		"nothing":               {func(log *transcripttest.Log, call *transcripttest.Call) { answer(log, call.ID, nil) }, 1, 1000},
		"refused":               {func(log *transcripttest.Log, call *transcripttest.Call) { call.Error("no such agent") }, 0, 1000},
	} {
		log := transcripttest.New()
		c.run(log, log.Request(1000).Call("Agent", nil))
		if v := log.Session(t).Summary(); v.PartlyLogged != c.partly || *v.ProcessedTokens != c.processed {
			t.Errorf("%s: %d partly logged, %d tokens; want %d and %d", name, v.PartlyLogged, *v.ProcessedTokens, c.partly, c.processed)
		}
	}
}

func TestASessionLogWithoutItsSubagentsSaysSo(t *testing.T) {
	log := transcripttest.New()
	call := log.Request(1000).Call("Agent", nil)
	call.Subagent().Request(50).ReadFile("a").Result("x")
	call.Result("done")
	name := log.WriteSessionLog(t)
	check := func(what string, partly, processed int) {
		t.Helper()
		s, err := transcript.ReadFiles(transcript.Options{}, name)
		if err != nil {
			t.Fatal(err)
		}
		if v := s.Summary(); v.PartlyLogged != partly || *v.ProcessedTokens != processed {
			t.Errorf("%s: %d partly logged, %d tokens; want %d and %d", what, v.PartlyLogged, *v.ProcessedTokens, partly, processed)
		}
	}
	check("with its subagents", 0, 1050)
	text, _ := os.ReadFile(name)
	os.WriteFile(name, bytes.ReplaceAll(text, []byte(`"toolUseResult"`), []byte(`"x"`)), 0o600)
	check("with one that nothing links", 0, 1050)
	os.RemoveAll(strings.TrimSuffix(name, ".jsonl"))
	check("without them", 1, 1000)
}

func TestVersionsSeenAreReported(t *testing.T) {
	log := transcripttest.NewBare()
	log.Event(prompt("u1", ""))
	other := says("u2", "u1", "x", 10)
	other["version"] = "2.2.0"
	log.Event(other)
	if diff := cmp.Diff([]string{"2.1.112", "2.2.0"}, log.Session(t).Report.Versions); diff != "" {
		t.Error(diff)
	}
}

func TestStrict(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Text("fine")
	if err := transcript.Strict(log.End("fine").Session(t)); err != nil {
		t.Errorf("a clean session: %v", err)
	}
	log = transcripttest.New()
	log.RequestUsage(nil).Text("x")
	log.Line("{broken").Event(transcripttest.Args{"type": "brand_new"})
	s := log.Session(t)
	err := transcript.Strict(s)
	var p transcript.Problem
	if !errors.Is(err, transcript.ErrStrict) || !errors.As(err, &p) || p.Pos.Line != 3 {
		t.Errorf("%v", err)
	}
	for _, want := range []string{"brand_new", "1 requests without a usage", "did not end"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := transcript.Strict(s, transcript.FindCopies); err != nil {
		t.Errorf("copies: %v", err)
	}
	if err := transcript.Strict(s, "nonsense"); err == nil {
		t.Error("an unknown finding is no error")
	}
}
