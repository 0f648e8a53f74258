package transcript

// Options control reading. The zero value is the documented default of every field.
type Options struct {
	// Tools says which tools are which. The zero value means codegraph in Claude Code.
	Tools Tools
	// ParseResponse reads the responses of the retrieval tool. Nil means [ParseResponse].
	ParseResponse ResponseParser
	// KeepText keeps the texts of all events and the inputs of all tool calls. By default only what a
	// metric reads is kept, so that memory does not follow the size of the log.
	KeepText bool
}
