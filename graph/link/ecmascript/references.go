package ecmascript

import (
	"slices"

	"github.com/previdence/previdence/graph"
)

// resolve finds the definitions that a name or member expression means.
func (l *fileLinker) resolve(i int32) ([]target, outcome) {
	if i == graph.None {
		return nil, outcome{reason: reasonDynamic}
	}
	e := &l.f.f.Exprs[i]
	switch e.Kind {
	case graph.ExprName:
		return l.resolveName(e, values)
	case graph.ExprTypeName:
		return l.resolveName(e, types)
	case graph.ExprMember:
		return l.resolveMember(e)
	case graph.ExprFunction, graph.ExprClass:
		if e.Symbol != graph.None {
			return []target{{l.f.index, e.Symbol, graph.TierExact}}, outcome{}
		}
		return nil, outcome{inside: true}
	}
	return nil, outcome{reason: reasonDynamic}
}

// resolveName finds what a name means where it stands.
func (l *fileLinker) resolveName(e *graph.Expr, space space) ([]target, outcome) {
	found, _ := l.f.lookup(e.Scope, e.Name, space)
	if len(found) == 0 {
		return nil, l.free(e.Name, space)
	}
	var out []target
	why := outcome{reason: reasonValue}
	for _, b := range found {
		r := l.v.boundTo(l.f, b, space)
		if r.state != exportFound && space == values { // export { type } reaches values by another way
			if t := l.v.boundTo(l.f, b, types); t.state == exportFound {
				r = t
			}
		}
		for _, d := range r.defs {
			switch d.kind {
			case defSymbol:
				out = append(out, target{d.file, l.p.files[d.file].implementation(d.i), d.tier})
			case defMember:
				out = append(out, l.memberTargets(d)...)
			case defExternal:
				why.external = true
			}
		}
		switch r.state {
		case exportExternal:
			why.external = true
		case exportMissing:
			x := &l.f.f.Bindings[b]
			why = outcome{reason: reasonNoExport, in: r.in, broken: r.broken}
			if x.Import != graph.None {
				why.name = l.f.f.Imports[x.Import].Name
				if l.f.modules[x.Import].state == moduleMissing {
					why.reason = reasonNoFile
				}
			}
		case exportUnknown:
			why = outcome{reason: reasonUnknown, in: r.in}
		}
	}
	if why.reason == reasonValue {
		why.in = l.declarer(found)
	}
	return l.settle(out), why
}

// declarer is the symbol that declares a variable, "" for names from other files.
func (l *fileLinker) declarer(bindings []int32) string {
	var symbol int32
	for _, i := range bindings {
		b := &l.f.f.Bindings[i]
		if b.Import != graph.None || b.Kind != graph.BindVariable && b.Kind != graph.BindParameter {
			return ""
		}
		symbol = l.f.f.Scopes[b.Scope].Symbol
	}
	return string(l.p.symbols[l.f.Symbols+symbol].ID)
}

// memberTargets are the definitions that a member of an exported value means.
func (l *fileLinker) memberTargets(d def) []target {
	var out []target
	for _, x := range l.v.value(l.p.files[d.file], d.i, 0) {
		for _, m := range l.v.members(x, d.name) {
			if m.sym != graph.None {
				out = append(out, target{m.file, l.p.files[m.file].implementation(m.sym), d.tier})
			}
		}
	}
	return out
}

