package transcript_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// The lines of a message may differ in every figure; the largest counts, whichever line it is on.
func TestOfEveryUsageFigureTheLargestCounts(t *testing.T) {
	log := transcripttest.NewBare()
	for _, usage := range []string{
		`{"input_tokens":9,"cache_read_input_tokens":10,"cache_creation_input_tokens":30,"output_tokens":80}`,
		`{"input_tokens":5,"cache_read_input_tokens":20,"cache_creation_input_tokens":20,"output_tokens":8}`,
	} {
		log.Line(`{"type":"assistant","message":{"id":"m","model":"x","usage":` + usage + `,"content":[]}}`)
	}
	want := transcript.Usage{Input: 9, CacheRead: 20, CacheCreation: 30, Output: 80}
	if r := of[*transcript.Request](log.Session(t).Main())[0]; *r.Usage != want {
		t.Errorf("%+v, want %+v", *r.Usage, want)
	}
}

func TestAnOutputThatNobodyGaveIsNotFinal(t *testing.T) {
	log := transcripttest.NewBare()
	log.Line(`{"type":"assistant","message":{"id":"m1","model":"x","stop_reason":"end_turn","content":[]}}`)
	log.Line(`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m2","model":"x","usage":{"input_tokens":10,"output_tokens":0}}}}`)
	log.Line(`{"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":0}}}`)
	for _, r := range of[*transcript.Request](log.Session(t).Main()) {
		if r.OutputFinal {
			t.Errorf("%+v", r)
		}
	}
}

func TestTaskNotificationsAreNoPrompts(t *testing.T) {
	log := transcripttest.New()
	for _, note := range []string{"<task-notification>done", "<local-command-stdout>x", "<system-reminder>y", "[Request interrupted by user for tool use]"} {
		log.Prompt(note)
	}
	for _, u := range of[*transcript.UserText](log.Session(t).Main()) {
		if u.Prompt {
			t.Errorf("%q is said to be a prompt", u.Text)
		}
	}
}

func TestAllWordsOfRefusalByModeAreKnown(t *testing.T) {
	for _, text := range []string{
		"Claude requested permissions to use Bash, but you haven't granted it yet.", "Permission to use Bash has been denied.",
		"Tool use rejected in don't ask mode.", "This command requires approval",
	} {
		log := transcripttest.New()
		log.Request(10).Bash("x").Error(text)
		if r := of[*transcript.ToolResult](log.Session(t).Main())[0]; r.Failure != transcript.DeniedByMode {
			t.Errorf("%q: %q", text, r.Failure)
		}
	}
}

// A newer client carries costs over a resume; a total that is lower than the one before is of another session, and added.
func TestACarriedCostThatFellIsAnother(t *testing.T) {
	log := transcripttest.NewBare().Init(transcripttest.Args{"claude_code_version": "2.1.332"})
	log.Request(10).Text("a")
	log.EndWith(transcripttest.Args{"result": "a", "total_cost_usd": 0.3})
	log.ResumeWith(transcripttest.Args{"claude_code_version": "2.1.332"})
	log.Request(20).Text("b")
	log.EndWith(transcripttest.Args{"result": "b", "total_cost_usd": 0.1})
	if got := log.Session(t).Summary(); got.CostUSD == nil || *got.CostUSD < 0.399 || *got.CostUSD > 0.401 || got.CostRule != transcript.CostCumulative {
		t.Errorf("cost %v by %q", got.CostUSD, got.CostRule)
	}
}

func TestProblemsAreCountedBeyondThoseThatAreKept(t *testing.T) {
	log := transcripttest.New()
	log.Request(10).Text("a")
	for range transcript.MaxProblems + 7 {
		log.Line("nonsense")
	}
	s := log.Session(t)
	if transcript.MaxProblems != 1000 || len(s.Report.Problems) != 1000 || s.Report.MoreProblems != 7 {
		t.Errorf("%d kept, %d more", len(s.Report.Problems), s.Report.MoreProblems)
	}
	if err := transcript.Strict(s, transcript.FindProblems); !errors.Is(err, transcript.ErrStrict) || !strings.Contains(err.Error(), "7 more problems") {
		t.Errorf("%.200v", err)
	}
}

func TestEveryBookkeepingToolIsSteppedOver(t *testing.T) {
	for _, name := range []string{"ToolSearch", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"} {
		if _, role := (transcript.Tools{}).Family(name); role != transcript.RoleBookkeeping {
			t.Errorf("%s: %q", name, role)
		}
	}
}

// Of prompts under one message, the last is the conversation when the newest message follows none of them.
func TestOfTwoBranchesWithoutAMessageTheLastStays(t *testing.T) {
	log := transcripttest.NewBare()
	log.Event(prompt("u1", ""))
	log.Event(says("a1", "u1", "hello", 10))
	log.Event(prompt("u2", "a1"))
	log.Event(prompt("u3", "a1"))
	log.Event(says("a2", "elsewhere", "detached", 20))
	s := log.Session(t)
	abandoned := make(map[int]bool)
	for i, u := range of[*transcript.UserText](s.Main()) {
		abandoned[i] = u.Abandoned
	}
	if s.Report.Branches != 1 || fmt.Sprint(abandoned) != "map[0:false 1:true 2:false]" {
		t.Errorf("%d branches, abandoned %v", s.Report.Branches, abandoned)
	}
}

