package post

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/previdence/previdence/action/github"
)

// agrees compares everything that evidence says about itself with what the event
// says about the run that made it.
func (p *Publication) agrees() error {
	e, f := p.Envelope, &p.Facts
	if e == nil || e.Report == nil {
		return fmt.Errorf("%w: no report", ErrUntrue)
	}
	s := e.Report.Subject
	for _, c := range []struct {
		what        string
		claimed, is any
	}{
		{"repository", e.RepositoryID, f.RepositoryID},
		{"head repository", e.HeadRepositoryID, f.HeadRepositoryID},
		{"head", e.Head, f.Head},
		{"event", e.Event, f.Event},
		{"run", e.RunID, f.RunID},
		{"attempt", e.RunAttempt, min(e.RunAttempt, f.RunAttempt)}, // a job that was not run again left it
		{"workflow", e.Workflow, f.Workflow},
		{"pull request", e.PullRequest, f.expected(e.PullRequest)},
		{"head of the report", s.Head.Commit, e.Head},
		{"base of the report", s.Base.Commit, e.Base},
		{"pull request of the report", s.PullRequest, orZero(e.PullRequest, s.PullRequest != 0)},
		{"repository of the report", strings.ToLower(s.Repository), strings.ToLower(orZero(f.Repository, s.Repository != ""))},
	} {
		if c.claimed != c.is {
			return fmt.Errorf("%w: %s is %v, not %.100q", ErrUntrue, c.what, c.is, fmt.Sprint(c.claimed))
		}
	}
	return nil
}

// expected is the number that evidence must name: that of the event, and none if
// the event is not about a pull request. A run for one of a fork does not know it.
func (f *Facts) expected(claimed int) int {
	if f.PullRequest != 0 || !strings.HasPrefix(f.Event, "pull_request") {
		return f.PullRequest
	}
	return max(claimed, 1)
}

// orZero is v if it is stated, which a report need not do.
func orZero[T any](v T, stated bool) (zero T) {
	if stated {
		return v
	}
	return zero
}

// number is the pull request that the evidence names.
func (p *Publication) number() int { return p.Envelope.PullRequest }

// prove asks GitHub whether the evidence is about the pull request as it is now.
// It returns why not if time has passed over it, and [ErrUntrue] if it never was.
func (j *job) prove(ctx context.Context) (superseded string, err error) {
	if j.number == 0 {
		return "", j.proveBase(ctx)
	}
	p, err := j.client.PullRequest(ctx, j.number)
	if err != nil {
		return "", j.unproven(ctx, err)
	}
	switch {
	case p.BaseRepoID != j.facts.RepositoryID:
		return "", fmt.Errorf("%w: pull request %d goes into repository %d", ErrUntrue, j.number, p.BaseRepoID)
	case !p.Open:
		return fmt.Sprintf("pull request %d is closed", j.number), nil
	case p.HeadRepoID == 0:
		return fmt.Sprintf("the repository of pull request %d is gone", j.number), nil
	case p.HeadRepoID != j.facts.HeadRepositoryID:
		return "", fmt.Errorf("%w: pull request %d comes from repository %d", ErrUntrue, j.number, p.HeadRepoID)
	case p.Head != j.facts.Head:
		return fmt.Sprintf("pull request %d has another head now: %.12s", j.number, p.Head), nil
	}
	if j.facts.Privileged {
		return "", nil
	}
	onto, err := j.client.MergeBase(ctx, p.BaseRef, j.base)
	if err != nil {
		return "", j.unproven(ctx, err)
	}
	if onto != j.base {
		return fmt.Sprintf("pull request %d goes into %s, which does not have the base %.12s", j.number, p.BaseRef, j.base), nil
	}
	return "", j.proveBase(ctx)
}

// proveBase asks GitHub for the merge base of evidence that another run made. It
// depends on the two commits alone, so time cannot excuse another one.
func (j *job) proveBase(ctx context.Context) error {
	if j.facts.Privileged {
		return nil
	}
	base, err := j.client.MergeBase(ctx, j.base, j.facts.Head)
	if err != nil {
		return j.unproven(ctx, err)
	}
	s := j.report.Subject
	if base != s.MergeBase && !(slices.Contains(s.MergeBases, base) && slices.Contains(s.MergeBases, s.MergeBase)) {
		return fmt.Errorf("%w: merge base is %.12s, not %.12q", ErrUntrue, base, s.MergeBase)
	}
	return nil
}

// errUnproven ends a publication without an error of its own: GitHub did not
// answer, and what is not proven is not posted.
var errUnproven = errors.New("not proven")

func (j *job) unproven(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if errors.Is(err, github.ErrGone) && !j.facts.Privileged {
		return fmt.Errorf("%w: %w", ErrUntrue, err)
	}
	return fmt.Errorf("%w: %w", errUnproven, err)
}
