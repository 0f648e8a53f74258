package shell

import (
	"maps"
	"strings"
)

// declare keeps the aliases that a line declares. A shell that runs a script may not expand them, and none knows those of the line that it is
// reading: here each counts, beside the command of that name.
func (d *dryRun) declare(args []string) {
	for _, a := range args {
		if name, text, ok := strings.Cut(a, "="); ok {
			if d.aliases == nil {
				d.aliases = make(map[string]string)
			}
			d.aliases[name] = d.cut(text)
		}
	}
}

// alias goes through the text of an alias, in which its own name is a command.
func (d *dryRun) alias(name, text string, args []string, in input) effect {
	aliases, vars := d.aliases, d.vars
	defer func() { d.aliases, d.vars = aliases, vars }()
	d.aliases, d.vars = maps.Clone(aliases), maps.Clone(vars)
	delete(d.aliases, name)
	d.vars["@"] = strings.Join(args, " ")
	return d.script(text+" $@", nil, in)
}
