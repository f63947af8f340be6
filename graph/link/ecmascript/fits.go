package ecmascript

import (
	"math"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// fits notes a call that passes fewer arguments than a function requires, or
// more than it takes. It judges only what TypeScript judges the same way, and stays silent otherwise.
func (l *fileLinker) fits(r *graph.Ref, targets []target) {
	call := &l.f.f.Exprs[r.Args]
	if len(targets) != 1 || targets[0].tier > graph.TierExact || call.Kind == graph.ExprTemplate || call.Kind == graph.ExprJSX ||
		!l.f.checked() || l.f.ignored[r.Line] {
		return
	}
	t := l.function(targets[0], call.Kind == graph.ExprNew)
	if !l.plainCallee(r.Expr, t) {
		return
	}
	l.passes(r, call, t)
	if len(call.Args) >= l.required(t) && len(call.Args) <= l.room(t) {
		return
	}
	if slices.ContainsFunc(call.Args, func(a int32) bool { return l.f.f.Exprs[a].Kind == graph.ExprSpread }) {
		return
	}
	l.unresolved = append(l.unresolved, graph.Unresolved{From: l.f.Symbols + r.From, Line: r.Line, Kind: r.Kind, Name: l.p.fact(t).Name,
		In: string(l.p.symbols[l.p.symbol(t)].ID), Broken: true, Reason: reasonArguments})
}

// function is the function that a call of t runs: the constructor of a class.
func (l *fileLinker) function(t target, constructs bool) target {
	if !constructs {
		return t
	}
	if c, ok := l.v.constructor(val{kind: valInstance, file: t.file, i: t.sym}, map[val]bool{}); ok {
		return c
	}
	return t
}

// plainCallee reports whether what is called is nothing but t: a name for one
// function, or a method of a receiver of known class that nothing overrides.
func (l *fileLinker) plainCallee(callee int32, t target) bool {
	f, s := l.p.files[t.file], l.p.fact(t)
	if s.Parent == graph.None || !f.checked() || s.Flags&(graph.FlagTypeOnly|graph.FlagOverload) != 0 {
		return false
	}
	if same := f.children[s.Parent][s.Name]; len(same) != 1 {
		return false
	}
	for _, b := range f.bound[t.sym] {
		if x := &f.f.Bindings[b]; x.Type != graph.None || len(f.names[x.Scope][x.Name]) != 1 {
			return false
		}
	}
	e := &l.f.f.Exprs[callee]
	switch s.Kind {
	case graph.KindConstructor:
		_, known := l.receiver(l.f, callee, 0)
		return known || e.Kind == graph.ExprSuper
	case graph.KindFunction:
		return e.Kind == graph.ExprName && l.names(e, t) || e.Kind == graph.ExprMember && l.namesIn(e, t)
	case graph.KindMethod:
		if e.Kind != graph.ExprMember || e.Name != s.Name {
			return false
		}
		_, known := l.receiver(l.f, e.Base, 0)
		return known && len(l.p.overriding(f.Symbols+s.Parent, s.Name, s.Flags&graph.FlagStatic)) == 0
	}
	return false
}

// names reports whether a name means exactly this definition, itself, imported
// or taken from an imported module, and not a value made from it.
func (l *fileLinker) names(e *graph.Expr, t target) bool {
	found, _ := l.f.lookup(e.Scope, e.Name, values)
	if len(found) != 1 {
		return false
	}
	x := &l.f.f.Bindings[found[0]]
	if x.Value != graph.None && x.Type == graph.None && l.f.f.Exprs[x.Value].Kind == graph.ExprMember && x.Kind != graph.BindParameter {
		return l.namesIn(&l.f.f.Exprs[x.Value], t) // const { f } = m
	}
	r := l.v.boundTo(l.f, found[0], values)
	return len(r.defs) == 1 && r.defs[0].kind == defSymbol && r.defs[0].file == t.file && r.defs[0].i == t.sym
}

// namesIn reports whether a member of a module means exactly this definition.
func (l *fileLinker) namesIn(e *graph.Expr, t target) bool {
	m, ok := l.moduleOf(l.f, e.Base, 0)
	if !ok {
		return false
	}
	r := l.p.exported(m, e.Name, values, map[visit]bool{})
	return r.state == exportFound && len(r.defs) == 1 && r.defs[0].kind == defSymbol && r.defs[0].file == t.file && r.defs[0].i == t.sym
}

// moduleOf is the file of the module that an expression certainly is: m after
// import * as m from "./m", await import("./m"), and await f() where all that f
// does is to return import("./m").
func (l *fileLinker) moduleOf(f *file, i int32, depth int) (int32, bool) {
	if i == graph.None || depth > 4 {
		return 0, false
	}
	imported := graph.None
	switch e := &f.f.Exprs[i]; e.Kind {
	case graph.ExprAwait:
		return l.moduleOf(f, e.Base, depth+1)
	case graph.ExprRequire:
		imported = e.Symbol
	case graph.ExprCall:
		if e.Name == "import" {
			return l.moduleOf(f, e.Base, depth+1)
		}
		return l.moduleFrom(f, e.Base, depth)
	case graph.ExprName:
		if found, _ := f.lookup(e.Scope, e.Name, values); len(found) == 1 {
			imported = f.f.Bindings[found[0]].Import
		}
		if imported != graph.None && (f.f.Imports[imported].Name != "*" || f.f.Imports[imported].Dynamic) {
			return 0, false
		}
	}
	if imported == graph.None || f.modules[imported].state != moduleFile || f.modules[imported].tier > graph.TierExact {
		return 0, false
	}
	return f.modules[imported].file, true
}

// moduleFrom is the module that a function returns, if that is all it returns.
func (l *fileLinker) moduleFrom(f *file, callee int32, depth int) (int32, bool) {
	if callee == graph.None || f.f.Exprs[callee].Kind != graph.ExprName {
		return 0, false
	}
	found, _ := f.lookup(f.f.Exprs[callee].Scope, f.f.Exprs[callee].Name, values)
	if len(found) != 1 {
		return 0, false
	}
	r := l.v.boundTo(f, found[0], values)
	if len(r.defs) != 1 || r.defs[0].kind != defSymbol || r.defs[0].tier > graph.TierExact {
		return 0, false
	}
	g := l.p.files[r.defs[0].file]
	s := &g.f.Symbols[r.defs[0].i]
	if s.Kind != graph.KindFunction || s.Result != graph.None || len(s.Returns) != 1 || s.Flags&graph.FlagGenerator != 0 {
		return 0, false
	}
	return l.moduleOf(g, s.Returns[0], depth+1)
}

// required is how many arguments a function must be given. A parameter whose
// type may be void may be left out, and a type parameter may stand for void.
func (l *fileLinker) required(t target) int {
	f, s := l.p.files[t.file], l.p.fact(t)
	for i, p := range slices.Backward(s.Params) {
		if p.Kind == graph.ParamPositional && !p.Optional && p.TypeText != "" && !f.mayBeVoid(t.sym, p.TypeText) {
			return i + 1
		}
	}
	return 0
}

// room is how many arguments a call may pass.
func (l *fileLinker) room(t target) int {
	n := 0
	for _, p := range l.p.fact(t).Params {
		switch p.Kind {
		case graph.ParamVariadic:
			return math.MaxInt
		case graph.ParamPositional:
			n++
		}
	}
	return n
}

func (f *file) mayBeVoid(sym int32, typ string) bool {
	words := strings.FieldsFunc(typ, func(r rune) bool {
		return r != '_' && r != '$' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if slices.Contains(words, "void") {
		return true
	}
	for s := sym; s != graph.None; s = f.f.Symbols[s].Parent {
		for _, p := range f.typeParameters(s) {
			if slices.Contains(words, f.f.Bindings[p].Name) {
				return true
			}
		}
	}
	return false
}

// unfit notes that a function does not fit where it stands, which is either's
// fault: its own, and that of what it has to fit, if that is a definition.
func (l *fileLinker) unfit(at target, line int32, kind graph.EdgeKind, reason string, from int32, of ...int32) {
	if l.f.ignored[line] {
		return
	}
	for _, s := range append(of, l.p.symbol(at)) {
		l.unresolved = append(l.unresolved, graph.Unresolved{From: from, Line: line, Kind: kind, Name: l.p.fact(at).Name,
			In: string(l.p.symbols[s].ID), Broken: true, Reason: reason})
	}
}

// passes notes the functions handed to t that require more arguments than the
// declared type of the parameter gives them.
func (l *fileLinker) passes(r *graph.Ref, call *graph.Expr, t target) {
	for i, p := range l.p.fact(t).Params {
		if i >= len(call.Args) || p.Kind != graph.ParamPositional || l.f.f.Exprs[call.Args[i]].Kind == graph.ExprSpread {
			return
		}
		if p.Type == graph.None {
			continue
		}
		a := &l.f.f.Exprs[call.Args[i]]
		handed, ok := l.plainFunction(a)
		if !ok {
			continue
		}
		if room, ok := l.roomOf(l.p.files[t.file], p.Type, 0); ok && l.required(handed) > room {
			l.unfit(handed, a.Line, graph.EdgeReference, reasonPassed, l.f.Symbols+r.From)
		}
	}
}

// plainFunction is the function that an expression names and nothing else, with
// its own signature for a type.
func (l *fileLinker) plainFunction(e *graph.Expr) (target, bool) {
	if e.Kind != graph.ExprName {
		return target{}, false
	}
	found, _ := l.f.lookup(e.Scope, e.Name, values)
	if len(found) != 1 {
		return target{}, false
	}
	r := l.v.boundTo(l.f, found[0], values)
	if len(r.defs) != 1 || r.defs[0].kind != defSymbol || r.defs[0].tier > graph.TierExact {
		return target{}, false
	}
	t := target{file: r.defs[0].file, sym: r.defs[0].i, tier: graph.TierExact}
	f, s := l.p.files[t.file], l.p.fact(t)
	if s.Kind != graph.KindFunction || s.Parent == graph.None || !f.checked() || len(f.children[s.Parent][s.Name]) != 1 {
		return target{}, false
	}
	return t, !slices.ContainsFunc(f.bound[t.sym], func(b int32) bool { return f.f.Bindings[b].Type != graph.None })
}

// misfits notes the definitions of the file that require more arguments than
// what they are declared to be, or what they replace, is called with.
func (l *fileLinker) misfits() {
	if !l.f.checked() {
		return
	}
	for i := range l.f.f.Bindings {
		b := &l.f.f.Bindings[i]
		if b.Kind != graph.BindDefinition || b.Type == graph.None || b.Value != graph.None || b.Symbol == graph.None || l.f.f.Symbols[b.Symbol].Kind != graph.KindFunction {
			continue
		}
		l.v.begin()
		t := target{l.f.index, b.Symbol, graph.TierExact}
		if room, ok := l.roomOf(l.f, b.Type, 0); ok && l.required(t) > room {
			l.unfit(t, l.p.fact(t).Line, graph.EdgeReference, reasonType, l.p.symbol(t))
		}
	}
	for i := range l.f.f.Symbols {
		if s := &l.f.f.Symbols[i]; s.Kind == graph.KindMethod && s.Flags&(graph.FlagStatic|graph.FlagOverload) == 0 && s.Parent != graph.None && !strings.HasPrefix(s.Name, "#") {
			l.replaces(int32(i))
		}
	}
}

// replaces notes a method that requires more arguments than the one that it
// replaces takes.
func (l *fileLinker) replaces(sym int32) {
	s := &l.f.f.Symbols[sym]
	t := target{l.f.index, sym, graph.TierExact}
	n := l.required(t)
	if n == 0 || len(l.f.children[s.Parent][s.Name]) != 1 {
		return
	}
	for _, to := range l.p.overridden(l.f.Symbols+s.Parent, s.Name, 0) {
		f, m := l.p.at(to)
		base := target{f.index, m, graph.TierExact}
		b := l.p.fact(base)
		if b.Kind != graph.KindMethod || !f.checked() || len(f.children[b.Parent][b.Name]) != 1 || len(f.merged(b.Parent)) != 1 {
			continue
		}
		if n > l.room(base) {
			l.unfit(t, s.Line, graph.EdgeOverride, reasonOverride, l.p.symbol(t), to)
			return
		}
	}
}

// roomOf is how many arguments a function of a declared type may be called with.
// It is known of a function type and of an interface with one call signature,
// under any name, alone or beside null and undefined.
func (l *fileLinker) roomOf(f *file, typ int32, depth int) (int, bool) {
	e := &f.f.Exprs[typ]
	if depth > 8 {
		return 0, false
	}
	switch e.Kind {
	case graph.ExprFunctionType:
		if n := len(e.Args); n > 0 && f.f.Exprs[e.Args[n-1]].Kind == graph.ExprSpread {
			return math.MaxInt, true
		}
		return len(e.Args), e.Name != "new"
	case graph.ExprUnion:
		rest := slices.DeleteFunc(slices.Clone(e.Args), func(a int32) bool { return f.f.Exprs[a].Kind == graph.ExprNull })
		if len(rest) == 1 && len(e.Args) > 1 {
			return l.roomOf(f, rest[0], depth+1)
		}
	case graph.ExprIndex:
		if e.Base != graph.None && f.f.Exprs[e.Base].Kind == graph.ExprTypeName {
			return l.roomOf(f, e.Base, depth+1)
		}
	case graph.ExprTypeName:
		found, _ := f.lookup(e.Scope, e.Name, types)
		if len(found) != 1 {
			return 0, false
		}
		r := l.v.boundTo(f, found[0], types)
		if len(r.defs) != 1 || r.defs[0].kind != defSymbol || r.defs[0].tier > graph.TierExact {
			return 0, false
		}
		return l.roomOfDefined(l.p.files[r.defs[0].file], r.defs[0].i, depth)
	}
	return 0, false
}

func (l *fileLinker) roomOfDefined(f *file, sym int32, depth int) (int, bool) {
	switch s := &f.f.Symbols[sym]; s.Kind {
	case graph.KindType:
		if s.Result != graph.None {
			return l.roomOf(f, s.Result, depth+1)
		}
	case graph.KindInterface:
		if !l.whole(f.index, sym, map[def]bool{}) {
			return 0, false
		}
		calls := l.v.members(val{kind: valInstance, file: f.index, i: sym}, "()")
		if len(calls) == 1 && calls[0].binding != graph.None {
			g := l.p.files[calls[0].file]
			if t := g.f.Bindings[calls[0].binding].Type; t != graph.None {
				return l.roomOf(g, t, depth+1)
			}
		}
	}
	return 0, false
}
