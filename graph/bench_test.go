package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/previdence/previdence/graph"
)

func BenchmarkSort(b *testing.B) {
	const symbols, edges = 50_000, 250_000
	r := rand.New(rand.NewPCG(1, 2))
	var g graph.Graph
	for i := range symbols {
		path := fmt.Sprintf("pkg%d/file%d.go", i/400, i/40)
		g.Symbols = append(g.Symbols, graph.Symbol{ID: graph.NewSymbolID("go", path, "T", fmt.Sprintf("M%d", i), graph.KindMethod, "")})
	}
	for range edges {
		g.Edges = append(g.Edges, graph.Edge{
			From: int32(r.IntN(symbols)), To: int32(r.IntN(symbols)), Kind: graph.EdgeCall, Tier: graph.TierCompiler, Lines: []int32{int32(r.IntN(900))},
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		fresh := graph.Graph{Symbols: slices.Clone(g.Symbols), Edges: make([]graph.Edge, edges)}
		for i, e := range g.Edges {
			e.Lines = slices.Clone(e.Lines)
			fresh.Edges[i] = e
		}
		b.StartTimer()
		fresh.Sort()
		if len(fresh.In(0))+len(fresh.Out(0)) == 0 && len(fresh.Edges) == 0 {
			b.Fatal("no edges")
		}
	}
}
