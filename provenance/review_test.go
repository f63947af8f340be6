package provenance_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// record is where the review of a worktree's HEAD is remembered.
func record(t *testing.T, r *worktreetest.Repo) string {
	t.Helper()
	return filepath.Join(filepath.Dir(file(t, r)), "review.json")
}

func TestRefusesToDeleteWhileTheReviewIsNotOver(t *testing.T) {
	rewrite := func(t *testing.T, r *worktreetest.Repo, change func(map[string]any)) {
		text, err := os.ReadFile(record(t, r))
		var fields map[string]any
		must(t, err, json.Unmarshal(text, &fields))
		change(fields)
		text, err = json.Marshal(fields)
		must(t, err, os.WriteFile(record(t, r), append(text, '\n'), 0o600))
	}
	for _, tt := range []struct {
		name string
		make func(*testing.T, *worktreetest.Repo)
		want string
	}{
		{"a review of this head used the graph and nothing is open", func(t *testing.T, r *worktreetest.Repo) { reviewed(t, r, nil) }, ""},
		{"a review that saw too little is over, too", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, func(made *provenance.Review) { made.Outcome = "incomplete" })
		}, ""},
		{"no review", func(*testing.T, *worktreetest.Repo) {}, "not_reviewed"},
		{"a review that policy made fail", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, func(made *provenance.Review) { made.Outcome, made.Failing = "fail", 2 })
		}, "findings_open"},
		{"a review that failed, and then one that did not", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, func(made *provenance.Review) { made.Outcome, made.Failing = "fail", 2 })
			reviewed(t, r, nil)
		}, ""},
		{"a review of another head", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, nil)
			r.Commit(nil)
			build(t, r)
		}, "not_reviewed"},
		{"a review that used another graph", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, func(made *provenance.Review) { made.Graph = strings.Repeat("1", 64) })
		}, "not_reviewed"},
		{"a review that is copied from another worktree", func(t *testing.T, r *worktreetest.Repo) {
			second := linked(t, r, "second")
			reviewed(t, second, nil)
			copyFile(t, record(t, second), record(t, r))
		}, "not_reviewed"},
		{"a review from another merge base", func(t *testing.T, r *worktreetest.Repo) {
			r.Git("branch", "base", "HEAD")
			r.Commit(map[string]string{"a.go": "package c\n"})
			build(t, r)
			reviewed(t, r, func(made *provenance.Review) { made.Base, made.MergeBase = "base", r.Rev("base") })
			r.Git("branch", "-f", "base", "HEAD")
		}, "stale_graph: base_moved"},
		{"a base that went on without this head leaves the merge base", func(t *testing.T, r *worktreetest.Repo) {
			r.Git("branch", "base", "HEAD")
			head := r.Commit(map[string]string{"a.go": "package c\n"})
			build(t, r)
			reviewed(t, r, func(made *provenance.Review) { made.Base, made.MergeBase = "base", r.Rev("base") })
			r.Git("update-ref", "refs/heads/base", string(r.CommitTree(r.Rev("base^{tree}"), r.Rev("base"))))
			if r.Rev("HEAD") != head {
				t.Error("HEAD moved")
			}
		}, ""},
		{"a base that is gone", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, func(made *provenance.Review) { made.Base = "gone" })
		}, "stale_graph: base_moved"},
		{"a record of another version", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, nil)
			rewrite(t, r, func(f map[string]any) { f["schema"] = "previdence.reviewed/v2" })
		}, "not_reviewed"},
		{"a record with an outcome that there is not", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, func(made *provenance.Review) { made.Outcome = "fine" })
		}, "not_reviewed"},
		{"a record that somebody extended", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, nil)
			rewrite(t, r, func(f map[string]any) { f["more"] = 1 })
		}, "not_reviewed"},
		{"a record that is cut off", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, nil)
			must(t, os.Truncate(record(t, r), 40))
		}, "not_reviewed"},
		{"a record that is too large", func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.WriteFile(record(t, r), bytes.Repeat([]byte(" "), 1<<20), 0o600))
		}, "not_reviewed"},
		{"a symlink in place of the record", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, nil)
			must(t, os.Rename(record(t, r), record(t, r)+".real"), os.Symlink("review.json.real", record(t, r)))
		}, "graph_tampered"},
		{"a record with a second name", func(t *testing.T, r *worktreetest.Repo) {
			reviewed(t, r, nil)
			must(t, os.Link(record(t, r), filepath.Join(r.Dir, "second")))
		}, "graph_tampered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := program(t)
			tt.make(t, r)
			told, err := provenance.Deletable(t.Context(), r.Open())
			must(t, err)
			_, err = provenance.Delete(t.Context(), r.Open(), provenance.Approved)
			if got := name(err); got != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if (told == nil) != (err == nil) || told != nil && told.Error() != err.Error() {
				t.Errorf("foretold was %v, and then came %v", told, err)
			}
			if refused, ok := provenance.AsRefusal(err); ok && refused.Remedy == "" {
				t.Errorf("no remedy for %v", err)
			}
			if got := refusal(t, r.Open(), query()); (got == "") != (tt.want != "") {
				t.Errorf("afterwards the graph says %q", got)
			}
		})
	}
}

