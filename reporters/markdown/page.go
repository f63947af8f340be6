package markdown

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/outline"
)

// The widest that a part of a row gets, in cells. Hostile names are long.
const (
	widestName  = 200
	widestPlace = 160
	widestWord  = 400
)

// openRows is how many rows of a block of the first section stand outside a
// fold: few if a title says that they are not the main ones.
func openRows(b outline.Block) int {
	if b.Title == "" {
		return 20
	}
	return 6
}

// A page is a comment while it is written.
type page struct {
	bytes.Buffer
	rank int
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(&p.Buffer, format, args...) }

// head writes the title, the subject and the reasons.
func (p *page) head(o *outline.Outline) {
	p.printf("### previdence: %s\n\n", words(o.Title))
	p.printf("%s\n", inline(o.Subject))
	if len(o.Since) > 0 {
		p.printf("\n%s\n", inline(o.Since))
	}
	if len(o.Reasons) > 0 {
		p.printf("\n")
	}
	for _, r := range o.Reasons {
		verb := "note"
		if r.Fails {
			verb = "fails"
		}
		p.printf("- <b>%s</b> %s: %s\n", verb, words(r.Rule), words(r.Text))
	}
}

// open writes a section that is not folded. Rows beyond the first few are.
func (p *page) open(s outline.Section) {
	p.printf("\n#### %s: %s\n", words(s.Title), inline(s.Headline))
	for _, b := range s.Blocks {
		rows, _ := b.Shown(p.rank)
		first, rest := split(rows, openRows(b))
		p.subtitle(b)
		p.block(b, first)
		if len(rest) > 0 {
			p.unfold("More of them")
			p.block(b, rest)
			p.fold()
		}
		p.note(b)
	}
}

// split takes n rows or a few more to stand open, so that every group is seen: of
// each its head and three rows, or as many as there is room for. What goes on
// with a group repeats its head.
func split(rows []outline.Row, n int) (first, rest []outline.Row) {
	if len(rows) <= n {
		return rows, nil
	}
	groups := grouped(rows)
	most := 1 + max(3, n/len(groups)-1)
	for _, g := range groups {
		switch {
		case len(first) >= n:
			rest = append(rest, g...)
		case len(g) <= most:
			first = append(first, g...)
		default:
			first = append(first, g[:most]...)
			rest = append(append(rest, g[0]), g[most:]...)
		}
	}
	return first, rest
}

// grouped cuts rows before each of level 0.
func grouped(rows []outline.Row) (groups [][]outline.Row) {
	from := 0
	for i := range rows {
		if i > 0 && rows[i].Level == 0 {
			groups = append(groups, rows[from:i])
			from = i
		}
	}
	return append(groups, rows[from:])
}

// glance writes what is to be seen of a folded section before it is unfolded,
// and reports whether there is anything. Its rows are lines: a table with long
// paths is wider than a comment, and hides its last columns.
func (p *page) glance(s outline.Section) bool {
	if s.Glance == nil {
		return false
	}
	p.printf("\n<b>%s</b>: %s\n", words(s.Title), inline(s.Headline))
	rows, _ := s.Glance.Shown(p.rank)
	if len(rows) > 0 {
		p.printf("\n")
	}
	for _, r := range rows {
		p.printf("- %s\n", inline(s.Glance.Line(r)))
	}
	p.note(*s.Glance)
	return true
}

func (p *page) folded(s outline.Section) {
	if p.glance(s) {
		p.unfold("<b>" + words(s.Title) + "</b>: the graph, and who stands in it")
	} else {
		p.unfold("<b>" + words(s.Title) + "</b>: " + cell(s.Headline))
	}
	if s.Diagram != nil && s.Diagram.Rank < p.rank {
		p.diagram(s.Diagram)
	}
	for _, b := range s.Blocks {
		rows, _ := b.Shown(p.rank)
		p.subtitle(b)
		p.block(b, rows)
		p.note(b)
	}
	p.fold()
}

func (p *page) subtitle(b outline.Block) {
	if b.Title != "" {
		p.printf("\n<b>%s</b>\n", words(b.Title))
	}
}

// unfold opens a details element. The empty line after it turns Markdown on.
func (p *page) unfold(summary string) { p.printf("\n<details>\n<summary>%s</summary>\n", summary) }

func (p *page) fold() { p.printf("\n</details>\n") }

// note says how much of a block is shown, if it is not all.
func (p *page) note(b outline.Block) {
	if note := b.Note(p.rank); note != "" {
		p.printf("\n%s\n", words(note))
	}
}

