package python

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/graph"
)

// eval says what an expression may be. It follows assignments, annotations
// and results of functions, never the flow between them.
func (r *reader) eval(at place) []*value {
	if at.at == graph.None {
		return nil
	}
	if v, ok := r.values[at]; ok {
		return v
	}
	return r.once(at, func() []*value { return r.evalOnce(at, &r.p.facts(at).Exprs[at.at]) })
}

// once evaluates something that is not known yet. What depends on itself adds
// nothing to itself; a value that was cut short this way is not remembered,
// unless the search has become long.
func (r *reader) once(key place, f func() []*value) []*value {
	if r.running[key] {
		r.cuts++
		return nil
	}
	if r.deep > maxDeep {
		r.cuts++
		return []*value{unknown}
	}
	if r.deep == 0 {
		r.steps = 0
	}
	r.steps++
	cuts := r.cuts
	r.running[key] = true
	r.deep++
	v := f()
	r.deep--
	delete(r.running, key)
	if r.cuts == cuts || r.deep == 0 || r.steps > maxSteps {
		r.values[key] = v
	}
	return v
}

func (r *reader) evalOnce(at place, e *graph.Expr) []*value {
	switch e.Kind {
	case graph.ExprName:
		if v, ok := r.narrowed(at.file, e, e.Name); ok {
			return v
		}
		return r.filled(at.file, e, r.finding(r.lookupAt(at.file, e.Scope, e.Name, e.Start)))
	case graph.ExprMember:
		return r.filled(at.file, e, r.evalMember(at, e))
	case graph.ExprCall:
		return r.evalCall(at, e)
	case graph.ExprIndex:
		return r.evalIndex(at, e)
	case graph.ExprElement:
		return r.elements(r.eval(place{at.file, e.Base}))
	case graph.ExprEnter:
		return r.entered(r.eval(place{at.file, e.Base}))
	case graph.ExprAwait:
		return r.eval(place{at.file, e.Base})
	case graph.ExprSuper:
		return r.evalSuper(at.file, e)
	case graph.ExprString, graph.ExprNumber, graph.ExprBool:
		return []*value{external}
	case graph.ExprNull:
		return nil
	case graph.ExprList, graph.ExprSet:
		list := listOf(r.all(at.file, e.Args))
		list.entries = r.entries(at.file, e.Args)
		return []*value{list}
	case graph.ExprTuple:
		v := &value{kind: tupleValue, at: nowhere}
		for _, a := range e.Args {
			v.items = append(v.items, r.eval(place{at.file, a}))
		}
		return []*value{v}
	case graph.ExprDict:
		return []*value{{kind: dictValue, at: nowhere, items: [][]*value{{external}, r.all(at.file, e.Args)}, entries: r.entries(at.file, e.Args)}}
	case graph.ExprKeyword:
		return r.eval(place{at.file, e.Base})
	case graph.ExprUnion:
		return r.all(at.file, e.Args)
	case graph.ExprFunction:
		return []*value{{kind: lambdaValue, at: at}}
	case graph.ExprAs:
		return r.orFrom(r.typeOf(place{at.file, e.Args[0]}), func() []*value { return r.eval(place{at.file, e.Base}) })
	case graph.ExprBinary:
		return r.evalBinary(at, e)
	case graph.ExprSpread:
		if e.Name == "**" {
			return contents(r.eval(place{at.file, e.Base}))
		}
		return r.elements(r.eval(place{at.file, e.Base}))
	}
	return []*value{unknown}
}

// all joins the values of several expressions.
func (r *reader) all(file int32, list []int32) []*value {
	var out []*value
	for _, e := range list {
		out = merge(out, r.eval(place{file, e}))
	}
	return out
}

