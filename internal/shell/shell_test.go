package shell_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/internal/shell"
)

func read(files ...string) shell.Action { return shell.Action{Kind: shell.Read, Files: files} }

var (
	search = shell.Action{Kind: shell.Search}
	other  = shell.Action{}
)

type classifyCase struct {
	command string
	want    shell.Action
}

func classifyCases() []classifyCase {
	return []classifyCase{
		// reads
		{"sed -n 1,80p f.go", read("f.go")}, {"sed -n '1,80p' lib/f.go", read("lib/f.go")}, {"sed -ne 1,80p f.go", read("f.go")},
		{"cat f.go 2>/dev/null", read("f.go")}, {"cd d && head f.go", read("d/f.go")}, {"cd d && cd ../e && cat f.go", read("e/f.go")},
		{"head -n 20 f.go", read("f.go")}, {"head -50 f.go | tail -20", read("f.go")}, {"tail -n +10 f.go", read("f.go")}, {"cat f.go | head", read("f.go")},
		{"nl -ba f.go", read("f.go")}, {"awk 'NR>=10 && NR<=20' f.go", read("f.go")}, {"less f.go", read("f.go")}, {"bat -r 1:20 f.go", read("f.go")},
		{"git show HEAD:lib/f.go", read("lib/f.go")}, {"git -C sub show HEAD~1:lib/f.go | head", read("lib/f.go")}, {"git show v1:./f.go", read("f.go")},
		{"git blame -L 1,20 f.go", read("f.go")}, {"cat a.go b.go", read("a.go", "b.go")}, {"cat a.go; cat b.go", read("a.go", "b.go")},
		{"cat a.go && grep -n x b.go", read("a.go")}, {"go build ./... && cat f.go", read("f.go")}, {"cat /abs/f.go", read("/abs/f.go")},
		{"cd /abs && cat f.go", read("/abs/f.go")}, {"(cd d && cat f.go); cat g.go", read("d/f.go", "g.go")}, {"cat ./d/../f.go", read("f.go")},
		{"for f in a.go b.go; do cat $f; done", read("a.go", "b.go")}, {"F=a.go; cat \"$F\"", read("a.go")}, {"cat \"$ROOT/lib/a.go\"", read("lib/a.go")},
		{"bash -c 'cat f.go'", read("f.go")}, {"sudo cat f.go", read("f.go")}, {"env X=1 cat f.go", read("f.go")}, {"timeout 5 cat f.go", read("f.go")},
		{"diff a.go b.go", read("a.go", "b.go")}, {"jq .name package.json", read("package.json")}, {"cat 'my file.go'", read("my file.go")},
		{"cat < f.go", read("f.go")}, {"echo $(cat f.go)", read("f.go")}, {"echo $(<f.go)", read("f.go")}, {"if true; then cat f.go; fi", read("f.go")},
		{"cat f.go | grep -n x", read("f.go")}, {"cat f.go > /dev/null", read("f.go")}, {"! cat f.go", read("f.go")}, {"{ cat f.go; }", read("f.go")},
		{"show() { cat \"$1\"; }; show f.go", read("f.go")}, {"xargs cat <<< f.go", read("f.go")}, {"echo f.go | xargs cat", read("f.go")},
		{"cat lib/{a,b}.go", read("lib/a.go", "lib/b.go")}, {"head -5 {a,b/{c,d}}.go", read("a.go", "b/c.go", "b/d.go")}, {"cat '{a,b}.go' {c}.go \\{d,e\\}", read("{a,b}.go", "{c}.go", "{d,e}")},
		{"for f in {a,b}.go; do cat src/$f; done", read("src/a.go", "src/b.go")}, {"for i in a b; do cat {x,y}$i; done", read("xa", "ya", "xb", "yb")},
		{"cat part{1..3}.go", shell.Action{Kind: shell.Read}}, {"cat src/$name.go", shell.Action{Kind: shell.Read}}, {"cat $ROOT-old/lib/a.go", read("lib/a.go")},
		{"cat src/*.go", read("src/*.go")}, {"cat f.go f.go", read("f.go")}, {"cat $UNKNOWN", shell.Action{Kind: shell.Read}},
		// searches
		{"grep -rn res.send .", search}, {"grep -e pat f.go", search}, {"rg -n x src", search}, {"rg x", search}, {"find . -name '*.go'", search},
		{"git grep x", search}, {"ls -la", search}, {"tree -L 2", search}, {"git ls-files | grep x", search}, {"ls | grep x", search}, {"fd x", search},
		{"find . -name x | xargs grep y", search}, {"find . -exec grep x {} +", search}, {"grep x -r . | head", search}, {"cd d && grep x f.go", search},
		{"wc -l f.go", search}, {"grep -rn x . 2>&1 | sort | uniq -c", search}, {"cat $(find . -name x.go)", search}, {"ag x; go test ./...", search},
		// neither
		{"go build 2>&1 | grep -v warn", other}, {"go test ./... | tail -5", other}, {"find . -name x -delete", other}, {"find . -exec rm {} ;", other},
		{"find . -name x | xargs rm", other}, {"cat <<EOF > f.go\nx\nEOF", other}, {"cat <<EOF\nx\nEOF", other}, {"cat a.go > b.go", other}, {"cat a.go >> b.go", other},
		{"sed -i s/a/b/ f.go", other}, {"sed -i.bak s/a/b/ f.go", other}, {"sed --in-place s/a/b/ f.go", other}, {"cat a.go | tee b.go", other}, {"grep x f | tee out", other},
		{"echo hello", other}, {"python - <<EOF\nopen('f.go')\nEOF", other}, {"npm test", other}, {"", other}, {"   ", other}, {"# cat f.go", other},
		{"cat 'unbalanced", other}, {"git status", other}, {"cp a.go b.go", other}, {"mkdir -p x", other}, {"sort -o f.go f.go", other}, {"ps aux | grep x", other},
		{"cat f.go &> out.txt", other},
	}
}