// The decoded size of base64 is three bytes for four characters, less the padding.
func TestTheSizeOfAnImage(t *testing.T) {
	for data, want := range map[string]int{"QUJD": 3, "QUI=": 2, "QQ==": 1, "QUJDREVG": 6} {
		log := transcripttest.New()
		log.Request(10).ReadFile("a.png").Blocks(transcripttest.Args{"type": "image", "source": transcripttest.Args{"type": "base64", "media_type": "image/png", "data": data}})
		if im := of[*transcript.ToolResult](log.Session(t).Main())[0].Images[0]; im.Bytes != want {
			t.Errorf("%q: %d bytes, want %d", data, im.Bytes, want)
		}
	}
}

// What a result says of an error is no answer.
func TestAnErrorIsNoAnswer(t *testing.T) {
	log := transcripttest.New()
	log.Request(10).Text("I look.").ReadFile("a").Result("x")
	log.EndWith(transcripttest.Args{"is_error": true, "result": "API Error: 529 lib/a.js overloaded"})
	if got := log.Session(t).Answer(); got != "" {
		t.Errorf("%q", got)
	}
}

// A run that is killed in the second turn of one log did not end, though its first turn did.
func TestARunKilledInItsSecondTurnDidNotEnd(t *testing.T) {
	log := transcripttest.New()
	log.Request(10).Text("first")
	log.End("first")
	log.Request(20).ReadFile("a").Result("x")
	s := log.Session(t)
	if got := s.Summary(); s.OK() || got.OK || got.Outcomes[0] != "no result" {
		t.Errorf("ok %v, outcomes %q", got.OK, got.Outcomes)
	}
	log.End("second")
	if s := log.Session(t); !s.OK() || s.Summary().Outcomes[0] != "success" {
		t.Errorf("%q", s.Summary().Outcomes)
	}
}

// An id that comes again under another message is another call, with a result of its own.
func TestAToolIDMayComeAgainInAnotherMessage(t *testing.T) {
	log := transcripttest.NewBare()
	for i, path := range []string{"a", "b"} {
		log.Line(fmt.Sprintf(`{"type":"assistant","message":{"id":"m%d","usage":{"input_tokens":5},"content":[{"type":"tool_use","id":"toolu_0","name":"Read","input":{"file_path":"%s"}}]}}`, i, path))
		log.Line(fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_0","content":"text of %s"}]}}`, path))
	}
	s := log.Session(t)
	if calls, results := of[*transcript.ToolCall](s.Main()), of[*transcript.ToolResult](s.Main()); len(calls) != 2 || len(results) != 2 || calls[1].Args.Path != "b" || s.Report.Copies != 0 {
		t.Errorf("%d calls, %d results, %d copies", len(calls), len(results), s.Report.Copies)
	}
}

// A section whose header opens the second text block of a response is one all the same.
func TestAResponseInSeveralBlocksKeepsItsSections(t *testing.T) {
	log := transcripttest.New()
	log.Request(10).Explore("q").Blocks(transcripttest.TextBlock("**`lib/a.js`** — a(function)\nx"), transcripttest.TextBlock("**`lib/b.js`** — b(function)\ny"))
	r := of[*transcript.ToolResult](log.Session(t).Main())[0].Response
	if r == nil || len(r.Sections) != 2 || r.Sections[1].Path != "lib/b.js" {
		t.Errorf("%+v", r)
	}
}

func TestRequestsWithoutAnIDAreCountedEach(t *testing.T) {
	log := transcripttest.NewBare()
	for range 3 {
		log.Line(`{"type":"assistant","message":{"content":[{"type":"text","text":"a"}]}}`)
	}
	if s := log.Session(t); s.Report.Unmeasured != 3 {
		t.Errorf("%d", s.Report.Unmeasured)
	}
}

func TestAZeroDecoderIsAnError(t *testing.T) {
	if _, err := new(transcript.Decoder).Next(); err == nil {
		t.Error("a decoder of nothing yields no error")
	}
}

func TestALoaderKeepsItsOwnTools(t *testing.T) {
	globs := []string{"mcp__x__*"}
	l := transcript.Loader{Options: transcript.Options{Tools: transcript.Tools{Retrieval: globs}}}
	read := func() *transcript.Session {
		s, err := l.Decode(strings.NewReader(`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"mcp__y__q","input":{}}]}}`), "f")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := read()
	globs[0] = "mcp__y__*"
	second := read()
	if first.Tools.Retrieval[0] != "mcp__x__*" || of[*transcript.ToolCall](second.Main())[0].Family != transcript.Retrieval {
		t.Errorf("%v, %+v", first.Tools.Retrieval, of[*transcript.ToolCall](second.Main())[0])
	}
}

func TestAVersionThatIsNoneIsUnknown(t *testing.T) {
	log := transcripttest.NewBare().Init(transcripttest.Args{"claude_code_version": "abc"})
	log.Request(10).Text("a")
	log.EndWith(transcripttest.Args{"result": "a", "total_cost_usd": 0.3})
	if got := log.Session(t).Summary().CostRule; got != transcript.CostAssumed {
		t.Errorf("%q", got)
	}
}
