package worktree_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// A forked history: main goes on, a pull request starts three commits before its
// tip, and the server keeps a trial merge of both.
type forked struct {
	*worktreetest.Repo
	base, head, merged, root worktree.OID
}

func newForked(t *testing.T) forked {
	f := forked{Repo: worktreetest.New(t)}
	f.root = f.Commit(map[string]string{"a": "1\n"})
	f.Commit(map[string]string{"a": "2\n"})
	f.Checkout("feature", "main")
	for _, text := range []string{"x\n", "y\n", "z\n"} {
		f.head = f.Commit(map[string]string{"b": text})
	}
	f.Checkout("main")
	for _, text := range []string{"3\n", "4\n", "5\n"} {
		f.base = f.Commit(map[string]string{"a": text})
	}
	f.Checkout("trial", "main")
	f.merged = f.Merge("feature")
	f.Git("update-ref", "refs/pull/7/merge", string(f.merged))
	f.Git("update-ref", "refs/pull/7/head", string(f.head))
	f.Checkout("main")
	f.Git("branch", "-q", "-D", "trial")
	return f
}

func (f forked) url() string { return "file://" + f.Dir }

// checkedOut is what actions/checkout leaves of a pull request by default: one
// commit, the trial merge.
func (f forked) checkedOut(depth string) *worktreetest.Repo {
	clone := f.Clone("--no-checkout", "--depth="+depth)
	clone.Git("fetch", "-q", "--no-tags", "--depth="+depth, "origin", "+refs/pull/7/merge:refs/remotes/pull/7/merge")
	clone.Git("checkout", "-q", "--force", "refs/remotes/pull/7/merge")
	return clone
}