// narrowed is the type that isinstance and the like give a name or a dotted
// path where e stands.
func (r *reader) narrowed(file int32, e *graph.Expr, name string) ([]*value, bool) {
	f := r.p.files[file]
	if len(f.narrow) == 0 {
		return nil, false
	}
	first, _, _ := strings.Cut(name, ".")
	for s := e.Scope; s != graph.None; s = f.Facts.Scopes[s].Parent {
		last := graph.None
		for _, i := range f.narrow[scopedName{s, name}] {
			if f.Facts.Bindings[i].At < e.Start {
				last = i
			}
		}
		if last != graph.None {
			if v := r.typeOf(place{file, f.Facts.Bindings[last].Type}); len(v) > 0 {
				return v, true
			}
			return nil, false
		}
		if len(f.names[scopedName{s, first}]) > 0 {
			break
		}
	}
	return nil, false
}

// finding turns what a look-up found into values.
func (r *reader) finding(f finding) []*value {
	var out []*value
	for i := range f.defs {
		out = merge(out, r.definition(&f.defs[i]))
	}
	if f.outside {
		out = merge(out, []*value{external})
	}
	if f.open || len(f.defs) == 0 && !f.outside {
		out = merge(out, []*value{unknown})
	}
	return out
}

// definition is what a definition's name stands for.
func (r *reader) definition(d *definition) []*value {
	if d.isModule() {
		return []*value{{kind: moduleValue, at: nowhere, mod: d.mod, tier: d.tier}}
	}
	if d.symbol != nowhere {
		s := r.p.symbol(d.symbol)
		switch {
		case isClass(s.Kind):
			return []*value{{kind: classValue, at: d.symbol, tier: d.tier}}
		case s.Kind == graph.KindFunction || s.Kind == graph.KindMethod:
			return []*value{r.functionOf(d)}
		case s.Kind == graph.KindProperty:
			return r.resultOf(d.symbol, d.self, nowhere)
		case s.Kind == graph.KindMember:
			return []*value{{kind: instanceValue, at: place{d.symbol.file, s.Parent}, tier: d.tier}}
		}
	}
	if d.self != nil {
		return r.described(r.bound(d))
	}
	return r.bound(d)
}

// described replaces descriptors found on an object by what they give.
func (r *reader) described(values []*value) []*value {
	var out []*value
	for _, v := range values {
		if v.kind == instanceValue && v.precise {
			if get := r.memberOf(v, "__get__"); len(get.defs) > 0 {
				out = merge(out, r.called(r.finding(get), nowhere))
				continue
			}
		}
		out = merge(out, []*value{v})
	}
	return out
}

// functionOf binds a method to the object it was looked up on.
func (r *reader) functionOf(d *definition) *value {
	s := r.p.symbol(d.symbol)
	v := &value{kind: functionValue, at: d.symbol, tier: max(d.tier, r.decoratedTier(d.symbol))}
	if s.Kind == graph.KindMethod && s.Flags&graph.FlagStatic == 0 && d.self != nil {
		if d.self.kind != classValue || s.Flags&graph.FlagClass != 0 {
			v.self = d.self
		}
	}
	return v
}

// orFrom adds to a declared type that does not say what runs what the value does.
func (r *reader) orFrom(declared []*value, value func() []*value) []*value {
	if !vague(declared) {
		return declared
	}
	return merge(slices.Clone(declared), value())
}

// bound joins what the bindings of a variable say. A declared type wins, as it
// does for type checkers, if it says what runs.
func (r *reader) bound(d *definition) []*value {
	var declared []*value
	for _, at := range d.bindings {
		b := &r.p.facts(at).Bindings[at.at]
		if b.Type == graph.None {
			continue
		}
		if b.Kind == graph.BindParameter {
			return r.parameter(at.file, b)
		}
		if v := r.typeOf(place{at.file, b.Type}); len(v) > 0 {
			if !vague(v) {
				return v
			}
			declared = v
			break
		}
	}
	out := slices.Clone(declared)
	for _, at := range d.bindings {
		b := &r.p.facts(at).Bindings[at.at]
		switch {
		case b.Kind == graph.BindParameter:
			out = merge(out, r.parameter(at.file, b))
		case b.Value != graph.None:
			out = merge(out, r.eval(place{at.file, b.Value}))
		case len(declared) == 0:
			out = merge(out, []*value{unknown})
		}
	}
	return out
}

