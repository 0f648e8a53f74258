package transcript_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// of returns the events of one type on a thread.
func of[T transcript.Event](t *transcript.Thread) (list []T) {
	for _, ev := range t.Events {
		if ev, ok := ev.(T); ok {
			list = append(list, ev)
		}
	}
	return list
}

func TestOneAssistantMessageIsOneRequestHoweverManyLines(t *testing.T) {
	log := transcripttest.New()
	m := log.RequestUsage(&transcript.Usage{Input: 3, CacheRead: 100, CacheCreation: 50, Output: 1}).Thinking("hm").Text("I look.")
	m.Final(80).ReadFile("a.go").Result("x")
	got := of[*transcript.Request](log.Session(t).Main())
	if len(got) != 1 {
		t.Fatalf("%d requests, want 1", len(got))
	}
	if want := (transcript.Usage{Input: 3, CacheRead: 100, CacheCreation: 50, Output: 80}); *got[0].Usage != want {
		t.Errorf("usage %+v, want %+v: the prompt is the same on all lines, the largest output wins", *got[0].Usage, want)
	}
	if !got[0].OutputFinal || got[0].StopReason != "tool_use" {
		t.Errorf("a stop reason makes the output final: %+v", got[0])
	}
}

func TestOutputWithoutStopReasonIsAPlaceholder(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Text("hello")
	if r := of[*transcript.Request](log.Session(t).Main())[0]; r.OutputFinal {
		t.Errorf("output %d is said to be final", r.Usage.Output)
	}
}

func TestPartialMessageStreamGivesTheFinalOutput(t *testing.T) {
	log := transcripttest.NewBare()
	log.Line(`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1","model":"x","usage":{"input_tokens":10,"output_tokens":1}}},"parent_tool_use_id":null}`)
	log.Line(`{"type":"assistant","message":{"id":"m1","model":"x","content":[{"type":"text","text":"hi"}],"usage":{"input_tokens":10,"output_tokens":1}}}`)
	log.Line(`{"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":42}},"parent_tool_use_id":null}`)
	got := of[*transcript.Request](log.Session(t).Main())
	if len(got) != 1 || got[0].Usage.Output != 42 || !got[0].OutputFinal || got[0].StopReason != "end_turn" {
		t.Errorf("requests %+v, want one with a final output of 42", got)
	}
}

func TestMissingUsageIsNotZero(t *testing.T) {
	log := transcripttest.New()
	log.RequestUsage(nil).Text("none")
	log.Request(5).RawUsage(nil).Text("null")
	log.Request(5).RawUsage("?").Text("not an object")
	log.Request(0).Text("zeros")
	for _, r := range of[*transcript.Request](log.Session(t).Main()) {
		if r.Measured() {
			t.Errorf("request %s counts as measured: %+v", r.ID, r.Usage)
		}
	}
}

func TestPlaceholdersAreNotRequests(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Text("real")
	log.Request(0).From("<synthetic>").Text("API Error: 529 overloaded")
	s := log.Session(t)
	if n := len(of[*transcript.Request](s.Main())); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	texts := of[*transcript.AssistantText](s.Main())
	if len(texts) != 2 || texts[0].Synthetic || !texts[1].Synthetic {
		t.Errorf("texts %+v, want the second marked synthetic", texts)
	}
	if s.Answer() != "real" {
		t.Errorf("answer %q: a client's notice is none", s.Answer())
	}
}

func TestThreadsAreSeparateWindows(t *testing.T) {
	log := transcripttest.New()
	call := log.Request(100).Call("Agent", transcripttest.Args{"description": "look"})
	sub := call.Subagent()
	sub.Prompt("look into it")
	sub.Request(50).ReadFile("a.go").Result("x")
	call.Result("done")
	log.Request(120).Text("answer")
	s := log.Session(t)
	if len(s.Threads) != 2 || s.Threads[1].ID != call.ID {
		t.Fatalf("threads %+v", s.Threads)
	}
	if n := len(of[*transcript.Request](s.Main())); n != 2 {
		t.Errorf("%d requests on the main thread, want 2", n)
	}
	if s.Thread(call.ID) != &s.Threads[1] || s.Thread("none") != nil {
		t.Error("Thread does not find the subagent by its call")
	}
	if role := of[*transcript.ToolCall](s.Main())[0].Role; role != transcript.RoleDelegate {
		t.Errorf("role %q, want delegate", role)
	}
}

