package review

import (
	"cmp"
	"context"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/goapi"
	"github.com/previdence/previdence/review/report"
)

// GoTypes is what some Go packages of both trees declare, by directory.
type GoTypes struct {
	Base, Head map[string]*types.Package
	Dirs       map[string]string // import path → directory, of the packages of either tree
}

// maxSurfaces bounds the packages whose types are compared.
const maxSurfaces = 200

// compareSurfaces compares the types of the Go packages whose surface may have
// changed, and judges the changed signatures there by them.
func (r *reviewer) compareSurfaces(ctx context.Context) error {
	dirs := r.doubtfulDirs()
	if r.GoTypes == nil || len(dirs) == 0 {
		return nil
	}
	if len(dirs) > maxSurfaces {
		r.caveat("review.surfaces_not_compared", "api", "The types of some Go packages were not compared; their signatures were.", len(dirs)-maxSurfaces, len(dirs), dirs[maxSurfaces:]...)
		dirs = dirs[:maxSurfaces]
	}
	known, err := r.GoTypes(ctx, dirs)
	if err != nil {
		return err
	}
	r.goDirs = known.Dirs
	var failed []string
	for _, dir := range dirs {
		before, after := known.Base[dir], known.Head[dir]
		if before == nil || after == nil {
			continue // the package came or went, which needs no types, or was not checked
		}
		c, err := goapi.Compare(before, after)
		if err != nil {
			failed = append(failed, dir)
			continue
		}
		r.surfaces[dir] = c
	}
	if len(failed) > 0 {
		r.caveat("review.surfaces_failed", "api", "The types of some Go packages could not be compared; their signatures were.", len(failed), len(dirs), failed...)
	}
	r.judgeByTypes()
	return nil
}

