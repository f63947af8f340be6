package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestNoProgramOfARepositoryRunsUnderAnyCommand(t *testing.T) {
	h := worktreetest.NewHostile(t, worktreetest.ConfigFile)
	commands := []struct {
		code int
		args []string
	}{
		{ExitOK, []string{"doctor", "--repo", h.Dir}},
		{ExitOK, []string{"graph", "build", "--repo-root", h.Dir}},
		{ExitOK, []string{"graph", "status", "--repo-root", h.Dir}},
		{ExitOK, []string{"graph", "edges", "--repo-root", h.Dir}},
		{ExitOK, []string{"graph", "coverage", "--repo-root", h.Dir}},
		{ExitUnevaluated, []string{"graph", "coverage", "--repo-root", h.Dir, "--bound"}},
		{ExitOK, []string{"graph", "build", "--repo-root", h.Dir, "--commit", string(h.Base)}},
		{ExitOK, []string{"graph", "coverage", "--repo-root", h.Dir, "--commit", string(h.Base)}},
		{ExitOK, []string{"review", "--repo", h.Dir, "--base", string(h.Base), "--head", string(h.Head)}},
		{ExitOK, []string{"gc", "--repo-root", h.Dir, "--max-state-bytes", "1"}},
		{ExitOK, []string{"cleanup", "--repo-root", h.Dir, "--confirmation", "approved"}},
		{ExitUnevaluated, []string{"graph", "search", "x", "--repo-root", h.Dir}},
	}
	for _, c := range commands {
		args := c.args
		code, out, stderr := run(args...)
		if code != c.code || (out == "") != (c.code != ExitOK) {
			t.Errorf("%v: exit code %d, stderr %q", args, code, stderr)
		}
		if ran := h.Ran(); len(ran) > 0 {
			t.Fatalf("%v: %d of %d programs ran: %q", args, len(ran), len(h.Vectors()), ran)
		}
	}
	if _, err := h.Try(nil, "status"); err == nil && len(h.Ran()) == 0 {
		t.Error("a plain git status runs nothing here either, so this test could not fail")
	}
}

// Three pull requests of a hostile remote are reviewed, checked out, asked about and
// removed again, and between all that somebody runs plain git commands in them.
func TestNoProgramRunsForPullRequests(t *testing.T) {
	h := worktreetest.NewHostile(t, worktreetest.ConfigFile)
	if n := len(h.Vectors()); n < 35 {
		t.Fatalf("only %d vectors", n)
	}
	hostilePulls(t, h, 4)
	checkouts, reports := t.TempDir(), t.TempDir()
	root := func(number int) string { return filepath.Join(checkouts, fmt.Sprintf("pr-%d", number)) }
	repo, parent := []string{"--repo", h.Dir}, []string{"--worktree-root", checkouts}
	for _, step := range []struct {
		code int
		args []string
	}{
		{ExitOK, slices.Concat([]string{"review", "--format", "json", "--output-dir", reports, "1", "2", "3"}, repo, parent)},
		{ExitOK, slices.Concat([]string{"verify", filepath.Join(reports, "pr-2.json")}, repo)},
		{ExitOK, slices.Concat([]string{"worktree", "add", "4"}, repo, parent)},
		{ExitOK, slices.Concat([]string{"worktree", "list"}, repo)},
		{ExitOK, []string{"graph", "build", "--repo-root", root(4)}},
		{ExitOK, []string{"graph", "status", "--repo-root", root(1), "--bound"}},
		{ExitOK, []string{"graph", "search", "amount", "--repo-root", root(2), "--bound"}},
		{ExitOK, []string{"review", "--repo", root(3)}},
		{ExitOK, []string{"doctor", "--repo", root(3)}},
		{ExitOK, []string{"cleanup", "--repo-root", root(1), "--confirmation", "approved"}},
		{ExitUnevaluated, []string{"cleanup", "--repo-root", root(4), "--confirmation", "approved"}},
		{ExitOK, []string{"cleanup", "--repo-root", h.Dir, "--pr", "2", "--closed"}},
		{ExitOK, []string{"gc", "--repo-root", h.Dir, "--keep-pulls", "0", "--max-state-bytes", "1"}},
		{ExitOK, slices.Concat([]string{"worktree", "prune"}, repo)},
	} {
		if code, _, stderr := run(step.args...); code != step.code {
			t.Errorf("%v: exit code %d, stderr %q", step.args, code, stderr)
		}
		if ran := h.Ran(); len(ran) > 0 {
			t.Fatalf("%v: %d of %d programs ran: %q", step.args, len(ran), len(h.Vectors()), ran)
		}
	}
	for _, number := range []int{1, 3, 4} {
		if text, err := os.ReadFile(filepath.Join(root(number), "a.txt")); err != nil || string(text) != "filtered\n" {
			t.Errorf("checked out is %q, %v", text, err)
		}
		for _, naive := range [][]string{{"status"}, {"diff", "HEAD~1"}, {"log", "-p", "-1"}} {
			if _, err := h.At(root(number)).Try(nil, naive...); err != nil {
				t.Error(err)
			}
		}
	}
	ran := h.Ran()
	t.Logf("%d of %d vectors ran", len(ran), len(h.Vectors()))
	if len(ran) > 0 {
		t.Errorf("programs ran: %q", ran)
	}
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
