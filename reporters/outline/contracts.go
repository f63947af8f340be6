package outline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/review/report"
)

// contracts lists what those outside the code rely on by its name, what breaks
// first. What only adds is counted in the headline and stands last.
func contracts(r *report.Report) Section {
	b := Block{Layout: List, Noun: "contract", Most: 25, Total: r.ContractsTotal()}
	names := map[report.Change][]string{}
	for i, c := range r.Contracts {
		names[c.Change] = append(names[c.Change], c.Name)
		b.Rows = append(b.Rows, Row{Key: strconv.Itoa(i), Cells: []Cell{contractRow(c)}})
	}
	var clauses Cell
	for _, change := range []report.Change{report.Removed, report.Renamed, report.Signature, report.Added} {
		clause := said(few(len(names[change]), " "+contractVerb(change)))
		if change != report.Added {
			clause = leading(clause, names[change], 4)
		}
		if len(clause) > 0 && len(clauses) > 0 {
			clauses = append(clauses, word("; "))
		}
		clauses = append(clauses, clause...)
	}
	if n := b.Total - len(r.Contracts); n > 0 {
		clauses = append(clauses, word("; %s more not listed", Number(n)))
	}
	return section(r, "contracts", "Contracts", clauses, "none touched", b)
}

func contractVerb(c report.Change) string {
	if c == report.Signature {
		return "changed"
	}
	return string(c)
}

func contractRow(c report.Contract) Cell {
	cell := Cell{strong(contractVerb(c.Change)), word(" %s ", spaced(c.Kind))}
	if c.Change == report.Renamed && c.Old != "" {
		cell = append(cell, name(c.Old), word(" → "))
	}
	cell = append(cell, name(c.Name), word(" at "), place(c.Path, c.Line))
	switch {
	case c.Effect == report.Breaking && c.Change != report.Removed && c.Change != report.Renamed:
		cell = append(cell, word(", breaking"))
	case c.Effect == report.UnknownEffect && c.Change != report.Added:
		cell = append(cell, word(", effect unknown"))
	}
	return because(cell, c.Reason)
}

// groups says which changed files form independent changes, and what bridges them.
func groups(r *report.Report, n map[string]symbol) Section {
	g := r.Groups
	b := Block{Layout: List, Noun: "change", Most: 12, Total: max(g.Total, len(g.List))}
	var leads []string
	for i, group := range g.List {
		c := Cell{strong(strconv.Itoa(i + 1)), word(": %s: ", Count(group.Total, "file"))}
		c = append(c, places(group.Files, 6, group.Total)...)
		if len(group.Symbols) > 0 {
			c = append(append(c, word("; changes ")), names(named(n, group.Symbols), 4)...)
		}
		b.Rows = append(b.Rows, Row{Key: strconv.Itoa(i), Cells: []Cell{c}})
		if len(group.Symbols) > 0 {
			leads = append(leads, lookup(n, group.Symbols[0]).name)
		}
	}
	bridges := Block{Layout: List, Noun: "bridge", Title: "Unchanged code that uses several of them", Most: 8, Total: len(g.Bridges)}
	for _, x := range g.Bridges {
		var of []string
		for _, i := range x.Groups {
			of = append(of, strconv.Itoa(i+1))
		}
		bridges.Rows = append(bridges.Rows, Row{Key: x.Symbol, Cells: []Cell{{name(x.Name), word(" at "), place(x.Path, x.Line), word(" uses %s", strings.Join(of, " and "))}}})
	}
	var found Cell
	if len(g.List) > 1 {
		found = leading(said(Number(b.Total)+" parts that nothing known connects"), leads, 3)
		if len(g.Rest) > 0 {
			found = append(found, word("; %s in none of them", Count(len(g.Rest), "file")))
		}
	}
	return section(r, "groups", "Independent changes", found, "one change", b, bridges)
}

// places writes a few paths in a row, with the number of those left out.
func places(paths []string, most, total int) Cell {
	var c Cell
	for i, p := range paths {
		if i == most {
			break
		}
		if i > 0 {
			c = append(c, word(", "))
		}
		c = append(c, place(p, 0))
	}
	if total > most {
		c = append(c, word(" and %s more", Number(total-most)))
	}
	return c
}

// bumpRows say what several manifests change in the same way, and who imports it:
// those that changed code imports first. Lockfiles are counted.
func bumpRows(m report.Bump, n map[string]symbol) []Cell {
	head := append(Cell{strong("manifest"), word(" ")}, places(m.Paths, 3, len(m.Paths))...)
	rows := []Cell{append(append(head, word(": ")), names(m.Changes, 8)...)}
	list := slices.DeleteFunc(slices.Clone(m.Packages), func(p report.Required) bool { return importers(p) == 0 })
	slices.SortStableFunc(list, func(a, b report.Required) int {
		return cmp.Or(len(b.Imports)-len(a.Imports), importers(b)-importers(a))
	})
	for _, p := range list[:min(len(list), 5)] {
		rows = append(rows, bumpRow(p, n))
	}
	return rows
}

// importers is how many files import a package, as far as anybody looked.
func importers(p report.Required) int {
	if p.Importers == nil {
		return len(p.Imports)
	}
	return *p.Importers
}

func bumpRow(p report.Required, n map[string]symbol) Cell {
	c := Cell{name(p.Name), word(", which is %s, is imported by ", p.Change)}
	if len(p.Imports) > 0 {
		c = append(c, places(p.Imports, 3, len(p.Imports))...)
	}
	if len(p.Symbols) > 0 {
		c = append(append(c, word("; used by ")), names(named(n, p.Symbols), 3)...)
	}
	if len(p.Elsewhere) == 0 {
		return c
	}
	if len(p.Imports) > 0 {
		c = append(c, word("; and by "))
	}
	rest := importers(p) - len(p.Imports)
	return append(append(c, word("%s that did not change: ", Count(rest, "file"))), places(p.Elsewhere, 3, rest)...)
}
