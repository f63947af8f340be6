package golang

import (
	"cmp"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	extract "github.com/previdence/previdence/graph/extract/golang"
	"github.com/previdence/previdence/graph/link"
)

// found is what the caveats are made of.
type found struct {
	failed   []string // directories whose check panicked
	circular []string // directories that import each other in a circle
	standIns map[string]bool
	outside  map[string]bool
	outlined []string // packages of the standard library that are known by its outline
	missing  []string // modules that stand-ins should come from
	edges    []graph.Edge
}

// keep takes over what one platform found.
func (b *build) keep(all *whole) {
	f := &b.found
	if f.edges == nil {
		f.edges = all.edges // not twice in memory for the usual one platform
	} else {
		f.edges = append(f.edges, all.edges...)
	}
	b.out.Unresolved = append(b.out.Unresolved, all.unresolved...)
	addCounts(&b.counts, &all.counts)
	if f.standIns == nil {
		f.standIns, f.outside = map[string]bool{}, map[string]bool{}
	}
	for p := range b.standIns {
		f.standIns[p] = true
	}
	for p := range b.outside {
		f.outside[p] = true
	}
}

// output puts everything into an order that does not depend on workers.
func (t *tree) output() link.Output {
	t.out.Edges = graph.MergeEdges(t.found.edges, len(t.in.Symbols)+len(t.out.Symbols), sameEdge)
	slices.SortFunc(t.out.Unresolved, func(a, b graph.Unresolved) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.In, b.In), cmp.Compare(a.Reason, b.Reason))
	})
	if len(t.files) > 0 {
		t.counts.Language = extract.Language
		t.out.Counts = []graph.Counts{t.counts}
	}
	t.caveats()
	return t.out
}

// sameEdge reports whether edges differ in their lines only. Of dispatches the
// strongest tier stays: what may happen on one platform is not latent because it
// cannot on another.
func sameEdge(a, b *graph.Edge) bool {
	return a.From == b.From && a.To == b.To && a.Kind == b.Kind && (a.Tier == b.Tier || a.Kind == graph.EdgeDispatch)
}

// see notes that the build has linked a file.
func (b *build) see(f *file) {
	b.platforms[f.path] = append(b.platforms[f.path], b.platform)
}

func (t *tree) caveats() {
	var ignored, excluded, elsewhere, cgo, named, bodiless []string
	for _, f := range t.files {
		switch {
		case t.platforms[f.path] != nil:
			if p := t.platforms[f.path][0]; p != t.first {
				elsewhere = append(elsewhere, f.path+" ("+p.String()+")")
			}
		case t.modules.ignored(f.dir):
			ignored = append(ignored, f.path)
		case f.pkgName != "":
			excluded = append(excluded, f.path)
		}
		linked := t.platforms[f.path] != nil
		if linked && f.in.Facts.Notes[extract.NoteCgo] != "" {
			cgo = append(cgo, f.path)
		}
		if linked && f.in.Facts.Notes[extract.NoteNamed] != "" {
			named = append(named, f.path)
		}
		if linked && declaresOnly(f.in.Facts) {
			bodiless = append(bodiless, f.path)
		}
	}
	n := len(t.files)
	t.caveat("go.stand_in_packages", "Packages from outside the tree were not on this machine; calls through their types are not resolved.",
		sortedKeys(t.found.standIns), len(t.found.outside))
	t.caveat("go.outlined_packages", "There is no Go distribution on this machine; packages of the standard library are known by what they declare in "+outlineVersion()+".",
		t.found.outlined, len(t.found.outside))
	t.caveat("go.missing_modules", "Modules that the tree is built with are not in the module cache of this machine.",
		t.found.missing, len(t.modules.buildList()))
	t.caveat("go.build_constraints", "Go files are left out of the build for the platforms that were checked; only their definitions are known.", excluded, n)
	t.caveat("go.other_platforms", "Go files are built for another platform than the first that was checked; their references hold there only.", elsewhere, n)
	t.caveat("go.ignored_directories", "Go files lie in directories that the go command ignores; only their definitions are known.", ignored, n)
	t.caveat("go.cgo", "Go files use cgo; calls into C are not resolved.", cgo, n)
	t.caveat("go.linkname", "Go files use go:linkname; calls that it leads past the compiler are not resolved.", named, n)
	t.caveat("go.no_body", "Go files declare functions that are written in assembly or elsewhere; what these call is not known.", bodiless, n)
	t.caveat("go.checker_failed", "Packages could not be type-checked; their references are missing.", t.found.failed, len(t.dirs))
	t.caveat("go.import_cycles", "Packages import each other in a circle; their references may be incomplete.", t.found.circular, len(t.dirs))
}

// declaresOnly reports whether a file declares a function without a body.
func declaresOnly(f *graph.Facts) bool {
	return slices.ContainsFunc(f.Symbols, func(s graph.SymbolFact) bool {
		method := s.Kind == graph.KindMethod && s.Parent == graph.None // not one of an interface
		return s.Flags&graph.FlagAbstract != 0 && (method || s.Kind == graph.KindFunction)
	})
}

func (t *tree) caveat(id, text string, what []string, of int) {
	slices.Sort(what)
	what = slices.Compact(what)
	if len(what) == 0 {
		return
	}
	t.out.Caveats = append(t.out.Caveats, graph.Caveat{
		ID: id, Text: text, Count: len(what), Of: of, Examples: slices.Clone(what[:min(len(what), 5)]),
	})
	slices.SortFunc(t.out.Caveats, func(a, b graph.Caveat) int { return strings.Compare(a.ID, b.ID) })
}
