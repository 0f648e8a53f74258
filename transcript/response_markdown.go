package transcript

// ParseResponse reads codegraph's rendered markdown.
func ParseResponse(text []byte) Response {
	var in interner
	return parseResponse(text, &in)
}

func parseResponse(text []byte, in *interner) Response { return Response{} }
