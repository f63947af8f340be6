package ecmascript

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"
)

// A moduleState says where an import leads.
type moduleState uint8

const (
	moduleExternal moduleState = iota // out of the tree
	moduleFile                        // a file that was read
	moduleOther                       // a file of the tree in another language
	moduleMissing                     // a place in the tree where nothing is
	moduleUnknown                     // it may be in the tree, but which file is not certain
)

// A module is where an import leads.
type module struct {
	state moduleState
	file  int32      // for moduleFile
	also  int32      // the declaration file that says of what types file is, or None
	tier  graph.Tier // how certain the file is
	in    string     // the path, or where it was looked for
	sure  bool       // for moduleMissing: nothing can be made there by a build
}

// A resolver finds the files that imports name.
type resolver struct {
	tree     map[string]bool // all files
	dirs     map[string]bool
	parsed   map[string]int32
	packages map[string][]pkg // by name
	byDir    map[string]*pkg
	projects map[string]*project
	spaces   map[string]*workspace // by directory
	// scripts are what runs behind declaration files, declarations the opposite.
	scripts, declarations map[string]string
}

func newResolver(ctx context.Context, in link.Input) (*resolver, error) {
	r := &resolver{tree: map[string]bool{}, dirs: map[string]bool{"": true}, parsed: map[string]int32{},
		packages: map[string][]pkg{}, byDir: map[string]*pkg{}}
	for _, p := range in.Tree.Paths() {
		r.tree[p] = true
		for d := dirOf(p); d != "" && !r.dirs[d]; d = dirOf(d) {
			r.dirs[d] = true
		}
	}
	for i, f := range in.Files {
		r.parsed[f.Path] = int32(i)
	}
	all, err := loadPackages(ctx, in.Tree)
	if err != nil {
		return nil, err
	}
	for i := range all {
		r.byDir[all[i].dir] = &all[i]
		if all[i].name != "" {
			r.packages[all[i].name] = append(r.packages[all[i].name], all[i])
		}
	}
	r.indexScripts(all)
	if r.spaces, err = loadWorkspaces(ctx, in.Tree, all); err != nil {
		return nil, err
	}
	r.projects, err = loadProjects(ctx, in.Tree, r.tree)
	return r, err
}

// suffixes are what a module name may leave out, in the order of preference.
var suffixes = []string{".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".d.mts", ".d.cts", ".json", ".vue", ".svelte"}

// sources are what the extension of a built file stands for.
var sources = map[string][]string{
	".js": {".ts", ".tsx", ".d.ts", ".jsx"}, ".jsx": {".tsx", ".d.ts"},
	".mjs": {".mts", ".d.mts"}, ".cjs": {".cts", ".d.cts"},
}

// resolve finds the module that the file at from imports under this name.
func (r *resolver) resolve(from, name string) module { return r.run(from, r.find(from, name)) }

// find is what the compiler takes for that module.
func (r *resolver) find(from, name string) module {
	name, _, _ = strings.Cut(name, "?") // loaders read what follows
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || name == "." || name == ".." {
		return r.relative(dirOf(from), name)
	}
	if name == "" || strings.HasPrefix(name, "/") || strings.Contains(name, ":") {
		return module{state: moduleExternal}
	}
	if strings.HasPrefix(name, "#") {
		if m, ok := r.packageImport(from, name); ok {
			return m
		}
	}
	if m, ok := r.mapped(from, name); ok {
		return m
	}
	return r.bare(from, name)
}

// found is the module at a path that exists.
func (r *resolver) found(p string, tier graph.Tier) module {
	if i, ok := r.parsed[p]; ok {
		return module{state: moduleFile, file: i, also: graph.None, tier: tier, in: p}
	}
	return module{state: moduleOther, in: p}
}

func (r *resolver) relative(dir, name string) module {
	p, ok := join(dir, name)
	if !ok {
		return module{state: moduleExternal}
	}
	if strings.HasSuffix(name, "/") || name == "." || name == ".." || strings.HasSuffix(name, "/..") || strings.HasSuffix(name, "/.") {
		if f, ok := r.index(p, 0); ok {
			return r.found(f, graph.TierExact)
		}
	}
	if f, ok := r.probe(p); ok {
		return r.found(f, graph.TierExact)
	}
	if f, ok := r.source(p); ok {
		return r.found(f, graph.TierImport)
	}
	return module{state: moduleMissing, in: p, sure: r.certain(p)}
}

// probe finds the file that a path without its extension means.
func (r *resolver) probe(p string) (string, bool) { return r.probeAt(p, 0) }

func (r *resolver) probeAt(p string, depth int) (string, bool) {
	if r.tree[p] {
		return p, true
	}
	for _, s := range suffixes {
		if r.tree[p+s] {
			return p + s, true
		}
	}
	ext := path.Ext(p)
	for _, s := range sources[ext] {
		if q := strings.TrimSuffix(p, ext) + s; r.tree[q] {
			return q, true
		}
	}
	return r.index(p, depth)
}

// index finds the file that stands for a directory. A directory that a package
// names as its main file is not looked up as a package again.
func (r *resolver) index(dir string, depth int) (string, bool) {
	if !r.dirs[dir] {
		return "", false
	}
	if p := r.byDir[dir]; p != nil && depth == 0 {
		for _, key := range []string{"types", "module", "main"} {
			main := p.json.text(key)
			if main == "" {
				continue
			}
			if q, ok := join(dir, main); ok && q != dir {
				if f, ok := r.probeAt(q, depth+1); ok {
					return f, true
				}
			}
		}
	}
	for _, s := range suffixes {
		if q := path.Join(dir, "index"+s); r.tree[q] {
			return q, true
		}
	}
	return "", false
}

// built are directories that builds write; what they hold has its source
// beside them.
var built = map[string]bool{"dist": true, "build": true, "lib": true, "out": true, "output": true, "esm": true,
	"cjs": true, "es": true, "umd": true, "types": true, "typings": true, "generated": true, "__generated__": true,
	".next": true, ".nuxt": true, ".svelte-kit": true, ".output": true, "coverage": true, "gen": true}

// source finds the source of a path in a directory of built files.
func (r *resolver) source(p string) (string, bool) {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		if !built[part] || part == "generated" || part == "coverage" {
			continue
		}
		rest := parts[i+1:]
		for len(rest) > 1 && built[rest[0]] {
			rest = rest[1:]
		}
		dir := strings.Join(parts[:i], "/")
		for _, src := range []string{"src", "source", ""} {
			q := strings.TrimSuffix(path.Join(dir, src, path.Join(rest...)), ".d.ts")
			if f, ok := r.probe(q); ok && q != p && f != "" {
				return f, true
			}
		}
	}
	return "", false
}

