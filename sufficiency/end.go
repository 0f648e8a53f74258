package sufficiency

import "github.com/agent-eval/feedback/transcript"

// answered is the verdict on a call whose turn ended with an answer.
var answered = verdict{bucket: Sufficient, next: "answer"}

// resultEnd judges by a result, which ends a turn.
func resultEnd(r *transcript.Result) verdict {
	switch {
	case r.OK():
		return answered
	case r.Subtype == "error_max_turns":
		return verdict{reason: TurnLimit}
	}
	return verdict{reason: RunError}
}

// promptEnd judges by the next prompt. It ends a turn that had an answer; without one, the user interrupted it.
func (j *judge) promptEnd() verdict {
	switch j.said {
	case notice:
		return verdict{reason: RunError}
	case nothing:
		return verdict{reason: Interrupted}
	}
	return answered
}

// logEnd judges by the end of the thread in one log.
func (j *judge) logEnd() verdict {
	switch {
	case j.said == notice:
		return verdict{reason: RunError}
	case j.saidAnswer():
		return answered
	case j.id == "":
		return verdict{reason: Killed}
	}
	return j.agentEnd(j.id, j.last)
}

// saidAnswer reports whether the last words were an answer: the log says that the model stopped there, or it is of a
// format that has no results. Where results are written, words without one may be what precedes a lost tool call.
func (j *judge) saidAnswer() bool {
	if j.said != words {
		return false
	}
	stop := ""
	if j.request != nil {
		stop = j.request.StopReason
	}
	switch stop {
	case "end_turn", "stop_sequence":
		return true
	case "":
		return !j.writesResults(j.last.Segment)
	}
	return false
}

func (a *analysis) writesResults(segment int) bool {
	seg := a.segment(segment)
	return seg == nil || seg.Format == transcript.FormatStreamJSON
}

// segment returns the i-th segment, or nil.
func (a *analysis) segment(i int) *transcript.Segment {
	if i < 0 || i >= len(a.session.Segments) {
		return nil
	}
	return &a.session.Segments[i]
}

// agentEnd judges by the end of a subagent, whose newest event is given. Its last message is not in its thread: it ended
// well when the delegation returned after it. A delegation to the background returns at once; then the run must have ended well
// after the subagent's last event.
func (a *analysis) agentEnd(id string, last transcript.Origin) verdict {
	r := a.results[id]
	switch {
	case r == nil:
		return verdict{reason: Killed}
	case r.IsError:
		return verdict{reason: RunError}
	case after(r.Origin, last) || a.okAfter(last):
		return answered
	}
	return verdict{reason: Killed}
}

// okAfter reports whether a good result follows in the same log.
func (a *analysis) okAfter(o transcript.Origin) bool {
	seg := a.segment(o.Segment)
	if seg == nil {
		return false
	}
	r := seg.Result()
	return r != nil && r.OK() && after(r.Origin, o)
}

// after reports whether a does not stand before b. The order of two logs of one segment is not known; then it is assumed.
func after(a, b transcript.Origin) bool {
	if a.Segment != b.Segment {
		return a.Segment > b.Segment
	}
	return a.Pos.File != b.Pos.File || a.Pos.Line >= b.Pos.Line
}
