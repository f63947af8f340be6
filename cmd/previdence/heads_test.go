package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"testing"

	"github.com/previdence/previdence/worktree/worktreetest"
)

// heads is how many pull requests are reviewed at once.
const heads = 8

// crowd makes pull requests that change one file of many each, besides what all of
// them change alike; neighbours call each other, so that they meet.
func crowd(t *testing.T) (clone *worktreetest.Repo, requests []string) {
	t.Helper()
	files := map[string]string{"go.mod": "module example.com/m\n\ngo 1.22\n"}
	part := func(i int, value string) string {
		return fmt.Sprintf("package m\n\nfunc F%d() int { return F%d() + %s }\n", i, (i+1)%heads, value)
	}
	for i := range heads {
		files[fmt.Sprintf("f%d.go", i)] = part(i, "1")
		files[fmt.Sprintf("web/m%d.py", i)] = fmt.Sprintf("def f():\n    return %d\n", i)
	}
	remote := worktreetest.New(t)
	remote.Commit(files)
	for i := range heads {
		remote.Checkout("work", "main")
		head := remote.Commit(map[string]string{fmt.Sprintf("f%d.go", i): part(i, "2"), "web/all.py": "def g():\n    return 9\n"})
		remote.Git("update-ref", fmt.Sprintf("refs/pull/%d/head", i+1), string(head))
		remote.Checkout("main")
		remote.Git("branch", "-q", "-D", "work")
		requests = append(requests, strconv.Itoa(i+1))
	}
	return remote.Clone(), requests
}

// Reports of eight heads are the same bytes however many are reviewed at once. One
// that is reviewed alone knows of no other, and differs in that alone.
func TestEightHeadsGiveTheSameBytesInAnyCompany(t *testing.T) {
	t.Parallel()
	clone, requests := crowd(t)
	command := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "previdence", args...)
		cmd.Dir, cmd.Env = clone.Dir, append(os.Environ(), "HOME="+t.TempDir())
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if _, err := cmd.Output(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, &stderr)
		}
		return stderr.String()
	}
	reports := func(name string, more ...string) [][]byte {
		t.Helper()
		dir := filepath.Join(t.TempDir(), name)
		args := append([]string{"review", "--no-worktree", "--format", "json", "--output-dir", dir}, more...)
		command(args...)
		var all [][]byte
		for _, n := range requests {
			if text, err := os.ReadFile(filepath.Join(dir, "pr-"+n+".json")); err == nil {
				all = append(all, text)
			}
		}
		return all
	}
	atOnce := reports("at-once", append([]string{"--fresh", "--jobs", "8"}, requests...)...)
	inOrder := reports("in-order", append([]string{"--fresh", "--jobs", "1"}, requests...)...)
	if len(atOnce) != heads || len(inOrder) != heads {
		t.Fatalf("%d and %d reports", len(atOnce), len(inOrder))
	}
	for i, n := range requests {
		if !bytes.Equal(atOnce[i], inOrder[i]) {
			t.Errorf("pull request %s: the number of jobs changes its report", n)
		}
		alone := reports("alone", n)
		if len(alone) != 1 {
			t.Fatalf("%d reports", len(alone))
		}
		with, met := withoutOverlap(t, atOnce[i])
		without, _ := withoutOverlap(t, alone[0])
		if met != heads-1 || !reflect.DeepEqual(with, without) {
			t.Errorf("pull request %s meets %d others, and they change more than the overlap", n, met)
		}
		file := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(file, atOnce[i], 0o600); err != nil {
			t.Fatal(err)
		}
		command("verify", file)
	}
}

// withoutOverlap reads a report and says how many others it meets.
func withoutOverlap(t *testing.T, text []byte) (fields map[string]any, met int) {
	t.Helper()
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	overlap, ok := fields["overlap"].([]any)
	if !ok {
		t.Fatalf("overlap is %v", fields["overlap"])
	}
	delete(fields, "overlap")
	return fields, len(overlap)
}

var graphNote = regexp.MustCompile(`(?m)^note: graph of tree [0-9a-f]+: \d+ files, (\d+) blobs parsed, (\d+) remembered; \d+ checks of Go packages, \d+ remembered; [0-9.]+ [KMG]?i?B read$`)

// Of the first pull request both graphs are built, in either order; every other
// parses the one blob that no tree before had.
func TestAHeadParsesOnlyTheBlobsThatItDoesNotShare(t *testing.T) {
	t.Parallel()
	clone, requests := crowd(t)
	const inTree = 2*heads + 1 // blobs with a language in each head
	for i, n := range requests {
		cmd := exec.CommandContext(t.Context(), "previdence", "review", "--no-worktree", "--verbose", n)
		cmd.Dir, cmd.Env = clone.Dir, append(os.Environ(), "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		notes := graphNote.FindAllStringSubmatch(string(out), -1)
		parsed, remembered := 0, 0
		for _, m := range notes {
			p, errP := strconv.Atoi(m[1])
			r, errR := strconv.Atoi(m[2])
			if err := errors.Join(errP, errR); err != nil {
				t.Fatal(err)
			}
			parsed, remembered = parsed+p, remembered+r
		}
		switch {
		case i == 0 && len(notes) == 2 && parsed == inTree+1 && remembered == inTree-2:
		case i > 0 && len(notes) == 1 && parsed == 1 && remembered == inTree-1:
		default:
			t.Errorf("pull request %s: %d graphs, %d blobs parsed and %d remembered", n, len(notes), parsed, remembered)
		}
	}
}
