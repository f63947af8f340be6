package review

import (
	"cmp"
	"maps"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/blast"
	"github.com/previdence/previdence/review/report"
)

// shownOverlap bounds the lists of one overlap.
const shownOverlap = 200

// refers are the edges by which a symbol depends on another directly. An import
// alone is none: it says that a file may, not that a symbol does.
var refers = blast.Of(graph.EdgeCall, graph.EdgeDispatch, graph.EdgeReference, graph.EdgeOverride, graph.EdgeInherit)

// Touched is where one pull request touches the code: the symbols that it
// changes, under the names of merge base and head, what those refer to at head,
// and the files that it changes.
type Touched struct {
	changed map[graph.SymbolID]touch
	uses    map[graph.SymbolID][]touch // by symbol referred to; the changed ones that do
	files   map[string]bool
}

// A touch is one changed symbol.
type touch struct {
	symbol report.SharedSymbol
	felt   bool // others can feel the change; they cannot feel a comment
}

// touched collects what [Overlap] compares. It takes the whole sets from the
// graphs: the lists of the report are capped.
func (r *reviewer) touched() Touched {
	t := Touched{changed: map[graph.SymbolID]touch{}, uses: map[graph.SymbolID][]touch{}, files: map[string]bool{}}
	for _, c := range r.changes {
		s := r.symbol(c)
		if s.Language == "go" && s.Kind == graph.KindModule {
			continue // nothing refers to a Go file; that both change it is said of the file
		}
		at := touch{
			symbol: report.SharedSymbol{Symbol: string(s.ID), Name: display(s), Path: s.Path, Line: s.Line},
			felt:   c.kind != report.Doc && c.kind != report.Formatting,
		}
		t.changed[s.ID] = at
		if c.base != graph.None {
			t.changed[r.Base.Symbols[c.base].ID] = at
		}
		if c.head != graph.None && at.felt {
			t.use(r.Head, c.head, at)
		}
	}
	for _, c := range r.Changes {
		for _, path := range []string{c.Path, c.OldPath} {
			if path != "" {
				t.files[path] = true
			}
		}
	}
	return t
}

// use notes what a changed symbol refers to.
func (t Touched) use(g *graph.Graph, symbol int32, at touch) {
	last := int32(graph.None)
	for _, e := range g.Out(symbol) { // by the symbol referred to
		if refers.Has(e.Kind) && e.To != last && e.To != symbol {
			last = e.To
			id := g.Symbols[e.To].ID
			t.uses[id] = append(t.uses[id], at)
		}
	}
}

// Overlap says where two pull requests meet: in symbols that both change, in
// symbols that one changes and that refer to what the other changes, and in
// files that both change. It reports false if they do not. The caller fills in
// which pull request the other is.
func Overlap(this, other Touched) (report.Overlap, bool) {
	var shared []report.SharedSymbol
	seen := map[report.SharedSymbol]bool{}
	add := func(at touch, how report.Sharing, to string) {
		s := at.symbol
		s.Sharing, s.RefersTo = how, to
		if !seen[s] {
			seen[s] = true
			shared = append(shared, s)
		}
	}
	both := map[string]bool{} // IDs on either side
	for id, mine := range this.changed {
		if theirs, ok := other.changed[id]; ok {
			add(mine, report.BothChange, "")
			both[mine.symbol.Symbol], both[theirs.symbol.Symbol] = true, true
		}
	}
	meet := func(changed map[graph.SymbolID]touch, uses map[graph.SymbolID][]touch, how report.Sharing) {
		for id, mine := range changed {
			for _, user := range uses[id] {
				if mine.felt && !both[user.symbol.Symbol] {
					add(user, how, mine.symbol.Symbol)
				}
			}
		}
	}
	meet(this.changed, other.uses, report.OtherChangesDependent)
	meet(other.changed, this.uses, report.ThisChangesDependent)
	slices.SortFunc(shared, compareShared)

	out := report.Overlap{Shared: shared}
	for _, s := range shared {
		out.Symbols = append(out.Symbols, s.Symbol)
	}
	slices.Sort(out.Symbols)
	out.Symbols = slices.Compact(out.Symbols)
	out.Total = len(out.Symbols)
	for _, path := range slices.Sorted(maps.Keys(this.files)) {
		if other.files[path] {
			out.Files = append(out.Files, path)
		}
	}
	found := len(out.Symbols)+len(out.Files) > 0
	out.Symbols = out.Symbols[:min(len(out.Symbols), shownOverlap)]
	out.Shared = out.Shared[:min(len(out.Shared), shownOverlap)]
	out.Files = out.Files[:min(len(out.Files), shownOverlap)]
	return out, found
}

// compareShared puts first what both change.
func compareShared(a, b report.SharedSymbol) int {
	rank := func(s report.SharedSymbol) int {
		return slices.Index([]report.Sharing{report.BothChange, report.OtherChangesDependent, report.ThisChangesDependent}, s.Sharing)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.RefersTo, b.RefersTo))
}