// resolveMember finds what a member means on the values of its object.
func (l *fileLinker) resolveMember(e *graph.Expr) ([]target, outcome) {
	if e.Base == graph.None {
		return nil, outcome{reason: reasonReceiver}
	}
	var out []target
	for _, b := range l.f.attachedBy(e) {
		if s := l.f.f.Bindings[b].Symbol; s != graph.None {
			out = append(out, target{l.f.index, s, graph.TierExact})
		}
	}
	vals := l.v.objectValues(l.f, e.Base, 0)
	why, known := outcome{reason: reasonReceiver}, false
	for _, x := range vals {
		switch x.kind {
		case valExternal, valBuiltin:
			why.external = true
			continue
		case valModule:
			ts, missing := l.moduleMember(x.i, e.Name)
			out = append(out, ts...)
			if len(ts) == 0 && why.reason == reasonReceiver {
				why = missing
			}
			continue
		}
		found := l.v.members(x, e.Name)
		for _, m := range found {
			if m.sym != graph.None {
				out = append(out, target{m.file, l.p.files[m.file].implementation(m.sym), max(m.tier, graph.TierExact)})
			}
		}
		switch {
		case len(found) > 0:
			known = true
			why.reason, why.in, why.broken = reasonValue, "", false
		case known:
			// One of several types has it.
		case ofEverything[e.Name] || l.leaves(x, map[val]bool{}):
			why.external = true
		case x.kind == valInstance && l.p.files[x.file].f.Symbols[x.i].Kind.Callable():
			// "this" of a function that may be called on anything.
		default:
			why.reason = reasonMember
			if s := l.p.typeOf(x); s != graph.None {
				why.in = string(l.p.symbols[s].ID)
				why.broken = len(vals) == 1 && l.missing(e, x)
			}
		}
	}
	if out = l.settle(out); len(out) > 1 {
		for i := range out {
			out[i].tier = max(out[i].tier, graph.TierDispatch)
		}
	}
	return out, why
}

// typeOf is the symbol that lists the members of a value: its class, interface
// or enum, or the alias that stands for its object type and nothing else. It is
// None if there is no such symbol.
func (p *program) typeOf(x val) int32 {
	f := p.files[x.file]
	switch x.kind {
	case valInstance, valSymbol:
		return f.Symbols + x.i
	case valShape:
		e := &f.f.Exprs[x.i]
		if e.Kind == graph.ExprObjectType && e.Symbol != graph.None && f.f.Symbols[e.Symbol].Result == x.i && !f.indexed(e) {
			return f.Symbols + e.Symbol
		}
	}
	return graph.None
}

// indexed reports whether an object type has members that it does not name, such
// as those of { [K in Keys]: T }.
func (f *file) indexed(e *graph.Expr) bool {
	return slices.ContainsFunc(e.Args, func(a int32) bool { return f.f.Exprs[a].Name == "[]" })
}

// missing reports whether it is certain that a member expression names nothing
// on its object, whose only value is x.
func (l *fileLinker) missing(e *graph.Expr, x val) bool {
	if !l.f.checked() || l.f.ignored[e.Line] {
		return false
	}
	c, known := l.receiver(l.f, e.Base, 0)
	return known && c.value() == val{kind: x.kind, file: x.file, i: x.i} && l.lacks(c, e.Name)
}

// moduleMember finds an export of a module taken as an object.
func (l *fileLinker) moduleMember(file int32, name string) ([]target, outcome) {
	var out []target
	r := l.p.exported(file, name, values, map[visit]bool{})
	if r.state != exportFound {
		if t := l.p.exported(file, name, types, map[visit]bool{}); t.state == exportFound {
			r = t
		}
	}
	for _, d := range r.defs {
		switch d.kind {
		case defSymbol:
			out = append(out, target{d.file, l.p.files[d.file].implementation(d.i), d.tier})
		case defMember:
			out = append(out, l.memberTargets(d)...)
		}
	}
	switch r.state {
	case exportMissing:
		return out, outcome{reason: reasonNoExport, in: r.in, broken: r.broken}
	case exportExternal:
		return out, outcome{external: true}
	case exportUnknown:
		return out, outcome{reason: reasonUnknown, in: r.in}
	}
	return out, outcome{reason: reasonValue}
}

// leaves reports whether a value may have members that come from out of the
// tree: a base class from elsewhere, a member of every object or function.
func (l *fileLinker) leaves(x val, seen map[val]bool) bool {
	if seen[x] {
		return false
	}
	seen[x] = true
	switch x.kind {
	case valExternal, valBuiltin:
		return true
	case valInstance, valSymbol:
		for _, d := range l.p.merged(l.p.files[x.file], x.i) {
			f := l.p.files[d.file]
			for _, b := range f.f.Symbols[d.sym].Bases {
				vals := l.v.base(f, b, x.env)
				if len(vals) == 0 {
					return true
				}
				for _, y := range vals {
					if l.leaves(y, seen) {
						return true
					}
				}
			}
		}
	}
	return false
}

