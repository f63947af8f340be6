package review

import (
	"cmp"
	"context"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
)

// A change is one symbol that differs between the two graphs.
type change struct {
	kind   report.Change
	base   int32 // graph.None if it was added
	head   int32 // graph.None if it was removed
	effect report.Effect
	reason string // why the effect is what it is
}

// symbolChanges pairs the symbols of both graphs and says how each pair differs.
func (r *reviewer) symbolChanges(ctx context.Context) error {
	r.pairs = matchByPlace(r.Base, r.Head, r.files)
	gone, fresh := r.unmatched()
	r.pairs.matchPassedOn(r.Base, r.Head, r.files, gone, fresh)
	matchMoved(r.Base, r.Head, &r.pairs, gone, fresh)
	matchChildren(r.Base, r.Head, &r.pairs, gone, fresh)
	texts, err := r.readBodies(ctx, gone, fresh)
	if err != nil {
		return err
	}
	alike := r.matchAlike(ctx, gone, fresh, texts)
	if err := ctx.Err(); err != nil {
		return err
	}
	if !alike {
		r.caveat("review.renames_not_compared", "changes",
			"Too many symbols were removed and added to compare them all; some renames may read as a removal and an addition.",
			likenessPairs, len(gone)*len(fresh))
	}
	matchChildren(r.Base, r.Head, &r.pairs, gone, fresh)
	r.collectChanges()
	return nil
}

// unmatched lists what has no partner of the same name in the same file.
func (r *reviewer) unmatched() (gone, fresh []int32) {
	for b, h := range r.pairs.toHead {
		if h == graph.None && changesAlone(&r.Base.Symbols[b]) {
			gone = append(gone, int32(b))
		}
	}
	for h, b := range r.pairs.toBase {
		if b == graph.None && changesAlone(&r.Head.Symbols[h]) {
			fresh = append(fresh, int32(h))
		}
	}
	return gone, fresh
}

// collectChanges compares every pair. Documents are no code: what they say
// about the change is a section of its own.
func (r *reviewer) collectChanges() {
	for b := range r.Base.Symbols {
		s := &r.Base.Symbols[b]
		if isDocument(s) || !changesAlone(s) {
			continue
		}
		h := r.pairs.toHead[b]
		if h == graph.None {
			r.changes = append(r.changes, change{kind: report.Removed, base: int32(b), head: graph.None})
			continue
		}
		c, differs := r.compare(int32(b), h)
		if !differs || c.kind == report.Doc || c.kind == report.Formatting {
			if why := r.rebound(int32(b), h); why != "" {
				c, differs = change{kind: report.Body, base: int32(b), head: h, reason: why}, true
			}
		}
		if differs {
			r.changes = append(r.changes, c)
		}
	}
	for h := range r.Head.Symbols {
		s := &r.Head.Symbols[h]
		if r.pairs.toBase[h] == graph.None && !isDocument(s) && changesAlone(s) {
			r.changes = append(r.changes, change{kind: report.Added, base: graph.None, head: int32(h)})
		}
	}
	r.dropReflow()
	slices.SortStableFunc(r.changes, func(a, b change) int {
		x, y := r.symbol(a), r.symbol(b)
		removed := cmp.Compare(rank(a.kind), rank(b.kind))
		return cmp.Or(removed, cmp.Compare(x.Path, y.Path), cmp.Compare(x.Line, y.Line), cmp.Compare(x.ID, y.ID))
	})
}

// dropReflow forgets that a file was reformatted if one of its symbols changed
// as well, and that a type or its members were if one of them changed: what is
// added or removed moves the blank lines and the columns around it.
func (r *reviewer) dropReflow() {
	files, owners := map[string]bool{}, map[owned]bool{}
	for _, c := range r.changes {
		s := r.symbol(c)
		if c.kind != report.Formatting {
			owners[owned{s.Path, s.Qualified()}] = true
			owners[owned{s.Path, s.Container}] = true
		}
		if c.kind != report.Formatting || s.Kind != graph.KindModule {
			files[s.Path] = true
		}
	}
	r.changes = slices.DeleteFunc(r.changes, func(c change) bool {
		s := r.symbol(c)
		switch {
		case c.kind != report.Formatting:
			return false
		case s.Kind == graph.KindModule:
			return files[s.Path]
		}
		return owners[owned{s.Path, s.Qualified()}] || s.Container != "" && owners[owned{s.Path, s.Container}]
	})
}

