package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
)

const edgesLong = `Edges lists every edge of the given kinds, in the order of their fields.

With --format tsv each line has: caller path, caller declaration line, callee
path, callee declaration line, kind, tier, lines of the sites (with commas).
Lines count from 1, paths are relative to the tree; control characters in a path
are written as escapes.

The caller is the outermost function around the site, as a list of functions
shows it; --nested keeps functions inside functions as callers of their own.`

func newGraphEdges(a *app, sel *query.Selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "edges",
		Short: "List all edges of some kinds",
		Long:  edgesLong,
		Args:  operands(),
	}
	kindList := kindsFlag(c)
	nested := c.Flags().Bool("nested", false, "name the innermost function as the caller")
	f := formatFlag(c, "text", "json", "tsv")
	c.RunE = func(c *cobra.Command, _ []string) error {
		kinds, err := parseKinds(*kindList)
		if err != nil {
			return err
		}
		var e answer.Edges
		err = a.ask(c.Context(), sel, f, func(r *query.Reading) (err error) {
			e, err = r.Edges(c.Context(), kinds, *nested)
			return err
		})
		if err != nil {
			return err
		}
		if f.value == "tsv" {
			return writeText(a.Out, edgesTSV(e))
		}
		return a.write(f, e, func() *strings.Builder { return edgesText(e) })
	}
	return c
}

func edgesTSV(e answer.Edges) *strings.Builder {
	var b strings.Builder
	for _, e := range e.Edges {
		fmt.Fprintf(&b, "%s\t%d\t%s\t%d\t%s\t%s\t%s\n", inert(e.CallerPath), e.CallerLine, inert(e.CalleePath), e.CalleeLine, e.Kind, e.Tier, joinLines(e.Lines))
	}
	return &b
}

func edgesText(e answer.Edges) *strings.Builder {
	var b strings.Builder
	for _, e := range e.Edges {
		fmt.Fprintf(&b, "%s:%d → %s:%d  %s, %s, line %s\n", inert(e.CallerPath), e.CallerLine, inert(e.CalleePath), e.CalleeLine, e.Kind, e.Tier, joinLines(e.Lines))
	}
	if len(e.Edges) == 0 {
		fmt.Fprintf(&b, "no %s edges in %s\n", strings.Join(e.Kinds, " or "), query.Seen(e.Coverage))
	}
	b.WriteString(footer(e.Header))
	return &b
}
