package python

import (
	"slices"

	"github.com/previdence/previdence/graph"
)

// fixtureFiles lists the files whose fixtures a file can ask for, nearest
// first: itself, the conftest.py files around it, and the plugins that these
// name, which count for the whole run.
func (p *project) fixtureFiles(file int32) []int32 {
	files := []int32{file}
	for d := dirOf(p.files[file].Path); ; d = dirOf(d) {
		if i, ok := p.byPath[join(d, "conftest.py")]; ok && i != file {
			files = append(files, i)
		}
		if d == "" {
			break
		}
	}
	// Plugins may name plugins; the list grows while it is read.
	for n := 0; n < len(files); n++ {
		for _, i := range p.plugins(files[n]) {
			if !slices.Contains(files, i) {
				files = append(files, i)
			}
		}
	}
	return files
}

// plugins reads pytest_plugins = "a.b" or a list of such names.
func (p *project) plugins(file int32) []int32 {
	f := p.files[file]
	var out []int32
	for _, i := range f.names[scopedName{0, "pytest_plugins"}] {
		value := f.Facts.Bindings[i].Value
		if value == graph.None {
			continue
		}
		for _, e := range append([]int32{value}, f.Facts.Exprs[value].Args...) {
			if e == graph.None || f.Facts.Exprs[e].Kind != graph.ExprString || f.Facts.Exprs[e].Name == "" {
				continue
			}
			for _, m := range p.resolveModule(dirOf(f.Path), f.Facts.Exprs[e].Name).modules {
				if m.file >= 0 {
					out = append(out, m.file)
				}
			}
		}
	}
	return out
}

// fixtureAsked finds the fixture of request.getfixturevalue("name").
func (r *reader) fixtureAsked(file int32, call *graph.Expr) (place, bool) {
	f := r.p.files[file]
	if call.Base == graph.None || f.Facts.Exprs[call.Base].Name != "getfixturevalue" || len(call.Args) == 0 || call.Args[0] == graph.None {
		return nowhere, false
	}
	name := &f.Facts.Exprs[call.Args[0]]
	if name.Kind != graph.ExprString || name.Name == "" {
		return nowhere, false
	}
	return r.fixtureNamed(place{file, f.Facts.Scopes[call.Scope].Symbol}, name.Name)
}
