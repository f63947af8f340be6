// Package outline puts a report into the order in which people read it.
//
// Input is a [report.Report] and limits; output is an [Outline]: sections of
// rows, each row with a rank. A reporter draws the rows whose rank is below a
// number that it chooses, so "what is dropped first" is decided here once for
// all of them, and a budget is one number. The outline holds text as the report
// has it: escaping, colour and width belong to the reporter.
//
// The order is that of a review: what is broken, what can be reached, what to
// run, what became of the surface, and what was not seen. Within it nothing of
// the report is judged again: rows keep the report's order, but that removed
// symbols come first.
package outline

import (
	"math"
	"slices"

	"github.com/previdence/previdence/review/report"
)

// Always is the rank of a row that is never left out.
const Always = -1

// never is the rank of a row beyond the limits.
const never = math.MaxInt

// Limits say how many rows of a block are shown at most, in rounds: 10, 40
// means that the tenth row of every block comes before the eleventh of any, and
// that no block has more than 40.
type Limits []int

// An Outline is a report in reading order.
type Outline struct {
	Outcome  report.Outcome
	Title    string // see [Title]
	Subject  Cell   // what was reviewed, in one line
	Since    Cell   // what changed since an earlier report, in one line; empty without one
	Reasons  []Reason
	Sections []Section
	Again    string // the command that makes the report again, or a whole one
	Promise  string // what that command gives
	Check    []Row  // what it must agree with
	Ranks    int    // all ranks are below this, but for Never
}

// A Reason is one cause of the verdict, or of what several sections did not see.
type Reason struct {
	Rule  string
	Text  string
	Fails bool
}

// A Section is one part of the report.
type Section struct {
	Name     string // as in the report: "breaks"
	Title    string // "Broken references"
	Headline Cell   // what it holds, in one clause; the whole story if there are no blocks
	Found    Cell   // the headline without how much was seen
	Diagram  *Diagram
	Glance   *Block // its shape, to be seen before anything is unfolded
	Blocks   []Block
	State    report.Section // how much it saw
	negative bool           // the headline says that nothing is there
}

// Line returns the cells of a table's row as one.
func (b *Block) Line(r Row) Cell {
	if len(r.Cells) == 1 {
		return r.Cells[0]
	}
	var line Cell
	for i, c := range r.Cells {
		if len(c) == 0 || b.Columns[i].Aside {
			continue
		}
		line = append(line, Part{Word, b.Columns[i].Lead})
		line = append(line, c...)
		line = append(line, Part{Word, b.Columns[i].Tail})
	}
	return line
}

// A Layout says how the rows of a block stand.
type Layout uint8

// The layouts. The zero value is invalid.
const (
	List     Layout = iota + 1 // one cell per row
	Table                      // one cell per column
	Commands                   // one command line per row, to be copied
)

// A Block is one list or table of a section.
type Block struct {
	Layout  Layout
	Title   string   // "" if the section's title says it
	Columns []Column // of a table
	Rows    []Row    // within the limits
	Most    int      // rows that say enough, however much room there is; 0 means no such limit
	Total   int      // things that the rows are taken from
	Noun    string   // what these things are: "reference"
}

// A Column is one column of a table. With Lead before its cells and Tail after
// them, a row also reads as a line, where there is no room for columns.
type Column struct {
	Title, Lead, Tail string
	Aside             bool // it is left out of a line
}

// A Row is one line of a block. A row of one cell in a table is no row of it,
// but the head of those below.
type Row struct {
	Level int    // 0, or 1 if it belongs to the row of level 0 above it
	Key   string // the thing that it counts as; "" if it counts as none
	Rank  int
	Cells []Cell
}

// A Cell is a run of words and names.
type Cell []Part

// A Style says what a part is.
type Style uint8

// The styles. The zero value is invalid.
const (
	Word   Style = iota + 1 // prose, possibly with names in it
	Strong                  // prose that stands out
	Name                    // a symbol, signature or other code
	Place                   // a path, with a line if there is one
)

// A Part is a piece of a cell.
type Part struct {
	Style Style
	Text  string
}

// A Diagram is the blast radius as boxes and arrows.
type Diagram struct {
	Boxes  []Box
	Arrows []Arrow
	Total  int // boxes that a whole diagram would have
	Rank   int
}

// A Box is one symbol of a diagram.
type Box struct {
	Name    string
	Changed bool
	Test    bool
}