func TestClassify(t *testing.T) {
	for _, c := range classifyCases() {
		if diff := cmp.Diff(c.want, new(shell.Reader).Classify(c.command)); diff != "" {
			t.Errorf("%q: %s", c.command, diff)
		}
	}
}

type runsCase struct {
	command string
	want    bool
	reason  string
}

func runsCases() []runsCase {
	return []runsCase{
		{"codegraph explore x", true, "plain"}, {"/opt/bin/codegraph x", true, "by a path"}, {"./node_modules/.bin/codegraph", true, "relative path"},
		{"$(which codegraph) explore x", true, "found by which"}, {"`command -v codegraph` explore x", true, "found by command -v"}, {"CG=$(which codegraph); $CG explore x", true, "found before"},
		{"arr=($(codegraph x))", true, "array"}, {"[[ -n $(codegraph x) ]] && echo y", true, "test"}, {"(( $(codegraph x) > 1 ))", true, "arithmetic command"}, {"echo $(( $(codegraph x) + 1 ))", true, "arithmetic"},
		{"test -x $(which codegraph)", false, "only found"}, {"ls $(which codegraph)", false, "only listed"},
		{"~/bin/codegraph x", true, "home"}, {"X=1 codegraph x", true, "assignment before"}, {"env -u Y X=1 codegraph", true, "env"}, {"sudo -u root codegraph", true, "sudo"},
		{"timeout 5 codegraph x", true, "timeout"}, {"timeout -k 1 5s codegraph", true, "timeout with flags"}, {"nice -n 5 codegraph", true, "nice"}, {"nohup codegraph &", true, "nohup"},
		{"time codegraph", true, "keyword"}, {"exec codegraph", true, "exec"}, {"command codegraph", true, "command"}, {"echo x | xargs codegraph query", true, "xargs"},
		{"find . -exec codegraph {} ;", true, "find -exec"}, {"npx codegraph x", true, "npx"}, {"npx -y @scope/codegraph@1.2 x", true, "package with scope and version"},
		{"npm exec codegraph", true, "npm exec"}, {"npm exec -- codegraph x", true, "with dashes"}, {"pnpm dlx codegraph", true, "pnpm"}, {"yarn dlx codegraph", true, "yarn"}, {"bunx codegraph", true, "bun"},
		{"sh -c 'codegraph x'", true, "sh -c"}, {"bash -lc \"codegraph x\"", true, "flags together"}, {"eval 'codegraph x'", true, "eval"}, {"echo $(codegraph x)", true, "substitution"},
		{"echo `codegraph x`", true, "backticks"}, {"diff <(codegraph x) y", true, "process substitution"}, {"true | codegraph", true, "in a pipe"}, {"ls; codegraph", true, "in a list"},
		{"ls && (cd x; codegraph)", true, "in a subshell"}, {"for i in 1; do codegraph $i; done", true, "in a loop"}, {"if codegraph; then :; fi", true, "condition"},
		{"f() { codegraph; }; f", true, "called function"}, {"node /opt/codegraph/dist/codegraph.js x", true, "its script"}, {"node node_modules/codegraph/cli.js", true, "a package's script"},
		{"bash <<EOF\ncodegraph x\nEOF", true, "here-document for a shell"}, {"CG=/x/codegraph; $CG explore", true, "variable"}, {"C='codegraph x'; $C", true, "variable with arguments"},
		{"'codegraph' x", true, "quoted name"}, {"code\"graph\" x", true, "quoted in part"}, {"codegraph.exe x", true, "Windows"}, {"echo 'codegraph x' | sh", true, "piped into a shell"},
		{"while read x; do codegraph $x; done < f", true, "while"}, {"\\codegraph x", true, "escaped against aliases"}, {"! codegraph", true, "negated"}, {"codegraph status; echo again", true, "first of two"},
		{"CODEGRAPH x", true, "case does not matter"}, {"co\\\ndegraph x", true, "broken over lines"}, {"'co'de\"gr\"aph x", true, "quoted in parts"},
		{"su - me -c 'codegraph x'", true, "su"}, {"su -c 'codegraph x' me", true, "su"}, {"echo codegraph x | su me", true, "piped into su"}, {"runuser -u me -- codegraph x", true, "runuser"},
		{"script -qc 'codegraph x' /dev/null", true, "script"}, {"strace -f -o out codegraph x", true, "strace"}, {"busybox sh -c 'codegraph x'", true, "busybox"},
		{"trap 'codegraph x' EXIT", true, "trap"}, {"trap 'cat codegraph' EXIT INT", false, "trap that only mentions it"}, {"trap codegraph", false, "trap without a signal"},
		{"alias cg='codegraph explore'\ncg x", true, "alias"}, {"alias cg=cg\ncg codegraph", false, "alias of itself"}, {"alias cg=codegraph", false, "alias that is never used"},
		{"alias codegraph=echo; codegraph x", true, "alias that is not in force yet"}, {"alias x='sh -c'; x 'codegraph'", true, "alias of a shell"}, {"alias a=b b='cd /tmp; codegraph'; a", true, "alias of an alias"}, {"alias ls='ls codegraph'; ls", false, "alias of itself"},
		{"su dev -- -c 'codegraph x'", true, "su, behind --"}, {"su codegraph", false, "a user"}, {"runuser dev -c 'codegraph x'", true, "runuser like su"}, {"trap -- \"codegraph x\" INT TERM; ls", true, "trap behind --"}, {"trap - codegraph", false, "trap that is taken back"},
		{"function f { codegraph \"$@\"; }; f x", true, "function by keyword"}, {"f() { \"$@\"; }; f codegraph", true, "function that runs its arguments"}, {"f() { g; }; g() { codegraph; }; f", true, "function that is declared later"},
		{"script -q /dev/null codegraph x", true, "script of BSD"}, {"script codegraph", false, "a typescript"}, {"script /dev/null -c 'codegraph x'", true, "script, flag at the end"},
		{"flock /tmp/l codegraph x", true, "flock"}, {"flock -w 5 /tmp/l -c 'codegraph x'", true, "flock -c"}, {"flock codegraph ls", false, "a lock"}, {"flock /tmp/l grep -c codegraph f", false, "a flag of what flock runs"},
		{"watch -n 1 'codegraph status'", true, "watch takes a line"}, {"parallel 'codegraph {}' ::: a b", true, "parallel takes a line"}, {"parallel ::: 'codegraph a' 'codegraph b'", true, "parallel of lines"}, {"parallel echo ::: codegraph", false, "argument of parallel"},
		{"setpriv --reuid 1 codegraph", true, "setpriv"}, {"pkexec --user dev codegraph", true, "pkexec"}, {"unshare -n codegraph", true, "unshare"}, {"systemd-run --user --pipe codegraph x", true, "systemd-run"}, {"chrt -f 10 codegraph", true, "chrt"}, {"xvfb-run -a codegraph x", true, "xvfb-run"}, {"corepack pnpm dlx codegraph", true, "corepack"},
		{"npx -y -p @scope/codegraph cg x", true, "another command of its package"}, {". /dev/stdin <<< 'codegraph x'", true, "sourced from standard input"}, {"echo codegraph x | source /dev/stdin", true, "sourced from a pipe"}, {"source codegraph.env", false, "a file"},
		{"{codegraph,status}", true, "braces are words"}, {"code{graph,x} status", true, "braces in a name"}, {"x{codegraph,y} status", false, "another name"}, {"echo {a,codegraph}", false, "an argument in braces"}, {"sh -c 'npx {codegraph,status}'", true, "braces in a script"},
		{"grep codegraph f", false, "argument"}, {"ls .codegraph", false, "directory"}, {"which codegraph", false, "which"}, {"command -v codegraph", false, "command -v"}, {"type codegraph", false, "type"},
		{"man codegraph", false, "man"}, {"cat codegraph.md", false, "file"}, {"echo codegraph", false, "text"}, {"git log -- codegraph", false, "git"}, {"cd codegraph && ls", false, "directory"},
		{"npm install codegraph", false, "installing"}, {"npm i -g @scope/codegraph", false, "installing"}, {"pgrep codegraph", false, "pgrep"}, {"# codegraph", false, "comment"}, {"echo 'a; codegraph'", false, "quoted text"},
		{"f() { codegraph; }", false, "function that is never called"}, {"codegraphs", false, "longer name"}, {"mycodegraph", false, "longer name"}, {"cat <<EOF\ncodegraph\nEOF", false, "here-document"},
		{"", false, "empty"}, {"export PATH=/opt/codegraph/bin:$PATH", false, "a directory in a path"}, {"find . -name codegraph", false, "a name"},
	}
}

