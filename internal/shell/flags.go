package shell

import (
	"slices"
	"strings"
)

// flagSpec says which flags of a command take a value, so that no value is taken for an operand. All other flags
// are taken to have none.
type flagSpec struct {
	short    string // letters whose value is the rest of the argument or else the next one
	attached string // letters whose value is the rest of the argument, or missing
	long     string // names whose value may be the next argument, separated by spaces
	pairs    string // names that take the next two arguments, separated by spaces
}

// arguments are the arguments of a command, taken apart.
type arguments struct {
	flags    []flag
	operands []string
	ended    bool // by "--"
}

// flag is a flag without its dashes, and its value if it has one.
type flag struct{ name, value string }

// has reports whether one of the named flags was given.
func (a arguments) has(names ...string) bool {
	return slices.ContainsFunc(a.flags, func(f flag) bool { return slices.Contains(names, f.name) })
}

// value returns the value of the last of the named flags.
func (a arguments) value(names ...string) (value string, ok bool) {
	for _, f := range a.flags {
		if slices.Contains(names, f.name) {
			value, ok = f.value, true
		}
	}
	return value, ok
}

// parse takes arguments apart in which flags may follow operands.
func (s flagSpec) parse(args []string) arguments {
	a := s.parseLeading(args)
	rest := a.operands
	a.operands = nil
	for len(rest) > 0 && !a.ended {
		if !isFlag(rest[0]) {
			a.operands = append(a.operands, rest[0])
			rest = rest[1:]
			continue
		}
		rest = s.parseFlags(&a, rest)
	}
	a.operands = append(a.operands, rest...)
	return a
}

// parseLeading takes arguments apart in which the first operand ends the flags.
func (s flagSpec) parseLeading(args []string) arguments {
	var a arguments
	a.operands = s.parseFlags(&a, args)
	return a
}

// parseFlags adds the flags before the first operand, and returns what follows them.
func (s flagSpec) parseFlags(a *arguments, args []string) []string {
	for len(args) > 0 && isFlag(args[0]) {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			a.ended = true
			break
		}
		if name, ok := strings.CutPrefix(arg, "--"); ok {
			args = s.parseLong(a, name, args)
		} else {
			args = s.parseShort(a, arg[1:], args)
		}
	}
	return args
}

func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

func (s flagSpec) parseLong(a *arguments, name string, args []string) []string {
	name, value, inline := strings.Cut(name, "=")
	switch {
	case inline:
	case hasWord(s.long, name) && len(args) > 0:
		value, args = args[0], args[1:]
	case hasWord(s.pairs, name):
		args = args[min(2, len(args)):]
	}
	a.flags = append(a.flags, flag{name, value})
	return args
}

func (s flagSpec) parseShort(a *arguments, letters string, args []string) []string {
	for i := range len(letters) {
		letter, rest := letters[i:i+1], letters[i+1:]
		f := flag{name: letter}
		switch {
		case strings.Contains(s.attached, letter):
			f.value = rest
		case !strings.Contains(s.short, letter):
			a.flags = append(a.flags, f)
			continue
		case rest != "":
			f.value = rest
		case len(args) > 0:
			f.value, args = args[0], args[1:]
		}
		a.flags = append(a.flags, f)
		return args
	}
	return args
}

// hasWord reports whether the list, whose words are separated by spaces, has the word.
func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}
