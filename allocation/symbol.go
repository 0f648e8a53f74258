package allocation

import (
	"slices"
	"unicode/utf8"
)

// carriers counts, for a symbol, the files whose headers list it: all of them, and those that really define it.
type carriers struct {
	all, real       int
	anyone, definer int // 1 + index of the last file of each kind
	lastAny, last   int // last file that was counted
}

// identifying returns, for each symbol that identifies a file, 1 + the file's index. A name that three or more files carry
// identifies none; a variable or constant yields to a real definition elsewhere; and two definitions identify neither.
func (c *collection) identifying(opts Options) map[string]int {
	count := make(map[string]*carriers)
	for i, f := range c.files {
		for _, sym := range f.symbols {
			if !eligible(sym.Name, opts) {
				continue
			}
			n := count[sym.Name]
			if n == nil {
				n = new(carriers)
				count[sym.Name] = n
			}
			if n.lastAny != i+1 {
				n.lastAny = i + 1
				n.all++
				n.anyone = i + 1
			}
			if sym.Kind != "variable" && sym.Kind != "constant" && n.last != i+1 {
				n.last = i + 1
				n.real++
				n.definer = i + 1
			}
		}
	}
	owner := make(map[string]int)
	for name, n := range count {
		switch {
		case n.all >= 3:
		case n.real == 1:
			owner[name] = n.definer
		case n.real == 0 && n.all == 1:
			owner[name] = n.anyone
		}
	}
	return owner
}

// eligible reports whether a symbol may cite at all.
func eligible(name string, opts Options) bool {
	shortest := opts.MinSymbol
	if shortest == 0 {
		shortest = 4
	}
	return utf8.RuneCountInString(name) >= shortest && !isStopWord(name) && !slices.Contains(opts.StopWords, name)
}

// isStopWord reports whether a name is a keyword or so common that it says nothing of a file.
func isStopWord(name string) bool {
	switch name {
	case "this", "self", "super", "true", "false", "null", "none", "None", "True", "False", "undefined", "void", "return", "func", "function", "class",
		"struct", "enum", "interface", "type", "const", "static", "final", "public", "private", "protected", "async", "await", "yield", "import", "export",
		"from", "package", "module", "require", "default", "string", "String", "number", "Number", "boolean", "Boolean", "object", "Object", "array",
		"Array", "error", "Error", "value", "Value", "data", "name", "index", "init", "main", "test", "args", "options", "Options", "config", "Config",
		"result", "Result", "item", "list", "node", "props", "state", "callback", "else", "switch", "case", "while", "with", "throw", "catch", "range":
		return true
	}
	return false
}