// parameter is what a parameter may be: its receiver, its declared type, the
// fixture it names, or what its default says.
func (r *reader) parameter(file int32, b *graph.Binding) []*value {
	if b.Symbol == graph.None {
		return []*value{unknown}
	}
	s := &r.p.files[file].Facts.Symbols[b.Symbol]
	param := &s.Params[b.Param]
	if b.Type != graph.None {
		declared := r.typeOf(place{file, b.Type})
		switch param.Kind {
		case graph.ParamVariadic:
			return []*value{listOf(declared)}
		case graph.ParamNamedRest:
			return []*value{{kind: dictValue, at: nowhere, items: [][]*value{{external}, declared}}}
		case graph.ParamReceiver:
		default:
			return passedAs(declared, parameter{place{file, b.Symbol}, b.Param + 1})
		}
	}
	switch param.Kind {
	case graph.ParamReceiver:
		class := place{file, s.Parent}
		if s.Flags&graph.FlagClass != 0 || s.Name == "__new__" || s.Name == "__init_subclass__" || s.Name == "__class_getitem__" {
			return []*value{{kind: classValue, at: class}}
		}
		return []*value{{kind: instanceValue, at: class}}
	case graph.ParamVariadic:
		return []*value{listOf([]*value{unknown})}
	case graph.ParamNamedRest:
		return []*value{{kind: dictValue, at: nowhere, items: [][]*value{{external}, {unknown}}}}
	}
	if at, ok := r.fixtureFor(place{file, b.Symbol}, b.Name); ok {
		return r.fixtureValue(at)
	}
	if builtinFixtures[b.Name] && r.p.injected(place{file, b.Symbol}) {
		return []*value{external}
	}
	if b.Value != graph.None {
		if v := r.eval(place{file, b.Value}); len(v) > 0 && v[0].kind != externalValue {
			return merge([]*value{}, v)
		}
	}
	return passedAs([]*value{unknown}, parameter{place{file, b.Symbol}, b.Param + 1})
}

// passedAs notes which parameter the values come from whose code is not known:
// what is called there is what is passed.
func passedAs(values []*value, p parameter) []*value {
	out := make([]*value, len(values))
	for i, v := range values {
		out[i] = v
		if v.kind == unknownValue || v.kind == returnsValue {
			noted := *v
			noted.param = p
			out[i] = &noted
		}
	}
	return out
}

func (r *reader) evalMember(at place, e *graph.Expr) []*value {
	f := r.p.files[at.file]
	if len(f.narrow) > 0 {
		if path := f.dotted(e); path != "" {
			if v, ok := r.narrowed(at.file, e, path); ok {
				return v
			}
		}
	}
	base := r.eval(place{at.file, e.Base})
	if e.Name == "__class__" {
		return r.classesOf(base)
	}
	var out []*value
	for _, v := range base {
		if items, ok := r.containerMember(v, e.Name); ok {
			out = merge(out, items)
			continue
		}
		out = merge(out, r.finding(r.member([]*value{v}, e.Name)))
	}
	if len(base) == 0 {
		return []*value{unknown}
	}
	return out
}

// dotted is the path of names that an expression is, or "".
func (f *file) dotted(e *graph.Expr) string {
	switch e.Kind {
	case graph.ExprName:
		return e.Name
	case graph.ExprMember:
		if e.Base == graph.None {
			return ""
		}
		if base := f.dotted(&f.Facts.Exprs[e.Base]); base != "" {
			return base + "." + e.Name
		}
	}
	return ""
}

