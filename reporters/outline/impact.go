package outline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/review/report"
)

// impact lists who can reach each changed symbol, nearest first.
func impact(r *report.Report, n map[string]symbol) Section {
	s := section(r, "impact", "Blast radius", extent(r), "nothing found that reaches the change",
		dependents(r, n), entryPoints(r.Impact.EntryPoints), unreached(r, n))
	if g := shape(r, n); len(g.Rows) > 0 {
		s.Glance = &g
	}
	s.Diagram = diagram(r, n)
	return s
}

// extent says how much is reached, from how far and by which ways in.
func extent(r *report.Report) Cell {
	i := &r.Impact
	if i.Total == 0 {
		return nil
	}
	of := few(i.Tests, " of them tests")
	if of != "" {
		of = " (" + of + ")"
	}
	found := said(sum(Count(i.Total, "symbol")+" within "+Count(i.Depth, "edge")+of, waysIn(i.EntryPoints)))
	var ways []string
	for _, e := range fromOutside(i.EntryPoints) {
		if e.Kind != "main" { // whose name says nothing
			ways = append(ways, e.Name)
		}
	}
	return leading(found, ways, 3)
}

// waysIn counts entry points by what they are, in the order of the report.
func waysIn(list []report.EntryPoint) string {
	count := map[string]int{}
	var kinds []string
	for _, e := range list {
		if count[e.Kind] == 0 {
			kinds = append(kinds, e.Kind)
		}
		count[e.Kind]++
	}
	var clauses []string
	for _, k := range kinds {
		clauses = append(clauses, Count(count[k], wayIn(k)))
	}
	return sum(clauses...)
}

// wayIn names a kind of entry point so that it can be counted.
func wayIn(kind string) string {
	switch kind {
	case "main":
		return "main function"
	case "cli_command":
		return "command"
	case "http_route":
		return "HTTP route"
	case "exported_api":
		return "exported function"
	}
	return spaced(kind)
}

// shape is one row for each changed symbol that is reached: by how many. What
// changed in the files of tests comes in only if nothing else did.
func shape(r *report.Report, n map[string]symbol) Block {
	b := Block{Layout: Table, Noun: "changed symbol", Most: 6,
		Columns: []Column{{Title: "Changed"}, {Title: "Where", Lead: " at "}, {Title: "Reached by", Lead: ": reached by "},
			{Title: "Directly", Lead: ", ", Tail: " directly"}, {Title: "Tests", Lead: ", ", Tail: " of them tests"}, {Title: "At distance 1, 2, …", Aside: true}}}
	inTests := map[string]bool{}
	for _, f := range r.Changes.Files {
		inTests[f.Path] = f.Kind == "test"
	}
	var ofTests []Row
	for _, s := range r.Impact.Symbols {
		if s.Total == 0 {
			continue
		}
		b.Total++
		at := lookup(n, s.Symbol)
		direct := 0
		if len(s.ByDistance) > 0 {
			direct = s.ByDistance[0]
		}
		row := Row{Key: s.Symbol, Cells: []Cell{
			{strong(Verb(s.Change)), word(" "), name(s.Name)}, {place(at.path, at.line)}, {word("%s", Number(s.Total))},
			said(few(direct, "")), said(few(s.Tests, "")), {word("%s", steps(s.ByDistance))}}}
		if inTests[at.path] {
			ofTests = append(ofTests, row)
		} else {
			b.Rows = append(b.Rows, row)
		}
	}
	if len(b.Rows) == 0 {
		b.Rows = ofTests
	}
	return b
}

// steps writes counts by distance: "3, 12".
func steps(counts []int) string {
	at := make([]string, len(counts))
	for i, c := range counts {
		at[i] = Number(c)
	}
	return strings.Join(at, ", ")
}

