package ecmascript

import (
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// narrowed keeps of the values of a name those that the conditions around its
// use leave. A scope says that of a name which is not set anew before.
func (v *eval) narrowed(f *file, e *graph.Expr, bound int32, vals []val, env int32) []val {
	if len(f.narrows) == 0 {
		return vals
	}
	stays := len(f.names[bound][e.Name]) <= 1 // else a function may run after the name was set anew
	return v.around(f, e, nameIn{bound, e.Name}, stays, vals, env)
}

// narrowedMember does the same for a member, which a function that runs later may
// find set anew.
func (v *eval) narrowedMember(f *file, e *graph.Expr, vals []val, env int32) []val {
	if !f.paths || len(vals) < 2 {
		return vals
	}
	if name := f.path(e, 0); name != "" {
		return v.around(f, e, nameIn{graph.None, name}, false, vals, env)
	}
	return vals
}

// path is a member of a name or of "this" as conditions speak of it, or empty.
func (f *file) path(e *graph.Expr, depth int) string {
	switch {
	case e.Kind == graph.ExprName:
		return e.Name
	case e.Kind == graph.ExprThis:
		return "this"
	case e.Kind != graph.ExprMember || e.Base == graph.None || depth > 8:
		return ""
	}
	if base := f.path(&f.f.Exprs[e.Base], depth+1); base != "" {
		return base + "." + e.Name
	}
	return ""
}

// around applies what the scopes around an expression say of a name, up to the
// one that binds it and, unless what is said stays true, to the next function.
func (v *eval) around(f *file, e *graph.Expr, of nameIn, stays bool, vals []val, env int32) []val {
	var tests []int32 // innermost first
	for s := e.Scope; s != graph.None; s = f.f.Scopes[s].Parent {
		var here []int32
		for _, b := range f.narrows[nameIn{s, of.name}] {
			switch x := &f.f.Bindings[b]; {
			case x.At > e.Start:
			case x.Value == graph.None:
				here = nil
			default:
				here = append(here, x.Value)
			}
		}
		slices.Reverse(here)
		tests = append(tests, here...)
		if s == of.scope || f.f.Scopes[s].Kind == graph.ScopeFunction && !stays {
			break
		}
	}
	for _, t := range slices.Backward(tests) {
		vals = v.tested(f, t, vals, env)
	}
	return vals
}

// tested are the values that a test leaves, or what it proves where none of them
// is known to be that.
func (v *eval) tested(f *file, test int32, vals []val, env int32) []val {
	e := &f.f.Exprs[test]
	if e.Kind == graph.ExprUnion {
		var out []val
		for _, a := range e.Args {
			out = append(out, v.tested(f, a, vals, env)...)
		}
		return distinct(out)
	}
	switch name, negated := strings.CutPrefix(e.Name, "!"); name {
	case "typeof":
		return v.ofType(f.f.Exprs[e.Args[0]].Name, vals, negated)
	case "truthy":
		return v.filter(vals, func(x val) bool { return kindsOf(v, x)&mayBeFalsy != 0 })
	case "null":
		return nil
	case "instanceof":
		return v.ofClass(f, e.Args[0], vals, negated, env)
	case "guard":
		return v.guarded(f, e.Args[0], vals, negated, env)
	case "in":
		if !negated {
			return v.filter(vals, func(x val) bool { return kindsOf(v, x) == anyKind || len(v.members(x, f.f.Exprs[e.Args[0]].Name)) > 0 })
		}
	case "===":
		return v.discriminate(f, e, vals, negated)
	}
	return vals
}

// filter keeps the values that ok accepts, or all if it accepts none: better too
// many than a call without target.
func (v *eval) filter(vals []val, ok func(val) bool) []val {
	var out []val
	for _, x := range vals {
		if ok(x) {
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return vals
	}
	return out
}

// kinds are what typeof may say of a value, as bits.
type kinds uint8

const (
	isString kinds = 1 << iota
	isNumber
	isBoolean
	isFunction
	isObject
	anyKind    = isString | isNumber | isBoolean | isFunction | isObject
	mayBeFalsy = isString | isNumber | isBoolean
)

var kindNames = map[string]kinds{"string": isString, "number": isNumber, "bigint": isNumber, "boolean": isBoolean,
	"function": isFunction, "object": isObject}

// kindsOf is what typeof may say of a value.
func kindsOf(v *eval, x val) kinds {
	f := v.p.files[x.file]
	callable := func() kinds {
		if len(v.members(x, "()")) > 0 {
			return isObject | isFunction
		}
		return isObject
	}
	switch x.kind {
	case valModule:
		return isObject
	case valSymbol:
		if k := f.f.Symbols[x.i].Kind; k.Callable() || k == graph.KindClass {
			return isFunction
		}
		return isObject
	case valInstance:
		switch f.f.Symbols[x.i].Kind {
		case graph.KindEnum:
			return isString | isNumber
		case graph.KindClass:
			return isObject
		}
		return callable()
	case valShape:
		switch f.f.Exprs[x.i].Kind {
		case graph.ExprFunction, graph.ExprFunctionType:
			return isFunction
		}
		return callable()
	case valBuiltin:
		switch builtinName(x.i) {
		case "String":
			return isString
		case "Number":
			return isNumber
		case "Boolean":
			return isBoolean
		case "Function":
			return isFunction
		case "Object":
			return isObject | isFunction
		}
		return isObject
	}
	return anyKind
}

func (v *eval) ofType(name string, vals []val, negated bool) []val {
	k, known := kindNames[name]
	switch {
	case !known:
		return vals
	case negated:
		return v.filter(vals, func(x val) bool { return kindsOf(v, x)&^k != 0 })
	}
	var out []val
	for _, x := range vals {
		if kindsOf(v, x)&k != 0 {
			out = append(out, x)
		}
	}
	switch {
	case len(out) > 0:
		return out
	case k == isString:
		return v.builtin("String")
	case k == isNumber:
		return v.builtin("Number")
	case k == isBoolean:
		return v.builtin("Boolean")
	}
	return vals
}

// ofClass is what x instanceof C leaves.
func (v *eval) ofClass(f *file, class int32, vals []val, negated bool, env int32) []val {
	if k := &f.f.Exprs[class]; k.Kind == graph.ExprName {
		if found, _ := f.lookup(k.Scope, k.Name, values); len(found) == 0 {
			if negated {
				return vals
			}
			return v.filter(vals, func(x val) bool { return x.kind == valBuiltin && builtinName(x.i) == k.Name })
		}
	}
	return v.asInstances(v.instances(f, v.value(f, class, env), nil, env), vals, negated)
}

// asInstances keeps the values that are instances of these classes or of heirs;
// if there are none, what is tested is an instance all the same.
func (v *eval) asInstances(of, vals []val, negated bool) []val {
	if len(of) == 0 || slices.ContainsFunc(of, func(x val) bool { return x.kind != valInstance }) {
		return vals
	}
	is := func(x val) bool {
		return slices.ContainsFunc(of, func(c val) bool { return v.derives(x, c, map[val]bool{}) })
	}
	if negated {
		return v.filter(vals, func(x val) bool { return !is(x) })
	}
	var out []val
	for _, x := range vals {
		if is(x) {
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return of
	}
	return out
}

func (v *eval) derives(x, class val, seen map[val]bool) bool {
	if x.kind != valInstance || seen[x] || len(seen) > 64 {
		return false
	}
	seen[x] = true
	if x.file == class.file && x.i == class.i {
		return true
	}
	f := v.p.files[x.file]
	for _, sym := range f.merged(x.i) {
		if slices.ContainsFunc(v.bases(f, sym, x.env), func(b val) bool { return v.derives(b, class, seen) }) {
			return true
		}
	}
	return false
}

// guarded is what a function leaves that declares its first parameter to be a
// type: (x: unknown): x is T.
func (v *eval) guarded(f *file, callee int32, vals []val, negated bool, env int32) []val {
	fs := v.value(f, callee, env)
	if len(fs) != 1 || fs[0].kind != valSymbol {
		return vals
	}
	g := v.p.files[fs[0].file]
	s := &g.f.Symbols[fs[0].i]
	if s.Result == graph.None || len(s.Params) == 0 {
		return vals
	}
	p := &g.f.Exprs[s.Result]
	if p.Kind != graph.ExprAs || p.Name != s.Params[0].Name || len(p.Args) == 0 {
		return vals
	}
	is := v.typ(g, p.Args[0], 0)
	if len(is) == 1 && is[0].kind == valBuiltin {
		for name, k := range kindNames {
			if kindsOf(v, is[0]) == k && k != isObject && name != "bigint" {
				return v.ofType(name, vals, negated)
			}
		}
		return vals
	}
	return v.asInstances(is, vals, negated)
}

// discriminate is what x.kind === "a" or x.kind === Kind.A leaves: a value whose
// member is declared to be something else is not it.
func (v *eval) discriminate(f *file, e *graph.Expr, vals []val, negated bool) []val {
	key, want := f.f.Exprs[e.Args[0]].Name, &f.f.Exprs[e.Args[1]]
	return v.filter(vals, func(x val) bool {
		if x.kind != valInstance && x.kind != valShape {
			return true
		}
		for _, m := range v.members(x, key) {
			g := v.p.files[m.file]
			t := literalOf(g, m)
			if t == graph.None {
				return true
			}
			equal, certain := sameLiteral(g, t, f, want)
			if !certain || equal != negated {
				return true
			}
		}
		return len(v.members(x, key)) == 0
	})
}

// literalOf is the declared type or the value of a member.
func literalOf(f *file, m member) int32 {
	switch {
	case m.sym != graph.None && f.f.Symbols[m.sym].Result != graph.None:
		return f.f.Symbols[m.sym].Result
	case m.binding != graph.None:
		return f.f.Bindings[m.binding].Type
	}
	return m.expr
}

// sameLiteral compares a literal type with a literal. It is not certain for
// other types, and for a union that holds the literal beside others.
func sameLiteral(f *file, typ int32, g *file, want *graph.Expr) (equal, certain bool) {
	t := &f.f.Exprs[typ]
	switch {
	case t.Kind == graph.ExprUnion:
		for _, a := range t.Args {
			if equal, certain := sameLiteral(f, a, g, want); equal || !certain {
				return false, false
			}
		}
		return false, true
	case t.Kind == graph.ExprString && want.Kind == graph.ExprString:
		return t.Name == want.Name, t.Name != ""
	case t.Kind == graph.ExprMember && want.Kind == graph.ExprMember && t.Base != graph.None && want.Base != graph.None:
		x, y := &f.f.Exprs[t.Base], &g.f.Exprs[want.Base]
		if x.Name != y.Name || x.Kind != graph.ExprName || y.Kind != graph.ExprName {
			return false, false
		}
		return t.Name == want.Name, true
	}
	return false, false
}
