package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/previdence/previdence/graph"
)

// Load returns the whole graph in canonical order, ready for [graph.Graph.In].
// It fails with [ErrTampered] unless the rows give the digest in the stamp.
func (d *DB) Load(ctx context.Context) (*graph.Graph, error) {
	g := &graph.Graph{}
	steps := []func(context.Context, *graph.Graph) error{
		d.loadFiles, d.loadSymbols, d.loadEdges, d.loadUnresolved, d.loadCounts, d.loadCaveats,
	}
	for _, step := range steps {
		if err := step(ctx, g); err != nil {
			return nil, fmt.Errorf("load graph: %w", corrupt(err))
		}
	}
	if got := Digest(g); got != d.stamp.Digest {
		return nil, fmt.Errorf("load graph: digest %s, stamp says %s: %w", got, d.stamp.Digest, ErrTampered)
	}
	g.Index()
	return g, nil
}

// each runs a query and fn for every row of its answer.
func (d *DB) each(ctx context.Context, query string, fn func(*sql.Rows) error, args ...any) error {
	rows, err := d.sql.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (d *DB) loadSymbols(ctx context.Context, g *graph.Graph) error {
	// A number that no file of this size can hold is not believed.
	g.Symbols = make([]graph.Symbol, 0, min(int64(d.symbols), d.size/minSymbolRow))
	shared := map[string]string{} // texts that many symbols have in common
	err := d.each(ctx, "SELECT id, symbol, detail FROM symbols ORDER BY id", func(rows *sql.Rows) error {
		s, err := scanSymbol(rows, int32(len(g.Symbols)))
		if err != nil {
			return err
		}
		for _, text := range [...]*string{&s.Language, &s.Path, &s.Framework} {
			if _, ok := shared[*text]; !ok {
				shared[*text] = *text
			}
			*text = shared[*text]
		}
		g.Symbols = append(g.Symbols, s)
		return nil
	})
	return err
}

// scanSymbol reads a row of (id, symbol, detail). If want is not negative, the
// row must have that number.
func scanSymbol(rows *sql.Rows, want int32) (graph.Symbol, error) {
	var id int32
	var symbol string
	var detail sql.RawBytes
	if err := rows.Scan(&id, &symbol, &detail); err != nil {
		return graph.Symbol{}, err
	}
	value, err := unseal(detail, id, symbol)
	if err != nil {
		return graph.Symbol{}, err
	}
	s, ok := readSymbol(graph.SymbolID(symbol), string(value))
	if !ok || want >= 0 && id != want {
		return graph.Symbol{}, fmt.Errorf("symbol %d: %w", id, ErrCorrupt)
	}
	return s, nil
}

func (d *DB) loadEdges(ctx context.Context, g *graph.Graph) error {
	lines := arena{}
	from := int32(0)
	err := d.each(ctx, "SELECT id, edges FROM edges_out ORDER BY id", func(rows *sql.Rows) error {
		var id int32
		var edges sql.RawBytes
		if err := rows.Scan(&id, &edges); err != nil {
			return err
		}
		list, err := unseal(edges, id, leavingMark)
		if err != nil {
			return err
		}
		ok := readAdjacent(string(list), len(g.Symbols), &lines, func(a adjacent) {
			g.Edges = append(g.Edges, graph.Edge{From: id, To: a.other, Kind: a.kind, Tier: a.tier, Lines: a.lines})
		})
		if !ok || id != from {
			return fmt.Errorf("edges of symbol %d: %w", id, ErrCorrupt)
		}
		from++
		return nil
	})
	if err == nil && int(from) != len(g.Symbols) {
		return fmt.Errorf("edges of %d symbols of %d: %w", from, len(g.Symbols), ErrCorrupt)
	}
	return err
}

func (d *DB) loadUnresolved(ctx context.Context, g *graph.Graph) error {
	return d.each(ctx, "SELECT id, items FROM unresolved ORDER BY id", func(rows *sql.Rows) error {
		var id int32
		var items sql.RawBytes
		if err := rows.Scan(&id, &items); err != nil {
			return err
		}
		value, err := unseal(items, id, unresolvedMark)
		if err != nil {
			return err
		}
		list, ok := readUnresolved(id, string(value))
		if !ok {
			return fmt.Errorf("unresolved references of symbol %d: %w", id, ErrCorrupt)
		}
		g.Unresolved = append(g.Unresolved, list...)
		return nil
	})
}

const fileColumns = "SELECT path, blob, size, language, state, reason, gaps, generated FROM files "

func scanFile(rows *sql.Rows) (graph.File, error) {
	var f graph.File
	var state string
	var gaps sql.RawBytes
	if err := rows.Scan(&f.Path, &f.Blob, &f.Size, &f.Language, &state, &f.Reason, &gaps, &f.Generated); err != nil {
		return f, err
	}
	var known, whole bool
	f.State, known = graph.ParseFileState(state)
	f.Gaps, whole = readSpans(string(gaps))
	if !known || !whole {
		return f, fmt.Errorf("file row: %w", ErrCorrupt)
	}
	return f, nil
}

func (d *DB) loadFiles(ctx context.Context, g *graph.Graph) error {
	return d.each(ctx, fileColumns+"ORDER BY id", func(rows *sql.Rows) error {
		f, err := scanFile(rows)
		g.Files = append(g.Files, f)
		return err
	})
}

func (d *DB) loadCounts(ctx context.Context, g *graph.Graph) error {
	return d.each(ctx, "SELECT language, compiler, exact, dispatch, import, name, unresolved, external FROM counts ORDER BY language",
		func(rows *sql.Rows) error {
			var c graph.Counts
			err := rows.Scan(&c.Language, &c.Compiler, &c.Exact, &c.Dispatch, &c.Import, &c.Name, &c.Unresolved, &c.External)
			g.Counts = append(g.Counts, c)
			return err
		})
}

func (d *DB) loadCaveats(ctx context.Context, g *graph.Graph) error {
	return d.each(ctx, "SELECT caveat, text, count, of, examples FROM caveats ORDER BY id", func(rows *sql.Rows) error {
		var c graph.Caveat
		var examples sql.RawBytes
		if err := rows.Scan(&c.ID, &c.Text, &c.Count, &c.Of, &examples); err != nil {
			return err
		}
		var ok bool
		if c.Examples, ok = readTexts(string(examples)); !ok {
			return fmt.Errorf("caveat row: %w", ErrCorrupt)
		}
		g.Caveats = append(g.Caveats, c)
		return nil
	})
}
