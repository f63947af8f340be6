package terminal

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/report"
)

// A screen is a report while it is written.
type screen struct {
	bytes.Buffer
	width int
	style termenv.Profile
	rank  int
}

// palette never asks the environment, as termenv would by itself: the caller
// knows about NO_COLOR and pipes.
func palette(color bool) termenv.Profile {
	if color {
		return termenv.ANSI
	}
	return termenv.Ascii
}

// A word is what a line is never broken inside.
type word struct {
	text  string // escaped, without style
	shown string // with style
	glued bool   // no space before it
}

func (s *screen) bold(text string) string { return s.style.String(text).Bold().String() }

func (s *screen) paint(style outline.Style, text string) string {
	switch style {
	case outline.Strong:
		return s.bold(text)
	case outline.Name:
		return s.style.String(text).Foreground(termenv.ANSICyan).String()
	default:
		return text
	}
}

// outcome is the verdict as one loud word.
func (s *screen) outcome(o report.Outcome) string {
	text := strings.ToUpper(escape.Visible(string(o)))
	color := termenv.ANSIYellow
	switch o {
	case report.Pass:
		color = termenv.ANSIGreen
	case report.Fail:
		color = termenv.ANSIRed
	}
	return s.style.String(text).Bold().Foreground(color).String()
}

func (s *screen) head(o *outline.Outline) {
	loud := s.outcome(o.Outcome)
	indent := ansi.StringWidth(loud) + 2
	first := []word{{text: escape.Visible(string(o.Outcome)), shown: loud}, {}}
	s.line(0, indent, append(first, s.flow(o.Subject)...))
	for _, r := range o.Reasons {
		verb := "note"
		if r.Fails {
			verb = "fails"
		}
		cell := outline.Cell{{Style: outline.Strong, Text: verb}, {Style: outline.Word, Text: " " + r.Rule + ": " + r.Text}}
		s.line(0, 6, s.flow(cell))
	}
}

// glance writes one line per section.
func (s *screen) glance(sections []outline.Section) {
	widest := 0
	for _, x := range sections {
		widest = max(widest, len(x.Title))
	}
	s.WriteByte('\n')
	for _, x := range sections {
		pad := strings.Repeat(" ", widest-len(x.Title))
		first := word{text: x.Title + pad, shown: s.bold(x.Title) + pad}
		s.line(0, widest+2, append([]word{first, {}}, s.flow(outline.Cell{{Style: outline.Word, Text: x.Headline}})...))
	}
}

func (s *screen) title(text string) {
	s.WriteByte('\n')
	s.WriteString(s.bold(strings.ToUpper(text)))
	s.WriteByte('\n')
}

// section writes the rows of a section. One without rows has said all it has to
// say at a glance.
func (s *screen) section(x outline.Section) {
	if len(x.Blocks) == 0 {
		return
	}
	s.title(x.Title)
	for _, b := range x.Blocks {
		rows, _ := b.Shown(s.rank)
		if b.Title != "" {
			s.line(2, 2, s.flow(outline.Cell{{Style: outline.Strong, Text: b.Title}}))
		}
		switch {
		case b.Layout == outline.Commands:
			s.commands(rows)
		case b.Layout == outline.Table && len(rows) > 0:
			s.table(b.Columns, rows)
		default:
			for _, r := range rows {
				indent := 2 + 2*r.Level
				s.line(indent, indent+2, s.flow(r.Cells[0]))
			}
		}
		if note := b.Note(s.rank); note != "" {
			s.line(2, 2, s.flow(outline.Cell{{Style: outline.Word, Text: note}}))
		}
	}
}

// commands are written on one line each, however long, so that they can be
// copied.
func (s *screen) commands(rows []outline.Row) {
	for _, r := range rows {
		s.WriteString("  $ " + escape.Visible(r.Cells[0][0].Text) + "\n")
	}
}

// flow splits a cell into words. Names and places stay whole; those that are
// wider than half a line are cut in the middle.
func (s *screen) flow(c outline.Cell) []word {
	var words []word
	glued := true
	for _, part := range c {
		if part.Style == outline.Name || part.Style == outline.Place {
			text := escape.Shorten(escape.Quoted(part.Text), s.widest(part.Style))
			words = append(words, word{text, s.paint(part.Style, text), glued})
			glued = true
			continue
		}
		text := escape.Visible(part.Text)
		glued = glued && !strings.HasPrefix(text, " ")
		for _, f := range strings.Fields(text) {
			f = escape.Shorten(f, s.width-10)
			words = append(words, word{f, s.paint(part.Style, f), glued})
			glued = false
		}
		glued = !strings.HasSuffix(text, " ")
	}
	return words
}

// widest is how wide one name may be. A signature is read, a path is looked up.
func (s *screen) widest(style outline.Style) int {
	if style == outline.Place {
		return max(s.width/2, 30)
	}
	return s.width - 10
}

// line writes words from column indent on, and goes on at column hang where
// they do not fit. An empty word is one more space.
func (s *screen) line(indent, hang int, words []word) {
	s.WriteString(strings.Repeat(" ", indent))
	at, start := indent, indent
	for i, w := range words {
		gap := 1
		if w.glued || i == 0 {
			gap = 0
		}
		width := ansi.StringWidth(w.text)
		if at > start && at+gap+width > s.width && !w.glued {
			s.WriteByte('\n')
			s.WriteString(strings.Repeat(" ", hang))
			at, start, gap = hang, hang, 0
		}
		s.WriteString(strings.Repeat(" ", gap))
		s.WriteString(w.shown)
		at += gap + width
	}
	s.WriteByte('\n')
}
