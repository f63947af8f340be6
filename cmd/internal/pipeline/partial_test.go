package pipeline_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// untilBuilt reviews requests and lets the deadline come once so many graphs are
// built; 0 for before the first.
func untilBuilt(t *testing.T, dir string, graphs int, keep bool, requests ...pipeline.Request) []pipeline.Result {
	t.Helper()
	repo, err := worktree.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	until := make(chan struct{})
	var once sync.Once
	built := 0
	builder := index.New(index.Options{Built: func(worktree.OID, index.Stats) {
		if built++; built == graphs {
			once.Do(func() { close(until) })
		}
	}})
	if graphs == 0 {
		close(until)
	}
	p := pipeline.New(repo, builder, pipeline.Options{Limits: review.DefaultLimits, ToolVersion: "test", Keep: keep, Until: until})
	return p.ReviewAll(t.Context(), requests, 1)
}

func TestADeadlineAfterTheGraphsGivesTheChangesByThem(t *testing.T) {
	repo := program(t)
	got := untilBuilt(t, repo.Dir, 2, true, pipeline.Request{Base: "main", Head: "head"})[0]
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	r := got.Report
	if !r.Cut() || r.Verdict.Outcome != report.Incomplete || r.Provenance.InputsDigest != "" || r.Provenance.Graphs.Head.Digest == "" {
		t.Errorf("state %q, outcome %q, inputs %q, graph %q", r.State, r.Verdict.Outcome, r.Provenance.InputsDigest, r.Provenance.Graphs.Head.Digest)
	}
	whole := mustReview(t, repo.Dir, pipeline.Request{Base: "main", Head: "head"})
	if len(r.Changes.Symbols) != len(whole.Changes.Symbols) || len(r.Breaks) != 0 || len(whole.Breaks) == 0 {
		t.Errorf("%d changes and %d breaks, want %d changes and none of %d breaks", len(r.Changes.Symbols), len(r.Breaks), len(whole.Changes.Symbols), len(whole.Breaks))
	}
	for _, name := range []string{"breaks", "impact", "tests", "api", "groups"} {
		if s := r.Section(name); s.State != report.Unavailable {
			t.Errorf("%s is %s", name, s.State)
		}
	}
	if s := r.Section("coverage"); s != whole.Section("coverage") || r.Coverage.Total != whole.Coverage.Total {
		t.Errorf("coverage is %+v", s)
	}
}

// Between the two graphs the one that is whole must not be compared with a tree that
// nobody read.
func TestADeadlineBetweenTheGraphsRemovesNothing(t *testing.T) {
	repo := program(t)
	for graphs := range 2 {
		got := untilBuilt(t, repo.Dir, graphs, false, pipeline.Request{Base: "main", Head: "head"})[0]
		if got.Err != nil {
			t.Fatal(got.Err)
		}
		whole := mustReview(t, repo.Dir, pipeline.Request{Base: "main", Head: "head"})
		if !slices.EqualFunc(got.Report.Changes.Symbols, whole.Changes.Symbols, func(a, b report.SymbolChange) bool { return a.ID == b.ID && a.Change == b.Change }) {
			t.Errorf("after %d graphs: changes %+v, want %+v", graphs, got.Report.Changes.Symbols, whole.Changes.Symbols)
		}
		if !slices.Equal(got.Report.Changes.Files, whole.Changes.Files) {
			t.Errorf("after %d graphs: files %+v, want %+v", graphs, got.Report.Changes.Files, whole.Changes.Files)
		}
	}
}

// A report beside a partial one cannot say everywhere where they meet.
func TestAReportBesideAPartialOneIsPartial(t *testing.T) {
	repo, requests := branches(t, 2)
	got := untilBuilt(t, repo.Dir, 3, false, requests...)
	states := []report.State{}
	for _, r := range got {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		states = append(states, r.Report.State)
		if r.Report.Verdict.Outcome != report.Incomplete || r.Report.Provenance.InputsDigest != "" || len(r.Report.Overlap) != 1 {
			t.Errorf("outcome %q, inputs %q, overlap %v", r.Report.Verdict.Outcome, r.Report.Provenance.InputsDigest, r.Report.Overlap)
		}
	}
	if want := []report.State{report.Partial, report.Partial}; !slices.Equal(states, want) {
		t.Errorf("states %v", states)
	}
	if s := got[0].Report.Section("breaks"); s.State != report.Complete {
		t.Errorf("the first was cut itself: breaks are %+v", s)
	}
}
