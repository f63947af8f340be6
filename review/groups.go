package review

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// Bounds of the section.
const (
	maxGrouped      = 2000 // changed files that are compared
	maxGroups       = 50
	maxGroupFiles   = 200
	maxGroupSymbols = 20
	maxBridges      = 50
)

// A clustering joins changed files that something connects.
type clustering struct {
	parent map[string]string
}

func (c *clustering) of(path string) string {
	for c.parent[path] != path {
		c.parent[path] = c.parent[c.parent[path]]
		path = c.parent[path]
	}
	return path
}

func (c *clustering) has(path string) bool { _, ok := c.parent[path]; return ok }

// join connects two files, if both changed.
func (c *clustering) join(a, b string) {
	if !c.has(a) || !c.has(b) {
		return
	}
	x, y := c.of(a), c.of(b)
	if x != y {
		c.parent[max(x, y)] = min(x, y)
	}
}

// reportGroups splits the pull request into changes that nothing known connects.
// To say so wrongly costs more than to say nothing, so anything connects: an edge
// of either graph between two changed files, a folder that both lie in, the name of
// the files, a package that one asks for and the other imports, a document that
// names the change, and a word that comes or goes in both.
func (r *reviewer) reportGroups(ctx context.Context) error {
	core := r.changedSources()
	if len(core) < 2 {
		r.out.Groups = report.Groups{Total: len(core), Rest: []string{}}
		return nil
	}
	c := &clustering{parent: map[string]string{}}
	for i, f := range r.out.Changes.Files {
		if i == maxGrouped {
			r.caveat("review.groups_not_compared", "groups", "Too many files changed to look for independent changes.", len(r.out.Changes.Files), 0)
			return nil
		}
		c.parent[f.Path] = f.Path
	}
	if err := r.connect(ctx, c); err != nil {
		return err
	}
	r.out.Groups = r.groupsOf(c, core)
	return nil
}

// changedSources are the changed files outside the tests with a changed symbol
// that does something.
func (r *reviewer) changedSources() map[string]bool {
	files := map[string]bool{}
	for _, c := range r.changes {
		s := r.symbol(c)
		if c.kind == report.Doc || c.kind == report.Formatting || s.Test || s.Generated || r.inTests(s.Path) {
			continue
		}
		files[s.Path] = true
	}
	return files
}

func (r *reviewer) connect(ctx context.Context, c *clustering) error {
	folders, stems := map[string]string{}, map[string]string{}
	for _, f := range r.out.Changes.Files {
		if dir := path.Dir(f.Path); dir != "." {
			joinFirst(c, folders, dir, f.Path)
		}
	}
	for _, f := range r.out.Changes.Files {
		joinFirst(c, stems, stem(f.Path), f.Path)
	}
	for _, m := range r.out.Dependencies.Manifests {
		for _, p := range m.Packages {
			for _, file := range p.Imports {
				c.join(m.Path, file)
			}
		}
	}
	r.connectEdges(c, r.Head, func(p string) string { return p })
	r.connectEdges(c, r.Base, func(p string) string {
		if now, ok := r.files.head(p); ok {
			return now
		}
		return p
	})
	for _, d := range r.out.Documents {
		for _, id := range d.Symbols {
			c.join(d.Path, r.pathOf(graph.SymbolID(id)))
		}
	}
	return r.connectWords(ctx, c)
}

// joinFirst connects a file with the first that has the same mark.
func joinFirst(c *clustering, first map[string]string, mark, file string) {
	if at, ok := first[mark]; ok {
		c.join(at, file)
	} else {
		first[mark] = file
	}
}

// stem is what the name of a file says it is about: groups.test.js is about group.
// A name that every folder may have says nothing, and is the path itself.
func stem(p string) string {
	s, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(path.Base(p), "._")), ".")
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(s, "_test"), "test_"), "s")
	switch s {
	case "", "index", "main", "mod", "lib", "util", "helper", "type", "doc", "readme", "__init__", "setup", "config", "error", "constant", "package":
		return p
	}
	return s
}

func (r *reviewer) connectEdges(c *clustering, g *graph.Graph, place func(string) string) {
	for i := range g.Edges {
		e := &g.Edges[i]
		from, to := &g.Symbols[e.From], &g.Symbols[e.To]
		if from.Path != to.Path {
			c.join(place(from.Path), place(to.Path))
		}
	}
}

func (r *reviewer) pathOf(id graph.SymbolID) string {
	if i, ok := r.Head.Find(id); ok {
		return r.Head.Symbols[i].Path
	}
	if i, ok := r.Base.Find(id); ok {
		return r.Base.Symbols[i].Path
	}
	return ""
}

// connectWords joins files in which the same telling word comes or goes, and a file
// with those that it names by folder and name: admin/groups, admin.groups.list.
func (r *reviewer) connectWords(ctx context.Context, c *clustering) error {
	first := map[string]string{} // by word
	ends := map[[2]string]string{}
	for _, f := range r.out.Changes.Files {
		name, _, _ := strings.Cut(path.Base(f.Path), ".")
		ends[[2]string{path.Base(path.Dir(f.Path)), name}] = f.Path
	}
	for _, f := range r.Changes {
		if f.Mode == worktree.ModeSubmodule || f.Mode == worktree.ModeSymlink {
			continue
		}
		old, err := r.blob(ctx, f.OldOID)
		if err != nil {
			return err
		}
		now, err := r.blob(ctx, f.OID)
		if err != nil {
			return err
		}
		for _, w := range movedWords(old, now) {
			joinFirst(c, first, w, f.Path)
		}
		for p := range namedPaths(now) {
			if at, ok := ends[p]; ok {
				c.join(at, f.Path)
			}
		}
	}
	return nil
}

