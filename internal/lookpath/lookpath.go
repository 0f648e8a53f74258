// Package lookpath finds programs on a search path other than the process's own, which is all that os/exec knows.
package lookpath

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotFound says that no directory of the search path has the program.
var ErrNotFound = errors.New("not found on the search path")

// Find returns the path of a program on a search path, as a shell finds it: a name with a slash stands for itself. The error
// names the program.
func Find(name, path string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		return name, executable(name)
	}
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			continue
		}
		if file := filepath.Join(dir, name); executable(file) == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, ErrNotFound)
}

func executable(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return &fs.PathError{Op: "run", Path: file, Err: fs.ErrPermission}
	}
	return nil
}