// Who asked the graph himself needs no record, but one that failed counts.
func TestAProcessMayDeleteTheGraphThatItAnsweredFrom(t *testing.T) {
	r := program(t)
	used := store.Digest(small())
	if _, err := provenance.Delete(t.Context(), r.Open(), provenance.Approved, strings.Repeat("1", 64)); name(err) != "not_reviewed" {
		t.Errorf("used another graph: %v", err)
	}
	reviewed(t, r, func(made *provenance.Review) { made.Outcome, made.Failing = "fail", 1 })
	if _, err := provenance.Delete(t.Context(), r.Open(), provenance.Approved, used); name(err) != "findings_open" {
		t.Errorf("with findings that policy keeps: %v", err)
	}
	must(t, os.Remove(record(t, r)))
	if _, err := provenance.Delete(t.Context(), r.Open(), provenance.Approved, used); err != nil {
		t.Error(err)
	}
}

func TestAReviewIsRememberedPrivatelyWholeAndForItsHeadOnly(t *testing.T) {
	r := program(t)
	if _, err := provenance.LastReview(t.Context(), r.Open()); name(err) != "not_reviewed" {
		t.Errorf("before any: %v", err)
	}
	// What a killed process left of another record is in nobody's way.
	must(t, os.WriteFile(record(t, r)+".new", []byte("half"), 0o600))
	reviewed(t, r, func(made *provenance.Review) { made.Outcome, made.Failing = "fail", 3 })
	last, err := provenance.LastReview(t.Context(), r.Open())
	must(t, err)
	if last.Failing != 3 || last.Head != r.Rev("HEAD") || last.RepositoryRoot != r.Dir || last.Schema != "previdence.reviewed/v1" {
		t.Errorf("remembered %+v", last)
	}
	info, err := os.Lstat(record(t, r))
	must(t, err)
	if info.Mode() != 0o600 {
		t.Errorf("the record has mode %v", info.Mode())
	}
	reviewed(t, r, func(made *provenance.Review) { made.Head = worktree.OID(strings.Repeat("1", 40)) })
	if again, err := provenance.LastReview(t.Context(), r.Open()); err != nil || again != last {
		t.Errorf("a review of another commit took its place: %+v, %v", again, err)
	}
	var several sync.WaitGroup
	for range 8 {
		several.Go(func() {
			head := last.Head
			err := provenance.Remember(t.Context(), r.Open(), provenance.Review{Head: head, Base: string(head), MergeBase: head, Outcome: "pass"})
			if err != nil {
				t.Error(err)
			}
		})
	}
	several.Wait()
	if again, err := provenance.LastReview(t.Context(), r.Open()); err != nil || again.Outcome != "pass" {
		t.Errorf("of eight that wrote at once: %+v, %v", again, err)
	}
	if left, err := filepath.Glob(record(t, r) + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if s := r.Git("status", "--porcelain"); s != "" {
		t.Errorf("git status says %s", s)
	}
}

func TestRefusesToRememberWhereOthersMayWrite(t *testing.T) {
	r := program(t)
	must(t, os.Chmod(filepath.Dir(file(t, r)), 0o777)) //nolint:gosec // that is the test
	head := r.Rev("HEAD")
	err := provenance.Remember(t.Context(), r.Open(), provenance.Review{Head: head, Base: string(head), MergeBase: head, Outcome: "pass"})
	if name(err) != "graph_tampered" {
		t.Errorf("remembered: %v", err)
	}
	must(t, os.Chmod(filepath.Dir(file(t, r)), 0o700), os.Symlink("graph.db", record(t, r)))
	if err := provenance.Remember(t.Context(), r.Open(), provenance.Review{Head: head, Outcome: "pass"}); name(err) != "graph_tampered" {
		t.Errorf("remembered through a link: %v", err)
	}
}
