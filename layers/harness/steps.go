package harness

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agent-eval/feedback/layers/internal/walk"
	"github.com/agent-eval/feedback/transcript"
)

// A Step is one thing of a trajectory. A tool call and its result are one step, which stands where the call was made: in which order the
// results of parallel calls came is a matter of time.
type Step struct {
	Position transcript.Position `json:"position"`
	Thread   string              `json:"thread,omitempty"` // as in transcript.Thread.ID; not compared
	Kind     StepKind            `json:"kind"`
	Tool     string              `json:"tool,omitempty"`
	// Input and Text are what was compared, without ids and times: the call's input as canonical JSON, and the result, the text or how the turn
	// ended. Where the session was read without KeepText they are lengths.
	Input   string `json:"input,omitempty"`
	Text    string `json:"text,omitempty"`
	IsError bool   `json:"is_error,omitempty"`
}

// A StepKind is what a step is.
type StepKind string

// The kinds of steps. What the model thought is none: often the log does not show it.
const (
	StepPrompt     StepKind = "prompt"
	StepText       StepKind = "text" // of the model
	StepCall       StepKind = "call"
	StepCompaction StepKind = "compaction"
	StepEnd        StepKind = "end" // of a turn
)

// ids and times are what differs between two runs of the same trajectory.
var (
	ids   = regexp.MustCompile(`\b(toolu|call|msg|req)_[A-Za-z0-9]{20,}\b|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`)
	times = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?`)
)

// A tracer makes steps.
type tracer struct {
	ignore []*regexp.Regexp
	steps  []Step
	calls  map[string]int // id → index of its step
	noText bool
}

func (t *tracer) trace(s *transcript.Session) {
	t.calls = make(map[string]int)
	for ev := range walk.Events(s) {
		if !ev.At().Abandoned {
			t.event(ev)
		}
	}
}

func (t *tracer) event(ev transcript.Event) {
	at := Step{Position: ev.At().Pos, Thread: ev.At().Thread}
	switch ev := ev.(type) {
	case *transcript.UserText:
		if ev.Prompt {
			at.Kind, at.Text = StepPrompt, t.text(ev.Text, ev.Chars)
			t.steps = append(t.steps, at)
		}
	case *transcript.AssistantText:
		at.Kind, at.Text = StepText, t.text(ev.Text, ev.Chars)
		t.steps = append(t.steps, at)
	case *transcript.ToolCall:
		at.Kind, at.Tool, at.Input = StepCall, ev.Name, t.input(ev)
		t.calls[ev.ID] = len(t.steps)
		t.steps = append(t.steps, at)
	case *transcript.ToolResult:
		if i, ok := t.calls[ev.CallID]; ok {
			t.steps[i].Text, t.steps[i].IsError = t.text(ev.Text, ev.Chars), ev.IsError
			for _, im := range ev.Images {
				t.steps[i].Text += fmt.Sprintf("[image %d×%d]", im.Width, im.Height)
			}
		}
	case *transcript.Compaction:
		at.Kind = StepCompaction
		t.steps = append(t.steps, at)
	case *transcript.Result:
		if ev.Worked {
			at.Kind, at.Text, at.IsError = StepEnd, ev.Subtype, ev.IsError
			t.steps = append(t.steps, at)
		}
	}
}

func (t *tracer) input(c *transcript.ToolCall) string {
	if c.Input == "" && c.InputChars > 0 {
		return t.text(c.Args.Label(), c.InputChars)
	}
	return t.clean(canonicalInput(c.Input))
}

// text returns a text without what is ignored; its length where the log's reader did not keep it.
func (t *tracer) text(text string, chars int) string {
	if text == "" && chars > 0 {
		t.noText = true
		return fmt.Sprintf("%d characters", chars)
	}
	return t.clean(text)
}

func (t *tracer) clean(text string) string {
	text = ids.ReplaceAllString(text, "<id>")
	text = times.ReplaceAllString(text, "<time>")
	for _, re := range t.ignore {
		text = re.ReplaceAllString(text, "<…>")
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
