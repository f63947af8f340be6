package golang

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"
)

// twoFiles is a tree with two files of many functions each.
func twoFiles(functions int) *tree {
	t := &tree{}
	for _, path := range []string{"a/a.go", "b/b.go"} {
		facts := &graph.Facts{Language: "go", Symbols: []graph.SymbolFact{{Kind: graph.KindModule, Parent: graph.None}}}
		for i := range functions {
			facts.Symbols = append(facts.Symbols, graph.SymbolFact{Kind: graph.KindFunction, Name: fmt.Sprint("F", i)})
		}
		t.in.Files = append(t.in.Files, link.File{Path: path, Facts: facts, Symbols: int32(len(t.in.Symbols))})
		for _, id := range facts.IDs(path) {
			t.in.Symbols = append(t.in.Symbols, graph.Symbol{ID: id, Path: path})
		}
	}
	for i := range t.in.Files {
		t.files = append(t.files, &file{in: &t.in.Files[i], path: t.in.Files[i].Path})
	}
	return t
}

// A kept part of a large package has ten thousands of edges. What reading it allocates
// depends on how many texts and symbols it names, not on them.
func TestReadingAPartAllocatesNothingForAnEdge(t *testing.T) {
	const functions, edges = 50, 5000
	tree := twoFiles(functions)
	p := &part{}
	for i := range edges {
		p.edges = append(p.edges, graph.Edge{
			From: int32(1 + i%functions), To: int32(2 + functions + i%(functions-1)), Kind: graph.EdgeCall, Tier: graph.TierCompiler, Lines: []int32{int32(i), int32(i + 1)},
		})
	}
	own := tree.files[:1]
	data := tree.encode(own, p)
	if got := tree.decode(own, data); !reflect.DeepEqual(got, p) {
		t.Fatalf("%d edges come back as %v", len(p.edges), got)
	}
	if got := testing.AllocsPerRun(5, func() { tree.decode(own, data) }); got > 60 {
		t.Errorf("%v allocations for %d edges", got, edges)
	}
}

// A call of what one variable holds takes its set as it is.
func TestAskingWhatAVariableHoldsAllocatesNothing(t *testing.T) {
	flows := []flow{
		{1, sources{funcs: []int32{7, 8}}},
		{2, sources{vars: []place{1}}},
		{3, sources{vars: []place{2}, funcs: []int32{9}, outside: true}},
	}
	holds := solve(flows, (*flow).origin)
	if got := holds.of(origin[int32]{vars: []place{3}}); !got.more || len(got.values) != 3 {
		t.Errorf("the last variable holds %v", got)
	}
	if got := holds.of(origin[int32]{vars: []place{1, 4}, values: []int32{9}}); got.more || len(got.values) != 3 {
		t.Errorf("an expression of two variables and a function holds %v", got)
	}
	asked := origin[int32]{vars: []place{2}}
	if got := testing.AllocsPerRun(5, func() { holds.of(asked) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}
