package query

import (
	"context"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/review/blast"
)

// Radius finds everything that can reach a symbol over at most depth edges of some
// kinds.
func (r *Reading) Radius(ctx context.Context, symbol string, kinds []graph.EdgeKind, depth int) (answer.Radius, error) {
	s, err := r.Symbol(ctx, symbol)
	if err != nil {
		return answer.Radius{}, err
	}
	a := answer.Radius{Header: r.header, Symbol: describe(s), Kinds: kindNames(kinds), Depth: depth, ByDistance: []int{}, Dependents: []answer.Dependent{}}
	err = r.DB.Follow(func(e *store.Edges) error {
		seed, err := e.Number(s.ID)
		if err != nil {
			return err
		}
		w := blast.Along(e)
		along := blast.Of(kinds...)
		for i, h := range w.Radius(seed, blast.Flow{First: along, Then: along}, depth) {
			if i%breath == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			a.Dependents = append(a.Dependents, dependent(e, h, w.Through(h)))
		}
		return nil
	})
	for _, d := range a.Dependents {
		for len(a.ByDistance) < d.Distance {
			a.ByDistance = append(a.ByDistance, 0)
		}
		a.ByDistance[d.Distance-1]++
		a.Total++
		if d.Test {
			a.Tests++
		}
	}
	if err == nil && a.Total == 0 {
		a.Check, err = r.checkAlone(ctx, string(s.ID))
	}
	return a, err
}

// breath is how many dependents are described before the context is looked at.
const breath = 1 << 12

func dependent(e *store.Edges, h blast.Hit, through []int32) answer.Dependent {
	s := e.Symbol(h.Symbol)
	d := answer.Dependent{
		Symbol: string(s.ID), Name: s.Qualified(), Path: s.Path, Line: s.Line, Site: int(h.Site), Distance: int(h.Distance),
		Kind: h.Kind.String(), Tier: h.Weakest.String(), Test: s.Test, PathThrough: make([]string, len(through)),
	}
	for i, t := range through {
		d.PathThrough[i] = string(e.Symbol(t).ID)
	}
	return d
}
