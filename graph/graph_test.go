package graph

import (
	"math/rand"
	"reflect"
	"slices"
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
