package html

import (
	"bytes"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/report"
)

// The widest that a part of a row gets, in cells. Hostile names are long.
const (
	widestName = 240
	widestWord = 600
)

// openRows is how many rows of a block stand outside a fold.
const openRows = 24

// A sheet is a report that is going to be drawn, perhaps several times until it
// fits. Rows and diagrams are rendered once.
type sheet struct {
	report  *report.Report
	outline *outline.Outline
	rows    map[*outline.Cell]template.HTML // by the first cell of the row
	whole   template.HTML                   // the diagram of a page that is not cut
	small   template.HTML                   // and of one that is
	err     error                           // the first of drawing
}

func newSheet(r *report.Report) (*sheet, error) {
	s := &sheet{report: r, outline: outline.Whole(r, limits), rows: map[*outline.Cell]template.HTML{}}
	for _, section := range s.outline.Sections {
		blocks := section.Blocks
		if section.Glance != nil {
			blocks = append([]outline.Block{*section.Glance}, blocks...)
		}
		for _, b := range blocks {
			if err := s.keep(b); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if s.whole, err = s.diagram(mostBoxes); err != nil {
		return nil, err
	}
	s.small, err = s.diagram(fewBoxes)
	return s, err
}

// keep renders the rows of a block.
func (s *sheet) keep(b outline.Block) error {
	for _, row := range b.Rows {
		var out template.HTML
		var err error
		switch {
		case b.Layout == outline.Commands: // to the letter, or they could not be run
			out, err = render("command", escape.Visible(row.Cells[0][0].Text))
		case b.Layout == outline.Table && len(row.Cells) > 1:
			out, err = render("cells", row.Cells)
		default:
			out, err = render("cell", row.Cells[0])
		}
		if err != nil {
			return err
		}
		s.rows[&row.Cells[0]] = out
	}
	return nil
}

func (s *sheet) diagram(most int) (template.HTML, error) {
	d := drawRadius(s.report, most)
	if d == nil {
		return "", nil
	}
	return render("diagram", d)
}

// A view is what the template of the page reads.
type view struct {
	Policy   string
	Style    template.CSS
	Script   template.JS
	Title    string
	Verdict  string // how the title looks: see [verdict]
	Name     string // of what was reviewed
	Subject  outline.Cell
	Since    outline.Cell // what changed since an earlier report
	Reasons  []outline.Reason
	Sections []section
	Again    string
	Promise  string
	Check    []outline.Row
	IDs      []identity
}

// A section is one part of the page.
type section struct {
	Name, Title string
	Found       outline.Cell
	State       report.Section
	Caveats     []report.Caveat // of this section alone
	Diagram     template.HTML
	Blocks      []block
}

// A block is one list, table or set of commands of a section.
type block struct {
	Table, Commands bool
	Title, Label    string
	Columns         []outline.Column
	Groups          []group
	Shown           string // how much of it is shown, if it is not all
	Count           string // how much there is
	Fold            bool   // it is long, and for the reader to unfold
}

// A group is the rows that belong to one head, or to none.
type group struct {
	Head template.HTML
	Rows []template.HTML
}

// An identity is one full name of what the report was made from.
type identity struct{ What, ID string }

// draw writes the page with the rows whose rank is below rank.
func (s *sheet) draw(rank int) []byte {
	r, o := s.report, s.outline
	v := view{
		Policy: policy, Style: template.CSS(style), Script: template.JS(script),
		Title: words(o.Title), Verdict: verdict(r), Name: subjectName(r), Subject: o.Subject, Since: o.Since, Reasons: o.Reasons[:len(r.Verdict.Reasons)], // the others stand beside the titles
		Again: escape.Visible(o.Again), Promise: o.Promise, Check: o.Check, IDs: identities(r),
	}
	for _, part := range o.Sections {
		v.Sections = append(v.Sections, s.section(part, rank))
	}
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, "page", v); err != nil && s.err == nil {
		s.err = fmt.Errorf("html: %w", err)
	}
	return b.Bytes()
}

// verdict is the outcome, or "neutral" where nobody said what must hold: a green
// tick would promise what was not demanded.
func verdict(r *report.Report) string {
	if r.Verdict.Outcome == report.Pass && len(r.Provenance.Config.FailOn) == 0 {
		return "neutral"
	}
	return string(r.Verdict.Outcome)
}

func (s *sheet) section(o outline.Section, rank int) section {
	out := section{Name: o.Name, Title: o.Title, Found: o.Found, State: o.State}
	if o.Name != "coverage" { // which lists all of them
		for _, c := range s.report.Caveats {
			if c.Section == o.Name {
				out.Caveats = append(out.Caveats, c)
			}
		}
	}
	if o.Diagram != nil && o.Diagram.Rank < rank {
		out.Diagram = s.small
		if rank == s.outline.Ranks {
			out.Diagram = s.whole
		}
	}
	blocks := o.Blocks
	if o.Glance != nil {
		blocks = append([]outline.Block{*o.Glance}, blocks...)
	}
	for _, b := range blocks {
		part := s.block(b, rank)
		if o.Name == "breaks" && b.Title == "" {
			part.Fold = false // what is broken stands open
		}
		part.Label = strings.TrimSuffix(o.Title+": "+b.Title, ": ")
		out.Blocks = append(out.Blocks, part)
	}
	return out
}

func (s *sheet) block(b outline.Block, rank int) block {
	rows, things := b.Shown(rank)
	out := block{Table: b.Layout == outline.Table, Commands: b.Layout == outline.Commands, Title: b.Title, Columns: b.Columns,
		Shown: b.Note(rank), Count: outline.Count(b.Total, b.Noun)}
	if things == 0 {
		out.Count = ""
	}
	out.Fold = len(rows) > openRows
	for _, row := range rows {
		text := s.rows[&row.Cells[0]]
		head := row.Level == 0 && (!out.Table || len(row.Cells) == 1)
		if head {
			out.Groups = append(out.Groups, group{Head: text})
			continue
		}
		if len(out.Groups) == 0 {
			out.Groups = append(out.Groups, group{})
		}
		last := &out.Groups[len(out.Groups)-1]
		last.Rows = append(last.Rows, text)
	}
	return out
}

// pieces cuts a qualified name where a line may end.
func pieces(name string) []string { return cut(name, "/.") }

// steps cuts a path where a line may end.
func steps(path string) []string { return cut(path, "/") }

// cut cuts a name after every one of the given characters.
func cut(name, after string) []string {
	s := escape.Name(escape.Shorten(escape.Visible(name), widestName))
	var out []string
	for {
		i := strings.IndexAny(s, after)
		if i < 0 || i+1 == len(s) {
			return append(out, s)
		}
		out, s = append(out, s[:i+1]), s[i+1:]
	}
}

// words is a sentence that may quote a name.
func words(s string) string { return escape.Shorten(escape.Visible(s), widestWord) }

// subjectName names what was reviewed as a title does.
func subjectName(r *report.Report) string {
	s := r.Subject
	name := asked(s.Base) + "..." + asked(s.Head)
	if s.PullRequest != 0 {
		name = "pull request " + strconv.Itoa(s.PullRequest)
	}
	if s.Repository != "" {
		name = s.Repository + ", " + name
	}
	return words(name)
}

// asked is a revision as it was asked for, without most of a commit's digits.
func asked(r report.Revision) string {
	if r.Ref == r.Commit {
		return outline.Short(r.Commit)
	}
	return r.Ref
}

// identities are the full names of what was compared and of what compared it.
func identities(r *report.Report) []identity {
	s, p := r.Subject, r.Provenance
	return []identity{
		{"Base commit", s.Base.Commit}, {"Merge base", s.MergeBase}, {"Head commit", s.Head.Commit}, {"Head tree", s.Head.Tree},
		{"Graph of the merge base", p.Graphs.Base.Digest}, {"Graph of the head", p.Graphs.Head.Digest},
		{"Inputs", p.InputsDigest}, {"Engine", p.EngineDigest}, {"Configuration", p.ConfigDigest},
	}
}