// containerMember is what the methods of containers give when called.
func (r *reader) containerMember(v *value, name string) ([]*value, bool) {
	gives := func(items []*value) ([]*value, bool) {
		return []*value{{kind: returnsValue, at: nowhere, items: [][]*value{items}}}, true
	}
	switch {
	case v.kind == dictValue:
		switch name {
		case "get", "pop", "setdefault":
			return gives(v.items[1])
		case "values":
			return gives([]*value{listOf(v.items[1])})
		case "keys":
			return gives([]*value{listOf(v.items[0])})
		case "items":
			return gives([]*value{listOf([]*value{{kind: tupleValue, at: nowhere, items: v.items}})})
		case "copy":
			return gives([]*value{v})
		}
	case v.kind == listValue:
		switch name {
		case "pop", "__next__", "popleft":
			return gives(v.items[0])
		case "copy", "union", "__iter__":
			return gives([]*value{v})
		}
	}
	return nil, false
}

func (r *reader) classesOf(values []*value) []*value {
	var out []*value
	for _, v := range values {
		if v.kind == instanceValue {
			out = merge(out, []*value{{kind: classValue, at: v.at, tier: v.tier}})
		} else {
			out = merge(out, []*value{unknown})
		}
	}
	return out
}

func (r *reader) evalIndex(at place, e *graph.Expr) []*value {
	slice := len(e.Args) == 1 && e.Args[0] != graph.None && r.p.facts(at).Exprs[e.Args[0]].Name == ":" && r.p.facts(at).Exprs[e.Args[0]].Kind == graph.ExprOther
	var out []*value
	for _, v := range r.eval(place{at.file, e.Base}) {
		switch v.kind {
		case listValue, dictValue:
			if slice {
				out = merge(out, []*value{listOf(v.content())})
				continue
			}
			out = merge(out, r.entry(at.file, e, v))
		case tupleValue:
			if slice {
				out = merge(out, []*value{listOf(r.elements([]*value{v}))})
				continue
			}
			out = merge(out, r.tupleItem(at.file, e, v))
		case classValue:
			out = merge(out, []*value{v})
		case instanceValue:
			out = merge(out, r.special(v, "__getitem__"))
		case externalValue:
			out = merge(out, []*value{external})
		default:
			out = merge(out, []*value{unknown})
		}
	}
	return out
}

// entry is what a container holds under an index: if that is constant and the
// container a literal, what stands there, beside what is put in later.
func (r *reader) entry(file int32, e *graph.Expr, v *value) []*value {
	if len(e.Args) != 1 || e.Args[0] == graph.None || len(v.entries) == 0 {
		return v.content()
	}
	found, ok := v.entries[constantKey(&r.p.files[file].Facts.Exprs[e.Args[0]])]
	if !ok {
		return v.content()
	}
	out := slices.Clone(found)
	for _, later := range v.content() {
		if !slices.ContainsFunc(slices.Collect(maps.Values(v.entries)), func(list []*value) bool { return slices.Contains(list, later) }) {
			out = merge(out, []*value{later})
		}
	}
	return out
}

// contents joins what mappings hold.
func contents(values []*value) []*value {
	var out []*value
	for _, v := range values {
		if v.kind == dictValue {
			out = merge(out, v.content())
		} else {
			out = merge(out, []*value{unknown})
		}
	}
	return out
}

func (r *reader) tupleItem(file int32, e *graph.Expr, v *value) []*value {
	if len(e.Args) == 1 && e.Args[0] != graph.None {
		if i, err := strconv.Atoi(r.p.files[file].Facts.Exprs[e.Args[0]].Name); err == nil && i >= 0 && i < len(v.items) {
			return v.items[i]
		}
	}
	var out []*value
	for _, item := range v.items {
		out = merge(out, item)
	}
	return out
}

// special is the result of a special method; unknown if the class has none.
func (r *reader) special(v *value, name string) []*value {
	found := r.memberOf(v, name)
	if len(found.defs) == 0 {
		if found.outside {
			return []*value{external}
		}
		return []*value{unknown}
	}
	return r.called(r.finding(found), nowhere)
}

