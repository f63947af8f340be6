package python

import (
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// implicitCalls links what syntax calls without naming it: the special methods
// behind with, for, x[i], operators, comparisons and built-in functions. They
// are no calls in the counts.
func (l *linker) implicitCalls() {
	for i := range l.f.Facts.Exprs {
		e := &l.f.Facts.Exprs[i]
		l.enter(int32(i))
		switch e.Kind {
		case graph.ExprFunction:
			l.edge(l.f.Facts.Symbols[e.Symbol].Parent, place{l.file, e.Symbol}, graph.EdgeReference, graph.TierExact, e.Line)
		case graph.ExprNew:
			l.raised(e)
		case graph.ExprEnter:
			l.implicit(e, e.Base, "__enter__", "__aenter__", "__exit__", "__aexit__")
		case graph.ExprElement:
			l.iterated(e)
		case graph.ExprIndex:
			l.implicit(e, e.Base, l.elementMethod(e))
		case graph.ExprBinary:
			l.operation(e)
		case graph.ExprCall:
			l.builtinCall(e)
			l.handOver(e)
		}
	}
	l.registered()
}

// elementMethod is what x[i] runs where it stands.
func (l *linker) elementMethod(e *graph.Expr) string {
	if e.Name == "del" {
		return "__delitem__"
	}
	if path := l.f.dotted(&l.f.Facts.Exprs[e.Base]); path != "" && l.f.assigns(e, path+"[]", e.Start) {
		return "__setitem__"
	}
	return "__getitem__"
}

// assigns reports whether a scope around e binds a name at a byte.
func (f *file) assigns(e *graph.Expr, name string, at int32) bool {
	for s := e.Scope; s != graph.None; s = f.Facts.Scopes[s].Parent {
		for _, i := range f.names[scopedName{s, name}] {
			if f.Facts.Bindings[i].At == at {
				return true
			}
		}
	}
	return false
}

func (l *linker) operation(e *graph.Expr) {
	switch name := e.Name; name {
	case "in", "not in":
		l.implicit(e, e.Args[1], "__contains__")
	case "bool":
		l.firstOf(e, e.Args[0], "__bool__", "__len__")
	case "hash":
		l.implicit(e, e.Args[0], "__hash__", "__eq__")
	case "str":
		l.firstOf(e, e.Args[0], "__format__", "__str__", "__repr__")
	default:
		if m := operators[name]; m != "" {
			l.implicit(e, e.Args[0], m)
		} else if m := comparisons[name]; m != "" {
			l.implicit(e, e.Args[0], m)
		}
	}
}

// builtinCall links len(x) and the like to the special method of x.
func (l *linker) builtinCall(e *graph.Expr) {
	if e.Base == graph.None || len(e.Args) == 0 || e.Args[0] == graph.None {
		return
	}
	callee := &l.f.Facts.Exprs[e.Base]
	names, calls := builtinMethods[callee.Name], calling[callee.Name]
	if callee.Kind != graph.ExprName && !calls || names == "" && !calls {
		return
	}
	if found := l.look(callee); !found.outside || len(found.defs) > 0 {
		return
	}
	if names != "" && callee.Kind == graph.ExprName {
		l.implicit(e, e.Args[0], strings.Fields(names)...)
	}
	if calls {
		l.calledOutside(e)
	}
	if ordering[callee.Name] {
		l.special(l.f.Facts.Scopes[e.Scope].Symbol, e.Line, l.r.innermost(l.r.elements(l.r.eval(place{l.file, e.Args[0]}))), "__lt__")
	}
}

// innermost are the elements of tuples, which are compared one by one.
func (r *reader) innermost(values []*value) []*value {
	var out []*value
	for _, v := range values {
		if v.kind == tupleValue {
			for _, item := range v.items {
				out = merge(out, r.innermost(item))
			}
			continue
		}
		out = merge(out, []*value{v})
	}
	return out
}

// calledOutside links a call to the functions among its arguments, which the
// built-in function calls at once.
func (l *linker) calledOutside(call *graph.Expr) {
	s := &site{ref: &graph.Ref{Kind: graph.EdgeCall, From: l.f.Facts.Scopes[call.Scope].Symbol, Line: call.Line, Args: graph.None}}
	for _, a := range call.Args {
		if a == graph.None {
			continue
		}
		for _, v := range l.r.eval(place{l.file, a}) {
			switch v.kind {
			case functionValue:
				l.hit(s, v.at, graph.EdgeDispatch, graph.TierDispatch)
			case lambdaValue:
				l.hit(s, l.r.literal(v), graph.EdgeDispatch, graph.TierDispatch)
			case classValue:
				l.construct(s, v.at, graph.TierDispatch)
			}
			if v.kind == unknownValue && v.param.position > 0 {
				l.out.waiting = append(l.out.waiting, waiting{from: l.f.Symbols + s.ref.From, literal: l.literal, line: call.Line,
					passed: []parameter{v.param}, silent: true})
			}
		}
	}
}

// firstOf links to the first of these methods that an operand has.
func (l *linker) firstOf(e *graph.Expr, operand int32, names ...string) {
	from := l.f.Facts.Scopes[e.Scope].Symbol
	for _, v := range l.r.eval(place{l.file, operand}) {
		if v.kind != instanceValue {
			continue
		}
		for _, name := range names {
			found := l.r.classMember(v.at, name, v, nowhere)
			for i := range found.defs {
				if to := found.defs[i].symbol; to != nowhere && l.p.symbol(to).Kind == graph.KindMethod {
					l.edge(from, to, graph.EdgeCall, max(v.tier, found.defs[i].tier), e.Line)
				}
			}
			if len(found.defs) > 0 {
				break
			}
		}
	}
}

// descriptor links a use of an attribute to the __get__ or __set__ of the object
// that the class keeps under its name.
func (l *linker) descriptor(ref *graph.Ref, d *definition) {
	e := &l.f.Facts.Exprs[ref.Expr]
	if d.self == nil || e.Kind != graph.ExprMember || len(l.p.methods["__get__"])+len(l.p.methods["__set__"]) == 0 {
		return
	}
	name := "__get__"
	if l.stored(e) {
		name = "__set__"
	}
	for _, v := range l.r.bound(d) {
		if v.kind != instanceValue || !v.precise {
			continue
		}
		found := l.r.classMember(v.at, name, v, nowhere)
		for i := range found.defs {
			if to := found.defs[i].symbol; to != nowhere && l.p.symbol(to).Kind == graph.KindMethod {
				l.edge(ref.From, to, graph.EdgeCall, max(v.tier, found.defs[i].tier), ref.Line)
			}
		}
	}
}

// implicit links to the methods of these names of what the operand may be.
func (l *linker) implicit(e *graph.Expr, operand int32, names ...string) {
	if operand == graph.None {
		return
	}
	from := l.f.Facts.Scopes[e.Scope].Symbol
	l.special(from, e.Line, l.r.eval(place{l.file, operand}), names...)
}

// special links to the methods of these names of values. What a parameter may be
// is known when all files have been read.
func (l *linker) special(from, line int32, values []*value, names ...string) {
	for _, v := range values {
		for _, name := range names {
			switch {
			case v.kind == instanceValue:
				found := l.r.memberOf(v, name)
				for i := range found.defs {
					if to := found.defs[i].symbol; to != nowhere && l.p.symbol(to).Kind == graph.KindMethod {
						l.edge(from, to, graph.EdgeCall, max(v.tier, found.defs[i].tier), line)
					}
				}
			case v.name != "":
				for _, to := range l.r.inherited(v.name, name) {
					l.edge(from, to, graph.EdgeDispatch, graph.TierDispatch, line)
				}
			case v.param.position > 0 && len(l.p.methods[name]) > 0:
				l.out.waiting = append(l.out.waiting, waiting{
					from: l.f.Symbols + from, literal: l.literal, line: line, name: name, member: name, passed: []parameter{v.param}, silent: true,
				})
			}
		}
	}
}

// iterated links what a loop runs: the method that gives the iterator, and the
// iterator's own.
func (l *linker) iterated(e *graph.Expr) {
	l.implicit(e, e.Base, "__iter__", "__aiter__")
	if e.Base == graph.None || len(l.p.methods["__next__"])+len(l.p.methods["__anext__"]) == 0 {
		return
	}
	from := l.f.Facts.Scopes[e.Scope].Symbol
	for _, v := range l.r.eval(place{l.file, e.Base}) {
		switch {
		case v.kind == instanceValue:
			for _, name := range []string{"__iter__", "__aiter__"} {
				if found := l.r.memberOf(v, name); len(found.defs) > 0 {
					l.special(from, e.Line, l.r.called(l.r.finding(found), nowhere), "__next__", "__anext__")
				}
			}
		case v.param.position > 0:
			// Most iterators are what they iterate over.
			l.special(from, e.Line, []*value{v}, "__next__", "__anext__")
		}
	}
}

// raised links raise C to the class and to what sets its object up.
func (l *linker) raised(e *graph.Expr) {
	s := &site{ref: &graph.Ref{Kind: graph.EdgeCall, From: l.f.Facts.Scopes[e.Scope].Symbol, Line: e.Line, Args: graph.None}}
	for _, v := range l.r.eval(place{l.file, e.Base}) {
		if v.kind == classValue {
			l.construct(s, v.at, v.tier)
		}
	}
}

// handOver links a call that hands on an object which can be called to its
// __call__, as a function that is handed on is a reference to it. A method's own
// object is handed to much that only keeps it: it counts where a function or a
// constructor from outside takes it.
func (l *linker) handOver(call *graph.Expr) {
	if !l.p.callables {
		return
	}
	from := l.f.Facts.Scopes[call.Scope].Symbol
	for _, a := range call.Args {
		if a == graph.None {
			continue
		}
		if e := &l.f.Facts.Exprs[a]; e.Kind == graph.ExprKeyword {
			a = e.Base
		}
		if a == graph.None || l.receiverName(from) == l.f.Facts.Exprs[a].Name && !l.takenOutside(call) {
			continue
		}
		for _, v := range l.r.eval(place{l.file, a}) {
			if v.kind != instanceValue {
				continue
			}
			found := l.r.classMember(v.at, "__call__", v, nowhere)
			for i := range found.defs {
				if to := found.defs[i].symbol; to != nowhere && to != (place{l.file, from}) && l.p.symbol(to).Kind == graph.KindMethod {
					l.edge(from, to, graph.EdgeDispatch, graph.TierDispatch, call.Line)
				}
			}
		}
	}
}

// takenOutside reports whether a call runs a function from outside, or makes an
// object whose class, or a base of it, lies outside.
func (l *linker) takenOutside(call *graph.Expr) bool {
	if call.Base == graph.None {
		return false
	}
	for _, v := range l.r.eval(place{l.file, call.Base}) {
		if v.kind == classValue && l.r.classAt(v.at).outside {
			return true
		}
	}
	callee := &l.f.Facts.Exprs[call.Base]
	if callee.Kind == graph.ExprMember && callee.Base != graph.None {
		base := l.r.eval(place{l.file, callee.Base})
		return len(base) == 1 && base[0].kind == externalValue && l.importedName(&l.f.Facts.Exprs[callee.Base])
	}
	return callee.Kind == graph.ExprName && l.importedName(callee)
}

// importedName reports whether a name is bound by an import from outside.
func (l *linker) importedName(e *graph.Expr) bool {
	if e.Kind != graph.ExprName {
		return false
	}
	found := l.r.lookup(l.file, e.Scope, e.Name)
	return found.outside && len(found.defs) == 0 && !builtins[e.Name]
}

// receiverName is the name of the object in a method; "-" if it is none.
func (l *linker) receiverName(symbol int32) string {
	if p := l.f.Facts.Symbols[symbol].Params; len(p) > 0 && p[0].Kind == graph.ParamReceiver {
		return p[0].Name
	}
	return "-"
}

// registered links a function to the decorated functions and classes inside it:
// the decorator is handed each of them while the function runs.
func (l *linker) registered() {
	for i := range l.f.Facts.Symbols {
		s := &l.f.Facts.Symbols[i]
		if len(s.Decorators) == 0 || s.Kind != graph.KindFunction && !isClass(s.Kind) || s.Parent <= 0 {
			continue
		}
		if k := l.f.Facts.Symbols[s.Parent].Kind; k == graph.KindFunction || k == graph.KindMethod || k == graph.KindProperty {
			l.edge(s.Parent, place{l.file, int32(i)}, graph.EdgeReference, graph.TierExact, s.Line)
		}
	}
}

// callbacks are the methods of a class that replace one of a base outside the
// tree: they call it by super(). Whatever else of that base is called may run
// them.
func (p *project) callbacks(at place) []place {
	var out []place
	for _, k := range p.classes[at].mro {
		for _, m := range p.replaced[k] {
			if !slices.ContainsFunc(out, func(o place) bool { return p.symbol(o).Name == p.symbol(m).Name }) {
				out = append(out, m)
			}
		}
	}
	return out
}

// readCallbacks finds those methods by what they call.
func (p *project) readCallbacks() {
	p.replaced = map[place][]place{}
	for i, f := range p.files {
		for j := range f.Facts.Refs {
			ref := &f.Facts.Refs[j]
			if ref.Kind != graph.EdgeCall || ref.Expr == graph.None {
				continue
			}
			e, s := &f.Facts.Exprs[ref.Expr], &f.Facts.Symbols[ref.From]
			if e.Kind != graph.ExprMember || e.Base == graph.None || f.Facts.Exprs[e.Base].Kind != graph.ExprSuper ||
				s.Kind != graph.KindMethod || s.Name != e.Name || strings.HasPrefix(s.Name, "__") {
				continue
			}
			class, m := place{int32(i), s.Parent}, place{int32(i), ref.From}
			if c := p.classes[class]; c != nil && c.outside && !slices.Contains(p.replaced[class], m) {
				p.replaced[class] = append(p.replaced[class], m)
			}
		}
	}
}

// calledBack links a call of a method from outside to the methods that it may
// run.
func (l *linker) calledBack(ref *graph.Ref, e *graph.Expr) {
	if e.Kind != graph.ExprMember || e.Base == graph.None {
		return
	}
	for _, v := range l.r.eval(place{l.file, e.Base}) {
		if v.kind != instanceValue || !l.r.classAt(v.at).outside {
			continue
		}
		for _, to := range l.p.callbacks(v.at) {
			if to != (place{l.file, ref.From}) {
				l.edge(ref.From, to, graph.EdgeDispatch, graph.TierDispatch, ref.Line)
			}
		}
	}
}
