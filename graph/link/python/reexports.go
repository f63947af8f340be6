package python

import (
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// A reexport is a name that the __init__ file of a package passes on: from
// another file of the tree, or from outside if it says so. It is a symbol of its
// own, so that adding or removing one is no change of the whole package.
type reexport struct {
	name   string
	imp    int32 // import that brings it
	at     int32 // byte of the import, or of nothing for a star import
	symbol int32 // index in the input and output
}

// readReexports makes the symbols, which follow those of the input.
func (p *project) readReexports() {
	p.reexports = make([]map[string]*reexport, len(p.files))
	p.passed = make([]map[int32]*reexport, len(p.files))
	for i, f := range p.files {
		if !f.module.pkg {
			continue
		}
		list := p.namedReexports(int32(i))
		list = append(list, p.starReexports(int32(i), list)...)
		slices.SortFunc(list, func(a, b *reexport) int { return strings.Compare(a.name, b.name) })
		p.reexports[i], p.passed[i] = map[string]*reexport{}, map[int32]*reexport{}
		for _, x := range list {
			x.symbol = int32(len(p.in.Symbols) + len(p.made))
			p.made = append(p.made, p.reexportSymbol(f, x))
			p.reexports[i][x.name] = x
			if f.Facts.Imports[x.imp].Name != "*" {
				p.passed[i][x.imp] = x
			}
		}
	}
}

// namedReexports are the names that from-imports at file level bind.
func (p *project) namedReexports(i int32) []*reexport {
	f := p.files[i]
	seen := map[string]bool{}
	var list []*reexport
	for j := range f.Facts.Bindings {
		b := &f.Facts.Bindings[j]
		if b.Kind != graph.BindImport || b.Scope != 0 || seen[b.Name] || !p.passesOn(i, b) {
			continue
		}
		seen[b.Name] = true
		list = append(list, &reexport{name: b.Name, imp: b.Import, at: b.At})
	}
	return list
}

// passesOn reports whether an import gives its name to the package: what lies in
// the tree always, what lies outside if __all__ or "x as x" says so. A package's
// own submodule is there without it.
func (p *project) passesOn(i int32, b *graph.Binding) bool {
	f := p.files[i]
	imp := &f.Facts.Imports[b.Import]
	if imp.Name == "" || imp.TypeOnly {
		return false
	}
	r := &p.imports[i][b.Import]
	if r.outside {
		return f.all[b.Name]
	}
	for _, m := range r.modules {
		if m.pkg && m.dir == f.module.dir && imp.Name == b.Name {
			if _, sub := p.child(m.dir, imp.Name); sub {
				return false
			}
		}
	}
	return true
}

// starReexports are the names of __all__ that only a star import can bring.
func (p *project) starReexports(i int32, named []*reexport) []*reexport {
	f := p.files[i]
	var list []*reexport
	for name := range f.all {
		if len(f.names[scopedName{0, name}]) > 0 || slices.ContainsFunc(named, func(x *reexport) bool { return x.name == name }) {
			continue
		}
		for _, star := range f.stars {
			if slices.ContainsFunc(p.imports[i][star].modules, func(m module) bool {
				offers, _ := p.offers(m, name)
				return offers && m.file >= 0 && len(p.files[m.file].names[scopedName{0, name}]) > 0
			}) {
				list = append(list, &reexport{name: name, imp: star})
				break
			}
		}
	}
	return list
}

func (p *project) reexportSymbol(f *file, x *reexport) graph.Symbol {
	imp := &f.Facts.Imports[x.imp]
	signature := "from " + imp.Module + " import " + imp.Name
	if imp.Name != "*" && imp.Name != x.name {
		signature += " as " + x.name
	}
	var name, source treesitter.Digester
	name.Add([]byte(x.name))
	source.Add([]byte(imp.Module))
	source.Add([]byte(imp.Name))
	body := source.Sum()
	public := f.all[x.name] || f.all == nil && !strings.HasPrefix(x.name, "_")
	return graph.Symbol{
		ID:   graph.NewSymbolID(Language, f.Path, "", x.name, graph.KindReexport, ""),
		Name: x.name, Kind: graph.KindReexport, Language: Language, Path: f.Path,
		Line: int(imp.Line), EndLine: int(imp.Line), Start: int(x.at), End: int(x.at) + len(imp.Name),
		Exported: public, Generated: f.Facts.Generated, Signature: signature,
		Digests: graph.Digests{Signature: name.Sum(), Body: body, Raw: body},
	}
}

// through finds the re-exports that a name of a module goes through.
func (p *project) through(modules []module, name string) []*reexport {
	var list []*reexport
	for _, m := range modules {
		if m.file < 0 {
			continue
		}
		if x := p.reexports[m.file][name]; x != nil {
			list = append(list, x)
		}
	}
	return list
}
