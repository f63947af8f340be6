//go:build slow

package index

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/worktree"
)

// historyCommits is how many commits of each repository follow one another.
const historyCommits = 20

// TestRealHistoryGivesTheGraphsOfItsCommits goes through the last commits of the
// clones in BENCH_REPOS, a list of folders separated by spaces, oldest first and then
// back to the oldest at once. After each commit the graph of a builder that has seen
// all before it, and that of a new one with the facts kept on disk, must be the graph
// that a clean build gives.
func TestRealHistoryGivesTheGraphsOfItsCommits(t *testing.T) {
	dirs := strings.Fields(os.Getenv("BENCH_REPOS"))
	if len(dirs) == 0 {
		t.Skip("BENCH_REPOS names no clone")
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { followHistory(t, dir) })
	}
}

func followHistory(t *testing.T, dir string) {
	repo, err := worktree.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := factcache.Open(t.Context(), filepath.Join(t.TempDir(), "facts.db"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer facts.Close(t.Context())
	commits := lastCommits(t, dir)
	warm := New(Options{Facts: facts})
	different := map[string]bool{}
	for _, commit := range append(commits, commits[0]) {
		tree := worktree.OID(git(t, dir, "rev-parse", commit+"^{tree}"))
		want := digestOf(t, New(Options{}), repo, tree)
		different[want] = true
		if got := digestOf(t, warm, repo, tree); got != want {
			t.Errorf("%s: a builder that saw the history gives another graph", commit)
		}
		if got := digestOf(t, New(Options{Facts: facts}), repo, tree); got != want {
			t.Errorf("%s: kept facts give another graph", commit)
		}
	}
	t.Logf("%d commits from %.10s to %.10s with %d different graphs", len(commits), commits[0], commits[len(commits)-1], len(different))
	if len(different) == 1 {
		t.Error("no commit changes the graph: the history shows nothing")
	}
}

// lastCommits are the last commits of what is checked out, oldest first, along first
// parents: each is an update that a branch really saw.
func lastCommits(t *testing.T, dir string) []string {
	t.Helper()
	commits := strings.Fields(git(t, dir, "rev-list", "--first-parent", "-n", strconv.Itoa(historyCommits), "HEAD"))
	if len(commits) < historyCommits {
		t.Fatalf("%s has %d commits, not %d", dir, len(commits), historyCommits)
	}
	slices.Reverse(commits)
	return commits
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}