// dependents lists under each changed symbol who can reach it. A symbol that
// reaches several changes stands below the first.
func dependents(r *report.Report, n map[string]symbol) Block {
	b := Block{Layout: Table, Title: "Who reaches it", Noun: "symbol", Total: r.Impact.Total,
		Columns: []Column{{Title: "Distance"}, {Title: "Symbol", Lead: " "}, {Title: "Where", Lead: " at "},
			{Title: "Edge", Lead: " ("}, {Title: "Tier", Lead: ", ", Tail: ")"}, {Title: "Through", Lead: " through "}}}
	listed := map[string]bool{}
	for _, s := range r.Impact.Symbols {
		var rows []Row
		for _, d := range s.Dependents {
			if !listed[d.Symbol] {
				listed[d.Symbol] = true
				rows = append(rows, dependent(d, n))
			}
		}
		if len(rows) == 0 {
			continue
		}
		head := Cell{strong(Verb(s.Change)), word(" "), name(s.Name), word(": %s reach it", Number(s.Total))}
		if above := len(s.Dependents) - len(rows); above > 0 {
			head = append(head, word(", %s listed above", Number(above)))
		}
		b.Rows = append(append(b.Rows, Row{Cells: []Cell{head}}), rows...)
	}
	return b
}

func dependent(d report.Dependent, n map[string]symbol) Row {
	line := d.Site
	if line == 0 {
		line = d.Line
	}
	who := Cell{name(d.Name)}
	switch {
	case d.Test:
		who = Cell{word("test "), name(d.Name)}
	case d.Name == d.Path: // what stands at file level: the path says it
		who = Cell{word("module")}
	}
	return Row{Level: 1, Key: d.Symbol, Cells: []Cell{
		{word("%d", d.Distance)}, who, {place(d.Path, line)}, {word("%s", spaced(d.Kind))}, {word("%s", d.Tier)},
		names(named(n, d.PathThrough), 2),
	}}
}

// fromOutside puts a changed symbol that is an entry point itself last: the
// changes name it already.
func fromOutside(list []report.EntryPoint) []report.EntryPoint {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, c report.EntryPoint) int { return cmp.Compare(changedExport(a), changedExport(c)) })
	return list
}

// entryPoints lists the ways in.
func entryPoints(list []report.EntryPoint) Block {
	b := Block{Layout: List, Title: "Ways in from outside that reach the change", Noun: "entry point", Most: 12, Total: len(list)}
	for i, e := range fromOutside(list) {
		c := Cell{word("%s ", wayIn(e.Kind)), name(e.Name)}
		if e.As != "" {
			c = append(c, word(" as "), name(e.As))
		}
		c = append(c, word(" at "), place(e.Path, e.Line))
		if e.Distance == 0 {
			c = append(c, word(", changed itself"))
		} else {
			c = append(c, word(", distance %d", e.Distance))
		}
		b.Rows = append(b.Rows, Row{Key: strconv.Itoa(i), Cells: []Cell{c}})
	}
	return b
}

func changedExport(e report.EntryPoint) int {
	if e.Kind == "exported_api" && e.Distance == 0 {
		return 1
	}
	return 0
}

// unreached lists the changed symbols that nothing was found to reach, those
// first of which the text says otherwise, and of these the ones with few
// mentions: a common word stands everywhere.
func unreached(r *report.Report, n map[string]symbol) Block {
	b := Block{Layout: List, Title: "Nothing found that refers to", Noun: "changed symbol", Most: 15}
	var list []report.SymbolImpact
	for _, s := range r.Impact.Symbols {
		if s.Total == 0 {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, c report.SymbolImpact) int {
		return cmp.Or(cmp.Compare(doubt(a.Check), doubt(c.Check)), cmp.Compare(mentions(a.Check), mentions(c.Check)))
	})
	b.Total = len(list)
	for _, s := range list {
		at := lookup(n, s.Symbol)
		claim := Cell{name(s.Name), word(" at "), place(at.path, at.line), word(" (%s)", Verb(s.Change))}
		b.Rows = withCheck(b.Rows, s.Symbol, claim, s.Check)
	}
	return b
}
