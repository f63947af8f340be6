package cli

import (
	"testing"

	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestNoProgramOfARepositoryRunsUnderAnyCommand(t *testing.T) {
	h := worktreetest.NewHostile(t, worktreetest.ConfigFile)
	commands := [][]string{
		{"doctor", "--repo", h.Dir},
		{"graph", "build", "--repo-root", h.Dir},
		{"graph", "status", "--repo-root", h.Dir},
		{"graph", "edges", "--repo-root", h.Dir},
		{"graph", "coverage", "--repo-root", h.Dir},
		{"review", "--repo", h.Dir, "--base", string(h.Base), "--head", string(h.Head)},
	}
	for _, args := range commands {
		code, out, stderr := run(args...)
		if code != ExitOK || out == "" {
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
