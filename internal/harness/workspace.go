package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// copyTree copies a directory to dst, which must not exist, without what leave refuses. Links stay links; an absolute one that leads into the
// directory leads into the copy. Sockets, pipes and devices are left out. Files keep their times, and
// can be written. The digest is that of what was copied: names, contents, and which files can be executed.
func copyTree(src, dst string, leave func(rel string, d fs.DirEntry) bool) (digest string, err error) {
	src, err = filepath.EvalSymlinks(src) // a link would be copied as one, and lead the agent to the original
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = filepath.WalkDir(src, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, name)
		if err != nil {
			return err
		}
		if rel != "." && leave(filepath.ToSlash(rel), d) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		to := filepath.Join(dst, rel)
		switch {
		case d.IsDir():
			return os.Mkdir(to, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			fmt.Fprintf(sum, "link %q\n", rel)
			return copyLink(name, to, src, dst, sum)
		case d.Type().IsRegular():
			fmt.Fprintf(sum, "file %q\n", rel)
			return copyFile(name, to, sum)
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
}

func copyLink(name, to, src, dst string, sum hash.Hash) error {
	target, err := os.Readlink(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "%q\n", target)
	if rel, err := filepath.Rel(src, target); err == nil && filepath.IsAbs(target) && filepath.IsLocal(rel) {
		target = filepath.Join(dst, rel)
	}
	return os.Symlink(target, to)
}

func copyFile(name, to string, sum hash.Hash) (err error) {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	n, err := io.Copy(io.MultiWriter(out, sum), in)
	fmt.Fprintf(sum, "\n%d %t\n", n, info.Mode()&0o100 != 0)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// leaves returns what of a target is not copied: what the spec leaves out, every index, and the output directory.
func (s *Spec) leaves(target string) func(rel string, d fs.DirEntry) bool {
	patterns := append(append([]string(nil), s.LeaveOut...), s.Hide.Index...)
	return func(rel string, d fs.DirEntry) bool {
		if d.IsDir() && samePlace(filepath.Join(target, filepath.FromSlash(rel)), s.Out) {
			return true
		}
		for _, p := range patterns {
			name := rel
			if !strings.Contains(p, "/") {
				name = path.Base(rel)
			}
			if ok, _ := path.Match(p, name); ok {
				return true
			}
		}
		return false
	}
}

// A Size is how much of a target is copied for each run.
type Size struct {
	Files   int
	Bytes   int64
	LeftOut []string // the outermost files and directories that are not
}

// Size looks at a target.
func (s *Spec) Size(target string) (size Size, err error) {
	leave := s.leaves(target)
	err = filepath.WalkDir(target, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(target, name)
		if err != nil || rel == "." {
			return err
		}
		if rel = filepath.ToSlash(rel); leave(rel, d) {
			size.LeftOut = append(size.LeftOut, rel)
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			size.Files++
			size.Bytes += info.Size()
		}
		return nil
	})
	return size, err
}

// removeAll removes a directory that the harness made, also where the agent or a build has made parts of it read-only.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(name, 0o700)
		}
		return nil
	})
	if err = os.RemoveAll(dir); err != nil {
		return fmt.Errorf("left behind: %w", err)
	}
	return nil
}