func TestResumingDoesNotRepeat(t *testing.T) {
	first := transcripttest.New()
	first.Request(100).Thinking("hm").Text("same").Text("same")
	first.Request(110).ReadFile("a.go").Result("x")
	copied := first.Bytes()
	noUUID := bytes.ReplaceAll(copied, []byte(`"uuid":`), []byte(`"other":`))
	for name, second := range map[string][]byte{"same uuid": copied, "same message id and block": noUUID} {
		d := transcript.NewDecoder(bytes.NewReader(copied), "run.jsonl", transcript.Options{})
		drain(t, d)
		before := len(d.Session().Main().Events)
		d.Append(bytes.NewReader(second), "run.t2.jsonl")
		drain(t, d)
		s := d.Session()
		added := s.Main().Events[before:]
		if name == "same uuid" && len(added) != 0 || len(of[*transcript.Init](&transcript.Thread{Events: added})) != len(added) {
			t.Errorf("%s: %d events added by a copy: %v", name, len(added), added)
		}
		if s.Report.Copies == 0 {
			t.Errorf("%s: copies are not reported", name)
		}
	}
}

func drain(t *testing.T, d *transcript.Decoder) {
	t.Helper()
	for _, err := range d.All() {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestABadLineCostsThatLine(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	for _, c := range []struct{ name, line, reason string }{
		{"no JSON", "Error: something happened", "not JSON"},
		{"cut off", `{"type":"assistant","message":{"id":"m`, "cut off"},
		{"comment", "// a comment", "not JSON"},
		{"null", "null", "want an object, got null"},
		{"number", "17", "want an object, got number"},
		{"no type", `{"a":1}`, "without a type"},
		{"NUL bytes", "\x00\x00\x00", "not JSON"},
		{"NUL in a string", "{\"type\":\"user\x00\"}", "control character"},
		{"nested deep", `{"type":"user","message":` + deep, "nested deeper"},
		{"no message", `{"type":"user","message":null}`, "without a message"},
		{"message of the wrong type", `{"type":"assistant","message":[1]}`, "without a message"},
		{"content of the wrong type", `{"type":"user","message":{"content":7}}`, "message.content: want a string or an array, got number"},
		{"block of the wrong type", `{"type":"user","message":{"content":[7]}}`, "message.content: want blocks, got number"},
		{"huge number", `{"type":"assistant","message":{"id":"x","usage":{"input_tokens":1e999},"content":[]}}`, "input_tokens: not a number of tokens"},
		{"result without its call", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"nobody","content":"x"}]}}`, "without its call"},
		{"raw line feed in a string", "{\"type\":\"user\",\"message\":\"a\nb\"}", "cut off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := transcripttest.New()
			log.Request(100).ReadFile("a.go").Result("x")
			log.Line(c.line)
			log.Request(200).Text("good")
			s := log.Session(t)
			if n := len(of[*transcript.AssistantText](s.Main())); n != 1 {
				t.Errorf("the good line that follows is lost")
			}
			if len(s.Report.Problems) == 0 {
				t.Fatal("no problem reported")
			}
			p := s.Report.Problems[0]
			if want := (transcript.Position{File: "run.jsonl", Line: 4}); p.Pos != want || !strings.Contains(p.Reason, c.reason) {
				t.Errorf("problem %v, want %v: …%s…", p, want, c.reason)
			}
		})
	}
}

func TestAValueOfAnUnexpectedTypeCostsThatValue(t *testing.T) {
	log := transcripttest.NewBare()
	log.Line(`{"type":"assistant","uuid":7,"message":{"id":"m1","model":{},"usage":{"input_tokens":"many","cache_read_input_tokens":40},"content":[{"type":"text","text":"kept"}]}}`)
	s := log.Session(t)
	r := of[*transcript.Request](s.Main())
	if len(r) != 1 || r[0].Usage.CacheRead != 40 || of[*transcript.AssistantText](s.Main())[0].Chars != 4 {
		t.Errorf("the rest of the line is lost: %+v", r)
	}
	if len(s.Report.Problems) != 3 {
		t.Errorf("problems %v, want three: uuid, model, input_tokens", s.Report.Problems)
	}
}

func TestHalfASurrogatePairReadsAsReplacement(t *testing.T) {
	log := transcripttest.NewBare()
	log.Line(`{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"a\ud83db"}]}}`)
	got := of[*transcript.AssistantText](log.Session(t).Main())[0]
	if got.Text != "a\ufffdb" || got.Chars != 3 {
		t.Errorf("text %q with %d characters", got.Text, got.Chars)
	}
}

func TestTwoObjectsGluedOnOneLineAreTwoEvents(t *testing.T) {
	one := `{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"a"}]}}`
	two := `{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"b"}]}}`
	log := transcripttest.NewBare().Line(one + two).Line(one[:20])
	s := log.Session(t)
	texts := of[*transcript.AssistantText](s.Main())
	if len(texts) != 2 || texts[1].Pos.Line != 1 {
		t.Errorf("texts %+v, want two on line 1", texts)
	}
}

func TestTruncatedLastLineIsOrdinary(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Text("kept")
	log.Request(200).Text("lost")
	s := log.Cut(10).Session(t)
	if n := len(of[*transcript.Request](s.Main())); n != 1 || len(s.Report.Problems) != 1 {
		t.Errorf("%d requests and problems %v, want 1 and the cut line", n, s.Report.Problems)
	}
}

func TestLastLineNeedsNoLineFeed(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Text("a")
	if s := log.Cut(1).Session(t); len(of[*transcript.Request](s.Main())) != 1 || len(s.Report.Problems) != 0 {
		t.Errorf("problems %v", s.Report.Problems)
	}
}

func TestUnknownTypesAreCountedByName(t *testing.T) {
	log := transcripttest.New()
	log.Event(transcripttest.Args{"type": "brand_new_event"})
	log.Event(transcripttest.Args{"type": "brand_new_event"})
	log.Event(transcripttest.Args{"type": "system", "subtype": "whatever"})
	log.Request(10).Block(transcripttest.Args{"type": "hologram", "content": 7}).ReadFile("a").Blocks(transcripttest.Args{"type": "smell"})
	s := log.Session(t)
	want := map[string]int{"event brand_new_event": 2, "event system/whatever": 1, "block hologram": 1, "block smell": 1}
	if diff := cmp.Diff(want, s.Report.Unknown); diff != "" || len(s.Report.Problems) != 0 {
		t.Errorf("unknown (-want +got):\n%s%v", diff, s.Report.Problems)
	}
}

func TestOneJSONArrayIsTheSameSessionAsItsLines(t *testing.T) {
	log := sample()
	want := log.Session(t)
	lines := strings.Split(strings.TrimSpace(string(log.Bytes())), "\n")
	for name, text := range map[string]string{
		"one line":    "[" + strings.Join(lines, ",") + "]",
		"pretty":      "\ufeff \n[\n  " + strings.Join(lines, ",\n  ") + "\n]\n",
		"then a line": "[" + strings.Join(lines[:3], ",\n") + "]\n" + strings.Join(lines[3:], "\n"),
	} {
		for _, r := range readers(text) {
			got, err := transcript.Decode(r, "run.json", transcript.Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := withoutPositions(want, got); diff != "" {
				t.Errorf("%s (-lines +array):\n%s", name, diff)
			}
		}
	}
}

func TestPositionsInAnArrayAreThoseOfItsElements(t *testing.T) {
	s, err := transcript.Decode(strings.NewReader("\n[\n {\"type\":\"system\",\"subtype\":\"init\"},\n\n {\"type\":\"assistant\",\n \"message\":{\"id\":\"m\"}}, 7\n]\n nonsense"), "a.json", transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ev := range s.Main().Events {
		got = append(got, ev.At().Pos.String())
	}
	for _, p := range s.Report.Problems {
		got = append(got, p.Pos.String())
	}
	if diff := cmp.Diff([]string{"a.json:3", "a.json:5", "a.json:6", "a.json:8"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnArrayThatIsNotClosedIsReported(t *testing.T) {
	text := "[" + strings.ReplaceAll(strings.TrimSpace(string(sample().Bytes())), "\n", ",\n")
	s, err := transcript.Decode(strings.NewReader(text), "a.json", transcript.Options{})
	if err != nil || len(s.Report.Problems) != 1 || !strings.Contains(s.Report.Problems[0].Reason, "cut off") {
		t.Errorf("%v, problems %v", err, s.Report.Problems)
	}
}

func TestABrokenArrayLosesNoGoodLine(t *testing.T) {
	good := `{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"a"}]}}`
	for _, text := range []string{
		"[{\"type\":\"user\",\n" + good, "[{\"type\":\n" + good + "\n", "[INFO] started\n" + good, "[{\"type\":\"us\n" + good, "[\n" + good + "\n",
		"[1,2]\n" + good, "[[{\n" + good,
	} {
		s, err := transcript.Decode(strings.NewReader(text), "a.json", transcript.Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if n := len(of[*transcript.AssistantText](s.Main())); n != 1 {
			t.Errorf("%q: %d texts, want 1; problems %v", text, n, s.Report.Problems)
		}
	}
}

func TestABrokenElementCostsThatElement(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(string(sample().Bytes())), "\n")
	const at = 3 // the element that is broken
	without := strings.Join(append(append([]string(nil), lines[:at]...), lines[at+1:]...), "\n")
	want, err := transcript.Decode(strings.NewReader(without), "run.json", transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := lines[at]
	for name, broken := range map[string]string{
		"cut in the middle": whole[:len(whole)/2],
		"no brace":          whole[:len(whole)-1],
		"no colon":          strings.Replace(whole, ":", " ", 1),
		"nonsense":          "nonsense",
		"control character": strings.Replace(whole, `"type"`, "\"ty\x00pe\"", 1),
		"nested":            `{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"x"},{"type":"text"`,
	} {
		elements := append([]string(nil), lines...)
		elements[at] = broken
		for sep, line := range map[string]int{",": 1, ",\n": at + 1} {
			for _, r := range readers("[" + strings.Join(elements, sep) + "]") {
				s, err := transcript.Decode(r, "run.json", transcript.Options{})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if p := s.Report.Problems; len(p) == 0 || p[0].Pos.Line != line {
					t.Errorf("%s, %q: problems %v, want one on line %d", name, sep, p, line)
				}
				if diff := withoutPositions(want, s); diff != "" {
					t.Errorf("%s, %q (-without it +broken):\n%s", name, sep, diff)
				}
			}
		}
	}
}

func TestABraceTooManyCostsNoElement(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(string(sample().Bytes())), "\n")
	s, err := transcript.Decode(strings.NewReader("["+strings.Join(lines[:4], ",")+"},"+strings.Join(lines[4:], ",")+"]"), "run.json", transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := withoutPositions(sample().Session(t), s); diff != "" || len(s.Report.Problems) != 1 {
		t.Errorf("(-without the brace +with it):\n%s%v", diff, s.Report.Problems)
	}
}

func TestAByteOrderMarkMayStandWhereLogsWereConcatenated(t *testing.T) {
	lines := strings.SplitAfter(string(sample().Bytes()), "\n")
	s, err := transcript.Decode(strings.NewReader(lines[0]+"\ufeff"+strings.Join(lines[1:], "")), "run.jsonl", transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := withoutPositions(sample().Session(t), s); diff != "" || len(s.Report.Problems) != 0 {
		t.Errorf("(-without the mark +with it):\n%s%v", diff, s.Report.Problems)
	}
}

func TestAnImageIsAPromptToo(t *testing.T) {
	log := transcripttest.New()
	log.User(transcripttest.ImageBlock(30, 20))
	log.Request(100).Text("a picture")
	log.User(transcripttest.TextBlock("and these?"), transcripttest.ImageBlock(3, 4), transcripttest.ImageBlock(5, 6))
	log.Request(200).ReadFile("a.png").Blocks(transcripttest.TextBlock("x"))
	s := log.Session(t)
	var got []string
	for _, u := range of[*transcript.UserText](s.Main()) {
		got = append(got, fmt.Sprintf("%t %d %s", u.Prompt, u.Chars, u.Text))
		for _, im := range u.Images {
			got = append(got, fmt.Sprintf("%s %dx%d", im.MediaType, im.Width, im.Height))
		}
	}
	want := []string{"true 0 ", "image/png 30x20", "true 10 and these?", "image/png 3x4", "image/png 5x6"}
	if diff := cmp.Diff(want, got); diff != "" || len(s.Report.Unknown) != 0 {
		t.Errorf("%s%v", diff, s.Report.Unknown)
	}
}

func TestAResultCanLie(t *testing.T) {
	for _, c := range []struct {
		name   string
		fields []transcripttest.Args
		ok     bool
		answer string
	}{
		{"success", []transcripttest.Args{{"result": "the answer"}}, true, "the answer"},
		{"success with is_error is a failure", []transcripttest.Args{{"result": "API Error", "is_error": true}}, false, ""},
		{"turn limit without is_error", []transcripttest.Args{{"subtype": "error_max_turns", "result": nil}}, false, "said last"},
		{"empty text yields to the last message", []transcripttest.Args{{"result": ""}}, true, "said last"},
		{"cut text yields to the last message", []transcripttest.Args{{"result": "said l…"}}, true, "said last"},
		{"a second row that did no work", []transcripttest.Args{{"result": "the answer"}, {"subtype": "error_during_execution", "result": "", "is_error": true}}, true, "the answer"},
		{"no row at all", nil, false, "said last"},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := transcripttest.New()
			log.Request(100).Text("said first")
			log.Request(200).Text("said last")
			for _, f := range c.fields {
				log.EndWith(f)
			}
			s := log.Session(t)
			if s.OK() != c.ok || s.Answer() != c.answer {
				t.Errorf("ok %v, answer %q; want %v, %q", s.OK(), s.Answer(), c.ok, c.answer)
			}
		})
	}
}

func TestAnswerJoinsAllSegments(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Text("one")
	log.End("one").Resume()
	log.Request(200).Text("two").Text("and more")
	log.End("")
	if got := log.Session(t).Answer(); got != "one\n\ntwo\n\nand more" {
		t.Errorf("answer %q", got)
	}
}

func TestAnswerOfAKilledSegmentIsWhatItSaidLast(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Text("one")
	log.Resume()
	log.Request(200).Text("two")
	log.End("two")
	if got := log.Session(t).Answer(); got != "one\n\ntwo" {
		t.Errorf("answer %q", got)
	}
}

func TestCostsAddUpPerProcessAndCarryOverInNewerClients(t *testing.T) {
	for _, c := range []struct {
		version any
		want    float64
		rule    transcript.CostRule
	}{
		{"2.1.112", 0.75, transcript.CostPerProcess}, {"2.1.276", 0.75, transcript.CostPerProcess},
		{"2.1.277", 0.5, transcript.CostCumulative}, {"2.2.0", 0.5, transcript.CostCumulative}, {"3.0.0-beta", 0.5, transcript.CostCumulative},
		{"1.9.999", 0.75, transcript.CostPerProcess}, {nil, 0.75, transcript.CostAssumed},
	} {
		log := transcripttest.NewBare()
		version := transcripttest.Args{"claude_code_version": c.version}
		log.Init(version).Request(100).Text("a")
		log.EndWith(transcripttest.Args{"total_cost_usd": 0.125}) // a running total within the process
		log.Request(100).Text("b")
		log.EndWith(transcripttest.Args{"total_cost_usd": 0.25})
		log.ResumeWith(version)
		log.Request(100).Text("c")
		log.EndWith(transcripttest.Args{"total_cost_usd": 0.5})
		v := log.Session(t).Summary()
		if v.CostUSD == nil || *v.CostUSD != c.want || v.CostRule != c.rule {
			t.Errorf("version %v: cost %v, %q; want %v, %q", c.version, *v.CostUSD, v.CostRule, c.want, c.rule)
		}
	}
}

func TestLinesMayEndInCRLFStartWithAByteOrderMarkAndBeLong(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).ReadFile("a.go").Result(strings.Repeat("x", 5<<20))
	log.Request(200).Text("after")
	text := "\ufeff" + strings.ReplaceAll(string(log.Bytes()), "\n", "\r\n\r\n")
	for _, r := range readers(text) {
		s, err := transcript.Decode(r, "run.jsonl", transcript.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r := of[*transcript.ToolResult](s.Main())[0]; r.Chars != 5<<20 || len(s.Report.Problems) != 0 {
			t.Errorf("%d characters, problems %v", r.Chars, s.Report.Problems)
		}
		if last := of[*transcript.AssistantText](s.Main())[0]; last.Pos.Line != 7 { // every second line is blank
			t.Errorf("last text on line %d, want 7", last.Pos.Line)
		}
	}
}

func TestInvalidUTF8ReadsAsReplacement(t *testing.T) {
	log := transcripttest.NewBare().Line("{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"a\xff\xe6b\"}]}}")
	got := of[*transcript.AssistantText](log.Session(t).Main())[0]
	if got.Text != "a\ufffd\ufffdb" || got.Chars != 4 {
		t.Errorf("text %q with %d characters", got.Text, got.Chars)
	}
}

func TestCharactersAreUTF16CodeUnits(t *testing.T) {
	log := transcripttest.New()
	// a 1, é 1, 日 1, 😀 2, line feed 1
	log.Request(100).Call("Read", transcripttest.Args{"file_path": "é"}).Result("aé日😀\n")
	s := log.Session(t)
	if r := of[*transcript.ToolResult](s.Main())[0]; r.Chars != 6 {
		t.Errorf("%d characters, want 6", r.Chars)
	}
	if c := of[*transcript.ToolCall](s.Main())[0]; c.InputChars != len(`{"file_path":"e"}`) {
		t.Errorf("input has %d characters: its compact JSON counts", c.InputChars)
	}
}

func TestImagesAreNotCharacters(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).ReadFile("a.png").Blocks(transcripttest.TextBlock("two"), transcripttest.ImageBlock(30, 20), transcripttest.Args{"type": "tool_reference", "tool_name": "x"})
	r := of[*transcript.ToolResult](log.Session(t).Main())[0]
	if r.Chars != 3 || len(r.Images) != 1 {
		t.Fatalf("%d characters and %d images, want 3 and 1", r.Chars, len(r.Images))
	}
	if im := r.Images[0]; im.Width != 30 || im.Height != 20 || im.MediaType != "image/png" || im.Bytes < 60 {
		t.Errorf("image %+v", im)
	}
}

func TestTextsThatNoMetricReadsAreDropped(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Thinking("hm").Text("I look.").ReadFile("a.go").Result("source")
	log.Request(200).Text("answer")
	log.End("answer")
	s := log.Session(t)
	for _, ev := range of[*transcript.AssistantText](s.Main()) {
		if want := map[int]string{7: "", 6: "answer"}[ev.Chars]; ev.Text != want {
			t.Errorf("text %q, want %q", ev.Text, want)
		}
	}
	all := log.SessionWith(t, transcript.Options{KeepText: true})
	if got := of[*transcript.AssistantText](all.Main())[0].Text + of[*transcript.Thinking](all.Main())[0].Text +
		of[*transcript.ToolResult](all.Main())[0].Text + of[*transcript.ToolCall](all.Main())[0].Input; got != `I look.hmsource{"file_path":"a.go"}` {
		t.Errorf("KeepText keeps %q", got)
	}
}

func TestThinkingEstimateBelongsToTheMessageThatFollows(t *testing.T) {
	log := transcripttest.New()
	estimate := func(n int) {
		log.Event(transcripttest.Args{"type": "system", "subtype": "thinking_tokens", "estimated_tokens": 99, "estimated_tokens_delta": n})
	}
	estimate(10)
	estimate(5)
	m := log.Request(100).Thinking("")
	estimate(7)
	m.Text("a")
	log.Request(200).Text("b")
	got := of[*transcript.Request](log.Session(t).Main())
	if got[0].ThinkingEstimate != 22 || got[1].ThinkingEstimate != 0 {
		t.Errorf("estimates %d and %d, want 22 and 0", got[0].ThinkingEstimate, got[1].ThinkingEstimate)
	}
}

func TestPromptsAreToldFromTheClientsNotes(t *testing.T) {
	log := transcripttest.New()
	log.Prompt("please explain")
	log.Prompt("<system-reminder>be kind</system-reminder>")
	log.Prompt("[Request interrupted by user]")
	log.Event(transcripttest.Args{"type": "user", "isSynthetic": true, "message": transcripttest.Args{"content": "summary"}})
	log.Request(10).ReadFile("a")
	var got []bool
	for _, u := range of[*transcript.UserText](log.Session(t).Main()) {
		got = append(got, u.Prompt)
	}
	if diff := cmp.Diff([]bool{true, false, false, false}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompactionSaysWhichResultsItKept(t *testing.T) {
	log := transcripttest.New()
	a := log.Request(100).ReadFile("a").Result("x")
	b := log.Request(200).ReadFile("b").Result("y")
	log.Compact(300, 150, b)
	c := log.Request(150).ReadFile("c").Result("z")
	log.MicroCompact(40, a, c)
	s := log.Session(t)
	want := &transcript.Compaction{Trigger: "auto", PreTokens: 300, PostTokens: 150, Preserved: []string{b.ID}}
	got := *of[*transcript.Compaction](s.Main())[0]
	got.Origin = transcript.Origin{}
	if diff := cmp.Diff(*want, got); diff != "" {
		t.Error(diff)
	}
	if m := of[*transcript.MicroCompaction](s.Main())[0]; m.TokensSaved != 40 || !cmp.Equal(m.Cleared, []string{a.ID, c.ID}) {
		t.Errorf("micro-compaction %+v", m)
	}
}

// readers returns readers of text that return it in different pieces.
func readers(text string) []io.Reader {
	r := func() io.Reader { return strings.NewReader(text) }
	list := []io.Reader{r(), iotest.HalfReader(r()), iotest.DataErrReader(r())}
	if len(text) < 1<<16 {
		list = append(list, iotest.OneByteReader(r()))
	}
	return list
}

// sample returns a log with something of everything.
func sample() *transcripttest.Log {
	log := transcripttest.New()
	log.Request(10_000).Thinking("hm").Explore("res.send").Blocks(transcripttest.TextBlock(transcripttest.Response(
		transcripttest.File{Path: "lib/response.js", Defines: "send(method)", Source: "1\tres.send = 1"})))
	call := log.Request(14_000).Call("Agent", transcripttest.Args{"description": "look"})
	sub := call.Subagent()
	sub.Request(5_000).Bash("grep -rn send .").Error("Exit code 1")
	call.Result("done")
	log.Compact(15_000, 0)
	log.Request(8_000).ReadFile("a.png").Image(3, 4)
	log.Request(9_000).Text("It is in lib/response.js")
	return log.End("It is in lib/response.js")
}

// withoutPositions returns the events by thread with their origins cleared, and the report.
func withoutPositions(want, got *transcript.Session) string {
	return cmp.Diff(want.Threads, got.Threads, cmpopts.IgnoreTypes(transcript.Position{}))
}

func TestEveryWayOfReadingGivesTheSameSession(t *testing.T) {
	log := transcripttest.New()
	for i := range 400 { // some 6 MB: several chunks for two workers
		log.Request(1000*i + 1).Thinking("hm").ReadFile(fmt.Sprintf("f%d.go", i)).Result(strings.Repeat("日\t\"x\"\n", 2000+i))
		if i%50 == 0 {
			log.Line("{broken")
		}
		if i%97 == 0 {
			for range 1000 {
				log.Line(`{"type":"rate_limit_event"}`)
			}
		}
	}
	log.End("done")
	text := log.Bytes()
	d := transcript.NewDecoder(bytes.NewReader(text), "run.jsonl", transcript.Options{})
	drain(t, d)
	want := d.Session()
	name := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	fromFile, err := transcript.ReadFiles(transcript.Options{}, name)
	if err != nil {
		t.Fatal(err)
	}
	fromFile.Segments[0].Name = "run.jsonl"
	list := []*transcript.Session{fromFile}
	for _, r := range readers(string(text)) {
		s, err := transcript.Decode(r, "run.jsonl", transcript.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	ignoreFile := cmp.Transformer("line", func(p transcript.Position) int { return p.Line })
	for i, got := range list {
		if diff := cmp.Diff(want, got, ignoreFile); diff != "" {
			t.Errorf("reader %d (-decoder +got):\n%.2000s", i, diff)
		}
	}
}

func TestDecoderYieldsEventsWhileTheRunIsStillWriting(t *testing.T) {
	r, w := io.Pipe()
	d := transcript.NewDecoder(r, "live", transcript.Options{})
	log := transcripttest.New()
	line := func() []byte {
		lines := bytes.SplitAfter(log.Bytes(), []byte("\n"))
		return lines[len(lines)-2]
	}
	step := func() transcript.Event {
		done := make(chan struct{})
		go func() { defer close(done); w.Write(line()) }()
		ev, err := d.Next()
		if err != nil {
			t.Fatal(err)
		}
		<-done
		return ev
	}
	if _, ok := step().(*transcript.Init); !ok {
		t.Error("first event is no init")
	}
	log.Request(100).Text("working")
	if _, ok := step().(*transcript.Request); !ok {
		t.Error("second event is no request")
	}
	if n := len(d.Session().Main().Events); n != 3 { // init, request, text
		t.Errorf("session has %d events so far, want 3", n)
	}
	w.Close()
	drain(t, d)
	if _, err := d.Next(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}

func TestInputsThatCannotBeReadAreNamed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct {
		name string
		is   error
	}{
		{filepath.Join(dir, "missing.jsonl"), fs.ErrNotExist},
		{dir, nil},
		{write("empty.jsonl", ""), transcript.ErrNoEvents},
		{write("blank.jsonl", "\n \n"), transcript.ErrNoEvents},
		{write("notes.txt", "dear diary\n"), transcript.ErrNoEvents},
		{write("package.json", `{"type":"module","name":"x"}`), transcript.ErrNoEvents},
		{write("array.json", `[]`), transcript.ErrNoEvents},
	} {
		_, err := transcript.ReadFiles(transcript.Options{}, c.name)
		var fe *transcript.FileError
		if !errors.As(fmt.Errorf("wrapped: %w", err), &fe) || fe.File != c.name {
			t.Errorf("%s: error %v is no FileError of it", c.name, err)
			continue
		}
		if c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v is not %v", c.name, err, c.is)
		}
		if want := c.name + ": "; !strings.HasPrefix(err.Error(), want) || strings.Count(err.Error(), c.name) != 1 {
			t.Errorf("%s: error %q does not name it once", c.name, err)
		}
	}
}

func TestAReadErrorKeepsItsCause(t *testing.T) {
	cause := errors.New("disk on fire")
	r := io.MultiReader(bytes.NewReader(sample().Bytes()), iotest.ErrReader(cause))
	if _, err := transcript.Decode(r, "run.jsonl", transcript.Options{}); !errors.Is(err, cause) {
		t.Errorf("error %v, want the cause", err)
	}
	d := transcript.NewDecoder(iotest.ErrReader(cause), "run.jsonl", transcript.Options{})
	for range 2 {
		if _, err := d.Next(); !errors.Is(err, cause) {
			t.Errorf("error %v, want the cause", err)
		}
	}
}

func TestInvalidToolsAreAnError(t *testing.T) {
	for _, pattern := range []string{"mcp__[", "[^a]", strings.Repeat("x", 257), "a*b*c*d*e*f*", "{a,b}{c,d}{e,f}"} {
		opts := transcript.Options{Tools: transcript.Tools{Retrieval: []string{pattern}}}
		_, err := transcript.Decode(bytes.NewReader(sample().Bytes()), "x", opts)
		_, err2 := transcript.NewDecoder(bytes.NewReader(sample().Bytes()), "x", opts).Next()
		for _, err := range []error{err, err2, opts.Tools.Validate()} {
			if err == nil || !strings.Contains(err.Error(), "retrieval") {
				t.Errorf("pattern %.20q: error %v", pattern, err)
			}
		}
	}
}

func TestToolsSortByFamilyAndRole(t *testing.T) {
	other := transcript.Tools{Name: "sourcegraph", Retrieval: []string{"mcp__sourcegraph__*"}}
	for _, c := range []struct {
		tools  transcript.Tools
		name   string
		family transcript.Family
		role   transcript.Role
	}{
		{transcript.Tools{}, "mcp__codegraph__codegraph_explore", transcript.Retrieval, transcript.RoleJudged},
		{transcript.Tools{}, "mcp__codegraph__codegraph_node", transcript.Retrieval, ""},
		{transcript.Tools{}, "mcp__plugin_x_codegraph__codegraph_explore", transcript.Retrieval, transcript.RoleJudged},
		{transcript.Tools{}, "mcp__sourcegraph__read_file", transcript.Other, ""},
		{other, "mcp__sourcegraph__read_file", transcript.Retrieval, transcript.RoleJudged},
		{other, "mcp__codegraph__codegraph_explore", transcript.Other, ""},
		{transcript.Tools{}, "Read", transcript.Read, ""}, {transcript.Tools{}, "Grep", transcript.Search, ""},
		{transcript.Tools{}, "Bash", transcript.Shell, ""}, {transcript.Tools{}, "Agent", transcript.Other, transcript.RoleDelegate},
		{transcript.Tools{}, "Task", transcript.Other, transcript.RoleDelegate}, {transcript.Tools{}, "TodoWrite", transcript.Other, transcript.RoleBookkeeping},
		{transcript.Tools{}, "Edit", transcript.Other, ""}, {transcript.Tools{}, "", transcript.Other, ""},
	} {
		if f, r := c.tools.Family(c.name); f != c.family || r != c.role {
			t.Errorf("%q: %s %q, want %s %q", c.name, f, r, c.family, c.role)
		}
	}
}

func TestReadingIsSafeForConcurrentUse(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(name, sample().Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := transcript.ReadFiles(transcript.Options{}, name)
			if err != nil || !s.OK() {
				t.Errorf("%v %v", s, err)
			}
		})
	}
	wg.Wait()
}

func TestPositionsRoundTrip(t *testing.T) {
	for _, p := range []transcript.Position{{}, {File: "run.jsonl"}, {File: "run.jsonl", Line: 17}, {File: "a:b", Line: 2}, {File: "c:"}, {File: `C:\x`, Line: 1}} {
		text, _ := p.MarshalText()
		var got transcript.Position
		if err := got.UnmarshalText(text); err != nil || got != p {
			t.Errorf("%+v -> %s -> %+v, %v", p, text, got, err)
		}
	}
}

func TestProblemsAreCapped(t *testing.T) {
	log := transcripttest.New()
	for range transcript.MaxProblems + 5 {
		log.Line("x")
	}
	r := log.Session(t).Report
	if len(r.Problems) != transcript.MaxProblems || r.MoreProblems != 5 {
		t.Errorf("%d problems and %d more", len(r.Problems), r.MoreProblems)
	}
}

func TestALoaderSharesNothingBetweenSessions(t *testing.T) {
	var l transcript.Loader
	text := sample().Bytes()
	first, err := l.Decode(bytes.NewReader(text), "run.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	long := transcripttest.New()
	long.Request(1).ReadFile("x").Result(strings.Repeat("y", 10<<20))
	if _, err := l.Decode(bytes.NewReader(long.Bytes()), "long.jsonl"); err != nil {
		t.Fatal(err)
	}
	again, err := l.Decode(bytes.NewReader(text), "run.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Error(diff)
	}
	l.Options.Tools = transcript.Tools{Retrieval: []string{"nothing"}}
	if other, err := l.Decode(bytes.NewReader(text), "run.jsonl"); err != nil || of[*transcript.ToolCall](other.Main())[0].Family != transcript.Other {
		t.Errorf("other tools are not taken over: %v", err)
	}
}
