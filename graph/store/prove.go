package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"

	"github.com/previdence/previdence/graph"
)

// Prove reads the whole file. It fails unless the rows give the digest in the stamp,
// and unless what questions are answered from besides those rows is what a graph
// with these rows has: the lists of edges by the symbol that they reach, the names
// and, in their number, the words of names.
func (d *DB) Prove(ctx context.Context) error {
	g, err := d.Load(ctx)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context, *graph.Graph) error{d.proveNames, d.proveArriving, d.proveWords} {
		if err := step(ctx, g); err != nil {
			return fmt.Errorf("prove graph: %w", corrupt(err))
		}
	}
	return nil
}

func (d *DB) proveNames(ctx context.Context, g *graph.Graph) error {
	n := 0
	return d.each(ctx, "SELECT name FROM symbols ORDER BY id", func(rows *sql.Rows) error {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		if n >= len(g.Symbols) || name != foundAs(&g.Symbols[n]) {
			return fmt.Errorf("name of symbol %d: %w", n, ErrTampered)
		}
		n++
		return nil
	})
}

func (d *DB) proveArriving(ctx context.Context, g *graph.Graph) error {
	n := int32(0)
	err := d.each(ctx, "SELECT id, edges FROM edges_in ORDER BY id", func(rows *sql.Rows) error {
		var id int32
		var edges sql.RawBytes
		if err := rows.Scan(&id, &edges); err != nil {
			return err
		}
		if id != n || int(n) >= len(g.Symbols) || !bytes.Equal(edges, arrivingList(g, n)) {
			return fmt.Errorf("edges to symbol %d: %w", n, ErrTampered)
		}
		n++
		return nil
	})
	if err == nil && int(n) != len(g.Symbols) {
		return fmt.Errorf("edges to %d symbols of %d: %w", n, len(g.Symbols), ErrTampered)
	}
	return err
}

func (d *DB) proveWords(ctx context.Context, g *graph.Graph) error {
	var n int
	if err := d.sql.QueryRowContext(ctx, "SELECT count(*) FROM names_docsize").Scan(&n); err != nil {
		return err
	}
	if n != len(g.Symbols) {
		return fmt.Errorf("words of %d names of %d: %w", n, len(g.Symbols), ErrTampered)
	}
	return nil
}
