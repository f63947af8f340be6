package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/review/report"
)

type reviewChangesArgs struct {
	common
	Base    string `json:"base,omitempty" jsonschema:"revision that the change goes into; the remote's default branch if absent"`
	Section string `json:"section,omitempty" jsonschema:"only the evidence of this section: breaks, impact, tests, gaps, api, contracts, entry_points, documents, decisions, dependencies, groups, history, owners, overlap, changes, coverage, caveats"`
}

// A brief is the beginning of a report. Its evidence is ranked: of each section the
// strongest first, then the rest.
type brief struct {
	answer.Header
	Base     report.Revision  `json:"base"`
	Merge    string           `json:"merge_base"`
	Outcome  report.Outcome   `json:"outcome"`
	Reasons  []report.Reason  `json:"reasons"`
	Sections []section        `json:"sections"`
	Commands []whole          `json:"commands"`         // that run the tests which reach the change
	Long     int              `json:"commands_omitted"` // too long for here; those of the report
	Report   string           `json:"report"`           // URI of the whole report; "" if it is no resource
	Evidence []map[string]any `json:"evidence"`         // each names its section
}

// A continued brief does not say again what its first page has said.
type continued struct {
	answer.Header
	Merge string `json:"merge_base"`
}

// A section says how much it saw and how much it holds. Nothing found and nobody
// looked do not look alike.
type section struct {
	Name   string       `json:"name"`
	State  report.State `json:"state"`
	Reason string       `json:"reason"`
	Total  *int         `json:"total"` // 0 is said; null: not counted
}

func reviewChanges() tool {
	return define[reviewChangesArgs, brief]("review_changes", "Review what a branch changes",
		`Use this first when you review a branch or pull request, or before you finish a change of your own. `+
			`Reviews everything between the merge base with base and HEAD: references that break, what can reach each changed symbol, tests to run and changes that no test reaches, API and dependency changes, stale documents, and what could not be seen. `+
			`Each entry of evidence names its section, place and tier. Strongest first, within max_bytes; next_cursor or section for the rest. `+
			`checked says what a text search made of an absence: confirmed, contradicted, not_confirmed.`,
		reads, false, func(ctx context.Context, c *call, in *reviewChangesArgs) (reply, error) {
			if in.Section != "" && !slices.Contains(sectionNames(), in.Section) {
				return reply{}, refuse("bad_arguments", "give one of: "+strings.Join(sectionNames(), ", "), "there is no section %q", in.Section)
			}
			r, err := c.server.review(ctx, c.told, in.RepoRoot, in.ExpectHead, in.Base)
			if err != nil {
				return reply{}, err
			}
			b := briefOf(in.RepoRoot, r)
			if uri, ok := c.server.reportURI(ctx, in.RepoRoot, r.Subject.Head.Commit); ok {
				b.Report = uri
			}
			return reply{about: bindTo(b.Header, r), head: b, later: continued{b.Header, b.Merge}, list: "evidence", items: evidence(r, in.Section)}, nil
		}).one("section", sectionNames()...)
}

func briefOf(root string, r *report.Report) brief {
	b := brief{Header: headerOf(root, r), Base: r.Subject.Base, Merge: r.Subject.MergeBase, Outcome: r.Verdict.Outcome, Reasons: r.Verdict.Reasons}
	b.Reasons = b.Reasons[:min(len(b.Reasons), 8)]
	b.Commands = []whole{}
	room := commandBytes
	for _, c := range r.Tests.Commands {
		if len(c) > room || len(b.Commands) == mostCommands {
			b.Long++
			continue
		}
		room -= len(c)
		b.Commands = append(b.Commands, whole(c))
	}
	totals := map[string]int{
		"changes": len(r.Changes.Symbols), "breaks": len(r.Breaks), "impact": r.Impact.Total, "tests": r.Tests.Total,
		"api": len(r.API.Added) + len(r.API.Removed) + len(r.API.Changed), "documents": len(r.Documents), "decisions": len(r.Decisions), "owners": len(r.Owners),
		"history": len(r.History.Reverts) + r.History.CoChangeTotal, "coverage": r.Coverage.NotParsed,
		"contracts": r.ContractsTotal(), "groups": r.Groups.Total,
		"dependencies": len(r.Dependencies.Layers) + len(r.Dependencies.Added) + len(r.Dependencies.Removed) + len(r.Dependencies.CyclesAdded) + len(r.Dependencies.Manifests),
	}
	said := ""
	for _, s := range r.Sections {
		row := section{Name: s.Name, State: s.State, Reason: s.Reason}
		if n, counted := totals[s.Name]; counted {
			row.Total = &n
		}
		if s.Reason != "" && s.Reason == said {
			row.Reason = "as above"
		}
		said = s.Reason
		b.Sections = append(b.Sections, row)
	}
	gaps := len(r.Tests.Gaps)
	b.Sections = append(b.Sections, section{Name: "gaps", State: r.Section("tests").State, Total: &gaps})
	return b
}

