package outline

import (
	"cmp"
	"fmt"
	"regexp"
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
		head := Cell{strong(Verb(x.Change)), word(" %s ", x.Kind), name(x.Name), word(" at "), place(x.Path, x.Line)}
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
	return section(r, "breaks", "Broken references", broken(list, refs.Total, text.Total), "none found", refs, text)
}

// broken says how much is broken, and what, before it says what only the text
// knows.
func broken(list []report.Break, refs, onlyText int) Cell {
	var missed []string
	for _, b := range list {
		if b.Total > 0 {
			missed = append(missed, b.Name)
		}
	}
	var found Cell
	switch {
	case len(missed) > 0:
		found = said(Count(refs, "reference") + " to " + Count(len(missed), "removed or changed symbol"))
		found = leading(found, missed, 3)
	case onlyText > 0:
		found = said("none found")
	}
	if onlyText > 0 {
		found = append(found, word(", %s that only the text names", Count(onlyText, "symbol")))
	}
	return found
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
	cell := because(Cell{word("text search: "), strong(spaced(c.Checked))}, strings.TrimSuffix(outcome(c.CheckedText), "."))
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

// searched begins what a check says of how it was made. All checks of a report
// searched the same files.
var searched = regexp.MustCompile(`^[0-9,]+ files searched as text: `)

// outcome is what a check found, without how.
func outcome(text string) string { return searched.ReplaceAllString(text, "") }

// withCheck appends a claim and what became of it. A claim that holds is one
// line, so that those that do not stand out.
func withCheck(rows []Row, key string, claim Cell, c *report.Check) []Row {
	if made(c) && c.Checked == report.Confirmed && len(c.Mentions) == 0 {
		claim = append(claim, word("; text search: "), strong(c.Checked))
		return append(rows, Row{Key: key, Cells: []Cell{claim}})
	}
	return append(append(rows, Row{Key: key, Cells: []Cell{claim}}), checked(c)...)
}

// mentions counts what a search found outside the graph.
func mentions(c *report.Check) int {
	if c == nil {
		return 0
	}
	return c.MentionsTotal
}

// doubt orders checks: what speaks against a claim comes first.
func doubt(c *report.Check) int {
	if !made(c) {
		return 1
	}
	return slices.Index([]string{report.Contradicted, report.NotConfirmed, report.Confirmed}, c.Checked)
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
	run := Block{Layout: Table, Noun: "test", Most: 20, Total: testTotal(r),
		Columns: []Column{{Title: "Test"}, {Title: "Where", Lead: " at "}, {Title: "Distance", Lead: " (distance "},
			{Title: "Tier", Lead: ", ", Tail: ")"}, {Title: "Covers", Lead: " covers "}}}
	for _, t := range r.Tests.ToRun {
		tier := t.Tier
		if t.Basis == "measured" {
			tier = "measured"
		}
		distance := strconv.Itoa(t.Distance)
		if t.Distance == 0 {
			distance, tier = "0", "changed itself"
		}
		run.Rows = append(run.Rows, Row{Key: t.ID, Cells: []Cell{
			{name(t.Name)}, {place(t.Path, t.Line)}, {word("%s", distance)}, {word("%s", tier)}, names(named(n, covered(t)), 1)}})
	}
	return section(r, "tests", "Tests", toRun(r), "none found that reaches the change", commands, gaps(r), missed(r), run, inputs(r))
}

// missed lists the changed lines that were measured and that nothing ran.
func missed(r *report.Report) Block {
	b := Block{Layout: List, Title: "Changed lines that did not run, measured", Noun: "file", Most: 12}
	if r.Tests.Measured == nil {
		return b
	}
	b.Total = len(r.Tests.Measured.Missed)
	for _, m := range r.Tests.Measured.Missed {
		b.Rows = append(b.Rows, Row{Key: m.Path, Cells: []Cell{{place(m.Path, m.Ranges[0].Start), word(" lines %s", ranges(m.Ranges, 8))}}})
	}
	return b
}

// inputs lists the files of measured coverage, and what they could not be used
// for.
func inputs(r *report.Report) Block {
	b := Block{Layout: List, Title: "Measured coverage that was given", Noun: "file"}
	if r.Tests.Measured == nil {
		return b
	}
	b.Total = len(r.Tests.Measured.Inputs)
	for _, in := range r.Tests.Measured.Inputs {
		c := Cell{name(in.Format), word(" "), name(Short(in.Digest)), word(" "), strong(in.State),
			word(", %s of %s found in head", Number(in.Found), Count(in.Files, "file"))}
		if in.Tests > 0 {
			c = append(c, word(", tells %s apart", Count(in.Tests, "test")))
		}
		b.Rows = append(b.Rows, Row{Key: in.Digest, Cells: []Cell{because(c, in.Reason)}})
	}
	if n := r.Tests.Measured.Unrun; n > 0 {
		b.Rows = append(b.Rows, Row{Cells: []Cell{{word("left out: %s that the graph names ran none of it", Count(n, "test"))}}})
	}
	return b
}

// ran says how many of the changed lines ran, of those that were measured.
func ran(m *report.Measured) string {
	switch {
	case m == nil:
		return ""
	case m.Lines == 0:
		return "no changed line measured"
	}
	return fmt.Sprintf("%s of %s measured ran", Number(m.Ran), Count(m.Lines, "changed line"))
}

// testTotal counts the tests to run, also those over the cap of the list.
func testTotal(r *report.Report) int { return max(r.Tests.Total, len(r.Tests.ToRun)) }

// toRun says how many tests to run, with the command if it is one, and which
// changes lack one.
func toRun(r *report.Report) Cell {
	var found Cell
	if n := testTotal(r); n > 0 {
		found = said(Count(n, "test") + " to run")
		if len(r.Tests.Commands) == 1 && len(r.Tests.Commands[0]) <= longestCommand {
			found = append(found, word(": "), name(begun(r.Tests.Commands[0])))
		}
	}
	if n := r.Tests.Untested(); n > 0 {
		if found != nil {
			found = append(found, word(", "))
		}
		var untested []string
		for _, g := range r.Tests.Gaps {
			untested = append(untested, g.Name)
		}
		found = leading(append(found, word("%s without a test", Count(n, "changed symbol"))), untested, 3)
	}
	if lines := ran(r.Tests.Measured); lines != "" {
		if found != nil {
			found = append(found, word(", "))
		}
		found = append(found, word("%s", lines))
	}
	return found
}

// begun is the start of a command for a headline. The whole stands below it.
func begun(command string) string {
	const longest = 80
	if r := []rune(command); len(r) > longest {
		return string(r[:longest]) + " …"
	}
	return command
}

// gaps lists the changed symbols that no test was found to reach. What the state
// and the search of the text say is not said again as a reason.
func gaps(r *report.Report) Block {
	b := Block{Layout: List, Title: "Changed, and no test found that reaches it", Noun: "gap", Most: 20, Total: r.Tests.Untested()}
	for _, g := range r.Tests.Gaps {
		c := Cell{name(g.Name), word(" at "), place(g.Path, g.Line), word(" "), strong(g.State)}
		if g.Basis == "measured" {
			b.Rows = append(b.Rows, Row{Key: g.Symbol, Cells: []Cell{because(c, g.Reason)}})
			continue
		}
		if g.Checked != report.Confirmed || len(g.Mentions) > 0 {
			c = because(c, g.Reason)
		}
		b.Rows = withCheck(b.Rows, g.Symbol, c, &g.Check)
	}
	return b
}

// covered returns the changed symbols that a test reaches, without itself.
func covered(t report.Test) []string {
	return slices.DeleteFunc(slices.Clone(t.Covers), func(id string) bool { return id == t.ID })
}

// api lists the changes of the exported surface, the breaking ones first. A
// renamed symbol is one change, not a removal and an addition.
func api(r *report.Report, n map[string]symbol) Section {
	was := renames(r)
	b := Block{Layout: List, Noun: "change", Most: 25}
	add := func(id string, c Cell) { b.Rows = append(b.Rows, Row{Key: id, Cells: []Cell{c}}) }
	var gone, renamed, breaking []string
	added := 0
	for _, id := range r.API.Removed {
		s := lookup(n, id)
		gone = append(gone, s.name)
		if now, ok := was[id]; ok {
			at := lookup(n, now)
			add(now, Cell{strong("renamed"), word(" "), name(s.name), word(" → "), name(at.name), word(" at "), place(at.path, at.line)})
			renamed = append(renamed, s.name)
			continue
		}
		add(id, Cell{strong("removed"), word(" "), name(s.name), word(" at "), place(s.path, s.line)})
	}
	changed := slices.Clone(r.API.Changed)
	slices.SortStableFunc(changed, func(a, c report.APIChange) int { return effectRank(a.Effect) - effectRank(c.Effect) })
	for _, c := range changed {
		s := lookup(n, c.Symbol)
		if c.Effect == report.Breaking {
			breaking = append(breaking, s.name)
		}
		add(c.Symbol, signatureChange(c, s))
	}
	for _, id := range r.API.Added {
		if _, ok := was[id]; ok {
			continue
		}
		s := lookup(n, id)
		added++
		add(id, Cell{strong("added"), word(" "), name(s.name), word(" at "), place(s.path, s.line)})
	}
	b.Total = len(r.API.Removed) + len(changed) + added
	var clauses Cell
	for _, c := range []Cell{
		leading(said(few(len(gone)-len(renamed), " removed")), without(gone, was, r.API.Removed), 4),
		leading(said(few(len(renamed), " renamed")), renamed, 4),
		leading(said(few(len(breaking), " breaking")), breaking, 4), said(few(len(changed)-len(breaking), " changed otherwise")),
		said(few(added, " added"))} {
		if len(c) > 0 && len(clauses) > 0 {
			clauses = append(clauses, word("; "))
		}
		clauses = append(clauses, c...)
	}
	return section(r, "api", "API", clauses, "unchanged", b)
}

// renames maps the IDs of renamed symbols, in both directions.
func renames(r *report.Report) map[string]string {
	was := map[string]string{}
	for _, s := range r.Changes.Symbols {
		if old := formerID(s); old != "" && s.Change == report.Renamed {
			was[old], was[s.ID] = s.ID, old
		}
	}
	return was
}

// without drops the names whose ID is a renamed symbol's.
func without(names []string, renamed map[string]string, ids []string) []string {
	var out []string
	for i, id := range ids {
		if _, ok := renamed[id]; !ok {
			out = append(out, names[i])
		}
	}
	return out
}

// signatureChange is the row of an exported symbol with another signature. The
// reason shows the part that differs, so both are written out only without one.
func signatureChange(c report.APIChange, s symbol) Cell {
	cell := Cell{strong(effectWord(c.Effect)), word(" "), name(s.name), word(" at "), place(s.path, s.line)}
	cell = because(cell, c.Reason)
	if c.Effect != report.UnknownEffect && c.Reason != "" {
		return cell
	}
	return append(cell, word("; was "), name(c.From), word(", is "), name(c.To))
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
func dependencies(r *report.Report, n map[string]symbol) Section {
	d := r.Dependencies
	bumps := d.Bumps()
	b := Block{Layout: List, Noun: "change", Total: len(d.CyclesAdded) + len(d.Layers) + len(d.Added) + len(d.Removed) + len(bumps)}
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
	for _, l := range d.Layers {
		c := Cell{strong("against the layers"), word(": "), name(l.From), word(" (%s) → ", l.Layer), name(l.To), word(" (%s) at ", l.On), Part{Place, l.Site}}
		if l.Allowed == "" {
			add(append(c, word("; %s may import no other layer", l.Layer)))
		} else {
			add(append(c, word("; %s may import %s", l.Layer, l.Allowed)))
		}
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
	for _, m := range bumps {
		for i, c := range bumpRows(m, n) {
			if i == 0 {
				add(c)
			} else {
				b.Rows = append(b.Rows, Row{Level: 1, Cells: []Cell{c}})
			}
		}
	}
	found := said(sum(some(len(d.CyclesAdded), "cycle", " added"), some(len(d.Layers), "import", " against the layers"), some(len(d.Added), "dependency", " added"),
		some(len(d.Removed), "dependency", " removed"), some(len(d.Manifests), "manifest", " changed")))
	return section(r, "dependencies", "Dependencies", found, "unchanged", b)
}

// documents lists the headings whose text names something that changed, then the
// documents that govern it.
func documents(r *report.Report, n map[string]symbol) Section {
	stale, govern := Block{Layout: List, Noun: "heading"}, Block{Layout: List, Noun: "document"}
	for i, d := range r.Documents {
		if d.Governs != nil {
			govern.Rows = append(govern.Rows, Row{Key: strconv.Itoa(i), Cells: []Cell{governs(d)}})
			continue
		}
		c := Cell{place(d.Path, d.Line), word(" "), name(d.Heading), word(" "), strong(spaced(d.Relation)), word(": ")}
		stale.Rows = append(stale.Rows, Row{Key: strconv.Itoa(i), Cells: []Cell{append(c, gone(d, n)...)}})
	}
	stale.Total, govern.Total = len(stale.Rows), len(govern.Rows)
	found := said(sum(some(stale.Total, "heading", " to look at"), some(govern.Total, "governing document", "")))
	return section(r, "documents", "Documents", found, "none names what changed or governs it", stale, govern)
}

// gone are the names in a heading's text, with what has taken their place.
func gone(d report.Document, n map[string]symbol) Cell {
	const most = 5
	now := map[string]string{}
	for _, m := range d.Names {
		now[m.Name] = m.Now
	}
	list := named(n, d.Symbols)
	for _, m := range d.Names {
		if m.Kind != "symbol" {
			list = append(list, m.Name)
		}
	}
	var c Cell
	for i, s := range list[:min(len(list), most)] {
		if i > 0 {
			c = append(c, word(", "))
		}
		c = append(c, name(s))
		to := now[s[strings.LastIndexByte(s, '.')+1:]] // a member's row has its type before it
		if to = cmp.Or(now[s], to); to != "" {
			c = append(c, word(" (now "), name(to), word(")"))
		}
	}
	if len(list) > most {
		c = append(c, word(" and %s more", Number(len(list)-most)))
	}
	return c
}

// governs says what a document is and by what right it governs which files.
func governs(d report.Document) Cell {
	g := d.Governs
	c := Cell{place(d.Path, d.Line), word(" "), name(d.Heading), word(" "), strong("governs"), word(" ")}
	c = append(c, names(g.Files[:min(len(g.Files), 3)], 3)...)
	if more := g.Total - min(len(g.Files), 3); more > 0 {
		c = append(c, word(" and %s more", Number(more)))
	}
	c = append(c, word(" (%s by %s", g.SourceType, spaced(g.By)))
	if g.Status != "" {
		c = append(c, word(", %s", g.Status))
	}
	if len(g.Owners) > 0 {
		c = append(append(c, word(", owned by ")), names(g.Owners, 3)...)
	}
	return append(c, word(")"))
}

// changes lists the changed symbols, what matters most first, and the files that
// were not compared. Why a signature's effect is what it is stands with the API
// if it is a part of that.
func changes(r *report.Report) Section {
	list, members := wholes(r.Changes.Symbols)
	syms := Block{Layout: Table, Noun: "symbol", Most: 30, Total: len(list),
		Columns: []Column{{Title: "Change"}, {Title: "Symbol", Lead: " "}, {Title: "Where", Lead: " at "}, {Title: "Effect", Lead: ": "}}}
	told := map[string]bool{}
	for _, c := range r.API.Changed {
		told[c.Symbol] = true
	}
	slices.SortStableFunc(list, func(a, c report.SymbolChange) int { return changeRank(a) - changeRank(c) })
	for _, s := range list {
		var effect Cell
		if s.SignatureEffect != "" {
			effect = Cell{word("%s", string(s.SignatureEffect))}
			if !told[s.ID] {
				effect = because(effect, s.EffectReason)
			}
		} else if s.EffectReason != "" {
			effect = Cell{word("means something else: %s", s.EffectReason)}
		}
		symbol := Cell{word("%s ", s.Kind), name(s.Name)}
		if n := members[s.ID]; n > 0 {
			symbol = append(symbol, word(" with %s", Count(n, "member")))
		}
		syms.Rows = append(syms.Rows, Row{Key: s.ID, Cells: []Cell{{word("%s", Verb(s.Change))}, symbol, {place(s.Path, s.Line)}, effect}})
	}
	files := Block{Layout: List, Title: "Changed files whose symbols were not compared", Noun: "file", Most: 12}
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
	return section(r, "changes", "Changes", said(found), "nothing changed", syms, files)
}

// order is that of changes to symbols, what matters most first.
var order = []report.Change{report.Removed, report.Signature, report.Renamed, report.Body, report.Attributes,
	report.Moved, report.Added, report.Doc, report.Formatting}

// changeRank puts the product before its tests, and within both what matters
// most first. What stands at file level follows the symbols of its kind.
func changeRank(s report.SymbolChange) int {
	rank := 2 * slices.Index(order, s.Change)
	if s.Kind == "module" {
		rank++
	}
	if s.Test {
		rank += 100
	}
	return rank
}

// kinds counts what happened to symbols, what matters most first.
func kinds(list []report.SymbolChange) string {
	count := map[report.Change]int{}
	for _, s := range list {
		count[s.Change]++
	}
	var clauses []string
	for _, c := range order {
		clauses = append(clauses, few(count[c], " "+Verb(c)))
	}
	return sum(clauses...)
}
