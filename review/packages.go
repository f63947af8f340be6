package review

import (
	"context"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// A jsPackage is what one package.json offers to those who install it.
type jsPackage struct {
	private bool
	names   map[owned]bool // what its entry files offer; nil if no entry file was found in the tree
}

// entryFields are the fields of package.json that name files to import.
type entryFields struct {
	Private bool   `json:"private"`
	Main    any    `json:"main"`
	Module  any    `json:"module"`
	Browser any    `json:"browser"`
	Types   any    `json:"types"`
	Typings any    `json:"typings"`
	Exports any    `json:"exports"`
	Files   any    `json:"files"` // what is packed; everything if it is absent
	Name    string `json:"name"`
}

// readPackages reads which files the packages of both trees offer, and what can
// be reached from there by passing on.
func (r *reviewer) readPackages(ctx context.Context) error {
	r.packages = map[string]*jsPackage{}
	for _, g := range []*graph.Graph{r.Base, r.Head} {
		manifests := packageFiles(g)
		if len(manifests) == 0 {
			continue
		}
		data, err := r.readFiles(ctx, g, manifests)
		if err != nil {
			return err
		}
		w := newPassing(g)
		for _, p := range manifests {
			var fields entryFields
			if json.Unmarshal(data[p], &fields) != nil || fields.Name == "" {
				continue // no package: what lies below belongs to the one above, if any
			}
			r.addPackage(g, w, dirOf(p), fields)
		}
	}
	return nil
}

// packageFiles lists the package.json files of a tree that has scripts.
func packageFiles(g *graph.Graph) []string {
	var out []string
	for i := range g.Files {
		if p := g.Files[i].Path; path.Base(p) == "package.json" && !strings.Contains(p, "node_modules/") {
			out = append(out, p)
		}
	}
	return out
}

func dirOf(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}

// addPackage adds what a package offers at one commit. What it offers at either
// is its surface.
func (r *reviewer) addPackage(g *graph.Graph, w *passing, dir string, fields entryFields) {
	p := r.packages[dir]
	if p == nil {
		p = &jsPackage{private: true}
		r.packages[dir] = p
	}
	p.private = p.private && fields.Private
	names := map[owned]bool{}
	for _, entry := range entryFiles(g, dir, fields) {
		w.module(entry, names)
	}
	if p.names == nil && len(names) > 0 {
		p.names = map[owned]bool{}
	}
	maps.Copy(p.names, names)
}

// entryFiles are the files of the tree that a package names as its own, or the
// sources of built files that it names, or those that stand for a package by
// convention.
func entryFiles(g *graph.Graph, dir string, fields entryFields) []string {
	places := []string{"index", "src/index"}
	for _, v := range []any{fields.Main, fields.Module, fields.Browser, fields.Types, fields.Typings, fields.Exports} {
		places = leafTexts(v, places, 0)
	}
	packed := leafTexts(fields.Files, nil, 0)
	var out []string
	for _, place := range places {
		for i, p := range sourcesOf(path.Join(dir, place), dir) {
			for _, f := range filesAt(g, p) {
				// "./*" offers what is packed, which need not hold the sources.
				if i > 0 || !strings.Contains(place, "*") || isPacked(f, dir, packed) {
					out = append(out, f)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isPacked reports whether a file of the package lies in what is packed.
func isPacked(file, dir string, packed []string) bool {
	return len(packed) == 0 || slices.ContainsFunc(packed, func(p string) bool {
		p = path.Join(dir, strings.TrimSuffix(strings.TrimSuffix(p, "*"), "/*"))
		return file == p || p == dir || p == "." || strings.HasPrefix(file, p+"/")
	})
}

// leafTexts adds the texts in a value of package.json, which nests conditions
// and subpaths.
func leafTexts(v any, out []string, depth int) []string {
	if depth > 8 || len(out) > 1000 {
		return out
	}
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, x := range v {
			out = leafTexts(x, out, depth+1)
		}
	case map[string]any:
		for _, x := range v {
			out = leafTexts(x, out, depth+1)
		}
	}
	return out
}

// builtDirs are directories that builds write and whose source lies in src.
var builtDirs = []string{"dist", "build", "lib", "out", "esm", "cjs", "es", "types"}

// sourcesOf are the places of a file that a package names, as written and where
// the source of a built file lies.
func sourcesOf(p, dir string) []string {
	out := []string{p}
	rest := strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
	for range 3 {
		first, tail, nested := strings.Cut(rest, "/")
		if !nested || !slices.Contains(builtDirs, first) {
			break
		}
		rest = tail
		out = append(out, path.Join(dir, "src", rest), path.Join(dir, rest))
	}
	return out
}

// scriptEndings are the endings of files that can stand for one another: a
// built file, its types and its source.
var scriptEndings = []string{".d.mts", ".d.cts", ".d.ts", ".mts", ".cts", ".tsx", ".ts", ".mjs", ".cjs", ".jsx", ".js"}

// filesAt are the files of the tree at a place, whatever its ending; "*" stands
// for anything.
func filesAt(g *graph.Graph, p string) []string {
	stem := stemOf(p)
	before, after, pattern := strings.Cut(stem, "*")
	var out []string
	if pattern {
		for i := range g.Files {
			s := stemOf(g.Files[i].Path)
			if len(s) >= len(before)+len(after) && strings.HasPrefix(s, before) && strings.HasSuffix(s, after) {
				out = append(out, g.Files[i].Path)
			}
		}
		return out
	}
	for _, s := range []string{stem, stem + "/index"} {
		for _, ending := range scriptEndings {
			if _, ok := g.File(s + ending); ok {
				out = append(out, s+ending)
			}
		}
	}
	return out
}

func stemOf(p string) string {
	for _, ending := range scriptEndings {
		if s, ok := strings.CutSuffix(p, ending); ok {
			return s
		}
	}
	return p
}

// passing follows what files pass on from others.
type passing struct {
	g      *graph.Graph
	byFile map[string][]int32
}

func newPassing(g *graph.Graph) *passing {
	w := &passing{g: g, byFile: map[string][]int32{}}
	for i := range g.Symbols {
		if s := &g.Symbols[i]; isScript(s.Language) && s.Container == "" {
			w.byFile[s.Path] = append(w.byFile[s.Path], int32(i))
		}
	}
	return w
}

func isScript(language string) bool {
	return language == "javascript" || language == "typescript" || language == "tsx"
}

// module adds what a file exports and what it passes on.
func (w *passing) module(file string, names map[owned]bool) {
	at := owned{path: file}
	if names[at] {
		return
	}
	names[at] = true
	reexports := false
	for _, i := range w.byFile[file] {
		if s := &w.g.Symbols[i]; s.Exported {
			reexports = reexports || s.Kind == graph.KindReexport
			w.symbol(i, names)
		}
	}
	for _, i := range w.byFile[file] {
		s := &w.g.Symbols[i]
		if s.Kind != graph.KindModule {
			continue
		}
		for _, e := range w.g.Out(i) {
			to := &w.g.Symbols[e.To]
			switch {
			case e.Kind == graph.EdgeReference && to.Exported && to.Container == "":
				w.symbol(e.To, names) // export default name
			case e.Kind == graph.EdgeImport && to.Kind == graph.KindModule && s.Language == "javascript" && !reexports:
				w.module(to.Path, names) // CommonJS passes on whatever it requires
			}
		}
	}
}

// symbol adds one definition, and what a re-export leads to.
func (w *passing) symbol(i int32, names map[owned]bool) {
	s := &w.g.Symbols[i]
	at := owned{s.Path, display(s)} // export * from one file and from another differ
	if names[at] && s.Kind != graph.KindReexport {
		return
	}
	seen := names[at]
	names[at] = true
	if s.Kind != graph.KindReexport || seen {
		return
	}
	for _, e := range w.g.Out(i) {
		if to := &w.g.Symbols[e.To]; to.Kind == graph.KindModule {
			w.module(to.Path, names)
		} else {
			w.symbol(e.To, names)
		}
	}
}

// offered reports whether a package offers a symbol to those who install it.
// Files that no package.json governs, and packages whose entry files are not in
// the tree, count as offering everything that they export.
func (r *reviewer) offered(s *graph.Symbol) bool {
	outer, _, _ := strings.Cut(s.Qualified(), ".")
	for dir := dirOf(s.Path); ; dir = dirOf(dir) {
		p, ok := r.packages[dir]
		switch {
		case ok && p.private:
			return false
		case ok && p.names == nil:
			return true
		case ok:
			return p.names[owned{s.Path, outer}] || p.names[owned{s.Path, display(s)}]
		case dir == "":
			return true
		}
	}
}
