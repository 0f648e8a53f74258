package harness

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fileName refuses what cannot be a part of a file's name.
func (c *checker) fileName(at, name string) {
	odd := strings.HasPrefix(name, ".") || strings.ContainsAny(name, `/\`) || strings.ContainsFunc(name, unicode.IsControl)
	if name == "" || odd || !utf8.ValidString(name) || len(name) > 100 {
		c.wrong(at, "%q cannot be the name of a file", name)
	}
}

// names are those that are taken. Some file systems take two names for one that only differ in case.
type names map[string]bool

// name refuses what cannot be a part of a file's name, and what is taken.
func (c *checker) name(at, name string, taken names) {
	c.fileName(at, name)
	key := strings.ToLower(name)
	if taken[key] {
		c.wrong(at, "%q is taken", name)
	}
	taken[key] = true
}

// ambiguous are labels whose logs would be taken for those of other labels, or for later turns.
var ambiguous = regexp.MustCompile(`(-\d+|\.t\d+)$`)

func (c *checker) arms() {
	if len(c.spec.Arms) < 2 {
		c.wrong("arms", "want at least two, or compare")
	}
	taken := make(names)
	for i := range c.spec.Arms {
		a := &c.spec.Arms[i]
		at := fmt.Sprintf("arms[%d]", i)
		c.name(at+".label", a.Label, taken)
		if ambiguous.MatchString(a.Label) {
			c.wrong(at+".label", "%q ends like the number of a run", a.Label)
		}
		if a.Ref != "" && c.spec.Engine == nil {
			c.wrong(at+".ref", "of which repository? There is no engine")
		}
		if strings.HasPrefix(a.Ref, "-") {
			c.wrong(at+".ref", "%q is no ref", a.Ref)
		}
		c.commands(at+".setup", a.Setup)
		c.servers(at+".mcp", a.MCP)
		c.prewarm(at+".prewarm", a.Prewarm)
		c.engineOf(at, a)
	}
	c.sameEnvironment()
}

// commands refuses empty commands, and placeholders where a shell would take them apart.
func (c *checker) commands(at string, list []Command) {
	for i, cmd := range list {
		c.command(fmt.Sprintf("%s[%d]", at, i), cmd)
	}
}

func (c *checker) command(at string, cmd Command) {
	if len(cmd) == 0 || cmd[0] == "" {
		c.wrong(at, "an empty command")
		return
	}
	if len(cmd) == 3 && cmd[0] == "sh" && cmd[1] == "-c" && placeholder.MatchString(cmd[2]) {
		c.wrong(at, `in a line for sh, write "$AB_WORKSPACE" and "$AB_ENGINE"`)
	}
}

func (c *checker) servers(at string, mcp map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(mcp)) {
		server, ok := mcp[name].(map[string]any)
		if !ok {
			c.wrong(at+"."+name, "want an object")
			continue
		}
		command, isText := server["command"].(string)
		if _, url := server["url"]; !url && (!isText || command == "") {
			c.wrong(at+"."+name, "want a command or a url")
		}
	}
}

func (c *checker) prewarm(at string, p *Prewarm) {
	if p == nil {
		return
	}
	c.command(at+".command", p.Command)
	if (p.Socket == "") == (p.File == "") {
		c.wrong(at, "what shows that it is ready: socket or file?")
	}
}

// engineOf refuses {engine} where there is none.
func (c *checker) engineOf(at string, a *Arm) {
	if c.spec.Engine == nil && a.uses("{engine}") {
		c.wrong(at, "{engine} is used, and there is no engine")
	}
}

// decisive are the variables that decide on the model, its effort or its limits, on how the client works, or on what else it loads: they have to be
// the same in all arms.
var decisive = regexp.MustCompile(`^((ANTHROPIC|CLAUDE|AWS|GOOGLE|GCLOUD|AZURE|VERTEX|CLOUD_ML|BASH|API|MAX|TASK|MCP|DISABLE|ENABLE|FORCE|SLASH_COMMAND|XDG|LD|DYLD)_.*|` +
	`CLAUDECODE|HOME|SHELL|ENV|USE_BUILTIN_RIPGREP|NODE_(OPTIONS|EXTRA_CA_CERTS|TLS_.*)|(?i:.*_proxy))$`)

func (c *checker) sameEnvironment() {
	for i, a := range c.spec.Arms {
		at := fmt.Sprintf("arms[%d].environment", i)
		for _, name := range slices.Sorted(maps.Keys(a.Environment)) {
			c.variable(at, name, a.Environment[name])
			switch {
			case name == "PATH":
				c.wrong(at+".PATH", "the search path is the shield's; name programs by their paths")
			case decisive.MatchString(name) && c.differs(name):
				c.wrong(at+"."+name, "it decides on more than the tool, and has to be the same in every arm")
			}
		}
	}
}

// variable refuses what cannot be a variable, and a decisive one that is not the same in every arm because the engine is not.
func (c *checker) variable(at, name, value string) {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00"):
		c.wrong(at, "%q is no name of a variable", name)
	case decisive.MatchString(name) && strings.Contains(value, "{engine}"):
		c.wrong(at+"."+name, "it decides on more than the tool, and {engine} is not the same in every arm")
	}
}

// differs reports whether arms have different values of a variable, or not all have it.
func (c *checker) differs(name string) bool {
	first, ok := c.spec.Arms[0].Environment[name]
	return slices.ContainsFunc(c.spec.Arms, func(a Arm) bool {
		v, has := a.Environment[name]
		return has != ok || v != first
	})
}
