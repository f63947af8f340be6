package mcp

import (
	"context"
	"regexp"

	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/review/report"
)

// review makes the report of a worktree's HEAD against a base, or finds the one
// that was made for the same two commits. Before it is given, HEAD must still be
// what it was.
func (s *server) review(ctx context.Context, told Progress, root, expectHead, base string) (r *report.Report, err error) {
	if expectHead != "" && !commitID.MatchString(expectHead) {
		return nil, refuse("bad_arguments", "give a full commit ID", "expect_head is %q", cut(expectHead, 80))
	}
	err = s.router.with(ctx, root, func(rt *route) error {
		into, head, err := rt.worktree.Subject(ctx, base)
		if err != nil {
			return err
		}
		if expectHead != "" && expectHead != head {
			return headMoved(head, expectHead)
		}
		key := "review-" + digest(root, into, head)
		made, done, err := s.jobs.run(ctx, key, s.wait, told, func(ctx context.Context, told Progress) (any, error) {
			return rt.worktree.Review(ctx, base, told)
		})
		if err != nil {
			return err
		}
		if !done {
			return refuse("running", "call again with the same arguments", "the review takes longer than a call may; it goes on")
		}
		r = made.(*report.Report)
		now, still, err := rt.worktree.Subject(ctx, base)
		if err != nil {
			return err
		}
		if now != into || still != head || r.Subject.Head.Commit != head || r.Subject.Base.Commit != into {
			s.jobs.forget(key)
			return refuse("stale_graph: head_moved", "call again", "HEAD or base moved while the review ran")
		}
		return nil
	})
	return r, err
}

var commitID = regexp.MustCompile("^([0-9a-f]{40}|[0-9a-f]{64})$")

func headMoved(head, expected string) *Refusal {
	return refuse("stale_graph: head_moved", "look at what the new HEAD changes, then call again without expect_head or with "+head, "HEAD is %.12s, expected is %.12s", head, expected)
}

// headerOf says what a report is about in the terms of all results. A review reads
// graphs that are kept by tree, whose generation is 0.
func headerOf(root string, r *report.Report) answer.Header {
	h := answer.Header{
		Schema: report.Schema, RepositoryRoot: root, Head: r.Subject.Head.Commit, Tree: r.Subject.Head.Tree,
		GraphDigest: r.Provenance.Graphs.Head.Digest,
		Coverage:    answer.Summary{Files: r.Coverage.Total, Parsed: r.Coverage.Total - r.Coverage.NotParsed},
	}
	for _, l := range r.Coverage.Languages {
		h.Coverage.Partial += l.Partial
	}
	h.Coverage.NotParsed = r.Coverage.NotParsed - h.Coverage.Partial
	return h
}

// bindTo is a header under which cursors of a report go stale with the report: the
// same head has another one against another base.
func bindTo(h answer.Header, r *report.Report) answer.Header {
	h.GraphDigest += r.Provenance.InputsDigest
	return h
}
