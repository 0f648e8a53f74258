package shell

import (
	"slices"
	"strings"
)

// wrap says how a wrapper takes the command that it runs.
type wrap struct {
	flagSpec
	skip   int    // operands before the command
	script string // flags, separated by spaces, that give the command as a text for a shell
	line   bool   // the command is such a text, whatever its words
}

// wraps returns how the named program takes the command that it runs; false for one that runs none.
func wraps(name string) (w wrap, ok bool) {
	switch name {
	case "sudo", "doas":
		w.flagSpec = flagSpec{short: "CDghpRrTtUu", long: "user group host prompt chdir role type close-from command-timeout"}
	case "env":
		w.flagSpec = flagSpec{short: "uCS", long: "unset chdir split-string"}
	case "timeout", "gtimeout":
		w.flagSpec, w.skip = flagSpec{short: "ks", long: "kill-after signal"}, 1
	case "nice":
		w.flagSpec = flagSpec{short: "n", long: "adjustment"}
	case "ionice":
		w.flagSpec = flagSpec{short: "cnpPu"}
	case "stdbuf":
		w.flagSpec = flagSpec{short: "ioe", long: "input output error"}
	case "time":
		w.flagSpec = flagSpec{short: "fo", long: "format output"}
	case "exec":
		w.flagSpec = flagSpec{short: "a"}
	case "watch":
		w.flagSpec, w.line = flagSpec{short: "n", long: "interval"}, true
	case "flock":
		w.flagSpec, w.skip, w.script = flagSpec{short: "wE", long: "timeout conflict-exit-code"}, 1, "c command"
	case "script":
		w.flagSpec, w.skip, w.script = flagSpec{short: "cEIOBTtm", long: "command echo log-in log-out log-io log-timing"}, 1, "c command"
	case "su", "runuser":
		w.flagSpec, w.script = flagSpec{short: "cgGsTwu", long: "command session-command group supp-group shell whitelist-environment user"}, "c command session-command"
	case "strace", "ltrace":
		w.flagSpec = flagSpec{short: "abeEIloOpPsSuUX"}
	case "setpriv":
		w.flagSpec = flagSpec{long: "reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig"}
	case "systemd-run":
		w.flagSpec = flagSpec{short: "EHMpPtu", long: "property setenv unit host machine slice description uid gid nice working-directory"}
	case "xvfb-run":
		w.flagSpec = flagSpec{short: "efnps", long: "auth-file error-file server-num xauth-protocol server-args"}
	case "pkexec":
		w.flagSpec = flagSpec{long: "user"}
	case "chroot", "taskset", "chrt":
		w.skip = 1
	case "nohup", "setsid", "builtin", "command", "unbuffer", "caffeinate", "chronic", "noglob", "nocorrect", "unshare", "busybox", "fakeroot", "prlimit", "corepack":
	default:
		return w, false
	}
	return w, true
}

// wrapper goes on with the command that a wrapper runs.
func (d *dryRun) wrapper(name string, args []string, in input) (effect, bool) {
	if name == "xargs" || name == "parallel" {
		return d.xargs(name, args, in), true
	}
	w, ok := wraps(name)
	if !ok {
		return effect{}, false
	}
	a := w.parseLeading(args)
	rest := a.operands[min(w.skip, len(a.operands)):]
	if name == "command" && a.has("v", "V") {
		if len(rest) > 0 && a.has("v") {
			return printed(rest[0]), true
		}
		return effect{}, true
	}
	if s, ok := a.value("S", "split-string"); ok && name == "env" {
		return d.script(s+" "+strings.Join(rest, " "), nil, in), true
	}
	if text, ok := w.text(a); ok {
		return d.script(text, nil, in), true
	}
	if name == "su" || name == "runuser" && !a.has("u", "user") { // a user, and what is handed to the user's shell
		if in.known {
			return d.script(in.text, nil, input{}), true
		}
		return effect{runs: true}, true
	}
	if w.line {
		return d.script(strings.Join(rest, " "), nil, in), true
	}
	for len(rest) > 0 && (name == "env" || name == "sudo") && strings.Contains(rest[0], "=") && !strings.HasPrefix(rest[0], "=") {
		rest = rest[1:]
	}
	return d.run(rest, in), true
}

// text returns the text that a flag gives to a shell, also one behind the operand that may come before it: a user, a file.
func (w wrap) text(leading arguments) (text string, ok bool) {
	if w.script == "" {
		return "", false
	}
	names := strings.Fields(w.script)
	if text, ok = leading.value(names...); ok {
		return text, true
	}
	rest := leading.operands
	if len(rest) > 0 && rest[0] == "-" { // a login shell
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return "", false
	}
	if rest = rest[1:]; len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	return flagSpec{short: w.short + "c", long: w.long + " command"}.parseLeading(rest).value(names...)
}

// xargs runs a command on what it reads. What is done with names that were looked for is the search itself when it looks
// on, and an action otherwise. That of parallel is a line for a shell, and may be followed by what it would else read.
func (d *dryRun) xargs(name string, args []string, in input) effect {
	a := flagSpec{short: "aEeIiLlnPsdj", long: "arg-file delimiter max-lines max-args max-procs replace max-chars jobs"}.parseLeading(args)
	rest := a.operands
	if name == "parallel" {
		return d.parallel(rest, in)
	}
	if len(rest) == 0 {
		return effect{}
	}
	words := []string{unknown}
	if in.known {
		words = strings.Fields(in.text)
	}
	if mark, ok := a.value("I", "replace"); ok && mark != "" {
		line := make([]string, len(rest))
		for i, w := range rest {
			line[i] = strings.ReplaceAll(w, mark, strings.Join(words, " "))
		}
		rest = line
	} else {
		rest = append(append([]string(nil), rest...), words...)
	}
	return d.each(rest, in)
}

// each runs a command on names that another one found.
func (d *dryRun) each(command []string, in input) effect {
	if in.within != "" && !looks(command[0]) {
		d.touches(in.within)
	}
	return in.done(d.run(command, input{}))
}

// done is the effect of a command on what it reads: what is unknown acts on names that were looked for.
func (in input) done(e effect) effect {
	e.acts = e.acts || e.runs && in.found
	return e
}

// parallel runs a command, or each of what it is given as one, as a line for a shell.
func (d *dryRun) parallel(command []string, in input) (e effect) {
	given := []string{unknown}
	if i := slices.Index(command, ":::"); i >= 0 {
		command, given = command[:i], command[i+1:]
	} else if in.known {
		given = strings.Split(strings.TrimSpace(in.text), "\n")
	}
	switch {
	case len(command) == 0:
		for _, line := range given {
			e.add(d.script(line, nil, input{}))
		}
		return e
	case slices.ContainsFunc(command, func(w string) bool { return strings.ContainsAny(w, " \t\n") }):
		return in.done(d.script(strings.ReplaceAll(strings.Join(command, " "), "{}", strings.Join(given, " ")), nil, input{}))
	}
	return d.each(append(slices.Clone(command), given...), in)
}
