package python

import (
	"unicode"

	"github.com/previdence/previdence/graph"
)

// typeOf says what an object of an annotated type may be. None in a union adds
// nothing; a type that is not known gives unknown.
func (r *reader) typeOf(at place) []*value {
	if at.at == graph.None {
		return nil
	}
	key := place{-2 - at.file, at.at}
	if v, ok := r.values[key]; ok {
		return v
	}
	return r.once(key, func() []*value { return r.typeOnce(at, &r.p.facts(at).Exprs[at.at]) })
}

func (r *reader) typeOnce(at place, e *graph.Expr) []*value {
	switch e.Kind {
	case graph.ExprNull:
		return nil
	case graph.ExprUnion, graph.ExprTuple:
		return r.allTypes(at.file, e.Args)
	case graph.ExprBinary:
		return r.allTypes(at.file, e.Args)
	case graph.ExprIndex:
		return r.generic(at, e)
	case graph.ExprString:
		// A name in a string, where the extractor saw a value: Union["A", B].
		if isIdentifier(e.Name) {
			return r.named(r.lookup(at.file, e.Scope, e.Name), e.Name)
		}
	case graph.ExprName:
		if e.Name == "Self" {
			return r.enclosingClass(at.file, e.Scope)
		}
		return r.named(r.lookup(at.file, e.Scope, e.Name), e.Name)
	case graph.ExprMember:
		return r.named(r.member(r.eval(place{at.file, e.Base}), e.Name), e.Name)
	}
	return []*value{unknown}
}

func isIdentifier(s string) bool {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}

func (r *reader) allTypes(file int32, list []int32) []*value {
	var out []*value
	for _, e := range list {
		out = merge(out, r.typeOf(place{file, e}))
	}
	return out
}

func (r *reader) enclosingClass(file, scope int32) []*value {
	facts := r.p.files[file].Facts
	for s := facts.Scopes[scope].Symbol; s > 0; s = facts.Symbols[s].Parent {
		if isClass(facts.Symbols[s].Kind) {
			return []*value{{kind: instanceValue, at: place{file, s}}}
		}
	}
	return []*value{unknown}
}

// named turns the definitions of a type's name into objects of that type.
func (r *reader) named(found finding, name string) []*value {
	var out []*value
	for i := range found.defs {
		d := &found.defs[i]
		if d.isModule() {
			continue
		}
		if d.symbol != nowhere && isClass(r.p.symbol(d.symbol).Kind) {
			out = merge(out, []*value{{kind: instanceValue, at: d.symbol, tier: d.tier}})
			continue
		}
		out = merge(out, r.alias(d))
	}
	switch {
	case len(out) > 0:
		return out
	case found.outside && containers[name]:
		return []*value{listOf([]*value{unknown})}
	case found.outside && mappings[name]:
		return []*value{{kind: dictValue, at: nowhere, items: [][]*value{{unknown}, {unknown}}}}
	case found.outside && (name == "Any" || name == "object" || name == "Callable" || name == "type"):
		return []*value{unknown}
	case found.outside && len(r.p.heirs[name]) > 0:
		return []*value{{kind: externalValue, at: nowhere, name: name}}
	case found.outside:
		return []*value{external}
	}
	return []*value{unknown}
}

// alias follows a variable that names a type: X = Union[A, B], a NewType, a
// type variable with a bound.
func (r *reader) alias(d *definition) []*value {
	var out []*value
	for _, at := range d.bindings {
		facts := r.p.facts(at)
		b := &facts.Bindings[at.at]
		switch {
		case b.Value != graph.None && facts.Exprs[b.Value].Kind == graph.ExprCall:
			out = merge(out, r.madeType(at.file, &facts.Exprs[b.Value]))
		case b.Value != graph.None:
			out = merge(out, r.typeOf(place{at.file, b.Value}))
		case b.Type != graph.None:
			out = merge(out, r.instances(r.typeOf(place{at.file, b.Type})))
		}
	}
	return out
}

// instances are the objects of a variable that holds a class.
func (r *reader) instances(values []*value) []*value {
	var out []*value
	for _, v := range values {
		if v.kind == classValue {
			out = merge(out, []*value{{kind: instanceValue, at: v.at, tier: v.tier}})
		} else {
			out = merge(out, []*value{unknown})
		}
	}
	return out
}

