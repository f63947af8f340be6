package pipeline_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sourcegraph/conc/pool"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract"
	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
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

// Eight heads share one merge base and most files. Each blob is parsed once for
// all of them, whichever comes first, and the reports are those of a review alone.
func TestEightHeadsSideBySideGiveTheBytesOfOneByOne(t *testing.T) {
	r := worktreetest.New(t)
	files := maps.Clone(pay)
	delete(files, "pay/pay_test.go") // would make every builder read a part of the standard library
	r.Commit(files)
	var requests []pipeline.Request
	for i := range 8 {
		head := fmt.Sprintf("head%d", i)
		r.Checkout(head, "main")
		r.Commit(map[string]string{
			"pay/pay.go": fmt.Sprintf("package pay\n\nfunc Amount(n int) int { return n + %d }\n", i),
			"web/tax.py": "def rate():\n    return 8\n", // the same for all
		})
		requests = append(requests, pipeline.Request{Base: "main", Head: head})
	}
	// shared reviews with one builder and returns the reports with the number of
	// blobs that each build parsed and remembered.
	shared := func(jobs int) (reports [][]byte, builds []index.Stats) {
		repo, err := worktree.Open(t.Context(), r.Dir)
		if err != nil {
			t.Fatal(err)
		}
		b := index.New(index.Options{Workers: 4, Built: func(_ worktree.OID, s index.Stats) { builds = append(builds, s) }})
		p := pipeline.New(repo, b, pipeline.Options{Limits: review.DefaultLimits, ToolVersion: "test"})
		reports = make([][]byte, len(requests))
		reviews := pool.New().WithMaxGoroutines(jobs)
		for i, req := range requests {
			reviews.Go(func() {
				rep, err := p.Review(t.Context(), req)
				if err != nil {
					t.Error(err)
					return
				}
				reports[i] = canonical(t, rep)
			})
		}
		reviews.Wait()
		return reports, builds
	}
	oneByOne, inOrder := shared(1)
	together, anyOrder := shared(8)
	for i, req := range requests {
		alone := canonical(t, mustReview(t, r.Dir, req))
		if !bytes.Equal(oneByOne[i], alone) || !bytes.Equal(together[i], alone) {
			t.Errorf("%s: another report than alone", req.Head)
		}
	}
	if len(inOrder) != 1+len(requests) {
		t.Errorf("one by one: %d graphs, want one of the merge base and of each head", len(inOrder))
	}
	all := inOrder[0].Extracted
	if inOrder[0].Remembered != 0 {
		t.Errorf("the first graph remembers: %+v", inOrder[0])
	}
	for i, s := range inOrder[2:] { // after the merge base and the first head
		if s.Extracted != 1 || s.Remembered != all-1 {
			t.Errorf("head %d: %d blobs parsed and %d remembered, want only the one that it shares with no other", i+1, s.Extracted, s.Remembered)
		}
	}
	for claim, builds := range map[string][]index.Stats{"one by one": inOrder, "side by side": anyOrder} {
		parsed := 0
		for _, s := range builds {
			parsed += s.Extracted
		}
		// A review that starts late may build a graph again that left memory
		// meanwhile, but no blob is parsed again for it.
		if want := all + 1 + len(requests); len(builds) < 1+len(requests) || parsed != want {
			t.Errorf("%s: %d graphs of %d parsed blobs, want %d of %d", claim, len(builds), parsed, 1+len(requests), want)
		}
	}
}

// keptGraph changes a database with plain SQL, as whoever may write to it can.
func keptGraph(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}

func TestAKeptGraphOfOthersIsSaidAndNotUsed(t *testing.T) {
	req := pipeline.Request{Base: "main", Head: "head"}
	tests := map[string]struct {
		spoil  func(t *testing.T, base, head string) // the files of both graphs
		notice string
	}{
		"copied from another tree": {func(t *testing.T, base, head string) {
			data, err := os.ReadFile(base)
			if err := errors.Join(err, os.WriteFile(head, data, 0o600)); err != nil {
				t.Fatal(err)
			}
		}, "describes another tree"},
		"another tree's, with the stamp of this one": {func(t *testing.T, base, head string) {
			db, err := store.Open(t.Context(), base)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			g, err := db.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			stamp := db.Stamp()
			stamp.Tree, _, _ = strings.Cut(filepath.Base(head), "-")
			if err := store.Write(t.Context(), head, g, stamp); err != nil {
				t.Fatal(err)
			}
		}, "describes another tree"},
		"a planted trigger": {func(t *testing.T, _, head string) {
			keptGraph(t, head, "CREATE TRIGGER planted AFTER INSERT ON files BEGIN DELETE FROM stamp; END")
		}, "planted"},
		"rows that nobody built": {func(t *testing.T, _, head string) {
			keptGraph(t, head, "DELETE FROM files WHERE rowid = 1")
		}, "not used"},
	}
	for claim, test := range tests {
		t.Run(claim, func(t *testing.T) {
			r := program(t)
			rep, err := open(t, r.Dir, 2, true).Review(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			file := func(g report.Graph) string {
				found, err := filepath.Glob(filepath.Join(r.Dir, ".git", "previdence", "graphs", g.Tree+"-*.db"))
				if err != nil || len(found) != 1 {
					t.Fatalf("%v, %v", found, err)
				}
				return found[0]
			}
			test.spoil(t, file(rep.Provenance.Graphs.Base), file(rep.Provenance.Graphs.Head))
			var notices []string
			again, err := with(t, r.Dir, func(o *pipeline.Options) {
				o.Keep, o.Grammars, o.Notice = true, nil, func(s string) { notices = append(notices, s) }
			}).Review(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(canonical(t, again), canonical(t, rep)) {
				t.Error("the report changed")
			}
			if len(notices) != 1 || !strings.Contains(notices[0], "not used") || !strings.Contains(notices[0], test.notice) {
				t.Errorf("notices are %q, want one with %q", notices, test.notice)
			}
		})
	}
}
