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
	text  string // escaped
	style outline.Style
	glued bool // no space before it
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
	text := escape.Visible(string(o.Outcome))
	s.label(s.outcome(o.Outcome), text, ansi.StringWidth(text)+2)
	s.wrap(ansi.StringWidth(text)+2, ansi.StringWidth(text)+2, s.flow(o.Subject))
	if len(o.Since) > 0 {
		s.line(0, s.flow(o.Since))
	}
	for _, r := range o.Reasons {
		verb := "note"
		if r.Fails {
			verb = "fails"
		}
		s.label(s.bold(verb), verb, 7)
		s.wrap(7, 7, s.words(r.Rule+": "+r.Text))
	}
}

// glance writes one line per section.
func (s *screen) glance(sections []outline.Section) {
	widest := 0
	for _, x := range sections {
		widest = max(widest, len(x.Title)+2)
	}
	s.WriteByte('\n')
	for _, x := range sections {
		s.label(s.bold(x.Title), x.Title, widest)
		s.wrap(widest, widest, s.flow(x.Headline))
	}
}

// label writes text, whose styled form is shown, and goes to column to.
func (s *screen) label(shown, text string, to int) {
	s.WriteString(shown + strings.Repeat(" ", to-ansi.StringWidth(text)))
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
	if x.Glance != nil {
		s.block(*x.Glance)
	}
	for _, b := range x.Blocks {
		s.block(b)
	}
}

// block writes the rows of a block, further in if it has a title.
func (s *screen) block(b outline.Block) {
	rows, _ := b.Shown(s.rank)
	indent := 2
	if b.Title != "" {
		s.line(indent, s.flow(outline.Cell{{Style: outline.Strong, Text: b.Title + ":"}}))
		indent = 4
	}
	switch {
	case b.Layout == outline.Commands:
		for _, r := range rows {
			s.command(indent, r.Cells[0][0].Text)
		}
	case b.Layout == outline.Table && s.table(indent, b.Columns, rows):
	default:
		for _, r := range rows {
			s.line(indent+2*r.Level, s.flow(b.Line(r)))
		}
	}
	if note := b.Note(s.rank); note != "" {
		s.line(indent, s.words(note))
	}
}

// command is written on one line, however long, so that it can be copied.
func (s *screen) command(indent int, text string) {
	s.WriteString(strings.Repeat(" ", indent) + "$ " + escape.Visible(text) + "\n")
}

func (s *screen) check(o *outline.Outline) {
	s.title("How to check this report")
	s.line(2, s.words(o.Promise))
	s.command(2, o.Again)
	for _, row := range o.Check {
		s.line(2, s.flow(row.Cells[0]))
	}
}

func (s *screen) words(text string) []word {
	return s.flow(outline.Cell{{Style: outline.Word, Text: text}})
}

// flow splits a cell into words. Names and places stay whole.
func (s *screen) flow(c outline.Cell) []word {
	var words []word
	glued := true
	for _, part := range c {
		if part.Style == outline.Name || part.Style == outline.Place {
			words = append(words, word{escape.Quoted(part.Text), part.Style, glued})
			glued = true
			continue
		}
		text := escape.Visible(part.Text)
		glued = glued && !strings.HasPrefix(text, " ")
		for _, f := range strings.Fields(text) {
			words = append(words, word{f, part.Style, glued})
			glued = false
		}
		glued = !strings.HasSuffix(text, " ")
	}
	return words
}

// line writes words from column indent on, and goes on further in where they do
// not fit.
func (s *screen) line(indent int, words []word) {
	s.WriteString(strings.Repeat(" ", indent))
	s.wrap(indent, indent+2, words)
}

// wrap writes words from column at on, where the cursor is, and goes on at
// column hang where they do not fit. Words wider than a line are cut in the
// middle, with room left for the comma after them.
func (s *screen) wrap(at, hang int, words []word) {
	start := at
	for i := range words {
		words[i].text = escape.Shorten(words[i].text, s.width-hang-2)
	}
	for i, w := range words {
		gap := 1
		if w.glued || i == 0 {
			gap = 0
		}
		need := gap + ansi.StringWidth(w.text)
		if !w.glued {
			need += glue(words[i+1:])
		}
		if at > start && at+need > s.width {
			s.WriteString("\n" + strings.Repeat(" ", hang))
			at, start, gap = hang, hang, 0
		}
		s.WriteString(strings.Repeat(" ", gap) + s.paint(w.style, w.text))
		at += gap + ansi.StringWidth(w.text)
	}
	s.WriteByte('\n')
}

// glue is the width of the words that stick to the one before them.
func glue(words []word) int {
	width := 0
	for _, w := range words {
		if !w.glued {
			break
		}
		width += ansi.StringWidth(w.text)
	}
	return width
}
