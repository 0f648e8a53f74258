package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// FindCampaign looks for the logs of arms over several repositories: <repo>/run<n>/run-<label>… in dir, <n> being the pass. It
// returns an arm a label, whose runs go by <repo>/run<n>/<name> and have the repository as their Task. A run that some pass of a repository lacks,
// though another repository has that pass, is a warning. The errors are those of [Find].
func FindCampaign(dir string, labels ...string) (Found, error) {
	repos, err := directories(dir)
	if err != nil {
		return Found{}, err
	}
	f := Found{Arms: make([]Arm, len(labels))}
	for i, label := range labels {
		f.Arms[i].Label = label
	}
	passes, all := make(map[string][]int64), []int64(nil)
	for _, repo := range repos {
		names, err := directories(filepath.Join(dir, repo))
		if err != nil {
			f.warn("%v", err)
			continue
		}
		for _, name := range names {
			n, ok := pass(name)
			if ok {
				passes[repo], all = append(passes[repo], n), append(all, n)
			} else if strings.HasPrefix(strings.ToLower(name), "run") {
				f.warn("%s/%s: left out, want run<n>, such as run1", repo, name)
			}
		}
		if len(passes[repo]) == 0 && holdsLogs(filepath.Join(dir, repo)) {
			f.warn("%s: left out, it has logs but no run<n> with them", repo)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	runs := 0
	for _, repo := range repos {
		if len(passes[repo]) > 0 { // else it is no repository of the campaign
			runs += f.addRepo(dir, repo, passes[repo], all)
		}
	}
	if runs == 0 {
		return Found{}, &transcript.FileError{File: dir, Err: fmt.Errorf("%w; want <repo>/run<n>/run-%s.jsonl", ErrNoLogs, strings.Join(labels, ".jsonl and run-"))}
	}
	return f, nil
}

// pass returns the number of a pass by the name of its directory.
func pass(name string) (int64, bool) {
	digits, ok := strings.CutPrefix(name, "run")
	if !ok {
		return 0, false
	}
	n, ok := number(digits)
	return n, ok && fmt.Sprint(n) == digits
}

// holdsLogs reports whether a directory has files that look like logs.
func holdsLogs(dir string) bool {
	logs, _ := fs.Glob(os.DirFS(dir), prefix+"*"+suffix)
	return len(logs) > 0
}

// addRepo adds the runs of one repository, and says what is missing of the passes that others have. It returns how many there are.
func (f *Found) addRepo(dir, repo string, has, want []int64) (runs int) {
	labels := make([]string, len(f.Arms))
	for i, a := range f.Arms {
		labels[i] = a.Label
	}
	for _, n := range want {
		at := fmt.Sprintf("%s/run%d", repo, n)
		if !slices.Contains(has, n) {
			f.warn("%s: missing", at)
			continue
		}
		found, err := find(filepath.Join(dir, repo, fmt.Sprintf("run%d", n)), labels)
		if errors.Is(err, ErrNoLogs) {
			f.warn("%s: missing, no log of %s", at, strings.Join(labels, " or "))
			continue
		}
		if err != nil {
			f.warn("%v", err)
			continue
		}
		for i, a := range found.Arms {
			if len(a.Runs) == 0 {
				f.warn("%s: missing, no log of %s", at, a.Label)
			}
			for _, r := range a.Runs {
				r.Name, r.Task = at+"/"+r.Name, repo
				f.Arms[i].Runs = append(f.Arms[i].Runs, r)
				runs++
			}
		}
		f.Warnings = append(f.Warnings, found.Warnings...)
	}
	return runs
}

// directories returns the names of the directories in dir, in natural order.
func directories(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &transcript.FileError{File: dir, Err: reason(err)}
	}
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && info.IsDir() {
			names = append(names, e.Name())
		}
	}
	slices.SortStableFunc(names, textutil.Natural)
	return names, nil
}
