package mcp

import (
	"context"

	"github.com/previdence/previdence/graph/answer"
)

type listWorktreesArgs struct {
	common
}

func listWorktrees() tool {
	return define[listWorktreesArgs, answer.Worktrees]("list_worktrees", "List worktrees and checked-out pull requests",
		`Use this to find the repo_root of another branch or pull request of the same repository. `+
			`Lists the worktrees of the repository around repo_root and the pull requests that previdence has checked out beside it: root, head, number, and whether the graph of each answers (of the first 64). `+
			`Every worktree has a graph of its own; no answer about one ever comes from another.`,
		reads, false, func(ctx context.Context, c *call, in *listWorktreesArgs) (reply, error) {
			var a answer.Worktrees
			err := c.server.router.read(ctx, in.RepoRoot, func(ctx context.Context, w Worktree) (err error) {
				a, err = w.Worktrees(ctx)
				return err
			})
			if err == nil && in.ExpectHead != "" && in.ExpectHead != a.Head {
				err = headMoved(a.Head, in.ExpectHead)
			}
			return reply{about: a.Header, head: a, list: "worktrees", items: items(a.Worktrees)}, err
		})
}
