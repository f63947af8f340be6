package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/outline"
)

// table writes rows in columns under their titles, and reports whether there
// was room for all of their text. If there was not, it wrote nothing. Rows of
// one cell head a group: the others stand further in.
func (s *screen) table(indent int, columns []outline.Column, rows []outline.Row) bool {
	deeper := 0
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = len(c.Title)
	}
	for _, r := range rows {
		if len(r.Cells) == 1 {
			deeper = 2
			continue
		}
		for i, c := range r.Cells {
			widths[i] = max(widths[i], ansi.StringWidth(plain(c)))
		}
	}
	total := indent + deeper + 2*(len(widths)-1)
	for _, w := range widths {
		total += w
	}
	if total > s.width || len(rows) == 0 {
		return false
	}
	titles := make([]outline.Cell, len(columns))
	for i, c := range columns {
		titles[i] = outline.Cell{{Style: outline.Word, Text: c.Title}}
	}
	s.cells(indent+deeper, widths, titles)
	for _, r := range rows {
		if len(r.Cells) == 1 {
			s.line(indent, s.flow(r.Cells[0]))
		} else {
			s.cells(indent+deeper, widths, r.Cells)
		}
	}
	return true
}

// cells writes one row.
func (s *screen) cells(indent int, widths []int, cells []outline.Cell) {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", indent))
	pad := 0
	for i, c := range cells {
		b.WriteString(strings.Repeat(" ", pad))
		for _, part := range c {
			b.WriteString(s.paint(part.Style, partText(part)))
		}
		pad = widths[i] - ansi.StringWidth(plain(c)) + 2
	}
	s.WriteString(strings.TrimRight(b.String(), " ") + "\n")
}

// plain is a cell without style.
func plain(c outline.Cell) string {
	var b strings.Builder
	for _, part := range c {
		b.WriteString(partText(part))
	}
	return b.String()
}

func partText(p outline.Part) string {
	if p.Style == outline.Name || p.Style == outline.Place {
		return escape.Quoted(p.Text)
	}
	return escape.Visible(p.Text)
}