// What a brief shows of commands.
const (
	mostCommands = 3
	commandBytes = 1000 // of all of them
)

// A part is the evidence of one section, and how much of it belongs on the first
// page.
type part struct {
	name  string
	first int
	rows  func(*report.Report) []any
}

// parts are in the order in which a reviewer needs them.
var parts = []part{
	{"breaks", 8, breakRows},
	{"impact", 5, impactRows},
	{"gaps", 4, gapRows},
	{"api", 4, apiRows},
	{"contracts", 4, contractRows},
	{"entry_points", 3, doorRows},
	{"tests", 5, testRows},
	{"documents", 3, documentRows},
	{"decisions", 3, decisionRows},
	{"dependencies", 4, dependencyRows},
	{"groups", 2, groupRows},
	{"history", 3, historyRows},
	{"owners", 2, ownerRows},
	{"overlap", 3, overlapRows},
	{"caveats", 3, caveatRows},
	{"changes", 10, changeRows},
	{"coverage", 3, coverageRows},
}

func sectionNames() []string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// evidence ranks what a report holds: of every section what weighs most, then the
// rest of every section.
func evidence(r *report.Report, only string) []any {
	var first, rest []any
	for _, p := range parts {
		if only != "" && p.name != only {
			continue
		}
		rows := p.rows(r)
		n := 0
		for n < min(p.first, len(rows)) && !isBackground(rows[n]) {
			n++
		}
		first, rest = append(first, rows[:n]...), append(rest, rows[n:]...)
	}
	return append(first, rest...)
}

// isBackground is true for what is said of every tree, whatever changes in it.
func isBackground(row any) bool {
	switch row := row.(type) {
	case coverageRow:
		return !row.Changed
	case caveatRow:
		return row.Weakens == "coverage"
	}
	return false
}

// The rows of a brief hold what a reviewer acts on. The whole evidence is in the
// report.

type breakRow struct {
	Section    string           `json:"section"`
	Symbol     string           `json:"symbol"`
	Name       string           `json:"name"`
	Kind       string           `json:"kind"`
	Change     report.Change    `json:"change"`
	Path       string           `json:"path"`
	Line       int              `json:"line"`
	Total      int              `json:"total"`
	References []placeRow       `json:"references"` // at most five
	Checked    string           `json:"checked"`
	Text       string           `json:"checked_text"`
	Mentions   []report.Mention `json:"mentions"` // at most three
}

type placeRow struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Distance int    `json:"distance"`
	Tier     string `json:"tier"`
	Reason   string `json:"reason"`
}

func breakRows(r *report.Report) []any {
	var rows []any
	for _, b := range r.Breaks {
		row := breakRow{Section: "breaks", Symbol: b.Symbol, Name: b.Name, Kind: b.Kind, Change: b.Change, Path: b.Path, Line: b.Line, Total: b.Total,
			Checked: b.Checked, Text: b.CheckedText, Mentions: b.Mentions[:min(len(b.Mentions), 3)]}
		for _, ref := range b.References[:min(len(b.References), 5)] {
			row.References = append(row.References, placeRow{Name: ref.Name, Path: ref.Path, Line: ref.Line, Tier: ref.Tier, Reason: ref.Reason})
		}
		rows = append(rows, row)
	}
	return rows
}

type impactRow struct {
	Section    string           `json:"section"`
	Symbol     string           `json:"symbol"`
	Change     report.Change    `json:"change"`
	Total      int              `json:"total"`
	Tests      int              `json:"tests"`
	ByDistance []int            `json:"by_distance"`
	Nearest    []placeRow       `json:"nearest"` // at most three
	Checked    string           `json:"checked"`
	Text       string           `json:"checked_text"`
	Mentions   []report.Mention `json:"mentions"`
}

