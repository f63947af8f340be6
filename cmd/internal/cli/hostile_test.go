package cli

import (
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
