package cli

import (
	"context"
	"errors"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

// checkGraph says whether the graph of the worktree answers, and whether it
// would also for somebody who reads the files. It asks what every question asks.
func (a *app) checkGraph(ctx context.Context, repo *worktree.Repo) []check {
	if repo.Root() != "" {
		if _, _, err := a.state.Authorize(ctx, repo.Root()); err != nil {
			c := missing("graph_state", err)
			c.State = checkLimited // reviews need no root
			return []check{c}
		}
	}
	q, err := query.At(ctx, repo, "", query.Asked{})
	switch {
	case errors.Is(err, worktree.ErrNoCommit):
		return []check{{Name: "graph_state", State: checkOK, Detail: "no commit yet"}}
	case err != nil:
		c := missing("graph_state", err)
		c.State = checkLimited // the merge base may have other rules
		return []check{c}
	}
	checks := []check{explain(ctx, "graph_state", repo, q)}
	if repo.Root() != "" && checks[0].Detail == answer.Ready {
		q.Bound = true
		checks = append(checks, explain(ctx, "graph_bound", repo, q), checkCleanup(ctx, repo))
	}
	return checks
}

// checkCleanup says whether the graph could be deleted if that was approved.
func checkCleanup(ctx context.Context, repo *worktree.Repo) check {
	const name = "graph_cleanup"
	refusal, err := provenance.Deletable(ctx, repo)
	switch {
	case err != nil:
		return missing(name, err)
	case refusal != nil:
		return check{Name: name, State: checkOK, Detail: refusal.Error(), Hint: refusal.Remedy}
	}
	return check{Name: name, State: checkOK, Detail: "may be deleted: its review is over"}
}

func explain(ctx context.Context, name string, repo *worktree.Repo, q provenance.Query) check {
	refusal, err := provenance.Check(ctx, repo, q)
	switch {
	case err != nil:
		return missing(name, err)
	case refusal == nil:
		return check{Name: name, State: checkOK, Detail: answer.Ready}
	case refusal.State == provenance.NotReady:
		return check{Name: name, State: checkOK, Detail: refusal.Error(), Hint: refusal.Remedy}
	}
	return check{Name: name, State: checkLimited, Detail: refusal.Error(), Hint: refusal.Remedy}
}