func TestRuns(t *testing.T) {
	for _, c := range runsCases() {
		if inv, ok := new(shell.Reader).Runs(c.command, []string{"codegraph"}); ok != c.want || ok == (inv == "") {
			t.Errorf("%q (%s): %q, %v; want %v", c.command, c.reason, inv, ok, c.want)
		}
	}
}

// What stands around a command does not change whether it runs.
func TestRunsDoesNotDependOnTheSurroundings(t *testing.T) {
	for _, c := range runsCases() {
		if strings.Contains(c.command, "EOF") || strings.HasPrefix(c.command, "#") || c.command == "" {
			continue
		}
		for _, around := range []string{"true && %", "%; true", "( % )", "{ %\n}", "true\n%"} {
			line := strings.ReplaceAll(around, "%", c.command)
			if _, ok := new(shell.Reader).Runs(line, []string{"other", "codegraph"}); ok != c.want {
				t.Errorf("%q: %v, want %v", line, ok, c.want)
			}
		}
	}
}

func TestRunsWithoutNamesIsFalse(t *testing.T) {
	if _, ok := new(shell.Reader).Runs("codegraph", nil); ok {
		t.Error("no name matches")
	}
	if _, ok := new(shell.Reader).Runs("codegraph", []string{""}); ok {
		t.Error("an empty name matches")
	}
}

