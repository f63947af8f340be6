package store

import (
	"errors"
	"testing"

	"github.com/previdence/previdence/graph"
)

// What a search is told of a stored graph is what the graph in memory says.
func TestFollowIsTheGraph(t *testing.T) {
	g := synthetic(300, 1500)
	db := openGraph(t, writeGraph(t, g))
	err := db.Follow(func(e *Edges) error {
		if e.Symbols() != len(g.Symbols) {
			t.Errorf("%d symbols", e.Symbols())
		}
		for n := range int32(len(g.Symbols)) {
			s := &g.Symbols[n]
			if at, err := e.Number(s.ID); at != n || err != nil || e.Symbol(n).ID != s.ID || e.Traits(n) != s.Traits() || e.Arrivals(n) != len(g.In(n)) {
				t.Fatalf("symbol %d differs: %v", n, err)
			}
			arriving := e.Arriving(n, nil)
			for i, k := range g.In(n) {
				edge := g.Edges[k]
				if want := (graph.Arrival{From: edge.From, Site: edge.Lines[0], Kind: edge.Kind, Tier: edge.Tier}); arriving[i] != want {
					t.Fatalf("edge %d to symbol %d is %+v, want %+v", i, n, arriving[i], want)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestFollowSaysWhatCouldNotBeRead(t *testing.T) {
	path := writeGraph(t, synthetic(300, 1500))
	forge(t, path, false, partArriving, func(part []byte) { part[0] ^= 1 })
	err := openGraph(t, path).Follow(func(e *Edges) error {
		if n := len(e.Arriving(0, nil)); n > 0 {
			t.Errorf("%d edges of a page that was changed", n)
		}
		return nil
	})
	if !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

// Following edges takes no memory beside the room that it is given.
func TestFollowingAllocatesNothing(t *testing.T) {
	db := openGraph(t, writeGraph(t, synthetic(300, 1500)))
	err := db.Follow(func(e *Edges) error {
		room := make([]graph.Arrival, 0, 1500)
		if n := testing.AllocsPerRun(5, func() {
			for n := range int32(300) {
				room = e.Arriving(n, room[:0])
				_ = e.Traits(n)
			}
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
