// Package blast finds the symbols that can reach a change: a bounded search
// against the direction of the edges, nearest first.
//
// Input is the edges of a graph and one changed symbol; output is every
// symbol that reaches it within a depth, each with the step it takes and the
// weakest tier on its way. Function literals are passed over: what one refers to,
// the symbol around it refers to as well. The search keeps no state between changes and never
// stops early on its own: the whole population is returned, and whoever shows
// less must say so.
package blast

import (
	"cmp"
	"slices"

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

// Edges are what a search needs of a graph. Symbols have numbers from 0.
type Edges interface {
	Symbols() int
	Traits(symbol int32) graph.Traits
	// Wraps reports whether a symbol is a Python function inside another one.
	Wraps(symbol int32) bool
	// Arriving returns the edges that reach a symbol, in the order of the symbols that
	// they come from. It may use the space of room.
	Arriving(symbol int32, room []graph.Arrival) []graph.Arrival
	// Arrivals counts them.
	Arrivals(symbol int32) int
}

// A Walker searches one graph. It is not safe for concurrent use; make one per
// goroutine.
type Walker struct {
	edges Edges
	epoch int32
	at    []place // of each symbol
	room  []graph.Arrival
	hits  []Hit
	keys  []uint64
	found []Hit // scratch of order
	Steps int   // edges followed since the walker was made: the cost, as a count
}

// A place says where a symbol stands in a search. Its fields lie together since they
// are read together, in memory that a short search touches for the first time.
type place struct {
	mark int32 // epoch in which it was reached last
	slot int32 // its position in hits while the search runs; -1 for the seed
	next int32 // the symbol it refers to on its way to the change
}

// NewWalker prepares a search in g.
func NewWalker(g *graph.Graph) *Walker { return Along(loaded{g}) }

// Along prepares a search along edges.
func Along(e Edges) *Walker { return &Walker{edges: e, at: make([]place, e.Symbols())} }

// loaded are the edges of a graph in memory.
type loaded struct{ g *graph.Graph }

func (l loaded) Symbols() int                { return len(l.g.Symbols) }
func (l loaded) Traits(s int32) graph.Traits { return l.g.Symbols[s].Traits() }
func (l loaded) Arrivals(s int32) int        { return len(l.g.In(s)) }

func (l loaded) Wraps(s int32) bool {
	return slices.ContainsFunc(l.g.Symbols[s].Wrapped(), func(id graph.SymbolID) bool {
		_, ok := l.g.Find(id)
		return ok
	})
}

func (l loaded) Arriving(s int32, room []graph.Arrival) []graph.Arrival {
	for _, i := range l.g.In(s) {
		e := &l.g.Edges[i]
		a := graph.Arrival{From: e.From, Kind: e.Kind, Tier: e.Tier}
		if len(e.Lines) > 0 {
			a.Site = e.Lines[0]
		}
		room = append(room, a)
	}
	return room
}

// Radius returns the symbols that can reach seed within depth edges, ordered by
// distance, then tier, then tests last, then exported ones first, then the
// number of symbols that depend on them, then identity. A depth of 0 or less
// means without limit. The result is valid until the next call.
func (w *Walker) Radius(seed int32, flow Flow, depth int) []Hit {
	w.epoch++
	w.hits = w.hits[:0]
	w.at[seed] = place{mark: w.epoch, slot: -1}
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
	w.room = w.edges.Arriving(h.Symbol, w.room[:0])
	traits := w.edges.Traits(h.Symbol)
	for i := range w.room {
		e := &w.room[i]
		w.Steps++
		if !kinds.Has(e.Kind) || !w.passes(h, traits, e) || skip != nil && skip(e.From) {
			continue
		}
		at := &w.at[e.From]
		reached := at.mark == w.epoch
		if reached && (at.slot < 0 || w.hits[at.slot].Distance <= h.Distance) {
			continue // nearer already, as most are
		}
		hit := Hit{Symbol: e.From, Distance: h.Distance + 1, Next: h.Symbol, Site: e.Site, Kind: e.Kind, Weakest: max(h.Weakest, e.Tier)}
		switch {
		case !reached && w.edges.Traits(e.From).Has(graph.TraitLiteral):
			continue
		case !reached:
			at.mark, at.slot = w.epoch, int32(len(w.hits))
			w.hits = append(w.hits, hit)
		case better(hit, w.hits[at.slot]):
			w.hits[at.slot] = hit
		default:
			continue
		}
		at.next = h.Symbol
	}
}

// passes keeps imports between modules: a file that imports a changed file runs
// its top-level statements, a function in it does not. The traits are those of the
// symbol that the edge reaches.
//
// A Python function inside another runs, for each of its callers, what that one
// handed to the function around it, as the wrapper of a decorator does. Who calls
// one decorated function, and has an edge to it of its own, does not reach the others.
//
// A function that a Go test hands to code outside tests reaches nothing through it:
// the tests that hand it over refer to it, and no other runs it there.
func (w *Walker) passes(h Hit, traits graph.Traits, e *graph.Arrival) bool {
	if e.Kind == graph.EdgeDispatch && traits.Has(graph.TraitGoTest) && !w.edges.Traits(e.From).Has(graph.TraitGoTest) {
		return false
	}
	if e.Kind == graph.EdgeDispatch && h.Kind == graph.EdgeDispatch && w.edges.Wraps(h.Symbol) {
		return false
	}
	return e.Kind != graph.EdgeImport || h.Distance == 0 || traits.Has(graph.TraitPlace)
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
			w.hits[from+i] = w.found[w.at[uint32(k)].slot]
		}
		from = to
	}
}

// key is less for what comes first: 3 bits of tier, tests after the rest,
// exported symbols before the rest, 27 bits of how many refer to the symbol, and
// the symbol.
func (w *Walker) key(h Hit) uint64 {
	const most = 1<<27 - 1
	traits := w.edges.Traits(h.Symbol)
	k := uint64(h.Weakest) << 61
	if traits.Has(graph.TraitTest) {
		k |= 1 << 60
	}
	if !traits.Has(graph.TraitExported) {
		k |= 1 << 59
	}
	return k | uint64(most-min(w.edges.Arrivals(h.Symbol), most))<<32 | uint64(uint32(h.Symbol))
}

// Through returns the symbols between a hit of the latest search and the change,
// nearest to the hit first.
func (w *Walker) Through(hit Hit) []int32 {
	path := make([]int32, 0, max(hit.Distance-1, 0))
	for range hit.Distance - 1 {
		path = append(path, hit.Next)
		hit.Next = w.at[hit.Next].next
	}
	return path
}
