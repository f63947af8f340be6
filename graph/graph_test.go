package graph

import (
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestNamesOfEnumerationsAreReadBack(t *testing.T) {
	for k := KindModule; k < kindEnd; k++ {
		if got, ok := ParseKind(k.String()); !ok || got != k {
			t.Errorf("kind %d is written %q and read %d", k, k.String(), got)
		}
	}
	for k := EdgeCall; k < edgeKindEnd; k++ {
		if got, ok := ParseEdgeKind(k.String()); !ok || got != k {
			t.Errorf("edge kind %d is written %q and read %d", k, k.String(), got)
		}
	}
	for k := TierCompiler; k < tierEnd; k++ {
		if got, ok := ParseTier(k.String()); !ok || got != k {
			t.Errorf("tier %d is written %q and read %d", k, k.String(), got)
		}
	}
	for k := FileParsed; k < fileStateEnd; k++ {
		if got, ok := ParseFileState(k.String()); !ok || got != k {
			t.Errorf("file state %d is written %q and read %d", k, k.String(), got)
		}
	}
	for name, ok := range map[string]bool{"": false, "nope": false} {
		if _, got := ParseKind(name); got != ok {
			t.Errorf("%q was read as a kind", name)
		}
	}
	if Kind(0).String() != "" || Tier(0).String() != "" || EdgeKind(0).String() != "" || FileState(0).String() != "" {
		t.Error("a zero value has a name, so a forgotten one would not show")
	}
}

func TestIDs(t *testing.T) {
	f := &Facts{Language: "python", Symbols: []SymbolFact{
		{Kind: KindModule, Parent: None},
		{Name: "Client", Kind: KindClass, Parent: 0},
		{Name: "send", Kind: KindMethod, Parent: 1},
		{Name: "send", Kind: KindMethod, Parent: 1},
		{Name: "at", Kind: KindMethod, Parent: 1, Discriminator: "int"},
		{Name: "at", Kind: KindMethod, Parent: 1, Discriminator: "int"},
		{Name: "Close", Kind: KindMethod, Parent: None, Container: "File"},
	}}
	want := []SymbolID{
		"python:a/b.py#/module",
		"python:a/b.py#Client/class",
		"python:a/b.py#Client.send/method",
		"python:a/b.py#Client.send/method~2",
		"python:a/b.py#Client.at/method~int",
		"python:a/b.py#Client.at/method~int+2",
		"python:a/b.py#File.Close/method",
	}
	if got := f.IDs("a/b.py"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// scrambled is a graph in an order that chance decided.
func scrambled(seed int64) *Graph {
	rnd := rand.New(rand.NewSource(seed))
	names := []SymbolID{"a", "b", "c", "d", "e"}
	rnd.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	at := map[SymbolID]int32{}
	g := &Graph{}
	for i, n := range names {
		at[n] = int32(i)
		g.Symbols = append(g.Symbols, Symbol{ID: n, Kind: KindFunction})
	}
	edges := []Edge{
		{From: at["b"], To: at["a"], Kind: EdgeCall, Tier: TierExact, Lines: []int32{9}},
		{From: at["b"], To: at["a"], Kind: EdgeCall, Tier: TierExact, Lines: []int32{3, 9}},
		{From: at["b"], To: at["a"], Kind: EdgeReference, Tier: TierExact, Lines: []int32{4}},
		{From: at["e"], To: at["a"], Kind: EdgeCall, Tier: TierName, Lines: []int32{1}},
		{From: at["a"], To: at["e"], Kind: EdgeCall, Tier: TierName, Lines: []int32{2}},
	}
	rnd.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	g.Edges = edges
	g.Unresolved = []Unresolved{{From: at["c"], Line: 2, Kind: EdgeCall, Name: "x"}, {From: at["c"], Line: 2, Kind: EdgeCall, Name: "x"}}
	g.Files = []File{{Path: "z"}, {Path: "y"}}
	return g
}

func TestSortGivesOneOrderForOneGraph(t *testing.T) {
	want := scrambled(0)
	want.Sort()
	for seed := int64(1); seed < 30; seed++ {
		got := scrambled(seed)
		got.Sort()
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got %+v, want %+v", seed, got, want)
		}
	}
}

func TestSortJoinsEdgesThatDifferInTheirSitesOnly(t *testing.T) {
	g := scrambled(7)
	g.Sort()
	b, _ := g.Find("b")
	out := g.Out(b)
	if len(out) != 2 || !slices.Equal(out[0].Lines, []int32{3, 9}) {
		t.Errorf("b has edges %+v, want one call from lines 3 and 9 and one reference", out)
	}
	if len(g.Unresolved) != 1 {
		t.Errorf("the same unresolved reference stands %d times", len(g.Unresolved))
	}
}

// Names that hold a hash mix the symbols of two files.
func TestSortFollowsTheIDsAcrossFiles(t *testing.T) {
	g := &Graph{}
	for _, path := range []string{"b.go", "a.go#b.go", "a.go", "a.go!"} {
		for _, name := range []string{"c", "a.go#b", "b"} {
			g.Symbols = append(g.Symbols, Symbol{ID: NewSymbolID("go", path, "", name, KindFunction, ""), Path: path, Language: "go", Name: name})
		}
	}
	want := slices.Clone(g.Symbols)
	slices.SortFunc(want, func(a, b Symbol) int { return strings.Compare(string(a.ID), string(b.ID)) })
	g.Sort()
	if !reflect.DeepEqual(g.Symbols, want) {
		t.Errorf("got %v\nwant %v", g.Symbols, want)
	}
}

// many makes edges between so many symbols, in no order.
func many(edges, symbols int) []Edge {
	rnd := rand.New(rand.NewSource(1))
	out := make([]Edge, edges)
	for i := range out {
		out[i] = Edge{
			From: rnd.Int31n(int32(symbols)), To: rnd.Int31n(int32(symbols)), Kind: EdgeCall + EdgeKind(rnd.Intn(2)),
			Tier: TierCompiler + Tier(rnd.Intn(2)), Lines: []int32{rnd.Int31n(99)},
		}
	}
	return out
}

func TestMergedEdgesAreThoseOfAPlainSort(t *testing.T) {
	all := map[edgeKey][]int32{}
	for _, e := range many(5000, 20) {
		k := edgeKey{e.From, e.To, e.Kind, e.Tier}
		all[k] = append(all[k], e.Lines...)
	}
	var want []Edge
	for k, lines := range all {
		slices.Sort(lines)
		want = append(want, Edge{k.From, k.To, k.Kind, k.Tier, slices.Compact(lines)})
	}
	slices.SortFunc(want, CompareEdges)
	got := MergeEdges(many(5000, 20), 20, equalEdges)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %d edges, %v…\nwant %d, %v…", len(got), got[:3], len(want), want[:3])
	}
}

type edgeKey struct {
	From, To int32
	Kind     EdgeKind
	Tier     Tier
}

func equalEdges(a, b *Edge) bool { return CompareEdges(*a, *b) == 0 }

// However many edges there are, sorting them takes one list of them and one of the
// symbols, and none at all if they are in order.
func TestSortingEdgesAllocatesTwoLists(t *testing.T) {
	mixed := many(20_000, 500)
	for name, test := range map[string]struct {
		edges []Edge
		want  float64
	}{"mixed": {mixed, 2}, "in order": {sortEdges(mixed, 500), 0}} {
		if got := testing.AllocsPerRun(5, func() { sortEdges(test.edges, 500) }); got > test.want {
			t.Errorf("%s: %v allocations, want %v", name, got, test.want)
		}
	}
}

func TestInAndOutAgree(t *testing.T) {
	g := scrambled(3)
	g.Sort()
	seen := 0
	for s := range int32(len(g.Symbols)) {
		for _, e := range g.In(s) {
			if g.Edges[e].To != s {
				t.Errorf("edge %d is said to arrive at %d", e, s)
			}
			seen++
		}
		for _, e := range g.Out(s) {
			if e.From != s {
				t.Errorf("edge %+v is said to leave %d", e, s)
			}
		}
	}
	if seen != len(g.Edges) {
		t.Errorf("%d edges arrive, %d exist", seen, len(g.Edges))
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	g := scrambled(1)
	g.Sort()
	if i, ok := g.Find("bb"); ok || i != None {
		t.Errorf("found %d", i)
	}
	if _, ok := g.File("x"); ok {
		t.Error("found a file that is not in the tree")
	}
	if f, ok := g.File("z"); !ok || f.Path != "z" {
		t.Error("did not find z")
	}
}
