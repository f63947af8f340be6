package index

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/panics"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"
)

// A lostLink is a family of languages whose references were not resolved.
type lostLink struct {
	language string // the family's first
	files    int
	reason   error
}

var (
	errLinkerPanic = errors.New("linker panicked")
	errLinkerRange = errors.New("linker gave an edge to nowhere")
)

// link runs the linkers one after the other over the symbols, which begin for
// each unit at first, and adds to the graph what they find.
func (r *run) link(ctx context.Context, g *graph.Graph, first []int32) ([]lostLink, error) {
	var lost []lostLink
	var edges [][]graph.Edge // of each linker
	outside := map[string]string{}
	for n, l := range r.linkers {
		r.progress(PhaseLink, n, len(r.linkers))
		units := r.unitsOf(l.Languages())
		if len(units) == 0 {
			continue
		}
		in := link.Input{Symbols: slices.Clip(g.Symbols), Tree: r.tree, Workers: r.options.Workers, Memo: memo{r}}
		for _, i := range units {
			u := &r.units[i]
			in.Files = append(in.Files, link.File{Path: u.file.Path, Blob: u.file.Blob, Facts: u.facts, Syntax: u.syntax, Symbols: first[i]})
			u.syntax = nil // the linker's own from now on
		}
		out, err := runLinker(ctx, l, in)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			lost = append(lost, lostLink{l.Languages()[0], len(units), err})
			r.stats.LinkError = errors.Join(r.stats.LinkError, fmt.Errorf("link %s: %w", l.Languages()[0], err))
			continue
		}
		for _, t := range out.Tests {
			g.Symbols[t.Symbol].Test, g.Symbols[t.Symbol].Framework = true, t.Framework
		}
		g.Symbols = append(g.Symbols, out.Symbols...)
		if len(out.Edges) > 0 {
			edges = append(edges, out.Edges)
		}
		g.Unresolved = append(g.Unresolved, out.Unresolved...)
		g.Counts = append(g.Counts, out.Counts...)
		g.Caveats = append(g.Caveats, out.Caveats...)
		if out.Outside != "" {
			outside[l.Languages()[0]] = out.Outside
		}
	}
	g.Edges = joined(edges)
	r.stats.Outside = describe(outside)
	r.progress(PhaseLink, len(r.linkers), len(r.linkers))
	return lost, nil
}

// joined puts lists of edges into one, the only one as it is: that of a large tree
// takes fifty megabytes.
func joined(lists [][]graph.Edge) []graph.Edge {
	if len(lists) == 1 {
		return lists[0]
	}
	return slices.Concat(lists...)
}

func (r *run) unitsOf(languages []string) []int {
	var out []int
	for i := range r.units {
		if f := r.units[i].facts; f != nil && slices.Contains(languages, f.Language) {
			out = append(out, i)
		}
	}
	return out
}

// runLinker turns a panic and indexes that point nowhere into an error.
func runLinker(ctx context.Context, l link.Linker, in link.Input) (out link.Output, err error) {
	if caught := panics.Try(func() { out, err = l.Link(ctx, in) }); caught != nil {
		return link.Output{}, fmt.Errorf("%w: %w", errLinkerPanic, caught.AsError())
	}
	if err != nil {
		return link.Output{}, err
	}
	symbols := int32(len(in.Symbols) + len(out.Symbols))
	for i := range out.Edges {
		e := &out.Edges[i]
		if e.From < 0 || e.From >= symbols || e.To < 0 || e.To >= symbols || e.Kind.String() == "" || e.Tier.String() == "" {
			return link.Output{}, errLinkerRange
		}
	}
	for i := range out.Unresolved {
		if from := out.Unresolved[i].From; from < 0 || from >= symbols {
			return link.Output{}, errLinkerRange
		}
	}
	for _, t := range out.Tests {
		if t.Symbol < 0 || int(t.Symbol) >= len(in.Symbols) {
			return link.Output{}, errLinkerRange
		}
	}
	return out, nil
}
