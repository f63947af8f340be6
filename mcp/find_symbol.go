package mcp

import (
	"context"

	"github.com/previdence/previdence/graph/answer"
)

type findSymbolArgs struct {
	common
	bound
	Name  string `json:"name" jsonschema:"a name (Send), one with its containers (Client.Send), the beginning of one, or words of one"`
	Limit int    `json:"limit,omitempty" jsonschema:"symbols to find at most, 1 to 200; 50 if absent"`
}

func findSymbol() tool {
	return define[findSymbolArgs, answer.Symbols]("find_symbol", "Find symbols by name",
		`Use this to find where something is defined, or its exact id for the other tools, instead of grep. `+
			`Finds symbols of the commit by name, beginning or words, best match first: id, kind, path, lines, signature; more is true if others match beyond limit. `+
			`If nothing matches, check says what a text search of every file of the tree found, unparsed files included.`,
		reads, false, func(ctx context.Context, c *call, in *findSymbolArgs) (reply, error) {
			if in.Limit == 0 {
				in.Limit = 50
			}
			if in.Limit < 1 || in.Limit > 200 {
				return reply{}, refuse("bad_arguments", "give 1 to 200", "limit is %d", in.Limit)
			}
			var a answer.Symbols
			err := c.server.router.read(ctx, in.RepoRoot, func(ctx context.Context, w Worktree) (err error) {
				a, err = w.Search(ctx, At{in.ExpectHead, in.Bound}, in.Name, in.Limit)
				return err
			})
			return reply{about: a.Header, head: a, list: "symbols", items: items(a.Symbols), open: a.More}, err
		})
}
