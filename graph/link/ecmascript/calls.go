package ecmascript

import (
	"github.com/previdence/previdence/graph"
)

// callValues are the values that a call gives.
func (v *eval) callValues(f *file, e *graph.Expr, env int32) []val {
	base := e.Base
	if base == graph.None {
		return nil
	}
	if e.Name == "import" {
		return v.promise(v.value(f, base, env))
	}
	var typeArgs []int32
	if k := &f.f.Exprs[base]; k.Kind == graph.ExprIndex && k.Base != graph.None && isCallee(&f.f.Exprs[k.Base]) && isTypes(f, k.Args) {
		base, typeArgs = k.Base, k.Args
	}
	if out, ok := v.libraryCall(f, base, e, env); ok {
		return out
	}
	return v.results(v.value(f, base, env), &site{f: f, args: e.Args, types: typeArgs, env: env})
}

func isCallee(e *graph.Expr) bool { return e.Kind == graph.ExprName || e.Kind == graph.ExprMember }

// isTypes reports whether the operands of an index are types, as in f<T>().
func isTypes(f *file, args []int32) bool {
	for _, a := range args {
		switch f.f.Exprs[a].Kind {
		case graph.ExprName, graph.ExprCall, graph.ExprBinary:
			return false
		}
	}
	return len(args) > 0
}

// A site is a call with what was passed.
type site struct {
	f     *file
	args  []int32
	types []int32
	env   int32
}

// results are what calling the values gives.
func (v *eval) results(vals []val, at *site) []val {
	var out []val
	for _, x := range vals {
		f := v.p.files[x.file]
		switch x.kind {
		case valExternal:
			out = append(out, x)
		case valSymbol:
			switch f.f.Symbols[x.i].Kind {
			case graph.KindFunction, graph.KindMethod:
				out = append(out, v.resultOf(f, x.i, v.inferred(f, x.i, x.env, at))...)
			}
		case valShape:
			out = append(out, v.shapeResult(f, x)...)
		case valInstance:
			for _, m := range v.members(x, "()") {
				out = append(out, v.results(v.memberResult(m), at)...)
			}
		}
	}
	return distinct(out)
}

func (v *eval) shapeResult(f *file, x val) []val {
	e := &f.f.Exprs[x.i]
	switch e.Kind {
	case graph.ExprFunctionType:
		if e.Name == "new" {
			return nil
		}
		return v.typ(f, e.Base, x.env)
	case graph.ExprFunction:
		if e.Base != graph.None {
			return v.typ(f, e.Base, x.env)
		}
		out := v.all(f, e.Args, x.env, v.value)
		if e.Name == "async" {
			return v.promise(out)
		}
		return out
	case graph.ExprObjectType:
		var out []val
		for _, m := range v.shapeMembers(x, "()") {
			out = append(out, v.results(v.memberResult(m), nil)...)
		}
		return out
	}
	return nil
}

// resultOf is what a function gives: its declared result or what it returns.
func (v *eval) resultOf(f *file, sym, env int32) []val {
	s := &f.f.Symbols[sym]
	if s.Result != graph.None {
		return v.typ(f, s.Result, env)
	}
	if s.Flags&graph.FlagGenerator != 0 {
		return nil
	}
	out := v.all(f, s.Returns, env, v.value)
	if s.Flags&graph.FlagAsync != 0 {
		return v.promise(out)
	}
	return out
}

func (v *eval) promise(vals []val) []val {
	return v.builtin("Promise", distinct(v.awaited(vals)))
}

// awaited is what await gives.
func (v *eval) awaited(vals []val) []val {
	var out []val
	for _, x := range vals {
		if x.kind == valBuiltin && builtinName(x.i) == "Promise" {
			out = append(out, v.arg(x, 0)...)
			continue
		}
		out = append(out, x)
	}
	return out
}

// elements is what iterating gives.
func (v *eval) elements(vals []val) []val {
	var out []val
	for _, x := range vals {
		switch x.kind {
		case valExternal:
			out = append(out, x)
		case valBuiltin:
			switch builtinName(x.i) {
			case "Array", "Set":
				out = append(out, v.arg(x, 0)...)
			case "Map":
				out = append(out, v.builtin("Array", distinct(append(append([]val{}, v.arg(x, 0)...), v.arg(x, 1)...)))...)
			}
		}
	}
	return distinct(out)
}

