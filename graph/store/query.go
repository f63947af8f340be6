package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

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

// number finds a symbol by binary search.
func (d *DB) number(id graph.SymbolID) (int32, error) {
	low, high := int32(0), int32(d.body.symbols)
	for low < high {
		mid := low + (high-low)/2
		s, err := d.symbol(mid)
		switch {
		case err != nil:
			return 0, err
		case s.ID == id:
			return mid, nil
		case s.ID < id:
			low = mid + 1
		default:
			high = mid
		}
	}
	return 0, fmt.Errorf("%s: %w", id, ErrNoSymbol)
}

// Symbol returns the symbol with this ID.
func (d *DB) Symbol(_ context.Context, id graph.SymbolID) (s graph.Symbol, err error) {
	err = guarded(func() error {
		n, err := d.number(id)
		if err == nil {
			s, err = d.symbol(n)
		}
		return err
	})
	return s, err
}

func (d *DB) symbol(n int32) (graph.Symbol, error) {
	s, ok := readSymbol(string(d.body.record(n)))
	if !ok {
		return graph.Symbol{}, fmt.Errorf("symbol %d: %w", n, errBody)
	}
	return s, nil
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
	found, err := d.named(name)
	if err == nil && len(found) == 0 && last != name {
		found, err = d.named(last)
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
func (d *DB) named(name string) (out []graph.Symbol, err error) {
	err = guarded(func() error {
		var failed error
		whole := d.body.hashing(name, func(n int32) bool {
			s, err := d.symbol(n)
			if err == nil && foundAs(&s) == name {
				out = append(out, s)
			}
			failed = err
			return err == nil
		})
		if !whole {
			failed = errBody
		}
		return failed
	})
	return out, err
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
func (d *DB) Callers(_ context.Context, id graph.SymbolID, kinds ...graph.EdgeKind) ([]Reference, error) {
	return d.references(id, arriving, kinds)
}

// Callees returns the edges that leave a symbol, in the order of the IDs they
// go to. Without kinds, it returns calls and dispatches.
func (d *DB) Callees(_ context.Context, id graph.SymbolID, kinds ...graph.EdgeKind) ([]Reference, error) {
	return d.references(id, leaving, kinds)
}

// A direction says which list of edges of a symbol is read.
type direction struct{ edges, at part }

var (
	leaving  = direction{partLeaving, partLeavingAt}
	arriving = direction{partArriving, partArrivingAt}
)

// An adjacent is an edge as the list of one of its two symbols holds it.
type adjacent struct {
	other int32 // the symbol at the other end
	kind  graph.EdgeKind
	tier  graph.Tier
	edge  int // its number, in the list of edges by the symbol that they leave; -1 if not known
}

// follow gives the edges of some kinds in one list to fn, calls and dispatches
// without kinds.
func (d *DB) follow(n int32, dir direction, kinds []graph.EdgeKind, fn func(adjacent)) error {
	list, first, err := d.body.list(dir.edges, dir.at, n)
	if err != nil {
		return err
	}
	for i := range len(list) / 8 {
		a := adjacent{edge: first + i}
		if a.other, a.kind, a.tier, _, err = d.body.edge(list, i); err != nil {
			return err
		}
		if dir == arriving {
			a.edge = -1
		}
		if slices.Contains(kinds, a.kind) || len(kinds) == 0 && (a.kind == graph.EdgeCall || a.kind == graph.EdgeDispatch) {
			fn(a)
		}
	}
	return nil
}

// lines returns the lines of an edge between two symbols.
func (d *DB) lines(from, to int32, a adjacent) ([]int32, error) {
	if a.edge >= 0 {
		return d.body.linesOf(a.edge)
	}
	list, first, err := d.body.list(partLeaving, partLeavingAt, from)
	if err != nil {
		return nil, err
	}
	want := pack(to, a.kind, a.tier) // lists are in the order of these numbers
	i := sort.Search(len(list)/8, func(i int) bool { return binary.LittleEndian.Uint32(list[8*i:]) >= want })
	if i == len(list)/8 || binary.LittleEndian.Uint32(list[8*i:]) != want {
		return nil, fmt.Errorf("edge from %d to %d: %w", from, to, errBody)
	}
	return d.body.linesOf(first + i)
}

func (d *DB) references(id graph.SymbolID, dir direction, kinds []graph.EdgeKind) (out []Reference, err error) {
	err = guarded(func() error {
		n, err := d.number(id)
		if err != nil {
			return err
		}
		var list []adjacent
		if err := d.follow(n, dir, kinds, func(a adjacent) { list = append(list, a) }); err != nil {
			return err
		}
		out = make([]Reference, len(list))
		for i, a := range list {
			if out[i], err = d.reference(n, dir, a); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// reference describes an edge of the symbol with a number.
func (d *DB) reference(n int32, dir direction, a adjacent) (Reference, error) {
	from, to := n, a.other
	if dir == arriving {
		from, to = to, from
	}
	s, err := d.symbol(a.other)
	if err != nil {
		return Reference{}, err
	}
	lines, err := d.lines(from, to, a)
	return Reference{Symbol: s, Kind: a.kind, Tier: a.tier, Lines: lines}, err
}

// File returns the entry of the tree with this path; nil if there is none.
func (d *DB) File(ctx context.Context, path string) (file *graph.File, err error) {
	err = d.each(ctx, fileColumns+"WHERE path = ?", func(rows *sql.Rows) error {
		f, err := scanFile(rows)
		file = &f
		return err
	}, path)
	return file, corrupt(err)
}

// Counts returns the calls of each language by tier.
func (d *DB) Counts(ctx context.Context) ([]graph.Counts, error) {
	g := &graph.Graph{}
	err := d.loadCounts(ctx, g)
	return g.Counts, corrupt(err)
}

// Files returns all files of the tree, by path.
func (d *DB) Files(ctx context.Context) ([]graph.File, error) {
	g := &graph.Graph{}
	err := d.loadFiles(ctx, g)
	return g.Files, corrupt(err)
}

// Coverage returns what became of the files at these paths and below these
// folders, with the counts and caveats of the whole tree. Without paths it
// returns all files.
func (d *DB) Coverage(ctx context.Context, paths ...string) (Coverage, error) {
	g := &graph.Graph{}
	if err := errors.Join(d.loadCounts(ctx, g), d.loadCaveats(ctx, g)); err != nil {
		return Coverage{}, corrupt(err)
	}
	if len(paths) == 0 {
		if err := d.loadFiles(ctx, g); err != nil {
			return Coverage{}, corrupt(err)
		}
	}
	add := func(rows *sql.Rows) error {
		f, err := scanFile(rows)
		g.Files = append(g.Files, f)
		return err
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
