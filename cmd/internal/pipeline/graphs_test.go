package pipeline_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract"
	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// A slow extractor reads "x" files. It counts the contents that it sees and
// waits with each until it may go on.
type slow struct {
	extracted atomic.Int64
	seen      sync.Map      // content → true
	begun     chan struct{} // gets one for every content, if there is room
	goOn      chan struct{} // closed when extraction may go on
	twice     atomic.Bool   // one content was extracted twice
}

func (*slow) Languages() []string { return []string{"python"} }
func (*slow) Version() uint32     { return 1 }

func (s *slow) Extract(ctx context.Context, language string, src []byte) (extract.Result, error) {
	if _, again := s.seen.LoadOrStore(string(src), true); again {
		s.twice.Store(true)
	}
	s.extracted.Add(1)
	select {
	case s.begun <- struct{}{}:
	default:
	}
	select {
	case <-s.goOn:
	case <-ctx.Done():
		s.seen.Delete(string(src))
		return extract.Result{}, ctx.Err()
	}
	return extract.Result{Facts: &graph.Facts{Language: language, Version: 1, Lines: 1, Symbols: []graph.SymbolFact{{
		Kind: graph.KindModule, Parent: graph.None, Line: 1, EndLine: 1, End: int32(len(src)), Result: graph.None, Scope: graph.None,
	}}}}, nil
}

// slowly opens a pipeline whose builds wait for the extractor.
func slowly(t *testing.T, dir string) (*pipeline.Pipeline, *slow) {
	t.Helper()
	x := &slow{begun: make(chan struct{}, 1), goOn: make(chan struct{})}
	repo, err := worktree.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	b := index.New(index.Options{Workers: 2, Extract: []extract.Extractor{x}})
	return pipeline.New(repo, b, pipeline.Options{Limits: review.DefaultLimits}), x
}

// branches makes main and n branches that change one of several files each.
func branches(t *testing.T, n int) (*worktreetest.Repo, []pipeline.Request) {
	t.Helper()
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.py": "a = 1\n", "b.py": "b = 1\n", "c.py": "c = 1\n"})
	var requests []pipeline.Request
	for i := range n {
		name := "head" + string(rune('a'+i))
		r.Checkout(name, "main")
		r.Commit(map[string]string{"a.py": "a = '" + name + "'\n"})
		requests = append(requests, pipeline.Request{Base: "main", Head: name})
	}
	return r, requests
}

func TestNoBlobIsExtractedTwiceByReviewsSideBySide(t *testing.T) {
	r, requests := branches(t, 4)
	p, x := slowly(t, r.Dir)
	close(x.goOn)
	var wg sync.WaitGroup
	for _, req := range append(requests, requests...) {
		wg.Go(func() {
			if _, err := p.Review(t.Context(), req); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := x.extracted.Load(); n != 7 || x.twice.Load() {
		t.Errorf("%d extractions, want one for each of 7 contents", n)
	}
}

func TestACancelledReviewDoesNotSpoilTheOthers(t *testing.T) {
	r, requests := branches(t, 1)
	p, x := slowly(t, r.Dir)
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := p.Review(ctx, requests[0])
		first <- err
	}()
	<-x.begun
	go func() { // waits for the graph that the first one builds
		_, err := p.Review(t.Context(), requests[0])
		second <- err
	}()
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled review: %v", err)
	}
	close(x.goOn)
	if err := <-second; err != nil {
		t.Errorf("the review beside it: %v", err)
	}
	if _, err := p.Review(t.Context(), requests[0]); err != nil {
		t.Errorf("the review after it: %v", err)
	}
}

func TestAReviewThatFailsDoesNotSpoilTheOthers(t *testing.T) {
	r, requests := branches(t, 2)
	p := open(t, r.Dir, 2, false)
	var wg sync.WaitGroup
	for i, req := range []pipeline.Request{requests[0], {Base: "main", Head: "none"}, requests[1], {Base: "none", Head: "heada"}} {
		wg.Go(func() {
			_, err := p.Review(t.Context(), req)
			if fails := i%2 == 1; fails != errors.Is(err, worktree.ErrUnknownRevision) || !fails && err != nil {
				t.Errorf("%v: %v", req, err)
			}
		})
	}
	wg.Wait()
}

// What cannot be kept is said, and the report is the same.
func TestTheReportDoesNotDependOnWhatCanBeKept(t *testing.T) {
	req := pipeline.Request{Base: "main", Head: "head"}
	obstacles := map[string]struct {
		put    func(t *testing.T, previdence string) error
		notice string // "" if nothing is lost
	}{
		"nothing is in the way": {func(*testing.T, string) error { return nil }, ""},
		"the folder is a file": {func(_ *testing.T, dir string) error {
			return os.WriteFile(dir, nil, 0o600)
		}, "was not kept"},
		"a graph is a folder": {func(t *testing.T, dir string) error {
			rep := mustReview(t, filepath.Dir(filepath.Dir(dir)), req)
			for _, tree := range []string{rep.Provenance.Graphs.Base.Tree, rep.Provenance.Graphs.Head.Tree} {
				name := tree + "-" + index.New(index.Options{}).EngineDigest()[:16] + ".db"
				if err := os.MkdirAll(filepath.Join(dir, "graphs", name, "x"), 0o700); err != nil {
					return err
				}
			}
			return nil
		}, "was not kept"},
		"the facts are no database": {func(_ *testing.T, dir string) error {
			return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "facts.db"), []byte(strings.Repeat("no", 5000)), 0o600))
		}, ""},
	}
	want := canonical(t, mustReview(t, program(t).Dir, req))
	for name, o := range obstacles {
		t.Run(name, func(t *testing.T) {
			r := program(t)
			dir := filepath.Join(r.Dir, ".git", "previdence")
			if err := o.put(t, dir); err != nil {
				t.Fatal(err)
			}
			var notices []string
			repo, err := worktree.Open(t.Context(), r.Dir)
			if err != nil {
				t.Fatal(err)
			}
			var options index.Options
			facts, err := factcache.Open(t.Context(), filepath.Join(dir, "facts.db"), 0)
			if err == nil {
				options.Facts = facts
				defer facts.Close(t.Context())
			}
			p := pipeline.New(repo, index.New(options), pipeline.Options{
				Limits: review.DefaultLimits, ToolVersion: "test", Keep: true, Notice: func(s string) { notices = append(notices, s) },
			})
			rep, err := p.Review(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if got := canonical(t, rep); string(got) != string(want) {
				t.Errorf("another report: %s", got)
			}
			if all := strings.Join(notices, "\n"); (o.notice == "") != (all == "") || !strings.Contains(all, o.notice) {
				t.Errorf("notices %q, want some with %q", notices, o.notice)
			}
		})
	}
}

func mustReview(t *testing.T, dir string, req pipeline.Request) *report.Report {
	t.Helper()
	rep, err := open(t, dir, 2, false).Review(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}
