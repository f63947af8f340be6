package review

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
)

// maxCoverageFiles bounds the list of files that were not seen whole.
const maxCoverageFiles = 500

// reportCoverage says what the graph of head has seen, and hands on every caveat
// of both graphs.
func (r *reviewer) reportCoverage() {
	if r.Sketched {
		r.sketchedCoverage()
		return
	}
	out := report.Coverage{Files: []report.FileCoverage{}, Total: len(r.Head.Files)}
	byLanguage := map[string]*report.LanguageCoverage{}
	for i := range r.Head.Files {
		f := &r.Head.Files[i]
		countFile(byLanguage, f)
		if f.State == graph.FileParsed {
			continue
		}
		out.NotParsed++
		out.Files = append(out.Files, fileCoverage(f, r.files.changed[f.Path]))
	}
	slices.SortStableFunc(out.Files, func(a, b report.FileCoverage) int { return -cmp.Compare(btoi(a.Changed), btoi(b.Changed)) })
	if len(out.Files) > maxCoverageFiles {
		r.caveat("review.coverage_cut", "coverage", "More files were not seen whole than are listed.", len(out.Files)-maxCoverageFiles, len(out.Files))
		out.Files = out.Files[:maxCoverageFiles]
	}
	for _, c := range r.Head.Counts {
		if l := byLanguage[c.Language]; l != nil {
			l.Calls = report.Calls{Compiler: c.Compiler, Exact: c.Exact, Dispatch: c.Dispatch, Import: c.Import, Name: c.Name, Unresolved: c.Unresolved, External: c.External}
		}
	}
	out.Languages = []report.LanguageCoverage{}
	for _, l := range byLanguage {
		out.Languages = append(out.Languages, *l)
	}
	slices.SortFunc(out.Languages, func(a, b report.LanguageCoverage) int {
		return cmp.Or(-cmp.Compare(a.Parsed, b.Parsed), -cmp.Compare(a.Files, b.Files), cmp.Compare(a.Language, b.Language))
	})
	out.Folders, out.Own = r.touchedCalls()
	r.out.Coverage = out
	r.graphCaveats()
}

// reportCaveats lists what the sections could not see.
func (r *reviewer) reportCaveats() {
	r.out.Caveats = append([]report.Caveat{}, r.caveats...)
	slices.SortStableFunc(r.out.Caveats, func(a, b report.Caveat) int { return cmp.Compare(a.ID, b.ID) })
}

func countFile(byLanguage map[string]*report.LanguageCoverage, f *graph.File) {
	if f.Language == "" {
		return
	}
	l := byLanguage[f.Language]
	if l == nil {
		l = &report.LanguageCoverage{Language: f.Language}
		byLanguage[f.Language] = l
	}
	l.Files++
	switch f.State {
	case graph.FileParsed:
		l.Parsed++
	case graph.FilePartial:
		l.Partial++
	default:
		l.Skipped++
	}
}

func fileCoverage(f *graph.File, changed bool) report.FileCoverage {
	row := report.FileCoverage{Path: f.Path, State: f.State.String(), Reason: f.Reason, Ranges: []report.Range{}, Changed: changed}
	for _, g := range f.Gaps {
		row.Ranges = append(row.Ranges, report.Range{Start: g.Start, End: g.End})
	}
	return row
}

// graphCaveats hands on what the linkers could not see. What only the merge base
// lacked is told as such.
func (r *reviewer) graphCaveats() {
	seen := map[string]bool{}
	for _, c := range r.Head.Caveats {
		seen[c.ID] = true
		r.caveat(c.ID, "coverage", c.Text, c.Count, c.Of, c.Examples...)
	}
	for _, c := range r.Base.Caveats {
		if !seen[c.ID] {
			r.caveat("base."+c.ID, "coverage", "At the merge base: "+c.Text, c.Count, c.Of, c.Examples...)
		}
	}
	for _, c := range r.Head.Counts {
		if n := c.Unresolved; n > 0 {
			all := c.Compiler + c.Exact + c.Dispatch + c.Import + c.Name + c.Unresolved + c.External
			r.caveat("calls.unresolved."+c.Language, "impact", fmt.Sprintf("Calls in %s whose target was not found: what they reach is not in the blast radius.", c.Language), n, all)
		}
	}
}
