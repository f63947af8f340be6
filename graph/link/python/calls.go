package python

import (
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

func (r *reader) evalCall(at place, e *graph.Expr) []*value {
	if fx, ok := r.fixtureAsked(at.file, e); ok {
		return r.fixtureValue(fx)
	}
	callee := r.eval(place{at.file, e.Base})
	if len(callee) == 1 && callee[0].kind == externalValue && e.Base != graph.None {
		if v, ok := r.known(at, e, r.p.facts(at).Exprs[e.Base].Name); ok {
			return v
		}
	}
	return r.called(callee, at)
}

// known evaluates calls of a few functions of the standard library that pass
// their arguments on.
func (r *reader) known(at place, e *graph.Expr, name string) ([]*value, bool) {
	arg := func(i int) []*value {
		if i < len(e.Args) && e.Args[i] != graph.None {
			if a := &r.p.facts(at).Exprs[e.Args[i]]; a.Kind != graph.ExprKeyword && a.Kind != graph.ExprSpread {
				return r.eval(place{at.file, e.Args[i]})
			}
		}
		return []*value{unknown}
	}
	switch name {
	case "partial", "copy", "deepcopy", "proxy", "update_wrapper":
		if len(e.Args) == 0 {
			return nil, false
		}
		return arg(0), true
	case "ref":
		return []*value{{kind: returnsValue, at: nowhere, items: [][]*value{arg(0)}}}, true
	case "ensure_object", "find_object": // click
		return r.called(arg(0), nowhere), true
	case "list", "set", "frozenset", "deque", "dict", "OrderedDict":
		if len(e.Args) == 0 {
			return []*value{empty(name)}, true
		}
	}
	switch name {
	case "list", "iter", "sorted", "reversed", "set", "frozenset", "tuple", "chain", "islice", "deque", "aiter":
		return []*value{listOf(r.elements(arg(0)))}, true
	case "next", "max", "min", "choice", "anext":
		return r.elements(arg(0)), true
	case "filter":
		return []*value{listOf(r.elements(arg(1)))}, true
	case "map":
		return []*value{listOf(r.called(arg(0), nowhere))}, true
	case "enumerate":
		return []*value{listOf([]*value{{kind: tupleValue, at: nowhere, items: [][]*value{{external}, r.elements(arg(0))}}})}, true
	case "zip":
		t := &value{kind: tupleValue, at: nowhere}
		for i := range e.Args {
			t.items = append(t.items, r.elements(arg(i)))
		}
		return []*value{listOf([]*value{t})}, true
	case "defaultdict":
		return []*value{{kind: dictValue, at: nowhere, items: [][]*value{{external}, merge(r.called(arg(0), nowhere), contents(arg(1)))}}}, true
	case "dict":
		if v := arg(0); len(v) == 1 && v[0].kind == dictValue {
			return v, true
		}
	case "type":
		if len(e.Args) == 1 {
			return r.classesOf(arg(0)), true
		}
	}
	return nil, false
}

// empty is a new list or mapping.
func empty(name string) *value {
	if name == "dict" || name == "OrderedDict" {
		return &value{kind: dictValue, at: nowhere, items: [][]*value{{external}, nil}}
	}
	return listOf(nil)
}

// called is what calling each value gives.
func (r *reader) called(values []*value, call place) []*value {
	var out []*value
	for _, v := range values {
		switch v.kind {
		case classValue:
			out = merge(out, []*value{{kind: instanceValue, at: v.at, precise: v.self == nil, tier: v.tier}})
		case functionValue:
			out = merge(out, r.resultOf(v.at, v.self, call))
		case lambdaValue:
			out = merge(out, r.returned(r.eval(place{v.at.file, r.p.facts(v.at).Exprs[v.at.at].Base}), r.literal(v), false, call))
		case instanceValue:
			if v.precise && len(r.memberOf(v, "__call__").defs) == 0 && r.classAt(v.at).outside {
				out = merge(out, []*value{external})
				continue
			}
			out = merge(out, r.special(v, "__call__"))
		case returnsValue:
			out = merge(out, v.items[0])
		case externalValue, listValue, dictValue, tupleValue:
			out = merge(out, []*value{external})
		default:
			out = merge(out, []*value{unknown})
		}
	}
	return out
}

// resultOf is what a function returns: what it declares, else what its return
// statements say.
func (r *reader) resultOf(at place, self *value, call place) []*value {
	s := r.p.symbol(at)
	var out []*value
	if s.Result != graph.None {
		out = r.orFrom(r.declaredResult(at, s, self, call), func() []*value { return r.inferredResult(at, s, self) })
	} else {
		out = r.inferredResult(at, s, self)
	}
	out = r.returned(out, at, self != nil, call)
	if r.manager(at, s) {
		return []*value{{kind: contextValue, at: nowhere, items: [][]*value{r.elements(out)}}}
	}
	return out
}

// returned replaces what a function returns of its parameters by the arguments of
// one call. Outside the function they mean nothing else.
func (r *reader) returned(values []*value, at place, bound bool, call place) []*value {
	if !slices.ContainsFunc(values, func(v *value) bool { return v.param.of == at && v.param.position > 0 }) {
		return values
	}
	var out []*value
	for _, v := range values {
		if v.param.of != at || v.param.position == 0 {
			out = merge(out, []*value{v})
			continue
		}
		params := r.p.symbol(at).Params
		position := int(v.param.position) - 1
		name := params[position].Name
		if bound && len(params) > 0 && params[0].Kind == graph.ParamReceiver {
			position--
		}
		if given, ok := r.argument(call, position, name); ok {
			out = merge(out, given)
			continue
		}
		plain := *v
		plain.param = parameter{}
		out = merge(out, []*value{&plain})
	}
	return out
}

// manager reports whether contextlib turns the function into a context manager.
func (r *reader) manager(at place, s *graph.SymbolFact) bool {
	for _, d := range s.Decorators {
		if d == graph.None {
			continue
		}
		if n := r.p.facts(at).Exprs[d].Name; n == "contextmanager" || n == "asynccontextmanager" {
			return true
		}
	}
	return false
}

// declaredResult evaluates a result type. Self and a type variable that stands
// for the receiver or an argument mean that object.
func (r *reader) declaredResult(at place, s *graph.SymbolFact, self *value, call place) []*value {
	e := &r.p.facts(at).Exprs[s.Result]
	if e.Kind == graph.ExprName && e.Name == "Self" && self != nil {
		return []*value{r.asInstance(self)}
	}
	if e.Kind == graph.ExprName && r.typeVariable(place{at.file, s.Result}) {
		if v, ok := r.substituted(at, s, e.Name, self, call); ok {
			return v
		}
		if v, ok := r.ofBase(at, s, e.Name, self); ok {
			return v
		}
	}
	if v := r.typeOf(place{at.file, s.Result}); len(v) > 0 {
		return v
	}
	return nil
}

func (r *reader) asInstance(self *value) *value {
	if self.kind == classValue {
		return &value{kind: instanceValue, at: self.at, tier: self.tier}
	}
	return self
}

// substituted finds what a type variable stands for in one call.
func (r *reader) substituted(at place, s *graph.SymbolFact, name string, self *value, call place) ([]*value, bool) {
	position := 0
	for i := range s.Params {
		p := &s.Params[i]
		receiver := p.Kind == graph.ParamReceiver
		text := strings.Trim(p.TypeText, `"'`)
		ofClass := text == "type["+name+"]" || text == "Type["+name+"]" || text == "t.Type["+name+"]" || text == "typing.Type["+name+"]"
		if text == name || ofClass {
			if receiver && self != nil {
				return []*value{r.asInstance(self)}, true
			}
			if v, ok := r.argument(call, position, p.Name); ok {
				if ofClass {
					return r.called(v, nowhere), true
				}
				return v, true
			}
		}
		if !receiver {
			position++
		}
	}
	return nil, false
}

// ofBase finds what a class says about the type variable of its base, as in
// class C(Base[T]).
func (r *reader) ofBase(at place, s *graph.SymbolFact, name string, self *value) ([]*value, bool) {
	if self == nil || self.at == nowhere {
		return nil, false
	}
	owner := place{at.file, s.Parent}
	position := r.typePosition(owner, name)
	if position < 0 {
		return nil, false
	}
	for _, k := range r.classAt(self.at).mro {
		facts := r.p.facts(k)
		for _, b := range facts.Symbols[k.at].Bases {
			e := &facts.Exprs[b]
			if e.Kind != graph.ExprIndex || position >= len(e.Args) {
				continue
			}
			for _, v := range r.baseValues(place{k.file, b}) {
				if v.kind == classValue && v.at == owner {
					return r.typeOf(place{k.file, e.Args[position]}), true
				}
			}
		}
	}
	return nil, false
}

// typePosition is the place of a type variable in Generic[A, B] or
// Protocol[A, B] of a class; -1 if it is not there.
func (r *reader) typePosition(class place, name string) int {
	facts := r.p.facts(class)
	for _, b := range facts.Symbols[class.at].Bases {
		e := &facts.Exprs[b]
		if e.Kind != graph.ExprIndex || e.Base == graph.None || !plainBases[facts.Exprs[e.Base].Name] {
			continue
		}
		for i, a := range e.Args {
			if a != graph.None && facts.Exprs[a].Name == name {
				return i
			}
		}
	}
	return -1
}

func (r *reader) argument(call place, position int, name string) ([]*value, bool) {
	if call == nowhere {
		return nil, false
	}
	facts := r.p.facts(call)
	for i, a := range facts.Exprs[call.at].Args {
		if a == graph.None {
			continue
		}
		e := &facts.Exprs[a]
		if e.Kind == graph.ExprKeyword && e.Name == name {
			return r.eval(place{call.file, e.Base}), true
		}
		if i == position && e.Kind != graph.ExprKeyword && e.Kind != graph.ExprSpread {
			return r.eval(place{call.file, a}), true
		}
	}
	return nil, false
}

// inferredResult joins the values of all return statements. A function that
// returns its receiver returns the object it was called on.
func (r *reader) inferredResult(at place, s *graph.SymbolFact, self *value) []*value {
	f := r.p.files[at.file]
	if s.Flags&graph.FlagGenerator != 0 {
		var out []*value
		for _, i := range f.names[scopedName{s.Scope, "yield"}] {
			out = merge(out, r.eval(place{at.file, f.Facts.Bindings[i].Value}))
		}
		return []*value{listOf(out)}
	}
	receiver := ""
	if len(s.Params) > 0 && s.Params[0].Kind == graph.ParamReceiver {
		receiver = s.Params[0].Name
	}
	var out []*value
	for _, ret := range s.Returns {
		if ret == graph.None {
			continue
		}
		e := &f.Facts.Exprs[ret]
		if self != nil && receiver != "" {
			if v, ok := r.receiverResult(f, e, receiver, self); ok {
				out = merge(out, v)
				continue
			}
		}
		out = merge(out, r.eval(place{at.file, ret}))
	}
	return out
}

// receiverResult knows return self, cls(…), self.__class__(…), type(self)(…).
func (r *reader) receiverResult(f *file, e *graph.Expr, receiver string, self *value) ([]*value, bool) {
	if e.Kind == graph.ExprName && e.Name == receiver {
		return []*value{self}, true
	}
	if e.Kind != graph.ExprCall || e.Base == graph.None {
		return nil, false
	}
	callee := &f.Facts.Exprs[e.Base]
	if callee.Kind == graph.ExprName && callee.Name == receiver && self.kind == classValue ||
		f.dotted(callee) == receiver+".__class__" {
		return []*value{r.asInstance(self)}, true
	}
	return nil, false
}

// decoratedTier is exact if all decorators are known to keep the function, or
// are defined in the tree and return what they get or a wrapper of it.
func (r *reader) decoratedTier(at place) graph.Tier {
	facts := r.p.facts(at)
	for _, d := range r.p.symbol(at).Decorators {
		if d == graph.None {
			continue
		}
		e := &facts.Exprs[d]
		if e.Kind == graph.ExprCall && e.Base != graph.None {
			e = &facts.Exprs[e.Base]
		}
		if keeping[e.Name] || r.pytestDecorator(facts, e) || r.keepsFunction(at.file, e) {
			continue
		}
		return graph.TierImport
	}
	return graph.TierExact
}

func (r *reader) pytestDecorator(facts *graph.Facts, e *graph.Expr) bool {
	for e.Kind == graph.ExprMember && e.Base != graph.None {
		e = &facts.Exprs[e.Base]
	}
	return e.Name == "pytest"
}

// keepsFunction looks at a decorator that the tree defines: its declared
// result is its parameter's type, or it uses wraps.
func (r *reader) keepsFunction(file int32, e *graph.Expr) bool {
	var found finding
	switch e.Kind {
	case graph.ExprName:
		found = r.lookup(file, e.Scope, e.Name)
	case graph.ExprMember:
		found = r.member(r.eval(place{file, e.Base}), e.Name)
	}
	if len(found.defs) != 1 || found.defs[0].symbol == nowhere {
		return false
	}
	at := found.defs[0].symbol
	s := r.p.symbol(at)
	if s.Kind != graph.KindFunction && s.Kind != graph.KindMethod {
		return false
	}
	for _, p := range s.Params {
		if p.TypeText != "" && p.TypeText == s.ResultText {
			return true
		}
	}
	facts := r.p.facts(at)
	for i := range facts.Refs {
		ref := &facts.Refs[i]
		if (ref.Name == "wraps" || ref.Name == "update_wrapper") && within(facts, ref.From, at.at) {
			return true
		}
	}
	return false
}

// within reports whether symbol s is o or lies inside it.
func within(facts *graph.Facts, s, o int32) bool {
	for ; s > 0; s = facts.Symbols[s].Parent {
		if s == o {
			return true
		}
	}
	return false
}
