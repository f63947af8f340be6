package query

import (
	"context"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/review/blast"
)

// Radius finds everything that can reach a symbol over at most depth edges of some
// kinds.
func (r *Reading) Radius(ctx context.Context, symbol string, kinds []graph.EdgeKind, depth int) (answer.Radius, error) {
	s, err := r.Symbol(ctx, symbol)
	if err != nil {
		return answer.Radius{}, err
	}
	g, err := r.graph(ctx)
	if err != nil {
		return answer.Radius{}, err
	}
	a := answer.Radius{Header: r.header, Symbol: describe(s), Kinds: kindNames(kinds), Depth: depth, ByDistance: []int{}, Dependents: []answer.Dependent{}}
	seed, ok := g.Find(s.ID)
	if !ok {
		return a, nil
	}
	w := blast.NewWalker(g)
	along := blast.Of(kinds...)
	for _, h := range w.Radius(seed, blast.Flow{First: along, Then: along}, depth) {
		d := dependent(g, h, w.Through(h))
		for len(a.ByDistance) < d.Distance {
			a.ByDistance = append(a.ByDistance, 0)
		}
		a.ByDistance[d.Distance-1]++
		a.Total++
		if d.Test {
			a.Tests++
		}
		a.Dependents = append(a.Dependents, d)
	}
	if a.Total == 0 {
		a.Check, err = r.checkAlone(ctx, string(s.ID))
	}
	return a, err
}

func dependent(g *graph.Graph, h blast.Hit, through []int32) answer.Dependent {
	s := &g.Symbols[h.Symbol]
	d := answer.Dependent{
		Symbol: string(s.ID), Name: s.Qualified(), Path: s.Path, Line: s.Line, Site: int(h.Site), Distance: int(h.Distance),
		Kind: h.Kind.String(), Tier: h.Weakest.String(), Test: s.Test, PathThrough: make([]string, len(through)),
	}
	for i, t := range through {
		d.PathThrough[i] = string(g.Symbols[t].ID)
	}
	return d
}
