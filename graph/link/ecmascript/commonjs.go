package ecmascript

import (
	"github.com/previdence/previdence/graph"
)

// mixers are functions that copy the members of their further arguments to
// their first, by the names under which libraries offer them.
var mixers = map[string]bool{"assign": true, "extend": true, "mixin": true, "merge": true, "mergeDescriptors": true,
	"inherits": true, "defaults": true}

// indexMixed notes mixin(A, B): A has the members of B as well.
func (f *file) indexMixed(call *graph.Expr) {
	if call.Base == graph.None || len(call.Args) < 2 || !mixers[f.f.Exprs[call.Base].Name] {
		return
	}
	first := &f.f.Exprs[call.Args[0]]
	if first.Kind == graph.ExprMember && first.Name == "prototype" && first.Base != graph.None {
		first = &f.f.Exprs[first.Base]
	}
	if first.Kind != graph.ExprName {
		return
	}
	if _, scope := f.lookup(first.Scope, first.Name, values); scope != graph.None {
		key := nameIn{scope, first.Name}
		for _, a := range call.Args[1:] {
			switch f.f.Exprs[a].Kind {
			case graph.ExprName, graph.ExprMember, graph.ExprObject, graph.ExprCall, graph.ExprRequire, graph.ExprNew:
				f.mixed[key] = append(f.mixed[key], a)
			}
		}
	}
}

// isModule reports whether an expression is the module object of its own file.
func (f *file) isModule(i int32, depth int) bool {
	if i == graph.None || depth > 4 {
		return false
	}
	e := &f.f.Exprs[i]
	switch e.Kind {
	case graph.ExprName:
		found, _ := f.lookup(e.Scope, e.Name, values)
		if len(found) == 0 {
			return e.Name == "exports"
		}
		return len(found) == 1 && f.isModule(f.f.Bindings[found[0]].Value, depth+1)
	case graph.ExprMember:
		return e.Name == "exports" && e.Base != graph.None && f.isGlobal(e.Base, "module")
	}
	return false
}

// isGlobal reports whether an expression is a name that the file does not bind.
func (f *file) isGlobal(i int32, name string) bool {
	e := &f.f.Exprs[i]
	if e.Kind != graph.ExprName || e.Name != name {
		return false
	}
	found, _ := f.lookup(e.Scope, name, values)
	return len(found) == 0
}

// indexMixins finds require("./part")(module.exports) in all files.
func (p *program) indexMixins() {
	p.mixers = map[exportedParam][]int32{}
	for _, f := range p.files {
		for i := range f.f.Exprs {
			e := &f.f.Exprs[i]
			if e.Kind != graph.ExprCall || e.Base == graph.None || f.f.Exprs[e.Base].Kind != graph.ExprRequire {
				continue
			}
			m := f.modules[f.f.Exprs[e.Base].Symbol]
			if m.state != moduleFile {
				continue
			}
			for k, a := range e.Args {
				if f.isModule(a, 0) {
					v := exportedParam{m.file, int32(k)}
					f.mixins = append(f.mixins, v)
					p.mixers[v] = append(p.mixers[v], f.index)
				}
			}
		}
	}
}
