package shell

import (
	"slices"
	"strings"
)

// show is the effect of showing files by name; a command without any shows what it reads, which is not its own doing.
func (d *dryRun) show(names []string, in input) effect {
	var e effect
	d.touches(names...)
	for _, n := range names {
		files := d.file(n)
		if len(files) == 0 && n != "-" {
			e.unnamed = true
		}
		e.files = append(e.files, files...)
	}
	if len(names) == 0 {
		e.files = append(e.files, in.files...)
		e.out, e.known = in.text, in.known
	}
	return e
}

// reader handles commands that show the content of files.
func (d *dryRun) reader(name string, args []string, in input) (effect, bool) {
	var spec flagSpec
	switch name {
	case "cat", "tac", "nl", "rev", "more", "strings", "base64", "zcat", "cmp":
		spec = flagSpec{short: "bdhilnsvw"}
		if name != "nl" {
			spec = flagSpec{}
		}
	case "head", "tail":
		spec = flagSpec{short: "nc", long: "lines bytes pid"}
	case "less":
		spec = flagSpec{short: "pPtTbhjxyz"}
	case "bat", "batcat":
		spec = flagSpec{short: "lrHm", long: "line-range language highlight-line style theme color paging map-syntax"}
	case "sed", "gsed":
		return d.sed(args, in), true
	case "awk", "gawk", "mawk", "nawk":
		return d.programThenFiles(flagSpec{short: "Fvf", long: "file assign field-separator"}, "f", args, in), true
	case "jq", "yq":
		spec = flagSpec{short: "fL", long: "indent from-file", pairs: "arg argjson slurpfile rawfile"}
		return d.programThenFiles(spec, "f", args, in), true
	case "cut":
		spec = flagSpec{short: "bcdf", long: "bytes characters delimiter fields output-delimiter"}
	case "sort", "uniq":
		spec = flagSpec{short: "koStTfsw", long: "key field-separator output"}
		a := spec.parse(args)
		if a.has("o", "output") {
			return effect{acts: true}, true
		}
	case "diff", "colordiff":
		spec = flagSpec{short: "UCIWFxX", long: "unified context label exclude"}
	case "xxd", "hexdump", "od":
		spec = flagSpec{short: "lscgnNjAtw"}
	case "column", "fold", "paste", "expand", "pr":
		spec = flagSpec{short: "tsdw"}
	default:
		return effect{}, false
	}
	return d.show(spec.parse(args).operands, in), true
}

// sed shows the files behind its script, unless it changes them.
func (d *dryRun) sed(args []string, in input) effect {
	spec := flagSpec{short: "efl", attached: "iI", long: "expression file line-length"}
	a := spec.parse(args)
	if a.has("i", "I", "in-place") {
		return effect{acts: true}
	}
	files := a.operands
	if !a.has("e", "f", "expression", "file") && len(files) > 0 {
		files = files[1:]
	}
	e := d.show(files, in)
	e.out, e.known = "", false
	return e
}

// programThenFiles handles commands whose first operand is a program, unless a flag gives it.
func (d *dryRun) programThenFiles(spec flagSpec, programFlag string, args []string, in input) effect {
	a := spec.parse(args)
	files := a.operands
	if !a.has(programFlag, "file", "from-file") && len(files) > 0 {
		files = files[1:]
	}
	files = slices.DeleteFunc(slices.Clone(files), func(f string) bool {
		return strings.Contains(f, "=") && !strings.Contains(f, "/") // awk's variables
	})
	e := d.show(files, in)
	e.out, e.known = "", false
	return e
}

// searcher handles commands that look for files, for lines in them, or for their size.
func (d *dryRun) searcher(name string, args []string, in input) (effect, bool) {
	switch name {
	case "grep", "egrep", "fgrep", "zgrep", "ggrep":
		spec := flagSpec{short: "efmABCdD", long: "regexp file max-count after-context before-context context include exclude exclude-dir"}
		a := spec.parse(args)
		return d.filterOrSearch(a, in, a.has("r", "R", "recursive", "dereference-recursive")), true
	case "rg", "ag", "ack":
		spec := flagSpec{short: "efmABCgtTMjEr", long: "regexp file max-count after-context before-context context glob type type-not iglob max-depth sort"}
		a := spec.parse(args)
		return d.filterOrSearch(a, in, a.has("files")), true
	case "find", "gfind":
		return d.find(args), true
	case "fd", "fdfind":
		a := flagSpec{short: "edtExX", long: "extension max-depth type exclude exec exec-batch"}.parse(args)
		if _, acts := a.value("x"); acts || a.has("X", "exec", "exec-batch") {
			d.touches(a.operands...)
			return effect{search: true, runs: true, acts: true}, true
		}
		return d.look(a.operands), true
	case "ls", "tree", "dir", "locate", "eza", "exa", "file", "stat", "du":
		return d.look(flagSpec{}.parse(args).operands), true
	case "wc":
		if in.piped && len(flagSpec{}.parse(args).operands) == 0 {
			return effect{}, true
		}
		return effect{search: true}, true
	case "git":
		return d.git(args, in), true
	}
	return effect{}, false
}

