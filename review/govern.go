package review

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/prose"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// maxGoverned bounds the files listed for one document.
const maxGoverned = 20

// By what right a document governs a file, the strongest first.
const (
	byFront     = "front_matter" // a pattern of its front matter matches the path
	byFile      = "file"         // it names the path
	byFolder    = "folder"       // it names the folder that the file lies in
	bySymbol    = "symbol"       // it names something of it that changes
	byDirectory = "directory"    // it lies among the documents of a folder that the file is below
)

var rights = []string{byFront, byFile, byFolder, bySymbol, byDirectory}

// A claim is one right of a document over one file.
type claim struct {
	by, file, symbol string
	line             int
}

// governing lists the documents of the merge base that govern changed code, those
// with the strongest right first: a pull request does not bring its own rules. A
// document that governs by its place alone must be one of a known kind.
func (r *reviewer) governing(ctx context.Context) ([]report.Document, error) {
	touched := r.touchedCode()
	if len(touched.files) == 0 {
		return nil, nil
	}
	headings := headingsOf(r.Base)
	var rows []report.Document
	var unread []string
	documents := 0
	err := r.eachDocument(ctx, r.Base, func(f *graph.File, data []byte) {
		documents++
		front, err := prose.ReadFront(data)
		if err != nil {
			unread = append(unread, f.Path)
			front = prose.Front{}
		}
		kind := cmp.Or(front.Type, prose.KindOf(f.Path))
		claims := touched.claims(f.Path, kind, front, data)
		if len(claims) == 0 {
			return
		}
		if kind == "" {
			kind = "document"
		}
		d := rowOf(claims, headings[f.Path])
		d.Path, d.Blob = f.Path, f.Blob
		d.Governs.SourceType = string(kind)
		d.Governs.Status = cmp.Or(front.Status, prose.Status(data))
		d.Governs.Owners = readable(front.Owners)
		rows = append(rows, d)
	})
	if len(unread) > 0 {
		r.caveat("documents.front_unread", "documents", "Front matter of documents cannot be read, so what it says they govern is not known.", len(unread), documents, unread...)
	}
	if err != nil || len(rows) == 0 {
		return rows, err
	}
	slices.SortFunc(rows, func(a, b report.Document) int {
		return cmp.Or(cmp.Compare(rightRank(a), rightRank(b)), cmp.Compare(a.Path, b.Path))
	})
	return rows, r.answerFor(ctx, rows)
}

// rightRank puts what is in force first.
func rightRank(d report.Document) int {
	rank := slices.Index(rights, d.Governs.By)
	if slices.Contains([]string{"rejected", "deprecated", "superseded", "withdrawn", "obsolete"}, d.Governs.Status) {
		rank += len(rights)
	}
	return rank
}

// A touchedTree is the code that a pull request changes, by its paths at the merge base.
type touchedTree struct {
	files   []string            // paths, sorted
	folders map[string][]string // files by the folder that they lie in
	named   map[string][]claim  // what a document names of it, by the document's path
}

func (r *reviewer) touchedCode() touchedTree {
	t := touchedTree{folders: map[string][]string{}, named: map[string][]claim{}}
	for _, c := range r.Changes {
		file, side := oldPath(c), r.Base
		if c.Status == worktree.Added || c.Status == worktree.Copied {
			file, side = c.Path, r.Head // what is new in a governed folder is governed
		}
		if f, ok := side.File(file); ok && !graph.IsDocument(f.Language) {
			t.files = append(t.files, file)
			t.folders[path.Dir(file)] = append(t.folders[path.Dir(file)], file)
		}
	}
	slices.Sort(t.files)
	for _, c := range r.changes {
		if c.base == graph.None || c.kind == report.Doc || c.kind == report.Formatting {
			continue
		}
		s := &r.Base.Symbols[c.base]
		for _, i := range r.Base.In(c.base) {
			e := &r.Base.Edges[i]
			if from := &r.Base.Symbols[e.From]; isDocument(from) && len(e.Lines) > 0 {
				t.named[from.Path] = append(t.named[from.Path], claim{bySymbol, s.Path, string(s.ID), int(e.Lines[0])})
			}
		}
	}
	return t
}