func impactRows(r *report.Report) []any {
	var rows []any
	for _, s := range r.Impact.Symbols {
		row := impactRow{Section: "impact", Symbol: s.Symbol, Change: s.Change, Total: s.Total, Tests: s.Tests, ByDistance: s.ByDistance}
		for _, d := range s.Dependents {
			if len(row.Nearest) < 3 && !d.Test {
				row.Nearest = append(row.Nearest, placeRow{Name: d.Name, Path: d.Path, Line: d.Site, Distance: d.Distance, Tier: d.Tier})
			}
		}
		if s.Check != nil {
			row.Checked, row.Text, row.Mentions = s.Checked, s.CheckedText, s.Mentions[:min(len(s.Mentions), 3)]
		}
		if s.Total > 0 || s.Change != report.Added {
			rows = append(rows, row)
		}
	}
	return rows
}

type gapRow struct {
	Section string `json:"section"`
	Symbol  string `json:"symbol"`
	Line    int    `json:"line"`
	State   string `json:"state"`
	Reason  string `json:"reason"`
	Checked string `json:"checked"`
	Text    string `json:"checked_text"`
}

func gapRows(r *report.Report) []any {
	var rows []any
	for _, g := range r.Tests.Gaps {
		row := gapRow{"gaps", g.Symbol, g.Line, g.State, g.Reason, g.Checked, g.CheckedText}
		if g.Checked == report.Confirmed {
			row.Text = "" // the reason and the check say it
		}
		rows = append(rows, row)
	}
	return rows
}

type testRow struct {
	Section  string `json:"section"`
	Name     string `json:"name"`
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Covers   int    `json:"covers"` // changed symbols that it reaches
	Distance int    `json:"distance"`
	Basis    string `json:"basis"`
	Tier     string `json:"tier"`
}

func testRows(r *report.Report) []any {
	var rows []any
	for _, t := range r.Tests.ToRun {
		rows = append(rows, testRow{"tests", t.Name, t.Path, t.Line, len(t.Covers), t.Distance, t.Basis, t.Tier})
	}
	return rows
}

type apiRow struct {
	Section string        `json:"section"`
	Symbol  string        `json:"symbol"`
	Change  string        `json:"change"` // removed, changed, added
	From    string        `json:"from"`
	To      string        `json:"to"`
	Effect  report.Effect `json:"effect"`
	Reason  string        `json:"reason"`
}

func apiRows(r *report.Report) []any {
	var rows []any
	for _, id := range r.API.Removed {
		rows = append(rows, apiRow{Section: "api", Symbol: id, Change: "removed"})
	}
	for _, c := range r.API.Changed {
		rows = append(rows, apiRow{"api", c.Symbol, "changed", c.From, c.To, c.Effect, c.Reason})
	}
	for _, id := range r.API.Added {
		rows = append(rows, apiRow{Section: "api", Symbol: id, Change: "added"})
	}
	return rows
}

type contractRow struct {
	Section string        `json:"section"`
	Kind    string        `json:"kind"`
	Name    string        `json:"name"`
	Change  report.Change `json:"change"`
	Path    string        `json:"path"`
	Line    int           `json:"line"`
	Old     string        `json:"old"`
	New     string        `json:"new"`
	Effect  report.Effect `json:"effect"`
	Reason  string        `json:"reason"`
}

func contractRows(r *report.Report) []any {
	var rows []any
	for _, c := range r.Contracts {
		rows = append(rows, contractRow{"contracts", c.Kind, c.Name, c.Change, c.Path, c.Line, c.Old, c.New, c.Effect, c.Reason})
	}
	return rows
}

type groupRow struct {
	Section string   `json:"section"`
	Group   int      `json:"group"` // from 1
	Files   []string `json:"files"` // at most ten
	Total   int      `json:"total"`
	Symbols []string `json:"symbols"` // at most three
}

func groupRows(r *report.Report) []any {
	var rows []any
	for i, g := range r.Groups.List {
		rows = append(rows, groupRow{"groups", i + 1, g.Files[:min(len(g.Files), 10)], g.Total, g.Symbols[:min(len(g.Symbols), 3)]})
	}
	return rows
}