// An Arrow says that one box refers to another. Both are indexes into
// [Diagram.Boxes].
type Arrow struct {
	From, To int
	Kind     string
}

// New puts a report in order.
func New(r *report.Report, limits Limits) *Outline { return ordered(r, limits, false) }

// Whole is [New] for a page whose rows are folded and sorted rather than read
// from the first to the last: no block ends where it says enough.
func Whole(r *report.Report, limits Limits) *Outline { return ordered(r, limits, true) }

func ordered(r *report.Report, limits Limits, whole bool) *Outline {
	n := index(r)
	o := &Outline{
		Outcome: r.Verdict.Outcome,
		Title:   Title(r),
		Subject: subject(r),
		Since:   since(r, n),
		Reasons: reasons(r),
		Sections: slices.Concat([]Section{
			breaks(r), impact(r, n), tests(r, n), api(r, n), contracts(r), dependencies(r, n), groups(r, n), documents(r, n),
			decisions(r, n), owners(r), history(r),
		}, overlap(r, n), []Section{changes(r), coverage(r)}),
		Again: again(r), Promise: promise(r),
		Check: check(r),
	}
	o.seen()
	o.gather()
	if whole {
		for _, b := range o.blocks() {
			b.Most = 0
		}
	}
	o.rank(limits)
	return o
}

// Shown returns the rows of a block that have a rank below rank, and how many
// different things they show.
func (b *Block) Shown(rank int) (rows []Row, things int) {
	seen := map[string]bool{}
	for _, row := range b.Rows {
		if row.Rank >= rank {
			continue
		}
		if n := len(rows); n > 0 && row.Level == 0 && b.heads(rows[n-1]) {
			rows = rows[:n-1]
		}
		rows = append(rows, row)
		if row.Key != "" {
			seen[row.Key] = true
		}
	}
	if n := len(rows); n > 0 && b.heads(rows[n-1]) {
		rows = rows[:n-1]
	}
	return rows, len(seen)
}

// heads reports whether a row says nothing without those below it: the head of
// a part of a table.
func (b *Block) heads(r Row) bool { return b.Layout == Table && len(r.Cells) == 1 }

// rank numbers the rows: those of the first round, then the diagrams, then
// those of the other rounds, each in the order of sections. Dropping from the
// end therefore takes the lowest rows of the last section first.
func (o *Outline) rank(limits Limits) {
	var orders [][]*Row
	blocks := o.blocks()
	for _, b := range blocks {
		order := preference(b.Rows)
		if b.Most > 0 {
			order = order[:min(len(order), b.Most)]
		}
		orders = append(orders, order)
	}
	next, from := 0, 0
	for _, to := range limits {
		for _, order := range orders {
			for i := min(from, len(order)); i < min(to, len(order)); i++ {
				order[i].Rank = next
				next++
			}
		}
		for i := range o.Sections {
			if d := o.Sections[i].Diagram; d != nil && from == 0 {
				d.Rank = next
				next++
			}
		}
		from = to
	}
	o.Ranks = next
	for _, b := range blocks {
		b.Rows = slices.DeleteFunc(b.Rows, func(r Row) bool { return r.Rank == never })
	}
}

// blocks lists all blocks in reading order.
func (o *Outline) blocks() []*Block {
	var list []*Block
	for i := range o.Sections {
		s := &o.Sections[i]
		if s.Glance != nil {
			list = append(list, s.Glance)
		}
		for j := range s.Blocks {
			list = append(list, &s.Blocks[j])
		}
	}
	return list
}

// preference returns the rows that may be dropped, the best first: of every
// group its head and three rows, then of every group up to ten, then the rest.
// All start beyond the limits. A head precedes its rows, so none is shown without it.
func preference(rows []Row) []*Row {
	var rounds [3][]*Row
	nth, headless := 0, false
	for i := range rows {
		row := &rows[i]
		if row.Level == 0 {
			nth, headless = 0, row.Rank == Always
		} else {
			nth++
		}
		if row.Rank == Always {
			continue
		}
		row.Rank = never
		round := 0
		switch {
		case row.Level == 0:
		case nth > 10:
			round = 2
		case nth > 3 || headless:
			round = 1
		}
		rounds[round] = append(rounds[round], row)
	}
	return append(append(rounds[0], rounds[1]...), rounds[2]...)
}
