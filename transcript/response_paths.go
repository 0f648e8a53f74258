package transcript

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// findPaths fills mentioned. Every path has a dot before its extension, so the text is searched for dots.
func (p *responseParser) findPaths(text []byte) {
	head := 0
	for at := 0; at < len(text); {
		n := bytes.IndexByte(text[at:], '.')
		if n < 0 {
			break
		}
		dot := at + n
		for head < len(p.heads) && p.heads[head].path[0] <= dot {
			p.mention(text[p.heads[head].path[0]:p.heads[head].path[1]])
			head++
		}
		at = dot + 1
		if head > 0 && dot < p.heads[head-1].path[1] {
			at = p.heads[head-1].path[1]
			continue
		}
		end := extensionEnd(text, dot)
		if end == 0 {
			continue
		}
		start := pathStart(text, dot)
		if isPath(text, start, dot, end) {
			p.mention(trimDot(text[start:end]))
		}
		at = end
	}
	for ; head < len(p.heads); head++ {
		p.mention(text[p.heads[head].path[0]:p.heads[head].path[1]])
	}
}

// mention notes a path once per response.
func (p *responseParser) mention(path []byte) {
	if _, ok := p.seen[string(path)]; ok {
		return
	}
	if p.seen == nil {
		p.seen = make(map[string]struct{})
	}
	s := p.in.bytes(path)
	p.seen[s] = struct{}{}
	p.mentioned = append(p.mentioned, s)
}

// trimDot removes what stands for the working directory.
func trimDot(path []byte) []byte {
	for bytes.HasPrefix(path, []byte("./")) {
		path = path[2:]
	}
	return path
}

// extensionEnd returns the index after the extension that the dot starts, or 0 if none does: one to ten letters and
// digits, a letter first, and nothing behind them that goes on with a name or a call.
func extensionEnd(text []byte, dot int) int {
	i := dot + 1
	if i >= len(text) || !isLetter(text[i]) {
		return 0
	}
	for i < len(text) && (isLetter(text[i]) || '0' <= text[i] && text[i] <= '9') {
		i++
	}
	if i-dot-1 > 10 {
		return 0
	}
	if i == len(text) {
		return i
	}
	switch c := text[i]; {
	case c == '_' || c == '/' || c == '(' || c == '$' || c == '@' || c == '\\':
		return 0
	case c == '.' || c == '-' || c == '+':
		if i+1 < len(text) && (isLetter(text[i+1]) || '0' <= text[i+1] && text[i+1] <= '9') {
			return 0
		}
	case c >= utf8.RuneSelf:
		if r, _ := utf8.DecodeRune(text[i:]); unicode.IsLetter(r) {
			return 0
		}
	}
	return i
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// pathStart returns where the path that holds text[dot] begins.
func pathStart(text []byte, dot int) int {
	closing := 0 // brackets whose opening has not come yet
	i := dot
	for i > 0 {
		c := text[i-1]
		switch {
		case isLetter(c) || '0' <= c && c <= '9' || c == '/' || c == '_' || c == '-' || c == '.' || c == '@' || c == '+' || c == '$' || c == '~' || c == '#':
		case c == ')' || c == ']':
			closing++
		case (c == '(' || c == '[') && closing > 0:
			closing--
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeLastRune(text[:i])
			if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
				return i
			}
			i -= n
			continue
		default:
			return i
		}
		i--
	}
	return i
}

// isPath reports whether text[start:end], with its extension behind text[dot], is a path.
func isPath(text []byte, start, dot, end int) bool {
	token := text[start:end]
	if bytes.HasPrefix(token, []byte("//")) && start > 0 && text[start-1] == ':' {
		return false // a web address
	}
	if bytes.IndexByte(token, '/') >= 0 {
		return token[len(token)-1] != '/' && !bytes.Contains(token, []byte("//"))
	}
	return start < dot && isSourceExtension(text[dot+1:end])
}

// isSourceExtension reports whether a bare name with this extension is a file rather than a member of something.
func isSourceExtension(ext []byte) bool {
	switch string(ext) {
	case "go", "mod", "sum", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "py", "pyi", "rb", "rs", "java", "kt", "kts", "scala",
		"c", "h", "cc", "cpp", "cxx", "hpp", "hh", "cs", "fs", "swift", "m", "mm", "php", "pl", "pm", "lua", "r", "jl", "ex", "exs", "erl", "hs", "ml", "clj",
		"dart", "zig", "nim", "sh", "bash", "zsh", "ps1", "sql", "html", "htm", "css", "scss", "less", "json", "yaml", "yml", "toml", "xml", "md", "mdx",
		"rst", "txt", "proto", "graphql", "tf", "gradle", "cmake", "lock", "ini", "cfg", "conf", "ipynb":
		return true
	}
	return false
}