// indexed is what a computed member gives: an element, or a value of a record.
func (v *eval) indexed(vals []val) []val {
	out := v.elements(vals)
	for _, x := range vals {
		switch x.kind {
		case valBuiltin:
			if builtinName(x.i) == "Record" {
				out = append(out, v.arg(x, 0)...)
			}
		case valShape, valInstance:
			for _, m := range v.members(x, "[]") {
				if m.binding != graph.None || m.expr != graph.None {
					out = append(out, v.memberResult(m)...)
				}
			}
		}
	}
	return distinct(out)
}

// contextual is what a function that is a symbol takes by the type declared
// where it is written: const f: Type = (x) => …, const o: Type = { f(x) {…} }.
func (v *eval) contextual(f *file, sym, param, env int32) []val {
	var out []val
	for _, b := range f.bound[sym] {
		if t := f.f.Bindings[b].Type; t != graph.None {
			out = append(out, v.parameterOf(v.typ(f, t, env), param)...)
		}
	}
	if d, ok := f.declared[sym]; ok {
		out = append(out, v.parameterOf(v.membersOf(v.typ(f, d.typ, env), d.name), param)...)
	}
	return distinct(out)
}

// inferred extends an environment with what the type parameters of a function
// stand for at a call.
func (v *eval) inferred(f *file, sym, outer int32, at *site) int32 {
	params := f.typeParameters(sym)
	if len(params) == 0 || at == nil {
		return outer
	}
	e := append(env{}, v.envs[outer]...)
	for i, p := range params {
		s := slot{file: f.index, param: p}
		if i < len(at.types) {
			s.vals = v.typ(at.f, at.types[i], at.env)
		} else {
			s.vals = v.inferOne(f, sym, p, at)
		}
		if len(s.vals) > 0 {
			e = append(e, s)
		}
	}
	return v.intern(e)
}

// inferOne finds what one type parameter stands for in the arguments.
func (v *eval) inferOne(f *file, sym, param int32, at *site) []val {
	for i, p := range f.f.Symbols[sym].Params {
		if i >= len(at.args) || p.Type == graph.None {
			continue
		}
		if out := v.match(f, p.Type, param, func() []val { return v.value(at.f, at.args[i], at.env) }); len(out) > 0 {
			return out
		}
	}
	return nil
}

// match finds what a type parameter stands for if something of this type has
// these values.
func (v *eval) match(f *file, typ, param int32, vals func() []val) []val {
	e := &f.f.Exprs[typ]
	switch e.Kind {
	case graph.ExprTypeName:
		found, _ := f.lookup(e.Scope, e.Name, types)
		if len(found) == 1 && found[0] == param {
			return vals()
		}
	case graph.ExprList:
		if len(e.Args) == 1 {
			return v.match(f, e.Args[0], param, func() []val { return v.elements(vals()) })
		}
	case graph.ExprUnion:
		for _, a := range e.Args {
			if out := v.match(f, a, param, vals); len(out) > 0 {
				return out
			}
		}
	case graph.ExprFunctionType:
		if e.Base == graph.None {
			return nil
		}
		if e.Name == "new" {
			return v.match(f, e.Base, param, func() []val { return v.instances(f, vals(), nil, 0) })
		}
		return v.match(f, e.Base, param, func() []val { return v.results(vals(), nil) })
	case graph.ExprIndex:
		return v.matchGeneric(f, e, param, vals)
	}
	return nil
}

