package ecmascript

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// A declaration file says what a script offers, and the script is what runs. An
// import in TypeScript leads to the declaration, as its compiler has it; one in
// JavaScript to the script, as whoever runs it has it, and to the declaration for
// what the script does not tell.

// describes are the extensions of declaration files, with those of the scripts that
// one may describe.
var describes = []struct {
	declaration string
	scripts     []string
}{{".d.ts", []string{".js", ".jsx"}}, {".d.mts", []string{".mjs"}}, {".d.cts", []string{".cjs"}}}

func isDeclaration(p string) bool {
	return strings.HasSuffix(p, ".d.ts") || strings.HasSuffix(p, ".d.mts") || strings.HasSuffix(p, ".d.cts")
}

func isScript(p string) bool {
	switch path.Ext(p) {
	case ".js", ".jsx", ".mjs", ".cjs":
		return true
	}
	return false
}

// indexScripts finds the script behind each declaration file: the one beside it, else
// the one that a package offers in its place.
func (r *resolver) indexScripts(all []pkg) {
	r.scripts, r.declarations = map[string]string{}, map[string]string{}
	for p := range r.tree {
		for _, d := range describes {
			stem, ok := strings.CutSuffix(p, d.declaration)
			if !ok {
				continue
			}
			if i := slices.IndexFunc(d.scripts, func(ext string) bool { return r.tree[stem+ext] }); i >= 0 {
				r.scripts[p] = stem + d.scripts[i]
			}
		}
	}
	for i := range all {
		p := &all[i]
		r.pair(p.dir, []string{p.json.text("types"), p.json.text("typings"), p.json.text("main"), p.json.text("module"), "index"})
		r.pairConditions(p.dir, p.json.get("exports"), 0)
	}
	for _, declaration := range slices.Sorted(maps.Keys(r.scripts)) {
		if script := r.scripts[declaration]; r.declarations[script] == "" {
			r.declarations[script] = declaration
		}
	}
}

// pairConditions pairs what "exports" gives for one subpath under several conditions.
func (r *resolver) pairConditions(dir string, v any, depth int) {
	o, ok := v.(*object)
	if !ok || depth > configDepth {
		return
	}
	for _, k := range o.keys {
		r.pairConditions(dir, o.values[k], depth+1)
	}
	if !subpaths(o) {
		r.pair(dir, leaves(o, "", 0))
	}
}

// pair notes the first script among the places that stand for one another behind the
// first declaration file among them.
func (r *resolver) pair(dir string, places []string) {
	declaration, script := "", ""
	for _, s := range places {
		p, ok := join(dir, s)
		if s == "" || !ok {
			continue
		}
		p = r.file(p)
		switch {
		case declaration == "" && isDeclaration(p):
			declaration = p
		case script == "" && isScript(p):
			script = p
		}
	}
	if declaration != "" && script != "" && r.scripts[declaration] == "" {
		r.scripts[declaration] = script
	}
}

// file is the file that a place in a package.json means when it is run: the path, with
// or without an extension, or the index of a directory.
func (r *resolver) file(p string) string {
	for _, q := range []string{p, p + ".js", p + ".cjs", p + ".mjs", path.Join(p, "index.js")} {
		if r.tree[q] {
			return q
		}
	}
	return ""
}

// run leads an import of a script to what runs, and one of TypeScript to what is
// declared, even where it names the script.
func (r *resolver) run(from string, m module) module {
	switch {
	case m.state != moduleFile:
	case isScript(from):
		if found := r.found(r.scripts[m.in], m.tier); found.state == moduleFile {
			found.also = m.file
			return found
		}
	default:
		if found := r.found(r.declarations[m.in], m.tier); found.state == moduleFile {
			return found
		}
	}
	return m
}

// settle orders targets. In a script what runs stands before what is only declared.
func (l *fileLinker) settle(targets []target) []target {
	out := unique(targets)
	if !isScript(l.f.Path) {
		return out
	}
	declared := func(t target) bool { return isDeclaration(l.p.files[t.file].Path) }
	if slices.ContainsFunc(out, func(t target) bool { return !declared(t) }) {
		out = slices.DeleteFunc(out, declared)
	}
	return out
}

// indexBehind pairs the definitions of declaration files with those of the scripts
// behind them, by the names that both offer.
func (p *program) indexBehind(r *resolver) {
	p.scripts, p.behind = map[int32]int32{}, map[definition]definition{}
	v := newEval(p)
	for _, f := range p.files {
		script, ok := r.parsed[r.scripts[f.Path]]
		if !ok {
			continue
		}
		p.scripts[f.index] = script
		for _, name := range slices.Sorted(maps.Keys(f.exports)) {
			v.pairExport(f, p.files[script], name)
		}
	}
}

// pairExport pairs what a declaration file and its script offer under one name.
func (v *eval) pairExport(f, script *file, name string) {
	offered := func(f *file) []def {
		if name == "=" {
			return v.p.ownExports(f, f.exports[name], values, map[visit]bool{}).defs
		}
		return v.p.exported(f.index, name, values, map[visit]bool{}).defs
	}
	v.begin()
	runs := v.defValues(offered(script))
	if len(runs) != 1 || runs[0].kind != valSymbol {
		return
	}
	for _, d := range v.defValues(offered(f)) {
		if d.kind == valSymbol && isDeclaration(v.p.files[d.file].Path) {
			v.p.pairDefinition(definition{d.file, d.i}, definition{runs[0].file, runs[0].i})
		}
	}
}

// pairDefinition pairs a declared definition with the one that runs, and the members
// of both.
func (p *program) pairDefinition(declared, runs definition) {
	p.behind[declared] = runs
	f, script := p.files[declared.file], p.files[runs.file]
	for name, members := range f.children[declared.sym] {
		for _, m := range members {
			static := f.f.Symbols[m].Flags & graph.FlagStatic
			for _, o := range script.children[runs.sym][name] {
				if s := &script.f.Symbols[o]; s.Kind.Callable() && s.Flags&graph.FlagStatic == static {
					p.behind[definition{declared.file, m}] = definition{runs.file, o}
					break
				}
			}
		}
	}
}

// behindOf is the definition that runs where a target is only declared.
func (p *program) behindOf(t target) (target, bool) {
	d, ok := p.behind[definition{t.file, t.sym}]
	return target{d.file, d.sym, graph.TierDispatch}, ok
}

// behindEdges writes that the definitions of this script stand behind declared ones.
func (p *program) behindEdges() []graph.Edge {
	var out []graph.Edge
	for declared, runs := range p.behind {
		from := p.symbol(target{file: runs.file, sym: runs.sym})
		out = append(out, graph.Edge{From: from, To: p.symbol(target{file: declared.file, sym: declared.sym}), Kind: graph.EdgeOverride,
			Tier: graph.TierExact, Lines: []int32{p.files[runs.file].f.Symbols[runs.sym].Line}})
	}
	return out
}
