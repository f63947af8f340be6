package mcp

import (
	"context"

	"github.com/previdence/previdence/graph/answer"
)

type recordDecisionArgs struct {
	common
	Kind    string   `json:"kind" jsonschema:"accepted_risk, dismissed, dead_end or decision"`
	Title   string   `json:"title" jsonschema:"one line, at most 200 bytes"`
	Text    string   `json:"text,omitempty" jsonschema:"why, at most 4000 bytes"`
	Symbols []string `json:"symbols" jsonschema:"ids or names of the code that it is about, 1 to 16"`
}

func recordDecision() tool {
	return define[recordDecisionArgs, answer.Decisions]("record_decision", "Record a decision",
		`Use this when the user decides something about code that later reviews should know: a risk that is accepted, a finding that is dismissed, a way that was tried and failed. `+
			`Records it with the digests of the cited code, so that it later says whether it still applies. `+
			`It is kept on this machine, in the git directory; to share it, commit it as .previdence/decisions/ID.md. Nothing recorded changes a verdict by itself.`,
		effects{writes: true}, false, func(ctx context.Context, c *call, in *recordDecisionArgs) (reply, error) {
			if len(in.Symbols) == 0 || len(in.Symbols) > 16 {
				return reply{}, refuse("bad_arguments", "name 1 to 16", "%d symbols", len(in.Symbols))
			}
			var a answer.Decisions
			err := c.server.router.read(ctx, in.RepoRoot, func(ctx context.Context, w Worktree) (err error) {
				a, err = w.Record(ctx, At{ExpectHead: in.ExpectHead}, Decision{Kind: in.Kind, Title: in.Title, Text: in.Text, Symbols: in.Symbols})
				return err
			})
			return decisions(a), err
		}).one("kind", "accepted_risk", "dismissed", "dead_end", "decision")
}
