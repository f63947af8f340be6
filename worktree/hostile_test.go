package worktree_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// useAll calls everything there is to call on the repository of dir.
func useAll(t *testing.T, h *worktreetest.Hostile, dir string) {
	t.Helper()
	ctx := context.Background()
	r, err := worktree.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	if is, err := r.Partial(ctx); !is || err != nil {
		t.Error("the promisor remote was not seen")
	}
	if name := r.Name(ctx); name != "" {
		t.Errorf("a path has the name %q", name)
	}
	if _, head, err := r.Head(ctx); err != nil || head != h.Head {
		t.Errorf("head is %s, %v, want %s", head, err, h.Head)
	}
	if base, err := r.DefaultBase(ctx); err != nil || base != "main" {
		t.Errorf("default base is %q, %v", base, err)
	}
	head, err := r.Resolve(ctx, "head")
	if err != nil || head != h.Head {
		t.Errorf("head resolves to %s, %v", head, err)
	}
	if _, err := r.Resolve(ctx, string(h.Missing)); !errors.Is(err, worktree.ErrUnknownRevision) {
		t.Errorf("a missing object resolves: %v", err)
	}
	if _, err := r.MergeBases(ctx, h.Base, head); err != nil {
		t.Error(err)
	}
	if _, err := r.TreeOf(ctx, head); err != nil {
		t.Error(err)
	}
	if before, err := r.Past(nil).Before(ctx, head, 10); err != nil || len(before) == 0 {
		t.Errorf("%d commits, %v", len(before), err)
	}
	changes, err := r.Diff(ctx, h.Base, head)
	if err != nil || len(changes) < 10 {
		t.Errorf("%d changes, %v", len(changes), err)
	}
	listing, err := r.List(ctx, head)
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, r, h, listing)
}

func readAll(t *testing.T, r *worktree.Repo, h *worktreetest.Hostile, listing worktree.Listing) {
	t.Helper()
	ctx := context.Background()
	content := make(map[string]string)
	var oids []worktree.OID
	var paths []string
	for _, e := range listing.Entries {
		if e.Mode != worktree.ModeSubmodule {
			oids, paths = append(oids, e.OID), append(paths, e.Path)
		}
	}
	err := r.Blobs(ctx, oids, 1<<20, func(i int, data []byte, err error) error {
		if missing := oids[i] == h.Missing; missing != errors.Is(err, worktree.ErrObjectMissing) || !missing && err != nil {
			t.Errorf("%s: %v", paths[i], err)
		}
		content[paths[i]] = string(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a.txt": "one\ntwo\nthree\nfour\n", "g.id": "$Id$\n", "h.crlf": "one\n", "i.hidden": "one\n", "f.lfs": "two\n",
	} {
		if content[path] != want {
			t.Errorf("%s holds %q, its blob holds %q", path, content[path], want)
		}
	}
	if _, err := r.Blob(ctx, h.Missing, 1<<20); !errors.Is(err, worktree.ErrObjectMissing) {
		t.Errorf("the missing blob: %v", err)
	}
}

func TestNoProgramOfARepositoryRuns(t *testing.T) {
	for _, source := range worktreetest.Sources() {
		t.Run(string(source), func(t *testing.T) {
			t.Parallel()
			h := worktreetest.NewHostile(t, source)
			if n := len(h.Vectors()); n < 75 {
				t.Fatalf("only %d vectors", n)
			}
			useAll(t, h, h.Dir)
			useAll(t, h, filepath.Join(h.Dir, "new"))
			if _, err := worktree.Open(context.Background(), filepath.Join(h.Inner, "refs")); !errors.Is(err, worktree.ErrNotRepository) {
				t.Errorf("a folder inside an embedded bare repository: %v", err)
			}
			if _, err := worktree.Open(context.Background(), h.Inner); err != nil && !errors.Is(err, worktree.ErrNotRepository) {
				t.Errorf("an embedded bare repository: %v", err)
			}
			if ran := h.Ran(); len(ran) > 0 {
				t.Fatalf("%d of %d vectors ran: %q", len(ran), len(h.Vectors()), ran)
			}
			t.Logf("0 of %d vectors ran", len(h.Vectors()))
			naive(t, h)
		})
	}
}

// naive shows that the programs would run, so that the test above can fail.
func naive(t *testing.T, h *worktreetest.Hostile) {
	t.Helper()
	for _, args := range [][]string{
		{"status"},
		{"-C", h.Inner, "--work-tree=.", "status"},
		{"diff"},
		{"diff", "--no-ext-diff", "main", "head"},
		{"--no-pager", "log", "-p", "-1", "--show-signature", "head", "--", "a.txt"},
		{"cat-file", "-p", string(h.Missing)},
		{"marker"},
		{"-C", "sub", "status"},
		{"archive", "--format=marker", "main"},
		{"worktree", "add", "--detach", filepath.Join(t.TempDir(), "naive"), "main"},
		{"-c", "user.useConfigOnly=false", "commit", "-q", "-a", "-m", "naive"},
		{"checkout", "-q", "-f", "main"},
		{"merge", "base"},
		{"difftool", "-y", "main", "base"},
	} {
		// Some of them fail because of what ran.
		_, _ = h.Try(nil, args...)
	}
	ran := h.Ran()
	for _, vector := range []string{
		"core.fsmonitor", "diff.external", "diff.conv.textconv", "filter.marker.clean", "filter.marker.smudge",
		"filter.process.process", "filter.a=b.clean", "gpg.program", "remote.origin.uploadpack",
		"tar.marker.command", "hook post-checkout", "hook reference-transaction", "hook pre-commit", "submodule fsmonitor", "embedded bare repository",
	} {
		if !slices.Contains(ran, vector) {
			t.Errorf("vector %q does not run even in a naive git; ran: %q", vector, ran)
		}
	}
	t.Logf("control: %d ran", len(ran))
}
