package outline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/review/report"
)

// breaks lists the references that still stand, under the symbol they miss, and
// then the symbols that only the text still names.
func breaks(r *report.Report) Section {
	refs := Block{Layout: List, Noun: "reference"}
	text := Block{Layout: List, Title: "No reference is known, but the text has the name", Noun: "symbol"}
	list := slices.Clone(r.Breaks)
	slices.SortStableFunc(list, func(a, c report.Break) int { return rankOf(a) - rankOf(c) })
	for i, x := range list {
		key := strconv.Itoa(i)
		head := Cell{strong(verb(x.Change)), word(" %s ", x.Kind), name(x.Name), word(" at "), place(x.Path, x.Line)}
		if x.Total == 0 {
			text.Total++
			text.Rows = append(text.Rows, Row{Key: key, Cells: []Cell{head}})
			text.Rows = append(text.Rows, checked(&x.Check)...)
			continue
		}
		refs.Total += x.Total
		head = append(head, word(": %s left", Count(x.Total, "reference")))
		refs.Rows = append(refs.Rows, Row{Cells: []Cell{head}})
		for j, ref := range x.References {
			c := Cell{place(ref.Path, ref.Line), word(" in "), name(ref.Name), word(" (%s, %s)", spaced(ref.Kind), ref.Tier)}
			refs.Rows = append(refs.Rows, Row{Level: 1, Key: key + "." + strconv.Itoa(j), Cells: []Cell{because(c, ref.Reason)}})
		}
		refs.Rows = append(refs.Rows, checked(&x.Check)...)
	}
	found := ""
	if broken := len(list) - text.Total; broken > 0 {
		found = Count(refs.Total, "reference") + " to " + Count(broken, "removed or changed symbol")
	} else if text.Total > 0 {
		found = "none found"
	}
	return section(r, "breaks", "Broken references", sum(found, some(text.Total, "symbol", " that only the text names")), "none found", refs, text)
}

// rankOf puts removed symbols first and leaves all others as they are. Where the
// text is all there is, what speaks against the removal comes first.
func rankOf(b report.Break) int {
	rank := 0
	if b.Change != report.Removed {
		rank = 10
	}
	if b.Total == 0 {
		rank += 1 + doubt(&b.Check)
	}
	return rank
}

// made reports whether the text was searched for a claim at all.
func made(c *report.Check) bool { return c != nil && c.Checked != "" }

// checked says what the search of the text made of a negative claim.
func checked(c *report.Check) []Row {
	if !made(c) {
		return nil
	}
	cell := because(Cell{word("text search: "), strong(spaced(c.Checked))}, strings.TrimSuffix(c.CheckedText, "."))
	for i, m := range c.Mentions {
		if i == 3 {
			break
		}
		sep := ", "
		if i == 0 {
			sep = "; see "
		}
		cell = append(cell, word("%s", sep), place(m.Path, m.Line))
		if m.Reason != "" {
			cell = append(cell, word(" (%s)", m.Reason))
		}
	}
	return []Row{{Level: 1, Cells: []Cell{cell}}}
}

// withCheck appends a claim and what became of it. A claim that holds is one
// line, so that those that do not stand out.
func withCheck(rows []Row, key string, claim Cell, c *report.Check) []Row {
	if made(c) && c.Checked == report.Confirmed && len(c.Mentions) == 0 {
		claim = append(claim, word("; text search: "), strong(c.Checked))
		return append(rows, Row{Key: key, Cells: []Cell{claim}})
	}
	return append(append(rows, Row{Key: key, Cells: []Cell{claim}}), checked(c)...)
}

// doubt orders checks: what speaks against a claim comes first.
func doubt(c *report.Check) int {
	if !made(c) {
		return 1
	}
	return slices.Index([]string{report.Contradicted, report.NotConfirmed, report.Confirmed}, c.Checked)
}

