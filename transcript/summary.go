package transcript

import (
	"slices"
	"strconv"
	"strings"
)

// A Summary is the facts of a session that are no metric: what ran, how it ended, what it cost. A figure that the logs do
// not give is nil.
type Summary struct {
	Segments      []string `json:"segments"` // names of the logs
	Format        Format   `json:"format"`
	SessionID     string   `json:"session_id"`
	Model         string   `json:"model"` // of the main thread's first request, else of the first init
	ClientVersion string   `json:"client_version"`
	// OK is [Session.OK].
	OK bool `json:"ok"`
	// Outcomes says how each segment ended: its result's subtype, "error" for a success that is an error, or "no
	// result" for a run that did not end. A session log has no results: "answered" when its last turn was, else "no answer".
	Outcomes []string `json:"outcomes"`
	// Raced reports a cold start that the retrieval server lost: it was configured, but its tools were not there at
	// the start and it answered no call.
	Raced bool `json:"raced"`
	// Setup is what the logs say of how the session was run.
	Setup Setup `json:"setup"`
	// Turns is the number of requests on the main thread.
	Turns int `json:"turns"`
	// DurationS is the wall time that the results report, in seconds, added up over the segments.
	DurationS *float64 `json:"duration_s"`
	// CostUSD is what the session cost in US dollars, and CostRule how the segments' figures were put together.
	CostUSD  *float64 `json:"cost_usd"`
	CostRule CostRule `json:"cost_rule,omitempty"`
	// ProcessedTokens is the sum of the prompts of all measured requests, subagents and the client's own calls
	// included as far as the logs have them: what the model had to read. A stream lacks the last request of a
	// subagent; it is taken from the delegation's result, where that has it.
	ProcessedTokens *int `json:"processed_tokens"`
	// PartlyLogged is how many subagents have requests that the logs do not have, so that their tokens are not all in
	// ProcessedTokens: those whose own log is missing, and in streams those whose result does not say a usage.
	PartlyLogged int `json:"subagents_partly_logged,omitempty"`
	// ToolCounts counts the calls of all threads by tool name, SubagentToolCounts those of the subagents.
	ToolCounts         map[string]int `json:"tool_counts"`
	SubagentToolCounts map[string]int `json:"subagent_tool_counts,omitempty"`
	// RetrievalTools are the tools under test that the inits say the model was offered.
	RetrievalTools []string  `json:"retrieval_tools"`
	Problems       []Problem `json:"problems"`
	MoreProblems   int       `json:"more_problems,omitempty"`
	// Branches is how many branches of the conversation a rewind left behind.
	Branches int            `json:"abandoned_branches,omitempty"`
	Unknown  map[string]int `json:"unknown"`
}

// A CostRule says how the costs of a session's segments make one figure.
type CostRule string

// The rules for costs. Clients from 2.1.277 on report a total that is carried over a resume; older ones start
// again with every process.
const (
	CostPerProcess CostRule = "per process" // segments add up
	CostCumulative CostRule = "cumulative"  // the last segment's figure holds those before it
	CostAssumed    CostRule = "per process, client version unknown"
)

// Summary returns the facts of the session. A zero Session has a zero summary, but for empty lists.
func (s *Session) Summary() Summary {
	v := Summary{
		Segments: []string{}, Outcomes: []string{}, RetrievalTools: []string{}, Problems: []Problem{},
		OK: s.OK(), Setup: s.setup(), ToolCounts: map[string]int{}, Unknown: map[string]int{}, MoreProblems: s.Report.MoreProblems, Branches: s.Report.Branches,
	}
	v.Problems = append(v.Problems, s.Report.Problems...)
	for name, n := range s.Report.Unknown {
		v.Unknown[name] = n
	}
	for i := range s.Segments {
		v.addSegment(&s.Segments[i])
		if s.Segments[i].Format == FormatSessionLog && s.Segments[i].Result() == nil {
			v.Outcomes[i] = "no answer"
			if i < len(s.Segments)-1 || s.answered() {
				v.Outcomes[i] = "answered"
			}
		}
	}
	if s.unfinished() {
		v.Outcomes[len(v.Outcomes)-1] = "no result"
	}
	v.CostUSD, v.CostRule = s.cost()
	answered := 0
	for i := range s.Threads {
		answered += v.addThread(&s.Threads[i])
	}
	for i := range s.Auxiliary {
		v.addTokens(&s.Auxiliary[i])
	}
	for _, r := range s.Unlogged() {
		v.process(r.Usage.Prompt())
	}
	v.PartlyLogged = s.partlyLogged()
	v.RetrievalTools = append(v.RetrievalTools, s.retrievalTools()...)
	v.Raced = len(v.RetrievalTools) == 0 && answered == 0 && s.retrievalConfigured()
	return v
}

