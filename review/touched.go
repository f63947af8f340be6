package review

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
)

// Caps of what the coverage section says about the change itself.
const (
	maxFolders = 100
	maxSites   = 50
)

// A callSite is one call: several edges may lead from it.
type callSite struct {
	from, line int32
	name       string
}

// touchedCalls counts the calls in the folders of changed code and in the changed
// files, by the strongest tier that resolves them.
func (r *reviewer) touchedCalls() ([]report.FolderCoverage, report.OwnCoverage) {
	type folder struct{ path, language string }
	rows := map[folder]*report.FolderCoverage{}
	own := report.OwnCoverage{Sites: []report.UnresolvedSite{}}
	for i := range r.Head.Files {
		if f := &r.Head.Files[i]; r.files.changed[f.Path] && isCode(f) {
			own.Files++
			rows[folder{path.Dir(f.Path), f.Language}] = &report.FolderCoverage{Path: path.Dir(f.Path), Language: f.Language}
		}
	}
	for i := range r.Head.Files {
		f := &r.Head.Files[i]
		if row := rows[folder{path.Dir(f.Path), f.Language}]; row != nil && isCode(f) {
			row.Files++
		}
	}
	in := func(s *graph.Symbol) *report.FolderCoverage { return rows[folder{path.Dir(s.Path), s.Language}] }
	for site, tier := range r.resolvedCalls(func(s *graph.Symbol) bool { return in(s) != nil }) {
		s := &r.Head.Symbols[site.from]
		countTier(&in(s).Calls, tier)
		own.Calls += btoi(r.files.changed[s.Path])
	}
	seen := map[callSite]bool{}
	for _, u := range r.Head.Unresolved {
		s := &r.Head.Symbols[u.From]
		site := callSite{u.From, u.Line, u.Name}
		if u.Kind != graph.EdgeCall || in(s) == nil || seen[site] {
			continue
		}
		seen[site] = true
		in(s).Calls.Unresolved++
		if r.files.changed[s.Path] {
			own.Calls++
			own.Unresolved++
			own.Sites = append(own.Sites, report.UnresolvedSite{Path: s.Path, Line: int(u.Line), Name: u.Name, Reason: u.Reason})
		}
	}
	slices.SortFunc(own.Sites, func(a, b report.UnresolvedSite) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Reason, b.Reason))
	})
	own.Sites = own.Sites[:min(len(own.Sites), maxSites)]
	out := []report.FolderCoverage{}
	for _, key := range slices.SortedFunc(maps.Keys(rows), func(a, b folder) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.language, b.language))
	}) {
		out = append(out, *rows[key])
	}
	if len(out) > maxFolders {
		r.caveat("review.folders_cut", "coverage", "More folders of changed code than are listed with their calls.", len(out)-maxFolders, len(out))
		out = out[:maxFolders]
	}
	return out, own
}

// isCode reports whether a file holds code that was read, whole or in part.
func isCode(f *graph.File) bool {
	return f.Language != "" && !graph.IsDocument(f.Language) && (f.State == graph.FileParsed || f.State == graph.FilePartial)
}

// resolvedCalls finds the strongest tier of every call of the wanted symbols.
func (r *reviewer) resolvedCalls(wanted func(*graph.Symbol) bool) map[callSite]graph.Tier {
	sites := map[callSite]graph.Tier{}
	for i := range r.Head.Edges {
		e := &r.Head.Edges[i]
		if e.Kind != graph.EdgeCall && e.Kind != graph.EdgeDispatch || !wanted(&r.Head.Symbols[e.From]) {
			continue
		}
		for _, line := range e.Lines {
			site := callSite{e.From, line, r.Head.Symbols[e.To].Name}
			if t, ok := sites[site]; !ok || e.Tier < t {
				sites[site] = e.Tier
			}
		}
	}
	return sites
}

// countTier counts one call.
func countTier(c *report.Calls, tier graph.Tier) {
	switch tier {
	case graph.TierCompiler:
		c.Compiler++
	case graph.TierExact:
		c.Exact++
	case graph.TierDispatch:
		c.Dispatch++
	case graph.TierImport:
		c.Import++
	case graph.TierName:
		c.Name++
	}
}