type doorRow struct {
	Section string `json:"section"`
	report.EntryPoint
}

func doorRows(r *report.Report) []any {
	var rows []any
	for _, e := range r.Impact.EntryPoints {
		e.Symbol = "" // name, path and line say the same
		rows = append(rows, doorRow{"entry_points", e})
	}
	return rows
}

type documentRow struct {
	Section string `json:"section"`
	report.Document
}

func documentRows(r *report.Report) []any {
	var rows []any
	for _, d := range r.Documents {
		d.Symbols = d.Symbols[:min(len(d.Symbols), 3)]
		rows = append(rows, documentRow{"documents", d})
	}
	return rows
}

type dependencyRow struct {
	Section string   `json:"section"`
	Change  string   `json:"change"` // cycle, layer, added, removed, manifest
	From    string   `json:"from"`
	To      string   `json:"to"`
	Site    string   `json:"first_site"`
	Cycle   []string `json:"cycle"`
	Path    string   `json:"path"`
	Also    int      `json:"also"` // other manifests with the same changes
	Changes []string `json:"changes"`
	Imports []string `json:"imported_by"` // files that import what changes, changed ones first; at most three
}

func dependencyRows(r *report.Report) []any {
	var rows []any
	for _, c := range r.Dependencies.CyclesAdded {
		rows = append(rows, dependencyRow{Section: "dependencies", Change: "cycle", Cycle: c[:min(len(c), 10)]})
	}
	for _, l := range r.Dependencies.Layers {
		rows = append(rows, dependencyRow{Section: "dependencies", Change: "layer", From: l.From, To: l.To, Site: l.Site, Changes: []string{l.Layer + " → " + l.On}})
	}
	for _, d := range r.Dependencies.Added {
		rows = append(rows, dependencyRow{Section: "dependencies", Change: "added", From: d.From, To: d.To, Site: d.FirstSite})
	}
	for _, d := range r.Dependencies.Removed {
		rows = append(rows, dependencyRow{Section: "dependencies", Change: "removed", From: d.From, To: d.To, Site: d.FirstSite})
	}
	for _, m := range r.Dependencies.Bumps() {
		row := dependencyRow{Section: "dependencies", Change: "manifest", Path: m.Paths[0], Also: len(m.Paths) - 1, Changes: m.Changes[:min(len(m.Changes), 8)]}
		row.Imports = importers(m.Packages)
		rows = append(rows, row)
	}
	return rows
}

// importers are the first files that import one of several packages, changed ones
// before others.
func importers(packages []report.Required) []string {
	var changed, others []string
	for _, p := range packages {
		changed, others = append(changed, p.Imports...), append(others, p.Elsewhere...)
	}
	var out []string
	for _, file := range append(changed, others...) {
		if len(out) < 3 && !slices.Contains(out, file) {
			out = append(out, file)
		}
	}
	return out
}

type decisionRow struct {
	Section  string               `json:"section"`
	ID       string               `json:"id"`
	Kind     string               `json:"kind"`
	Title    string               `json:"title"`
	State    report.DecisionState `json:"state"`
	Validity report.Validity      `json:"validity"`
	Cites    []decisionCite       `json:"cites"` // at most three
}

type decisionCite struct {
	Symbol  string               `json:"symbol"`
	State   report.DecisionState `json:"state"`
	Drifted string               `json:"drifted"` // here or earlier
	Path    string               `json:"path"`
	Line    int                  `json:"line"`
}

func decisionRows(r *report.Report) []any {
	var rows []any
	for _, d := range r.Decisions {
		row := decisionRow{Section: "decisions", ID: d.ID, Kind: d.Kind, Title: d.Title, State: d.State, Validity: d.Validity}
		for _, c := range d.Cites[:min(len(d.Cites), 3)] {
			row.Cites = append(row.Cites, decisionCite{c.Symbol, c.State, c.Drifted, c.Path, c.Line})
		}
		rows = append(rows, row)
	}
	return rows
}

// A historyRow is a commit that is taken back or applied again, or a file that
// usually changes along and does not here.
type historyRow struct {
	Section  string `json:"section"`
	Relation string `json:"relation"` // reverts, reapplies, usually_with
	Commit   string `json:"commit"`
	Title    string `json:"title"`
	Basis    string `json:"basis"`
	Path     string `json:"path"`
	With     string `json:"with"`
	Together int    `json:"together"`
	Of       int    `json:"of"`
}

