package review

import (
	"cmp"
	"context"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/blast"
	"github.com/previdence/previdence/review/report"
)

// How a change flows: to whoever runs the symbol, and for a new shape also to
// whoever is bound to it by type or import.
var (
	runs    = blast.Of(graph.EdgeCall, graph.EdgeDispatch, graph.EdgeReference)
	shaped  = blast.Of(graph.EdgeCall, graph.EdgeDispatch, graph.EdgeReference, graph.EdgeOverride, graph.EdgeInherit, graph.EdgeImport)
	onwards = blast.Of(graph.EdgeCall, graph.EdgeDispatch, graph.EdgeReference, graph.EdgeImport)
)

// A seed is one changed symbol of head and what can reach it.
type seed struct {
	change change
	row    report.SymbolImpact // what lies within the depth of the report
	tests  []blast.Hit         // tests at any distance
	about  map[string]int      // what its tests may be named after
}

// reach is the outcome of all searches.
type reach struct {
	seeds   []seed
	all     map[int32]int  // symbols within the depth of any seed → distance to the nearest
	doors   map[int32]door // how frameworks are told to call what was reached
	nearest map[int32]int  // distance to the nearest change, at any depth
	cut     int            // seeds that were not walked
}

// walk searches from every changed symbol that something can depend on. Removed
// symbols start from those who still refer to them: the others were changed too.
func (r *reviewer) walk(ctx context.Context) (*reach, error) {
	w := blast.NewWalker(r.Head)
	out := &reach{all: map[int32]int{}, nearest: map[int32]int{}, doors: map[int32]door{}}
	for _, c := range r.seedOrder() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(out.seeds) >= r.Limits.Seeds || w.Steps > r.Limits.Steps {
			out.cut++
			continue
		}
		out.seeds = append(out.seeds, r.search(w, c, out))
	}
	if out.cut > 0 {
		r.caveat("review.seeds_not_walked", "impact", "Not every changed symbol was searched for dependents: the limit was reached.",
			out.cut, out.cut+len(out.seeds))
	}
	return out, nil
}

// seedOrder lists the changes to search from, those that matter most first.
func (r *reviewer) seedOrder() []change {
	var seeds []change
	for _, c := range r.changes {
		if c.head != graph.None && r.flows(c) {
			seeds = append(seeds, c)
		}
	}
	slices.SortStableFunc(seeds, func(a, b change) int {
		x, y := &r.Head.Symbols[a.head], &r.Head.Symbols[b.head]
		return cmp.Or(
			cmp.Compare(seedRank(a.kind), seedRank(b.kind)),
			-cmp.Compare(btoi(x.Exported), btoi(y.Exported)),
			-cmp.Compare(len(r.Head.In(a.head)), len(r.Head.In(b.head))),
			cmp.Compare(x.ID, y.ID),
		)
	})
	return seeds
}

