package shell

import (
	"path"
	"strings"
)

// run goes through a simple command.
func (d *dryRun) run(args []string, in input) effect {
	if len(args) == 0 || !d.spend() {
		return effect{}
	}
	name := args[0]
	if body, ok := d.funcs[name]; ok {
		return d.function(body, args, in)
	}
	d.saw(name)
	args = args[1:]
	if text, ok := d.aliases[name]; ok {
		return d.alias(name, text, args, in)
	}
	base := commandName(name)
	for _, try := range []func(string, []string, input) (effect, bool){d.builtin, d.wrapper, d.interpreter, d.packageRunner, d.reader, d.searcher} {
		if e, ok := try(base, args, in); ok {
			return e
		}
	}
	d.unknownProgram(base, args)
	return effect{runs: true}
}

func (d *dryRun) builtin(name string, args []string, in input) (effect, bool) {
	switch name {
	case "cd", "pushd":
		d.chdir(args)
	case "echo":
		if len(args) > 0 && (args[0] == "-n" || args[0] == "-e" || args[0] == "-ne") {
			args = args[1:]
		}
		return printed(strings.Join(args, " ") + "\n"), true
	case "printf":
		if len(args) == 1 {
			return printed(args[0]), true
		}
		return printed(strings.Join(args, "\n") + "\n"), true
	case "alias":
		d.declare(args)
	case "trap":
		if a := (flagSpec{}).parseLeading(args); len(a.operands) > 1 {
			return d.script(a.operands[0], nil, input{}), true
		}
	case "eval":
		return d.script(strings.Join(args, " "), nil, in), true
	case "source", ".":
		if len(args) == 0 || args[0] != "/dev/stdin" || !in.known {
			return effect{}, false
		}
		return d.script(in.text, nil, input{}), true
	case "tee":
		e := effect{acts: len(flagSpec{}.parse(args).operands) > 0, out: in.text, known: in.known}
		return e, true
	case "dd":
		d.handed(args)
		return effect{acts: true, runs: true}, true
	case "which":
		if a := (flagSpec{}).parse(args); len(a.operands) > 0 {
			return printed(a.operands[0]), true // where it is found, by its name
		}
	case "type", "whereis", "hash", "man", "true", "false", ":", "test", "[", "pwd", "set", "export", "unset", "shift", "read", "wait", "sleep", "exit":
	default:
		return effect{}, false
	}
	return effect{}, true
}

func (d *dryRun) chdir(args []string) {
	a := flagSpec{}.parse(args)
	if len(a.operands) == 0 {
		d.dir = unknown
		return
	}
	to := a.operands[0]
	switch {
	case path.IsAbs(to) || strings.HasPrefix(to, "~") || strings.Contains(to, unknown):
		d.dir = to
	case d.dir == "":
		d.dir = path.Clean(to)
	default:
		d.dir = path.Clean(d.dir + "/" + to)
	}
}

// interpreter goes on with the script that an interpreter runs.
func (d *dryRun) interpreter(name string, args []string, in input) (effect, bool) {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "fish":
		return d.shell(args, in), true
	case "node", "bun", "deno", "tsx", "ts-node", "python", "python2", "python3", "ruby", "perl", "php":
	default:
		return effect{}, false
	}
	d.handed(args)
	if in.known {
		d.named(in.text)
	}
	a := flagSpec{short: "cermWXIM", long: "eval print require import loader"}.parseLeading(args)
	rest := a.operands
	if len(rest) > 0 && (name == "bun" || name == "deno") && (rest[0] == "run" || rest[0] == "x") {
		if rest = rest[1:]; len(rest) > 0 {
			d.sawPackage(rest[0])
		}
	}
	if m, ok := a.value("m"); ok && strings.HasPrefix(name, "python") {
		d.saw(m)
	} else if len(rest) > 0 && !a.has("c", "e") {
		d.sawScript(rest[0])
	}
	return effect{runs: true}, true
}

func (d *dryRun) shell(args []string, in input) effect {
	a := flagSpec{short: "oO", long: "rcfile init-file"}.parseLeading(args)
	switch {
	case a.has("c") && len(a.operands) > 0:
		return d.script(a.operands[0], a.operands[1:], in)
	case len(a.operands) > 0 && !a.has("s"):
		d.sawScript(a.operands[0])
		d.handed(a.operands)
		return effect{runs: true}
	case in.known:
		return d.script(in.text, nil, input{})
	}
	return effect{runs: true}
}

// packageRunner notes which package is run by a package manager.
func (d *dryRun) packageRunner(name string, args []string, in input) (effect, bool) {
	spec := flagSpec{short: "pcwC", long: "package call workspace prefix dir filter"}
	switch name {
	case "npx", "bunx", "pnpx", "uvx", "pipx":
	case "npm", "pnpm", "yarn":
		a := spec.parseLeading(args)
		if len(a.operands) == 0 {
			return effect{runs: true}, true
		}
		switch sub := a.operands[0]; {
		case sub == "exec" || sub == "x" || sub == "dlx":
			args = a.operands[1:]
		case name != "npm" && sub != "add" && sub != "install" && sub != "remove" && sub != "why" && sub != "info":
			args = a.operands // yarn codegraph runs the binary of a package
		default:
			return effect{runs: true}, true
		}
	default:
		return effect{}, false
	}
	a := spec.parseLeading(args)
	rest := a.operands
	if name == "pipx" && len(rest) > 0 && rest[0] == "run" {
		rest = rest[1:]
	}
	if script, ok := a.value("c", "call"); ok {
		e := d.script(script, nil, in)
		e.runs = true
		return e, true
	}
	if pack, ok := a.value("p", "package"); ok {
		d.sawPackage(pack)
	}
	if len(rest) > 0 {
		d.sawPackage(rest[0])
		d.handed(rest[1:])
	}
	return effect{runs: true}, true
}
