package review_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/worktree"
)

// lines is a repository in which every blob has the same text.
type lines []byte

func (l lines) Blobs(_ context.Context, oids []worktree.OID, _ int64, fn func(i int, data []byte, err error) error) error {
	for i := range oids {
		if err := fn(i, l, nil); err != nil {
			return err
		}
	}
	return nil
}

// large makes a graph of many functions with many calls; those in the first
// changed files have another body if changed is set.
func large(symbols, edges, changedFiles int, changed bool) *graph.Graph {
	const perFile = 20
	r := rand.New(rand.NewPCG(1, 2))
	g := &graph.Graph{}
	for i := range symbols {
		file := i / perFile
		path, name := fmt.Sprintf("pkg%03d/f%d.go", file/20, file), fmt.Sprintf("Function%d", i)
		s := graph.Symbol{
			ID: graph.NewSymbolID("go", path, "", name, graph.KindFunction, ""), Name: name, Kind: graph.KindFunction, Language: "go",
			Path: path, Line: i%perFile*10 + 1, EndLine: i%perFile*10 + 8, Exported: i%2 == 0, Signature: "func " + name + "()",
		}
		if i%10 == 0 {
			s.Test, s.Framework = true, "go"
		}
		s.Digests.Body, s.Digests.Signature = graph.Digest{1, byte(i), byte(i >> 8)}, graph.Digest{byte(i)}
		if changed && file < changedFiles {
			s.Digests.Body[0] = 2
		}
		g.Symbols = append(g.Symbols, s)
		if i%perFile == 0 {
			blob := fmt.Sprintf("%039x0", file)
			if changed && file < changedFiles {
				blob = fmt.Sprintf("%039x1", file)
			}
			g.Files = append(g.Files, graph.File{Path: path, Blob: blob, Language: "go", State: graph.FileParsed})
		}
	}
	for range edges {
		from := r.IntN(symbols)
		g.Edges = append(g.Edges, graph.Edge{
			From: int32(from), To: int32(r.IntN(from + 1)), Kind: graph.EdgeCall, Tier: graph.TierCompiler, Lines: []int32{int32(1 + r.IntN(200))},
		})
	}
	g.Sort()
	return g
}

// BenchmarkReview reviews a change of ten files in two loaded graphs.
func BenchmarkReview(b *testing.B) {
	const files = 10
	in := review.Input{
		Base: large(10_000, 50_000, files, false), Head: large(10_000, 50_000, files, true),
		Blobs: lines("package p\n\nfunc Function1() { Function2() }\n"), Limits: review.DefaultLimits,
	}
	for i := range files {
		f := in.Head.Files[i]
		old, _ := in.Base.File(f.Path)
		in.Changes = append(in.Changes, worktree.Change{
			Status: worktree.Modified, OldPath: f.Path, Path: f.Path, OldMode: worktree.ModeFile, Mode: worktree.ModeFile,
			OldOID: worktree.OID(old.Blob), OID: worktree.OID(f.Blob),
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		r, _, err := review.Review(b.Context(), in)
		if err != nil || len(r.Changes.Symbols) == 0 {
			b.Fatalf("%v, %v", r, err)
		}
	}
}
