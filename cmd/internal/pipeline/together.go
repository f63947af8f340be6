package pipeline

import (
	"cmp"
	"context"
	"slices"

	"github.com/sourcegraph/conc/pool"

	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
)

// A Result is what became of one request.
type Result struct {
	Report *report.Report // nil if there is an error
	Err    error
}

// ReviewAll reviews requests side by side, at most jobs at once, and says in
// each report which of the others meet it. A request that fails does not stop
// the others. Results have the order of the requests; but for the overlap, a
// report is the one that [Pipeline.Review] gives.
func (p *Pipeline) ReviewAll(ctx context.Context, requests []Request, jobs int) []Result {
	results, all := make([]Result, len(requests)), make([]reviewed, len(requests))
	g := pool.New().WithMaxGoroutines(jobs)
	for i, req := range requests {
		g.Go(func() { all[i], results[i].Err = p.review(ctx, req) })
	}
	g.Wait()
	done := pool.New().WithMaxGoroutines(jobs)
	for i := range all {
		results[i].Report = all[i].report
		if results[i].Err == nil {
			results[i].Report.Overlap = overlaps(i, all)
			sayUncompared(i, all)
			done.Go(func() { p.remember(ctx, all[i]) })
		}
	}
	done.Wait()
	return results
}

// overlaps says where one report meets the others.
func overlaps(this int, all []reviewed) []report.Overlap {
	var found []report.Overlap
	for i, other := range all {
		if i == this || other.report == nil || same(other.report.Subject, all[this].report.Subject) {
			continue
		}
		if o, ok := review.Overlap(all[this].touched, other.touched); ok {
			s := other.report.Subject
			o.PullRequest, o.Ref, o.Base, o.Head = s.PullRequest, s.Head.Ref, s.Base.Commit, s.Head.Commit
			found = append(found, o)
		}
	}
	slices.SortFunc(found, compareOverlaps)
	return slices.CompactFunc(found, func(a, b report.Overlap) bool { return compareOverlaps(a, b) == 0 })
}

func compareOverlaps(a, b report.Overlap) int {
	return cmp.Or(cmp.Compare(a.PullRequest, b.PullRequest), cmp.Compare(a.Ref, b.Ref), cmp.Compare(a.Base, b.Base), cmp.Compare(a.Head, b.Head))
}

// same reports whether two requests turned out to be one: a pull request does
// not overlap with itself.
func same(a, b report.Subject) bool {
	return a.MergeBase == b.MergeBase && a.Head.Commit == b.Head.Commit
}