// elements is what iterating gives.
func (r *reader) elements(values []*value) []*value {
	var out []*value
	for _, v := range values {
		switch v.kind {
		case listValue, dictValue:
			out = merge(out, v.items[0])
		case tupleValue:
			for _, item := range v.items {
				out = merge(out, item)
			}
		case instanceValue:
			out = merge(out, r.instanceElements(v))
		case classValue:
			if r.p.symbol(v.at).Kind == graph.KindEnum {
				out = merge(out, []*value{{kind: instanceValue, at: v.at}})
				continue
			}
			out = merge(out, []*value{unknown})
		case externalValue:
			out = merge(out, []*value{external})
		default:
			out = merge(out, []*value{unknown})
		}
	}
	return out
}

func (r *reader) instanceElements(v *value) []*value {
	for _, name := range []string{"__iter__", "__aiter__"} {
		found := r.memberOf(v, name)
		if len(found.defs) == 0 {
			continue
		}
		iterators := r.called(r.finding(found), nowhere)
		if len(iterators) == 1 && iterators[0].kind == instanceValue {
			if next := r.memberOf(iterators[0], "__next__"); len(next.defs) > 0 {
				return r.called(r.finding(next), nowhere)
			}
			return []*value{unknown}
		}
		return r.elements(iterators)
	}
	return []*value{unknown}
}

// entered is what a with statement gives.
func (r *reader) entered(values []*value) []*value {
	var out []*value
	for _, v := range values {
		switch v.kind {
		case contextValue:
			out = merge(out, v.items[0])
		case instanceValue:
			out = merge(out, r.instanceEntered(v))
		case externalValue:
			out = merge(out, []*value{external})
		default:
			out = merge(out, []*value{unknown})
		}
	}
	return out
}

// instanceEntered is the result of __enter__. Base classes outside the tree
// give the object itself, as nearly all do.
func (r *reader) instanceEntered(v *value) []*value {
	for _, name := range []string{"__enter__", "__aenter__"} {
		if found := r.memberOf(v, name); len(found.defs) > 0 {
			return r.called(r.finding(found), nowhere)
		} else if found.outside {
			return []*value{v}
		}
	}
	return []*value{unknown}
}

// evalSuper is super() in a method: the bases of its class, the same object.
func (r *reader) evalSuper(file int32, e *graph.Expr) []*value {
	facts := r.p.files[file].Facts
	for s := facts.Scopes[e.Scope].Symbol; s > 0; s = facts.Symbols[s].Parent {
		m := &facts.Symbols[s]
		if m.Kind != graph.KindMethod && m.Kind != graph.KindProperty {
			continue
		}
		class := place{file, m.Parent}
		// What super() finds is what runs, so the object counts as precise.
		self := &value{kind: instanceValue, at: class, precise: true}
		if m.Flags&graph.FlagClass != 0 || m.Name == "__new__" || m.Name == "__init_subclass__" {
			self = &value{kind: classValue, at: class, precise: true}
		}
		after := class
		if len(e.Args) == 2 {
			// super(C, self) starts behind C, whatever class this is.
			named := r.eval(place{file, e.Args[0]})
			if len(named) != 1 || named[0].kind != classValue {
				return []*value{unknown}
			}
			after = named[0].at
		}
		return []*value{{kind: superValue, at: after, self: self}}
	}
	return []*value{unknown}
}

// operators are the special methods that results of operators come from.
var operators = map[string]string{"+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__",
	"%": "__mod__", "@": "__matmul__", "|": "__or__", "&": "__and__", "^": "__xor__", "**": "__pow__", ">>": "__rshift__", "<<": "__lshift__"}

// comparisons are the special methods behind comparing, which gives a truth.
var comparisons = map[string]string{"==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}

func (r *reader) evalBinary(at place, e *graph.Expr) []*value {
	if operators[e.Name] == "" {
		return []*value{external}
	}
	var out []*value
	for _, v := range r.eval(place{at.file, e.Args[0]}) {
		switch v.kind {
		case instanceValue:
			out = merge(out, r.special(v, operators[e.Name]))
		case listValue, dictValue, externalValue:
			out = merge(out, []*value{v})
		default:
			out = merge(out, []*value{unknown})
		}
	}
	return out
}
