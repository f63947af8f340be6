package ecmascript

import (
	"github.com/previdence/previdence/graph"
)

// A member is what a name means on a value.
type member struct {
	file    int32
	sym     int32 // definition, or None
	binding int32 // binding with type or value, or None
	expr    int32 // expression, or None
	typ     bool  // expr is a type
	env     int32
	def     def // for members of modules
	tier    graph.Tier
	via     []int32
}

// A memberQuery is a member being looked up; it cuts objects that spread
// themselves.
type memberQuery struct {
	of   val
	name string
}

// memberResult are the values of a member.
func (v *eval) memberResult(m member) []val {
	f := v.p.files[m.file]
	switch {
	case m.def.kind != 0:
		return v.defValues([]def{m.def})
	case m.sym != graph.None && (m.expr == graph.None || f.f.Symbols[m.sym].Kind != graph.KindField):
		return v.symbolValues(f, m.sym, m.env)
	case m.binding != graph.None:
		return v.boundValues(f, m.binding, m.env)
	case m.typ:
		return v.typ(f, m.expr, m.env)
	}
	return v.value(f, m.expr, m.env)
}

// memberValues are the values of Base.Name.
func (v *eval) memberValues(f *file, e *graph.Expr, env int32) []val {
	if e.Base == graph.None {
		return nil
	}
	if e.Name == "exports" && f.isGlobal(e.Base, "module") {
		return v.moduleObject(f.index)
	}
	base := v.objectValues(f, e.Base, env)
	out := v.attachedValues(f, e, env)
	external := false
	for _, x := range base {
		switch x.kind {
		case valExternal:
			external = true
		case valBuiltin:
			out = append(out, v.builtinMember(x, e.Name)...)
		default:
			found := v.members(x, e.Name)
			if len(found) == 0 && (x.kind == valInstance || x.kind == valShape) {
				found = v.members(x, "[]") // any name, by its index signature
			}
			for _, m := range found {
				out = append(out, v.memberResult(m)...)
			}
		}
	}
	if external && len(out) == 0 { // of a mixture of objects, the part that has the member
		out = append(out, val{kind: valExternal})
	}
	return v.narrowedMember(f, e, distinct(out), env)
}

// objectValues is the value of the object of a member expression; in T["name"] it is
// a type.
func (v *eval) objectValues(f *file, i, env int32) []val {
	if f.f.Exprs[i].Kind == graph.ExprTypeName {
		return v.typ(f, i, env)
	}
	return v.value(f, i, env)
}

// attachedValues are what A.b = … gave to A where A is bound.
func (v *eval) attachedValues(f *file, e *graph.Expr, env int32) []val {
	var out []val
	for _, b := range f.attachedBy(e) {
		x := &f.f.Bindings[b]
		if x.Symbol != graph.None {
			out = append(out, v.symbolValues(f, x.Symbol, env)...)
			continue
		}
		out = append(out, v.value(f, x.Value, env)...)
	}
	return out
}

// attachedBy returns the bindings of A.b = … for the expression A.b.
func (f *file) attachedBy(e *graph.Expr) []int32 {
	base := &f.f.Exprs[e.Base]
	if base.Kind != graph.ExprName {
		return nil
	}
	_, scope := f.lookup(base.Scope, base.Name, values)
	return f.attachedTo(scope, base.Name, e.Name)
}

// members are what a name means on one value; several where several
// definitions are possible.
func (v *eval) members(x val, name string) []member {
	q := memberQuery{x, name}
	if v.looking[q] || len(v.looking) >= maxDepth {
		v.cut = true
		return nil
	}
	v.looking[q] = true
	defer delete(v.looking, q)
	switch x.kind {
	case valModule:
		return v.moduleMembers(x.i, name)
	case valShape:
		return v.shapeMembers(x, name)
	case valInstance:
		return v.instanceMembers(x, name, map[val]bool{})
	case valSymbol:
		return v.staticMembers(x, name, map[val]bool{})
	}
	return nil
}

func (v *eval) moduleMembers(file int32, name string) []member {
	r := v.p.exported(file, name, values, map[visit]bool{})
	var out []member
	for _, d := range r.defs {
		if d.kind == defMember {
			for _, x := range v.value(v.p.files[d.file], d.i, 0) {
				out = append(out, v.members(x, d.name)...)
			}
			continue
		}
		m := member{file: d.file, sym: graph.None, binding: graph.None, expr: graph.None, def: d, tier: d.tier, via: r.via}
		if d.kind == defSymbol {
			m.sym = d.i
		}
		out = append(out, m)
	}
	return out
}

func symbolMember(file, sym, env int32) member {
	return member{file: file, sym: sym, binding: graph.None, expr: graph.None, env: env, tier: graph.TierExact}
}

// shapeMembers looks into an object literal or object type. The last member of
// a name wins over what is spread before it, but what is spread is not followed
// in order: an own member wins.
func (v *eval) shapeMembers(x val, name string) []member {
	f := v.p.files[x.file]
	e := &f.f.Exprs[x.i]
	var out, spread []member
	for _, a := range e.Args {
		k := &f.f.Exprs[a]
		switch {
		case k.Kind == graph.ExprKeyword && k.Name == name:
			if e.Kind != graph.ExprObject && e.Kind != graph.ExprObjectType {
				continue
			}
			m := member{file: x.file, sym: k.Symbol, binding: graph.None, expr: k.Base, typ: e.Kind == graph.ExprObjectType,
				env: x.env, tier: graph.TierExact}
			if k.Symbol != graph.None && f.f.Symbols[k.Symbol].Kind == graph.KindField {
				m.expr = k.Base
			}
			out = append(out, m)
		case k.Kind == graph.ExprSpread && e.Kind == graph.ExprObject:
			for _, s := range v.value(f, k.Base, x.env) {
				spread = append(spread, v.members(s, name)...)
			}
		}
	}
	if len(out) == 0 {
		out = spread
	}
	if len(out) == 0 && e.Symbol == 0 && e.Kind == graph.ExprObject && !f.esModule() {
		return v.moduleMembers(x.file, name) // what module.exports was set to
	}
	if len(out) == 0 && e.Symbol != graph.None && e.Kind == graph.ExprObject {
		out = v.attachedMembers(f, e.Symbol, name, x.env)
	}
	if h, ok := f.holders[x.i]; ok && len(out) == 0 {
		out = v.attachments(f, h, name, x.env)
	}
	return out
}

