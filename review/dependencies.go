package review

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/manifest"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// A link is an import from one folder to another.
type link struct{ from, to string }

// reportDependencies compares which folders import which, and finds rings that are
// new.
func (r *reviewer) reportDependencies() {
	// Moving files is no new dependency: the merge base counts as if its files
	// had already lain where head has them.
	moved := func(p string) string {
		if to, ok := r.files.head(p); ok {
			return to
		}
		return p
	}
	base, head := folderLinks(r.Base, moved), folderLinks(r.Head, func(p string) string { return p })
	out := report.Dependencies{
		Added: newLinks(head, base), Removed: newLinks(base, head),
		CyclesAdded: newCycles(base, head),
	}
	out.Layers = breaches(r.Policy.Layers, out.Added)
	r.out.Dependencies = out
}

// reportManifests reads the changed manifests.
func (r *reviewer) reportManifests(ctx context.Context) (err error) {
	r.out.Dependencies.Manifests, err = r.manifests(ctx)
	return err
}

// folderLinks maps every import between folders to its first site. Place says
// where a file counts as lying.
func folderLinks(g *graph.Graph, place func(string) string) map[link]string {
	links := map[link]string{}
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Kind != graph.EdgeImport || len(e.Lines) == 0 {
			continue
		}
		from, to := &g.Symbols[e.From], &g.Symbols[e.To]
		if isDocument(from) || isDocument(to) || from.Test {
			continue
		}
		l := link{path.Dir(place(from.Path)), path.Dir(place(to.Path))}
		if l.from == l.to || strings.HasSuffix(from.Path, "_test.go") {
			continue
		}
		site := fmt.Sprintf("%s:%d", from.Path, e.Lines[0])
		if old, ok := links[l]; !ok || site < old {
			links[l] = site
		}
	}
	return links
}

// newLinks lists what is in one set and not in the other.
func newLinks(in, notIn map[link]string) []report.Dependency {
	out := []report.Dependency{}
	for l, site := range in {
		if _, ok := notIn[l]; !ok {
			out = append(out, report.Dependency{From: l.from, To: l.to, FirstSite: site})
		}
	}
	slices.SortFunc(out, func(a, b report.Dependency) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return out
}

// newCycles lists the groups of folders that import one another at head and did
// not at the merge base.
func newCycles(base, head map[link]string) [][]string {
	before := map[string]bool{}
	for _, ring := range rings(base) {
		before[strings.Join(ring, "\x00")] = true
	}
	out := [][]string{}
	for _, ring := range rings(head) {
		if !before[strings.Join(ring, "\x00")] && !within(ring, rings(base)) {
			out = append(out, ring)
		}
	}
	return out
}

// within is true if the ring is a part of one that was there before.
func within(ring []string, rings [][]string) bool {
	for _, big := range rings {
		if !slices.ContainsFunc(ring, func(f string) bool { return !slices.Contains(big, f) }) {
			return true
		}
	}
	return false
}

// rings finds the strongly connected groups of two folders or more, each
// sorted, in order of their first name.
func rings(links map[link]string) [][]string {
	next := map[string][]string{}
	for l := range links {
		next[l.from] = append(next[l.from], l.to)
	}
	t := &tarjan{next: next, index: map[string]int{}, low: map[string]int{}, on: map[string]bool{}}
	folders := make([]string, 0, len(next))
	for f := range next {
		slices.Sort(next[f])
		folders = append(folders, f)
	}
	slices.Sort(folders)
	for _, f := range folders {
		if _, seen := t.index[f]; !seen {
			t.visit(f)
		}
	}
	slices.SortFunc(t.rings, slices.Compare)
	return t.rings
}

// tarjan is the classic search for strongly connected components.
type tarjan struct {
	next  map[string][]string
	index map[string]int
	low   map[string]int
	on    map[string]bool
	stack []string
	rings [][]string
}

func (t *tarjan) visit(f string) {
	t.index[f] = len(t.index)
	t.low[f] = t.index[f]
	t.stack = append(t.stack, f)
	t.on[f] = true
	for _, g := range t.next[f] {
		if _, seen := t.index[g]; !seen {
			t.visit(g)
			t.low[f] = min(t.low[f], t.low[g])
		} else if t.on[g] {
			t.low[f] = min(t.low[f], t.index[g])
		}
	}
	if t.low[f] != t.index[f] {
		return
	}
	at := slices.Index(t.stack, f)
	ring := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, g := range ring {
		t.on[g] = false
	}
	if len(ring) > 1 {
		slices.Sort(ring)
		t.rings = append(t.rings, ring)
	}
}

// manifests reads what changed in files that declare dependencies.
func (r *reviewer) manifests(ctx context.Context) ([]report.Manifest, error) {
	out := []report.Manifest{}
	found := map[string]importers{} // by family, read once a manifest of it has changed
	for _, c := range r.Changes {
		// Two empty versions cost nothing and tell whether the path is a manifest.
		if _, known, _ := manifest.Diff(c.Path, nil, nil); !known || c.Mode == worktree.ModeSymlink || c.OldMode == worktree.ModeSymlink {
			continue
		}
		old, err := r.blob(ctx, c.OldOID)
		if err != nil {
			return nil, err
		}
		now, err := r.blob(ctx, c.OID)
		if err != nil {
			return nil, err
		}
		changes, _, err := manifest.Diff(c.Path, old, now)
		if err != nil {
			r.caveat("review.manifest_unreadable", "dependencies", "A changed manifest could not be read.", 1, 0, c.Path)
			continue
		}
		if len(changes) == 0 {
			continue
		}
		of := ecosystem(c.Path)
		if of != "" && found[of] == nil {
			if found[of], err = r.importersIn(ctx, of); err != nil {
				return nil, err
			}
		}
		packages, total, err := r.packagesOf(ctx, c.Path, old, now, found[of])
		if err != nil {
			return nil, err
		}
		out = append(out, report.Manifest{Path: c.Path, Changes: changes, Packages: packages, Total: total})
	}
	return out, nil
}

// blob reads one side of a change; a side that does not exist, is too large or
// is missing is empty.
func (r *reviewer) blob(ctx context.Context, oid worktree.OID) ([]byte, error) {
	if oid == "" {
		return nil, nil
	}
	var content []byte
	err := r.Blobs.Blobs(ctx, []worktree.OID{oid}, r.Limits.BlobBytes, func(_ int, data []byte, err error) error {
		if err == nil {
			content = slices.Clone(data)
		}
		return nil
	})
	return content, err
}
