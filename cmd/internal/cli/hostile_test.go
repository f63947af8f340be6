package cli

import (
	"fmt"
	"os"
	"path/filepath"
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

// Three pull requests of a hostile remote are fetched, checked out and reviewed,
// and one of the reports is verified.
func TestNoProgramRunsForPullRequests(t *testing.T) {
	h := worktreetest.NewHostile(t, worktreetest.ConfigFile)
	url, err := h.Try(nil, "config", "--get", "remote.origin.url")
	if err != nil {
		t.Fatal(err)
	}
	origin := h.At(strings.TrimPrefix(url, "file://"))
	for i := range 3 {
		origin.Checkout("work", "main")
		head := origin.Commit(map[string]string{
			"pay.py": fmt.Sprintf("def amount():\n    return %d\n", i), "a.txt": "filtered\n", "b.cmd": "compared\n",
			".gitattributes": "*.txt filter=marker diff=conv\n*.cmd diff=prog\n", ".gitmodules": "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n",
		})
		origin.Git("update-ref", fmt.Sprintf("refs/pull/%d/head", i+1), string(head))
		origin.Checkout("main")
		origin.Git("branch", "-q", "-D", "work")
	}
	checkouts, reports := t.TempDir(), t.TempDir()
	for _, args := range [][]string{
		{"review", "--repo", h.Dir, "--worktree-root", checkouts, "--format", "json", "--output-dir", reports, "1", "2", "3"},
		{"verify", "--repo", h.Dir, filepath.Join(reports, "pr-2.json")},
	} {
		if code, _, stderr := run(args...); code != ExitOK {
			t.Errorf("%v: exit code %d, stderr %q", args, code, stderr)
		}
	}
	for i := range 3 {
		root := filepath.Join(checkouts, fmt.Sprintf("pr-%d", i+1))
		if text, err := os.ReadFile(filepath.Join(root, "a.txt")); err != nil || string(text) != "filtered\n" {
			t.Errorf("checked out is %q, %v", text, err)
		}
		for _, naive := range [][]string{{"status"}, {"diff", "HEAD~1"}, {"log", "-p", "-1"}} {
			if _, err := h.At(root).Try(nil, naive...); err != nil {
				t.Error(err)
			}
		}
	}
	ran := h.Ran()
	t.Logf("%d of %d vectors ran", len(ran), len(h.Vectors()))
	if len(ran) > 0 {
		t.Errorf("programs ran: %q", ran)
	}
}
