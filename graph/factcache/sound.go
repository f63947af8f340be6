package factcache

import "github.com/previdence/previdence/graph"

// sound reports whether every part that facts refer to exists, and whether
// following parents comes to an end. Index 0 is let through even if there is no
// such part: it is what a field that a language does not use holds.
func sound(f *graph.Facts) bool {
	s := sizes{len(f.Symbols), len(f.Scopes), len(f.Exprs), len(f.Imports)}
	for i := range f.Symbols {
		if !s.symbol(&f.Symbols[i]) {
			return false
		}
	}
	for i := range f.Bindings {
		b := &f.Bindings[i]
		if !within(s.scopes, b.Scope) || !within(s.symbols, b.Symbol) || !within(s.imports, b.Import) || !within(s.exprs, b.Type, b.Value) {
			return false
		}
	}
	for i := range f.Exprs {
		if !s.expr(&f.Exprs[i]) {
			return false
		}
	}
	for i := range f.Refs {
		if r := &f.Refs[i]; !within(s.exprs, r.Expr, r.Args) || !within(s.symbols, r.From) {
			return false
		}
	}
	for i := range f.Imports {
		if !within(s.symbols, f.Imports[i].From) {
			return false
		}
	}
	for i := range f.Exports {
		if e := &f.Exports[i]; !within(s.imports, e.Import) || !within(s.exprs, e.Expr) {
			return false
		}
	}
	for i := range f.Scopes {
		if sc := &f.Scopes[i]; !within(s.scopes, sc.Parent) || !within(s.symbols, sc.Symbol) {
			return false
		}
	}
	return ends(len(f.Symbols), func(i int32) int32 { return f.Symbols[i].Parent }) &&
		ends(len(f.Scopes), func(i int32) int32 { return f.Scopes[i].Parent })
}

// sizes are the lengths of the lists that indexes point into.
type sizes struct{ symbols, scopes, exprs, imports int }

func (s sizes) symbol(f *graph.SymbolFact) bool {
	for i := range f.Params {
		if !within(s.exprs, f.Params[i].Type) {
			return false
		}
	}
	return within(s.symbols, f.Parent) && within(s.exprs, f.Result) && within(s.scopes, f.Scope) &&
		within(s.exprs, f.Returns...) && within(s.exprs, f.Bases...) && within(s.exprs, f.Decorators...)
}

func (s sizes) expr(e *graph.Expr) bool {
	target := s.symbols
	if e.Kind == graph.ExprRequire {
		target = s.imports
	}
	return within(s.exprs, e.Base) && within(s.exprs, e.Args...) && within(target, e.Symbol) && within(s.scopes, e.Scope)
}

func within(n int, indexes ...int32) bool {
	for _, i := range indexes {
		if i < graph.None || i > 0 && int(i) >= n {
			return false
		}
	}
	return true
}

// ends reports whether no element is above itself. An element that names itself
// as its parent stands at the top.
func ends(n int, parent func(int32) int32) bool {
	const unknown, open, known = 0, 1, 2
	state := make([]uint8, n)
	for start := range int32(n) {
		i := start
		for i != graph.None && state[i] == unknown {
			state[i] = open
			if p := parent(i); p != i {
				i = p
			}
		}
		if i != graph.None && state[i] == open && parent(i) != i {
			return false
		}
		for i = start; i != graph.None && state[i] == open; i = parent(i) {
			state[i] = known
		}
	}
	return true
}