// call writes the edges of a call, a construction or a tagged template.
func (l *fileLinker) call(r *graph.Ref) {
	kind, literal := l.f.f.Exprs[r.Args].Kind, l.f.f.Exprs[r.Args].Symbol
	var targets []target
	var why outcome
	switch {
	case literal != graph.None:
		targets = []target{{l.f.index, literal, graph.TierExact}}
	case r.Expr == graph.None:
		why = outcome{reason: reasonDynamic}
	case l.f.f.Exprs[r.Expr].Kind == graph.ExprSuper:
		targets, why = l.superCall(&l.f.f.Exprs[r.Expr])
	case kind == graph.ExprNew:
		targets, why = l.construction(r)
	default:
		targets, why = l.callees(r)
	}
	if len(targets) == 0 && !why.external && !why.inside && why.reason == reasonReceiver {
		targets, why = l.byName(r, why)
	}
	if len(targets) == 0 {
		switch {
		case why.inside:
		case why.external:
			l.counts.External++
			if why.reason == reasonFree {
				l.miss(r, why)
			}
		default:
			l.counts.Unresolved++
			l.miss(r, why)
		}
		return
	}
	l.fits(r, targets)
	l.writeCall(r, targets)
}

// writeCall writes a call to its targets, and to what may override them.
func (l *fileLinker) writeCall(r *graph.Ref, targets []target) {
	from, best := l.f.Symbols+r.From, graph.TierName
	for _, t := range targets {
		kind := graph.EdgeCall
		if t.tier == graph.TierDispatch {
			kind = graph.EdgeDispatch
		}
		l.add(from, l.p.symbol(t), kind, t.tier, r.Line)
		best = min(best, t.tier)
		if runs, ok := l.p.behindOf(t); ok {
			l.add(from, l.p.symbol(runs), graph.EdgeDispatch, runs.tier, r.Line)
		}
		s := l.p.fact(t)
		if s.Parent == graph.None || s.Kind != graph.KindMethod && s.Kind != graph.KindField || t.tier == graph.TierName {
			continue
		}
		if l.f.f.Exprs[r.Expr].Kind == graph.ExprMember && l.superMember(r.Expr) {
			continue // super.m() means the base's own
		}
		class := l.p.files[t.file].Symbols + s.Parent
		for _, to := range l.p.overriding(class, s.Name, s.Flags&graph.FlagStatic) {
			l.add(from, to, graph.EdgeDispatch, graph.TierDispatch, r.Line)
		}
	}
	l.counts.Add(best)
}

func (l *fileLinker) superMember(i int32) bool {
	b := l.f.f.Exprs[i].Base
	return b != graph.None && l.f.f.Exprs[b].Kind == graph.ExprSuper
}

// callees finds what a call may call.
func (l *fileLinker) callees(r *graph.Ref) ([]target, outcome) {
	if through, ok := l.calledThrough(r.Expr); ok {
		return l.functions(l.v.value(l.f, through, 0), outcome{})
	}
	defs, why := l.resolve(r.Expr)
	var out, variables []target
	for _, t := range defs {
		switch l.p.fact(t).Kind {
		case graph.KindFunction, graph.KindMethod, graph.KindConstructor, graph.KindClass:
			out = append(out, t)
		default:
			variables = append(variables, t)
		}
	}
	if len(out) > 0 {
		return out, why
	}
	if why.broken && len(defs) == 0 {
		return nil, why
	}
	vals := l.v.value(l.f, r.Expr, 0)
	out, whyValue := l.functions(vals, why)
	l.write(r, graph.EdgeReference, variables)
	if len(out) == 0 && !whyValue.external {
		if called := l.typed(append(variables, l.origins(r.Expr, 0)...), vals); len(called) > 0 {
			return called, why
		}
	}
	return out, whyValue
}

// origins are the members that a variable was taken from, as in
// const { render } = createRenderer().
func (l *fileLinker) origins(i int32, depth int) []target {
	e := &l.f.f.Exprs[i]
	if e.Kind != graph.ExprName || depth > 4 {
		return nil
	}
	var out []target
	found, _ := l.f.lookup(e.Scope, e.Name, values)
	for _, b := range found {
		value := l.f.f.Bindings[b].Value
		if value == graph.None {
			continue
		}
		switch l.f.f.Exprs[value].Kind {
		case graph.ExprMember:
			ts, _ := l.resolve(value)
			out = append(out, ts...)
		case graph.ExprName:
			out = append(out, l.origins(value, depth+1)...)
		}
	}
	return l.settle(out)
}

