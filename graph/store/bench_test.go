package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func BenchmarkWrite(b *testing.B) {
	g := synthetic(100_000, 500_000)
	path := filepath.Join(b.TempDir(), "graph.db")
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(b.Context(), path, g, Stamp{}); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB")
}

func BenchmarkDigest(b *testing.B) {
	g := synthetic(100_000, 500_000)
	b.ReportAllocs()
	for b.Loop() {
		Digest(g)
	}
}

func BenchmarkLoad(b *testing.B) {
	db := openGraph(b, writeGraph(b, synthetic(100_000, 500_000)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := db.Load(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuestions(b *testing.B) {
	g := synthetic(115_000, 800_000)
	path := writeGraph(b, g)
	db := openGraph(b, path)
	ordinary := g.Symbols[60_000].ID
	questions := []struct {
		name string
		ask  func() error
	}{
		{"open", func() error {
			db, err := Open(b.Context(), path)
			if err != nil {
				return err
			}
			return db.Close()
		}},
		{"lookup", func() error { _, err := db.Lookup(b.Context(), g.Symbols[60_000].Qualified()); return err }},
		{"search", func() error { _, _, err := db.Search(b.Context(), "parse line", 20); return err }},
		{"search prefix", func() error { _, _, err := db.Search(b.Context(), "read", 20); return err }},
		{"callers", func() error { _, err := db.Callers(b.Context(), ordinary); return err }},
		{"callers of a hub", func() error { _, err := db.Callers(b.Context(), g.Symbols[3].ID); return err }},
		{"path", func() error { _, err := db.Path(b.Context(), ordinary, g.Symbols[333].ID); return err }},
		{"no path", func() error {
			_, err := db.Path(b.Context(), g.Symbols[3].ID, g.Symbols[9_999].ID)
			if errors.Is(err, ErrNoPath) {
				return nil
			}
			return err
		}},
		{"coverage", func() error { _, err := db.Coverage(b.Context(), "pkg7", "pkg9"); return err }},
	}
	for _, q := range questions {
		b.Run(q.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := q.ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
