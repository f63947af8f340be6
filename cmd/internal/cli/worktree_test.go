package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// pullRequest makes a remote with the pull request 7 and a clone of its main
// branch.
func pullRequest(t *testing.T) (clone *worktreetest.Repo, head string) {
	t.Helper()
	remote := worktreetest.New(t)
	remote.Commit(map[string]string{"go.mod": "module example.com/m\n", "a.go": "package m\n"})
	remote.Checkout("feature", "main")
	head = string(remote.Commit(map[string]string{"a.go": "package m\n\nfunc F() {}\n"}))
	remote.Git("update-ref", "refs/pull/7/head", head)
	remote.Checkout("main")
	return remote.Clone(), head
}

// list is what "previdence worktree list" says.
func list(t *testing.T, dir string) []checkoutAnswer {
	t.Helper()
	code, out, stderr := run("worktree", "list", "--repo", dir, "--format", "json")
	var answer worktreesAnswer
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != ExitOK || answer.Schema != worktreesSchema {
		t.Fatalf("exit code %d, %v, stderr %q, stdout %q", code, err, stderr, out)
	}
	return answer.Checkouts
}

func TestAPullRequestOnDiskIsListedWithItsGraph(t *testing.T) {
	clone, head := pullRequest(t)
	parent := filepath.Join(filepath.Dir(clone.Dir), "state")
	if got := list(t, clone.Dir); len(got) != 0 {
		t.Errorf("before: %+v", got)
	}
	if code, _, stderr := run("worktree", "add", "#7", "--repo", clone.Dir, "--worktree-root", parent); code != ExitOK {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	root := filepath.Join(parent, "pr-7")
	want := checkoutAnswer{Root: root, PullRequest: 7, Head: head, State: "ready", GraphState: "graph_not_ready"}
	got := list(t, clone.Dir)
	if len(got) != 1 || got[0].Files < 5 || got[0].Bytes < 50 || got[0].Made == "" {
		t.Fatalf("%+v", got)
	}
	empty := got[0]
	if got[0].Files, got[0].Bytes, got[0].Made = 0, 0, ""; got[0] != want {
		t.Errorf("%+v, want %+v", got[0], want)
	}
	if code, _, stderr := run("graph", "build", "--repo-root", root); code != ExitOK {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	// Asked in the checkout, it is the same store.
	if got := list(t, root); len(got) != 1 || got[0].GraphState != "ready" || got[0].Bytes <= empty.Bytes {
		t.Errorf("%+v", got)
	}
	if code, out, stderr := run("worktree", "remove", "7", "--repo", clone.Dir); code != ExitOK || !strings.Contains(out, root) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if got := list(t, clone.Dir); len(got) != 0 {
		t.Errorf("after: %+v", got)
	}
}

func TestWorktreeCommandsRefuse(t *testing.T) {
	clone, _ := pullRequest(t)
	parent := filepath.Join(filepath.Dir(clone.Dir), "state")
	if code, _, stderr := run("worktree", "add", "7", "--repo", clone.Dir, "--worktree-root", parent); code != ExitOK {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	mine := filepath.Join(parent, "pr-7", "mine.txt")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"a dirty checkout":             {[]string{"remove", "7"}, ExitUnevaluated, `untracked "mine.txt"`},
		"a checkout that is not there": {[]string{"remove", "8"}, ExitUsage, "not a checkout"},
		"an unknown pull request":      {[]string{"add", "8", "--worktree-root", parent}, ExitUnevaluated, "no such pull request"},
		"an unknown remote":            {[]string{"add", "7", "--remote", "upstream"}, ExitUsage, "no such remote"},
		"a relative place":             {[]string{"add", "7", "--worktree-root", "x"}, ExitUsage, "absolute"},
		"a place inside":               {[]string{"add", "7", "--worktree-root", clone.Dir}, ExitUsage, "inside the repository"},
		"no number":                    {[]string{"add", "seven"}, ExitUsage, "no number"},
		"the number zero":              {[]string{"add", "0"}, ExitUsage, "no number"},
		"a negative number":            {[]string{"add", "--", "-7"}, ExitUsage, "no number"},
		"no operand":                   {[]string{"remove"}, ExitUsage, "the number of a pull request"},
	} {
		args := append([]string{"worktree", "--repo", clone.Dir}, c.args...)
		code, out, stderr := run(args...)
		if code != c.code || out != "" || !strings.Contains(stderr, c.says) || !strings.Contains(stderr, "hint: ") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", name, code, out, stderr)
		}
	}
	if _, err := os.Lstat(mine); err != nil {
		t.Error(err)
	}
	if got := list(t, clone.Dir); len(got) != 1 || got[0].State != "ready" {
		t.Errorf("%+v", got)
	}
}

func TestWorktreePruneForgetsWhatIsGone(t *testing.T) {
	clone, _ := pullRequest(t)
	parent := filepath.Join(filepath.Dir(clone.Dir), "state")
	run("worktree", "add", "7", "--repo", clone.Dir, "--worktree-root", parent)
	if err := os.RemoveAll(parent); err != nil {
		t.Fatal(err)
	}
	if got := list(t, clone.Dir); len(got) != 1 || got[0].State != "vanished" || got[0].GraphState != "graph_not_ready" {
		t.Errorf("%+v", got)
	}
	code, out, stderr := run("worktree", "prune", "--repo", clone.Dir, "--format", "json")
	var answer endedAnswer
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != ExitOK || len(answer.Roots) != 1 || answer.Roots[0] != filepath.Join(parent, "pr-7") {
		t.Errorf("exit code %d, %v, stdout %q, stderr %q", code, err, out, stderr)
	}
	if _, out, _ := run("worktree", "prune", "--repo", clone.Dir); out != "nothing to do\n" {
		t.Errorf("%q", out)
	}
}

func TestWorktreeAnswersAreDocumented(t *testing.T) {
	document := read(t, "../../../docs/worktree.md")
	names := slices.Concat(fields(worktreesAnswer{}), fields(checkoutAnswer{}), fields(endedAnswer{}))
	for _, state := range []worktree.CheckoutState{
		worktree.CheckoutReady, worktree.CheckoutMaking, worktree.CheckoutRemoving, worktree.CheckoutVanished, worktree.CheckoutLost,
	} {
		names = append(names, string(state))
	}
	for _, name := range names {
		if !strings.Contains(document, "`"+name+"`") {
			t.Errorf("docs/worktree.md does not name %s", name)
		}
	}
}

func TestACheckoutStaysWhileItsGraphIsRead(t *testing.T) {
	clone, _ := pullRequest(t)
	parent := filepath.Join(filepath.Dir(clone.Dir), "state")
	root := filepath.Join(parent, "pr-7")
	if code, _, stderr := run("review", "7", "--repo", clone.Dir, "--worktree-root", parent); code != ExitOK {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	repo, err := worktree.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.At(t.Context(), repo, "", query.Asked{})
	if err != nil {
		t.Fatal(err)
	}
	reading, err := provenance.Open(t.Context(), repo, q)
	if err != nil {
		t.Fatal(err)
	}
	// The pull request goes on, so that its checkout is to be replaced.
	remote := clone.At(strings.TrimPrefix(clone.Git("config", "--get", "remote.origin.url"), "file://"))
	remote.Git("update-ref", "refs/pull/7/head", string(remote.CommitTree(remote.Rev("feature^{tree}"), remote.Rev("feature"))))
	for _, args := range [][]string{
		{"worktree", "add", "7", "--repo", clone.Dir, "--worktree-root", parent},
		{"worktree", "remove", "7", "--repo", clone.Dir},
		{"cleanup", "--pr", "7", "--closed", "--repo-root", clone.Dir},
		{"cleanup", "--repo-root", root, "--confirmation", "approved"},
	} {
		if code, _, stderr := run(args...); code != ExitUnevaluated || !strings.Contains(stderr, "graph_cleanup_busy: somebody is reading the graph") {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
	}
	// A review needs no checkout, so it only says that the old one stays.
	if code, _, stderr := run("review", "7", "--repo", clone.Dir, "--worktree-root", parent); code != ExitOK || !strings.Contains(stderr, "graph_cleanup_busy") {
		t.Errorf("review: exit code %d, %s", code, stderr)
	}
	if err := errors.Join(reading.Recheck(t.Context()), reading.Close()); err != nil {
		t.Error(err)
	}
	if code, _, stderr := run("worktree", "add", "7", "--repo", clone.Dir, "--worktree-root", parent); code != ExitOK {
		t.Errorf("afterwards: exit code %d, %s", code, stderr)
	}
	if code, _, stderr := run("cleanup", "--pr", "7", "--closed", "--repo-root", clone.Dir); code != ExitOK {
		t.Errorf("afterwards: exit code %d, %s", code, stderr)
	}
}