// matchGeneric finds a type parameter among the arguments of a generic type.
func (v *eval) matchGeneric(f *file, e *graph.Expr, param int32, vals func() []val) []val {
	for i, a := range e.Args {
		out := v.match(f, a, param, func() []val {
			var args []val
			for _, x := range vals() {
				switch x.kind {
				case valBuiltin:
					args = append(args, v.arg(x, i)...)
				case valInstance:
					g := v.p.files[x.file]
					if ps := g.typeParameters(x.i); i < len(ps) {
						for _, s := range v.envs[x.env] {
							if s.file == x.file && s.param == ps[i] {
								args = append(args, s.vals...)
							}
						}
					}
				}
			}
			return args
		})
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// handedIn is what a function without symbol gets as a parameter from the call
// that it is an argument of.
func (v *eval) handedIn(f *file, at argument, param, env int32) []val {
	call := &f.f.Exprs[at.call]
	base := call.Base
	if base == graph.None {
		if call.Kind == graph.ExprJSX { // an element of the page
			return []val{{kind: valExternal}}
		}
		return nil
	}
	if k := &f.f.Exprs[base]; k.Kind == graph.ExprMember && k.Base != graph.None && len(at.within) == 0 {
		if out, ok := v.libraryHands(v.value(f, k.Base, env), k.Name, at.at, param); ok {
			return out
		}
	}
	if k := &f.f.Exprs[base]; k.Kind == graph.ExprIndex && k.Base != graph.None && isTypes(f, k.Args) {
		base = k.Base
	}
	var out []val
	for _, x := range v.value(f, base, env) {
		if x.kind == valExternal {
			out = append(out, x)
			continue
		}
		out = append(out, v.parameterOf(v.inside(v.taken(f, call, at.at, x, env), at.within), param)...)
	}
	return distinct(out)
}

// taken is what x is declared to take at a position of a call or JSX element.
func (v *eval) taken(f *file, call *graph.Expr, at int32, x val, env int32) []val {
	if call.Kind == graph.ExprNew {
		if x.kind != valSymbol { // a number that names no symbol
			return nil
		}
		c, ok := v.constructor(val{valInstance, x.file, x.i, x.env}, map[val]bool{})
		if !ok {
			return nil
		}
		x = val{valSymbol, c.file, c.sym, x.env}
	}
	if x.kind != valSymbol {
		return v.parameterOf([]val{x}, at)
	}
	g := v.p.files[x.file]
	if call.Kind == graph.ExprJSX {
		return v.property(g, x, f.f.Exprs[call.Args[at]].Name)
	}
	typ, rest := parameterType(&g.f.Symbols[x.i], int(at))
	if typ == graph.None {
		return nil
	}
	declared := v.typ(g, typ, v.inferred(g, x.i, x.env, &site{f: f, args: call.Args[:at], env: env}))
	if rest {
		return v.elements(declared)
	}
	return declared
}

// inside follows names of members, "" for an element.
func (v *eval) inside(vals []val, names []string) []val {
	for _, name := range names {
		if name == "" {
			vals = v.elements(vals)
		} else {
			vals = v.membersOf(vals, name)
		}
	}
	return vals
}

// property is what a component of a page is declared to take under a name.
func (v *eval) property(f *file, component val, name string) []val {
	typ, _ := parameterType(&f.f.Symbols[component.i], 0)
	if typ == graph.None {
		return nil
	}
	return v.membersOf(v.typ(f, typ, component.env), name)
}

// parameterType is the type declared for the argument at a position, or None. It is
// that of a list if a rest parameter takes the argument.
func parameterType(s *graph.SymbolFact, at int) (typ int32, rest bool) {
	if n := len(s.Params); n > 0 && at >= n-1 && s.Params[n-1].Kind == graph.ParamVariadic {
		return s.Params[n-1].Type, true
	}
	if at >= len(s.Params) {
		return graph.None, false
	}
	return s.Params[at].Type, false
}

// parameterOf is what functions of these types take at a position.
func (v *eval) parameterOf(vals []val, param int32) []val {
	var out []val
	for _, t := range vals {
		f := v.p.files[t.file]
		switch t.kind {
		case valShape:
			k := &f.f.Exprs[t.i]
			if k.Kind == graph.ExprFunctionType && int(param) < len(k.Args) {
				out = append(out, v.typ(f, k.Args[param], t.env)...)
			}
			if k.Kind == graph.ExprObjectType {
				out = append(out, v.parameterOf(v.membersOf([]val{t}, "()"), param)...)
			}
		case valInstance:
			out = append(out, v.parameterOf(v.membersOf([]val{t}, "()"), param)...)
		case valSymbol: // a method of an interface
			if s := &f.f.Symbols[t.i]; int(param) < len(s.Params) && s.Params[param].Type != graph.None {
				out = append(out, v.typ(f, s.Params[param].Type, t.env)...)
			}
		case valExternal:
			out = append(out, t)
		}
	}
	return distinct(out)
}
