//go:build unix

package harness

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A target that is a link is copied as what it leads to, and so are links in it that lead back to it.
func TestATargetBehindALinkIsCopied(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	target, link, copied := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "copy")
	for _, err := range []error{os.Mkdir(target, 0o700), os.WriteFile(filepath.Join(target, "a"), nil, 0o600), os.Symlink(target, link), os.Symlink(target, filepath.Join(target, "self"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := copyTree(link, copied, func(string, fs.DirEntry) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, "self", "b"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(copied); err != nil || !info.IsDir() {
		t.Errorf("the copy is %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(target, "b")); err == nil {
		t.Error("what was written into the copy is in the target")
	}
}

func TestOnlyTheFilesOfARunAreSetAside(t *testing.T) {
	for rest, want := range map[string]bool{
		".jsonl": true, ".t2.jsonl": true, ".t10.jsonl.lost": true, ".jsonl.part": true, ".stderr.txt": true, ".t2.stderr.txt": true, ".setup.txt": true, ".server.txt": true,
		".6.jsonl": false, ".6-1.jsonl": false, ".txt": false, "": false, ".jsonl.bak": false,
	} {
		if got := ofRun.MatchString(rest); got != want {
			t.Errorf("%q: %v", rest, got)
		}
	}
}

func TestGitIsToldOfNoOtherRepository(t *testing.T) {
	for variable, want := range map[string]bool{"GIT_INDEX_FILE=/x": true, "GIT_DIR=/x": true, "GIT_COMMON_DIR=/x": true, "GIT_SSH_COMMAND=ssh": false, "PATH=/bin": false} {
		if got := ofRepository(variable); got != want {
			t.Errorf("%s: %v", variable, got)
		}
	}
}

func TestTheAgentDoesNotSeeWhereTheBuildIs(t *testing.T) {
	if got := agentEnv([]string{"A=1", "AB_ENGINE=/x/engine1", "AB_WORKSPACE=/w"}); len(got) != 2 || got[0] != "A=1" || got[1] != "AB_WORKSPACE=/w" {
		t.Errorf("%q", got)
	}
}
