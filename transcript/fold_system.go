package transcript

import "slices"

func (f *folder) init(l *line, o Origin) {
	var v struct {
		SessionID      string      `json:"session_id"`
		Model          string      `json:"model"`
		ClientVersion  string      `json:"claude_code_version"`
		CWD            string      `json:"cwd"`
		PermissionMode string      `json:"permissionMode"`
		Effort         string      `json:"effort"`
		Tools          []string    `json:"tools"`
		MCPServers     []MCPServer `json:"mcp_servers"`
	}
	f.decode(l, o, &v)
	o.Thread = ""
	in := &Init{
		Origin: o, SessionID: v.SessionID, Model: v.Model, ClientVersion: v.ClientVersion, CWD: v.CWD, PermissionMode: v.PermissionMode,
		Effort: v.Effort, Tools: v.Tools, MCPServers: v.MCPServers,
	}
	for _, name := range in.Tools {
		if f.classifyName(name).family == Retrieval {
			in.Retrieval = append(in.Retrieval, name)
		}
	}
	for i := range in.MCPServers {
		server := &in.MCPServers[i]
		server.Retrieval = f.classifyName("mcp__"+server.Name+"__").family == Retrieval
	}
	f.session.Report.version(v.ClientVersion)
	seg := f.seg()
	seg.Inits = append(seg.Inits, in)
	f.emit(in)
}

func (f *folder) thinkingTokens(l *line, o Origin) {
	var v struct {
		Delta int `json:"estimated_tokens_delta"`
	}
	f.decode(l, o, &v)
	f.thinking += max(v.Delta, 0)
}

// costState takes the running total that newer session logs hold.
func (f *folder) costState(l *line, o Origin) {
	var v struct {
		Cost *float64 `json:"totalCostUSD"`
	}
	f.decode(l, o, &v)
	if v.Cost != nil {
		f.seg().CostUSD = v.Cost
	}
}

type resultUsage struct {
	Input         int `json:"input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	Output        int `json:"output_tokens"`
}

type resultLine struct {
	SessionID  string       `json:"session_id"`
	Subtype    string       `json:"subtype"`
	IsError    bool         `json:"is_error"`
	Result     string       `json:"result"`
	NumTurns   int          `json:"num_turns"`
	DurationMS *float64     `json:"duration_ms"`
	CostUSD    *float64     `json:"total_cost_usd"`
	Usage      *resultUsage `json:"usage"`
	ModelUsage map[string]struct {
		Input         int `json:"inputTokens"`
		CacheRead     int `json:"cacheReadInputTokens"`
		CacheCreation int `json:"cacheCreationInputTokens"`
		Output        int `json:"outputTokens"`
		ContextWindow int `json:"contextWindow"`
	} `json:"modelUsage"`
	Denials []struct {
		ID string `json:"tool_use_id"`
	} `json:"permission_denials"`
}

func (f *folder) result(l *line, o Origin) {
	var v resultLine
	f.decode(l, o, &v)
	o.Thread = ""
	seg := f.seg()
	r := &Result{
		Origin: o, SessionID: v.SessionID, Subtype: v.Subtype, IsError: v.IsError, Text: v.Result, Turns: v.NumTurns,
		DurationMS: v.DurationMS, CostUSD: v.CostUSD, Worked: f.worked || len(seg.Results) == 0,
	}
	if u := v.Usage; u != nil {
		r.Usage = &Usage{u.Input, u.CacheRead, u.CacheCreation, u.Output}
	}
	for model, u := range v.ModelUsage {
		if r.ModelUsage == nil {
			r.ModelUsage = make(map[string]ModelUsage)
		}
		r.ModelUsage[model] = ModelUsage{Usage{u.Input, u.CacheRead, u.CacheCreation, u.Output}, u.ContextWindow}
	}
	for _, d := range v.Denials {
		r.Denials = append(r.Denials, d.ID)
	}
	f.deniedByHook(r.Denials)
	seg.Results = append(seg.Results, r)
	f.emit(r)
	if r.Worked {
		f.endTurn("")
	}
	f.worked = false
}

// deniedByHook marks the failures of calls that a result lists as denied and whose words do not say by whom: those of a refusal by
// mode or by a user do.
func (f *folder) deniedByHook(calls []string) {
	if len(calls) == 0 {
		return
	}
	for i := range f.session.Threads {
		for _, ev := range f.session.Threads[i].Events {
			if r, ok := ev.(*ToolResult); ok && r.Failure == FailureTool && slices.Contains(calls, r.CallID) {
				r.Failure = DeniedByHook
			}
		}
	}
}
