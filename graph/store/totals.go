package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/previdence/previdence/graph"
)

// Totals count what is in a graph. They follow from its rows, and are kept so that an
// answer can say how much was seen without reading it.
type Totals struct {
	Symbols    int
	Edges      int
	Unresolved int
	Files      int // of the tree
	Parsed     int // of those, whole
	Partial    int
	Untyped    int // of those, Go that was linked without types
}

// TotalsOf counts what is in a graph.
func TotalsOf(g *graph.Graph) Totals {
	t := Totals{Symbols: len(g.Symbols), Edges: len(g.Edges), Unresolved: len(g.Unresolved), Files: len(g.Files), Untyped: g.Untyped()}
	for i := range g.Files {
		switch g.Files[i].State {
		case graph.FileParsed:
			t.Parsed++
		case graph.FilePartial:
			t.Partial++
		}
	}
	return t
}

type totalValue struct {
	name  string
	value *int
}

// totalValues lists totals under the names of their rows.
func totalValues(t *Totals) []totalValue {
	return []totalValue{
		{"symbols", &t.Symbols}, {"edges", &t.Edges}, {"unresolved", &t.Unresolved},
		{"files", &t.Files}, {"parsed", &t.Parsed}, {"partial", &t.Partial}, {"untyped", &t.Untyped},
	}
}

func (d *DB) readTotals(ctx context.Context) error {
	found := map[string]int{}
	err := d.each(ctx, "SELECT name, value FROM totals", func(rows *sql.Rows) error {
		var name string
		var n int
		err := rows.Scan(&name, &n)
		found[name] = n
		return err
	})
	if err != nil {
		return err
	}
	for _, t := range totalValues(&d.totals) {
		n, ok := found[t.name]
		if !ok {
			return fmt.Errorf("no number of %s: %w", t.name, ErrCorrupt)
		}
		*t.value = n
	}
	return nil
}

// Totals returns the counts of the graph.
func (d *DB) Totals() Totals { return d.totals }
