package blast_test

import (
	"cmp"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/blast"
)

// build makes a graph of functions named by one letter from "a>b/tier" edges.
func build(kinds map[string]graph.Kind, edges ...string) *graph.Graph {
	g := &graph.Graph{}
	index := map[string]int32{}
	add := func(n string) int32 {
		if i, ok := index[n]; ok {
			return i
		}
		k := graph.KindFunction
		if kinds[n] != 0 {
			k = kinds[n]
		}
		index[n] = int32(len(g.Symbols))
		g.Symbols = append(g.Symbols, graph.Symbol{ID: graph.SymbolID(n), Name: n, Kind: k})
		return index[n]
	}
	for _, e := range edges {
		var from, to, kind, tier string
		if _, err := fmt.Sscanf(e, "%1s>%1s %s %s", &from, &to, &kind, &tier); err != nil {
			panic(e)
		}
		k, _ := graph.ParseEdgeKind(kind)
		t, _ := graph.ParseTier(tier)
		g.Edges = append(g.Edges, graph.Edge{From: add(from), To: add(to), Kind: k, Tier: t, Lines: []int32{7}})
	}
	g.Sort()
	return g
}

func TestRadius(t *testing.T) {
	calls := blast.Flow{First: blast.Of(graph.EdgeCall, graph.EdgeDispatch), Then: blast.Of(graph.EdgeCall, graph.EdgeDispatch)}
	tests := []struct {
		claim string
		flow  blast.Flow
		depth int
		kinds map[string]graph.Kind
		edges []string
		want  []string // symbol:distance:weakest
	}{
		{"callers through three levels keep their distance", calls, 4, nil,
			[]string{"b>a call exact", "c>b call exact", "d>c call compiler"}, []string{"b:1:exact", "c:2:exact", "d:3:exact"}},
		{"depth cuts", calls, 2, nil,
			[]string{"b>a call exact", "c>b call exact", "d>c call exact"}, []string{"b:1:exact", "c:2:exact"}},
		{"no depth is no limit", calls, 0, nil,
			[]string{"b>a call exact", "c>b call exact", "d>c call exact"}, []string{"b:1:exact", "c:2:exact", "d:3:exact"}},
		{"a literal is passed over: the symbol around it refers to the same", calls, 0, map[string]graph.Kind{"l": graph.KindLiteral},
			[]string{"l>a call exact", "b>a call exact", "c>l dispatch dispatch"}, []string{"b:1:exact"}},
		{"from a literal the search goes on", calls, 0, map[string]graph.Kind{"a": graph.KindLiteral},
			[]string{"b>a dispatch dispatch", "c>b call exact"}, []string{"b:1:dispatch", "c:2:dispatch"}},
		{"a cycle ends and the seed is not its own dependent", calls, 0, nil,
			[]string{"b>a call exact", "a>b call exact", "b>b call exact"}, []string{"b:1:exact"}},
		{"of two ways of one length the stronger tier counts", calls, 0, nil,
			[]string{"b>a call name", "c>a call exact", "d>b call exact", "d>c call exact"}, []string{"c:1:exact", "b:1:name", "d:2:exact"}},
		{"edges of other kinds are not followed", calls, 0, nil,
			[]string{"b>a reference exact", "c>a call exact"}, []string{"c:1:exact"}},
		{"an import is followed from module to module, not on from a function",
			blast.Flow{First: blast.Of(graph.EdgeImport, graph.EdgeCall), Then: blast.Of(graph.EdgeImport, graph.EdgeCall)}, 0,
			map[string]graph.Kind{"m": graph.KindModule, "n": graph.KindModule},
			[]string{"m>a import exact", "n>m import exact", "f>a call exact", "n>f import exact"},
			[]string{"f:1:exact", "m:1:exact", "n:2:exact"}},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			g := build(tt.kinds, tt.edges...)
			w := blast.NewWalker(g)
			seed, _ := g.Find("a")
			var got []string
			for _, h := range w.Radius(seed, tt.flow, tt.depth) {
				got = append(got, fmt.Sprintf("%s:%d:%s", g.Symbols[h.Symbol].Name, h.Distance, h.Weakest))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWhatATestHandsOverReachesTestsOnly(t *testing.T) {
	g := &graph.Graph{Symbols: []graph.Symbol{
		{ID: "code", Path: "a.go"}, {ID: "fake", Path: "a_test.go"}, {ID: "test", Path: "a_test.go"}, {ID: "user", Path: "b.go"},
	}}
	for _, e := range [][2]int32{{0, 1}, {2, 1}, {3, 0}} {
		g.Edges = append(g.Edges, graph.Edge{From: e[0], To: e[1], Kind: graph.EdgeDispatch, Tier: graph.TierDispatch, Lines: []int32{1}})
	}
	g.Sort()
	runs := blast.Of(graph.EdgeDispatch)
	hits := blast.NewWalker(g).Radius(1, blast.Flow{First: runs, Then: runs}, 0)
	if len(hits) != 1 || g.Symbols[hits[0].Symbol].ID != "test" {
		t.Errorf("got %v, want the test alone", hits)
	}
}

func TestThroughNamesTheStepsBetween(t *testing.T) {
	g := build(nil, "b>a call exact", "c>b call exact", "d>c call exact")
	w := blast.NewWalker(g)
	seed, _ := g.Find("a")
	k := blast.Of(graph.EdgeCall)
	hits := w.Radius(seed, blast.Flow{First: k, Then: k}, 0)
	var names []string
	for _, s := range w.Through(hits[2]) {
		names = append(names, g.Symbols[s].Name)
	}
	if want := []string{"c", "b"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if p := w.Through(hits[0]); len(p) != 0 {
		t.Errorf("a direct caller has nothing between: %v", p)
	}
}

// The plain breadth-first search is the oracle of the walker.
func TestRadiusAgreesWithPlainSearch(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for round := range 50 {
		g := &graph.Graph{}
		n := 2 + rnd.Intn(30)
		for i := range n {
			g.Symbols = append(g.Symbols, graph.Symbol{ID: graph.SymbolID(fmt.Sprintf("s%02d", i)), Kind: graph.KindFunction})
		}
		for range rnd.Intn(4 * n) {
			g.Edges = append(g.Edges, graph.Edge{From: int32(rnd.Intn(n)), To: int32(rnd.Intn(n)), Kind: graph.EdgeCall, Tier: graph.Tier(1 + rnd.Intn(5))})
		}
		g.Sort()
		k := blast.Of(graph.EdgeCall)
		w := blast.NewWalker(g)
		for seed := range int32(n) {
			want := plain(g, seed)
			got := map[int32]int32{}
			for _, h := range w.Radius(seed, blast.Flow{First: k, Then: k}, 0) {
				got[h.Symbol] = h.Distance
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("round %d seed %d: got %v, want %v", round, seed, got, want)
			}
		}
	}
}

func plain(g *graph.Graph, seed int32) map[int32]int32 {
	dist := map[int32]int32{seed: 0}
	queue := []int32{seed}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, e := range g.Edges {
			if _, seen := dist[e.From]; e.To == s && !seen {
				dist[e.From] = dist[s] + 1
				queue = append(queue, e.From)
			}
		}
	}
	delete(dist, seed)
	return dist
}

// stated is the order that Radius states, compared field by field.
func stated(g *graph.Graph, a, b blast.Hit) int {
	x, y := &g.Symbols[a.Symbol], &g.Symbols[b.Symbol]
	last := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Weakest, b.Weakest), cmp.Compare(last(x.Test), last(y.Test)),
		cmp.Compare(last(!x.Exported), last(!y.Exported)), -cmp.Compare(len(g.In(a.Symbol)), len(g.In(b.Symbol))), cmp.Compare(a.Symbol, b.Symbol),
	)
}

func TestRadiusKeepsItsOrder(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	g := &graph.Graph{}
	for i := range 400 {
		g.Symbols = append(g.Symbols, graph.Symbol{
			ID: graph.SymbolID(fmt.Sprintf("go:f.go#s%03d/function", i)), Kind: graph.KindFunction, Test: r.Intn(3) == 0, Exported: r.Intn(2) == 0,
		})
	}
	for range 1500 {
		g.Edges = append(g.Edges, graph.Edge{
			From: int32(r.Intn(400)), To: int32(r.Intn(400)), Kind: graph.EdgeCall, Tier: graph.Tier(1 + r.Intn(5)), Lines: []int32{1},
		})
	}
	g.Sort()
	w := blast.NewWalker(g)
	for seed := range int32(50) {
		hits := w.Radius(seed, blast.Flow{First: blast.Of(graph.EdgeCall), Then: blast.Of(graph.EdgeCall)}, 0)
		for i := 1; i < len(hits); i++ {
			if stated(g, hits[i-1], hits[i]) >= 0 {
				t.Fatalf("seed %d: %+v stands before %+v", seed, hits[i-1], hits[i])
			}
		}
	}
}

func BenchmarkRadius(b *testing.B) {
	r := rand.New(rand.NewSource(7))
	g := &graph.Graph{}
	for i := range 50_000 {
		g.Symbols = append(g.Symbols, graph.Symbol{
			ID: graph.SymbolID(fmt.Sprintf("go:f.go#s%05d/function", i)), Kind: graph.KindFunction, Exported: i%2 == 0,
		})
	}
	for range 250_000 {
		from := r.Intn(50_000)
		g.Edges = append(g.Edges, graph.Edge{From: int32(from), To: int32(r.Intn(from + 1)), Kind: graph.EdgeCall, Tier: graph.TierCompiler, Lines: []int32{1}})
	}
	g.Sort()
	flow := blast.Flow{First: blast.Of(graph.EdgeCall), Then: blast.Of(graph.EdgeCall)}
	for _, q := range []struct {
		name  string
		seed  int32
		depth int
	}{{"ordinary", 25_000, 5}, {"hub", 0, 5}, {"hub without limit", 0, 0}} {
		b.Run(q.name, func(b *testing.B) {
			w := blast.NewWalker(g)
			b.ReportAllocs()
			for b.Loop() {
				if len(w.Radius(q.seed, flow, q.depth)) == 0 {
					b.Fatal("nothing is reached")
				}
			}
		})
	}
}

// A wrapper runs, for each caller, what that one called: b and c call decorated
// functions of their own.
func TestCallersOfOneWrapper(t *testing.T) {
	g := &graph.Graph{}
	add := func(container, name string) int32 {
		id := graph.NewSymbolID("python", "m.py", container, name, graph.KindFunction, "")
		g.Symbols = append(g.Symbols, graph.Symbol{ID: id, Name: name, Container: container, Kind: graph.KindFunction, Language: "python", Path: "m.py"})
		return int32(len(g.Symbols) - 1)
	}
	edge := func(from, to int32, kind graph.EdgeKind, tier graph.Tier) {
		g.Edges = append(g.Edges, graph.Edge{From: from, To: to, Kind: kind, Tier: tier, Lines: []int32{1}})
	}
	deco, wrapper := add("", "deco"), add("deco", "wrapper")
	for _, n := range []string{"1", "2"} {
		task, caller := add("", "task"+n), add("", "caller"+n)
		edge(task, deco, graph.EdgeCall, graph.TierExact)
		edge(wrapper, task, graph.EdgeDispatch, graph.TierDispatch)
		edge(caller, task, graph.EdgeCall, graph.TierExact)
		edge(caller, wrapper, graph.EdgeDispatch, graph.TierDispatch)
	}
	direct := add("", "direct") // calls the wrapper itself
	edge(direct, wrapper, graph.EdgeCall, graph.TierExact)
	g.Sort()
	seed, _ := g.Find("python:m.py#task1/function")
	kinds := blast.Of(graph.EdgeCall, graph.EdgeDispatch)
	var got []string
	for _, h := range blast.NewWalker(g).Radius(seed, blast.Flow{First: kinds, Then: kinds}, 0) {
		got = append(got, g.Symbols[h.Symbol].Name)
	}
	if want := []string{"caller1", "wrapper", "direct"}; !slices.Equal(got, want) {
		t.Errorf("reached %q, want %q", got, want)
	}
}

// A search in a graph that was searched before takes no memory.
func TestSearchingAgainAllocatesNothing(t *testing.T) {
	g := build(nil, "b>a call exact", "c>a call name", "d>b call exact", "d>c dispatch dispatch", "e>d call exact", "e>b call exact")
	calls := blast.Of(graph.EdgeCall, graph.EdgeDispatch)
	flow := blast.Flow{First: calls, Then: calls}
	w := blast.NewWalker(g)
	seed, _ := g.Find("a")
	w.Radius(seed, flow, 0)
	if n := testing.AllocsPerRun(20, func() { w.Radius(seed, flow, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
