package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/previdence/previdence/graph"
)

// A Reference is one edge seen from one of its ends.
type Reference struct {
	Symbol graph.Symbol // the symbol at the other end
	Kind   graph.EdgeKind
	Tier   graph.Tier
	Lines  []int32 // of the sites, in the file of the symbol that refers
}

// A Step is one edge of a path.
type Step struct {
	From, To graph.Symbol
	Kind     graph.EdgeKind
	Tier     graph.Tier // the strongest of this kind
	Lines    []int32    // in From's file
}

// A Coverage says how much of some files the graph has seen.
type Coverage struct {
	Files   []graph.File // by path
	Counts  []graph.Counts
	Caveats []graph.Caveat
}

// statements keeps the prepared statements that are asked again and again.
type statements struct {
	mu       sync.Mutex
	prepared map[string]*sql.Stmt
}

func (d *DB) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	d.lookups.mu.Lock()
	defer d.lookups.mu.Unlock()
	if s := d.lookups.prepared[query]; s != nil {
		return s, nil
	}
	s, err := d.sql.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if d.lookups.prepared == nil {
		d.lookups.prepared = map[string]*sql.Stmt{}
	}
	d.lookups.prepared[query] = s
	return s, nil
}

func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, p := range s.prepared {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

// value reads the one text or blob that a query gives for a row number.
func (d *DB) value(ctx context.Context, query string, id int32) (string, error) {
	s, err := d.prepared(ctx, query)
	if err != nil {
		return "", err
	}
	var v string
	err = s.QueryRowContext(ctx, id).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("row %d is gone: %w", id, ErrCorrupt)
	}
	return v, err
}

// number finds the row of a symbol by binary search.
func (d *DB) number(ctx context.Context, id graph.SymbolID) (int32, error) {
	low, high := int32(0), int32(d.symbols)
	for low < high {
		mid := low + (high-low)/2
		got, err := d.value(ctx, "SELECT symbol FROM symbols WHERE id=?", mid)
		switch {
		case err != nil:
			return 0, corrupt(err)
		case got == string(id):
			return mid, nil
		case got < string(id):
			low = mid + 1
		default:
			high = mid
		}
	}
	return 0, fmt.Errorf("%s: %w", id, ErrNoSymbol)
}

// Symbol returns the symbol with this ID.
func (d *DB) Symbol(ctx context.Context, id graph.SymbolID) (graph.Symbol, error) {
	n, err := d.number(ctx, id)
	if err != nil {
		return graph.Symbol{}, err
	}
	s, err := d.symbol(ctx, n)
	return s, corrupt(err)
}

func (d *DB) symbol(ctx context.Context, n int32) (graph.Symbol, error) {
	s, err := d.prepared(ctx, "SELECT id, symbol, detail FROM symbols WHERE id=?")
	if err != nil {
		return graph.Symbol{}, err
	}
	rows, err := s.QueryContext(ctx, n)
	if err != nil {
		return graph.Symbol{}, err
	}
	defer rows.Close()
	if !rows.Next() {
		return graph.Symbol{}, cmp.Or(rows.Err(), fmt.Errorf("symbol %d is gone: %w", n, ErrCorrupt))
	}
	return scanSymbol(rows, n)
}

// Lookup returns all symbols that text may mean, by ID. Text is an ID, a name
// ("Send"), a name with containers ("Client.Send"), with the package, folder or
// file it lies in ("pay.Client.Send"), or with its path ("pay/client.go#Send").
// No match is [ErrNoSymbol].
func (d *DB) Lookup(ctx context.Context, text string) ([]graph.Symbol, error) {
	s, err := d.Symbol(ctx, graph.SymbolID(text))
	if err == nil {
		return []graph.Symbol{s}, nil
	}
	if !errors.Is(err, ErrNoSymbol) {
		return nil, err
	}
	file, name, hasFile := strings.Cut(text, "#")
	if !hasFile {
		file, name = "", text
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	found, err := d.named(ctx, name)
	if err == nil && len(found) == 0 && last != name {
		found, err = d.named(ctx, last)
	}
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(s graph.Symbol) bool {
		return file != "" && s.Path != file || !means(&s, name)
	})
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: %w", text, ErrNoSymbol)
	}
	return found, nil
}

// named returns the symbols with exactly this last name.
func (d *DB) named(ctx context.Context, name string) ([]graph.Symbol, error) {
	var out []graph.Symbol
	err := d.each(ctx, "SELECT id, symbol, detail FROM symbols WHERE name = ? COLLATE NOCASE ORDER BY id", func(rows *sql.Rows) error {
		s, err := scanSymbol(rows, -1)
		if s.Name == name {
			out = append(out, s)
		}
		return err
	}, name)
	return out, corrupt(err)
}

