package query

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/graph/store"
)

// Search finds symbols by name, by its beginning or by the words in it.
func (r *Reading) Search(ctx context.Context, name string, limit int) (answer.Symbols, error) {
	found, more, err := r.DB.Search(ctx, name, limit)
	a := answer.Symbols{Header: r.header, Query: name, More: more, Symbols: describeAll(found)}
	if err == nil && len(found) == 0 {
		a.Check, err = r.checkUnknown(ctx, name)
	}
	return a, err
}

// Callers lists who refers to a symbol along edges of some kinds.
func (r *Reading) Callers(ctx context.Context, symbol string, kinds []graph.EdgeKind) (answer.Neighbours, error) {
	a, err := r.neighbours(ctx, symbol, kinds, r.DB.Callers)
	// The symbol around a literal is there as well.
	a.Edges = slices.DeleteFunc(a.Edges, func(e answer.Edge) bool { return e.Symbol.Kind == graph.KindLiteral.String() })
	if err == nil && len(a.Edges) == 0 {
		a.Check, err = r.checkAlone(ctx, a.Symbol.ID)
	}
	return a, err
}

// Callees lists what a symbol refers to along edges of some kinds.
func (r *Reading) Callees(ctx context.Context, symbol string, kinds []graph.EdgeKind) (answer.Neighbours, error) {
	a, err := r.neighbours(ctx, symbol, kinds, r.DB.Callees)
	if err == nil && len(a.Edges) == 0 {
		a.Check, err = r.checkLeaving(ctx, a.Symbol)
	}
	return a, err
}

type neighbours func(context.Context, graph.SymbolID, ...graph.EdgeKind) ([]store.Reference, error)

func (r *Reading) neighbours(ctx context.Context, symbol string, kinds []graph.EdgeKind, find neighbours) (answer.Neighbours, error) {
	s, err := r.Symbol(ctx, symbol)
	if err != nil {
		return answer.Neighbours{}, err
	}
	refs, err := find(ctx, s.ID, kinds...)
	slices.SortStableFunc(refs, strongerFirst)
	return answer.Neighbours{Header: r.header, Symbol: describe(s), Kinds: kindNames(kinds), Edges: describeEdges(refs)}, err
}

// strongerFirst puts the stronger tier first and tests last: a list that is cut
// must not lose the code that runs.
func strongerFirst(a, b store.Reference) int {
	switch {
	case a.Symbol.Test == b.Symbol.Test:
		return cmp.Compare(a.Tier, b.Tier)
	case a.Symbol.Test:
		return 1
	}
	return -1
}

// Path finds a shortest way from one symbol to another.
func (r *Reading) Path(ctx context.Context, from, to string, kinds []graph.EdgeKind) (answer.Path, error) {
	a, err := r.Symbol(ctx, from)
	if err != nil {
		return answer.Path{}, err
	}
	b, err := r.Symbol(ctx, to)
	if err != nil {
		return answer.Path{}, err
	}
	steps, err := r.DB.Path(ctx, a.ID, b.ID, kinds...)
	found := !errors.Is(err, store.ErrNoPath)
	if !found {
		err = nil
	}
	p := answer.Path{Header: r.header, From: describe(a), To: describe(b), Kinds: kindNames(kinds), Found: found, Steps: describeSteps(steps)}
	if !found {
		p.Check, err = r.checkWay(ctx)
	}
	return p, err
}

// Cover says how much of some files and folders, or of the tree, was seen.
func (r *Reading) Cover(ctx context.Context, paths ...string) (answer.Coverage, error) {
	seen, err := r.DB.Coverage(ctx, paths...)
	return describeCoverage(r.header, paths, seen), err
}

// Edges lists all edges of some kinds. Unless nested is set, the caller is the
// outermost function around a site.
func (r *Reading) Edges(ctx context.Context, kinds []graph.EdgeKind, nested bool) (answer.Edges, error) {
	g, err := r.graph(ctx)
	if err != nil {
		return answer.Edges{}, err
	}
	return answer.Edges{Header: r.header, Kinds: kindNames(kinds), Edges: edgesOf(g, kinds, nested)}, nil
}
