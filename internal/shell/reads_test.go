package shell_test

import (
	"testing"

	"github.com/agent-eval/feedback/internal/shell"
)

func readsCases() []struct {
	command string
	want    bool
	reason  string
} {
	return []struct {
		command string
		want    bool
		reason  string
	}{
		{"cat .codegraph/codegraph.db", true, "shown"}, {"strings ./.codegraph/codegraph.db | head", true, "shown in part"}, {"head -c 100 /w/x/.codegraph/codegraph.db", true, "by an absolute path"},
		{"sqlite3 .codegraph/codegraph.db 'select * from nodes'", true, "a program of its own"}, {"sqlite3 \"file:.codegraph/codegraph.db?mode=ro\" .dump", true, "as a URI"},
		{"python3 -c \"import sqlite3; sqlite3.connect('.codegraph/codegraph.db')\"", true, "a script names it"}, {"python3 <<'EOF'\nopen('.codegraph/codegraph.db')\nEOF", true, "a script on standard input"},
		{"node -e \"require('fs').readFileSync('.codegraph/codegraph.db')\"", true, "node"}, {"grep -a send .codegraph/codegraph.db", true, "searched"}, {"rg -a send .codegraph", true, "searched as a directory"},
		{"cd .codegraph && cat codegraph.db", true, "from inside"}, {"cd .codegraph && sqlite3 codegraph.db .dump", true, "a program inside"}, {"cd .codegraph; grep -ra send", true, "search inside"},
		{"cp -r .codegraph /tmp/x", true, "copied"}, {"tar czf /tmp/x.tgz .codegraph", true, "packed"}, {"cat < .codegraph/codegraph.db", true, "redirected"}, {"dd if=.codegraph/codegraph.db bs=1k", true, "dd"},
		{"sh -c 'cat .codegraph/x'", true, "sh -c"}, {"D=.codegraph; cat $D/codegraph.db", true, "variable"}, {"cat .code*/codegraph.db", true, "pattern"}, {"cat .{codegraph,git}/x", true, "braces"}, {"cat .codegra{ph,f}/x", true, "braces in the name"}, {"ls .{codegraph,git}", false, "looked at"}, {"cat $(ls -d .codegraph/*.db)", false, "a substitution is not known"},
		{"find .codegraph -type f -exec strings {} +", true, "find -exec"}, {"find .codegraph -name '*.db' | xargs strings", true, "xargs"}, {"npx sqlite3 .codegraph/codegraph.db .dump", true, "npx"}, {"sudo cat '.codegraph'/x", true, "wrapper and quotes"},
		{"git grep --no-index x .codegraph", true, "git grep"}, {"source .codegraph/env", true, "source"}, {"xxd .CODEGRAPH/codegraph.db", true, "case does not matter"}, {"wc -l src/a.go && base64 .codegraph/a", true, "second in a list"},
		{"ls .codegraph", false, "looked at"}, {"ls -la .codegraph/*", false, "looked at"}, {"stat .codegraph/codegraph.db", false, "looked at"}, {"du -sh .codegraph", false, "size"}, {"test -d .codegraph && echo yes", false, "test"}, {"[ -f .codegraph/codegraph.db ]", false, "test"},
		{"find . -name .codegraph -prune -o -print", false, "left out"}, {"find .codegraph -type f", false, "names"}, {"find .codegraph -type f | xargs ls -l", false, "names, by xargs"}, {"grep -rn send . --exclude-dir=.codegraph", false, "left out"}, {"grep -rn send --exclude-dir .codegraph .", false, "left out"},
		{"grep -n '.codegraph/' .gitignore", false, "a pattern"}, {"echo .codegraph/ >> .gitignore", false, "a text"}, {"git commit -m 'ignore .codegraph/db'", false, "a message"}, {"gh pr create --body 'leave out the .codegraph directory'", false, "prose"}, {"rm -rf .codegraph", false, "removed"},
		{"tar czf x.tgz --exclude=.codegraph .", false, "left out"}, {"rsync -a --exclude .codegraph . /tmp/x", false, "left out"}, {"cat codegraph/a.go", false, "another directory"}, {"cat .codegraphs/a", false, "a longer name"}, {"cat src/*", false, "no pattern matches a leading dot"}, {"cat */a.go", false, "no pattern matches a leading dot"},
		{"perl -ne 'print if /.codegraph/' .gitignore", false, "a pattern of a script"}, {"gh issue create --body 'see src/.codegraph for more'", false, "prose with a path"}, {"sqlite3 '/my dir/.codegraph/db' .dump", true, "a path with a space"},
		{"node -p \"require('./package.json').codegraph\"", false, "a property"}, {"jq .codegraph package.json", false, "a property"}, {"tree -I .codegraph", false, "left out"}, {"rg send -g '!.codegraph'", false, "left out"},
		{"find . -path ./.codegraph -prune -o -type f -exec grep -l send {} +", false, "left out"}, {"dd if=.codegraph/db of=/tmp/x", true, "dd"}, {"X=1 INDEX=.codegraph/db make", false, "not known to be read"},
		{"codegraph status", false, "the tool itself"}, {"", false, "empty"}, {"cat notes.codegraph", false, "a suffix"}, {"git status --ignored", false, "git"}, {"git check-ignore .codegraph/db", false, "git"}, {"cp notes.txt .codegraph/", false, "written"},
	}
}

func TestReadsIn(t *testing.T) {
	for _, c := range readsCases() {
		if name, ok := new(shell.Reader).ReadsIn(c.command, []string{".codegraph"}, ""); ok != c.want || ok == (name == "") {
			t.Errorf("%q (%s): %q, %v; want %v", c.command, c.reason, name, ok, c.want)
		}
	}
}

func TestReadsInFromInside(t *testing.T) {
	for command, want := range map[string]bool{"cat codegraph.db": true, "sqlite3 codegraph.db .dump": true, "ls": false, "cat ../main.go": false, "cd .. && cat main.go": false} {
		if name, ok := new(shell.Reader).ReadsIn(command, []string{".codegraph"}, "/w/.codegraph"); ok != want {
			t.Errorf("%q: %q, %v; want %v", command, name, ok, want)
		}
	}
}

func TestReadsInOtherNames(t *testing.T) {
	for _, c := range []struct {
		dir, command string
		want         bool
	}{
		{".cache/index", "cat a/.cache/index/db", true}, {".cache/index", "cat .cache/other/db", false}, {"/var/index", "cat /var/index/db", true}, {"/var/index", "cat var/index/db", false},
		{"", "cat x", false}, {".", "cat x", false}, {"/", "cat /x", false}, {"./.idx/", "cat .idx/db", true},
	} {
		if _, ok := new(shell.Reader).ReadsIn(c.command, []string{c.dir}, ""); ok != c.want {
			t.Errorf("%q in %q: %v", c.command, c.dir, ok)
		}
	}
	if _, ok := new(shell.Reader).ReadsIn("cat x", nil, ""); ok {
		t.Error("no directories, and something is read in them")
	}
}

func TestPathIn(t *testing.T) {
	for name, want := range map[string]bool{"/w/.codegraph/db": true, ".codegraph": true, `C:\w\.codegraph\db`: true, "/w/codegraph/db": false, "": false, "/w/.codegraph/../a.go": false} {
		if got := shell.PathIn(name, []string{".codegraph"}); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func FuzzReadsIn(f *testing.F) {
	for _, c := range readsCases() {
		f.Add(c.command)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if name, ok := new(shell.Reader).ReadsIn(line, []string{".codegraph"}, ""); ok && name == "" {
			t.Errorf("%q: read, but nothing", line)
		}
	})
}
