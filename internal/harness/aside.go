package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ofRun matches what follows the name of a run in its files. Another label may begin with that name and a dot.
var ofRun = regexp.MustCompile(`^(\.t[0-9]+)?\.(jsonl(\.part|\.lost)?|stderr\.txt|setup\.txt|server\.txt)$`)

// setAside moves the files of the runs that are made again to a directory beside them.
func (h *Harness) setAside(jobs []Job) error {
	aside := make(map[string]string) // by the directory that they come from
	for _, j := range jobs {
		base := filepath.Join(h.spec.Out, filepath.FromSlash(j.Name))
		files, err := filepath.Glob(quoteGlob(base) + ".*")
		files = slices.DeleteFunc(files, func(f string) bool { return !ofRun.MatchString(f[len(base):]) })
		if err != nil || len(files) == 0 {
			continue
		}
		from := filepath.Dir(base)
		if aside[from] == "" {
			if aside[from], err = freshDir(from); err != nil {
				return err
			}
		}
		for _, f := range files {
			if err := os.Rename(f, filepath.Join(aside[from], filepath.Base(f))); err != nil {
				return err
			}
		}
		delete(h.state.Runs, j.Name)
	}
	return h.state.save()
}

// quoteGlob escapes what a pattern would take for its own.
func quoteGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// freshDir makes a directory for what is replaced.
func freshDir(in string) (string, error) {
	for i := 1; ; i++ {
		dir := filepath.Join(in, fmt.Sprintf("replaced-%d", i))
		err := os.Mkdir(dir, 0o755)
		if !errors.Is(err, os.ErrExist) {
			return dir, err
		}
	}
}

// afterCrash removes what a harness left behind that was ended by force: worktrees, processes, and the directory of the workspaces. One that is
// at work has them locked: the output directory is then a copy of its own.
func (h *Harness) afterCrash() error {
	if h.state.Temp == "" {
		return nil
	}
	if f, err := os.OpenFile(filepath.Join(h.state.Temp, ".lock"), os.O_RDWR, 0); err == nil {
		defer f.Close()
		if lock(f) != nil {
			h.state.Temp, h.state.Worktrees = "", nil
			return nil
		}
	}
	err := h.removeWorktrees()
	sweep(h.state.Temp+"/", h.grace)
	if strings.HasPrefix(filepath.Base(h.state.Temp), tempPrefix) {
		err = errors.Join(err, removeAll(h.state.Temp))
	}
	return err
}
