package worktree

import "testing"

func TestGitVersionIsTheOneThatOpenUses(t *testing.T) {
	v, err := GitVersion(t.Context())
	if err != nil || v == "" {
		t.Fatalf("GitVersion gives %q, %v", v, err)
	}
	t.Setenv("PATH", t.TempDir())
	if v, err := GitVersion(t.Context()); err == nil {
		t.Errorf("GitVersion gives %q where there is no git", v)
	}
}
