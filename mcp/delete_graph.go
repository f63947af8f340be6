package mcp

import (
	"context"

	"github.com/previdence/previdence/graph/answer"
)

type deleteGraphArgs struct {
	RepoRoot     string `json:"repo_root" jsonschema:"absolute path of the worktree's top folder"`
	Confirmation string `json:"confirmation" jsonschema:"the word approved, after the user has approved the deletion"`
}

func deleteGraph() tool {
	return define[deleteGraphArgs, answer.Deleted]("delete_graph", "Delete a worktree's graph",
		`Use this only when the user has approved it, after a review has ended. `+
			`Deletes the graph of one worktree and nothing else: no source, no worktree, no graph of others, no shared facts. `+
			`Refused unless confirmation is exactly approved, the graph was used or its HEAD reviewed, it says that it was built for this worktree at its HEAD, and nobody reads or replaces it.`,
		effects{writes: true, destroys: true, repeats: true}, true, func(ctx context.Context, c *call, in *deleteGraphArgs) (reply, error) {
			var a answer.Deleted
			err := c.server.router.with(ctx, in.RepoRoot, func(rt *route) (err error) {
				a, err = rt.worktree.Delete(ctx, in.Confirmation)
				return err
			})
			return reply{about: a.Header, head: a, list: "removed", items: items(a.Removed)}, err
		}).one("confirmation", "approved")
}