func (p *page) block(b outline.Block, rows []outline.Row) {
	if len(rows) == 0 {
		return
	}
	p.printf("\n")
	switch b.Layout {
	case outline.Table:
		p.tables(b.Columns, rows)
	case outline.Commands:
		var lines []string
		for _, r := range rows {
			lines = append(lines, r.Cells[0][0].Text)
		}
		p.commands(lines)
	default:
		for _, r := range rows {
			p.printf("%s- %s\n", strings.Repeat("  ", r.Level), inline(r.Cells[0]))
		}
	}
}

// tables writes one table, or one for each group under the group's head.
func (p *page) tables(columns []outline.Column, rows []outline.Row) {
	open := false
	for i, r := range rows {
		if len(r.Cells) == 1 {
			if i > 0 {
				p.printf("\n")
			}
			p.printf("%s\n\n", inline(r.Cells[0]))
			open = false
			continue
		}
		if !open {
			p.columns(columns)
			open = true
		}
		p.printf("|")
		for _, c := range r.Cells {
			p.printf(" %s |", cell(c))
		}
		p.printf("\n")
	}
}

func (p *page) columns(columns []outline.Column) {
	p.printf("|")
	for _, c := range columns {
		p.printf(" %s |", c.Title)
	}
	p.printf("\n|%s\n", strings.Repeat(" --- |", len(columns)))
}

// commands are shown to the letter, or they could not be run. Mentions and
// links are not looked for in a fenced block.
func (p *page) commands(lines []string) {
	for i, l := range lines {
		lines[i] = escape.Visible(l)
	}
	text := strings.Join(lines, "\n")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	p.printf("%ssh\n%s\n%s\n", fence, text, fence)
}

// nothing names the sections that have no rows, each in half a line.
func (p *page) nothing(sections []outline.Section) {
	for i, s := range sections {
		sep := " · "
		if i == 0 {
			sep = "\n"
		}
		p.printf("%s<b>%s</b>: %s", sep, words(s.Title), inline(s.Headline))
	}
	if len(sections) > 0 {
		p.printf("\n")
	}
}

func (p *page) check(o *outline.Outline) {
	p.unfold("<b>How to check this report</b>")
	p.printf("\n%s\n\n", words(o.Promise))
	p.commands([]string{o.Again})
	p.printf("\n")
	for _, r := range o.Check {
		p.printf("- %s\n", inline(r.Cells[0]))
	}
	p.fold()
}

// diagram writes the blast radius as a Mermaid flow chart. Changed symbols have
// a thick border, tests round ends, dispatch a dotted arrow.
func (p *page) diagram(d *outline.Diagram) {
	p.printf("\n```mermaid\nflowchart LR\n")
	for i, b := range d.Boxes {
		label := escape.Mermaid(escape.Shorten(escape.Visible(b.Name), 40))
		shape := "  n%d[\"%s\"]\n"
		if b.Test {
			shape = "  n%d([\"%s\"])\n"
		}
		p.printf(shape, i, label)
		if b.Changed {
			p.printf("  style n%d stroke-width:4px\n", i)
		}
	}
	for _, a := range d.Arrows {
		arrow := "-->"
		if a.Kind == "dispatch" {
			arrow = "-.->"
		}
		p.printf("  n%d %s n%d\n", a.From, arrow, a.To)
	}
	p.printf("```\n")
	if len(d.Boxes) < d.Total {
		p.printf("\n%s of %s shown in the graph\n", outline.Number(len(d.Boxes)), outline.Count(d.Total, "symbol"))
	}
}

func words(s string) string {
	return escape.Text(escape.Shorten(escape.Visible(s), widestWord))
}

// inline writes a cell for lists and paragraphs, with code spans.
func inline(c outline.Cell) string { return render(c, escape.Code) }

// cell writes a cell for a table, where a code span is not safe.
func cell(c outline.Cell) string { return render(c, escape.HTMLCode) }

func render(c outline.Cell, code func(string) string) string {
	var b strings.Builder
	for _, part := range c {
		switch part.Style {
		case outline.Strong:
			b.WriteString("<b>" + words(part.Text) + "</b>")
		case outline.Name:
			b.WriteString(code(escape.Shorten(escape.Visible(part.Text), widestName)))
		case outline.Place:
			b.WriteString(code(escape.Shorten(escape.Visible(part.Text), widestPlace)))
		default:
			b.WriteString(words(part.Text))
		}
	}
	return b.String()
}
