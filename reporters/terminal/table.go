package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/outline"
)

// narrowest is how far a column can be squeezed.
const narrowest = 8

// table writes rows in columns under their heads. A row that heads a group is
// no part of the columns: it runs over the whole line.
func (s *screen) table(columns []string, rows []outline.Row) {
	grouped := false
	for _, r := range rows {
		grouped = grouped || r.Level > 0
	}
	heads := make([]outline.Cell, len(columns))
	for i, c := range columns {
		heads[i] = outline.Cell{{Style: outline.Word, Text: c}}
	}
	indent := 2
	var body [][]outline.Cell
	for _, r := range rows {
		if !grouped || r.Level > 0 {
			body = append(body, r.Cells)
		}
	}
	if grouped {
		indent = 4
	}
	widths := s.widths(append([][]outline.Cell{heads}, body...), s.width-indent)
	s.cells(indent, widths, heads)
	for _, r := range rows {
		if grouped && r.Level == 0 {
			s.line(2, 4, s.flow(joined(r.Cells)))
			continue
		}
		s.cells(indent, widths, r.Cells)
	}
}

// joined makes one cell of those that hold something.
func joined(cells []outline.Cell) outline.Cell {
	var all outline.Cell
	for _, c := range cells {
		if len(c) == 0 {
			continue
		}
		if len(all) > 0 {
			all = append(all, outline.Part{Style: outline.Word, Text: " "})
		}
		all = append(all, c...)
	}
	return all
}

// widths gives every column the room that its widest cell needs, then takes
// from the widest until the line fits.
func (s *screen) widths(rows [][]outline.Cell, room int) []int {
	widths := make([]int, len(rows[0]))
	total := 2 * (len(widths) - 1)
	for i := range widths {
		for _, cells := range rows {
			widths[i] = max(widths[i], ansi.StringWidth(plain(cells[i])))
		}
		total += widths[i]
	}
	for ; total > room; total-- {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= narrowest {
			break
		}
		widths[widest]--
	}
	return widths
}

// cells writes one row, each cell cut in the middle if its column is narrower.
func (s *screen) cells(indent int, widths []int, cells []outline.Cell) {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", indent))
	pad := 0
	for i, c := range cells {
		b.WriteString(strings.Repeat(" ", pad))
		text := plain(c)
		width := ansi.StringWidth(text)
		if width > widths[i] {
			text = escape.Shorten(text, widths[i])
			width = ansi.StringWidth(text)
			b.WriteString(s.paint(c[0].Style, text))
		} else {
			for _, part := range c {
				b.WriteString(s.paint(part.Style, partText(part)))
			}
		}
		pad = widths[i] - width + 2
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