// filterOrSearch tells a search from a filter of what another command prints: the latter has a pattern and no place.
func (d *dryRun) filterOrSearch(a arguments, in input, recursive bool) effect {
	places := a.operands
	if len(places) > 0 && !a.has("e", "f", "regexp", "file", "files") {
		places = places[1:]
	}
	if in.piped && len(in.files) == 0 && len(places) == 0 && !recursive {
		return effect{}
	}
	if a.has("files") || a.has("f") && a.has("l") && len(places) == 0 {
		return d.look(places)
	}
	if len(places) == 0 {
		places = []string{"."}
	}
	d.touches(places...)
	return effect{search: true}
}

// find searches, unless it deletes or runs something that does more than look.
func (d *dryRun) find(args []string) effect {
	places := args[:max(0, slices.IndexFunc(append(slices.Clone(args), "-"), func(a string) bool { return a[:min(1, len(a))] == "-" || a == "(" || a == "!" }))]
	e := d.look(places)
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-delete", "-fprint", "-fprintf", "-fls":
			e.acts = true
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end] != ";" && args[end] != "+" {
				end++
			}
			line := slices.Clone(args[i+1 : end])
			for k, w := range line {
				line[k] = strings.ReplaceAll(w, "{}", unknown)
			}
			o := d.run(line, input{})
			e.acts = e.acts || o.acts || o.runs
			if len(line) > 0 && !looks(line[0]) {
				d.touches(places...)
			}
			i = end
		}
	}
	return e
}

// git handles the subcommands that show files or look for something.
func (d *dryRun) git(args []string, in input) effect {
	spec := flagSpec{short: "Cc", long: "git-dir work-tree namespace"}
	a := spec.parseLeading(args)
	if len(a.operands) == 0 {
		return effect{}
	}
	dir := d.dir
	if to, ok := a.value("C"); ok {
		d.chdir([]string{to})
	}
	defer func() { d.dir = dir }()
	rest := a.operands[1:]
	switch a.operands[0] {
	case "grep":
		if b := (flagSpec{short: "efmABCO"}).parse(rest); len(b.operands) > 1 {
			d.touches(b.operands[1:]...)
		}
		return effect{search: true}
	case "diff":
		if b := (flagSpec{}).parse(rest); b.has("no-index") {
			d.touches(b.operands...)
		}
	case "ls-files", "ls-tree":
		return effect{search: true}
	case "blame", "annotate":
		b := flagSpec{short: "LSM", long: "since"}.parse(rest)
		if n := len(b.operands); n > 0 {
			return d.show(b.operands[n-1:], in)
		}
	case "show", "cat-file":
		var e effect
		for _, object := range (flagSpec{}).parse(rest).operands {
			if _, file, ok := strings.Cut(object, ":"); ok && file != "" {
				root := d.dir
				if !strings.HasPrefix(file, "./") && !strings.HasPrefix(file, "../") {
					d.dir = ""
				}
				e.files = append(e.files, d.file(file)...)
				d.dir = root
			}
		}
		return e
	}
	return effect{runs: true}
}

// look is the effect of looking for files, or at their names and sizes.
func (d *dryRun) look(places []string) effect {
	e := effect{search: true}
	for _, p := range places {
		if len(d.guarded) > 0 && e.within == "" && d.inGuarded(p) {
			e.within = p
		}
	}
	return e
}

// looks reports whether a command shows no more than the names and sizes of files, or removes them.
func looks(name string) bool {
	switch commandName(name) {
	case "ls", "stat", "du", "file", "wc", "echo", "printf", "basename", "dirname", "realpath", "test", "rm", "rmdir", "mkdir", "touch", "chmod", "chown":
		return true
	}
	return false
}
