package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/worktree/worktreetest"
)

// A .git file that was written by hand names a git dir; a build there would put
// its graph in the place of the worktree that the git dir belongs to.
func TestRefusesAGraphForARootThatOnlyClaimsToBeAWorktree(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.py": "def f():\n    pass\n"})
	linked := filepath.Join(filepath.Dir(r.Dir), "linked")
	r.Git("worktree", "add", "-q", "--detach", linked, "HEAD")
	if code, _, err := run("graph", "build", "--repo-root", linked); code != ExitOK {
		t.Fatal(err)
	}
	fake := t.TempDir()
	claim, err := os.ReadFile(filepath.Join(linked, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(fake, ".git"), claim, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"build"}, {"status"}, {"search", "f"}} {
		code, out, err := run(append([]string{"graph", "--repo-root", fake}, args...)...)
		if code != ExitUnevaluated || out != "" || !strings.Contains(err, "unauthorized root") {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q", args, code, out, err)
		}
	}
	if _, out, _ := run("doctor", "--repo", fake); !strings.Contains(out, "limited  graph_state") || !strings.Contains(out, "unauthorized root") {
		t.Errorf("doctor says %s", out)
	}
	if code, _, err := run("graph", "search", "f", "--repo-root", linked); code != ExitOK {
		t.Errorf("the worktree itself: %s", err)
	}
	if code, _, err := run("graph", "search", "f", "--repo-root", r.Dir); code != ExitUnevaluated || !strings.Contains(err, "graph_not_ready") {
		t.Errorf("the primary worktree without a graph: exit code %d, %s", code, err)
	}
}

func TestABareRepositoryHasAGraphAndNothingToBind(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.py": "def f():\n    pass\n"})
	bare := r.Clone("--bare").Dir
	for _, args := range [][]string{{"build"}, {"search", "f"}, {"status"}} {
		if code, _, err := run(append([]string{"graph", "--repo-root", bare}, args...)...); code != ExitOK {
			t.Errorf("%v: exit code %d, %s", args, code, err)
		}
	}
	if code, _, err := run("graph", "search", "f", "--repo-root", bare, "--bound"); code != ExitUsage || !strings.Contains(err, "no worktree") {
		t.Errorf("bound: exit code %d, %s", code, err)
	}
}

// Each says what it built, although another may be building when it has ended.
func TestSeveralBuildsOfOneRootAllEnd(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.py": "def f():\n    pass\n"})
	var wg sync.WaitGroup
	var mu sync.Mutex
	generations := map[string]bool{}
	for range 4 {
		wg.Go(func() {
			code, out, err := run("graph", "build", "--repo-root", r.Dir, "--format", "json")
			var answer struct {
				State      string
				Generation json.Number
			}
			if bad := json.Unmarshal([]byte(out), &answer); code != ExitOK || bad != nil || answer.State != "ready" {
				t.Errorf("exit code %d, state %q, %v, %s", code, answer.State, bad, err)
			}
			mu.Lock()
			defer mu.Unlock()
			generations[answer.Generation.String()] = true
		})
	}
	wg.Wait()
	if len(generations) != 4 || !generations["4"] {
		t.Errorf("generations %v, want 1 to 4", generations)
	}
}

// A graph that may not answer does not answer because somebody insists, and nothing
// else is deleted then.
func TestRefusesToOfferAWayAroundARefusal(t *testing.T) {
	named := regexp.MustCompile(`--([a-z-]+)`)
	insists := regexp.MustCompile(`allow|force|ignore|skip|unsafe|trust|dirty|stale|yes`)
	flags := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, m := range named.FindAllStringSubmatch(c.LocalNonPersistentFlags().FlagUsages()+c.PersistentFlags().FlagUsages(), -1) {
			flags++
			if insists.MatchString(m[1]) {
				t.Errorf("%s has the flag --%s", c.CommandPath(), m[1])
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	root := newRoot(&app{Streams: Streams{Env: func(string) string { return "" }}})
	for _, name := range []string{"graph", "review", "verify", "worktree", "cleanup", "gc", "doctor"} {
		c, _, err := root.Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		walk(c)
	}
	if flags < 40 {
		t.Errorf("only %d flags were looked at", flags)
	}
}
