// Package blast finds the symbols that can reach a change: a bounded search
// against the direction of the edges, nearest first.
//
// Input is a graph in canonical order and one changed symbol; output is every
// symbol that reaches it within a depth, each with the step it takes and the
// weakest tier on its way. Function literals are passed over: what one refers to,
// the symbol around it refers to as well. The search keeps no state between changes and never
// stops early on its own: the whole population is returned, and whoever shows
// less must say so.
package blast

import (
	"cmp"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// Kinds is a set of edge kinds.
type Kinds uint16

// Of makes a set.
func Of(kinds ...graph.EdgeKind) Kinds {
	var k Kinds
	for _, e := range kinds {
		k |= 1 << e
	}
	return k
}

// Has reports whether e is in the set.
func (k Kinds) Has(e graph.EdgeKind) bool { return k&(1<<e) != 0 }

// Flow says which edges a change runs along.
type Flow struct {
	First Kinds // from the changed symbol itself
	Then  Kinds // from every symbol that it has reached
	// Skip says which symbols are not entered; nil means none.
	Skip func(symbol int32) bool
}

// A Hit is one symbol that can reach the change.
type Hit struct {
	Symbol   int32
	Distance int32
	Next     int32 // the symbol that it refers to, one step nearer to the change
	Site     int32 // first line in Symbol's file that refers to Next
	Kind     graph.EdgeKind
	Weakest  graph.Tier // weakest tier between Symbol and the change
}

// A Walker searches one graph. It is not safe for concurrent use; make one per
// goroutine.
type Walker struct {
	g     *graph.Graph
	epoch int32
	mark  []int32 // epoch in which a symbol was reached last
	slot  []int32 // its position in hits while the search runs
	next  []int32 // the symbol it refers to on its way to the change
	hits  []Hit
	keys  []uint64
	found []Hit // scratch of order
	Steps int   // edges followed since the walker was made: the cost, as a count
}

// NewWalker prepares a search in g.
func NewWalker(g *graph.Graph) *Walker {
	return &Walker{g: g, mark: make([]int32, len(g.Symbols)), slot: make([]int32, len(g.Symbols)), next: make([]int32, len(g.Symbols))}
}

// Radius returns the symbols that can reach seed within depth edges, ordered by
// distance, then tier, then tests last, then exported ones first, then the
// number of symbols that depend on them, then identity. A depth of 0 or less
// means without limit. The result is valid until the next call.
func (w *Walker) Radius(seed int32, flow Flow, depth int) []Hit {
	w.epoch++
	w.hits = w.hits[:0]
	w.mark[seed] = w.epoch
	w.slot[seed] = -1
	w.expand(Hit{Symbol: seed}, flow.First, flow.Skip)
	for from, d := 0, 1; from < len(w.hits) && (depth <= 0 || d < depth); d++ {
		to := len(w.hits)
		for i := from; i < to; i++ {
			w.expand(w.hits[i], flow.Then, flow.Skip)
		}
		from = to
	}
	w.order()
	return w.hits
}

// expand adds what refers to h's symbol. A symbol reached twice at one distance
// keeps the way whose weakest tier is stronger.
func (w *Walker) expand(h Hit, kinds Kinds, skip func(int32) bool) {
	for _, i := range w.g.In(h.Symbol) {
		e := &w.g.Edges[i]
		w.Steps++
		if !kinds.Has(e.Kind) || !w.passes(h, e) || skip != nil && skip(e.From) {
			continue
		}
		at, reached := w.slot[e.From], w.mark[e.From] == w.epoch
		if reached && (at < 0 || w.hits[at].Distance <= h.Distance) {
			continue // nearer already, as most are
		}
		hit := Hit{Symbol: e.From, Distance: h.Distance + 1, Next: h.Symbol, Kind: e.Kind, Weakest: max(h.Weakest, e.Tier)}
		if len(e.Lines) > 0 {
			hit.Site = e.Lines[0]
		}
		switch {
		case !reached && w.g.Symbols[e.From].Kind == graph.KindLiteral:
			continue
		case !reached:
			w.mark[e.From] = w.epoch
			w.slot[e.From] = int32(len(w.hits))
			w.hits = append(w.hits, hit)
		case better(hit, w.hits[at]):
			w.hits[at] = hit
		default:
			continue
		}
		w.next[e.From] = h.Symbol
	}
}

// passes keeps imports between modules: a file that imports a changed file runs
// its top-level statements, a function in it does not.
//
// A Python function inside another runs, for each of its callers, what that one
// handed to the function around it, as the wrapper of a decorator does. Who calls
// one decorated function, and has an edge to it of its own, does not reach the others.
//
// A function that a Go test hands to code outside tests reaches nothing through it:
// the tests that hand it over refer to it, and no other runs it there.
func (w *Walker) passes(h Hit, e *graph.Edge) bool {
	if e.Kind == graph.EdgeDispatch && w.inGoTest(e.To) && !w.inGoTest(e.From) {
		return false
	}
	if e.Kind == graph.EdgeDispatch && h.Kind == graph.EdgeDispatch && w.wraps(h.Symbol) {
		return false
	}
	if e.Kind != graph.EdgeImport || h.Distance == 0 {
		return true
	}
	k := w.g.Symbols[h.Symbol].Kind
	return k == graph.KindModule || k == graph.KindPackage
}

func (w *Walker) inGoTest(s int32) bool { return strings.HasSuffix(w.g.Symbols[s].Path, "_test.go") }

// wraps reports whether s is a Python function inside another one.
func (w *Walker) wraps(s int32) bool {
	inner := &w.g.Symbols[s]
	if inner.Language != "python" || inner.Container == "" {
		return false
	}
	outer, name := "", inner.Container
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		outer, name = name[:i], name[i+1:]
	}
	for _, k := range []graph.Kind{graph.KindFunction, graph.KindMethod} {
		if _, ok := w.g.Find(graph.NewSymbolID(inner.Language, inner.Path, outer, name, k, "")); ok {
			return true
		}
	}
	return false
}

