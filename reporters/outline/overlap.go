package outline

import (
	"strconv"

	"github.com/previdence/previdence/review/report"
)

// overlap lists the other pull requests of the same run that touch the same
// code, with what both meet in. A report made alone has no such section: that
// it was compared with nothing is no finding.
func overlap(r *report.Report, n map[string]symbol) []Section {
	if len(r.Overlap) == 0 {
		return nil
	}
	b := Block{Layout: List, Noun: "place"}
	for i, o := range r.Overlap {
		b.Total += o.Total + len(o.Files)
		b.Rows = append(b.Rows, Row{Cells: []Cell{who(o)}})
		key := strconv.Itoa(i) + " "
		for _, s := range o.Shared {
			b.Rows = append(b.Rows, Row{Level: 1, Key: key + s.Symbol, Cells: []Cell{meeting(s, n)}})
		}
		for _, path := range o.Files {
			b.Rows = append(b.Rows, Row{Level: 1, Key: key + "file " + path, Cells: []Cell{{word("both change the file "), place(path, 0)}}})
		}
	}
	found := Count(len(r.Overlap), "pull request") + " of the same run " + agree(len(r.Overlap), "touches", "touch") + " the same code"
	// Nothing to say of how much was seen: the others are what was asked for.
	return []Section{{Name: "overlap", Title: "Overlap", Headline: said(found), Blocks: []Block{b}, State: report.Section{State: report.Complete}}}
}

// agree picks the form of a verb for n things.
func agree(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// who names the other pull request.
func who(o report.Overlap) Cell {
	c := Cell{name(o.Ref), word(" at "), name(Short(o.Head))}
	if o.PullRequest != 0 {
		c = Cell{strong("pull request " + strconv.Itoa(o.PullRequest)), word(" at "), name(Short(o.Head))}
	}
	return append(c, word(": %s, %s", Count(o.Total, "symbol"), Count(len(o.Files), "file")))
}

// meeting says how both meet in a symbol.
func meeting(s report.SharedSymbol, n map[string]symbol) Cell {
	at := Cell{name(s.Name), word(" at "), place(s.Path, s.Line)}
	to := name(lookup(n, s.RefersTo).name)
	switch s.Sharing {
	case report.BothChange:
		return append(Cell{word("both change ")}, at...)
	case report.OtherChangesDependent:
		return append(append(Cell{word("it changes ")}, at...), word(", which refers to "), to, word(", changed here"))
	}
	return append(append(Cell{word("changed here is ")}, at...), word(", which refers to "), to, word(", changed there"))
}
