package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

// remember records a review beside the graph of the worktree that has its head
// checked out, where whoever deletes that graph looks for it. A review of another
// commit, or in a bare repository, is nobody's HEAD and is not recorded. The
// report does not depend on it. A partial report is not recorded either.
func (p *Pipeline) remember(ctx context.Context, r reviewed) {
	if r.report.Cut() {
		return // nobody was told how it ends
	}
	err := p.record(ctx, r)
	if err != nil && ctx.Err() == nil && !errors.Is(err, worktree.ErrUnauthorizedRoot) {
		p.notice(fmt.Sprintf("the review is not recorded, so previdence cleanup will not delete the graph of %s: %v", r.at.binding.RepositoryRoot, err))
	}
}

func (p *Pipeline) record(ctx context.Context, r reviewed) error {
	root := r.at.binding.RepositoryRoot
	if root == "" {
		return nil
	}
	if root == p.repo.Root() { // cheaper than to authorise it
		_, head, err := p.repo.Head(ctx)
		if errors.Is(err, worktree.ErrNoCommit) || err == nil && head != r.at.head.commit {
			return nil
		}
		if err != nil {
			return err
		}
	}
	_, repo, err := p.repo.Authorize(ctx, root)
	if err != nil {
		return err
	}
	text, err := r.report.Canonical()
	if err != nil {
		return err
	}
	failing := 0
	for _, reason := range r.report.Verdict.Reasons {
		if reason.Fails {
			failing++
		}
	}
	return provenance.Remember(ctx, repo, provenance.Review{
		Head: r.at.head.commit, Base: baseIn(ctx, repo, r.at.base), MergeBase: worktree.OID(r.report.Subject.MergeBase),
		Report: sum(text), Graph: r.report.Provenance.Graphs.Head.Digest,
		Outcome: string(r.report.Verdict.Outcome), Failing: failing,
	})
}

// baseIn returns the name under which a worktree finds the base again, so that it
// can be told whether it has moved. A store does not know the branches of the
// repository; there the commit itself is the name if nothing else is.
func baseIn(ctx context.Context, repo *worktree.Repo, base named) string {
	names := []string{base.ref}
	if c, ok := repo.Checkout(); ok {
		names = append(names, worktree.PullBase(c.Number))
	}
	for _, name := range names {
		if found, err := repo.Resolve(ctx, name); err == nil && found == base.commit {
			return name
		}
	}
	return string(base.commit)
}
