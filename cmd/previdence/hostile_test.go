package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/previdence/previdence/worktree/worktreetest"
)

// Three pull requests of a hostile remote are reviewed while an agent asks about the
// repository over MCP, then about each checkout, and everything is cleaned up again.
// In between somebody runs plain git in the checkouts.
func TestNoProgramRunsWhileAReviewASessionAndACleanupMeet(t *testing.T) {
	h := worktreetest.NewHostile(t, worktreetest.ConfigFile)
	hostilePulls(t, h, 4)
	checkouts, reports := t.TempDir(), t.TempDir()
	f := &field{t: t, repo: h.Repo, roots: []string{h.Dir}, home: t.TempDir()}
	for i := range 4 {
		f.roots = append(f.roots, filepath.Join(checkouts, fmt.Sprintf("pr-%d", i+1)))
	}
	f.connect()
	quiet := func(when string) {
		t.Helper()
		if ran := h.Ran(); len(ran) > 0 {
			t.Fatalf("%s: %d of %d vectors ran: %q", when, len(ran), len(h.Vectors()), ran)
		}
	}
	command := func(args ...string) {
		t.Helper()
		if out, err := f.command(args...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
	ask := func(root string) {
		t.Helper()
		f.build(root)
		for _, q := range questions {
			f.tool(q.tool, root, q.arguments)
		}
		if _, refused := f.tool("review_changes", root, map[string]any{"base": "HEAD~1"}); refused != "" {
			t.Errorf("review_changes of %s: %s", root, refused)
		}
	}

	var both sync.WaitGroup
	both.Go(func() {
		command("review", "--worktree-root", checkouts, "--format", "json", "--output-dir", reports, "1", "2", "3")
	})
	both.Go(func() { ask(h.Dir) })
	both.Wait()
	quiet("a review of three heads and a session")
	if made, err := filepath.Glob(filepath.Join(reports, "*.json")); err != nil || len(made) != 3 {
		t.Errorf("reports %q, %v", made, err)
	}
	command("worktree", "add", "4", "--worktree-root", checkouts)
	for _, root := range f.roots[1:] {
		ask(root)
		if text, err := os.ReadFile(filepath.Join(root, "a.txt")); err != nil || string(text) != "filtered\n" {
			t.Errorf("%s: checked out is %q, %v", root, text, err)
		}
	}
	command("graph", "status", "--repo-root", f.roots[1], "--bound")
	quiet("a session about checkouts")
	for _, root := range f.roots[1:] {
		if _, err := h.At(root).Try(nil, "status"); err != nil {
			t.Error(err)
		}
	}
	quiet("a naive git status in each checkout")
	if got, refused := f.tool("delete_graph", f.roots[1], map[string]any{"confirmation": "approved"}); refused != "" {
		t.Errorf("delete_graph: %s %v", refused, got)
	}
	command("cleanup", "--repo-root", f.roots[2], "--confirmation", "approved")
	command("cleanup", "--pr", "3", "--closed")
	command("worktree", "remove", "4")
	command("gc", "--keep-pulls", "0", "--max-state-bytes", "1")
	quiet("a cleanup")
	if n := len(h.Vectors()); n < 35 {
		t.Errorf("only %d vectors", n)
	}
	t.Logf("%d of %d vectors ran", len(h.Ran()), len(h.Vectors()))

	// The control: in a plain worktree of the repository itself some do.
	_, _ = h.Try(nil, "worktree", "add", "--detach", filepath.Join(t.TempDir(), "naive"), "main")
	if len(h.Ran()) == 0 {
		t.Error("a plain git runs nothing here either, so this test could not fail")
	}
}

// hostilePulls makes pull requests at the remote whose files ask for programs.
func hostilePulls(t *testing.T, h *worktreetest.Hostile, n int) {
	t.Helper()
	url, err := h.Try(nil, "config", "--get", "remote.origin.url")
	if err != nil {
		t.Fatal(err)
	}
	origin := h.At(strings.TrimPrefix(url, "file://"))
	for i := range n {
		origin.Checkout("work", "main")
		head := origin.Commit(map[string]string{
			"pay.py": fmt.Sprintf("def amount():\n    return %d\n", i), "a.txt": "filtered\n", "b.cmd": "compared\n",
			".gitattributes": "*.txt filter=marker diff=conv\n*.cmd diff=prog\n", ".gitmodules": "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n",
		})
		origin.Git("update-ref", fmt.Sprintf("refs/pull/%d/head", i+1), string(head))
		origin.Checkout("main")
		origin.Git("branch", "-q", "-D", "work")
	}
}
