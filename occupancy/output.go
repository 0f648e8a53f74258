package occupancy

import "github.com/agent-eval/feedback/transcript"

// An output is what the model wrote in one request.
type output struct {
	tokens float64
	known  bool
	weight float64 // what the log shows of it, in tokens at the default ratio
	prompt int     // size of the request's prompt
}

// outputs returns the output of each request of a thread, in order. It is known where the log gives the final count. A
// stream gives only the sum over a turn, in its result: that is shared out by what the log shows of each message.
func outputs(t *transcript.Thread, requests int) []output {
	list := make([]output, 0, requests)
	turn := 0 // first request of the turn
	for _, ev := range t.Events {
		switch ev := ev.(type) {
		case *transcript.Request:
			o := output{weight: float64(ev.ThinkingEstimate)}
			if ev.Usage != nil {
				o.prompt = ev.Usage.Prompt()
				if ev.OutputFinal {
					o.tokens, o.known = float64(ev.Usage.Output), true
				}
			}
			list = append(list, o)
		case *transcript.AssistantText:
			if !ev.Synthetic {
				addWeight(list, ev.Chars)
			}
		case *transcript.Thinking:
			addWeight(list, ev.Chars)
		case *transcript.ToolCall: // it is written with its name and id
			addWeight(list, ev.InputChars+len(ev.Name)+len(ev.ID))
		case *transcript.Result:
			if ev.Usage != nil {
				shareOut(list[turn:], *ev.Usage)
			}
			turn = len(list)
		}
	}
	return list
}

func addWeight(list []output, chars int) {
	if len(list) > 0 {
		list[len(list)-1].weight += float64(chars) / DefaultCharsPerToken
	}
}

// shareOut divides what the requests of a turn wrote in all over those whose output is not known. A total that is not of
// these requests, which its prompts show, is not used.
func shareOut(turn []output, total transcript.Usage) {
	rest, weight, prompts := float64(total.Output), 0.0, 0
	for _, o := range turn {
		prompts += o.prompt
		if o.known {
			rest -= o.tokens
		} else {
			weight += o.weight
		}
	}
	if rest <= 0 || weight == 0 || prompts != total.Prompt() {
		return
	}
	for i := range turn {
		if o := &turn[i]; !o.known {
			o.tokens, o.known = rest*o.weight/weight, true
		}
	}
}