// namedPaths are the pairs of neighbours in what a text writes with slashes or dots.
func namedPaths(text []byte) iter.Seq[[2]string] {
	return func(yield func([2]string) bool) {
		for w := range bytes.FieldsFuncSeq(text, func(r rune) bool { return r != '.' && r != '/' && noWord(r) }) {
			last := ""
			for part := range bytes.FieldsFuncSeq(w, noWord) {
				if last != "" && !yield([2]string{last, string(part)}) {
					return
				}
				last = string(part)
			}
		}
	}
}

// movedWords are the telling words that one version has more often than the other.
func movedWords(old, now []byte) []string {
	count := map[string]int{}
	for w := range strings.FieldsFuncSeq(string(old), noWord) {
		if telling(w) {
			count[w]--
		}
	}
	for w := range strings.FieldsFuncSeq(string(now), noWord) {
		if telling(w) {
			count[w]++
		}
	}
	maps.DeleteFunc(count, func(_ string, n int) bool { return n == 0 })
	return slices.Sorted(maps.Keys(count))
}

func noWord(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// telling is true for a name that somebody has put together: NewClient, user_id.
// Single words are of everybody.
func telling(w string) bool {
	w = strings.Trim(w, "-_")
	if len(w) < 6 || len(w) > 80 {
		return false
	}
	inner := false
	lower := false
	for i, c := range w {
		switch {
		case c == '_' || c == '-' || i > 0 && unicode.IsUpper(c) && lower:
			inner = true
		}
		lower = unicode.IsLower(c)
	}
	return inner
}

// groupsOf lists the parts that hold source, largest first, and what is left.
func (r *reviewer) groupsOf(c *clustering, core map[string]bool) report.Groups {
	members := map[string][]string{}
	real := map[string]bool{}
	for _, f := range r.out.Changes.Files {
		at := c.of(f.Path)
		members[at] = append(members[at], f.Path)
		real[at] = real[at] || core[f.Path]
	}
	roots := slices.Sorted(maps.Keys(real))
	slices.SortStableFunc(roots, func(a, b string) int { return len(members[b]) - len(members[a]) })
	out := report.Groups{List: []report.Group{}, Bridges: []report.Bridge{}, Rest: []string{}}
	number := map[string]int{}
	for _, root := range roots {
		if !real[root] {
			out.Rest = append(out.Rest, members[root]...)
			continue
		}
		number[root] = out.Total
		out.Total++
		files := members[root]
		slices.Sort(files)
		out.List = append(out.List, report.Group{Files: files[:min(len(files), maxGroupFiles)], Total: len(files), Symbols: []string{}})
	}
	slices.Sort(out.Rest)
	if out.Total < 2 {
		return report.Groups{Total: out.Total, List: []report.Group{}, Bridges: []report.Bridge{}, Rest: []string{}}
	}
	out.Rest = out.Rest[:min(len(out.Rest), maxGroupFiles)]
	r.nameGroups(&out, c, number)
	out.Bridges = r.bridges(c, number)
	out.List = out.List[:min(len(out.List), maxGroups)]
	return out
}

// nameGroups adds to each group its changed symbols, those that matter most first.
func (r *reviewer) nameGroups(out *report.Groups, c *clustering, number map[string]int) {
	ordered := slices.Clone(r.changes)
	slices.SortStableFunc(ordered, func(a, b change) int { // what was there says more than what is new
		return cmp.Compare(btoi(a.kind == report.Added), btoi(b.kind == report.Added))
	})
	for _, change := range ordered {
		s := r.symbol(change)
		if s.Test || s.Kind == graph.KindModule || change.kind == report.Doc || change.kind == report.Formatting || !c.has(s.Path) {
			continue
		}
		n, ok := number[c.of(s.Path)]
		if g := &out.List[n]; ok && len(g.Symbols) < maxGroupSymbols {
			g.Symbols = append(g.Symbols, string(s.ID))
		}
	}
}

// bridges are unchanged symbols outside the tests that use changes of several
// groups.
func (r *reviewer) bridges(c *clustering, number map[string]int) []report.Bridge {
	reached := map[int32]map[int]bool{}
	for _, change := range r.changes {
		if change.head == graph.None || !c.has(r.symbol(change).Path) {
			continue
		}
		n, ok := number[c.of(r.symbol(change).Path)]
		if !ok {
			continue
		}
		for _, i := range r.Head.In(change.head) {
			e := &r.Head.Edges[i]
			from := &r.Head.Symbols[e.From]
			if e.Kind == graph.EdgeImport || c.has(from.Path) || from.Kind == graph.KindLiteral || from.Test || isDocument(from) || r.inTests(from.Path) {
				continue
			}
			if reached[e.From] == nil {
				reached[e.From] = map[int]bool{}
			}
			reached[e.From][n] = true
		}
	}
	out := []report.Bridge{}
	for sym, groups := range reached {
		if s := &r.Head.Symbols[sym]; len(groups) > 1 {
			out = append(out, report.Bridge{Symbol: string(s.ID), Name: display(s), Path: s.Path, Line: s.Line, Groups: slices.Sorted(maps.Keys(groups))})
		}
	}
	slices.SortFunc(out, func(a, b report.Bridge) int {
		return cmp.Or(len(b.Groups)-len(a.Groups), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Symbol, b.Symbol))
	})
	return out[:min(len(out), maxBridges)]
}
