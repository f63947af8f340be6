package query

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/graph/store"
)

func summary(t store.Totals) answer.Summary {
	s := answer.Summary{Files: t.Files, Parsed: t.Parsed, Partial: t.Partial, NotParsed: t.Files - t.Parsed - t.Partial}
	if t.Untyped > 0 {
		s.Types = answer.TypesOff
	}
	return s
}

func describe(s graph.Symbol) answer.Symbol {
	return answer.Symbol{
		ID: string(s.ID), Name: s.Qualified(), Kind: s.Kind.String(), Language: s.Language, Path: s.Path,
		Line: s.Line, EndLine: s.EndLine, Exported: s.Exported, Test: s.Test, Signature: s.Signature,
	}
}

func describeAll(symbols []graph.Symbol) []answer.Symbol {
	out := make([]answer.Symbol, len(symbols))
	for i, s := range symbols {
		out[i] = describe(s)
	}
	return out
}

func describeEdges(refs []store.Reference) []answer.Edge {
	out := make([]answer.Edge, len(refs))
	for i, r := range refs {
		out[i] = answer.Edge{Symbol: describe(r.Symbol), Kind: r.Kind.String(), Tier: r.Tier.String(), Lines: r.Lines}
	}
	return out
}

func describeSteps(steps []store.Step) []answer.Step {
	out := make([]answer.Step, len(steps))
	for i, s := range steps {
		out[i] = answer.Step{From: describe(s.From), To: describe(s.To), Kind: s.Kind.String(), Tier: s.Tier.String(), Lines: s.Lines}
	}
	return out
}

func kindNames(kinds []graph.EdgeKind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	return names
}

func describeCoverage(h answer.Header, paths []string, seen store.Coverage) answer.Coverage {
	a := answer.Coverage{Header: h, Paths: append([]string{}, paths...), Languages: languages(seen), Files: []answer.File{}, Caveats: []answer.Caveat{}}
	for _, f := range seen.Files {
		if len(paths) > 0 || f.State != graph.FileParsed {
			a.Files = append(a.Files, describeFile(f))
		}
	}
	for _, c := range seen.Caveats {
		a.Caveats = append(a.Caveats, answer.Caveat{ID: c.ID, Text: c.Text, Count: c.Count, Of: c.Of, Examples: append([]string{}, c.Examples...)})
	}
	return a
}

func describeFile(f graph.File) answer.File {
	file := answer.File{Path: f.Path, Blob: f.Blob, Language: f.Language, State: f.State.String(), Reason: f.Reason,
		Ranges: []answer.Range{}, Generated: f.Generated}
	for _, g := range f.Gaps {
		file.Ranges = append(file.Ranges, answer.Range{Start: g.Start, End: g.End})
	}
	return file
}

// languages counts files and calls by language.
func languages(c store.Coverage) []answer.Language {
	byName := map[string]*answer.Language{}
	at := func(name string) *answer.Language {
		if byName[name] == nil {
			byName[name] = &answer.Language{Language: name}
		}
		return byName[name]
	}
	for _, f := range c.Files {
		if f.Language == "" {
			continue
		}
		l := at(f.Language)
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
	for _, n := range c.Counts {
		at(n.Language).Calls = answer.Calls{
			Compiler: n.Compiler, Exact: n.Exact, Dispatch: n.Dispatch, Import: n.Import, Name: n.Name,
			Unresolved: n.Unresolved, External: n.External,
		}
	}
	out := []answer.Language{}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, *byName[name])
	}
	return out
}

// An edge is one edge by the places of its ends, before its kind and tier become
// texts.
type edge struct {
	answer.Places
	kind graph.EdgeKind
	tier graph.Tier
}

func edgesOf(g *graph.Graph, kinds []graph.EdgeKind, nested bool) []answer.Places {
	caller := func(i int32) int32 { return i }
	if !nested {
		caller = outermost(g)
	}
	var found []edge
	for _, e := range g.Edges {
		if !slices.Contains(kinds, e.Kind) {
			continue
		}
		from, to := &g.Symbols[caller(e.From)], &g.Symbols[e.To]
		found = append(found, edge{answer.Places{
			CallerPath: from.Path, CallerLine: from.Line, CalleePath: to.Path, CalleeLine: to.Line,
			Kind: e.Kind.String(), Tier: e.Tier.String(), Lines: e.Lines,
		}, e.Kind, e.Tier})
	}
	slices.SortFunc(found, func(a, b edge) int { return cmp.Or(compareEnds(a, b), slices.Compare(a.Lines, b.Lines)) })
	return joined(found)
}

func compareEnds(a, b edge) int {
	return cmp.Or(cmp.Compare(a.CallerPath, b.CallerPath), cmp.Compare(a.CallerLine, b.CallerLine),
		cmp.Compare(a.CalleePath, b.CalleePath), cmp.Compare(a.CalleeLine, b.CalleeLine),
		cmp.Compare(a.kind, b.kind), cmp.Compare(a.tier, b.tier))
}

// joined makes one edge of those that differ in their sites only.
func joined(edges []edge) []answer.Places {
	out := []answer.Places{}
	for i, e := range edges {
		if i > 0 && compareEnds(edges[i-1], e) == 0 {
			last := &out[len(out)-1]
			lines := append(slices.Clone(last.Lines), e.Lines...)
			slices.Sort(lines)
			last.Lines = slices.Compact(lines)
			continue
		}
		out = append(out, e.Places)
	}
	return out
}

// outermost finds for a symbol the function that no other function contains, for a
// function literal also the variable, or the symbol itself if it lies in none.
func outermost(g *graph.Graph) func(int32) int32 {
	type name struct{ path, qualified string }
	functions := map[name][]int32{} // several if a name is overloaded or defined again
	for i := range g.Symbols {
		if s := &g.Symbols[i]; s.Kind.Callable() || s.Kind == graph.KindVariable {
			n := name{s.Path, s.Qualified()}
			functions[n] = append(functions[n], int32(i))
		}
	}
	return func(i int32) int32 {
		s := &g.Symbols[i]
		for end := 0; end < len(s.Container); end++ {
			next := strings.IndexByte(s.Container[end:], '.')
			if next < 0 {
				next = len(s.Container) - end
			}
			end += next
			for _, f := range functions[name{s.Path, s.Container[:end]}] {
				around := &g.Symbols[f]
				if around.Start <= s.Start && s.End <= around.End && (around.Kind.Callable() || s.Kind == graph.KindLiteral) {
					return f
				}
			}
		}
		return i
	}
}
