package python

import (
	"slices"

	"github.com/previdence/previdence/graph"
)

// checkFit reports a call whose arguments certainly cannot be bound to the
// parameters. Wherever anything could change what runs (decorators, overrides,
// unpacked arguments, overloads, a test that expects the failure) it is silent.
func (l *linker) checkFit(ref *graph.Ref, d *definition) {
	if ref.Args == graph.None || d.symbol == nowhere || d.tier > graph.TierExact || l.expected(ref) ||
		l.f.uncertain(&l.f.Facts.Exprs[ref.Args]) || l.elsewhere(ref) {
		return
	}
	l.checkArguments(ref, d, &l.f.Facts.Exprs[ref.Args])
}

// checkArguments reports a call of d whose arguments do not fit.
func (l *linker) checkArguments(ref *graph.Ref, d *definition, call *graph.Expr) {
	target, skip, ok := l.fixed(d)
	if !ok {
		return
	}
	fact := l.p.symbol(target)
	params := fact.Params
	if skip {
		if len(params) == 0 || params[0].Kind != graph.ParamReceiver {
			return
		}
		params = params[1:]
	}
	if l.plainCall(call) && !l.fits(call, params) {
		l.unresolve(ref, absence{in: string(l.p.in.Symbols[l.p.index(target)].ID), reason: "call does not fit the signature"}, true)
	}
}

// expected reports whether a test expects that the call fails: it stands below a
// with that says so, or in a function that is handed to what says so.
func (l *linker) expected(ref *graph.Ref) bool {
	call := &l.f.Facts.Exprs[ref.Args]
	if l.f.narrows(call, "()") {
		return true
	}
	if !l.f.raises[ref.From] {
		return false
	}
	return slices.ContainsFunc(l.f.Facts.Refs, func(o graph.Ref) bool {
		if o.From != ref.From || o.Args == graph.None || o.Args == ref.Args || !raising[o.Name] {
			return false
		}
		around := &l.f.Facts.Exprs[o.Args]
		return around.Start <= call.Start && call.End <= around.End
	})
}

// calledByTest links raises(Error, f, …) to f, which it calls with the rest of its
// arguments, and checks that they fit unless a misfit is what the test expects.
func (l *linker) calledByTest(ref *graph.Ref) {
	if !raising[ref.Name] || ref.Args == graph.None {
		return
	}
	args := l.f.Facts.Exprs[ref.Args].Args
	if len(args) < 2 || args[0] == graph.None || args[1] == graph.None {
		return
	}
	callee := &l.f.Facts.Exprs[args[1]]
	if callee.Kind != graph.ExprName && callee.Kind != graph.ExprMember {
		return
	}
	found := l.look(callee)
	if len(found.defs) != 1 || found.defs[0].symbol == nowhere {
		return
	}
	d := &found.defs[0]
	if k := l.p.symbol(d.symbol).Kind; k == graph.KindFunction || k == graph.KindMethod {
		l.edge(ref.From, d.symbol, graph.EdgeDispatch, graph.TierDispatch, ref.Line)
	}
	switch l.f.Facts.Exprs[args[0]].Name {
	case "TypeError", "Exception", "BaseException", "":
		return
	}
	if d.tier <= graph.TierExact && !found.open && !found.outside {
		inner := *ref
		inner.Name = callee.Name
		l.checkArguments(&inner, d, &graph.Expr{Args: args[2:]})
	}
}

// elsewhere reports whether a call goes through a super() whose next class is
// not certain: one that starts at another class, or in a class that some
// subclass combines with others.
func (l *linker) elsewhere(ref *graph.Ref) bool {
	callee := &l.f.Facts.Exprs[ref.Expr]
	if callee.Kind != graph.ExprMember || callee.Base == graph.None {
		return false
	}
	base := &l.f.Facts.Exprs[callee.Base]
	if base.Kind != graph.ExprSuper {
		return false
	}
	for _, v := range l.r.eval(place{l.file, callee.Base}) {
		if v.kind != superValue || v.at != v.self.at {
			return true
		}
		for _, sub := range l.r.classAt(v.at).subs {
			if len(l.p.symbol(sub).Bases) > 1 {
				return true
			}
		}
	}
	return false
}

// implicit are methods that take the class without saying so.
var implicit = set("__new__ __init_subclass__ __class_getitem__")