// means reports whether a name, perhaps with containers and the place before
// them, means s.
func means(s *graph.Symbol, name string) bool {
	qualified := s.Qualified()
	if name == s.Name || name == qualified || strings.HasSuffix(qualified, "."+name) {
		return true
	}
	place, ok := strings.CutSuffix(name, "."+qualified)
	if !ok {
		return false
	}
	base := path.Base(s.Path)
	dir := path.Dir(s.Path)
	dotted := strings.ReplaceAll(strings.TrimSuffix(s.Path, path.Ext(s.Path)), "/", ".")
	return place == path.Base(dir) || place == dir || place == base || place == dotted || strings.HasSuffix(dotted, "."+place)
}

// Callers returns the edges that arrive at a symbol, in the order of the IDs
// they come from. Without kinds, it returns calls and dispatches.
func (d *DB) Callers(ctx context.Context, id graph.SymbolID, kinds ...graph.EdgeKind) ([]Reference, error) {
	return d.references(ctx, id, arriving, kinds)
}

// Callees returns the edges that leave a symbol, in the order of the IDs they
// go to. Without kinds, it returns calls and dispatches.
func (d *DB) Callees(ctx context.Context, id graph.SymbolID, kinds ...graph.EdgeKind) ([]Reference, error) {
	return d.references(ctx, id, leaving, kinds)
}

// A direction says which list of edges of a symbol is read.
type direction struct{ query, mark string }

var (
	leaving  = direction{"SELECT edges FROM edges_out WHERE id=?", leavingMark}
	arriving = direction{"SELECT edges FROM edges_in WHERE id=?", arrivingMark}
)

// adjacent reads one list of edges.
func (d *DB) adjacent(ctx context.Context, n int32, dir direction, kinds []graph.EdgeKind) ([]adjacent, error) {
	v, err := d.value(ctx, dir.query, n)
	if err != nil {
		return nil, err
	}
	list, err := unseal([]byte(v), n, dir.mark)
	if err != nil {
		return nil, err
	}
	if len(kinds) == 0 {
		kinds = []graph.EdgeKind{graph.EdgeCall, graph.EdgeDispatch}
	}
	var out []adjacent
	ok := readAdjacent(string(list), d.symbols, &arena{}, func(a adjacent) {
		if slices.Contains(kinds, a.kind) {
			out = append(out, a)
		}
	})
	if !ok {
		return nil, fmt.Errorf("edges of symbol %d: %w", n, ErrCorrupt)
	}
	return out, nil
}

func (d *DB) references(ctx context.Context, id graph.SymbolID, dir direction, kinds []graph.EdgeKind) ([]Reference, error) {
	n, err := d.number(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := d.adjacent(ctx, n, dir, kinds)
	if err != nil {
		return nil, corrupt(err)
	}
	out := make([]Reference, len(list))
	for i, a := range list {
		if i > 0 && a.other == list[i-1].other {
			out[i].Symbol = out[i-1].Symbol
		} else if out[i].Symbol, err = d.symbol(ctx, a.other); err != nil {
			return nil, corrupt(err)
		}
		out[i].Kind, out[i].Tier, out[i].Lines = a.kind, a.tier, a.lines
	}
	return out, nil
}

// Coverage returns what became of the files at these paths and below these
// folders, with the counts and caveats of the whole tree. Without paths it
// returns all files.
func (d *DB) Coverage(ctx context.Context, paths ...string) (Coverage, error) {
	g := &graph.Graph{}
	if err := errors.Join(d.loadCounts(ctx, g), d.loadCaveats(ctx, g)); err != nil {
		return Coverage{}, corrupt(err)
	}
	add := func(rows *sql.Rows) error {
		f, err := scanFile(rows)
		g.Files = append(g.Files, f)
		return err
	}
	if len(paths) == 0 {
		if err := d.each(ctx, fileColumns+"ORDER BY id", add); err != nil {
			return Coverage{}, corrupt(err)
		}
	}
	for _, p := range paths {
		p = strings.TrimSuffix(p, "/")
		// '0' is the byte after '/': the range is everything below the folder.
		if err := d.each(ctx, fileColumns+"WHERE path = ? OR path > ? AND path < ?", add, p, p+"/", p+"0"); err != nil {
			return Coverage{}, corrupt(err)
		}
	}
	slices.SortFunc(g.Files, func(a, b graph.File) int { return cmp.Compare(a.Path, b.Path) })
	g.Files = slices.CompactFunc(g.Files, func(a, b graph.File) bool { return a.Path == b.Path })
	return Coverage{Files: g.Files, Counts: g.Counts, Caveats: g.Caveats}, nil
}
