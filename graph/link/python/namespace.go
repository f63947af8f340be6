package python

import (
	"github.com/previdence/previdence/graph"
)

// noteCalls looks for what changes what can be said for certain.
func (f *file) noteCalls() {
	for i := range f.Facts.Refs {
		r := &f.Facts.Refs[i]
		if !f.dynamic && f.changesNames(r) {
			f.dynamic = true
		}
		switch r.Name {
		case "meta_path", "path_hooks":
			f.hooks = true
		default:
			if !raising[r.Name] {
				continue
			}
			if f.raises == nil {
				f.raises = map[int32]bool{}
			}
			f.raises[r.From] = true
		}
	}
}

// changesNames reports whether a use may give this module, or its package,
// names that are not written in it.
func (f *file) changesNames(r *graph.Ref) bool {
	plain := r.Expr != graph.None && f.Facts.Exprs[r.Expr].Kind == graph.ExprName
	switch r.Name {
	case "global_enum", "add_module", "attach", "lazy_import", "_convert_", "_convert", "meta_path", "path_hooks", "__path__":
		return true
	case "modules":
		return r.From == 0
	case "globals":
		return plain && r.Kind == graph.EdgeCall && f.filled(r.Args, "globals()[]")
	case "vars", "locals":
		// In a function they are a copy.
		return plain && r.Kind == graph.EdgeCall && r.From == 0 && f.filled(r.Args, r.Name+"()[]")
	case "exec":
		// With a namespace of its own it leaves this one alone.
		return plain && r.Args != graph.None && len(f.Facts.Exprs[r.Args].Args) < 2
	}
	return false
}

// reading are methods of a dictionary that leave it as it is.
var reading = set("get items keys values copy __contains__ __getitem__ __iter__ __len__")

// filled reports whether the dictionary that a call gives may get new entries:
// one is assigned (which binds the name element), or it is handed to what may.
func (f *file) filled(call int32, element string) bool {
	if call == graph.None || f.binds(element) {
		return true
	}
	if f.handedOn(func(e int32) bool { return e == call }) {
		return true
	}
	for i := range f.Facts.Bindings {
		b := &f.Facts.Bindings[i]
		if b.Value != call {
			continue
		}
		named := func(e int32) bool { return f.Facts.Exprs[e].Kind == graph.ExprName && f.Facts.Exprs[e].Name == b.Name }
		if b.Kind != graph.BindVariable || f.binds(b.Name+"[]") || f.handedOn(named) {
			return true
		}
	}
	return false
}

// binds reports whether any scope of the file binds a name.
func (f *file) binds(name string) bool {
	for i := range f.Facts.Bindings {
		if f.Facts.Bindings[i].Name == name {
			return true
		}
	}
	return false
}

// handedOn reports whether one of the expressions that are meant is used in
// another way than to read from it.
func (f *file) handedOn(meant func(int32) bool) bool {
	for i := range f.Facts.Exprs {
		e := &f.Facts.Exprs[i]
		if e.Base != graph.None && meant(e.Base) {
			switch {
			case e.Kind == graph.ExprIndex, e.Kind == graph.ExprElement, e.Kind == graph.ExprSpread:
			case e.Kind == graph.ExprMember && reading[e.Name]:
			default:
				return true
			}
		}
		for _, a := range e.Args {
			if a != graph.None && meant(a) && e.Kind != graph.ExprBinary {
				return true
			}
		}
	}
	for i := range f.Facts.Symbols {
		for _, ret := range f.Facts.Symbols[i].Returns {
			if ret != graph.None && meant(ret) {
				return true
			}
		}
	}
	return false
}
