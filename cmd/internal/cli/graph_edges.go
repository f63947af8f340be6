package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/graph"
)

// An edgesAnswer is the JSON form of "previdence graph edges".
type edgesAnswer struct {
	header
	Kinds []string      `json:"kinds"`
	Edges []edgeBetween `json:"edges"`
}

// An edgeBetween is one edge by the places of its ends.
type edgeBetween struct {
	CallerPath string  `json:"caller_path"`
	CallerLine int     `json:"caller_line"` // of the declaration
	CalleePath string  `json:"callee_path"`
	CalleeLine int     `json:"callee_line"`
	Kind       string  `json:"kind"`
	Tier       string  `json:"tier"`
	Lines      []int32 `json:"lines"` // of the sites, in the caller's file
	kind       graph.EdgeKind
	tier       graph.Tier
}

const edgesLong = `Edges lists every edge of the given kinds, in the order of their fields.

With --format tsv each line has: caller path, caller declaration line, callee
path, callee declaration line, kind, tier, lines of the sites (with commas).
Lines count from 1, paths are relative to the tree; control characters in a path
are written as escapes.

The caller is the outermost function around the site, as a list of functions
shows it; --nested keeps functions inside functions as callers of their own.`

func newGraphEdges(a *app, sel *selection) *cobra.Command {
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
		return a.withGraph(c.Context(), sel, f, func(r *reading) (func() error, error) {
			g, err := r.DB.Load(c.Context())
			if err != nil {
				return nil, err
			}
			answer := edgesAnswer{header: r.header(), Kinds: kindNames(kinds), Edges: edgesOf(g, kinds, *nested)}
			return func() error {
				switch f.value {
				case "json":
					return writeJSON(a.Out, answer)
				case "tsv":
					return writeText(a.Out, answer.tsv())
				}
				return writeText(a.Out, answer.text(r))
			}, nil
		})
	}
	return c
}

func edgesOf(g *graph.Graph, kinds []graph.EdgeKind, nested bool) []edgeBetween {
	caller := func(i int32) int32 { return i }
	if !nested {
		caller = outermost(g)
	}
	out := []edgeBetween{}
	for _, e := range g.Edges {
		if !slices.Contains(kinds, e.Kind) {
			continue
		}
		from, to := &g.Symbols[caller(e.From)], &g.Symbols[e.To]
		out = append(out, edgeBetween{
			CallerPath: from.Path, CallerLine: from.Line, CalleePath: to.Path, CalleeLine: to.Line,
			Kind: e.Kind.String(), Tier: e.Tier.String(), Lines: e.Lines, kind: e.Kind, tier: e.Tier,
		})
	}
	slices.SortFunc(out, func(a, b edgeBetween) int {
		return cmp.Or(cmp.Compare(a.CallerPath, b.CallerPath), cmp.Compare(a.CallerLine, b.CallerLine),
			cmp.Compare(a.CalleePath, b.CalleePath), cmp.Compare(a.CalleeLine, b.CalleeLine),
			cmp.Compare(a.kind, b.kind), cmp.Compare(a.tier, b.tier), slices.Compare(a.Lines, b.Lines))
	})
	return joined(out)
}

// joined makes one edge of those that differ in their sites only.
func joined(edges []edgeBetween) []edgeBetween {
	out := edges[:0]
	for _, e := range edges {
		if n := len(out); n > 0 && sameEnds(out[n-1], e) {
			lines := append(slices.Clone(out[n-1].Lines), e.Lines...)
			slices.Sort(lines)
			out[n-1].Lines = slices.Compact(lines)
			continue
		}
		out = append(out, e)
	}
	return out
}

func sameEnds(a, b edgeBetween) bool {
	return a.CallerPath == b.CallerPath && a.CallerLine == b.CallerLine && a.CalleePath == b.CalleePath && a.CalleeLine == b.CalleeLine &&
		a.kind == b.kind && a.tier == b.tier
}

// outermost finds for a symbol the function that no other function contains, or
// the symbol itself if it lies in none.
func outermost(g *graph.Graph) func(int32) int32 {
	type name struct{ path, qualified string }
	functions := map[name][]int32{} // several if a name is overloaded or defined again
	for i := range g.Symbols {
		if s := &g.Symbols[i]; s.Kind.Callable() {
			n := name{s.Path, s.Qualified()}
			functions[n] = append(functions[n], int32(i))
		}
	}
	return func(i int32) int32 {
		s := &g.Symbols[i]
		for end := 0; end < len(s.Container); end++ {
			next := strings.IndexByte(s.Container[end:], '.')
			if next < 0 {
				next = len(s.Container) - end
			}
			end += next
			for _, f := range functions[name{s.Path, s.Container[:end]}] {
				if around := &g.Symbols[f]; around.Start <= s.Start && s.End <= around.End {
					return f
				}
			}
		}
		return i
	}
}

func (e edgesAnswer) tsv() *strings.Builder {
	var b strings.Builder
	for _, e := range e.Edges {
		fmt.Fprintf(&b, "%s\t%d\t%s\t%d\t%s\t%s\t%s\n", inert(e.CallerPath), e.CallerLine, inert(e.CalleePath), e.CalleeLine, e.Kind, e.Tier, joinLines(e.Lines))
	}
	return &b
}

func (e edgesAnswer) text(r *reading) *strings.Builder {
	var b strings.Builder
	for _, e := range e.Edges {
		fmt.Fprintf(&b, "%s:%d → %s:%d  %s, %s, line %s\n", inert(e.CallerPath), e.CallerLine, inert(e.CalleePath), e.CalleeLine, e.Kind, e.Tier, joinLines(e.Lines))
	}
	if len(e.Edges) == 0 {
		fmt.Fprintf(&b, "no %s edges in %s\n", strings.Join(e.Kinds, " or "), r.seen())
	}
	b.WriteString(r.footer())
	return &b
}