func TestDeepenBringsTheMergeBase(t *testing.T) {
	f := newForked(t)
	for _, c := range []struct {
		claim   string
		clone   *worktreetest.Repo
		fetches bool
	}{
		{"of the trial merge alone", f.checkedOut("1"), true},
		{"of a history that ends above the merge base", f.checkedOut("2"), true},
		{"of a whole clone that lacks the pull request", f.Clone("--single-branch"), true},
		{"of a whole clone", f.Clone(), false},
	} {
		t.Run(c.claim, func(t *testing.T) {
			before := c.clone.Git("for-each-ref")
			fetched, err := c.clone.Open().Deepen(t.Context(), worktree.Upstream{URL: f.url()}, f.base, f.head)
			if err != nil || fetched != c.fetches {
				t.Fatalf("fetched %v, %v", fetched, err)
			}
			bases, err := c.clone.Open().MergeBases(t.Context(), f.base, f.head)
			if err != nil || len(bases) != 1 || bases[0] != f.Rev(string(f.base)+"~3") {
				t.Errorf("merge bases %v, %v", bases, err)
			}
			if after := c.clone.Git("for-each-ref"); after != before {
				t.Errorf("refs were\n%s\nand are\n%s", before, after)
			}
			if c.clone.Open().Shallow() {
				t.Error("the history is still cut")
			}
			c.clone.Git("fsck", "--no-dangling")
			c.clone.Git("log", "--oneline", "HEAD")
			if again, err := c.clone.Open().Deepen(t.Context(), worktree.Upstream{URL: "file:///nowhere"}, f.base, f.head); err != nil || again {
				t.Errorf("the second time: %v, %v", again, err)
			}
			if left, _ := filepath.Glob(filepath.Join(c.clone.Dir, ".git", "*.lock")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// git fetch --depth in a whole clone cuts its history, and then no merge base is
// left. That is the fault that Deepen must not make.
func TestDeepenNeverCutsAWholeClone(t *testing.T) {
	f := newForked(t)
	cut := f.Clone()
	cut.Git("fetch", "-q", "--depth=1", "origin", "main")
	if _, err := cut.Open().MergeBases(t.Context(), f.base, f.head); !errors.Is(err, worktree.ErrShallow) {
		t.Fatalf("the trap does not exist any more: %v", err)
	}
	if fetched, err := cut.Open().Deepen(t.Context(), worktree.Upstream{URL: f.url()}, f.base, f.head); err != nil || !fetched {
		t.Fatalf("it is not mended: %v, %v", fetched, err)
	}
	whole := f.Clone("--single-branch")
	if _, err := whole.Open().Deepen(t.Context(), worktree.Upstream{URL: f.url()}, f.base, f.head); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*worktreetest.Repo{cut, whole} {
		if _, err := os.Stat(filepath.Join(r.Dir, ".git", "shallow")); err == nil {
			t.Error("the history is cut")
		}
	}
}

// The server forgot the trial merge, and nothing that it still has leads to one of
// its parents.
func TestDeepenKeepsTheCutWhereNoParentCame(t *testing.T) {
	f := newForked(t)
	clone := worktreetest.New(t)
	clone.Git("remote", "add", "origin", f.url())
	clone.Git("fetch", "-q", "--no-tags", "--depth=1", "origin", "refs/pull/7/merge")
	clone.Git("checkout", "-q", "--detach", "FETCH_HEAD")
	f.Git("reset", "-q", "--hard", "HEAD~1") // main was forced back: the base of the merge is gone
	f.Git("update-ref", "-d", "refs/pull/7/merge")
	f.Git("update-ref", "-d", "ORIG_HEAD")
	f.Git("reflog", "expire", "--expire=now", "--all")
	f.Git("gc", "-q", "--prune=now")
	older := f.Rev("main")
	if _, err := clone.Open().Deepen(t.Context(), worktree.Upstream{URL: f.url()}, older, f.head); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(clone.Dir, ".git", "shallow"))
	if err != nil || string(text) != string(f.merged)+"\n" {
		t.Errorf("cut commits %q, %v", text, err)
	}
	if bases, err := clone.Open().MergeBases(t.Context(), older, f.head); err != nil || len(bases) != 1 {
		t.Errorf("merge bases %v, %v", bases, err)
	}
	clone.Git("log", "--oneline", "HEAD")
}

func TestDeepenSaysWhatItCannotGet(t *testing.T) {
	f := newForked(t)
	clone := f.checkedOut("1")
	gone := worktree.OID(strings.Repeat("ab", 20))
	for _, c := range []struct {
		claim, url string
		head       worktree.OID
		want       error
	}{
		{"a commit that nobody has", f.url(), gone, worktree.ErrFetchFailed},
		{"a server that is not there", "file:///nowhere", f.head, worktree.ErrFetchFailed},
		{"a program as a server", "ext::sh -c touch%20" + clone.Dir, f.head, worktree.ErrBadURL},
		{"an option as a server", "--upload-pack=x", f.head, worktree.ErrBadURL},
		{"an option as a commit", f.url(), "--all", worktree.ErrBadRevision},
		{"a branch as a commit", f.url(), "main", worktree.ErrBadRevision},
	} {
		t.Run(c.claim, func(t *testing.T) {
			_, err := clone.Open().Deepen(t.Context(), worktree.Upstream{URL: c.url}, f.base, c.head)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if text, err := os.ReadFile(filepath.Join(clone.Dir, ".git", "shallow")); err != nil || len(text) == 0 {
				t.Errorf("the list of cut commits: %q, %v", text, err)
			}
		})
	}
}

// The configuration of a clone may name programs and other servers. None of it is
// looked at.
func TestDeepenReadsNoConfigurationOfTheClone(t *testing.T) {
	f := newForked(t)
	clone := f.checkedOut("1")
	marker := filepath.Join(t.TempDir(), "ran")
	clone.Git("config", "remote.origin.uploadpack", "touch "+marker+";git-upload-pack")
	clone.Git("config", "uploadpack.packObjectsHook", "touch "+marker)
	clone.Git("config", "core.fsmonitor", "touch "+marker)
	clone.Git("config", "core.sshCommand", "touch "+marker)
	clone.Git("config", "url.file:///nowhere.insteadOf", f.url())
	hook := filepath.Join(clone.Dir, ".git", "hooks", "reference-transaction")
	if err := os.MkdirAll(filepath.Dir(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ntouch "+marker+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := clone.Open().Deepen(t.Context(), worktree.Upstream{URL: f.url()}, f.base, f.head); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a program that the configuration names ran")
	}
}

// The token reaches the server by header, and neither git's arguments nor a file
// of the clone.
func TestDeepenGivesTheTokenByHeader(t *testing.T) {
	f := newForked(t)
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Fatal("git comes without its http server: ", err)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	git := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + f.Dir, "GIT_HTTP_EXPORT_ALL=1"}, InheritEnv: []string{"PATH"}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Header.Get("Authorization")]++
		mu.Unlock()
		if r.Header.Get("Authorization") != "basic c2VjcmV0" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		git.ServeHTTP(w, r)
	}))
	defer server.Close()
	clone := f.checkedOut("1")
	url := server.URL + "/.git"
	if _, err := clone.Open().Deepen(t.Context(), worktree.Upstream{URL: url}, f.base, f.head); !errors.Is(err, worktree.ErrFetchFailed) {
		t.Fatalf("without a token: %v", err)
	}
	_, err = clone.Open().Deepen(t.Context(), worktree.Upstream{URL: url, Authorization: "basic c2VjcmV0"}, f.base, f.head)
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != 2 || seen["basic c2VjcmV0"] == 0 {
		t.Errorf("headers %v", seen)
	}
	found, _ := exec.Command("grep", "-rl", "c2VjcmV0", clone.Dir).Output()
	if len(found) > 0 {
		t.Errorf("the token stays in %s", found)
	}
}

func TestDeepenEndsWithItsContext(t *testing.T) {
	f := newForked(t)
	ctx, cancel := context.WithCancel(t.Context())
	clone := f.checkedOut("1").Open()
	cancel()
	if _, err := clone.Deepen(ctx, worktree.Upstream{URL: f.url()}, f.base, f.head); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
