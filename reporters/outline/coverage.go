package outline

import (
	"fmt"
	"strings"

	"github.com/previdence/previdence/review/report"
)

// coverage says what the graph of head has seen and, row by row, what it has
// not. The caveats are never left out; their examples may be.
func coverage(r *report.Report) Section {
	c := r.Coverage
	langs := Block{Layout: List, Title: "Seen", Noun: "language", Total: len(c.Languages)}
	for _, l := range c.Languages {
		langs.Rows = append(langs.Rows, language(l))
	}
	files := Block{Layout: List, Title: "Files not parsed whole, those of the pull request first", Noun: "file", Total: c.NotParsed}
	for _, f := range c.Files {
		cell := Cell{place(f.Path, 0), word(" %s", spaced(f.State))}
		if len(f.Ranges) > 0 {
			cell = append(cell, word(" without lines %s", ranges(f.Ranges)))
		}
		if f.Changed {
			cell = append(cell, word(", "), strong("changed here"))
		}
		files.Rows = append(files.Rows, Row{Key: f.Path, Cells: []Cell{because(cell, f.Reason)}})
	}
	caveats := caveats(r.Caveats)
	found := sum(Count(c.Total, "file"), Number(c.NotParsed)+" not parsed whole", Count(len(r.Caveats), "caveat"))
	return section(r, "coverage", "Coverage and caveats", found, "", caveats, langs, files)
}

// language says how much of one language was parsed, and how its calls were
// resolved.
func language(l report.LanguageCoverage) Row {
	k := l.Calls
	files := sum(Count(l.Files, "file"), Number(l.Parsed)+" parsed whole", few(l.Partial, " in part"), few(l.Skipped, " skipped"))
	calls := sum(few(k.Compiler, " compiler"), few(k.Exact, " exact"), few(k.Dispatch, " dispatch"), few(k.Import, " import"),
		few(k.Name, " name"), few(k.Unresolved, " unresolved"), few(k.External, " external"))
	if calls != "" {
		calls = "; calls by tier: " + calls
	}
	return Row{Key: l.Language, Cells: []Cell{{strong(l.Language), word(": %s%s", files, calls)}}}
}

// ranges writes the first few ranges of lines.
func ranges(list []report.Range) string {
	var parts []string
	for i, g := range list {
		if i == 3 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%d–%d", g.Start, g.End))
	}
	return sum(parts...)
}

func caveats(list []report.Caveat) Block {
	b := Block{Layout: List, Title: "Not seen", Noun: "caveat", Total: len(list)}
	for _, c := range list {
		cell := Cell{strong(c.Section), word(": %s", strings.TrimSuffix(c.Text, "."))}
		if c.Of > 0 {
			cell = append(cell, word(" (%s of %s)", Number(c.Count), Number(c.Of)))
		} else if c.Count > 0 {
			cell = append(cell, word(" (%s)", Number(c.Count)))
		}
		b.Rows = append(b.Rows, Row{Rank: Always, Key: c.ID + "\x00" + c.Section + "\x00" + c.Text, Cells: []Cell{cell}})
		if len(c.Examples) > 0 {
			b.Rows = append(b.Rows, Row{Level: 1, Cells: []Cell{append(Cell{word("for example ")}, names(c.Examples, 3)...)}})
		}
	}
	return b
}
