package review

import (
	"path"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
)

// reportAPI lists what the exported surface gains, loses and changes.
func (r *reviewer) reportAPI() {
	out := report.API{Added: []string{}, Removed: []string{}, Changed: []report.APIChange{}}
	passed := r.passedNames()
	for _, c := range r.changes {
		s := r.symbol(c)
		if r.typed(c) || r.crossed(c.base, c.head) {
			continue
		}
		if !r.published(s) || r.goesWithOwner(c) || passed[name{s.Name, c.kind}] && s.Language == "python" && privatePython(s.Path) {
			continue
		}
		switch c.kind {
		case report.Added:
			out.Added = append(out.Added, string(s.ID))
		case report.Removed:
			out.Removed = append(out.Removed, string(s.ID))
		case report.Renamed:
			out.Removed = append(out.Removed, string(r.Base.Symbols[c.base].ID))
			out.Added = append(out.Added, string(s.ID))
		case report.Signature:
			out.Changed = append(out.Changed, report.APIChange{
				Symbol: string(s.ID), From: r.Base.Symbols[c.base].Signature, To: s.Signature, Effect: c.effect, Reason: c.reason,
			})
		}
	}
	r.crossedAPI(&out)
	r.typedAPI(&out)
	orderAPI(&out)
	r.out.API = out
}

// A name is one that came or went.
type name struct {
	name string
	kind report.Change
}

// passedNames lists the names that Python packages began or ceased to pass on.
// The definition behind such a name, in a private module, is the same surface.
func (r *reviewer) passedNames() map[name]bool {
	names := map[name]bool{}
	for _, c := range r.changes {
		if s := r.symbol(c); s.Kind == graph.KindReexport && s.Language == "python" && s.Container == "" {
			names[name{s.Name, c.kind}] = true
		}
	}
	return names
}

// goesWithOwner is true for a member of a type that was added or removed as a
// whole: the type says it all.
func (r *reviewer) goesWithOwner(c change) bool {
	s := r.symbol(c)
	if s.Container == "" {
		return false
	}
	if r.wholes == nil {
		r.wholes = map[owned]report.Change{}
		for _, o := range r.changes {
			if o.kind == report.Added || o.kind == report.Removed {
				r.wholes[owned{r.symbol(o).Path, r.symbol(o).Qualified()}] = o.kind
			}
		}
	}
	kind, ok := r.wholes[owned{s.Path, s.Container}]
	return ok && kind == c.kind
}

// published reports whether code outside the repository can name the symbol.
func (r *reviewer) published(s *graph.Symbol) bool {
	if !s.Exported || s.Test || s.Kind == graph.KindModule || s.Kind == graph.KindTest || r.inTests(s.Path) {
		return false
	}
	switch s.Language {
	case "go":
		return r.importableDir(path.Dir(s.Path)) && !strings.HasSuffix(s.Path, "_test.go")
	case "python":
		return !privatePython(s.Path) || r.passedOn(s)
	case "javascript", "typescript", "tsx":
		return r.offered(s)
	}
	return true
}

// importableDir reports whether code of other modules can import the Go package
// in a directory.
func (r *reviewer) importableDir(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if part == "internal" || part == "testdata" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") && part != "." {
			return false
		}
	}
	return !r.mainDirs()[dir]
}

// privatePython is true below a module or package whose name starts with one
// underscore.
func privatePython(p string) bool {
	for _, part := range strings.Split(p, "/") {
		if strings.HasPrefix(part, "_") && !strings.HasPrefix(part, "__") {
			return true
		}
	}
	return false
}

// passedOn is true if the __init__.py of a public package takes the symbol, or
// the class around it, from its private module: that is how Python publishes.
func (r *reviewer) passedOn(s *graph.Symbol) bool {
	if r.public == nil {
		r.public = map[owned]bool{}
		for _, g := range []*graph.Graph{r.Base, r.Head} {
			publicNames(g, r.public)
		}
	}
	outer, _, _ := strings.Cut(s.Qualified(), ".")
	return r.public[owned{s.Path, outer}]
}

func publicNames(g *graph.Graph, public map[owned]bool) {
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Kind != graph.EdgeImport {
			continue
		}
		from, to := &g.Symbols[e.From], &g.Symbols[e.To]
		if path.Base(from.Path) == "__init__.py" && !privatePython(from.Path) && to.Kind != graph.KindModule {
			public[owned{to.Path, to.Qualified()}] = true
		}
	}
}

// mainDirs are the folders of Go programs: nothing outside can import them.
func (r *reviewer) mainDirs() map[string]bool {
	if r.mains == nil {
		r.mains = map[string]bool{}
		for _, g := range []*graph.Graph{r.Base, r.Head} {
			for i := range g.Symbols {
				s := &g.Symbols[i]
				if s.Language == "go" && s.Kind == graph.KindFunction && s.Name == "main" && !strings.HasSuffix(s.Path, "_test.go") {
					r.mains[path.Dir(s.Path)] = true
				}
			}
		}
	}
	return r.mains
}

// entryKind says whether a symbol is a way in from outside.
func (r *reviewer) entryKind(s *graph.Symbol) string {
	switch {
	case s.Language == "go" && s.Kind == graph.KindFunction && s.Name == "main" && r.mainDirs()[path.Dir(s.Path)]:
		return doorMain
	case s.Language == "python" && s.Kind == graph.KindModule && path.Base(s.Path) == "__main__.py":
		return doorMain
	case s.Language == "python" && s.Kind == graph.KindFunction && s.Name == "__main__":
		return doorMain // the block below if __name__ == "__main__"
	case s.Kind.Callable() && !s.Generated && r.published(s):
		return doorAPI
	}
	return ""
}
