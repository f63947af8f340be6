package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/previdence/previdence/graph"
)

// Prove reads the whole file, without keeping it. It fails unless the rows give the
// digest in the stamp, and unless what questions are answered from besides those rows
// is what a graph with these rows has: edges by the symbol that they reach, traits,
// names and totals.
func (d *DB) Prove(ctx context.Context) error {
	if err := guarded(func() error { return d.prove(ctx) }); err != nil {
		return fmt.Errorf("prove graph: %w", corrupt(err))
	}
	return nil
}

func (d *DB) prove(ctx context.Context) error {
	rest := &graph.Graph{}
	if err := d.loadRows(ctx, rest); err != nil {
		return err
	}
	digest := newDigester()
	digest.number(d.body.symbols)
	if err := d.proveSymbols(ctx, digest); err != nil {
		return err
	}
	digest.number(d.body.edges)
	if err := d.proveEdges(ctx, digest); err != nil {
		return err
	}
	totals := TotalsOf(rest)
	totals.Symbols, totals.Edges = d.body.symbols, d.body.edges
	if totals != d.totals {
		return fmt.Errorf("totals are %+v, not %+v: %w", totals, d.totals, ErrTampered)
	}
	return d.compareDigest(digest.end(rest))
}

func (d *DB) compareDigest(got string) error {
	if got != d.stamp.Digest {
		return fmt.Errorf("digest %s, stamp says %s: %w", got, d.stamp.Digest, ErrTampered)
	}
	return nil
}

// proveSymbols compares what symbols are found by with the symbols.
func (d *DB) proveSymbols(ctx context.Context, digest *digester) error {
	names := make([]uint64, 0, d.body.at[partNames].size/8)
	var text []byte
	err := d.eachSymbol(ctx, func(n int32, s *graph.Symbol) error {
		digest.symbol(s)
		if name := foundAs(s); name != "" {
			names = append(names, uint64(hashName(name))<<32|uint64(n))
		}
		text = appendSearchText(text[:0], s)
		traits := d.body.bytes(partTraits, int(n), int(n)+1)
		if traits == nil || traits[0] != byte(s.Traits()) || !bytes.Equal(d.body.entry(partTexts, partTextAt, n), text) {
			return fmt.Errorf("names of symbol %d: %w", n, ErrTampered)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	for i, want := range names {
		if e := d.body.bytes(partNames, 8*i, 8*i+8); e == nil ||
			uint64(binary.LittleEndian.Uint32(e))<<32|uint64(binary.LittleEndian.Uint32(e[4:])) != want {
			return fmt.Errorf("name %d of %d: %w", i, len(names), ErrTampered)
		}
	}
	if 8*len(names) != d.body.at[partNames].size {
		return fmt.Errorf("%d names: %w", len(names), ErrTampered)
	}
	return nil
}

// proveEdges compares the edges by the symbol that they reach with those by the
// symbol that they leave. Both are in one order, so each list is read once.
func (d *DB) proveEdges(ctx context.Context, digest *digester) error {
	starts, err := d.body.all(partArrivingAt)
	if err != nil {
		return err
	}
	next := numbers(starts)
	err = d.eachEdge(ctx, func(e *graph.Edge) error {
		digest.edge(e)
		i := int(uint32(next[e.To]))
		next[e.To]++
		if a := d.body.bytes(partArriving, 8*i, 8*i+8); a == nil || binary.LittleEndian.Uint32(a) != pack(e.From, e.Kind, e.Tier) ||
			binary.LittleEndian.Uint32(a[4:]) != uint32(firstLine(e.Lines)) {
			return fmt.Errorf("edges to symbol %d: %w", e.To, ErrTampered)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for n := range d.body.symbols {
		if uint32(next[n]) != binary.LittleEndian.Uint32(starts[4*(n+1):]) {
			return fmt.Errorf("edges to symbol %d: %w", n, ErrTampered)
		}
	}
	return nil
}