// impact lists who can reach each changed symbol, nearest first.
func impact(r *report.Report, n map[string]symbol) Section {
	reach := Block{Layout: Table, Noun: "symbol", Total: r.Impact.Total,
		Columns: []Column{{Title: "Distance"}, {Title: "Symbol", Lead: " "}, {Title: "Where", Lead: " at "},
			{Title: "Edge", Lead: " ("}, {Title: "Tier", Lead: ", ", Tail: ")"}, {Title: "Through", Lead: " through "}}}
	for _, s := range r.Impact.Symbols {
		if s.Total == 0 {
			continue
		}
		at := lookup(n, s.Symbol)
		head := Cell{strong(verb(s.Change)), word(" "), name(s.Name), word(" at "), place(at.path, at.line), word(": %s", distances(s))}
		reach.Rows = append(reach.Rows, Row{Cells: []Cell{head}})
		for _, d := range s.Dependents {
			reach.Rows = append(reach.Rows, dependent(d, n))
		}
	}
	doors := entryPoints(r.Impact.EntryPoints)
	found := ""
	if r.Impact.Total > 0 {
		found = sum(Count(r.Impact.Total, "symbol")+" within "+Count(r.Impact.Depth, "edge"),
			some(len(r.Impact.EntryPoints), "entry point", ""))
	}
	s := section(r, "impact", "Blast radius", found, "nothing found that reaches the change", reach, doors, unreached(r, n))
	s.Diagram = diagram(r, n)
	return s
}

// unreached lists the changed symbols that nothing was found to reach, those
// first of which the text says otherwise.
func unreached(r *report.Report, n map[string]symbol) Block {
	b := Block{Layout: List, Title: "Nothing found that reaches", Noun: "changed symbol"}
	var list []report.SymbolImpact
	for _, s := range r.Impact.Symbols {
		if s.Total == 0 {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, c report.SymbolImpact) int { return doubt(a.Check) - doubt(c.Check) })
	b.Total = len(list)
	for _, s := range list {
		at := lookup(n, s.Symbol)
		claim := Cell{name(s.Name), word(" at "), place(at.path, at.line), word(" (%s)", verb(s.Change))}
		b.Rows = withCheck(b.Rows, s.Symbol, claim, s.Check)
	}
	return b
}

// distances says how many symbols reach s, and from how far: "9 reach it, 2
// at distance 1, 7 at 2".
func distances(s report.SymbolImpact) string {
	var at []string
	for i, c := range s.ByDistance {
		if c == 0 {
			continue
		}
		where := "%s at %d"
		if len(at) == 0 {
			where = "%s at distance %d"
		}
		at = append(at, fmt.Sprintf(where, Number(c), i+1))
	}
	return Number(s.Total) + " reach it, " + strings.Join(at, ", ")
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
		names(named(n, d.PathThrough), 3),
	}}
}

func entryPoints(list []report.EntryPoint) Block {
	b := Block{Layout: List, Title: "Entry points that reach the change", Noun: "entry point", Total: len(list)}
	for i, e := range list {
		c := Cell{word("%s ", spaced(e.Kind)), name(e.Name), word(" at "), place(e.Path, e.Line), word(", distance %d", e.Distance)}
		b.Rows = append(b.Rows, Row{Key: strconv.Itoa(i), Cells: []Cell{c}})
	}
	return b
}

// longestCommand is how many bytes a command may have to be shown. A cut one
// could not be run.
const longestCommand = 2000

