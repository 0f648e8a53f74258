package transcript

// A Response is what a retrieval result holds: the files whose content it shows, and the paths it speaks of.
type Response struct {
	// Chars is the length of the whole response in UTF-16 code units.
	Chars int
	// Sections are the parts that show a file's content, in order. A file may have several.
	Sections []Section
	// Mentioned are all paths that the response names, each once, in order of appearance; those of the
	// sections are among them.
	Mentioned []string
}

// A Section is the part of a response that shows one file.
type Section struct {
	Path string // as the response names it
	// Chars is the length of the section in UTF-16 code units, header line and all line ends included.
	Chars int
	// Symbols are the names that the section's header says the file defines.
	Symbols []Symbol
}

// A Symbol is a name that a file defines.
type Symbol struct {
	Name string
	Kind string // function, struct, variable, …; empty where the header does not say
}

// A ResponseParser reads a retrieval response. The text is valid during the call only: what the result keeps
// must be copied. It must be safe for concurrent use and must not panic.
type ResponseParser func(text []byte) Response