func (v *Summary) addSegment(seg *Segment) {
	v.Segments = append(v.Segments, seg.Name)
	v.Format = seg.Format
	v.Outcomes = append(v.Outcomes, seg.outcome())
	if in := seg.Init(); in != nil {
		setDefault(&v.SessionID, in.SessionID)
		setDefault(&v.Model, in.Model)
		setDefault(&v.ClientVersion, in.ClientVersion)
	}
	for _, r := range seg.Results {
		setDefault(&v.SessionID, r.SessionID)
		if r.Worked && r.DurationMS != nil {
			addTo(&v.DurationS, *r.DurationMS/1000)
		}
	}
}

func setDefault(s *string, value string) {
	if *s == "" {
		*s = value
	}
}

func addTo(sum **float64, x float64) {
	if *sum == nil {
		*sum = new(float64)
	}
	**sum += x
}

// outcome says how the segment ended.
func (s *Segment) outcome() string {
	switch r := s.Result(); {
	case r == nil:
		return "no result"
	case r.IsError && r.Subtype == "success":
		return "error"
	default:
		return r.Subtype
	}
}

// addThread counts a thread's requests and calls. It returns how many retrieval calls were answered.
func (v *Summary) addThread(t *Thread) (answered int) {
	v.addTokens(t)
	first := true
	for _, ev := range t.Events {
		switch ev := ev.(type) {
		case *Request:
			if t.ID == "" {
				v.Turns++
				if first && ev.Model != "" {
					v.Model, first = ev.Model, false
				}
			}
		case *ToolCall:
			v.ToolCounts[ev.Name]++
			if t.ID != "" {
				count(&v.SubagentToolCounts, ev.Name)
			}
		case *ToolResult:
			if ev.Family == Retrieval && !ev.IsError {
				answered++
			}
		}
	}
	return answered
}

func (v *Summary) addTokens(t *Thread) {
	for _, ev := range t.Events {
		if r, ok := ev.(*Request); ok && r.Measured() {
			v.process(r.Usage.Prompt())
		}
	}
}

func (v *Summary) process(tokens int) {
	if v.ProcessedTokens == nil {
		v.ProcessedTokens = new(int)
	}
	*v.ProcessedTokens += tokens
}

// cost puts the segments' costs together.
func (s *Session) cost() (total *float64, rule CostRule) {
	for i := range s.Segments {
		seg := &s.Segments[i]
		last := seg.CostUSD
		for _, r := range seg.Results {
			if r.CostUSD != nil {
				last = r.CostUSD
			}
		}
		if last == nil {
			continue
		}
		rule = CostAssumed
		if in := seg.Init(); in != nil && strings.IndexFunc(in.ClientVersion, func(r rune) bool { return '0' <= r && r <= '9' }) == 0 {
			rule = CostPerProcess
			if carriesCost(in.ClientVersion) {
				rule = CostCumulative
			}
		}
		if total != nil && rule == CostCumulative && *last >= *total {
			*total = 0
		}
		addTo(&total, *last)
	}
	return total, rule
}

// carriesCost reports whether a client of this version reports costs over a resume.
func carriesCost(version string) bool {
	since := [3]int{2, 1, 277}
	parts := strings.SplitN(version, ".", 3)
	for i, want := range since {
		if i >= len(parts) {
			return false
		}
		digits := parts[i]
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = digits[:end]
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n != want {
			return err == nil && n > want
		}
	}
	return true
}

// retrievalTools returns the tools under test that some init offers, each once, in order.
func (s *Session) retrievalTools() (names []string) {
	for i := range s.Segments {
		for _, in := range s.Segments[i].Inits {
			for _, name := range in.Retrieval {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// retrievalConfigured reports whether some init lists a server whose tools are under test.
func (s *Session) retrievalConfigured() bool {
	for i := range s.Segments {
		for _, in := range s.Segments[i].Inits {
			if slices.ContainsFunc(in.MCPServers, func(m MCPServer) bool { return m.Retrieval }) {
				return true
			}
		}
	}
	return false
}