// doubtfulDirs are the directories of packages that can be imported and whose
// changes need types to be judged: what stands alone in its package and came or
// went needs none, and what a function does is no part of a surface.
func (r *reviewer) doubtfulDirs() []string {
	dirs, inner := map[string]bool{}, map[string]bool{}
	for _, c := range r.changes {
		s := r.symbol(c)
		if s.Language != "go" || s.Test || strings.HasSuffix(s.Path, "_test.go") || !doubtful(c, s) {
			continue
		}
		for _, dir := range []string{path.Dir(s.Path), path.Dir(r.was(c).Path)} {
			if r.importableDir(dir) {
				dirs[dir] = true
			} else if !s.Kind.Callable() || s.Container != "" {
				inner[dir] = true
			}
		}
	}
	// What an internal package declares, others publish by embedding it.
	for i := range r.Head.Edges {
		e := &r.Head.Edges[i]
		from, to := &r.Head.Symbols[e.From], &r.Head.Symbols[e.To]
		if e.Kind == graph.EdgeImport && from.Language == "go" && inner[path.Dir(to.Path)] && !strings.HasSuffix(from.Path, "_test.go") {
			if dir := path.Dir(from.Path); r.importableDir(dir) {
				dirs[dir] = true
			}
		}
	}
	return sorted(dirs)
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// doubtful reports whether only types can say what a change does to a surface.
func doubtful(c change, s *graph.Symbol) bool {
	switch c.kind {
	case report.Doc, report.Formatting, report.Attributes:
		return false
	case report.Body:
		return !s.Kind.Callable() && s.Kind != graph.KindModule
	case report.Added, report.Removed:
		return s.Container != ""
	}
	return s.Kind != graph.KindModule
}

// judgeByTypes puts the verdict of the types in place of that of the text for
// every changed signature that was compared.
func (r *reviewer) judgeByTypes() {
	for i := range r.changes {
		c := &r.changes[i]
		s := r.symbol(*c)
		surface, ok := r.surfaces[path.Dir(s.Path)]
		if !ok || c.kind != report.Signature || !r.published(s) {
			continue
		}
		said, found := changeOf(surface, s.Qualified())
		switch {
		case found && said.Effect == goapi.Unknown, !found && surface.Unknown[s.Qualified()]:
			c.effect = report.UnknownEffect
		case !found:
			c.effect, c.reason = report.Compatible, "its type is the same"
		default:
			c.effect = effectOf(said.Effect)
			if c.reason == "" || c.effect == report.Compatible || c.reason == "declaration differs" {
				c.reason = said.Text
			}
		}
	}
}

func changeOf(c goapi.Comparison, name string) (goapi.Change, bool) {
	i := slices.IndexFunc(c.Changes, func(c goapi.Change) bool { return c.Package == "" && c.Name == name })
	if i < 0 {
		return goapi.Change{}, false
	}
	return c.Changes[i], true
}

func effectOf(e goapi.Effect) report.Effect {
	switch e {
	case goapi.Compatible:
		return report.Compatible
	case goapi.Breaking:
		return report.Breaking
	}
	return report.UnknownEffect
}

// typedAPI adds what the types of Go packages say of their surface.
func (r *reviewer) typedAPI(out *report.API) {
	at := surfaceIndex{base: goNames(r.Base), head: goNames(r.Head)}
	seen := map[string]bool{}
	for _, dir := range sortedDirs(r.surfaces) {
		for _, c := range r.surfaces[dir].Changes {
			where := dir
			if c.Package != "" {
				if where = r.goDirs[c.Package]; where == "" {
					where = dir // of a dependency: what publishes it is all that is here
				}
			}
			key := where + "#" + c.Name + "#" + c.Text
			if !seen[key] {
				seen[key] = true
				r.addTyped(out, at, where, c)
			}
		}
	}
	for _, c := range r.changes {
		// Types that are unknown on both sides do not differ; the text does.
		s := r.symbol(c)
		surface, ok := r.surfaces[path.Dir(s.Path)]
		if !ok || c.kind != report.Signature || c.effect != report.UnknownEffect || !r.published(s) {
			continue
		}
		if _, said := changeOf(surface, s.Qualified()); !said {
			out.Changed = append(out.Changed, report.APIChange{
				Symbol: string(s.ID), From: r.Base.Symbols[c.base].Signature, To: s.Signature, Effect: c.effect, Reason: "a type from elsewhere is not known here",
			})
		}
	}
}

func sortedDirs(m map[string]goapi.Comparison) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// addTyped adds one change under the ID of the symbol that it is about, or, if a
// type has the member from elsewhere, of that type.
func (r *reviewer) addTyped(out *report.API, at surfaceIndex, dir string, c goapi.Change) {
	name := owned{dir, c.Name}
	outer, member, isMember := strings.Cut(c.Name, ".")
	switch {
	case c.Added && c.Effect == goapi.Compatible:
		if s := at.head[name]; s != nil {
			out.Added = append(out.Added, string(s.ID))
			return
		}
	case c.Removed && c.Effect != goapi.Compatible:
		if s := at.base[name]; s != nil {
			out.Removed = append(out.Removed, string(s.ID))
			return
		}
	}
	s, old := at.head[name], at.base[name]
	reason := c.Text
	if isMember && (s == nil || c.Added || c.Removed) {
		s, old = at.head[owned{dir, outer}], at.base[owned{dir, outer}]
		reason = memberReason(c, member, s)
	}
	if s == nil {
		return // published by no file that the graph has
	}
	row := report.APIChange{Symbol: string(s.ID), From: c.From, To: c.To, Effect: effectOf(c.Effect), Reason: reason}
	if old != nil && s.Kind.Callable() {
		row.From, row.To = old.Signature, s.Signature
		if effect, why := signatureEffect(old, s); effect == row.Effect && effect == report.Breaking {
			row.Reason = why // names the parameter
		}
	}
	out.Changed = append(out.Changed, row)
}

// memberReason says what became of a member that its type has from elsewhere, or
// that does more to its type than to itself.
func memberReason(c goapi.Change, member string, owner *graph.Symbol) string {
	switch {
	case c.Added && c.Effect != goapi.Compatible && owner != nil && owner.Kind == graph.KindInterface:
		return "gains method " + member + ": types elsewhere that implement it no longer do"
	case c.Added:
		return "gains " + member
	case c.Removed:
		return "loses " + member + strings.TrimPrefix(c.Text, "removed")
	}
	return member + ": " + c.Text
}

// A surfaceIndex finds the Go symbols of both trees by directory and name.
type surfaceIndex struct{ base, head map[owned]*graph.Symbol }

func goNames(g *graph.Graph) map[owned]*graph.Symbol {
	names := map[owned]*graph.Symbol{}
	for i := range g.Symbols {
		s := &g.Symbols[i]
		if s.Language != "go" || s.Kind == graph.KindModule || s.Kind == graph.KindPackage || s.Kind == graph.KindLiteral || strings.HasSuffix(s.Path, "_test.go") {
			continue
		}
		if at := (owned{path.Dir(s.Path), s.Qualified()}); names[at] == nil {
			names[at] = s
		}
	}
	return names
}

// typed reports whether types, not signatures, say what became of a symbol.
func (r *reviewer) typed(c change) bool {
	s := r.symbol(c)
	if s.Language != "go" {
		return false
	}
	_, ok := r.surfaces[path.Dir(s.Path)]
	return ok
}

// crossed reports whether a Go symbol lies in another package than before, be it
// that nothing else changed: who imports a package names its directory.
func (r *reviewer) crossed(base, head int32) bool {
	return base != graph.None && head != graph.None && r.Base.Symbols[base].Language == "go" &&
		path.Dir(r.Base.Symbols[base].Path) != path.Dir(r.Head.Symbols[head].Path)
}

// crossedAPI says of symbols that crossed that one package lost them and another
// gained them. A package whose types were compared says so itself.
func (r *reviewer) crossedAPI(out *report.API) {
	lone := func(s *graph.Symbol) bool {
		_, compared := r.surfaces[path.Dir(s.Path)]
		return !compared && s.Container == "" && r.published(s)
	}
	for b, h := range r.pairs.toHead {
		if !r.crossed(int32(b), h) {
			continue
		}
		if was := &r.Base.Symbols[b]; lone(was) {
			out.Removed = append(out.Removed, string(was.ID))
		}
		if is := &r.Head.Symbols[h]; lone(is) {
			out.Added = append(out.Added, string(is.ID))
		}
	}
}

// orderAPI sorts the lists, which types and signatures filled in turn.
func orderAPI(out *report.API) {
	slices.Sort(out.Added)
	slices.Sort(out.Removed)
	out.Added, out.Removed = slices.Compact(out.Added), slices.Compact(out.Removed)
	slices.SortStableFunc(out.Changed, func(a, b report.APIChange) int {
		return cmp.Or(cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Reason, b.Reason))
	})
}