// certain reports whether nothing but a file of the tree can lie at p: it is
// no place that builds write to, and it names a script.
func (r *resolver) certain(p string) bool {
	for d := range strings.SplitSeq(p, "/") {
		if built[d] || d == "node_modules" || strings.Contains(d, "generated") || strings.Contains(d, ".gen") {
			return false
		}
	}
	switch path.Ext(p) {
	case ".css", ".scss", ".sass", ".less", ".styl", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".wasm",
		".node", ".woff", ".woff2", ".ttf", ".html", ".md", ".mdx", ".txt", ".json", ".json5", ".yml", ".yaml", ".graphql", ".glsl":
		return false
	}
	return true
}

// nearest walks up from the directory of a file until found says yes.
func nearest(from string, found func(dir string) bool) {
	for d := dirOf(from); ; d = dirOf(d) {
		if found(d) || d == "" {
			return
		}
	}
}

// mapped follows "paths" and "baseUrl" of the nearest project.
func (r *resolver) mapped(from, name string) (module, bool) {
	var pr *project
	nearest(from, func(d string) bool {
		pr = r.projects[d]
		return pr != nil
	})
	if pr == nil {
		return module{}, false
	}
	rules := slices.Clone(pr.paths)
	slices.SortStableFunc(rules, func(a, b pathRule) int { // exact first, then the longest prefix
		if a.star != b.star {
			if a.star {
				return 1
			}
			return -1
		}
		return cmp.Compare(len(b.prefix), len(a.prefix))
	})
	for i := range rules {
		star, ok := rules[i].match(name)
		if !ok {
			continue
		}
		for _, t := range rules[i].targets {
			p := path.Clean(strings.Replace(t, "*", star, 1))
			if f, ok := r.probe(p); ok {
				return r.found(f, graph.TierExact), true
			}
			if f, ok := r.source(p); ok {
				return r.found(f, graph.TierImport), true
			}
		}
	}
	if pr.hasBase {
		if p, ok := join(pr.base, name); ok {
			if f, ok := r.probe(p); ok {
				return r.found(f, graph.TierExact), true
			}
		}
	}
	return module{}, false
}

// split separates "@scope/name/sub" into the package and "./sub".
func split(name string) (pkg, sub string) {
	parts := strings.SplitN(name, "/", 3)
	n := 1
	if strings.HasPrefix(name, "@") {
		n = 2
	}
	if len(parts) < n {
		return name, "."
	}
	pkg = strings.Join(parts[:n], "/")
	if rest := strings.TrimPrefix(name[len(pkg):], "/"); rest != "" {
		return pkg, "./" + rest
	}
	return pkg, "."
}

// bare finds a package of the tree by the name that its package.json gives, or
// that a dependency of the importer gives it.
func (r *resolver) bare(from, name string) module {
	pkgName, sub := split(name)
	owner := r.owner(from)
	if owner != nil {
		renamed, dir, ok := owner.dependency(pkgName)
		if p := r.byDir[dir]; ok && p != nil {
			return r.inPackage(p, sub)
		}
		pkgName = renamed
	}
	if owner != nil && owner.name == pkgName {
		return r.inPackage(owner, sub)
	}
	switch all := r.linked(from, pkgName); len(all) {
	case 0:
		return module{state: moduleExternal}
	case 1:
		return r.inPackage(&all[0], sub)
	}
	return module{state: moduleUnknown}
}