func better(a, b Hit) bool {
	return cmp.Or(cmp.Compare(a.Weakest, b.Weakest), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Next, b.Next)) < 0
}

// order sorts the hits. They were found in the order of their distances, so each
// distance is sorted by itself: by one number per hit, since comparing symbols
// a dozen times each costs more than the whole search.
func (w *Walker) order() {
	w.found = append(w.found[:0], w.hits...)
	for from := 0; from < len(w.hits); {
		to := from
		w.keys = w.keys[:0]
		for ; to < len(w.hits) && w.hits[to].Distance == w.hits[from].Distance; to++ {
			w.keys = append(w.keys, w.key(w.hits[to]))
		}
		slices.Sort(w.keys)
		for i, k := range w.keys {
			w.hits[from+i] = w.found[w.slot[uint32(k)]]
		}
		from = to
	}
}

// key is less for what comes first: 3 bits of tier, tests after the rest,
// exported symbols before the rest, 27 bits of how many refer to the symbol, and
// the symbol.
func (w *Walker) key(h Hit) uint64 {
	const most = 1<<27 - 1
	s := &w.g.Symbols[h.Symbol]
	k := uint64(h.Weakest) << 61
	if s.Test {
		k |= 1 << 60
	}
	if !s.Exported {
		k |= 1 << 59
	}
	return k | uint64(most-min(len(w.g.In(h.Symbol)), most))<<32 | uint64(uint32(h.Symbol))
}

// Through returns the symbols between a hit of the latest search and the change,
// nearest to the hit first.
func (w *Walker) Through(hit Hit) []int32 {
	path := make([]int32, 0, max(hit.Distance-1, 0))
	for range hit.Distance - 1 {
		path = append(path, hit.Next)
		hit.Next = w.next[hit.Next]
	}
	return path
}
