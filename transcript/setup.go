package transcript

// A Setup is what the logs say of how a session was run: what has to be the same in runs that are compared. What a log
// does not say is empty.
type Setup struct {
	CWD            string `json:"cwd"`             // working directory
	PermissionMode string `json:"permission_mode"` // such as bypassPermissions
	Effort         string `json:"effort"`          // how hard the model was told to think; streams do not say it
	// Tools and MCPServers are the names of what the first init offers, in its order; nil without one.
	Tools      []string    `json:"tools"`
	MCPServers []MCPServer `json:"mcp_servers"`
	// Prompts are what the user asked, in order. A stream does not hold them.
	Prompts []string `json:"prompts"`
	// Turns is how many turns the session has: what was asked for, not requests.
	Turns int `json:"turns"`
}

// setup collects the setup of the session: each fact from the first init that has it.
func (s *Session) setup() Setup {
	v := Setup{Turns: len(s.turns())}
	for i := range s.Segments {
		for _, in := range s.Segments[i].Inits {
			setDefault(&v.CWD, in.CWD)
			setDefault(&v.PermissionMode, in.PermissionMode)
			setDefault(&v.Effort, in.Effort)
			if v.Tools == nil {
				v.Tools = in.Tools
			}
			if v.MCPServers == nil {
				v.MCPServers = in.MCPServers
			}
		}
	}
	for _, ev := range s.Main().Events {
		if u, ok := ev.(*UserText); ok && u.Prompt && !u.Abandoned {
			v.Prompts = append(v.Prompts, u.Text)
		}
	}
	return v
}
