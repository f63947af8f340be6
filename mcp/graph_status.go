package mcp

import (
	"context"

	"github.com/previdence/previdence/graph/answer"
)

type graphStatusArgs struct {
	common
	bound
}

func graphStatus() tool {
	return define[graphStatusArgs, answer.Status]("graph_status", "State of a worktree's graph",
		`Use this when a call was refused, or to learn whether the files on disk are those of HEAD. `+
			`Says whether the graph answers for HEAD and proves its content against its digest; state is ready, or why it does not answer, with reason and remedy. `+
			`dirty lists how the files on disk differ from the commit (modified, staged, untracked_source, …), empty if every file is HEAD's.`,
		reads, false, func(ctx context.Context, c *call, in *graphStatusArgs) (reply, error) {
			var a answer.Status
			err := c.server.router.read(ctx, in.RepoRoot, func(ctx context.Context, w Worktree) (err error) {
				a, err = w.Status(ctx, At{in.ExpectHead, in.Bound})
				return err
			})
			return reply{about: a.Header, head: a, list: "dirty", items: items(a.Dirty)}, err
		})
}
