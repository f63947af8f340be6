package pipeline_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// open prepares reviews of a repository, without kept graphs unless asked for.
func open(t *testing.T, dir string, workers int, keep bool) *pipeline.Pipeline {
	t.Helper()
	repo, err := worktree.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return pipeline.New(repo, index.New(index.Options{Workers: workers}), pipeline.Options{
		Limits: review.DefaultLimits, ToolVersion: "test", Keep: keep,
		Notice: func(s string) { t.Errorf("unexpected notice: %s", s) },
	})
}

func canonical(t *testing.T, r *report.Report) []byte {
	t.Helper()
	b, err := r.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// pay is a small program: a function with a caller in another package, a test
// and a document.
var pay = map[string]string{
	"go.mod":           "module example.com/pay\n\ngo 1.22\n",
	"pay/pay.go":       "package pay\n\n// Amount is what is due.\nfunc Amount(n int) int { return leaf(n) }\n\nfunc leaf(n int) int { return n + 1 }\n",
	"pay/pay_test.go":  "package pay\n\nimport \"testing\"\n\nfunc TestAmount(t *testing.T) {\n\tif Amount(1) != 2 {\n\t\tt.Fail()\n\t}\n}\n",
	"shop/shop.go":     "package shop\n\nimport \"example.com/pay/pay\"\n\nfunc Total() int { return pay.Amount(2) }\n",
	"web/app.py":       "from web.tax import rate\n\n\ndef price():\n    return rate() * 2\n",
	"web/__init__.py":  "",
	"web/tax.py":       "def rate():\n    return 7\n",
	"ui/src/view.ts":   "import { label } from './label';\nexport function show() { return label(); }\n",
	"ui/src/label.ts":  "export function label() { return 'x'; }\nexport function other() { return 1; }\n",
	"docs/guide.md":    "# Guide\n\nCall `pay.Amount` to know.\n",
	"ui/package.json":  "{\"name\": \"ui\"}\n",
	"notes/ignored.xx": "Amount\n",
}

// program makes a repository whose branch "head" changes leaf and deletes what
// others still use.
func program(t *testing.T) *worktreetest.Repo {
	t.Helper()
	r := worktreetest.New(t)
	r.Commit(pay)
	r.Checkout("head", "main")
	r.Commit(map[string]string{
		"pay/pay.go":      "package pay\n\nfunc leaf(n int) int { return n + 2 }\n",
		"ui/src/label.ts": "export function other() { return 1; }\n",
	}, "web/tax.py")
	return r
}

func TestBrokenReferencesComeFirstWithPlaceAndProof(t *testing.T) {
	r := program(t)
	rep, err := open(t, r.Dir, 2, false).Review(t.Context(), pipeline.Request{Base: "main", Head: "head"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, b := range rep.Breaks {
		if b.Checked == "" {
			t.Errorf("%s: not checked in the text", b.Name)
		}
		for _, ref := range b.References {
			got[b.Name] += fmt.Sprintf("%s:%d ", ref.Path, ref.Line)
		}
	}
	want := map[string]string{
		"Amount":     "pay/pay_test.go:6 shop/shop.go:5 ",
		"web/tax.py": "web/app.py:1 ",
		"label":      "ui/src/view.ts:1 ui/src/view.ts:2 ",
	}
	for name, places := range want {
		if got[name] != places {
			t.Errorf("%s: got references %q, want %q", name, got[name], places)
		}
	}
	if rep.Changes.Symbols[0].Change != report.Removed {
		t.Errorf("the first change is %q, want the removed ones first", rep.Changes.Symbols[0].Change)
	}
}

func TestSameBytesFromTwoClonesWithAnyNumberOfWorkers(t *testing.T) {
	r := program(t)
	req := pipeline.Request{Base: "origin/main", Head: "origin/head"}
	one, err := open(t, r.Clone().Dir, 1, false).Review(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	two, err := open(t, r.Clone().Dir, 8, true).Review(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	a, b := canonical(t, one), canonical(t, two)
	if !bytes.Equal(a, b) {
		t.Errorf("reports differ:\n%s\n---\n%s", a, b)
	}
	if bytes.Contains(a, []byte(r.Dir)) || bytes.Contains(a, []byte(os.TempDir())) {
		t.Error("the report names a folder of this machine")
	}
}

func TestKeptGraphsGiveTheSameReport(t *testing.T) {
	r := program(t)
	req := pipeline.Request{Base: "main", Head: "head"}
	var reports [][]byte
	for range 2 {
		rep, err := open(t, r.Dir, 2, true).Review(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, canonical(t, rep))
	}
	if !bytes.Equal(reports[0], reports[1]) {
		t.Error("the second report differs from the first")
	}
	kept, err := filepath.Glob(filepath.Join(r.Dir, ".git", "previdence", "graphs", "*.db"))
	if err != nil || len(kept) != 2 {
		t.Errorf("kept graphs: %v (%v), want two", kept, err)
	}
	if s := r.Git("status", "--porcelain"); s != "" {
		t.Errorf("the worktree is no longer clean: %s", s)
	}
}

func TestADamagedKeptGraphIsSaidAndNotUsed(t *testing.T) {
	r := program(t)
	req := pipeline.Request{Base: "main", Head: "head"}
	first, err := open(t, r.Dir, 2, true).Review(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	kept, _ := filepath.Glob(filepath.Join(r.Dir, ".git", "previdence", "graphs", "*.db"))
	for _, f := range kept {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i := 4096; i < len(data); i += 512 {
			data[i] ^= 0xff
		}
		if err := os.WriteFile(f, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var notices []string
	repo, err := worktree.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	p := pipeline.New(repo, index.New(index.Options{}), pipeline.Options{
		Limits: review.DefaultLimits, ToolVersion: "test", Keep: true, Notice: func(s string) { notices = append(notices, s) },
	})
	second, err := p.Review(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(canonical(t, first), canonical(t, second)) {
		t.Error("the report changed")
	}
	if len(notices) != 2 || !strings.Contains(notices[0], "not used") {
		t.Errorf("notices: %q, want one for each damaged graph", notices)
	}
}

// A graph that was built while a module was missing says less than one that is
// built now.
func TestAKeptGraphIsNotUsedOnceItsDependenciesAreHere(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	r := worktreetest.New(t)
	r.Commit(map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.22\n\nrequire example.org/dep v1.0.0\n",
		"m.go":   "package m\n\nimport \"example.org/dep\"\n\ntype T struct{}\n\nfunc (T) M() {}\n\nfunc F(i dep.I) { i.M() }\n\nvar _ = T{}\n",
	})
	r.Checkout("head", "main")
	r.Commit(map[string]string{"n.go": "package m\n\nfunc G() {}\n"})
	review := func(keep bool) (digest string, notices []string) {
		repo, err := worktree.Open(t.Context(), r.Dir)
		if err != nil {
			t.Fatal(err)
		}
		p := pipeline.New(repo, index.New(index.Options{}), pipeline.Options{
			Limits: review.DefaultLimits, Keep: keep, Notice: func(s string) { notices = append(notices, s) },
		})
		rep, err := p.Review(t.Context(), pipeline.Request{Base: "main", Head: "head"})
		if err != nil {
			t.Fatal(err)
		}
		return rep.Provenance.Graphs.Head.Digest, notices
	}
	poor, _ := review(true)
	if again, notices := review(true); again != poor || len(notices) > 0 {
		t.Errorf("nothing changed, but the digest went from %s to %s: %q", poor, again, notices)
	}
	dep := filepath.Join(cache, "example.org", "dep@v1.0.0")
	if err := os.MkdirAll(dep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dep, "dep.go"), []byte("package dep\n\ntype I interface{ M() }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	rich, notices := review(true)
	if rich == poor || len(notices) != 1 || !strings.Contains(notices[0], "other sources of dependencies") {
		t.Errorf("digest %s, then %s with notices %q", poor, rich, notices)
	}
	if want, _ := review(false); rich != want {
		t.Errorf("digest %s, without kept graphs %s", rich, want)
	}
	if again, notices := review(true); again != rich || len(notices) > 0 {
		t.Errorf("the new graphs were not kept: %s, %q", again, notices)
	}
}

// While another process commits, a review is about one pair of commits: the
// report of a head never depends on when it was made.
func TestReviewsWhileTheBranchMoves(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"go.mod": pay["go.mod"], "pay/pay.go": pay["pay/pay.go"], "pay/pay_test.go": pay["pay/pay_test.go"]})
	r.Checkout("head", "main")
	r.Commit(map[string]string{"pay/pay.go": "package pay\n\nfunc leaf(n int) int { return n + 2 }\n"})
	p := open(t, r.Dir, 2, false)
	var mu sync.Mutex
	seen := map[string][]byte{}
	stop := make(chan struct{})
	var committing sync.WaitGroup
	committing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			r.Commit(map[string]string{"pay/pay.go": fmt.Sprintf("package pay\n\nfunc leaf(n int) int { return n + %d }\n", i%7+3)})
		}
	})
	for range 100 {
		rep, err := p.Review(t.Context(), pipeline.Request{Base: "main", Head: "head"})
		if err != nil {
			t.Error(err)
			break
		}
		mu.Lock()
		got := canonical(t, rep)
		if old, ok := seen[rep.Subject.Head.Commit]; ok && !bytes.Equal(old, got) {
			t.Errorf("two reports of %s differ", rep.Subject.Head.Commit)
		}
		seen[rep.Subject.Head.Commit] = got
		mu.Unlock()
	}
	close(stop)
	committing.Wait()
	if len(seen) < 2 {
		t.Fatalf("the branch did not move: %d heads seen", len(seen))
	}
	// Each head again by another pipeline, now that nothing moves.
	again := open(t, r.Dir, 2, false)
	for commit, old := range seen {
		rep, err := again.Review(t.Context(), pipeline.Request{Base: "main", Head: commit})
		if err != nil {
			t.Fatal(err)
		}
		rep.Subject.Head.Ref = "head"
		if !bytes.Equal(old, canonical(t, rep)) {
			t.Errorf("the report of %s is not what it is in peace", commit)
		}
	}
}

func TestNoProgramOfTheRepositoryRuns(t *testing.T) {
	for _, source := range worktreetest.Sources() {
		t.Run(string(source), func(t *testing.T) {
			h := worktreetest.NewHostile(t, source)
			p := open(t, h.Dir, 2, true)
			rep, err := p.Review(t.Context(), pipeline.Request{Base: string(h.Base), Head: string(h.Head)})
			if err != nil {
				t.Fatal(err)
			}
			if len(rep.Changes.Files) == 0 {
				t.Error("nothing was reviewed")
			}
			ran := h.Ran()
			t.Logf("%d of %d vectors ran", len(ran), len(h.Vectors()))
			if len(ran) > 0 {
				t.Errorf("programs of the repository ran: %v", ran)
			}
		})
	}
}

func TestCancelEndsAReview(t *testing.T) {
	r := program(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	repo, err := worktree.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	p := pipeline.New(repo, index.New(index.Options{}), pipeline.Options{Limits: review.DefaultLimits, Keep: true})
	if _, err := p.Review(ctx, pipeline.Request{Base: "main", Head: "head"}); err == nil {
		t.Error("a cancelled review gave a report")
	}
	if left, _ := filepath.Glob(filepath.Join(r.Dir, ".git", "previdence", "graphs", "*")); len(left) > 0 {
		t.Errorf("half-written files: %v", left)
	}
}

func TestSeveralReviewsShareOneGraph(t *testing.T) {
	r := program(t)
	p := open(t, r.Dir, 4, false)
	alone, err := p.Review(t.Context(), pipeline.Request{Base: "main", Head: "head"})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	together := make([][]byte, 8)
	fresh := open(t, r.Dir, 4, false)
	for i := range together {
		wg.Go(func() {
			rep, err := fresh.Review(t.Context(), pipeline.Request{Base: "main", Head: "head"})
			if err != nil {
				t.Error(err)
				return
			}
			together[i], _ = rep.Canonical()
		})
	}
	wg.Wait()
	want := canonical(t, alone)
	if slices.ContainsFunc(together, func(b []byte) bool { return !bytes.Equal(b, want) }) {
		t.Error("side by side gives another report than alone")
	}
}
