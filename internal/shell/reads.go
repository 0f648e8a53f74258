package shell

import (
	"path"
	"slices"
	"strings"
)

// ReadsIn reports whether the command line reads what is in a directory of one of the given names, and by which path, as the line writes
// it. A name is a single one, such as .codegraph, or a relative path of several, at any depth, or an absolute path.
//
// Showing a file of it, searching in it, copying it, and handing it to a program of which nothing is known is reading: cat
// .codegraph/db, grep -r x .codegraph, sqlite3 .codegraph/db, cp -r .codegraph /tmp, and a script that names a file of it, as in
// python3 -c "open('.codegraph/db')". Looking at names and sizes (ls, stat, find without -exec), writing, removing, and mentioning it (echo,
// a pattern of grep, a message of git commit) is not. dir is where the shell starts, empty when that is not known.
func (r *Reader) ReadsIn(command string, dirs []string, dir string) (name string, ok bool) {
	d := r.dryRun(nil)
	d.guard(dirs)
	if len(d.guarded) == 0 {
		return "", false
	}
	d.dir = dir
	if !d.inGuarded(".") && !strings.ContainsAny(command, "*?[") && !slices.ContainsFunc(d.guarded, func(n []string) bool { return mayRun(command, n[len(n)-1]) }) {
		return "", false
	}
	d.script(command, nil, input{})
	if d.lost && !d.hit {
		return unread, true
	}
	return d.found, d.hit
}

// PathIn reports whether a path leads into a directory of one of the given names, or is one, as in [Reader.ReadsIn].
func PathIn(name string, dirs []string) bool {
	if name == "" {
		return false
	}
	var d dryRun
	d.guard(dirs)
	return d.inGuarded(slashes(name))
}

func (d *dryRun) guard(dirs []string) {
	for _, dir := range dirs {
		if dir = path.Clean(slashes(dir)); dir != "." && dir != "/" {
			d.guarded = append(d.guarded, strings.Split(dir, "/"))
		}
	}
}

func slashes(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// touches notes that the content of the named files or directories is read.
func (d *dryRun) touches(names ...string) {
	for _, n := range names {
		if d.hit || len(d.guarded) == 0 {
			return
		}
		if d.inGuarded(n) {
			d.found, d.hit = strings.ReplaceAll(n, unknown, "…"), true
			d.fuel = 0
		}
	}
}

// unknownProgram notes what a program reads of which no more is known than its arguments.
func (d *dryRun) unknownProgram(name string, args []string) {
	if len(d.guarded) == 0 || looks(name) {
		return
	}
	switch name {
	case "cp", "mv", "ln", "rsync", "install": // the last one is written to
		args = args[:max(0, len(args)-1)]
	}
	d.handed(args)
}

// handed notes that a program of which nothing is known is given the arguments: it may read what they name. A text of several words is a
// mention unless it names something in the directory.
func (d *dryRun) handed(args []string) {
	if len(d.guarded) == 0 {
		return
	}
	d.touches(".") // it starts there
	for i, a := range args {
		if leavesOut(a) || i > 0 && leavesOut(args[i-1]) && !strings.Contains(args[i-1], "=") {
			continue
		}
		if !strings.ContainsAny(a, " \t\n") {
			_, value, _ := strings.Cut(a, "=")
			d.touches(a, value)
		}
		d.named(a)
	}
}

// leavesOut reports whether an argument is a flag that says what not to read.
func leavesOut(arg string) bool {
	return isFlag(arg) && (strings.Contains(arg, "exclude") || strings.Contains(arg, "ignore") || strings.Contains(arg, "skip"))
}

// named notes the files that a script, or another text, names in the directory.
func (d *dryRun) named(text string) {
	if len(d.guarded) == 0 {
		return
	}
	for _, token := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`:;,=(){}|<>", r) }) {
		if i := strings.LastIndex(strings.TrimRight(token, "/"), "/"); i > 0 && d.inGuarded(token[:i]) {
			d.touches(token)
		}
	}
}

// inGuarded reports whether a path of the line leads into a guarded directory, or is one.
func (d *dryRun) inGuarded(name string) bool {
	if name == "" {
		return false
	}
	if d.dir != "" && !path.IsAbs(name) && !strings.HasPrefix(name, "~") {
		name = d.dir + "/" + name
	}
	elems := strings.Split(path.Clean(name), "/")
	return slices.ContainsFunc(d.guarded, func(dir []string) bool {
		if dir[0] == "" { // absolute
			return len(elems) >= len(dir) && matchElems(elems[:len(dir)], dir)
		}
		for i := 0; i+len(dir) <= len(elems); i++ {
			if matchElems(elems[i:i+len(dir)], dir) {
				return true
			}
		}
		return false
	})
}

func matchElems(elems, dir []string) bool {
	for i, e := range elems {
		if !matchElem(e, dir[i]) {
			return false
		}
	}
	return true
}

// matchElem reports whether an element of a path is the name, or a pattern that the shell would expand to it.
func matchElem(elem, name string) bool {
	if strings.EqualFold(elem, name) {
		return true
	}
	if !strings.ContainsAny(elem, "*?[") || strings.HasPrefix(name, ".") && !strings.HasPrefix(elem, ".") {
		return false
	}
	ok, err := path.Match(elem, name)
	return ok && err == nil
}
