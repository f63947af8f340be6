package outline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/previdence/previdence/review/report"
)

// coverage says what the graph of head has seen and, row by row, what it has
// not. The caveats are never left out; their examples may be. Files that nothing
// here reads are counted by kind in the caveats; by name stand those that the
// pull request changes or that should have been read.
func coverage(r *report.Report) Section {
	c := r.Coverage
	files := Block{Layout: List, Title: "Files not parsed whole, those of the pull request first", Noun: "file", Most: 12}
	for _, f := range c.Files {
		if f.State == "unsupported" && !f.Changed {
			continue
		}
		files.Total++
		files.Rows = append(files.Rows, unseen(f))
	}
	found := said(sum(Count(c.Total, "file"), Number(c.NotParsed)+" not parsed whole", Count(len(r.Caveats), "caveat")))
	return section(r, "coverage", "Coverage and caveats", found, "", caveats(r.Caveats), languages(c.Languages), folders(c.Folders), lacking(c.Own), files)
}

// folders has a row for each folder whose code changed: how its calls were
// resolved.
func folders(list []report.FolderCoverage) Block {
	b := Block{Layout: List, Title: "Calls in the folders of this change, by tier", Noun: "folder", Total: len(list), Most: 12}
	for _, f := range list {
		tiers := byTier(f.Calls)
		if tiers == "" {
			tiers = "none"
		}
		b.Rows = append(b.Rows, Row{Key: f.Path + "\x00" + f.Language, Cells: []Cell{{place(f.Path, 0), word(" %s, %s: %s", f.Language, Count(f.Files, "file"), tiers)}}})
	}
	return b
}

// lacking lists the calls in the changed files whose target was not found: what
// they reach is nowhere in this report.
func lacking(own report.OwnCoverage) Block {
	b := Block{Layout: List, Title: fmt.Sprintf("Calls in the changed files that lead nowhere known: %s of %s", Number(own.Unresolved), Number(own.Calls)),
		Noun: "call", Total: own.Unresolved, Most: 12}
	for _, s := range own.Sites {
		b.Rows = append(b.Rows, Row{Key: s.Path + "\x00" + s.Name + strconv.Itoa(s.Line), Cells: []Cell{because(Cell{place(s.Path, s.Line), word(" "), name(s.Name)}, s.Reason)}})
	}
	return b
}

// byTier counts calls by how they were resolved.
func byTier(k report.Calls) string {
	return sum(few(k.Compiler, " compiler"), few(k.Exact, " exact"), few(k.Dispatch, " dispatch"), few(k.Import, " import"),
		few(k.Name, " name"), few(k.Unresolved, " unresolved"), few(k.External, " external"))
}

// unseen is the row of one file that was not seen whole.
func unseen(f report.FileCoverage) Row {
	cell := Cell{place(f.Path, 0), word(" %s", spaced(f.State))}
	if len(f.Ranges) > 0 {
		cell = append(cell, word(" without lines %s", ranges(f.Ranges, 3)))
	}
	if f.Changed {
		cell = append(cell, word(", "), strong("changed here"))
	}
	return Row{Key: f.Path, Cells: []Cell{because(cell, f.Reason)}}
}

// languages has a row for each language that is read, and one for the others.
func languages(list []report.LanguageCoverage) Block {
	b := Block{Layout: List, Title: "Seen", Noun: "language", Total: len(list)}
	var others []string
	for _, l := range list {
		if l.Parsed+l.Partial > 0 {
			b.Rows = append(b.Rows, language(l))
		} else {
			others = append(others, Number(l.Files)+" "+l.Language)
		}
	}
	if len(others) > 0 {
		b.Total = len(b.Rows) + 1
		b.Rows = append(b.Rows, Row{Key: "\x00", Cells: []Cell{append(Cell{strong("not read"), word(": ")}, names(others, 12)...)}})
	}
	return b
}

// language says how much of one language was parsed, and how its calls were
// resolved.
func language(l report.LanguageCoverage) Row {
	files := sum(Count(l.Files, "file"), Number(l.Parsed)+" parsed whole", few(l.Partial, " in part"), few(l.Skipped, " skipped"))
	calls := byTier(l.Calls)
	if calls != "" {
		calls = "; calls by tier: " + calls
	}
	return Row{Key: l.Language, Cells: []Cell{{strong(l.Language), word(": %s%s", files, calls)}}}
}

// ranges writes the first few ranges of lines.
func ranges(list []report.Range, most int) string {
	var parts []string
	for i, g := range list {
		if i == most {
			parts = append(parts, "…")
			break
		}
		if g.Start == g.End {
			parts = append(parts, strconv.Itoa(g.Start))
			continue
		}
		parts = append(parts, fmt.Sprintf("%d–%d", g.Start, g.End))
	}
	return sum(parts...)
}

// noExtractor begins the IDs of the caveats that count files of code in a
// language that nothing here reads.
const noExtractor = "files.unsupported."

// caveats has one row for each, with a few examples of it, but only one for all
// languages that nothing here reads.
func caveats(list []report.Caveat) Block {
	b := Block{Layout: List, Title: "Not seen", Noun: "caveat", Total: len(list)}
	unread := []report.Caveat{}
	for _, c := range list {
		if strings.HasPrefix(c.ID, noExtractor) {
			unread = append(unread, c)
		}
	}
	b.Rows = unreadCode(unread)
	if len(unread) > 0 {
		b.Total -= len(unread) - 1
	}
	for _, c := range list {
		if strings.HasPrefix(c.ID, noExtractor) {
			continue
		}
		cell := append(Cell{strong(c.Section), word(": %s", strings.TrimSuffix(c.Text, "."))}, share(c.Count, c.Of))
		b.Rows = append(b.Rows, Row{Rank: Always, Key: c.ID + "\x00" + c.Section + "\x00" + c.Text, Cells: []Cell{cell}})
		if len(c.Examples) > 0 && c.ID != "files.unsupported" {
			b.Rows = append(b.Rows, Row{Level: 1, Cells: []Cell{append(Cell{word("for example ")}, names(c.Examples, 3)...)}})
		}
	}
	return b
}

// share is a count with its denominator, if there is one.
func share(count, of int) Part {
	switch {
	case of > 0:
		return word(" (%s of %s)", Number(count), Number(of))
	case count > 0:
		return word(" (%s)", Number(count))
	}
	return word("")
}

// unreadCode is the one row about code that nothing here reads, which weakens
// the evidence, as data does not.
func unreadCode(list []report.Caveat) []Row {
	if len(list) == 0 {
		return nil
	}
	count, of := 0, 0
	var langs []string
	for _, c := range list {
		count, of = count+c.Count, c.Of
		langs = append(langs, Number(c.Count)+" "+strings.TrimPrefix(c.ID, noExtractor))
	}
	cell := append(Cell{strong("coverage"), word(": Code in languages without extractor: what it uses is not in the graph")}, share(count, of))
	return []Row{{Rank: Always, Key: noExtractor, Cells: []Cell{append(append(cell, word(": ")), names(langs, 8)...)}}}
}