// calledThrough is the function f in f.call(…) and f.apply(…).
func (l *fileLinker) calledThrough(i int32) (int32, bool) {
	e := &l.f.f.Exprs[i]
	if e.Kind != graph.ExprMember || e.Base == graph.None || e.Name != "call" && e.Name != "apply" {
		return graph.None, false
	}
	_, ok := l.v.functionsOf(l.v.value(l.f, e.Base, 0))
	return e.Base, ok
}

// functions are the definitions among values that can be called.
func (l *fileLinker) functions(vals []val, why outcome) ([]target, outcome) {
	var out []target
	for _, x := range vals {
		f := l.p.files[x.file]
		switch x.kind {
		case valSymbol:
			switch f.f.Symbols[x.i].Kind {
			case graph.KindFunction, graph.KindMethod, graph.KindClass, graph.KindConstructor:
				out = append(out, target{x.file, x.i, graph.TierExact})
			}
		case valExternal:
			why.external = true
		case valShape:
			if f.f.Exprs[x.i].Kind == graph.ExprFunction {
				why.inside = true
			}
		}
	}
	if out = l.settle(out); len(out) > 1 {
		for i := range out {
			out[i].tier = graph.TierDispatch
		}
	}
	return out, why
}

// typed are the variables and fields that are of a function type, by
// declaration or by what they were set to: they are what is called, whatever
// function they hold.
func (l *fileLinker) typed(variables []target, vals []val) []target {
	callable := slices.ContainsFunc(vals, func(x val) bool {
		f := l.p.files[x.file]
		return x.kind == valShape && (f.f.Exprs[x.i].Kind == graph.ExprFunctionType || f.f.Exprs[x.i].Kind == graph.ExprFunction) ||
			x.kind == valInstance && len(l.v.members(x, "()")) > 0
	})
	var out []target
	for _, t := range variables {
		s := l.p.fact(t)
		if (callable || s.ResultText != "") && s.Kind != graph.KindReexport && s.Kind != graph.KindProperty {
			out = append(out, t)
		}
	}
	return out
}

// construction finds the classes of new X(…).
func (l *fileLinker) construction(r *graph.Ref) ([]target, outcome) {
	defs, why := l.resolve(r.Expr)
	if why.broken && len(defs) == 0 {
		return nil, why
	}
	var classes, variables []target
	for _, t := range defs {
		switch l.p.fact(t).Kind {
		case graph.KindClass, graph.KindFunction, graph.KindMethod:
			classes = append(classes, t)
		case graph.KindConstant, graph.KindVariable, graph.KindField:
			variables = append(variables, t)
		}
	}
	if len(classes) > 0 {
		return classes, why
	}
	found, whyValue := l.functions(l.v.value(l.f, r.Expr, 0), why)
	l.write(r, graph.EdgeReference, variables)
	if len(found) == 0 && len(variables) > 0 {
		return l.typed(variables, nil), whyValue
	}
	return found, whyValue
}

// superCall finds the constructor that super(…) calls, or the base class if it
// writes none.
func (l *fileLinker) superCall(e *graph.Expr) ([]target, outcome) {
	if e.Symbol == graph.None {
		return nil, outcome{reason: reasonReceiver}
	}
	why := outcome{reason: reasonReceiver}
	for _, b := range l.v.superValues(l.f, e, 0) {
		switch b.kind {
		case valExternal, valBuiltin:
			why.external = true
		case valInstance:
			if t, ok := l.v.constructor(b, map[val]bool{}); ok {
				return []target{t}, why
			}
			return []target{{b.file, b.i, graph.TierExact}}, why
		}
	}
	return nil, why
}

// constructor is the constructor that a class writes or inherits.
func (v *eval) constructor(x val, seen map[val]bool) (target, bool) {
	if seen[x] || x.kind != valInstance {
		return target{}, false
	}
	seen[x] = true
	f := v.p.files[x.file]
	for _, c := range f.children[x.i]["constructor"] {
		if s := &f.f.Symbols[c]; s.Kind == graph.KindConstructor && s.Flags&graph.FlagOverload == 0 {
			return target{x.file, c, graph.TierExact}, true
		}
	}
	for _, b := range v.bases(f, x.i, x.env) {
		if t, ok := v.constructor(b, seen); ok {
			return t, true
		}
	}
	return target{}, false
}
