package ecmascript

import (
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

func (b *builder) classDeclaration(n node, h head, e env) {
	for c := range b.t.Children(n) {
		if b.t.Kind(c) == "decorator" {
			h.decorators = append(h.decorators, c)
		}
	}
	b.class(n, b.t.Field(n, "name"), h, e.scope, e)
}

// class walks a class and binds its name in scope, unless it is an expression
// whose name only the class itself sees. It returns the symbol.
func (b *builder) class(n, name node, h head, scope int32, e env) int32 {
	s := b.fact(name, graph.KindClass, h, e)
	if name < 0 {
		s.Name, s.NameAt = "class", b.t.Start(n)
		if h.byDefault {
			s.Name = "default"
		}
	}
	if b.t.Kind(n) == "abstract_class_declaration" {
		s.Flags |= graph.FlagAbstract
	}
	body := b.t.Field(n, "body")
	sym := b.symbol(s, b.partsOf(h, body))
	if scope != graph.None {
		b.define(scope, sym)
	}
	outer := e
	outer.sym, outer.scope = sym, b.scope(graph.ScopeBlock, e.scope, sym)
	if own := b.t.Field(n, "name"); own >= 0 && (scope == graph.None || own != name) {
		x := binding(outer.scope, b.text(own), graph.BindDefinition, b.t.Start(own))
		x.Symbol = sym
		b.bind(x)
	}
	b.typeParameters(n, outer)
	b.heritage(n, sym, outer)
	for _, d := range h.decorators {
		b.f.Symbols[sym].Decorators = append(b.f.Symbols[sym].Decorators, b.decorator(d, outer)...)
	}
	inner := outer
	inner.scope = b.scope(graph.ScopeClass, outer.scope, sym)
	b.f.Symbols[sym].Scope = inner.scope
	inner.this = this{class: sym, base: graph.None}
	b.classBody(body, sym, inner)
	return sym
}

// heritage notes base classes and implemented interfaces.
func (b *builder) heritage(n node, sym int32, e env) {
	heritage := b.t.Child(n, "class_heritage")
	for c := range b.t.NamedChildren(heritage) {
		switch b.t.Kind(c) {
		case "extends_clause":
			b.extends(c, sym, e)
		case "implements_clause":
			for t := range b.t.NamedChildren(c) {
				b.inherit(b.typeExpr(t, e, false), t, sym, e)
			}
		case "comment":
		default:
			b.inherit(b.callee(c, e), c, sym, e)
		}
	}
}

func (b *builder) extends(n node, sym int32, e env) {
	for c := range b.t.NamedChildren(n) {
		switch b.t.FieldName(c) {
		case "value":
			base := b.callee(c, e)
			if args := b.t.Next(c); b.t.Kind(args) == "type_arguments" {
				base = b.instantiated(c, base, args, e)
			}
			b.inherit(base, c, sym, e)
		}
	}
}

// inherit notes one base of a class or interface.
func (b *builder) inherit(base int32, n node, sym int32, e env) {
	if base == graph.None {
		return
	}
	b.f.Symbols[sym].Bases = append(b.f.Symbols[sym].Bases, base)
	of := base
	if b.f.Exprs[of].Kind == graph.ExprIndex {
		of = b.f.Exprs[of].Base
	}
	if of != graph.None {
		b.ref(graph.EdgeInherit, of, b.f.Exprs[of].Name, b.t.Line(n), graph.None, e)
	}
}

// decorators walks the decorators among the children of n.
func (b *builder) decorators(n node, e env) []int32 {
	var out []int32
	for c := range b.t.NamedChildren(n) {
		if b.t.Kind(c) == "decorator" {
			out = append(out, b.decorator(c, e)...)
		}
	}
	return out
}

func (b *builder) decorator(n node, e env) []int32 {
	for c := range b.t.NamedChildren(n) {
		if b.t.Kind(c) == "comment" {
			continue
		}
		if v := b.value(c, e); v != graph.None {
			return []int32{v}
		}
	}
	return nil
}

func (b *builder) classBody(n node, sym int32, e env) {
	var pending []node
	for c := range b.t.NamedChildren(n) {
		switch b.t.Kind(c) {
		case "decorator":
			pending = append(pending, c)
			continue
		case "method_definition", "method_signature", "abstract_method_signature":
			b.method(c, pending, sym, e)
		case "public_field_definition", "field_definition":
			b.field(c, pending, sym, e)
		case "class_static_block":
			inner := e
			inner.this.static = true
			inner.scope = b.scope(graph.ScopeFunction, e.scope, sym)
			inner.vars = inner.scope
			b.statement(b.t.Field(c, "body"), inner)
		case "index_signature":
			x := binding(e.scope, "[]", graph.BindAttribute, b.t.Start(c))
			x.Type = b.typeOf(b.t.Field(c, "type"), e)
			b.bind(x)
		}
		pending = nil
	}
}

// memberFact starts the fact of a class member.
func (b *builder) memberFact(n, name node, kind graph.Kind, sym int32, e env) graph.SymbolFact {
	s := graph.SymbolFact{Name: b.key(name, e), Kind: kind, Parent: sym, NameAt: b.t.Start(name)}
	if s.Name == "" {
		s.Name = treesitter.Fold([]byte(b.text(name)), 80)
	}
	access := b.text(b.t.Child(n, "accessibility_modifier"))
	if access == "private" || access == "protected" || b.t.Kind(name) == "private_property_identifier" {
		s.Flags |= graph.FlagPrivate
	}
	s.Exported = b.f.Symbols[sym].Exported && s.Flags&graph.FlagPrivate == 0
	if b.has(n, "static") {
		s.Flags |= graph.FlagStatic
	}
	if b.has(n, "abstract") {
		s.Flags |= graph.FlagAbstract
	}
	return s
}

// memberParts are the parts of a class member, whose decorators may stand
// before it or in it.
func (b *builder) memberParts(n, body node, before []node) parts {
	p := parts{node: n, body: body, decorators: before}
	first := n
	if len(before) > 0 {
		first = before[0]
	}
	for c := range b.t.NamedChildren(n) {
		if b.t.Kind(c) == "decorator" {
			p.decorators = append(p.decorators, c)
		}
	}
	p.docs = b.docsBefore(first)
	return p
}

func (b *builder) method(n node, before []node, sym int32, e env) {
	name, body := b.t.Field(n, "name"), b.t.Field(n, "body")
	s := b.memberFact(n, name, graph.KindMethod, sym, e)
	switch {
	case s.Name == "constructor" && s.Flags&graph.FlagStatic == 0:
		s.Kind = graph.KindConstructor
	case b.has(n, "get"):
		s.Kind, s.Discriminator = graph.KindProperty, "get"
		s.Flags |= graph.FlagGetter
	case b.has(n, "set"):
		s.Kind, s.Discriminator = graph.KindProperty, "set"
		s.Flags |= graph.FlagSetter
	}
	switch b.t.Kind(n) {
	case "method_signature":
		s.Flags |= graph.FlagOverload
		s.Discriminator = b.overload(n)
	case "abstract_method_signature":
		s.Flags |= graph.FlagAbstract
	}
	m := b.symbol(s, b.memberParts(n, body, before))
	inner := e
	inner.this.static = s.Flags&graph.FlagStatic != 0
	decorated := inner
	decorated.sym = m
	for _, d := range before {
		b.f.Symbols[m].Decorators = append(b.f.Symbols[m].Decorators, b.decorator(d, decorated)...)
	}
	if s.Kind == graph.KindConstructor {
		b.parameterProperties(n, sym, e)
	}
	b.function(n, m, inner.this, inner)
}

// parameterProperties makes fields of constructor(private x: T).
func (b *builder) parameterProperties(n node, sym int32, e env) {
	for c := range b.t.NamedChildren(b.t.Field(n, "parameters")) {
		pattern := b.t.Field(c, "pattern")
		if b.t.Kind(pattern) != "identifier" || b.t.Child(c, "accessibility_modifier") < 0 && !b.has(c, "readonly") {
			continue
		}
		s := b.memberFact(c, pattern, graph.KindField, sym, e)
		s.ResultText = b.typeText(b.t.Field(c, "type"))
		m := b.symbol(s, parts{node: c, body: b.t.Field(c, "value"), shared: true})
		x := binding(e.scope, s.Name, graph.BindAttribute, s.NameAt)
		x.Symbol = m
		// The walk over the parameters makes the references; this one only types.
		refs := len(b.f.Refs)
		x.Type = b.annotation(c, e)
		b.dropRefs(refs)
		b.f.Symbols[m].Result = x.Type
		b.bind(x)
	}
}

// dropRefs forgets the references made since there were n.
func (b *builder) dropRefs(n int) {
	b.f.Refs = b.f.Refs[:n]
	for len(b.reads) > 0 && int(b.reads[len(b.reads)-1]) >= n {
		b.reads = b.reads[:len(b.reads)-1]
	}
}

func (b *builder) field(n node, before []node, sym int32, e env) {
	name, value := b.t.Field(n, "name"), b.t.Field(n, "value")
	if name < 0 {
		name = b.t.Field(n, "property")
	}
	kind, body := graph.KindField, value
	inner := b.unwrap(value)
	function := b.isFunction(inner)
	if function {
		kind, body = graph.KindMethod, b.t.Field(inner, "body")
	}
	m := b.symbol(b.memberFact(n, name, kind, sym, e), b.memberParts(n, body, before))
	own := e
	own.sym = m
	own.this.static = b.f.Symbols[m].Flags&graph.FlagStatic != 0
	x := binding(e.scope, b.f.Symbols[m].Name, graph.BindAttribute, b.t.Start(name))
	x.Symbol = m
	x.Type = b.annotation(n, own)
	b.f.Symbols[m].ResultText = b.typeText(b.t.Field(n, "type"))
	for _, d := range before {
		b.f.Symbols[m].Decorators = append(b.f.Symbols[m].Decorators, b.decorator(d, own)...)
	}
	b.f.Symbols[m].Decorators = append(b.f.Symbols[m].Decorators, b.decorators(n, own)...)
	if function {
		b.functionValue(inner, m, own)
	} else {
		b.f.Symbols[m].Result = x.Type
		x.Value = b.owned(value, m, own)
	}
	b.bind(x)
}

func (b *builder) isFunction(n node) bool {
	switch b.t.Kind(n) {
	case "arrow_function", "function_expression", "generator_function":
		return true
	}
	return false
}

// functionValue walks a function expression that is the symbol sym. An arrow
// keeps the "this" around it, another function has its own.
func (b *builder) functionValue(n node, sym int32, e env) {
	self := e.this
	if b.t.Kind(n) != "arrow_function" && !b.isMember(sym) {
		self = this{class: sym, base: graph.None}
	}
	b.function(n, sym, self, e)
}

func (b *builder) isMember(sym int32) bool { return b.f.Symbols[sym].Kind == graph.KindMethod }

func (b *builder) interfaceDeclaration(n node, h head, e env) {
	name, body := b.t.Field(n, "name"), b.t.Field(n, "body")
	sym := b.symbol(b.typeFact(name, graph.KindInterface, h, e), b.partsOf(h, body))
	b.define(e.scope, sym)
	outer := e
	outer.sym, outer.scope = sym, b.scope(graph.ScopeBlock, e.scope, sym)
	b.typeParameters(n, outer)
	for c := range b.t.NamedChildren(b.t.Child(n, "extends_type_clause")) {
		if b.t.FieldName(c) == "type" {
			b.inherit(b.typeExpr(c, outer, false), c, sym, outer)
		}
	}
	inner := outer
	inner.scope = b.scope(graph.ScopeClass, outer.scope, sym)
	inner.this = this{class: sym, base: graph.None}
	b.f.Symbols[sym].Scope = inner.scope
	for c := range b.t.NamedChildren(body) {
		m := b.typeMember(c, sym, inner)
		if m.name == "" {
			continue
		}
		x := binding(inner.scope, m.name, graph.BindAttribute, b.t.Start(c))
		x.Symbol, x.Type = m.symbol, m.typ
		b.bind(x)
	}
}

// typeFact starts the fact of a definition that exists for the type checker only.
func (b *builder) typeFact(name node, kind graph.Kind, h head, e env) graph.SymbolFact {
	s := b.fact(name, kind, h, e)
	s.Flags |= graph.FlagTypeOnly
	return s
}

func (b *builder) typeAlias(n node, h head, e env) {
	name, value := b.t.Field(n, "name"), b.t.Field(n, "value")
	sym := b.symbol(b.typeFact(name, graph.KindType, h, e), b.partsOf(h, value))
	k := b.define(e.scope, sym)
	inner := e
	inner.sym, inner.scope = sym, b.scope(graph.ScopeBlock, e.scope, sym)
	b.f.Symbols[sym].Scope = inner.scope
	b.typeParameters(n, inner)
	typ := b.aliased(value, sym, inner)
	b.f.Bindings[k].Type = typ
	b.f.Symbols[sym].Result = typ
}

// aliased walks what a type alias stands for. Members of object types written
// there, alone, in an intersection, a union or a branch of a condition, belong
// to the alias.
func (b *builder) aliased(n node, sym int32, e env) int32 {
	switch b.t.Kind(n) {
	case "object_type":
		return b.objectType(n, sym, e)
	case "parenthesized_type":
		return b.aliased(b.firstNamed(n), sym, e)
	case "intersection_type":
		return b.of(graph.ExprIntersection, n, e, b.aliasedParts(n, sym, e)...)
	case "union_type":
		return b.of(graph.ExprUnion, n, e, b.aliasedParts(n, sym, e)...)
	case "conditional_type":
		b.condition(n, e)
		yes := b.aliased(b.t.Field(n, "consequence"), sym, e)
		no := b.aliased(b.t.Field(n, "alternative"), sym, e)
		return b.of(graph.ExprUnion, n, e, yes, no)
	}
	return b.typeOf(n, e)
}

// aliasedParts walks the operands of a union or intersection that an alias
// stands for. What is no type gives None.
func (b *builder) aliasedParts(n node, sym int32, e env) []int32 {
	var parts []int32
	for c := range b.t.NamedChildren(n) {
		if t := b.aliased(c, sym, e); t != graph.None {
			parts = append(parts, t)
		}
	}
	return parts
}

func (b *builder) enum(n node, h head, e env) {
	name, body := b.t.Field(n, "name"), b.t.Field(n, "body")
	sym := b.symbol(b.fact(name, graph.KindEnum, h, e), b.partsOf(h, body))
	b.define(e.scope, sym)
	inner := e
	inner.sym, inner.scope = sym, b.scope(graph.ScopeClass, e.scope, sym)
	b.f.Symbols[sym].Scope = inner.scope
	for c := range b.t.NamedChildren(body) {
		member, value := c, node(treesitter.None)
		if b.t.Kind(c) == "enum_assignment" {
			member, value = b.t.Field(c, "name"), b.t.Field(c, "value")
		}
		key := b.key(member, inner)
		if key == "" || b.t.Kind(c) == "comment" {
			continue
		}
		s := graph.SymbolFact{Name: key, Kind: graph.KindMember, Parent: sym, NameAt: b.t.Start(member),
			Exported: b.f.Symbols[sym].Exported}
		m := b.symbol(s, parts{node: c, body: value, docs: b.docsBefore(c)})
		own := inner
		own.sym = m
		b.value(value, own)
	}
}

func (b *builder) namespace(n node, h head, e env) {
	name, body := b.t.Field(n, "name"), b.t.Field(n, "body")
	inner := e
	if b.t.Kind(name) == "string" { // declare module "x": its names are not those of this file
		inner.scope = b.scope(graph.ScopeNamespace, e.scope, e.sym)
		inner.vars = inner.scope
		if b.fileLevel(e) && b.module() {
			x := binding(inner.scope, "", graph.BindImport, b.t.Start(name))
			x.Import = b.addImport(graph.Import{Module: b.literal(name), TypeOnly: true}, name, inner.scope, e)
			b.bind(x)
		}
		b.statements(body, inner)
		return
	}
	s := b.fact(name, graph.KindPackage, h, e)
	sym := b.symbol(s, b.partsOf(h, body))
	b.define(e.scope, sym)
	inner.sym, inner.scope = sym, b.scope(graph.ScopeNamespace, e.scope, sym)
	inner.vars = inner.scope
	b.f.Symbols[sym].Scope = inner.scope
	b.statements(body, inner)
}

// module reports whether the file is a module. There declare module "x" adds to
// what exists elsewhere; in a script it says what exists.
func (b *builder) module() bool {
	root := b.t.Root()
	return b.t.Child(root, "import_statement") >= 0 || b.t.Child(root, "export_statement") >= 0
}

// ambient walks declare …; what it declares exists elsewhere.
func (b *builder) ambient(n node, h head, e env) {
	from := len(b.f.Symbols)
	for c := range b.t.NamedChildren(n) {
		if b.t.Kind(c) == "statement_block" { // declare global { … }
			inner := e
			inner.scope = b.scope(graph.ScopeNamespace, e.scope, e.sym)
			inner.vars = inner.scope
			b.statements(c, inner)
			continue
		}
		b.declaration(c, h.outer, h.decorators, h.exported, e)
	}
	for i := from; i < len(b.f.Symbols); i++ {
		b.f.Symbols[i].Flags |= graph.FlagTypeOnly
	}
}

// importAlias walks import A = B.C.
func (b *builder) importAlias(n node, h head, e env) {
	name := b.t.Child(n, "identifier")
	if name < 0 {
		return
	}
	value := node(treesitter.None)
	for c := range b.t.NamedChildren(n) {
		if c != name {
			value = c
		}
	}
	x := binding(e.scope, b.text(name), graph.BindVariable, b.t.Start(name))
	x.Value = b.qualified(value, e)
	b.bind(x)
}

// qualified is the expression of a dotted name.
func (b *builder) qualified(n node, e env) int32 {
	switch b.t.Kind(n) {
	case "identifier", "type_identifier":
		return b.named(graph.ExprName, n, b.text(n), e)
	case "nested_identifier", "member_expression":
		object := b.t.Field(n, "object")
		property := b.t.Field(n, "property")
		base := b.qualified(object, e)
		if base == graph.None {
			return graph.None
		}
		return b.member(property, base, b.text(property), e)
	case "call_expression": // import("./x").T
		return b.value(n, e)
	}
	return graph.None
}
