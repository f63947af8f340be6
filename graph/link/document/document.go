// Package document resolves what documents mention: names in code to symbols of
// any language, links and paths to files.
//
// Input is the facts of all documents of a tree and the symbols of all its
// files; output is reference edges from headings to symbols and import edges
// from headings to files. A document has no scopes and no imports, so a name
// counts only where little doubt is left: its qualifier names the class, package
// or module that holds it (graph.TierImport), or hardly anything else in the
// tree bears so distinctive a name (graph.TierName). An ordinary word gives
// nothing, however many symbols are called so. Histories of changes mention nothing:
// they speak of the past.
//
// A relative link to a file that does not exist is broken. A name that does not
// exist is never called broken, because a document may speak of other programs.
package document

import (
	"context"
	"fmt"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"

	extractor "github.com/previdence/previdence/graph/extract/document"
)

// The reasons of unresolved references.
const (
	reasonNoFile = "no such file"
	reasonNoName = "no such name"
)

// MaxTargets is how many symbols one mention may stand for. With more it says
// too little about any of them.
const MaxTargets = 3

// A Linker resolves documents. It holds nothing between calls.
type Linker struct{}

// New returns a linker.
func New() *Linker { return &Linker{} }

// Languages returns the languages of documents.
func (*Linker) Languages() []string {
	return []string{extractor.Markdown, extractor.ReStructuredText, extractor.AsciiDoc}
}

// Version changes whenever the edges of unchanged input would change.
func (*Linker) Version() uint32 { return 3 }

// Link resolves the references of all documents. One goroutine is enough: the
// work is a few look-ups for each mention.
func (*Linker) Link(ctx context.Context, in link.Input) (link.Output, error) {
	if len(in.Files) == 0 {
		return link.Output{}, nil
	}
	l := linking{names: newNames(in.Symbols, askedBy(in.Files)), places: newPlaces(in.Symbols, in.Tree.Paths())}
	if err := l.places.readModules(ctx, in.Tree); err != nil {
		return link.Output{}, err
	}
	for i := range in.Files {
		if err := ctx.Err(); err != nil {
			return link.Output{}, fmt.Errorf("link %s: %w", in.Files[i].Path, err)
		}
		l.file(&in.Files[i])
	}
	return l.out, nil
}

// A linking is one run.
type linking struct {
	names  *names
	places *places
	out    link.Output
}

func (l *linking) file(f *link.File) {
	history := graph.IsHistory(f.Path)
	if !history {
		l.mentions(f)
	}
	for _, im := range f.Facts.Imports {
		if !im.Guarded {
			l.link(f, im)
		} else if !history {
			l.path(f, im)
		}
	}
}

func (l *linking) mentions(f *link.File) {
	fences := strings.Split(f.Facts.Notes[extractor.NoteFences], ",")
	for _, ref := range f.Facts.Refs {
		m := newMention(f.Facts, ref, fences)
		targets, tier := l.resolve(m)
		for _, to := range targets {
			l.edge(f, ref.From, ref.Line, to, graph.EdgeReference, tier)
		}
		if len(targets) == 0 && l.lacks(m) {
			l.unresolved(f, ref.From, graph.Unresolved{Line: ref.Line, Kind: graph.EdgeReference, Name: ref.Name, Reason: reasonNoName})
		}
	}
}

// edge adds an edge unless it leads from a document to itself.
func (l *linking) edge(f *link.File, from, line, to int32, kind graph.EdgeKind, tier graph.Tier) {
	if to == f.Symbols {
		return
	}
	l.out.Edges = append(l.out.Edges, graph.Edge{From: f.Symbols + from, To: to, Kind: kind, Tier: tier, Lines: []int32{line}})
}

func (l *linking) unresolved(f *link.File, from int32, u graph.Unresolved) {
	u.From = f.Symbols + from
	l.out.Unresolved = append(l.out.Unresolved, u)
}

// A mention is a name as a document writes it.
type mention struct {
	qualifiers []string // outermost first
	name       string
	call       bool   // written with parentheses
	fence      string // "go", "python" or "ecmascript" in a block of code; "" in text
}

func newMention(f *graph.Facts, ref graph.Ref, fences []string) mention {
	m := mention{name: ref.Name, call: ref.Args != graph.None}
	if scope := int(f.Exprs[ref.Expr].Scope); scope < len(fences) {
		m.fence = fences[scope]
	}
	for e := f.Exprs[ref.Expr].Base; e != graph.None; e = f.Exprs[e].Base {
		m.qualifiers = append([]string{f.Exprs[e].Name}, m.qualifiers...)
	}
	return m
}
