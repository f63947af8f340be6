package ecmascript

import (
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// A class is a class known by name: its instances, or the class itself.
type class struct {
	file, sym int32
	static    bool
}

// checked reports whether a type checker judges the lines of the file, so that
// a member or an argument that is missing is an error and no habit.
func (f *file) checked() bool {
	return f.f.Language != "javascript" && len(f.f.Gaps) == 0 && !f.ignored[0]
}

// receiver is the class that an expression is known to be an instance of: it is
// declared so, or was made with new and is never set again. No type is inferred.
func (l *fileLinker) receiver(f *file, i int32, depth int) (class, bool) {
	if i == graph.None || depth > 8 {
		return class{}, false
	}
	e := &f.f.Exprs[i]
	switch e.Kind {
	case graph.ExprThis:
		known := e.Base == graph.None && e.Symbol != graph.None && f.f.Symbols[e.Symbol].Kind == graph.KindClass
		return class{f.index, e.Symbol, e.Name == "static"}, known
	case graph.ExprNew:
		return l.madeBy(f, e, depth)
	case graph.ExprAs:
		if len(e.Args) == 1 {
			return l.classType(f, e.Args[0])
		}
	case graph.ExprName:
		found, scope := f.lookup(e.Scope, e.Name, values)
		if len(found) == 1 && len(f.attached[nameIn{scope, e.Name}]) == 0 {
			return l.holding(f, found[0], depth)
		}
	case graph.ExprMember:
		return l.fieldOf(f, e, depth)
	}
	return class{}, false
}

// madeBy is the class of new X(…).
func (l *fileLinker) madeBy(f *file, e *graph.Expr, depth int) (class, bool) {
	base := e.Base
	if base != graph.None && f.f.Exprs[base].Kind == graph.ExprIndex {
		base = f.f.Exprs[base].Base
	}
	c, ok := l.receiver(f, base, depth+1)
	return class{c.file, c.sym, false}, ok && c.static
}

// holding is the class of what a binding holds.
func (l *fileLinker) holding(f *file, b int32, depth int) (class, bool) {
	x := &f.f.Bindings[b]
	if x.Type != graph.None {
		return l.classType(f, x.Type)
	}
	switch x.Kind {
	case graph.BindImport:
		r := l.v.boundTo(f, b, values)
		if len(r.defs) != 1 || r.defs[0].kind != defSymbol || r.defs[0].tier > graph.TierExact {
			return class{}, false
		}
		return l.defined(l.p.files[r.defs[0].file], r.defs[0].i, depth)
	case graph.BindDefinition:
		if x.Symbol != graph.None {
			return l.defined(f, x.Symbol, depth)
		}
	case graph.BindVariable:
		if x.Value != graph.None && f.f.Exprs[x.Value].Kind == graph.ExprNew {
			return l.receiver(f, x.Value, depth+1)
		}
	}
	return class{}, false
}

// defined is the class that a definition is or holds.
func (l *fileLinker) defined(f *file, sym int32, depth int) (class, bool) {
	switch f.f.Symbols[sym].Kind {
	case graph.KindClass:
		return class{f.index, sym, true}, true
	case graph.KindConstant, graph.KindField:
		bound := f.bound[sym]
		if len(bound) != 1 {
			return class{}, false
		}
		x := &f.f.Bindings[bound[0]]
		if x.Type != graph.None {
			return l.classType(f, x.Type)
		}
		if len(f.names[x.Scope][x.Name]) == 1 && x.Value != graph.None && f.f.Exprs[x.Value].Kind == graph.ExprNew {
			return l.receiver(f, x.Value, depth+1)
		}
	}
	return class{}, false
}

// fieldOf is the class of a field of a known class.
func (l *fileLinker) fieldOf(f *file, e *graph.Expr, depth int) (class, bool) {
	owner, ok := l.receiver(f, e.Base, depth+1)
	if !ok {
		return class{}, false
	}
	found := l.v.members(owner.value(), e.Name)
	if len(found) != 1 || found[0].sym == graph.None {
		return class{}, false
	}
	return l.defined(l.p.files[found[0].file], found[0].sym, depth+1)
}

func (c class) value() val {
	if c.static {
		return val{kind: valSymbol, file: c.file, i: c.sym}
	}
	return val{kind: valInstance, file: c.file, i: c.sym}
}

// classType is the class that a type names, alone or beside null and undefined.
func (l *fileLinker) classType(f *file, typ int32) (class, bool) {
	e := &f.f.Exprs[typ]
	switch e.Kind {
	case graph.ExprIndex:
		if e.Base != graph.None {
			return l.classType(f, e.Base)
		}
	case graph.ExprUnion:
		rest := slices.DeleteFunc(slices.Clone(e.Args), func(a int32) bool { return f.f.Exprs[a].Kind == graph.ExprNull })
		if len(rest) == 1 {
			return l.classType(f, rest[0])
		}
	case graph.ExprTypeName:
		found, _ := f.lookup(e.Scope, e.Name, types)
		if len(found) != 1 {
			return class{}, false
		}
		r := l.v.boundTo(f, found[0], types)
		if len(r.defs) == 1 && r.defs[0].kind == defSymbol && r.defs[0].tier <= graph.TierExact {
			d := r.defs[0]
			return class{d.file, d.i, false}, l.p.files[d.file].f.Symbols[d.i].Kind == graph.KindClass
		}
	}
	return class{}, false
}

// ofFunctions are the members that every class has as a function.
var ofFunctions = setOf(`arguments caller constructor length name prototype`)

// lacks reports whether it is certain that a class has no member of this name:
// all its members and bases are known, nothing adds members to it from outside,
// and no class that derives from it has the member, since a condition may have
// narrowed the type to that.
func (l *fileLinker) lacks(c class, name string) bool {
	if name == "" || ofEverything[name] || ofFunctions[name] || l.p.assigned[name] {
		return false
	}
	if !l.whole(c.file, c.sym, map[def]bool{}) {
		return false
	}
	at := l.p.files[c.file].Symbols + c.sym
	return len(l.p.overriding(at, name, 0)) == 0 && len(l.p.overriding(at, name, graph.FlagStatic)) == 0
}

// whole reports whether all members of a class or interface are known.
func (l *fileLinker) whole(at, sym int32, seen map[def]bool) bool {
	d := def{kind: defSymbol, file: at, i: sym}
	if seen[d] {
		return true
	}
	seen[d] = true
	f := l.p.files[at]
	if len(f.f.Gaps) > 0 || f.f.Language == "javascript" || l.p.augmented[f.f.Symbols[sym].Name] {
		return false
	}
	for _, d := range l.p.merged(f, sym) {
		g := l.p.files[d.file]
		s := &g.f.Symbols[d.sym]
		if s.Kind != graph.KindClass && s.Kind != graph.KindInterface || len(s.Decorators) > 0 || g.computed(d.sym) {
			return false
		}
		for _, b := range s.Bases {
			if !l.wholeBase(g, b, seen) {
				return false
			}
		}
	}
	return true
}

// wholeBase reports whether a base is named, not computed, and wholly known.
func (l *fileLinker) wholeBase(f *file, b int32, seen map[def]bool) bool {
	e := &f.f.Exprs[b]
	if e.Kind == graph.ExprIndex && e.Base != graph.None {
		e = &f.f.Exprs[e.Base]
	}
	if e.Kind != graph.ExprName && e.Kind != graph.ExprTypeName {
		return false
	}
	vals := l.v.base(f, b, 0)
	return len(vals) == 1 && vals[0].kind == valInstance && l.whole(vals[0].file, vals[0].i, seen)
}

// computed reports whether a class has members whose names are not written.
func (f *file) computed(sym int32) bool {
	if scope := f.f.Symbols[sym].Scope; scope != graph.None && len(f.names[scope]["[]"]) > 0 {
		return true
	}
	for name := range f.children[sym] {
		if strings.HasPrefix(name, "[") && !strings.HasPrefix(name, "[Symbol.") {
			return true
		}
	}
	return false
}
