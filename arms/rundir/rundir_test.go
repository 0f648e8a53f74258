package rundir_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/arms/rundir"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// directory makes a directory with a small log under each name.
func directory(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		log := transcripttest.New()
		log.Request(10).Text("done")
		write(t, filepath.Join(dir, name), string(log.End("done").Bytes()))
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// find returns the runs found as label: name=files, with the files relative to the directory.
func find(t *testing.T, dir string, specs ...string) (runs []string, warnings []string) {
	t.Helper()
	f, err := rundir.Find(dir, specs...)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range f.Arms {
		for _, r := range a.Runs {
			var files []string
			for _, file := range r.Files {
				rel, err := filepath.Rel(dir, file)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, filepath.ToSlash(rel))
			}
			runs = append(runs, a.Label+": "+filepath.ToSlash(r.Name)+"="+strings.Join(files, "+"))
		}
	}
	return runs, f.Warnings
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  string
		specs  string
		want   []string
		warned string // in the only warning
	}{
		{"numeric order", "a.jsonl run-a.txt run-new-10.jsonl run-new-2.jsonl run-new-1.jsonl run-newer-1.jsonl other.jsonl", "new",
			[]string{"new: new-1=run-new-1.jsonl", "new: new-2=run-new-2.jsonl", "new: new-10=run-new-10.jsonl"}, ""},
		{"turns are never runs", "run-new.jsonl run-new.t2.jsonl run-new.t10.jsonl run-new.t3.jsonl", "new",
			[]string{"new: new=run-new.jsonl+run-new.t2.jsonl+run-new.t3.jsonl"}, "turn 4 is missing"},
		{"turns of numbered runs", "run-new-1.jsonl run-new-1.t2.jsonl run-new-2.jsonl", "new",
			[]string{"new: new-1=run-new-1.jsonl+run-new-1.t2.jsonl", "new: new-2=run-new-2.jsonl"}, ""},
		{"a later turn alone is no run", "run-a.t2.jsonl run-b.jsonl", "a b", []string{"b: b=run-b.jsonl"}, "turn 1 is missing"},
		{"from zero", "run-a-0.jsonl run-a-1.jsonl", "", []string{"a: a-0=run-a-0.jsonl", "a: a-1=run-a-1.jsonl"}, ""},
		{"an arm without logs", "run-a-1.jsonl", "a b", []string{"a: a-1=run-a-1.jsonl"}, ""},
		{"turn 1 may say so, once", "run-a.t1.jsonl run-a.t2.jsonl run-b.jsonl run-b.t1.jsonl run-c.t02.jsonl", "", []string{"a: a=run-a.t1.jsonl+run-a.t2.jsonl", "b: b=run-b.jsonl", "c.t02: c.t02=run-c.t02.jsonl"}, "it is turn 1, which is there already"},
		{"a time is a number", "run-a-1700000000000.jsonl run-a-1600000000000.jsonl", "a", []string{"a: a-1600000000000=run-a-1600000000000.jsonl", "a: a-1700000000000=run-a-1700000000000.jsonl"}, ""},
		{"labels in the order asked for", "run-a-1.jsonl run-b-1.jsonl", "b a", []string{"b: b-1=run-b-1.jsonl", "a: a-1=run-a-1.jsonl"}, ""},
		{"all labels", "run-b-1.jsonl run-a.jsonl run-x-y-3.jsonl x-1.jsonl", "", []string{"a: a=run-a.jsonl", "b: b-1=run-b-1.jsonl", "x-y: x-y-3=run-x-y-3.jsonl"}, ""},
		{"any character", "run-a+(b)[c]*-1.jsonl run-a=b-1.jsonl run-é.t-2.jsonl", "a+(b)[c]* a=b é.t",
			[]string{"a+(b)[c]*: a+(b)[c]*-1=run-a+(b)[c]*-1.jsonl", "a=b: a=b-1=run-a=b-1.jsonl", "é.t: é.t-2=run-é.t-2.jsonl"}, ""},
		{"the longer label takes what both could have", "run-a-1.jsonl run-a-2.jsonl run-a-1-1.jsonl", "a a-1",
			[]string{"a: a-2=run-a-2.jsonl", "a-1: a-1=run-a-1.jsonl", "a-1: a-1-1=run-a-1-1.jsonl"}, "a-1: both"},
		{"a very long number is a name", "run-a-1234567890123456789.jsonl run-.jsonl run--1.jsonl", "", []string{"-1: -1=run--1.jsonl", "a-1234567890123456789: a-1234567890123456789=run-a-1234567890123456789.jsonl"}, ""},
		{"by glob", "with/s10.jsonl with/s9.jsonl with/s9.t2.jsonl run-b.jsonl", "with=with/*.jsonl b",
			[]string{"with: s9=with/s9.jsonl+with/s9.t2.jsonl", "with: s10=with/s10.jsonl", "b: b=run-b.jsonl"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := directory(t, strings.Fields(c.files)...)
			runs, warnings := find(t, dir, strings.Fields(c.specs)...)
			if diff := cmp.Diff(c.want, runs); diff != "" {
				t.Error(diff)
			}
			if c.warned == "" && len(warnings) > 0 || c.warned != "" && (len(warnings) != 1 || !strings.Contains(warnings[0], c.warned)) {
				t.Errorf("warnings %q", warnings)
			}
		})
	}
}

