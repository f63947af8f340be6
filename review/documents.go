package review

import (
	"cmp"
	"context"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
)

// maxDocuments bounds the section.
const maxDocuments = 200

// maxNamed bounds what is listed by name in one row.
const maxNamed = 50

// reportDocuments lists headings whose text names what was removed, renamed or
// got a signature that breaks its uses.
func (r *reviewer) reportDocuments(ctx context.Context) error {
	rows := map[docKey]*report.Document{}
	for _, c := range r.changes {
		switch c.kind {
		case report.Removed, report.Renamed:
			r.staleMentions(c, rows)
		case report.Signature:
			if c.effect != report.Breaking {
				continue // what the document shows still holds
			}
			for _, i := range r.Head.In(c.head) {
				r.mention(rows, &r.Head.Edges[i], "mentions_changed", string(r.Head.Symbols[c.head].ID))
			}
		}
	}
	if err := r.staleNames(ctx, rows); err != nil {
		return err
	}
	out := []report.Document{}
	for _, d := range rows {
		d.Blob = blobAt(r.Head, d.Path)
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b report.Document) int {
		return cmp.Or(-cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Heading, b.Heading))
	})
	r.out.Documents = out
	return nil
}

// reportGoverning adds the documents that govern what changed.
func (r *reviewer) reportGoverning(ctx context.Context) error {
	governing, err := r.governing(ctx)
	if err != nil {
		return err
	}
	out := append(r.out.Documents, governing...)
	if len(out) > maxDocuments {
		r.caveat("review.documents_cut", "documents", "More places in documents name what changed, or govern it, than are listed.", len(out)-maxDocuments, len(out))
		out = out[:maxDocuments]
	}
	r.out.Documents = out
	return nil
}

// A docKey is one row: a heading whose text names things in one relation. Its
// line is the first that does.
type docKey struct {
	heading  graph.SymbolID
	relation string
}

// staleMentions finds documents that named the symbol at the merge base and
// whose text at head still does.
func (r *reviewer) staleMentions(c change, rows map[docKey]*report.Document) {
	s := &r.Base.Symbols[c.base]
	for _, i := range r.Base.In(c.base) {
		e := &r.Base.Edges[i]
		from := &r.Base.Symbols[e.From]
		at, ok := r.files.head(from.Path)
		if !isDocument(from) || !ok {
			continue
		}
		for _, h := range r.hitsIn(s.Name, at) {
			d := r.mentionAt(rows, r.headingAt(at, h.line), h.line, "mentions_removed")
			addSymbol(d, string(s.ID))
			if c.head != graph.None {
				addName(d, report.Named{Kind: "symbol", Name: s.Name, Now: r.Head.Symbols[c.head].Name})
			}
		}
	}
}

// hitsIn are the places of one file that name something.
func (r *reviewer) hitsIn(name, path string) []hit {
	if r.text == nil {
		return nil
	}
	var out []hit
	for _, h := range r.text.hits[name] {
		if h.path == path {
			out = append(out, h)
		}
	}
	return out
}

// headingAt is the last heading at or above a line of a document of head.
func (r *reviewer) headingAt(path string, line int) *graph.Symbol {
	if r.headings == nil {
		r.headings = headingsOf(r.Head)
	}
	return above(r.headings[path], line)
}

// headingsOf are the symbols of documents, by path.
func headingsOf(g *graph.Graph) map[string][]*graph.Symbol {
	out := map[string][]*graph.Symbol{}
	for i := range g.Symbols {
		if s := &g.Symbols[i]; isDocument(s) {
			out[s.Path] = append(out[s.Path], s)
		}
	}
	return out
}

// above is the last heading at or above a line; the document itself above the first.
func above(headings []*graph.Symbol, line int) *graph.Symbol {
	var best *graph.Symbol
	for _, s := range headings {
		if s.Line <= line && (best == nil || s.Line > best.Line || s.Line == best.Line && s.Kind == graph.KindHeading) {
			best = s
		}
	}
	return best
}

// titleOf is the text of a heading; "" for the document itself.
func titleOf(heading *graph.Symbol) string {
	if heading != nil && heading.Kind == graph.KindHeading {
		return heading.Name
	}
	return ""
}

func (r *reviewer) mention(rows map[docKey]*report.Document, e *graph.Edge, relation, symbol string) {
	from := &r.Head.Symbols[e.From]
	if !isDocument(from) {
		return
	}
	for _, l := range e.Lines {
		addSymbol(r.mentionAt(rows, from, int(l), relation), symbol)
	}
}

// mentionAt is the row of a heading, nil without one.
func (r *reviewer) mentionAt(rows map[docKey]*report.Document, heading *graph.Symbol, line int, relation string) *report.Document {
	if heading == nil {
		return nil
	}
	key := docKey{heading.ID, relation}
	d := rows[key]
	if d == nil {
		d = &report.Document{Path: heading.Path, Heading: titleOf(heading), Line: line, Relation: relation, Symbols: []string{}}
		rows[key] = d
	}
	d.Line = min(d.Line, line)
	return d
}

func addSymbol(d *report.Document, symbol string) {
	if d != nil && !slices.Contains(d.Symbols, symbol) {
		d.Symbols = append(d.Symbols, symbol)
		slices.Sort(d.Symbols)
	}
}

// addName adds what is gone, by kind and name.
func addName(d *report.Document, n report.Named) {
	if d == nil || slices.Contains(d.Names, n) {
		return
	}
	d.Names = append(d.Names, n)
	slices.SortFunc(d.Names, func(a, b report.Named) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Now, b.Now))
	})
	d.Names = d.Names[:min(len(d.Names), maxNamed)]
}