// attachedMembers are what A.b = … gave to the definition A.
func (v *eval) attachedMembers(f *file, sym int32, name string, env int32) []member {
	var out []member
	for _, b := range f.bound[sym] {
		x := &f.f.Bindings[b]
		out = append(out, v.attachments(f, nameIn{x.Scope, x.Name}, name, env)...)
	}
	return out
}

// attachments are what A.b = … gave to what the name A holds.
func (v *eval) attachments(f *file, holder nameIn, name string, env int32) []member {
	var out []member
	for _, a := range f.attachedTo(holder.scope, holder.name, name) {
		out = append(out, member{file: f.index, sym: f.f.Bindings[a].Symbol, binding: a, expr: graph.None, env: env, tier: graph.TierExact})
	}
	return out
}

// instanceMembers looks up the classes and interfaces of an instance.
func (v *eval) instanceMembers(x val, name string, seen map[val]bool) []member {
	if seen[x] || len(seen) > 64 {
		return nil
	}
	seen[x] = true
	if x.kind != valInstance {
		return v.members(x, name)
	}
	parts := v.p.merged(v.p.files[x.file], x.i)
	var out []member
	for _, d := range parts {
		out = append(out, v.ownMembers(v.p.files[d.file], d.sym, name, x.env, false)...)
	}
	if len(out) == 0 {
		out = v.givenMembers(parts, name, x.env)
	}
	if len(out) > 0 {
		return out
	}
	for _, d := range parts {
		for _, b := range v.bases(v.p.files[d.file], d.sym, x.env) {
			if b == x {
				continue
			}
			if found := v.instanceMembers(b, name, seen); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

// ownMembers are the members that one class, interface or constructor function
// has itself. An implementation hides its overload signatures.
func (v *eval) ownMembers(f *file, sym int32, name string, env int32, static bool) []member {
	s := &f.f.Symbols[sym]
	var out []member
	if s.Kind == graph.KindFunction || s.Kind == graph.KindMethod {
		out = v.attachedMembers(f, sym, name, env)
	} else {
		out = v.classMembers(f, sym, name, env, static)
	}
	if len(out) > 0 || static || s.Scope == graph.None {
		return out
	}
	for _, b := range f.names[s.Scope][name] { // this.x = …
		if x := &f.f.Bindings[b]; x.Kind == graph.BindAttribute {
			out = append(out, member{file: f.index, sym: x.Symbol, binding: b, expr: graph.None, env: env, tier: graph.TierExact})
		}
	}
	return out
}

func (v *eval) classMembers(f *file, sym int32, name string, env int32, static bool) []member {
	var out []member
	overloads := 0
	for _, c := range f.children[sym][name] {
		m := &f.f.Symbols[c]
		switch m.Kind {
		case graph.KindMethod, graph.KindProperty, graph.KindField:
		case graph.KindFunction, graph.KindClass, graph.KindConstant, graph.KindVariable, graph.KindEnum, graph.KindPackage, graph.KindMember:
			if !static {
				continue
			}
		default:
			continue
		}
		if s := &f.f.Symbols[sym]; s.Kind == graph.KindClass && (m.Flags&graph.FlagStatic != 0) != static {
			continue
		}
		if m.Flags&graph.FlagSetter != 0 && len(f.children[sym][name]) > 1 {
			continue // the accessor that reads stands for both
		}
		impl := f.implementation(c)
		if impl != c {
			overloads++
			continue
		}
		out = append(out, symbolMember(f.index, c, env))
	}
	if len(out) > 1 && f.f.Symbols[out[0].sym].Flags&(graph.FlagAbstract|graph.FlagOverload) != 0 {
		out = out[:1] // overloads of an interface or of an abstract method
	}
	return out
}

// staticMembers looks up a class, namespace, enum or function itself.
func (v *eval) staticMembers(x val, name string, seen map[val]bool) []member {
	if seen[x] || len(seen) > 64 {
		return nil
	}
	seen[x] = true
	f := v.p.files[x.file]
	if name == "prototype" {
		return nil
	}
	var out []member
	parts := v.p.merged(f, x.i)
	for _, d := range parts {
		g := v.p.files[d.file]
		out = append(out, v.ownMembers(g, d.sym, name, x.env, true)...)
		if g.f.Symbols[d.sym].Kind == graph.KindClass && len(out) == 0 {
			out = append(out, v.attachedMembers(g, d.sym, name, x.env)...)
		}
	}
	if len(out) == 0 {
		out = v.givenMembers(parts, name, x.env)
	}
	if len(out) > 0 || f.f.Symbols[x.i].Kind != graph.KindClass {
		return out
	}
	for _, b := range v.bases(f, x.i, x.env) {
		if b.kind == valInstance {
			b.kind = valSymbol
			if found := v.staticMembers(b, name, seen); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}