func TestAbsoluteGlobs(t *testing.T) {
	elsewhere := directory(t, "s1.jsonl", "s2.jsonl")
	f, err := rundir.Find(directory(t, "run-a.jsonl"), "a", "b="+filepath.Join(elsewhere, "*.jsonl"))
	if err != nil || len(f.Arms) != 2 || len(f.Arms[1].Runs) != 2 || f.Arms[1].Runs[0].Files[0] != filepath.Join(elsewhere, "s1.jsonl") {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestNoLogsAtAllIsAnError(t *testing.T) {
	var fe *transcript.FileError
	if _, err := rundir.Find(directory(t, "run-new-1.jsonl"), "nwe"); !errors.Is(err, rundir.ErrNoLogs) || !errors.As(err, &fe) || !strings.Contains(err.Error(), "there are logs of new") {
		t.Errorf("%v", err)
	}
	if _, err := rundir.Find(filepath.Join(t.TempDir(), "gone"), "a"); !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &fe) {
		t.Errorf("%v", err)
	}
	for _, spec := range []string{"a=[", "a=../x/*.jsonl"} {
		if _, err := rundir.Find(directory(t, "run-b.jsonl"), spec); err == nil || !strings.Contains(err.Error(), spec) {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

func TestReadLeavesOutWhatItCannotRead(t *testing.T) {
	dir := directory(t, "run-a-1.jsonl", "run-a-3.jsonl", "run-b-1.jsonl")
	write(t, filepath.Join(dir, "run-a-2.jsonl"), "no log\n")
	f, err := rundir.Find(dir, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	var seen []int
	read, errs := rundir.Read(context.Background(), f.Arms, rundir.Options{Workers: 3, Progress: func(done, total int) { seen = append(seen, 10*total+done) }})
	if len(read) != 2 || len(read[0].Runs) != 2 || read[0].Runs[0].Name != "a-1" || read[0].Runs[1].Name != "a-3" || read[1].Runs[0].Name != "b-1" {
		t.Errorf("%+v", read)
	}
	var re *rundir.RunError
	if len(errs) != 1 || !errors.As(errs[0], &re) || re.Run != "a-2" || !strings.Contains(errs[0].Error(), "run-a-2.jsonl") {
		t.Errorf("%v", errs)
	}
	if !slices.Equal(seen, []int{41, 42, 43, 44}) {
		t.Errorf("progress %v", seen)
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	f, err := rundir.Find(directory(t, "run-a-1.jsonl", "run-a-2.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	read, errs := rundir.Read(ctx, f.Arms, rundir.Options{})
	if len(read[0].Runs) != 0 || len(errs) != 2 || !errors.Is(errs[0], context.Canceled) {
		t.Errorf("%+v, %v", read, errs)
	}
}

func TestFindCampaign(t *testing.T) {
	dir := directory(t, "gin/run1/run-with.jsonl", "gin/run1/run-without.jsonl", "gin/run2/run-with-1.jsonl", "gin/run2/run-with-1.t2.jsonl",
		"gin/run10/run-with.jsonl", "gin/run10/run-without.jsonl", "express/run1/run-with.jsonl", "express/run1/run-without.jsonl", "express/run01/run-with.jsonl",
		"express/run2/run-other.jsonl", "notes/run-with.jsonl", "run-with.jsonl")
	f, err := rundir.FindCampaign(dir, "with", "without")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range f.Arms {
		for _, r := range a.Runs {
			got = append(got, a.Label+" "+r.Task+" "+r.Name+" "+strings.Repeat("x", len(r.Files)))
		}
	}
	want := []string{"with express express/run1/with x", "with gin gin/run1/with x", "with gin gin/run2/with-1 xx", "with gin gin/run10/with x",
		"without express express/run1/without x", "without gin gin/run1/without x", "without gin gin/run10/without x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	missing := []string{"express/run01: left out, want run<n>, such as run1", "notes: left out, it has logs but no run<n> with them", "express/run2: missing, no log of with or without", "express/run10: missing", "gin/run2: missing, no log of without"}
	if diff := cmp.Diff(missing, f.Warnings); diff != "" {
		t.Error(diff)
	}
	if _, err := rundir.FindCampaign(t.TempDir(), "with", "without"); !errors.Is(err, rundir.ErrNoLogs) {
		t.Errorf("%v", err)
	}
}

func TestFindSaysWhatIsOdd(t *testing.T) {
	dir := directory(t, "run-a-1.jsonl")
	f, err := rundir.Find(dir, "a", "gone", "b=run-a-*.jsonl")
	if err != nil || !slices.Equal(f.Missing, []string{"gone"}) || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "is in both a and b") {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := rundir.Find(dir, "a", "a"); err == nil || err.Error() != "a is asked for twice" {
		t.Errorf("%v", err)
	}
}

func TestGroup(t *testing.T) {
	f := rundir.Group("runs", "b/x.t2.jsonl", "b/x.jsonl", "a/x.jsonl", "y.t3.jsonl")
	want := []rundir.Run{{Name: "a/x", Files: []string{"a/x.jsonl"}}, {Name: "b/x", Files: []string{"b/x.jsonl", "b/x.t2.jsonl"}}}
	if diff := cmp.Diff(want, f.Arms[0].Runs); diff != "" || f.Arms[0].Label != "runs" || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "y.t3.jsonl") {
		t.Errorf("%s%q", diff, f.Warnings)
	}
}
