package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/pool"

	"github.com/previdence/previdence/graph"
)

// symbols lays the symbols of all files one after the other, by path, and
// returns for every unit where its symbols begin.
func (r *run) symbols(ctx context.Context, g *graph.Graph) ([]int32, error) {
	first := make([]int32, len(r.units))
	total := 0
	for i := range r.units {
		first[i] = int32(total)
		if f := r.units[i].facts; f != nil {
			total += len(f.Symbols)
		}
	}
	if total > 1<<31-1 {
		return nil, fmt.Errorf("%d symbols are more than a graph can hold", total)
	}
	g.Symbols = make([]graph.Symbol, total, total+total/8) // linkers add some, such as literals
	rules := newTestRules(r.tree)
	workers := pool.New().WithMaxGoroutines(r.options.Workers).WithContext(ctx).WithCancelOnError().WithFirstError()
	const share = 64 // files per task
	for start := 0; start < len(r.units); start += share {
		workers.Go(func(ctx context.Context) error {
			for i := start; i < min(start+share, len(r.units)); i++ {
				if f := r.units[i].facts; f != nil {
					place(g.Symbols[first[i]:], r.units[i].file.Path, f, rules.of(ctx, r.units[i].file.Path, f))
				}
			}
			return ctx.Err()
		})
	}
	return first, workers.Wait()
}

// place writes the symbols of one file.
func place(out []graph.Symbol, path string, f *graph.Facts, tests fileTests) {
	ids := f.IDs(path)
	for i := range f.Symbols {
		s := &f.Symbols[i]
		out[i] = graph.Symbol{
			ID: ids[i], Name: s.Name, Container: f.Containers(int32(i)), Kind: s.Kind, Language: f.Language, Path: path,
			Line: int(s.Line), EndLine: int(s.EndLine), Start: int(s.Start), End: int(s.End),
			Exported: s.Exported, Generated: f.Generated,
			Signature: s.Signature, Params: withoutTypes(s.Params), Result: s.ResultText, Digests: s.Digests,
		}
		if s.Test == graph.TestAlways || s.Test == graph.TestByPath && tests.byPath {
			out[i].Test, out[i].Framework = true, cmp.Or(s.Framework, tests.framework)
		}
	}
}

// withoutTypes returns parameters without the indexes that mean something in
// their facts only.
func withoutTypes(params []graph.Param) []graph.Param {
	if !slices.ContainsFunc(params, func(p graph.Param) bool { return p.Type != graph.None }) {
		return params
	}
	out := slices.Clone(params)
	for i := range out {
		out[i].Type = graph.None
	}
	return out
}

// separate tells apart symbols with the same ID in a sorted graph. Only names
// that hold a hash or the like can lead to that; the graph needs each ID once.
func separate(g *graph.Graph) {
	same := false
	for i := 1; i < len(g.Symbols) && !same; i++ {
		same = g.Symbols[i].ID == g.Symbols[i-1].ID
	}
	if !same {
		return
	}
	byID := map[graph.SymbolID][]int{}
	for i := range g.Symbols {
		byID[g.Symbols[i].ID] = append(byID[g.Symbols[i].ID], i)
	}
	// In the order of the symbols, so that the new IDs depend on nothing else.
	for i := range g.Symbols {
		id := g.Symbols[i].ID
		group := byID[id]
		if len(group) < 2 {
			continue
		}
		slices.SortFunc(group, func(a, b int) int {
			x, y := &g.Symbols[a], &g.Symbols[b]
			return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Start, y.Start), cmp.Compare(x.Name, y.Name))
		})
		byID[id] = group[:1]
		n := 1
		for _, other := range group[1:] {
			fresh := id
			for byID[fresh] != nil {
				n++
				fresh = graph.SymbolID(fmt.Sprintf("%s~%d", id, n))
			}
			byID[fresh] = []int{other}
			g.Symbols[other].ID = fresh
		}
	}
	g.Sort()
}
