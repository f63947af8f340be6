package review

import (
	"cmp"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
)

// maxDocuments bounds the section.
const maxDocuments = 200

// reportDocuments lists headings whose text names what was removed, renamed or
// got a signature that breaks its uses.
func (r *reviewer) reportDocuments() {
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
	out := []report.Document{}
	for _, d := range rows {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b report.Document) int {
		return cmp.Or(-cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	if len(out) > maxDocuments {
		r.caveat("review.documents_cut", "documents", "More places in documents name what changed than are listed.", len(out)-maxDocuments, len(out))
		out = out[:maxDocuments]
	}
	r.out.Documents = out
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
			r.mentionAt(rows, r.headingAt(at, h.line), h.line, "mentions_removed", string(s.ID))
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
		r.headings = map[string][]*graph.Symbol{}
		for i := range r.Head.Symbols {
			if s := &r.Head.Symbols[i]; isDocument(s) {
				r.headings[s.Path] = append(r.headings[s.Path], s)
			}
		}
	}
	var best *graph.Symbol
	for _, s := range r.headings[path] {
		if s.Line <= line && (best == nil || s.Line > best.Line || s.Line == best.Line && s.Kind == graph.KindHeading) {
			best = s
		}
	}
	return best
}

func (r *reviewer) mention(rows map[docKey]*report.Document, e *graph.Edge, relation, symbol string) {
	from := &r.Head.Symbols[e.From]
	if !isDocument(from) {
		return
	}
	for _, l := range e.Lines {
		r.mentionAt(rows, from, int(l), relation, symbol)
	}
}

func (r *reviewer) mentionAt(rows map[docKey]*report.Document, heading *graph.Symbol, line int, relation, symbol string) {
	if heading == nil {
		return
	}
	key := docKey{heading.ID, relation}
	d := rows[key]
	if d == nil {
		title := ""
		if heading.Kind == graph.KindHeading {
			title = heading.Name
		}
		d = &report.Document{Path: heading.Path, Heading: title, Line: line, Relation: relation}
		rows[key] = d
	}
	d.Line = min(d.Line, line)
	if !slices.Contains(d.Symbols, symbol) {
		d.Symbols = append(d.Symbols, symbol)
		slices.Sort(d.Symbols)
	}
}
