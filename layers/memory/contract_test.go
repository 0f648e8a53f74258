package memory_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/memory"
	"github.com/agent-eval/feedback/transcript"
)

// check reads operations from their short form, one a line: op run key [base→]version value [fact=…] [by=actor] [refused] [nothing].
func check(t *testing.T, log string, opts memory.Options) memory.Contract {
	t.Helper()
	c, err := memory.Check(parse(t, log), opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func parse(t *testing.T, log string) (ops []memory.Op) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(log), "\n") {
		f := strings.Fields(line)
		o := memory.Op{Kind: memory.Kind(f[0]), Run: f[1], Key: f[2], Position: transcript.Position{File: "ops", Line: i + 1}}
		for _, w := range f[3:] {
			switch base, version, based := strings.Cut(w, "→"); {
			case strings.HasPrefix(w, "fact="):
				o.Fact = w[5:]
			case strings.HasPrefix(w, "by="):
				o.Actor = w[3:]
			case w == "nothing":
				o.Found = new(false)
			case w == "refused":
				o.Accepted = new(false)
			case based:
				o.Base = new(number(t, base))
				o.Version = number(t, version)
			case w[0] >= '0' && w[0] <= '9':
				o.Version = number(t, w)
			default:
				o.Value = w
			}
		}
		if err := o.Validate(); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		ops = append(ops, o)
	}
	return ops
}

