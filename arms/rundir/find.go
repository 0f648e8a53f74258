package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// ErrNoLogs says that no arm has a log.
var ErrNoLogs = errors.New("no logs found")

// An Arm is the logs of one arm.
type Arm struct {
	Label string
	Runs  []Run // in numeric order
}

// A Run is the logs of one session, in turn order.
type Run struct {
	Name  string   // such as new-2; of a file by another name, its path below what all of them share, without the extension
	Task  string   // what the run worked on, where the directories say it: see FindCampaign
	Files []string // their paths
}

// Found is what a directory holds.
type Found struct {
	Arms []Arm // one a label asked for, in that order; those without logs too
	// Missing are the labels of the arms without logs.
	Missing []string
	// Warnings say what else is odd: a turn that is missing, a file that is none, a log in two arms.
	Warnings []string
}

// Find looks for the logs of arms in a directory. Each spec is a label, or label=glob for files that are named otherwise; the glob
// is one of path.Match, relative to dir unless it is absolute, and each match is a run. A label that holds an equals sign is taken as a
// label when there are logs of that name. Without specs, it finds all labels there are, sorted.
//
// An arm without logs is in Found.Missing. If no arm has any, the error is a *transcript.FileError that wraps [ErrNoLogs]; a directory that cannot be
// read is one too.
func Find(dir string, specs ...string) (Found, error) {
	f, err := find(dir, specs)
	f.inTwoArms()
	return f, err
}

// inTwoArms warns of logs that more than one arm has.
func (f *Found) inTwoArms() {
	arm := make(map[string]string)
	for _, a := range f.Arms {
		for _, r := range a.Runs {
			if other, ok := arm[r.Files[0]]; ok {
				f.warn("%s is in both %s and %s", r.Files[0], other, a.Label)
			}
			arm[r.Files[0]] = a.Label
		}
	}
}

// find is Find without a look at logs in two arms.
func find(dir string, specs []string) (Found, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Found{}, &transcript.FileError{File: dir, Err: reason(err)}
	}
	var names []string
	var f Found
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		switch {
		case err == nil && info.IsDir():
		case err == nil && !info.Mode().IsRegular(): // reading a pipe would wait for ever
			f.warn("%s: no regular file, left out", filepath.Join(dir, e.Name()))
		default:
			names = append(names, e.Name())
		}
	}
	ix := indexOf(names)
	if len(specs) == 0 {
		specs = ix.labels()
	}
	runs := 0
	for i, spec := range specs {
		if slices.Contains(specs[:i], spec) {
			return Found{}, fmt.Errorf("%s is asked for twice", spec)
		}
		a, err := f.arm(dir, spec, ix.asked(specs))
		if err != nil {
			return Found{}, err
		}
		if len(a.Runs) == 0 {
			f.Missing = append(f.Missing, a.Label)
		}
		runs += len(a.Runs)
		f.Arms = append(f.Arms, a)
	}
	if runs == 0 {
		return Found{}, &transcript.FileError{File: dir, Err: fmt.Errorf("%w%s", ErrNoLogs, ix.hint())}
	}
	return f, nil
}

// Group makes an arm of files by any name: each is a run, but for those that .t2, .t3, … before the extension makes later turns of the
// file that is named without it. It reads nothing.
func Group(label string, files ...string) Found {
	var f Found
	f.Arms = []Arm{f.join("", label, byBase(files))}
	return f
}

func (f *Found) warn(format string, args ...any) {
	f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...))
}

// reason drops the path that the error repeats.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

func (f *Found) arm(dir, spec string, ix index) (Arm, error) {
	if logs := ix[spec]; len(logs) > 0 {
		return f.join(dir, spec, logs), nil
	}
	label, glob, ok := strings.Cut(spec, "=")
	if !ok {
		return Arm{Label: spec}, nil
	}
	files, err := match(dir, glob)
	if err != nil {
		return Arm{}, fmt.Errorf("%s: %w", spec, err)
	}
	return f.join(dir, label, byBase(files)), nil
}

// match returns the files that a glob matches.
func match(dir, glob string) ([]string, error) {
	root, pattern := dir, filepath.ToSlash(glob)
	if filepath.IsAbs(glob) {
		root = filepath.VolumeName(glob) + string(filepath.Separator)
		pattern = strings.TrimLeft(strings.TrimPrefix(pattern, filepath.VolumeName(glob)), "/")
	}
	pattern = slashpath.Clean(pattern)
	if strings.HasPrefix(pattern, "../") {
		return nil, errors.New("a glob that leaves the directory has to be absolute")
	}
	fsys := os.DirFS(root)
	names, err := fs.Glob(fsys, pattern)
	var files []string
	for _, name := range names {
		if info, err := fs.Stat(fsys, name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if filepath.IsAbs(glob) {
			name = filepath.Join(root, name)
		}
		files = append(files, name)
	}
	return files, err
}

// A log is a file of one turn of one run.
type log struct {
	file string
	run  string // the name of the run
	i    int64  // its number, -1 for a run without one
	turn int64  // from 1
}

// join puts an arm's logs together as runs.
func (f *Found) join(dir, label string, logs []log) Arm {
	slices.SortStableFunc(logs, func(a, b log) int {
		return cmp.Or(cmp.Compare(a.i, b.i), textutil.Natural(a.run, b.run), cmp.Compare(a.run, b.run), cmp.Compare(a.turn, b.turn))
	})
	a := Arm{Label: label}
	for k := 0; k < len(logs); {
		r := Run{Name: logs[k].run}
		turn := int64(1)
		for ; k < len(logs) && logs[k].run == r.Name && logs[k].turn == turn; turn++ {
			r.Files = append(r.Files, path(dir, logs[k].file))
			k++
		}
		for ; k < len(logs) && logs[k].run == r.Name; k++ {
			if logs[k].turn < turn {
				f.warn("%s: left out, it is turn %d, which is there already", path(dir, logs[k].file), logs[k].turn)
			} else {
				f.warn("%s: left out, turn %d is missing", path(dir, logs[k].file), turn)
			}
		}
		if len(r.Files) > 0 {
			a.Runs = append(a.Runs, r)
		}
	}
	if n := len(logs); n > 1 && logs[0].i < 0 && logs[n-1].i >= 0 {
		f.warn("%s: both a run without a number and numbered ones", label)
	}
	return a
}

// path returns the path of a file of the directory; what is absolute stays.
func path(dir, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// number reads a number as it stands in file names: up to 18 digits.
func number(s string) (int64, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" || len(s) > 18 {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