// claims are the rights of one document.
func (t touchedTree) claims(document string, kind prose.Kind, front prose.Front, data []byte) []claim {
	var all []claim
	for _, f := range t.files {
		if front.Governs(f) {
			all = append(all, claim{by: byFront, file: f, line: front.Line})
		}
	}
	if kind == "" {
		return all
	}
	if kind == prose.Rules {
		return append(all, t.atHome(document, front)...)
	}
	for w := range prose.Words(data) {
		for _, p := range w.Paths(document) {
			if _, ok := slices.BinarySearch(t.files, p); ok {
				all = append(all, claim{by: byFile, file: p, line: w.Line})
			} else if strings.Contains(w.Text, "/") {
				for _, f := range t.folders[p] {
					all = append(all, claim{by: byFolder, file: f, line: w.Line})
				}
			}
		}
	}
	all = append(all, t.named[document]...)
	return append(all, t.atHome(document, front)...)
}

// atHome are the files below the folder among whose documents one lies. What says
// itself what it governs governs nothing else.
func (t touchedTree) atHome(document string, front prose.Front) []claim {
	home := prose.Home(document)
	if home == "" || len(front.Patterns) > 0 {
		return nil
	}
	var all []claim
	for _, f := range t.files {
		if strings.HasPrefix(f, home+"/") {
			all = append(all, claim{by: byDirectory, file: f, line: 1})
		}
	}
	return all
}

// rowOf joins the rights of one document. The row stands where the strongest first does.
func rowOf(claims []claim, headings []*graph.Symbol) report.Document {
	slices.SortStableFunc(claims, func(a, b claim) int {
		return cmp.Or(cmp.Compare(slices.Index(rights, a.by), slices.Index(rights, b.by)), cmp.Compare(a.line, b.line), cmp.Compare(a.file, b.file))
	})
	d := report.Document{Relation: "governs", Line: claims[0].line, Symbols: []string{}, Governs: &report.Governance{By: claims[0].by, Files: []string{}}}
	d.Heading = titleOf(above(headings, d.Line))
	if d.Heading == "" && len(headings) > 0 {
		d.Heading = titleOf(firstHeading(headings))
	}
	seen := map[string]bool{}
	for _, c := range claims {
		if c.symbol != "" {
			addSymbol(&d, c.symbol)
		}
		if !seen[c.file] {
			seen[c.file] = true
			d.Governs.Files = append(d.Governs.Files, c.file)
		}
	}
	d.Governs.Total = len(d.Governs.Files)
	d.Governs.Files = d.Governs.Files[:min(d.Governs.Total, maxGoverned)]
	return d
}

// firstHeading is the title of a document whose front matter stands above it.
func firstHeading(headings []*graph.Symbol) *graph.Symbol {
	var first *graph.Symbol
	for _, s := range headings {
		if s.Kind == graph.KindHeading && (first == nil || s.Line < first.Line) {
			first = s
		}
	}
	return first
}

// answerFor adds who owns the documents that name no owner, and when what they govern
// was changed last.
func (r *reviewer) answerFor(ctx context.Context, rows []report.Document) error {
	file, err := r.ownersOfBase(ctx)
	if err != nil {
		return err
	}
	for i := range rows {
		g := rows[i].Governs
		if rule, ok := file.Of(rows[i].Path); ok && len(g.Owners) == 0 {
			g.Owners = readable(rule.Owners)
		}
		g.Last = r.lastOf(g.Files)
	}
	return nil
}

// lastOf is the newest commit before the merge base, of those that were read, that
// changed one of some files.
func (r *reviewer) lastOf(files []string) string {
	for _, c := range r.Past.Before {
		for _, change := range c.Changes {
			if slices.Contains(files, change.Path) {
				return string(c.ID)
			}
		}
	}
	return ""
}