// tests lists what to run and which changes no test reaches.
func tests(r *report.Report, n map[string]symbol) Section {
	commands := Block{Layout: Commands, Noun: "command", Total: len(r.Tests.Commands)}
	for i, c := range r.Tests.Commands {
		if len(c) > longestCommand {
			continue
		}
		commands.Rows = append(commands.Rows, Row{Key: strconv.Itoa(i), Cells: []Cell{{name(c)}}})
	}
	run := Block{Layout: Table, Noun: "test", Total: len(r.Tests.ToRun),
		Columns: []Column{{Title: "Test"}, {Title: "Where", Lead: " at "}, {Title: "Distance", Lead: " (distance "},
			{Title: "Tier", Lead: ", ", Tail: ")"}, {Title: "Covers", Lead: " covers "}}}
	for _, t := range r.Tests.ToRun {
		tier := t.Tier
		if t.Basis == "measured" {
			tier = "measured"
		}
		run.Rows = append(run.Rows, Row{Key: t.ID, Cells: []Cell{
			{name(t.Name)}, {place(t.Path, t.Line)}, {word("%d", t.Distance)}, {word("%s", tier)}, names(named(n, covered(t)), 3)}})
	}
	gaps := Block{Layout: List, Title: "Changed, and no test found that reaches it", Noun: "gap", Total: len(r.Tests.Gaps)}
	for _, g := range r.Tests.Gaps {
		c := Cell{name(g.Name), word(" at "), place(g.Path, g.Line), word(" "), strong(g.State)}
		gaps.Rows = withCheck(gaps.Rows, g.Symbol, because(c, g.Reason), &g.Check)
	}
	found := sum(some(len(r.Tests.ToRun), "test", " to run"), some(len(r.Tests.Gaps), "changed symbol", " without a test"))
	return section(r, "tests", "Tests", found, "none found that reaches the change", commands, run, gaps)
}

// covered returns the changed symbols that a test reaches, without itself.
func covered(t report.Test) []string {
	return slices.DeleteFunc(slices.Clone(t.Covers), func(id string) bool { return id == t.ID })
}

// api lists the changes of the exported surface, the breaking ones first.
func api(r *report.Report, n map[string]symbol) Section {
	b := Block{Layout: List, Noun: "change", Total: len(r.API.Removed) + len(r.API.Changed) + len(r.API.Added)}
	add := func(id string, c Cell) { b.Rows = append(b.Rows, Row{Key: id, Cells: []Cell{c}}) }
	plain := func(what string, ids []string) {
		for _, id := range ids {
			s := lookup(n, id)
			add(id, Cell{strong(what), word(" "), name(s.name), word(" at "), place(s.path, s.line)})
		}
	}
	plain("removed", r.API.Removed)
	changed := slices.Clone(r.API.Changed)
	slices.SortStableFunc(changed, func(a, c report.APIChange) int { return effectRank(a.Effect) - effectRank(c.Effect) })
	breaking := 0
	for _, c := range changed {
		if c.Effect == report.Breaking {
			breaking++
		}
		s := lookup(n, c.Symbol)
		cell := Cell{strong(effectWord(c.Effect)), word(" "), name(s.name), word(" at "), place(s.path, s.line)}
		cell = because(cell, c.Reason)
		add(c.Symbol, append(cell, word("; was "), name(c.From), word(", is "), name(c.To)))
	}
	plain("added", r.API.Added)
	of := ""
	if breaking > 0 {
		of = fmt.Sprintf(" (%s breaking)", Number(breaking))
	}
	found := sum(few(len(r.API.Removed), " removed"), few(len(changed), " changed"+of), few(len(r.API.Added), " added"))
	return section(r, "api", "API", found, "unchanged", b)
}

func effectRank(e report.Effect) int {
	return slices.Index([]report.Effect{report.Breaking, report.UnknownEffect, report.Compatible}, e)
}

func effectWord(e report.Effect) string {
	if e == report.UnknownEffect {
		return "changed, effect unknown"
	}
	return string(e)
}