func seedRank(k report.Change) int {
	switch k {
	case report.Signature, report.Renamed:
		return 0
	case report.Body, report.Attributes:
		return 1
	case report.Moved:
		return 2
	}
	return 3
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// flows reports whether anything can feel the change. Comments and white space
// reach nobody; a new symbol is searched only for the tests that reach it.
func (r *reviewer) flows(c change) bool {
	s := &r.Head.Symbols[c.head]
	switch c.kind {
	case report.Doc, report.Formatting:
		return false
	case report.Added:
		return s.Kind.Callable() && !s.Test
	}
	// A Go file is no unit that anything refers to: its imports act through its
	// functions.
	return !s.Test && !(s.Language == "go" && s.Kind == graph.KindModule)
}

// search walks from one change and notes what it reaches.
func (r *reviewer) search(w *blast.Walker, c change, out *reach) seed {
	sym := &r.Head.Symbols[c.head]
	s := seed{change: c, row: report.SymbolImpact{
		Symbol: string(sym.ID), Name: display(sym), Change: c.kind, ByDistance: []int{}, Dependents: []report.Dependent{},
	}}
	keepNearest(out.nearest, c.head, 0)
	hits := w.Radius(c.head, r.flow(c), 0)
	for _, h := range hits {
		d := &r.Head.Symbols[h.Symbol]
		if d.Test {
			s.tests = append(s.tests, h)
		}
		if c.kind == report.Added && h.Weakest >= graph.TierDispatch {
			continue // what was there before calls an interface, and may never meet the new value
		}
		keepNearest(out.nearest, h.Symbol, int(h.Distance))
		if c.kind != report.Added && int(h.Distance) <= r.Limits.Depth && !isDocument(d) {
			keepNearest(out.all, h.Symbol, int(h.Distance))
			r.addDependent(&s.row, w, h)
		}
	}
	if len(s.tests) > 0 {
		s.about = r.subject(c.head, hits)
	}
	s.row.Omitted = s.row.Total - len(s.row.Dependents)
	s.tests = r.narrowed(w, sym, s.tests)
	return s
}

// keepNearest keeps the shortest distance of a symbol to any change.
func keepNearest(distances map[int32]int, symbol int32, distance int) {
	if d, ok := distances[symbol]; !ok || distance < d {
		distances[symbol] = distance
	}
}

// atDistance counts one more symbol at a distance, from 1.
func atDistance(counts []int, distance int) []int {
	for len(counts) < distance {
		counts = append(counts, 0)
	}
	counts[distance-1]++
	return counts
}

// flow says along which edges a change runs.
func (r *reviewer) flow(c change) blast.Flow {
	f := blast.Flow{First: runs, Then: onwards}
	switch c.kind {
	case report.Signature, report.Renamed, report.Moved:
		f.First = shaped
	}
	if r.Head.Symbols[c.head].Kind == graph.KindModule {
		f.First = runs | blast.Of(graph.EdgeImport)
	}
	return f
}

func (r *reviewer) addDependent(row *report.SymbolImpact, w *blast.Walker, h blast.Hit) {
	d := &r.Head.Symbols[h.Symbol]
	row.Total++
	row.Tests += btoi(d.Test)
	row.ByDistance = atDistance(row.ByDistance, int(h.Distance))
	if len(row.Dependents) >= r.Limits.Dependents {
		return
	}
	through := []string{}
	for _, i := range w.Through(h) {
		through = append(through, string(r.Head.Symbols[i].ID))
	}
	row.Dependents = append(row.Dependents, report.Dependent{
		Symbol: string(d.ID), Name: display(d), Path: d.Path, Line: d.Line, Site: int(h.Site), Distance: int(h.Distance),
		Kind: h.Kind.String(), Tier: h.Weakest.String(), Test: d.Test, PathThrough: through,
		Blob: blobAt(r.Head, d.Path),
	})
}

// reportImpact writes the blast radius, the largest first.
func (r *reviewer) reportImpact(reached *reach, broken []breakage) {
	out := report.Impact{Depth: r.Limits.Depth, Total: len(reached.all), ByDistance: []int{}, Symbols: []report.SymbolImpact{}}
	for symbol, distance := range reached.all {
		out.Tests += btoi(r.Head.Symbols[symbol].Test)
		out.ByDistance = atDistance(out.ByDistance, distance)
	}
	for _, s := range reached.seeds {
		if s.change.kind == report.Added {
			continue
		}
		if s.row.Total == 0 {
			sym := &r.Head.Symbols[s.change.head]
			if sym.Language == "go" && implicit(sym) {
				continue // main and init: nothing can refer to them
			}
			s.row.Check = r.checkAlone(sym)
		}
		out.Symbols = append(out.Symbols, s.row)
	}
	for _, b := range broken {
		if b.change.kind == report.Removed && len(b.refs) == 0 {
			if row := r.removedImpact(b); row.Checked != report.Contradicted {
				out.Symbols = append(out.Symbols, row)
			}
		}
	}
	slices.SortStableFunc(out.Symbols, func(a, b report.SymbolImpact) int {
		return cmp.Or(cmp.Compare(r.lesser(a), r.lesser(b)), -cmp.Compare(a.Total, b.Total))
	})
	out.EntryPoints = r.entryPoints(reached)
	r.out.Impact = out
}

// lesser ranks what nobody wrote by hand, and what only tests use, behind the
// rest: a reader looks at neither first.
func (r *reviewer) lesser(row report.SymbolImpact) int {
	i, ok := r.Head.Find(graph.SymbolID(row.Symbol))
	if !ok {
		return 0
	}
	s := &r.Head.Symbols[i]
	return 2*btoi(s.Generated) + btoi(r.inTests(s.Path))
}

// removedImpact is the row of a symbol that is gone and that nothing refers to
// any more, with the check of that claim.
func (r *reviewer) removedImpact(b breakage) report.SymbolImpact {
	s := &r.Base.Symbols[b.change.base]
	return report.SymbolImpact{
		Symbol: string(s.ID), Name: display(s), Change: report.Removed,
		ByDistance: []int{}, Dependents: []report.Dependent{}, Check: r.checkRemoved(b),
	}
}

// maxEntryPoints bounds the list; the nearest are kept.
const maxEntryPoints = 100

// entryPoints lists the ways in from outside that reach a change.
func (r *reviewer) entryPoints(reached *reach) []report.EntryPoint {
	points := []report.EntryPoint{}
	fresh := map[int32]bool{} // nobody outside can call these yet
	for _, c := range r.changes {
		if c.kind == report.Added {
			fresh[c.head] = true
		}
	}
	for sym, distance := range reached.nearest {
		s := &r.Head.Symbols[sym]
		d, ok := reached.doors[sym]
		if !ok {
			d.kind = r.entryKind(s)
		}
		if d.kind != "" && !(d.kind == doorAPI && fresh[sym]) {
			points = append(points, report.EntryPoint{Kind: d.kind, As: d.as, Symbol: string(s.ID), Name: display(s), Path: s.Path, Line: s.Line, Distance: distance})
		}
	}
	slices.SortFunc(points, func(a, b report.EntryPoint) int {
		return cmp.Or(cmp.Compare(entryRank(a.Kind), entryRank(b.Kind)), cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Symbol, b.Symbol))
	})
	if len(points) > maxEntryPoints {
		r.caveat("review.entry_points_cut", "impact", "More entry points reach the change than are listed; the nearest are.", len(points)-maxEntryPoints, len(points))
		points = points[:maxEntryPoints]
	}
	return points
}

// entryRank puts what is called by people and machines before what is called by
// code that nobody here knows.
func entryRank(kind string) int {
	return slices.Index([]string{doorMain, doorCommand, doorRoute, doorAPI}, kind)
}
