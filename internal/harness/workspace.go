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
// can be written. The digest is that of what was copied: names, contents, and which files can be executed. An empty dst means that only the digest
// is wanted.
func copyTree(src, dst string, leave func(rel string, d fs.DirEntry) bool) (digest string, err error) {
	src, err = filepath.EvalSymlinks(src) // a link would be copied as one, and lead the agent to the original
	if err != nil {
		return "", err
	}
	c := copier{src: src, dst: dst, sum: sha256.New()}
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
		return c.entry(rel, d)
	})
	return hex.EncodeToString(c.sum.Sum(nil)[:8]), err
}

// A copier copies a directory and sums it up.
type copier struct {
	src, dst string
	sum      hash.Hash
}

func (c *copier) entry(rel string, d fs.DirEntry) error {
	switch {
	case d.IsDir():
		if c.dst == "" {
			return nil
		}
		return os.Mkdir(filepath.Join(c.dst, rel), 0o755)
	case d.Type()&fs.ModeSymlink != 0:
		return c.link(rel)
	case d.Type().IsRegular():
		return c.file(rel)
	}
	return nil
}

func (c *copier) link(rel string) error {
	target, err := os.Readlink(filepath.Join(c.src, rel))
	if err != nil {
		return err
	}
	fmt.Fprintf(c.sum, "link %q\n%q\n", rel, target)
	if c.dst == "" {
		return nil
	}
	if in, err := filepath.Rel(c.src, target); err == nil && filepath.IsAbs(target) && filepath.IsLocal(in) {
		target = filepath.Join(c.dst, in)
	}
	return os.Symlink(target, filepath.Join(c.dst, rel))
}

func (c *copier) file(rel string) (err error) {
	in, err := os.Open(filepath.Join(c.src, rel))
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.sum, "file %q\n", rel)
	defer func() { fmt.Fprintf(c.sum, "\n%d %t\n", info.Size(), info.Mode()&0o100 != 0) }()
	if c.dst == "" {
		_, err = io.Copy(c.sum, in)
		return err
	}
	to := filepath.Join(c.dst, rel)
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.MultiWriter(out, c.sum), in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// leaves returns what of a target is not copied: what the spec leaves out, every index, and the output directory.
func (s *Spec) leaves(target string) func(rel string, d fs.DirEntry) bool {
	patterns := append(append([]string(nil), s.LeaveOut...), s.Hide.Index...)
	return func(rel string, d fs.DirEntry) bool {
		if (d.IsDir() || d.Type()&fs.ModeSymlink != 0) && samePlace(filepath.Join(target, filepath.FromSlash(rel)), s.Out) {
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
