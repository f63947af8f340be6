package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/store"
)

// A neighboursAnswer is the JSON form of "previdence graph callers" and
// "previdence graph callees".
type neighboursAnswer struct {
	header
	Symbol symbolAnswer `json:"symbol"`
	Kinds  []string     `json:"kinds"` // kinds of edges that were followed
	Edges  []edgeAnswer `json:"edges"`
}

func newGraphCallers(a *app, sel *selection) *cobra.Command {
	return newNeighbours(a, sel, "callers SYMBOL", "List who refers to a symbol, by default who calls it", "arrive at",
		func(ctx context.Context, db *store.DB, id graph.SymbolID, kinds []graph.EdgeKind) ([]store.Reference, error) {
			return db.Callers(ctx, id, kinds...)
		})
}

func newGraphCallees(a *app, sel *selection) *cobra.Command {
	return newNeighbours(a, sel, "callees SYMBOL", "List what a symbol refers to, by default what it calls", "leave",
		func(ctx context.Context, db *store.DB, id graph.SymbolID, kinds []graph.EdgeKind) ([]store.Reference, error) {
			return db.Callees(ctx, id, kinds...)
		})
}

type neighbours func(context.Context, *store.DB, graph.SymbolID, []graph.EdgeKind) ([]store.Reference, error)

func newNeighbours(a *app, sel *selection, use, short, direction string, find neighbours) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: operands("SYMBOL")}
	kindList := kindsFlag(c)
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		kinds, err := parseKinds(*kindList)
		if err != nil {
			return err
		}
		return a.withGraph(c.Context(), sel, f, func(r *reading) (func() error, error) {
			s, err := r.symbol(c.Context(), args[0])
			if err != nil {
				return nil, err
			}
			refs, err := find(c.Context(), r.DB, s.ID, kinds)
			answer := neighboursAnswer{header: r.header(), Symbol: describe(s), Kinds: kindNames(kinds), Edges: describeEdges(refs)}
			return func() error {
				if f.value == "json" {
					return writeJSON(a.Out, answer)
				}
				return writeText(a.Out, answer.text(r, direction))
			}, err
		})
	}
	return c
}

func kindNames(kinds []graph.EdgeKind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	return names
}

func (n neighboursAnswer) text(r *reading, direction string) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", n.Symbol.title())
	for _, e := range n.Edges {
		fmt.Fprintf(&b, "  %-9s %-8s %s, line %s\n", e.Kind, e.Tier, e.Symbol.title(), joinLines(e.Lines))
	}
	if len(n.Edges) == 0 {
		unresolved := 0
		for _, l := range languages(r.coverage) {
			unresolved += l.Calls.Unresolved
		}
		fmt.Fprintf(&b, "  no %s edges %s it in %s; %d calls of the tree are unresolved\n",
			strings.Join(n.Kinds, " or "), direction, r.seen(), unresolved)
	}
	b.WriteString(r.footer())
	return &b
}