func number(t *testing.T, s string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// broken returns the violations as line:rule, with ←line for the earlier operation.
func broken(c memory.Contract) string {
	var list []string
	for _, v := range c.Violations {
		s := fmt.Sprintf("%d:%s", v.Position.Line, v.Rule)
		if !v.Earlier.IsZero() {
			s += fmt.Sprintf("←%d", v.Earlier.Line)
		}
		list = append(list, s)
	}
	return strings.Join(list, " ")
}

func TestContract(t *testing.T) {
	free := memory.Options{NoApproval: true}
	for _, c := range []struct {
		name string
		opts memory.Options
		log  string
		want string
	}{
		{"the whole life of an entry is legal", memory.Options{}, `
			read    r1 k
			propose r1 k 1 make
			approve r1 k 1
			write   r1 k 0→1 make
			read    r1 k 1 make
			propose r1 k 2 just
			approve r1 k 2 just
			write   r1 k 1→2 just
			read    r1 k 1 make
			delete  r1 k
			propose r1 k again
			approve r1 k
			write   r1 k 0→3 again`, ""},
		{"versions count themselves", memory.Options{}, `
			propose r1 k a
			approve r1 k
			write   r1 k 0→0 a
			propose r1 k b
			approve r1 k
			write   r1 k 1→0 b
			read    r1 k 2 b`, ""},
		{"a write that nobody proposed", memory.Options{}, "write r1 k 0→1 a", "1:write_without_approval"},
		{"one that is not approved yet", memory.Options{}, "propose r1 k 1 a\nwrite r1 k 0→1 a", "2:write_without_approval"},
		{"one that was rejected", memory.Options{}, "propose r1 k 1 a\nreject r1 k 1\nwrite r1 k 0→1 a", "3:write_without_approval"},
		{"another value than what was approved", memory.Options{}, "propose r1 k 1 a\napprove r1 k 1\nwrite r1 k 0→1 b", "3:write_without_approval"},
		{"one approval is one write", memory.Options{}, "propose r1 k 1 a\napprove r1 k 1\nwrite r1 k 0→1 a\nwrite r1 k 1→1 a",
			"4:write_without_approval 4:illegal_transition"},
		{"another run's approval", memory.Options{}, "propose r2 k 1 a\napprove r2 k 1\nwrite r1 k 0→1 a", "3:write_without_approval"},
		{"a verdict without a proposal, a second one, and one by a stranger", memory.Options{Reviewers: []string{"rev"}}, `
			approve r1 k by=rev
			propose r1 k a
			approve r1 k by=agent
			approve r1 k by=rev
			reject  r1 k by=rev`, "1:illegal_transition 3:illegal_transition 5:illegal_transition"},
		{"two accepted writes on one base", free, `
			write r1 k 0→1 a
			write r1 k 1→2 b
			write r1 k 1→3 b`, "3:lost_update←2"},
		{"the second of them was refused, as it should", free, "write r1 k 0→1 a\nwrite r1 k 1→2 b\nwrite r1 k 1→2 c refused", ""},
		{"written as new twice", free, "write r1 k 0→1 a\nwrite r1 k 0→1 a", "2:lost_update←1"},
		{"each run has its own entry", free, "write r1 k 0→1 a\nwrite r2 k 0→1 b", ""},
		{"all have a shared one", memory.Options{NoApproval: true, Shared: []string{"team/*"}}, "write r1 team/k 0→1 a\nwrite r2 team/k 0→1 a", "2:lost_update←1"},
		{"a delete on a version that was replaced", free, "write r1 k 0→1 a\nwrite r1 k 1→2 b\ndelete r1 k 1→0", "3:lost_update←2"},
		{"a write on what was deleted meanwhile", free, "write r1 k 0→1 a\ndelete r1 k 1→0\nwrite r1 k 1→2 b", "3:lost_update←2"},
		{"a base that never was", free, "write r1 k 0→1 a\nwrite r1 k 7→8 a", "2:illegal_transition"},
		{"a version that was there before", free, "write r1 k 0→3 a\nwrite r1 k 3→2 b", "2:illegal_transition"},
		{"a delete of what is not there, and again", free, "delete r1 k\nwrite r1 k 0→1 a\ndelete r1 k\ndelete r1 k", "1:illegal_transition 4:illegal_transition"},
		{"reads of what is not there any more, or never was", free, `
			write  r1 k 0→1 a
			read   r1 k 2
			read   r1 k 1 b
			delete r1 k
			read   r1 k 1 a`, "2:illegal_transition 3:illegal_transition 5:illegal_transition"},
		{"a read of what another run wrote", free, "write r2 k 0→1 secret\nread r1 k 1 secret", "2:cross_run_read←1"},
		{"also when this run has a version of its own", free, "write r2 k 0→1 secret\nwrite r1 k 0→1 own\nread r1 k 1 own\nread r1 k 1 secret", "4:cross_run_read←1"},
		{"a shared key crosses runs", memory.Options{NoApproval: true, Shared: []string{"k"}}, "write r2 k 0→1 a\nread r1 k 1 a", ""},
		{"a stale write with another value contradicts", free, "write r1 k 0→1 a\nwrite r1 k 0→1 b", "2:lost_update←1 2:silent_conflict←1"},
		{"an update knows what it replaces", free, "write r1 k 0→1 a\nwrite r1 k 1→2 b", ""},
		{"two keys about one fact", free, "write r1 k 0→1 mysql fact=db\nwrite r1 m 0→1 postgres fact=db", "2:silent_conflict←1"},
		{"they agree", free, "write r1 k 0→1 mysql fact=db\nwrite r1 m 0→1 mysql fact=db", ""},
		{"the first was deleted", free, "write r1 k 0→1 mysql fact=db\ndelete r1 k\nwrite r1 m 0→1 postgres fact=db", ""},
		{"the first is about something else by now", free, "write r1 k 0→1 mysql fact=db\nwrite r1 k 1→2 go fact=lang\nwrite r1 m 0→1 postgres fact=db", ""},
		{"a conflict event by the key", free, "write r1 k 0→1 mysql fact=db\nwrite r1 m 0→1 postgres fact=db\nconflict r1 m", ""},
		{"a conflict event by the other key", free, "write r1 k 0→1 mysql fact=db\nwrite r1 m 0→1 postgres fact=db\nconflict r1 k", ""},
		{"a stale write about something else contradicts nothing", free, "write r1 k 0→1 a fact=x\nwrite r1 k 0→1 b fact=y", "2:lost_update←1"},
		{"written anew after a delete, twice", free, "write r1 k 0→1 a\ndelete r1 k\nwrite r1 k 0→2 b\nwrite r1 k 0→3 b", "4:lost_update←3"},
		{"anew, and the version counts on", free, "write r1 k 0→1 a\ndelete r1 k\nwrite r1 k 0→0 b\nread r1 k 2 b", ""},
		{"a conflict event by the fact, before the write is accepted", free, "write r1 k 0→1 mysql fact=db\nconflict r1 m fact=db\nwrite r1 m 0→1 postgres fact=db", ""},
		{"one from before there was anything to contradict", free, "conflict r1 m fact=db\nwrite r1 k 0→1 mysql fact=db\nwrite r1 m 0→1 postgres fact=db", "3:silent_conflict←2"},
		{"a conflict event about two others, before the third comes", free, `
			write    r1 k 0→1 mysql fact=db
			write    r1 m 0→1 postgres fact=db
			conflict r1 m fact=db
			write    r1 n 0→1 sqlite fact=db`, "4:silent_conflict←1 4:silent_conflict←2"},
		{"the third had been proposed by then", memory.Options{}, `
			propose  r1 k mysql
			approve  r1 k
			write    r1 k 0→1 mysql fact=db
			propose  r1 m postgres
			conflict r1 k fact=db
			approve  r1 m
			write    r1 m 0→1 postgres fact=db`, ""},
		{"an event about what the write replaces", free, `
			write    r1 k 0→1 mysql fact=db
			write    r1 m 0→1 postgres fact=db
			conflict r1 m
			write    r1 m 1→2 sqlite fact=db`, "4:silent_conflict←1"},
		{"an event about another fact of the key", free, "write r1 k 0→1 mysql fact=db\nwrite r1 m 0→1 postgres fact=db\nconflict r1 m fact=lang", "2:silent_conflict←1"},
		{"one of another run", free, "write r1 k 0→1 mysql fact=db\nwrite r1 m 0→1 postgres fact=db\nconflict r2 m", "2:silent_conflict←1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := broken(check(t, c.log, c.opts)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Where the log does not say a value, nothing is taken for granted: neither that it is what was approved, nor that it is another.
func TestWhatTheLogDoesNotSayIsUnchecked(t *testing.T) {
	free := memory.Options{NoApproval: true}
	for _, c := range []struct {
		name, log string
		opts      memory.Options
		broken    string
		unchecked string
	}{
		{"a write without a value", "propose r1 k a\napprove r1 k\nwrite r1 k 0→1", memory.Options{}, "", "3:write_without_approval"},
		{"a proposal without one", "propose r1 k 1\napprove r1 k 1\nwrite r1 k 0→1 a", memory.Options{}, "", "3:write_without_approval"},
		{"its approval says it", "propose r1 k 1\napprove r1 k 1 a\nwrite r1 k 0→1 a", memory.Options{}, "", ""},
		{"its approval says another", "propose r1 k 1\napprove r1 k 1 b\nwrite r1 k 0→1 a", memory.Options{}, "3:write_without_approval", ""},
		{"an unsaid value beside a fact that stands", "write r1 k 0→1 a fact=f\nwrite r1 m 0→1 fact=f", free, "", "2:silent_conflict"},
		{"a value beside an unsaid fact", "write r1 k 0→1 fact=f\nwrite r1 m 0→1 a fact=f", free, "", "2:silent_conflict"},
		{"a read of which nothing is said", "write r1 k 0→1 a\nread r1 k", free, "", "2:cross_run_read"},
		{"also where another run holds the key", "write r2 k 0→1 a\nread r1 k", free, "", "2:cross_run_read"},
		{"one that found nothing", "write r2 k 0→1 a\nread r1 k nothing", free, "", ""},
		{"a read where there was nothing to find", "write r2 other 0→1 a\nread r1 k", free, "", ""},
		{"a version that two runs hold, with two values", "write r2 k 0→1 a\nwrite r1 k 0→1 b\nread r1 k 1", free, "", "3:cross_run_read"},
		{"a value that may be the unsaid one", "write r1 k 0→1\nread r1 k 1 a", free, "", "2:cross_run_read"},
	} {
		got := check(t, c.log, c.opts)
		var unchecked []string
		for _, u := range got.Unchecked {
			unchecked = append(unchecked, fmt.Sprintf("%d:%s", u.Position.Line, u.Rule))
		}
		if broken(got) != c.broken || strings.Join(unchecked, " ") != c.unchecked {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, broken(got), unchecked, c.broken, c.unchecked)
		}
	}
}

// An operation that cannot be judged is no operation, and no pass.
func TestAnOperationWithoutItsPartsIsUnchecked(t *testing.T) {
	at := func(line int) transcript.Position { return transcript.Position{File: "ops", Line: line} }
	c, err := memory.Check([]memory.Op{
		{Kind: memory.Write, Run: "r1", Key: "k", Value: "a", Position: at(1)},
		{Kind: memory.Read, Run: "r1", Position: at(2)},
		{Kind: memory.Read, Run: "r1", Key: "k", Version: 1, Found: new(false), Position: at(3)},
	}, memory.Options{})
	if err != nil || len(c.Unchecked) != 3 || c.Counts.Total() != 0 || len(c.Violations) != 0 {
		t.Fatalf("%v %+v", err, c)
	}
	want := []string{"memory: all rules at ops:1: not a memory operation: a write without its base version",
		"memory: all rules at ops:2: not a memory operation: a read without a key",
		"memory: all rules at ops:3: not a memory operation: a read that found nothing, and yet a version or a value"}
	if diff := cmp.Diff(want, c.NotChecked("r1")); diff != "" || len(c.NotChecked("r2")) != 0 {
		t.Error(diff)
	}
	var text strings.Builder
	if c.WriteText(&text); !strings.Contains(text.String(), "not measured") || !strings.Contains(text.String(), "not checked: all rules at ops:1: ") {
		t.Errorf("%q", text.String())
	}
}

func TestContractCountsAndDefects(t *testing.T) {
	c := check(t, "propose r1 k 1 a\nwrite r1 k 0→1 a\nwrite r1 k 0→1 b refused\nread r2 k 1 a\nconflict r2 k", memory.Options{})
	if diff := cmp.Diff(memory.Counts{Propose: 1, Write: 1, Read: 1, Conflict: 1}, c.Counts); diff != "" || c.RefusedWrites != 1 || c.Counts.Total() != 4 {
		t.Errorf("%+v %s", c, diff)
	}
	if diff := cmp.Diff([]string{"r1", "r2"}, c.Runs); diff != "" {
		t.Error(diff)
	}
	want := []layers.Defect{{Layer: layers.Memory, Name: "cross_run_read", Position: transcript.Position{File: "ops", Line: 4}, Detail: "k: returned what run r1 wrote"}}
	if diff := cmp.Diff(want, c.Defects("r2")); diff != "" {
		t.Error(diff)
	}
	if len(c.Defects("r1")) != 1 || len(c.Defects("r3")) != 0 || c.Broken(memory.CrossRunRead) != 1 {
		t.Errorf("%+v", c)
	}
	if _, err := memory.Check(nil, memory.Options{Shared: []string{"[^a]"}}); err == nil || !strings.Contains(err.Error(), "[^a]") {
		t.Errorf("a bad glob: %v", err)
	}
}

// An event that names a fact and no key is about it wherever it is.
func TestConflictByTheFactAlone(t *testing.T) {
	ops := parse(t, "write r1 k 0→1 mysql fact=db\nwrite r1 m 0→1 postgres fact=db")
	for fact, want := range map[string]int{"db": 0, "lang": 1} {
		c, err := memory.Check(append(ops, memory.Op{Kind: memory.Conflict, Run: "auditor", Fact: fact}), memory.Options{NoApproval: true})
		if err != nil || c.Broken(memory.SilentConflict) != want {
			t.Errorf("%s: %v %+v", fact, err, c)
		}
	}
}

const ops = `{"op": "propose", "run": "r1", "actor": "agent", "key": "k", "version": 1, "value": "use make", "time": "2026-01-01T00:00:00Z"}
{"op": "approve", "run": "r1", "actor": "reviewer", "key": "k", "version": 1}
{"op": "write", "run": "r1", "actor": "agent", "key": "k", "base": 0, "version": 1, "value": "use make"}
{"op": "read", "run": "r1", "actor": "agent", "key": "k", "version": 1, "value": "use make"}
`

func TestReadLog(t *testing.T) {
	bad := `{"op": "writ", "run": "r1", "key": "k", "base": 1}
{"op": "write", "run": "r1", "key": "k", "value": "x"}
{"op": "read", "key": "k"}
{"op": "read", "run": "r1"}
{"op": "read", "run": "r1", "key": "k", "vresion": 1}
{"op": "read", "run": "r1", "key": "k", "version": -1}
`
	got, err := memory.ReadLog(strings.NewReader(ops+bad+`{"op": "conflict", "run": "r1", "fact": "db"}`), "m.jsonl")
	if len(got) != 5 || got[2].Position.Line != 3 || *got[2].Base != 0 || got[4].Fact != "db" || got[4].Position.String() != "m.jsonl:11" {
		t.Errorf("%+v", got)
	}
	lines := []string{`m.jsonl:5: not a memory operation: op "writ"`, "m.jsonl:6: not a memory operation: a write without its base", "m.jsonl:7: not a memory operation: a read without a run",
		"m.jsonl:8: not a memory operation: a read without a key", "m.jsonl:9: ", "m.jsonl:10: not a memory operation: version -1"}
	if err == nil || len(strings.Split(err.Error(), "\n")) != len(lines) {
		t.Fatalf("%v", err)
	}
	for i, line := range strings.Split(err.Error(), "\n") {
		if !strings.HasPrefix(line, lines[i]) {
			t.Errorf("%s, want %s", line, lines[i])
		}
	}
	if _, ok := errors.AsType[transcript.Problem](err); !ok {
		t.Error("no problem with a position")
	}
}

func FuzzReadLog(f *testing.F) {
	f.Add([]byte(ops))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := memory.ReadLog(strings.NewReader(string(data)), "f")
		if err == nil && len(list) == 0 {
			t.Error("nothing, and no error")
		}
		c, err := memory.Check(list, memory.Options{})
		if err != nil || c.Counts.Total()+c.RefusedWrites != len(list) {
			t.Errorf("%v: %+v of %d", err, c.Counts, len(list))
		}
	})
}

// A memory that works by the rules has no violation, whatever is done with it, and one that takes every write has a lost update for each
// write that such a memory refuses.
func TestARightMemoryIsClean(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		current, stale := make(map[string]int), 0
		values := make(map[string]string)
		var right, wrong []memory.Op
		for i := range 60 {
			run, key := fmt.Sprint("r", r.IntN(2)), fmt.Sprint("k", r.IntN(2))
			at := run + key
			o := memory.Op{Run: run, Key: key}
			switch r.IntN(3) {
			case 0:
				o.Kind, o.Version, o.Value = memory.Read, current[at], values[at]
			case 1: // on the current version
				o.Kind, o.Base, o.Value = memory.Write, new(current[at]), fmt.Sprint("v", i)
				current[at]++
				values[at] = o.Value
			default:
				if current[at] == 0 {
					continue
				}
				o.Kind, o.Base, o.Value = memory.Write, new(r.IntN(current[at])), fmt.Sprint("w", i)
				o.Accepted = new(false)
				stale++
			}
			right = append(right, o)
			o.Accepted = nil
			if o.Kind == memory.Write {
				wrong = append(wrong, o)
			}
		}
		opts := memory.Options{NoApproval: true}
		if c, _ := memory.Check(right, opts); len(c.Violations) != 0 {
			t.Fatalf("seed %d: %s", seed, broken(c))
		}
		if c, _ := memory.Check(wrong, opts); c.Broken(memory.LostUpdate) != stale {
			t.Fatalf("seed %d: %d lost updates, want %d", seed, c.Broken(memory.LostUpdate), stale)
		}
	}
}

func TestContractRoundTripsAndPrintsSafely(t *testing.T) {
	c := check(t, "write r1 k\x1b[31m 0→1 a\nwrite r1 k\x1b[31m 0→1 b", memory.Options{})
	data, err := json.Marshal(c)
	var back memory.Contract
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if diff := cmp.Diff(c, back); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	var text strings.Builder
	if err := c.WriteText(&text); err != nil || strings.Contains(text.String(), "\x1b") || !strings.Contains(text.String(), "ops:2  lost_update") {
		t.Errorf("%v %q", err, text.String())
	}
	text.Reset()
	if (memory.Contract{}).WriteText(&text); !strings.Contains(text.String(), "not measured") {
		t.Errorf("%q", text.String())
	}
}