func TestHostileLinesCostLittle(t *testing.T) {
	for _, line := range []string{
		strings.Repeat("(", 100_000), strings.Repeat("$(", 50_000), strings.Repeat("a | ", 50_000), strings.Repeat("{ ", 50_000), "\x00", "cat \x00",
		"f() { f; f; }; f", "f() { f | f & }; f", strings.Repeat("for i in a b c d e f g h; do ", 12) + "cat $i" + strings.Repeat("; done", 12),
		"a=x; " + strings.Repeat("a=$a$a; ", 100) + "cat $a", strings.Repeat("bash -c '", 1000), "cat " + strings.Repeat("x", 1<<20), strings.Repeat("{a,", 60_000) + strings.Repeat("}", 60_000), strings.Repeat("{1..9}", 30_000), strings.Repeat("`", 10_001),
	} {
		new(shell.Reader).Classify(line)
		new(shell.Reader).Runs(line, []string{"codegraph"})
	}
}

// Nobody can tell what stands in a line that is given up, so it counts as one that runs whatever it may run.
func TestALineThatCannotBeGoneThroughCounts(t *testing.T) {
	growing := "a15='cat codegraph'" // each runs the next one twice
	for i := range 15 {
		growing += fmt.Sprintf(" a%d='a%d; a%d'", i, i+1, i+1)
	}
	for name, line := range map[string]string{
		"nested too deeply":       strings.Repeat("$(", 50_000) + "codegraph" + strings.Repeat(")", 50_000),
		"in too many scripts":     strings.Repeat("eval ", 200) + "codegraph",
		"runs without an end":     "f() { f; f; }; f; cat codegraph",
		"longer than is read":     ": " + strings.Repeat("x", 300<<10) + "\ncodegraph",
		"loops without an end":    strings.Repeat("for i in a b c d e f g h; do ", 9) + "$i" + strings.Repeat("; done", 9),
		"one script in the other": strings.Repeat("eval eval ", 100) + "'cat codegraph'",
		"a word that grows":       "a=x; " + strings.Repeat("a=$a$a; ", 40) + "sh -c \"$a; codegraph\"",
		"a value that grows":      "a=x; " + strings.Repeat("a+=$a; ", 40) + "eval \"$a; codegraph\"",
		"errors in every line":    strings.Repeat("$( }\n", 40) + "codegraph",
		"aliases that grow":       "alias " + growing + "; a0",
		"braces that grow":        ": " + strings.Repeat("{a,b}", 40) + "; cat codegraph",
		"many braces":             ": " + strings.Repeat("{a,b}", 40_000) + "; cat codegraph",
	} {
		if inv, ok := new(shell.Reader).Runs(line, []string{"codegraph"}); !ok || inv == "" {
			t.Errorf("%s: %q, %v", name, inv, ok)
		}
	}
	for name, line := range map[string]string{
		"cannot hold the name":  "f() { f; f; }; f",
		"many commands":         strings.Repeat("true; ", 1000) + "cat codegraph",
		"a long loop":           "for f in " + strings.Repeat("a.go ", 300) + "; do cat $f codegraph; done",
		"long":                  "cat codegraph " + strings.Repeat("y", 100<<10),
		"nested":                strings.Repeat("$(", 10) + "cat codegraph" + strings.Repeat(")", 10),
		"an error of its own":   "cat codegraph )",
		"a script that is long": "cat > codegraph.sh <<EOF\n" + strings.Repeat("echo $x\n", 5000) + "EOF",
	} {
		if inv, ok := new(shell.Reader).Runs(line, []string{"codegraph"}); ok {
			t.Errorf("%s: it is given up, or runs %s", name, inv)
		}
	}
	if _, ok := new(shell.Reader).Runs("for x in "+strings.Repeat("true ", 100)+" codegraph; do $x; done", []string{"codegraph"}); !ok {
		t.Error("the last round of a loop")
	}
}

func FuzzShell(f *testing.F) {
	for _, c := range classifyCases() {
		f.Add(c.command)
	}
	for _, c := range runsCases() {
		f.Add(c.command)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var r shell.Reader
		first := r.Classify(line)
		if first.Kind != shell.Read && first.Files != nil {
			t.Errorf("%q: files of no read: %+v", line, first)
		}
		r.Runs(line, []string{"codegraph"})
		if again := r.Classify(line); !cmp.Equal(first, again) {
			t.Errorf("%q: %+v, and read again %+v", line, first, again)
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		new(shell.Reader).Classify("cd /home/dev/proj && sed -n '1,80p' lib/response.js | head -40")
	}
}
