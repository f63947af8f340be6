package query

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

// Search finds symbols by name, by its beginning or by the words in it.
func (r *Reading) Search(ctx context.Context, name string, limit int) (answer.Symbols, error) {
	found, more, err := r.DB.Search(ctx, name, limit)
	return answer.Symbols{Header: r.header, Query: name, More: more, Symbols: describeAll(found)}, err
}

// Callers lists who refers to a symbol along edges of some kinds.
func (r *Reading) Callers(ctx context.Context, symbol string, kinds []graph.EdgeKind) (answer.Neighbours, error) {
	return r.neighbours(ctx, symbol, kinds, r.DB.Callers)
}

// Callees lists what a symbol refers to along edges of some kinds.
func (r *Reading) Callees(ctx context.Context, symbol string, kinds []graph.EdgeKind) (answer.Neighbours, error) {
	return r.neighbours(ctx, symbol, kinds, r.DB.Callees)
}

type neighbours func(context.Context, graph.SymbolID, ...graph.EdgeKind) ([]store.Reference, error)

func (r *Reading) neighbours(ctx context.Context, symbol string, kinds []graph.EdgeKind, find neighbours) (answer.Neighbours, error) {
	s, err := r.Symbol(ctx, symbol)
	if err != nil {
		return answer.Neighbours{}, err
	}
	refs, err := find(ctx, s.ID, kinds...)
	return answer.Neighbours{Header: r.header, Symbol: describe(s), Kinds: kindNames(kinds), Edges: describeEdges(refs)}, err
}

// Unresolved is how many calls of the whole tree have no known target.
func (r *Reading) Unresolved() int {
	n := 0
	for _, l := range languages(r.coverage) {
		n += l.Calls.Unresolved
	}
	return n
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
	return answer.Path{
		Header: r.header, From: describe(a), To: describe(b), Kinds: kindNames(kinds), Found: found, Steps: describeSteps(steps),
	}, err
}

// maxSource bounds the file that a definition is cut out of.
const maxSource = 16 << 20

// Source reads a definition from the blob that the graph was built from.
func (r *Reading) Source(ctx context.Context, symbol string) (answer.Source, error) {
	s, err := r.Symbol(ctx, symbol)
	if err != nil {
		return answer.Source{}, err
	}
	a := answer.Source{Header: r.header, Symbol: describe(s)}
	for _, f := range r.coverage.Files {
		if f.Path == s.Path {
			a.Blob = f.Blob
		}
	}
	data, err := r.Repo.Blob(ctx, worktree.OID(a.Blob), maxSource)
	if err != nil {
		return a, fmt.Errorf("source of %s: %w", s.ID, err)
	}
	if s.Start < 0 || s.Start > s.End || s.End > len(data) {
		return a, fmt.Errorf("%s lies outside its file: %w", s.ID, store.ErrTampered)
	}
	a.Line = 1 + strings.Count(string(data[:s.Start]), "\n")
	a.Text = strings.ToValidUTF8(string(data[s.Start:s.End]), "\uFFFD")
	return a, nil
}

// Cover says how much of some files and folders, or of the tree, was seen.
func (r *Reading) Cover(ctx context.Context, paths ...string) (answer.Coverage, error) {
	seen := r.coverage
	var err error
	if len(paths) > 0 {
		seen, err = r.DB.Coverage(ctx, paths...)
	}
	return describeCoverage(r.header, paths, seen), err
}

// Edges lists all edges of some kinds. Unless nested is set, the caller is the
// outermost function around a site.
func (r *Reading) Edges(ctx context.Context, kinds []graph.EdgeKind, nested bool) (answer.Edges, error) {
	g, err := r.DB.Load(ctx)
	if err != nil {
		return answer.Edges{}, err
	}
	return answer.Edges{Header: r.header, Kinds: kindNames(kinds), Edges: edgesOf(g, kinds, nested)}, nil
}