func historyRows(r *report.Report) []any {
	var rows []any
	for _, v := range r.History.Reverts {
		rows = append(rows, historyRow{Section: "history", Relation: v.Relation, Commit: v.Commit, Title: v.Title, Basis: v.Basis, Together: len(v.Files), Of: v.Of})
	}
	for _, c := range r.History.CoChange {
		rows = append(rows, historyRow{Section: "history", Relation: "usually_with", Path: c.Path, With: c.With, Together: c.Together, Of: c.Of})
	}
	return rows
}

type ownerRow struct {
	Section string   `json:"section"`
	Owners  []string `json:"owners"`
	Why     string   `json:"why"`
	Total   int      `json:"total"` // paths
	Paths   []string `json:"paths"` // at most three
}

// ownerRows has a row for each set of owners, changed paths before reached ones.
func ownerRows(r *report.Report) []any {
	var sets []*ownerRow
	at := map[string]*ownerRow{}
	for _, o := range r.Owners {
		key := o.Why + " " + strings.Join(o.Owners, " ")
		row := at[key]
		if row == nil {
			row = &ownerRow{Section: "owners", Owners: o.Owners, Why: o.Why}
			at[key], sets = row, append(sets, row)
		}
		if row.Total++; len(row.Paths) < 3 {
			row.Paths = append(row.Paths, o.Path)
		}
	}
	var rows []any
	for _, row := range sets {
		rows = append(rows, *row)
	}
	return rows
}

type overlapRow struct {
	Section     string   `json:"section"`
	PullRequest int      `json:"pull_request"`
	Ref         string   `json:"ref"`
	Total       int      `json:"total"`
	Symbols     []string `json:"symbols"`
	Files       []string `json:"files"`
}

func overlapRows(r *report.Report) []any {
	var rows []any
	for _, o := range r.Overlap {
		rows = append(rows, overlapRow{"overlap", o.PullRequest, o.Ref, o.Total, o.Symbols[:min(len(o.Symbols), 5)], o.Files[:min(len(o.Files), 5)]})
	}
	return rows
}

type changeRow struct {
	Section string        `json:"section"`
	Symbol  string        `json:"symbol"`
	Change  report.Change `json:"change"`
	Line    int           `json:"line"`
	EndLine int           `json:"end_line"`
	Effect  report.Effect `json:"signature_effect"`
	Reason  string        `json:"effect_reason"`
}

// changeRows puts last what tells least: tests, comments, and files whose symbols
// have rows of their own.
func changeRows(r *report.Report) []any {
	var rows, light []any
	for _, c := range r.Changes.Symbols {
		row := changeRow{"changes", c.ID, c.Change, c.Line, c.EndLine, c.SignatureEffect, c.EffectReason}
		if c.Test || c.Kind == "module" || c.Change == report.Doc || c.Change == report.Formatting {
			light = append(light, row)
		} else {
			rows = append(rows, row)
		}
	}
	return append(rows, light...)
}

type coverageRow struct {
	Section string `json:"section"`
	report.FileCoverage
}

func coverageRows(r *report.Report) []any {
	var rows []any
	for _, f := range r.Coverage.Files {
		f.Ranges = f.Ranges[:min(len(f.Ranges), 5)]
		rows = append(rows, coverageRow{"coverage", f})
	}
	return rows
}

type caveatRow struct {
	Section string   `json:"section"`
	ID      string   `json:"id"`
	Weakens string   `json:"weakens"` // the section that it is about
	Text    string   `json:"text"`
	Count   int      `json:"count"`
	Of      int      `json:"of"`
	Example []string `json:"examples"`
}

// caveatRows puts those first that are about more than how much was seen.
func caveatRows(r *report.Report) []any {
	var rows, seen []any
	for _, c := range r.Caveats {
		row := caveatRow{"caveats", c.ID, c.Section, c.Text, c.Count, c.Of, c.Examples[:min(len(c.Examples), 2)]}
		if isBackground(row) {
			seen = append(seen, row)
		} else {
			rows = append(rows, row)
		}
	}
	return append(rows, seen...)
}
