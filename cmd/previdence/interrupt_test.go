//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/previdence/previdence/cmd/internal/child"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// What an interrupted program may still take: a fifth of a second is wanted where
// nothing else runs; this is for a machine that runs other tests.
const toEnd = 30 * time.Second

// An interrupt ends a build in whatever phase it is, with exit code 3, and leaves
// neither a graph nor half of one.
func TestAnInterruptEndsABuild(t *testing.T) {
	r := worktreetest.New(t)
	files := map[string]string{"go.mod": "module example.com/m\n\ngo 1.22\n"}
	for i := range 1500 {
		files[fmt.Sprintf("p%d/f%d.go", i/30, i)] = fmt.Sprintf("package p%d\n\n// F%d calls the next.\nfunc F%d(n int) int { if n > 0 { return F%d(n-1) }; return %d }\n", i/30, i, i, i/30*30+(i+1)%30, i)
	}
	r.Commit(files)
	for _, phase := range []string{"list", "extract", "link"} {
		t.Run(phase, func(t *testing.T) {
			state := t.TempDir()
			cmd := exec.CommandContext(t.Context(), "previdence", "--"+child.Flag, "--state-dir", state, "graph", "build", "--repo-root", r.Dir)
			// The child ends when this does, so it stays open.
			if _, err := cmd.StdinPipe(); err != nil {
				t.Fatal(err)
			}
			said, err := cmd.StderrPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			var sent time.Time
			lines := bufio.NewScanner(said)
			for lines.Scan() {
				var line child.Line
				if json.Unmarshal(lines.Bytes(), &line) == nil && sent.IsZero() && line.Progress != nil && line.Progress.Phase == phase {
					sent = time.Now()
					if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
						t.Fatal(err)
					}
				}
			}
			err = cmd.Wait()
			took := time.Since(sent)
			var exit *exec.ExitError
			if sent.IsZero() || !errors.As(err, &exit) || exit.ExitCode() != 3 {
				t.Fatalf("it ends with %v, interrupted %v", err, !sent.IsZero())
			}
			if took > toEnd {
				t.Errorf("it ended %v after the interrupt", took)
			}
			t.Logf("it ended %v after the interrupt", took)
			if left := graphFiles(t, state); len(left) > 0 {
				t.Errorf("it left %q", left)
			}
		})
	}
}

// graphFiles lists graphs, and what builds of them leave, below a folder.
func graphFiles(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !slices.Contains([]string{"graph.lock", "facts.db"}, e.Name()) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
