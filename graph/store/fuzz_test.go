package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/previdence/previdence/graph"
)

// FuzzOpen changes bytes of a written graph. Whatever they are, reading must
// end with an error or with exactly the graph that was written.
func FuzzOpen(f *testing.F) {
	g := synthetic(120, 300)
	path := filepath.Join(f.TempDir(), "graph.db")
	if err := Write(f.Context(), path, g, Stamp{Tree: "t"}); err != nil {
		f.Fatal(err)
	}
	whole := mustRead(f, path)
	digest := Digest(g)
	f.Add(uint32(0), []byte{})
	for _, at := range []int{18, 28, 56, 60, 68, 100, 8192, 9000, 16384, 30000, len(whole) - 9000, len(whole) - 900, len(whole) - 1} {
		f.Add(uint32(at), []byte{0xff, 0x00, 0x7f})
	}
	f.Fuzz(func(t *testing.T, at uint32, patch []byte) {
		data := append([]byte(nil), whole...)
		copy(data[int(at)%len(data):], patch)
		path := filepath.Join(t.TempDir(), "graph.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := Open(t.Context(), path)
		if err != nil {
			return
		}
		defer db.Close()
		if got, err := db.Load(t.Context()); err == nil && (Digest(got) != digest || db.Stamp().Digest != digest) {
			t.Fatal("another graph was read without an error")
		}
		want := &g.Symbols[7]
		if refs, err := db.Callers(t.Context(), want.ID, graph.EdgeCall); err == nil && len(refs) != countIn(g, 7) {
			t.Fatalf("%d callers were read without an error, want %d", len(refs), countIn(g, 7))
		}
		if _, _, err := db.Search(t.Context(), "parse line", 5); err != nil {
			return // an error is an answer here; only a panic would fail
		}
	})
}

func countIn(g *graph.Graph, s int32) int {
	n := 0
	for _, i := range g.In(s) {
		if g.Edges[i].Kind == graph.EdgeCall {
			n++
		}
	}
	return n
}

// FuzzRows reads values that nobody wrote: no panic, and whatever is accepted
// reads the same after it is written again.
func FuzzRows(f *testing.F) {
	g := synthetic(3, 9)
	f.Add(appendSymbol(nil, &g.Symbols[0]))
	f.Add(appendUnresolved(nil, &graph.Unresolved{Name: "x", Kind: graph.EdgeCall, Line: 3}))
	f.Add(appendSpans(nil, []graph.Span{{Start: 1, End: 2}}))
	f.Add(appendTexts(nil, []string{"a", ""}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, ok := readSymbol(string(data)); ok {
			again, ok := readSymbol(string(appendSymbol(nil, &s)))
			if !ok || again.ID != s.ID || again.Name != s.Name || again.Path != s.Path || again.Signature != s.Signature || again.Digests != s.Digests || len(again.Params) != len(s.Params) {
				t.Fatal("symbol changes when written again")
			}
		}
		if u, ok := readUnresolved(0, string(data)); ok && len(u) > len(data) {
			t.Fatal("more items than bytes")
		}
		if spans, ok := readSpans(string(data)); ok && len(spans) > len(data) {
			t.Fatal("more spans than bytes")
		}
		if texts, ok := readTexts(string(data)); ok && len(texts) > len(data) {
			t.Fatal("more texts than bytes")
		}
	})
}
