package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// fineGit are commands that people and agents run in a checkout without a
// second thought.
var fineGit = [][]string{
	{"status"}, {"status", "--porcelain", "--ignored"}, {"diff"}, {"diff", "HEAD"}, {"log", "-p", "-2"}, {"show", "HEAD"},
	{"grep", "-n", "one"}, {"ls-files", "-m", "-o"}, {"blame", "a.txt"}, {"stash", "list"}, {"checkout", "-q", "-f", "HEAD"},
	{"worktree", "list"}, {"fetch", "-q"}, {"archive", "HEAD"}, {"submodule", "status"}, {"reset", "-q", "--hard"}, {"gc", "--auto"},
	{"add", "-A"},
}

// useStore does with the repository's own store whatever there is to do.
func useStore(t *testing.T, h *worktreetest.Hostile, url string, heads map[int]worktree.OID) {
	t.Helper()
	r, err := worktree.Open(ctx, h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Store(ctx)
	if err != nil {
		t.Fatal(err)
	}
	parent := filepath.Join(t.TempDir(), "state")
	for number, head := range heads {
		f, err := s.FetchPull(ctx, url, number)
		if err != nil || f.Head != head {
			t.Errorf("pull request %d: %+v, %v, want %s", number, f, err, head)
			continue
		}
		c, err := s.Add(ctx, number, head, parent, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		commands := fineGit
		if number != 7 {
			commands = fineGit[:3] // the same files, and a process each
		}
		for _, args := range commands {
			_, _ = h.At(c.Root).Try(nil, args...) // some of them fail
		}
		if ran := h.Ran(); len(ran) > 0 {
			t.Fatalf("a plain git in the checkout ran %q", ran)
		}
		if _, _, err := r.Authorize(ctx, c.Root); err != nil {
			t.Error(err)
		}
		if err := s.Remove(ctx, c.Root, nil); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Add(ctx, 1, h.Head, parent, nil); !errors.Is(err, worktree.ErrObjectMissing) {
		t.Errorf("a commit that lacks a blob: %v", err)
	}
	if pruned, err := s.Prune(ctx); err != nil || len(pruned) > 0 {
		t.Errorf("pruned %v, %v", pruned, err)
	}
	if _, _, err := worktree.Authorize(ctx, h.Dir); err != nil {
		t.Error(err)
	}
}

// everywhere gives the user's own configuration the programs that content may
// call by attributes alone, as git lfs install does.
func everywhere(t *testing.T, h *worktreetest.Hostile) {
	t.Helper()
	outside := h.At(t.TempDir())
	config := filepath.Join(h.Dir, ".git", "config")
	for _, key := range []string{
		"filter.lfs.clean", "filter.lfs.smudge", "filter.marker.clean", "filter.marker.smudge", "filter.process.process",
		"diff.conv.textconv", "diff.prog.command", "merge.marker.driver", "core.fsmonitor", "core.hooksPath",
	} {
		if value, err := outside.Try(nil, "config", "--file", config, key); err == nil {
			outside.Git("config", "--global", key, value)
		}
	}
}

func TestNoProgramRunsInTheStoreOfAHostileRepository(t *testing.T) {
	for _, source := range worktreetest.Sources() {
		t.Run(string(source), func(t *testing.T) {
			t.Parallel()
			h := worktreetest.NewHostile(t, source)
			url, err := worktree.RemoteURL(ctx, h.Open(), "origin")
			if err != nil {
				t.Fatal(err)
			}
			origin := h.At(strings.TrimPrefix(url, "file://"))
			heads := map[int]worktree.OID{}
			for number, name := range map[int]string{7: "a.txt", 8: "b.proc", 9: "c.lfs"} {
				origin.Git("checkout", "-q", "--detach", "main")
				heads[number] = origin.Commit(map[string]string{
					name: "one\n", "a.txt": "one\n", "b.proc": "one\n", "c.lfs": "one\n", "d.eq": "one\n", "e.cmd": "one\n",
					".husky/post-checkout": "#!/bin/sh\nexit 1\n", ".gitmodules": "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n",
				})
				with := origin.Object("blob", "*.txt filter=marker diff=conv merge=marker\n*.proc filter=process\n*.eq filter=a=b\n*.cmd diff=prog\n*.lfs filter=lfs\n")
				origin.Git("update-index", "--add", "--cacheinfo", "100644,"+string(with)+",.gitattributes")
				heads[number] = origin.CommitTree(worktree.OID(origin.Git("write-tree")), heads[number])
				origin.Git("update-ref", "refs/pull/"+string(rune('0'+number))+"/head", string(heads[number]))
			}
			if ran := h.Ran(); len(ran) > 0 {
				t.Fatalf("the preparation itself ran %q", ran)
			}
			everywhere(t, h)
			useStore(t, h, url, heads)
			if ran := h.Ran(); len(ran) > 0 {
				t.Fatalf("%d of %d vectors ran: %q", len(ran), len(h.Vectors()), ran)
			}
			t.Logf("0 of %d vectors ran", len(h.Vectors()))
			// The control: an ordinary worktree of the same commit runs some.
			_, _ = h.Try(nil, "fetch", "-q", url, string(heads[7]))
			_, _ = h.Try(nil, "worktree", "add", "--detach", filepath.Join(t.TempDir(), "naive"), string(heads[7]))
			if ran := h.Ran(); !slices.Contains(ran, "hook post-checkout") && !slices.Contains(ran, "hook reference-transaction") {
				t.Errorf("a plain worktree runs nothing either, only %q, so this test could not fail", ran)
			}
		})
	}
}

func TestNoProgramOfAHostileRemoteRuns(t *testing.T) {
	t.Parallel()
	for _, source := range worktreetest.Sources() {
		h := worktreetest.NewHostile(t, source)
		// By hand, because git would run a hook.
		for number, oid := range map[string]worktree.OID{"7": h.Base, "8": h.Head} {
			dir := filepath.Join(h.Dir, ".git", "refs", "pull", number)
			must(t, os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "head"), []byte(oid+"\n"), 0o600))
		}
		must(t, os.WriteFile(filepath.Join(h.Dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
		local := worktreetest.New(t)
		local.Commit(map[string]string{"a.txt": "a\n"})
		s := storeOf(t, local)
		for _, url := range urls(h.Dir, source) {
			if f, err := s.FetchPull(ctx, url, 7); err != nil || f.Head != h.Base {
				t.Errorf("%s: %+v, %v", source, f, err)
			}
			// It lacks an object and must not go and fetch it.
			if f, err := s.FetchPull(ctx, url, 8); !errors.Is(err, worktree.ErrFetchFailed) {
				t.Errorf("%s: %+v, %v", source, f, err)
			}
		}
		if _, err := s.Add(ctx, 7, h.Base, filepath.Join(t.TempDir(), "state"), nil); err != nil {
			t.Errorf("%s: %v", source, err)
		}
		if ran := h.Ran(); len(ran) > 0 {
			t.Errorf("%s: %d of %d vectors ran: %q", source, len(ran), len(h.Vectors()), ran)
		}
	}
}

// urls is the URL of a folder, and for one source also its path: both start the
// same upload-pack.
func urls(dir string, source worktreetest.Source) []string {
	if source == worktreetest.ConfigFile {
		return []string{dir, "file://" + dir}
	}
	return []string{"file://" + dir}
}
