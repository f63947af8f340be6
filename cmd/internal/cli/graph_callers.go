package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
)

func newGraphCallers(a *app, sel *query.Selection) *cobra.Command {
	return newNeighbours(a, sel, "callers SYMBOL", "List who refers to a symbol, by default who calls it", "arrive at", (*query.Reading).Callers)
}

func newGraphCallees(a *app, sel *query.Selection) *cobra.Command {
	return newNeighbours(a, sel, "callees SYMBOL", "List what a symbol refers to, by default what it calls", "leave", (*query.Reading).Callees)
}

type neighbours func(*query.Reading, context.Context, string, []graph.EdgeKind) (answer.Neighbours, error)

func newNeighbours(a *app, sel *query.Selection, use, short, direction string, find neighbours) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: operands("SYMBOL")}
	kindList := kindsFlag(c)
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		kinds, err := parseKinds(*kindList)
		if err != nil {
			return err
		}
		var n answer.Neighbours
		err = a.ask(c.Context(), sel, f, func(r *query.Reading) (err error) {
			n, err = find(r, c.Context(), args[0], kinds)
			return err
		})
		if err != nil {
			return err
		}
		return a.write(f, n, func() *strings.Builder { return neighboursText(n, direction) })
	}
	return c
}

func neighboursText(n answer.Neighbours, direction string) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", title(n.Symbol))
	for _, e := range n.Edges {
		fmt.Fprintf(&b, "  %-9s %-8s %s, line %s\n", e.Kind, e.Tier, title(e.Symbol), joinLines(e.Lines))
	}
	if len(n.Edges) == 0 {
		fmt.Fprintf(&b, "  no %s edges %s it in %s\n", strings.Join(n.Kinds, " or "), direction, query.Seen(n.Coverage))
	}
	checkText(&b, n.Check)
	b.WriteString(footer(n.Header))
	return &b
}