// fixed finds the one function that a call must run, and whether its first
// parameter is filled by the object.
func (l *linker) fixed(d *definition) (target place, skip, ok bool) {
	fact := l.p.symbol(d.symbol)
	switch {
	case isClass(fact.Kind):
		return l.fixedConstructor(d.symbol)
	case fact.Kind == graph.KindFunction:
		return d.symbol, false, d.self == nil && l.undecorated(d.symbol) && len(d.bindings) == 1
	case fact.Kind != graph.KindMethod || d.self == nil || len(d.bindings) != 1 || !l.undecorated(d.symbol):
		return nowhere, false, false
	}
	if implicit[fact.Name] || l.p.symbol(place{d.symbol.file, fact.Parent}).Kind == graph.KindInterface {
		return nowhere, false, false
	}
	if !d.self.precise && len(l.p.overriding(d.self.at, fact.Name)) > 0 && !l.inheritedAsIs(d) {
		return nowhere, false, false
	}
	if fact.Flags&graph.FlagStatic != 0 {
		return d.symbol, false, true
	}
	// C.method(object, …) passes the object itself.
	return d.symbol, d.self.kind == instanceValue || fact.Flags&graph.FlagClass != 0, true
}

// inheritedAsIs reports whether some class below that of the object has the method
// as it is: a call that does not fit fails for its objects.
func (l *linker) inheritedAsIs(d *definition) bool {
	return slices.ContainsFunc(l.r.classAt(d.self.at).subs, func(sub place) bool {
		found := l.r.classMember(sub, l.p.symbol(d.symbol).Name, nil, nowhere)
		return len(found.defs) == 1 && found.defs[0].symbol == d.symbol
	})
}

func (l *linker) fixedConstructor(at place) (target place, skip, ok bool) {
	c := l.p.classes[at]
	fact := l.p.symbol(at)
	if c.outside || c.open || len(fact.Decorators) > 0 || fact.Kind != graph.KindClass {
		return nowhere, false, false
	}
	for _, k := range c.mro {
		f := l.p.files[k.file]
		scope := f.Facts.Symbols[k.at].Scope
		if len(f.names[scopedName{scope, "__new__"}]) > 0 || len(f.Facts.Symbols[k.at].Decorators) > 0 || l.keywordBases(f, k.at) {
			return nowhere, false, false
		}
	}
	found := l.r.classMember(at, "__init__", &value{kind: instanceValue, at: at, precise: true}, nowhere)
	if len(found.defs) != 1 || len(found.defs[0].bindings) != 1 || found.defs[0].symbol == nowhere {
		return nowhere, false, false
	}
	init := found.defs[0].symbol
	return init, true, l.p.symbol(init).Kind == graph.KindMethod && l.undecorated(init)
}

// keywordBases reports whether a class is made with keywords, such as a
// metaclass, which may change how it is called.
func (l *linker) keywordBases(f *file, class int32) bool {
	for i, c := range f.Facts.Symbols[class].Signature {
		if c == '=' && i > 0 {
			return true
		}
	}
	return false
}

// undecorated reports whether nothing wraps the function.
func (l *linker) undecorated(at place) bool {
	fact := l.p.symbol(at)
	for _, d := range fact.Decorators {
		if d == graph.None {
			return false
		}
		if n := l.p.facts(at).Exprs[d].Name; n != "staticmethod" && n != "classmethod" {
			return false
		}
	}
	return len(l.p.files[at.file].Facts.Gaps) == 0 && fact.Flags&graph.FlagOverload == 0
}

// plainCall reports whether no argument is unpacked.
func (l *linker) plainCall(call *graph.Expr) bool {
	for _, a := range call.Args {
		if a == graph.None || l.f.Facts.Exprs[a].Kind == graph.ExprSpread {
			return false
		}
	}
	return len(l.f.Facts.Gaps) == 0
}

// fits binds arguments to parameters as Python does. A keyword that a parameter
// already has may be one of the rest, since the parameter may take no keyword.
func (l *linker) fits(call *graph.Expr, params []graph.Param) bool {
	filled := make([]bool, len(params))
	rest := slices.ContainsFunc(params, func(p graph.Param) bool { return p.Kind == graph.ParamNamedRest })
	positional := 0
	for _, a := range call.Args {
		if e := &l.f.Facts.Exprs[a]; e.Kind == graph.ExprKeyword {
			i := slices.IndexFunc(params, func(p graph.Param) bool { return p.Name == e.Name && !takesRest(&p) })
			if !rest && (i < 0 || filled[i]) {
				return false
			}
			if i >= 0 {
				filled[i] = true
			}
			continue
		}
		if positional >= len(params) || params[positional].Kind == graph.ParamNamed || params[positional].Kind == graph.ParamNamedRest {
			return false
		}
		if params[positional].Kind != graph.ParamVariadic {
			filled[positional] = true
			positional++
		}
	}
	for i := range params {
		if !filled[i] && !params[i].Optional {
			return false
		}
	}
	return true
}

// takesRest reports whether a parameter takes what no other does.
func takesRest(p *graph.Param) bool {
	return p.Kind == graph.ParamVariadic || p.Kind == graph.ParamNamedRest
}
