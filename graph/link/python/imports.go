package python

import (
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// A resolution is what a module name means in one file.
type resolution struct {
	modules []module
	tier    graph.Tier
	outside bool   // no such top-level module in the tree
	missing string // path where the module would lie, if it certainly should
}

// resolveImports resolves the module of every import once.
func (p *project) resolveImports() {
	p.imports = make([][]resolution, len(p.files))
	p.deps = make([][]int32, len(p.files))
	known := map[string]resolution{}
	for i, f := range p.files {
		dir := dirOf(f.Path)
		for j := range f.Facts.Imports {
			m := f.Facts.Imports[j].Module
			key := dir + "\x00" + m
			r, ok := known[key]
			if !ok {
				r = p.resolveModule(dir, m)
				known[key] = r
			}
			p.imports[i] = append(p.imports[i], r)
			p.addDeps(int32(i), &f.Facts.Imports[j], r)
		}
		slices.Sort(p.deps[i])
		p.deps[i] = slices.Compact(p.deps[i])
	}
}

// addDeps notes which files an import loads: the module and, for names that
// are submodules, those.
func (p *project) addDeps(i int32, imp *graph.Import, r resolution) {
	for _, m := range r.modules {
		if m.file >= 0 {
			p.deps[i] = append(p.deps[i], m.file)
		}
		if m.pkg && imp.Name != "" && imp.Name != "*" {
			if sub, ok := p.child(m.dir, imp.Name); ok && sub.file >= 0 {
				p.deps[i] = append(p.deps[i], sub.file)
			}
		}
	}
}

// resolveModule resolves a dotted module as a file of directory dir writes it.
func (p *project) resolveModule(dir, name string) resolution {
	rest := strings.TrimLeft(name, ".")
	dots := len(name) - len(rest)
	var parts []string
	if rest != "" {
		parts = strings.Split(rest, ".")
	}
	if dots == 0 {
		if len(parts) == 0 {
			return resolution{outside: true}
		}
		return p.absolute(dir, parts)
	}
	base := dir
	for range dots - 1 {
		if base == "" {
			return resolution{}
		}
		base = dirOf(base)
	}
	start := module{file: -1, dir: base, pkg: true, path: base}
	if m, ok := p.packageAt(base); ok {
		start = m
	}
	return p.descend([]module{start}, parts, graph.TierExact)
}

// packageAt is the package whose directory is dir.
func (p *project) packageAt(dir string) (module, bool) {
	for _, name := range []string{"__init__.py", "__init__.pyi"} {
		if i, ok := p.byPath[join(dir, name)]; ok {
			return p.files[i].module, true
		}
		if p.present[join(dir, name)] {
			return module{file: -1, opaque: true, pkg: true, dir: dir, path: join(dir, name)}, true
		}
	}
	return module{}, false
}

func (p *project) absolute(dir string, parts []string) resolution {
	found, sure := p.topLevel(dir, parts[0])
	if len(found) == 0 {
		return resolution{outside: true}
	}
	tier := graph.TierExact
	if !sure {
		tier = graph.TierImport
	}
	if len(found) > 1 {
		tier = graph.TierName
	}
	r := p.descend(found, parts[1:], tier)
	if len(r.modules) == 0 && found[0].namespace() {
		return resolution{outside: true}
	}
	return r
}

// descend follows the rest of a dotted name from each start. A start that has
// no such module is dropped; the name is certainly missing only if there was
// one start, and it is a package with a file.
func (p *project) descend(starts []module, parts []string, tier graph.Tier) resolution {
	r := resolution{tier: tier}
	for _, m := range starts {
		last := m
		missing := ""
		for _, part := range parts {
			next, ok := module{}, false
			if last.pkg {
				next, ok = p.child(last.dir, part)
			}
			if !ok {
				if last.pkg && p.regular(last.dir) && !p.mayBeMade(last.dir, part) && !p.redirects(last) {
					missing = join(last.dir, part) + ".py"
				}
				last = module{file: -1}
				break
			}
			last = next
		}
		if last.path != "" || last.pkg {
			r.modules = append(r.modules, last)
		} else if len(starts) == 1 && tier == graph.TierExact {
			r.missing = missing
		}
	}
	if len(r.modules) == 1 && r.tier == graph.TierName {
		r.tier = graph.TierImport
	}
	return r
}

// redirects reports whether a package may serve modules that are not among its
// files, or cannot be read.
func (p *project) redirects(m module) bool {
	return p.hooks || m.opaque || m.file >= 0 && (p.files[m.file].dynamic || len(p.files[m.file].Facts.Gaps) > 0)
}

// closure lists the files that a file imports, directly or not, itself first.
func (p *project) closure(i int32) map[int32]bool {
	seen := map[int32]bool{i: true}
	queue := []int32{i}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		for _, d := range p.deps[next] {
			if !seen[d] {
				seen[d] = true
				queue = append(queue, d)
			}
		}
	}
	return seen
}
