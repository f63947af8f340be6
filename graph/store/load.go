package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"

	"github.com/previdence/previdence/graph"
)

// Load returns the whole graph in canonical order, ready for [graph.Graph.In].
// It fails with [ErrTampered] unless the rows give the digest in the stamp.
func (d *DB) Load(ctx context.Context) (*graph.Graph, error) {
	g := &graph.Graph{}
	err := guarded(func() error {
		for _, step := range []func(context.Context, *graph.Graph) error{d.loadRows, d.loadSymbols, d.loadEdges} {
			if err := step(ctx, g); err != nil {
				return err
			}
		}
		return d.compareDigest(Digest(g))
	})
	if err != nil {
		return nil, fmt.Errorf("load graph: %w", corrupt(err))
	}
	g.Index()
	return g, nil
}

// loadRows reads all tables.
func (d *DB) loadRows(ctx context.Context, g *graph.Graph) error {
	for _, step := range []func(context.Context, *graph.Graph) error{d.loadFiles, d.loadUnresolved, d.loadCounts, d.loadCaveats} {
		if err := step(ctx, g); err != nil {
			return err
		}
	}
	return nil
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
	g.Symbols = make([]graph.Symbol, 0, d.body.symbols)
	return d.eachSymbol(ctx, func(_ int32, s *graph.Symbol) error {
		g.Symbols = append(g.Symbols, *s)
		return nil
	})
}

// textsAtOnce is how many bytes of symbols are copied out of the file at once: what
// is kept of one of them keeps all of them.
const textsAtOnce = 1 << 20

// eachSymbol gives all symbols to fn. They are copies; fn may keep what they hold.
func (d *DB) eachSymbol(ctx context.Context, fn func(n int32, s *graph.Symbol) error) error {
	ends, err := d.body.all(partSymbolAt)
	if err != nil {
		return err
	}
	end := func(n int) int { return int(binary.LittleEndian.Uint32(ends[4*n:])) }
	for n := 0; n < d.body.symbols; {
		if err := ctx.Err(); err != nil {
			return err
		}
		last := n + 1
		for last < d.body.symbols && end(last+1)-end(n) <= textsAtOnce {
			last++
		}
		texts := d.body.bytes(partSymbols, end(n), end(last))
		if texts == nil {
			return fmt.Errorf("symbol %d: %w", n, errBody)
		}
		copied, from := string(texts), end(n)
		for ; n < last; n++ {
			low, high := end(n)-from, end(n+1)-from
			if low < 0 || low > high || high > len(copied) {
				return fmt.Errorf("symbol %d: %w", n, errBody)
			}
			s, ok := readSymbol(copied[low:high])
			if !ok {
				return fmt.Errorf("symbol %d: %w", n, errBody)
			}
			if err := fn(int32(n), &s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *DB) loadEdges(ctx context.Context, g *graph.Graph) error {
	g.Edges = make([]graph.Edge, 0, d.body.edges)
	return d.eachEdge(ctx, func(e *graph.Edge) error {
		g.Edges = append(g.Edges, *e)
		return nil
	})
}

// eachEdge gives all edges to fn, which may keep their lines.
func (d *DB) eachEdge(ctx context.Context, fn func(e *graph.Edge) error) error {
	text, err := d.body.all(partLines)
	if err != nil {
		return err
	}
	lines := numbers(text)
	list, err := d.body.all(partLeaving)
	if err != nil {
		return err
	}
	lineAt := func(i int) int {
		if i == d.body.edges {
			return len(lines)
		}
		return int(binary.LittleEndian.Uint32(list[8*i+4:]))
	}
	for n := range d.body.symbols {
		if n%breath == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from, to, ok := d.body.between(partLeavingAt, int32(n))
		if !ok || from > to || to > d.body.edges || n == 0 && from != 0 || n == d.body.symbols-1 && to != d.body.edges {
			return fmt.Errorf("edges of symbol %d: %w", n, errBody)
		}
		for i := from; i < to; i++ {
			e := graph.Edge{From: int32(n)}
			if e.To, e.Kind, e.Tier, _, err = d.body.edge(list, i); err != nil {
				return err
			}
			low, high := lineAt(i), lineAt(i+1)
			if low > high || high > len(lines) {
				return fmt.Errorf("lines of edge %d: %w", i, errBody)
			}
			if low < high {
				e.Lines = lines[low:high:high]
			}
			if err := fn(&e); err != nil {
				return err
			}
		}
	}
	return nil
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