// madeType reads NewType("X", T) and TypeVar("T", bound=B).
func (r *reader) madeType(file int32, e *graph.Expr) []*value {
	facts := r.p.files[file].Facts
	if e.Base == graph.None {
		return []*value{unknown}
	}
	switch facts.Exprs[e.Base].Name {
	case "NewType":
		if len(e.Args) == 2 {
			return r.typeOf(place{file, e.Args[1]})
		}
	case "TypeVar":
		var out []*value
		for i, a := range e.Args {
			if a == graph.None {
				continue
			}
			arg := &facts.Exprs[a]
			switch {
			case arg.Kind == graph.ExprKeyword && arg.Name == "bound" && arg.Base != graph.None:
				out = merge(out, r.typeOf(place{file, arg.Base}))
			case i > 0 && arg.Kind != graph.ExprKeyword:
				out = merge(out, r.typeOf(place{file, a}))
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return []*value{unknown}
}

// typeVariable reports whether a type's name is a type variable.
func (r *reader) typeVariable(at place) bool {
	e := &r.p.facts(at).Exprs[at.at]
	found := r.lookup(at.file, e.Scope, e.Name)
	for i := range found.defs {
		if bindings := found.defs[i].bindings; len(bindings) > 0 {
			return r.bindsTypeVariable(bindings[0])
		}
	}
	return false
}

func (r *reader) bindsTypeVariable(b place) bool {
	facts := r.p.facts(b)
	v := facts.Bindings[b.at].Value
	if v == graph.None || facts.Exprs[v].Kind != graph.ExprCall || facts.Exprs[v].Base == graph.None {
		// The parameters of def f[T] are bound in a block.
		return facts.Scopes[facts.Bindings[b.at].Scope].Kind == graph.ScopeBlock
	}
	return facts.Exprs[facts.Exprs[v].Base].Name == "TypeVar"
}

// generic reads Base[args].
func (r *reader) generic(at place, e *graph.Expr) []*value {
	if e.Base == graph.None {
		return []*value{unknown}
	}
	base := &r.p.facts(at).Exprs[e.Base]
	arg := func(i int) []*value {
		if i < len(e.Args) {
			return r.typeOf(place{at.file, e.Args[i]})
		}
		return []*value{unknown}
	}
	if v := r.typeOf(place{at.file, e.Base}); len(v) > 0 && v[0].kind == instanceValue {
		return v
	}
	switch name := base.Name; {
	case name == "Optional", name == "Annotated", name == "ClassVar", name == "Final", name == "Required", name == "NotRequired", name == "Awaitable", name == "InitVar", name == "ReadOnly":
		return arg(0)
	case name == "Union":
		return r.allTypes(at.file, e.Args)
	case name == "type" || name == "Type":
		return r.classOf(arg(0))
	case name == "Coroutine":
		return arg(2)
	case name == "Callable":
		return []*value{{kind: returnsValue, at: nowhere, items: [][]*value{arg(1)}}}
	case name == "tuple" || name == "Tuple":
		return r.tupleType(at.file, e.Args)
	case managers[name]:
		return []*value{{kind: contextValue, at: nowhere, items: [][]*value{arg(0)}}}
	case containers[name]:
		return []*value{listOf(arg(0))}
	case keepers[name]:
		return []*value{{kind: dictValue, at: nowhere, items: [][]*value{{external}, arg(0)}}}
	case mappings[name]:
		return []*value{{kind: dictValue, at: nowhere, items: [][]*value{arg(0), arg(1)}}}
	}
	return r.typeOf(place{at.file, e.Base})
}

func (r *reader) classOf(values []*value) []*value {
	var out []*value
	for _, v := range values {
		switch v.kind {
		case instanceValue:
			out = merge(out, []*value{{kind: classValue, at: v.at, tier: v.tier, self: v}})
		default:
			out = merge(out, []*value{v})
		}
	}
	return out
}

// tupleType reads tuple[A, B] and tuple[A, ...].
func (r *reader) tupleType(file int32, args []int32) []*value {
	if len(args) == 2 && args[1] != graph.None && r.p.files[file].Facts.Exprs[args[1]].Kind == graph.ExprOther {
		return []*value{listOf(r.typeOf(place{file, args[0]}))}
	}
	v := &value{kind: tupleValue, at: nowhere}
	for _, a := range args {
		v.items = append(v.items, r.typeOf(place{file, a}))
	}
	return []*value{v}
}