// linked are the packages of this name that the importer's workspace links; in
// a tree without workspaces, all of this name. A package.json elsewhere, in a
// fixture or template, does not stand for a package from outside.
func (r *resolver) linked(from, name string) []pkg {
	var space *workspace
	nearest(from, func(d string) bool {
		space = r.spaces[d]
		return space != nil
	})
	if space == nil {
		return r.packages[name]
	}
	var out []pkg
	for _, p := range r.packages[name] {
		if space.member(p.dir) {
			out = append(out, p)
		}
	}
	return out
}

// dependency reads what the package depends on under this name: the name of
// another package ("npm:other@1"), or, with ok, a directory ("file:../other").
func (p *pkg) dependency(name string) (other, dir string, ok bool) {
	for _, key := range []string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"} {
		scheme, rest, _ := strings.Cut(p.json.object(key).text(name), ":")
		switch scheme {
		case "npm":
			if at := strings.LastIndexByte(rest, '@'); at > 0 {
				rest = rest[:at]
			}
			return rest, "", false
		case "file", "link", "portal", "workspace":
			if dir, ok := join(p.dir, rest); ok && strings.HasPrefix(rest, ".") {
				return name, dir, true
			}
		}
	}
	return name, "", false
}

// owner is the package that a file belongs to.
func (r *resolver) owner(from string) *pkg {
	var p *pkg
	nearest(from, func(d string) bool {
		p = r.byDir[d]
		return p != nil
	})
	return p
}

// inPackage finds a subpath of a package: through "exports", else by its main
// files or by the path itself.
func (r *resolver) inPackage(p *pkg, sub string) module {
	var places []string
	if exports := p.json.get("exports"); exports != nil {
		places = exported(exports, sub)
	} else if sub == "." {
		for _, key := range []string{"source", "types", "typings", "module", "main"} {
			if s := p.json.text(key); s != "" {
				places = append(places, s)
			}
		}
		places = append(places, "index")
	} else {
		places = append(places, sub)
	}
	if m, ok := r.firstOf(p.dir, places); ok {
		return m
	}
	if sub == "." {
		for _, q := range []string{"src/index", "src/main", "index", "source/index"} {
			if f, ok := r.probe(path.Join(p.dir, q)); ok {
				return r.found(f, graph.TierImport)
			}
		}
	} else if f, ok := r.probe(path.Join(p.dir, "src", sub)); ok {
		return r.found(f, graph.TierImport)
	}
	in, ok := join(p.dir, sub)
	if len(places) == 0 || ok && p.json.get("exports") == nil && sub != "." && r.certain(in) {
		return module{state: moduleMissing, in: in, sure: true} // the package does not offer it
	}
	return module{state: moduleUnknown, in: in}
}

// firstOf is the first of several places that exists: as written, then as the
// source of what is written.
func (r *resolver) firstOf(dir string, places []string) (module, bool) {
	for _, s := range places {
		p, ok := join(dir, s)
		if !ok {
			continue
		}
		if f, ok := r.probe(p); ok {
			return r.found(f, graph.TierExact), true
		}
	}
	for _, s := range places {
		if p, ok := join(dir, s); ok {
			if f, ok := r.source(p); ok {
				return r.found(f, graph.TierImport), true
			}
		}
	}
	return module{}, false
}

// packageImport follows "imports" of the package that a file belongs to.
func (r *resolver) packageImport(from, name string) (module, bool) {
	p := r.owner(from)
	if p == nil {
		return module{}, false
	}
	return r.firstOf(p.dir, exported(p.json.get("imports"), name))
}

// exported lists the places that "exports" or "imports" gives for a subpath,
// in the order of the conditions as written.
func exported(v any, sub string) []string {
	o, ok := v.(*object)
	if !ok || !subpaths(o) {
		if sub != "." {
			return nil
		}
		return leaves(v, "", 0)
	}
	if t, ok := o.values[sub]; ok {
		return leaves(t, "", 0)
	}
	best, star := "", ""
	for _, k := range o.keys {
		rule := pathRule{}
		rule.prefix, rule.suffix, rule.star = strings.Cut(k, "*")
		if s, ok := rule.match(sub); ok && rule.star && len(k) > len(best) {
			best, star = k, s
		}
	}
	if best == "" {
		return nil
	}
	return leaves(o.values[best], star, 0)
}

// subpaths reports whether the keys are subpaths rather than conditions.
func subpaths(o *object) bool {
	return len(o.keys) > 0 && (strings.HasPrefix(o.keys[0], ".") || strings.HasPrefix(o.keys[0], "#"))
}

func leaves(v any, star string, depth int) []string {
	if depth > configDepth {
		return nil
	}
	switch v := v.(type) {
	case string:
		return []string{strings.ReplaceAll(v, "*", star)}
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, leaves(x, star, depth+1)...)
		}
		return out
	case *object:
		var out []string
		for _, k := range v.keys {
			out = append(out, leaves(v.values[k], star, depth+1)...)
		}
		return out
	}
	return nil
}
