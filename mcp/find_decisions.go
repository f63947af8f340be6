package mcp

import (
	"context"

	"github.com/previdence/previdence/graph/answer"
)

type findDecisionsArgs struct {
	common
	Symbols []string `json:"symbols,omitempty" jsonschema:"ids or names: decisions that cite one of them; all if absent, at most 64"`
}

const mostSymbols = 64

func findDecisions() tool {
	return define[findDecisionsArgs, answer.Decisions]("find_decisions", "Find earlier decisions about code",
		`Use this before you report a risk or propose a change: it says what reviewers decided about the code earlier. `+
			`Kinds: accepted_risk, dismissed, dead_end, decision. Each is held against the code as it is now: applies, drifted (the cited code has changed since; body and now are the digests) or source_missing. `+
			`Files of the repository are read at the merge base with the default branch, so that a change cannot bring its own excuses.`,
		reads, false, func(ctx context.Context, c *call, in *findDecisionsArgs) (reply, error) {
			if len(in.Symbols) > mostSymbols {
				return reply{}, refuse("bad_arguments", "ask in parts", "%d symbols; at most %d are taken", len(in.Symbols), mostSymbols)
			}
			var a answer.Decisions
			err := c.server.router.read(ctx, in.RepoRoot, func(ctx context.Context, w Worktree) (err error) {
				a, err = w.Decisions(ctx, At{ExpectHead: in.ExpectHead}, in.Symbols)
				return err
			})
			return decisions(a), err
		})
}

func decisions(a answer.Decisions) reply {
	if len(a.Unread) > 10 {
		a.Unread = a.Unread[:10]
	}
	return reply{about: a.Header, head: a, list: "decisions", items: items(a.Decisions)}
}