// dependencies lists new rings, new and gone edges between folders, manifests.
func dependencies(r *report.Report) Section {
	d := r.Dependencies
	b := Block{Layout: List, Noun: "change", Total: len(d.CyclesAdded) + len(d.Added) + len(d.Removed) + len(d.Manifests)}
	add := func(c Cell) { b.Rows = append(b.Rows, Row{Key: strconv.Itoa(len(b.Rows)), Cells: []Cell{c}}) }
	for _, ring := range d.CyclesAdded {
		c := Cell{strong("new cycle"), word(": ")}
		for _, folder := range ring {
			c = append(c, name(folder), word(" → "))
		}
		if len(ring) > 0 {
			c = append(c, name(ring[0]))
		}
		add(c)
	}
	edge := func(what string, list []report.Dependency) {
		for _, e := range list {
			c := Cell{strong(what), word(" "), name(e.From), word(" → "), name(e.To)}
			if e.FirstSite != "" {
				c = append(c, word(" at "), Part{Place, e.FirstSite})
			}
			add(c)
		}
	}
	edge("added", d.Added)
	edge("removed", d.Removed)
	for _, m := range d.Manifests {
		add(append(Cell{strong("manifest"), word(" "), place(m.Path, 0), word(": ")}, names(m.Changes, 8)...))
	}
	found := sum(some(len(d.CyclesAdded), "cycle", " added"), some(len(d.Added), "dependency", " added"),
		some(len(d.Removed), "dependency", " removed"), some(len(d.Manifests), "manifest", " changed"))
	return section(r, "dependencies", "Dependencies", found, "unchanged", b)
}

// documents lists the headings whose text names something that changed.
func documents(r *report.Report, n map[string]symbol) Section {
	b := Block{Layout: List, Noun: "heading", Total: len(r.Documents)}
	for i, d := range r.Documents {
		c := Cell{place(d.Path, d.Line), word(" "), name(d.Heading), word(" "), strong(spaced(d.Relation)), word(": ")}
		b.Rows = append(b.Rows, Row{Key: strconv.Itoa(i), Cells: []Cell{append(c, names(named(n, d.Symbols), 5)...)}})
	}
	return section(r, "documents", "Documents", some(len(r.Documents), "heading", " to look at"), "none names what changed", b)
}

// changes lists the changed symbols, and the files that were not compared.
func changes(r *report.Report) Section {
	syms := Block{Layout: Table, Noun: "symbol", Total: len(r.Changes.Symbols),
		Columns: []Column{{Title: "Change"}, {Title: "Symbol", Lead: " "}, {Title: "Where", Lead: " at "}, {Title: "Effect", Lead: ": "}}}
	for _, s := range r.Changes.Symbols {
		var effect Cell
		if s.SignatureEffect != "" {
			effect = because(Cell{word("%s", string(s.SignatureEffect))}, s.EffectReason)
		}
		syms.Rows = append(syms.Rows, Row{Key: s.ID, Cells: []Cell{
			{word("%s", verb(s.Change))}, {word("%s ", s.Kind), name(s.Name)}, {place(s.Path, s.Line)}, effect}})
	}
	files := Block{Layout: List, Title: "Changed files whose symbols were not compared", Noun: "file"}
	plus, minus := 0, 0
	for _, f := range r.Changes.Files {
		plus, minus = plus+f.Additions, minus+f.Deletions
		if f.Analysed {
			continue
		}
		files.Total++
		c := Cell{place(f.Path, 0), word(" %s, %s", spaced(f.Status), spaced(f.Kind))}
		files.Rows = append(files.Rows, Row{Key: f.Path, Cells: []Cell{because(c, f.Reason)}})
	}
	found := ""
	if len(r.Changes.Files) > 0 {
		found = fmt.Sprintf("%s (+%s −%s)", Count(len(r.Changes.Files), "file"), Number(plus), Number(minus))
		found = sum(found, some(len(r.Changes.Symbols), "symbol", ": "+kinds(r.Changes.Symbols)))
	}
	return section(r, "changes", "Changes", found, "nothing changed", syms, files)
}

// kinds counts what happened to symbols, what matters most first.
func kinds(list []report.SymbolChange) string {
	count := map[report.Change]int{}
	for _, s := range list {
		count[s.Change]++
	}
	var clauses []string
	for _, c := range []report.Change{report.Removed, report.Signature, report.Body, report.Attributes, report.Renamed,
		report.Moved, report.Added, report.Doc, report.Formatting} {
		clauses = append(clauses, few(count[c], " "+verb(c)))
	}
	return sum(clauses...)
}