// rank puts removed symbols before everything else.
func rank(k report.Change) int {
	if k == report.Removed {
		return 0
	}
	return 1
}

// changesAlone is false for what changes with others only: packages with their
// files, function literals with the symbols around them.
func changesAlone(s *graph.Symbol) bool {
	return s.Kind != graph.KindPackage && s.Kind != graph.KindLiteral
}

func isDocument(s *graph.Symbol) bool { return graph.IsDocument(s.Language) }

// symbol is the changed symbol at head, or at the merge base if it is gone.
func (r *reviewer) symbol(c change) *graph.Symbol {
	if c.head != graph.None {
		return &r.Head.Symbols[c.head]
	}
	return &r.Base.Symbols[c.base]
}

// compare says how one symbol differs between the graphs, by the part that
// matters most.
func (r *reviewer) compare(b, h int32) (change, bool) {
	x, y := &r.Base.Symbols[b], &r.Head.Symbols[h]
	c := change{base: b, head: h}
	dx, dy := x.Digests, y.Digests
	samePath := r.samePlace(x, y)
	switch {
	case x.Name != y.Name && x.Kind != graph.KindModule:
		c.kind = report.Renamed
		if !y.Test && !r.inTests(y.Path) { // nobody calls a test by its name
			c.effect, c.reason = signatureEffect(x, y)
		}
	case dx.Signature != dy.Signature && !r.onlyContainerRenamed(x, y):
		c.kind = report.Signature
		c.effect, c.reason = signatureEffect(x, y)
	case dx.Body != dy.Body:
		c.kind = report.Body
	case dx.Attributes != dy.Attributes:
		c.kind = report.Attributes
	case !samePath && x.Container == "" && x.Kind != graph.KindModule:
		c.kind = report.Moved
	case dx.Doc != dy.Doc:
		c.kind = report.Doc
	case dx.Raw != dy.Raw:
		c.kind = report.Formatting
	default:
		return change{}, false
	}
	return c, true
}

// samePlace reports whether both lie in the same file, after renames of files.
func (r *reviewer) samePlace(x, y *graph.Symbol) bool {
	path, ok := r.files.head(x.Path)
	return ok && path == y.Path
}

// onlyContainerRenamed is true for a member whose signature differs only because
// its type has another name: the type is the change.
func (r *reviewer) onlyContainerRenamed(x, y *graph.Symbol) bool {
	return x.Container != y.Container && x.Name == y.Name && x.Result == y.Result && slices.EqualFunc(x.Params, y.Params, sameParam)
}

func sameParam(a, b graph.Param) bool {
	return a.Kind == graph.ParamReceiver && b.Kind == graph.ParamReceiver ||
		a.Name == b.Name && a.Kind == b.Kind && a.Optional == b.Optional && a.TypeText == b.TypeText
}

func (r *reviewer) reportChanges() {
	out := make([]report.SymbolChange, 0, len(r.changes))
	for _, c := range r.changes {
		s := r.symbol(c)
		row := report.SymbolChange{
			ID: string(s.ID), Name: display(s), Kind: s.Kind.String(), Language: s.Language, Path: s.Path,
			Line: s.Line, EndLine: s.EndLine, Exported: s.Exported, Test: s.Test,
			Change: c.kind, SignatureEffect: c.effect, EffectReason: c.reason,
		}
		if c.base != graph.None {
			row.Old = version(r.Base, c.base)
			if was := display(&r.Base.Symbols[c.base]); was != row.Name && r.Base.Symbols[c.base].Kind != graph.KindModule {
				row.Old.Name = was
			}
		}
		if c.head != graph.None {
			row.New = version(r.Head, c.head)
		}
		out = append(out, row)
	}
	r.out.Changes.Symbols = out
}

func version(g *graph.Graph, i int32) *report.Version {
	s := &g.Symbols[i]
	return &report.Version{Path: s.Path, Line: s.Line, Signature: s.Signature, Blob: blobAt(g, s.Path)}
}

func blobAt(g *graph.Graph, path string) string {
	if f, ok := g.File(path); ok {
		return f.Blob
	}
	return ""
}

// display is the name a reader sees. A file has no name of its own but its path.
func display(s *graph.Symbol) string {
	switch s.Kind {
	case graph.KindModule, graph.KindPackage:
		return pathOf(s)
	}
	if passesAll(s) {
		return s.Signature
	}
	return s.Qualified()
}
