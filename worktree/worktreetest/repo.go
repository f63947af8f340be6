// Package worktreetest builds git repositories for tests.
//
// Input is file contents; output is real repositories made by real git in a
// temporary folder, with a home of their own and with fixed names and dates,
// so that the same calls give the same object IDs everywhere. It is for tests
// only and never touches a repository that it did not make, nor the
// configuration of the user.
package worktreetest

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/previdence/previdence/worktree"
)

// A Repo is a repository under test. A call that fails ends the test.
type Repo struct {
	Dir string // the worktree, or the bare repository itself

	t       testing.TB
	home    string
	commits int
	objects string // found when first needed, as is format
	format  string
}

// timeout ends a git that waits for something that will not come.
const timeout = 30 * time.Second

// New makes an empty repository on the branch main. More arguments are given
// to git init, such as "--bare" or "--object-format=sha256".
func New(t testing.TB, args ...string) *Repo {
	t.Helper()
	r := &Repo{t: t, Dir: filepath.Join(tempDir(t), "repo"), home: t.TempDir()}
	if err := os.Mkdir(r.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.Git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

// tempDir is t.TempDir without the symlinks that some systems have in it.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// At returns the same tools for another folder, such as a linked worktree.
func (r *Repo) At(dir string) *Repo {
	other := *r
	other.Dir, other.objects = dir, ""
	return &other
}

// Clone clones the repository into a new folder. The arguments go to git
// clone, such as "--depth=1".
func (r *Repo) Clone(args ...string) *Repo {
	r.t.Helper()
	clone := r.At(filepath.Join(tempDir(r.t), "clone"))
	// By URL, because --depth and --filter do nothing for a path.
	r.Git(append(append([]string{"clone", "-q"}, args...), "file://"+r.Dir, clone.Dir)...)
	return clone
}

// Open opens the repository with the package under test.
func (r *Repo) Open() *worktree.Repo {
	r.t.Helper()
	repo, err := worktree.Open(context.Background(), r.Dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return repo
}

// Git runs git in the repository and returns its output without the last
// newline.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	return r.GitInput(nil, args...)
}

// GitInput is [Repo.Git] with something to read.
func (r *Repo) GitInput(stdin []byte, args ...string) string {
	r.t.Helper()
	out, err := r.Try(stdin, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// Try is [Repo.GitInput] for a command that may fail.
func (r *Repo) Try(stdin []byte, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.WaitDelay = time.Second
	cmd.Dir = r.Dir
	cmd.Stdin = bytes.NewReader(stdin)
	date := fmt.Sprintf("%d +0000", 1_700_000_000+60*r.commits)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + r.home,
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A U Thor", "GIT_AUTHOR_EMAIL=author@example.com", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=C O Mitter", "GIT_COMMITTER_EMAIL=committer@example.com", "GIT_COMMITTER_DATE=" + date,
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(stdout.String(), "\n"), nil
}

// Write writes files into the worktree, with their folders.
func (r *Repo) Write(files map[string]string) {
	r.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(r.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

// Commit writes files, deletes others, and commits all that the worktree then
// holds.
func (r *Repo) Commit(files map[string]string, deletes ...string) worktree.OID {
	r.t.Helper()
	for _, name := range deletes {
		if err := os.RemoveAll(filepath.Join(r.Dir, filepath.FromSlash(name))); err != nil {
			r.t.Fatal(err)
		}
	}
	r.Write(files)
	r.Git("add", "-A")
	r.commits++
	r.Git("commit", "-q", "--allow-empty", "-m", fmt.Sprintf("commit %d", r.commits))
	return r.Rev("HEAD")
}

// Rev returns the object that a revision names.
func (r *Repo) Rev(rev string) worktree.OID {
	r.t.Helper()
	return worktree.OID(r.Git("rev-parse", "--verify", rev))
}

// Checkout checks a branch out; with a start it is made there first.
func (r *Repo) Checkout(branch string, start ...string) {
	r.t.Helper()
	if len(start) > 0 {
		r.Git("checkout", "-q", "-b", branch, start[0])
		return
	}
	r.Git("checkout", "-q", branch)
}

// Merge merges a revision into the branch that is checked out.
func (r *Repo) Merge(rev string) worktree.OID {
	r.t.Helper()
	r.commits++
	r.Git("merge", "-q", "--no-ff", "-m", fmt.Sprintf("merge %d", r.commits), rev)
	return r.Rev("HEAD")
}

// Object stores an object exactly as given, however wrong it is. git has no
// part in it: a test of hostile trees needs hundreds of them.
func (r *Repo) Object(kind, content string) worktree.OID {
	r.t.Helper()
	object := fmt.Appendf(nil, "%s %d\x00%s", kind, len(content), content)
	sum := sha1.Sum(object)
	oid := worktree.OID(hex.EncodeToString(sum[:]))
	objects, format := r.store()
	if format == "sha256" {
		sum := sha256.Sum256(object)
		oid = worktree.OID(hex.EncodeToString(sum[:]))
	}
	path := filepath.Join(objects, string(oid[:2]), string(oid[2:]))
	if _, err := os.Stat(path); err == nil {
		return oid
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, err := w.Write(object)
	if err := errors.Join(err, w.Close(), os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, packed.Bytes(), 0o400)); err != nil {
		r.t.Fatal(err)
	}
	return oid
}

// store returns the folder of the objects and the hash that names them.
func (r *Repo) store() (objects, format string) {
	r.t.Helper()
	if r.objects == "" {
		r.format = r.Git("rev-parse", "--show-object-format")
		r.objects = r.Git("rev-parse", "--path-format=absolute", "--git-path", "objects")
	}
	return r.objects, r.format
}

// An Entry is one line of a tree that [Repo.Tree] writes unchecked.
type Entry struct {
	Mode string
	Name string
	OID  worktree.OID
}

// Tree stores a tree with these entries in this order, however wrong they are.
func (r *Repo) Tree(entries ...Entry) worktree.OID {
	r.t.Helper()
	var content strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&content, "%s %s\x00", e.Mode, e.Name)
		id, err := hex.DecodeString(string(e.OID))
		if err != nil {
			r.t.Fatalf("object ID %q: %v", e.OID, err)
		}
		content.Write(id)
	}
	return r.Object("tree", content.String())
}

// CommitTree stores a commit of a tree. No branch is moved.
func (r *Repo) CommitTree(tree worktree.OID, parents ...worktree.OID) worktree.OID {
	r.t.Helper()
	r.commits++
	args := []string{"commit-tree", "-m", fmt.Sprintf("commit %d", r.commits)}
	for _, parent := range parents {
		args = append(args, "-p", string(parent))
	}
	return worktree.OID(r.Git(append(args, string(tree))...))
}

// LooseObject returns the file that holds an object.
func (r *Repo) LooseObject(oid worktree.OID) string {
	r.t.Helper()
	objects, _ := r.store()
	return filepath.Join(objects, string(oid[:2]), string(oid[2:]))
}

// ReplaceObject overwrites the file of a loose object.
func (r *Repo) ReplaceObject(oid worktree.OID, content []byte) {
	r.t.Helper()
	path := r.LooseObject(oid)
	if err := os.Chmod(path, 0o600); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// RemoveObject deletes a loose object.
func (r *Repo) RemoveObject(oid worktree.OID) {
	r.t.Helper()
	if err := os.Remove(r.LooseObject(oid)); err != nil {
		r.t.Fatal(err)
	}
}
