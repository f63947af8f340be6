package ecmascript

import (
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// annotation is the type that n declares under its field "type", or None.
func (b *builder) annotation(n node, e env) int32 { return b.typeOf(b.t.Field(n, "type"), e) }

// typeText is a type as written, without its colon.
func (b *builder) typeText(n node) string {
	if n < 0 {
		return ""
	}
	if b.t.Kind(n) == "type_annotation" {
		n = b.t.Next(b.t.First(n))
	}
	return treesitter.Fold([]byte(b.text(n)), 200)
}

// typeOf walks a type and the references in it.
func (b *builder) typeOf(n node, e env) int32 { return b.typeExpr(n, e, true) }

// typeExpr walks a type. Read says whether the outermost name is a reference;
// references inside always count.
func (b *builder) typeExpr(n node, e env, read bool) int32 {
	switch b.t.Kind(n) {
	case "type_annotation", "constraint", "default_type", "parenthesized_type", "readonly_type", "optional_type",
		"asserts_annotation", "flow_maybe_type", "opting_type_annotation", "omitting_type_annotation":
		return b.typeExpr(b.firstNamed(n), e, read)
	case "type_identifier", "identifier":
		i := b.named(graph.ExprTypeName, n, b.text(n), e)
		if read {
			b.read(i, e)
		}
		return i
	case "nested_type_identifier", "nested_identifier", "member_expression":
		return b.typeMemberName(n, e, read)
	case "generic_type":
		base := b.typeExpr(b.t.Field(n, "name"), e, read)
		return b.instantiated(n, base, b.t.Field(n, "type_arguments"), e)
	case "array_type":
		return b.of(graph.ExprList, n, e, b.typeOf(b.firstNamed(n), e))
	case "tuple_type":
		return b.of(graph.ExprTuple, n, e, b.types(n, e)...)
	case "union_type":
		return b.of(graph.ExprUnion, n, e, b.types(n, e)...)
	case "intersection_type":
		return b.of(graph.ExprIntersection, n, e, b.types(n, e)...)
	case "object_type":
		return b.objectType(n, graph.None, e)
	case "function_type", "constructor_type":
		return b.functionType(n, e)
	case "type_query":
		return b.typeQuery(n, e)
	case "predefined_type":
		return b.predefined(n, e)
	case "literal_type", "template_literal_type":
		return b.literalType(n, e)
	case "this_type", "this":
		i := b.expr(graph.ExprThis, n, e)
		b.f.Exprs[i].Symbol = e.this.class
		return i
	case "conditional_type":
		b.condition(n, e)
		yes := b.typeOf(b.t.Field(n, "consequence"), e)
		no := b.typeOf(b.t.Field(n, "alternative"), e)
		return b.of(graph.ExprUnion, n, e, yes, no)
	case "lookup_type":
		return b.lookupType(n, e)
	case "type_predicate_annotation":
		return b.typeExpr(b.firstNamed(n), e, read)
	case "asserts": // asserts x is T, asserts x
		if c := b.firstNamed(n); b.t.Kind(c) == "type_predicate" {
			return b.typeExpr(c, e, read)
		}
		return graph.None
	case "type_predicate": // x is T
		t := b.typeOf(b.t.Field(n, "type"), e)
		i := b.of(graph.ExprAs, n, e, t)
		b.f.Exprs[i].Name = b.text(b.t.Field(n, "name"))
		return i
	case "infer_type":
		b.namesPart(b.firstNamed(n))
		b.types(n, e)
		return graph.None
	case "required_parameter", "optional_parameter": // named member of a tuple
		return b.annotation(n, e)
	case "rest_type":
		return b.on(graph.ExprElement, n, b.typeOf(b.firstNamed(n), e), e)
	case "call_expression": // import("./x")
		return b.on(graph.ExprTypeOf, n, b.value(n, e), e)
	case "comment", "":
		return graph.None
	}
	b.types(n, e)
	return graph.None
}

// condition walks A extends B of a conditional type.
func (b *builder) condition(n node, e env) {
	b.typeOf(b.t.Field(n, "left"), e)
	b.typeOf(b.t.Field(n, "right"), e)
}

func (b *builder) firstNamed(n node) node {
	for c := range b.t.NamedChildren(n) {
		if b.t.Kind(c) != "comment" {
			return c
		}
	}
	return treesitter.None
}

// namesPart notes a name that a type gives to a part of itself: infer T, [K in T].
func (b *builder) namesPart(n node) {
	if n >= 0 {
		b.typeParts[b.text(n)] = true
	}
}

// types walks all children of n as types. What is no type gives None.
func (b *builder) types(n node, e env) []int32 {
	var out []int32
	for c := range b.t.NamedChildren(n) {
		if b.t.Kind(c) == "type_predicate" {
			b.typeOf(b.t.Field(c, "type"), e)
			continue
		}
		if t := b.typeOf(c, e); t != graph.None {
			out = append(out, t)
		}
	}
	return out
}

// instantiated is a generic name with its arguments.
func (b *builder) instantiated(n node, base int32, args node, e env) int32 {
	i := b.of(graph.ExprIndex, n, e, b.types(args, e)...)
	b.f.Exprs[i].Base = base
	return i
}

func (b *builder) typeMemberName(n node, e env, read bool) int32 {
	object, name := b.t.Field(n, "module"), b.t.Field(n, "name")
	if object < 0 {
		object, name = b.t.Field(n, "object"), b.t.Field(n, "property")
	}
	base := b.qualified(object, e)
	if base == graph.None {
		return graph.None
	}
	i := b.member(name, base, b.text(name), e)
	if read {
		b.read(i, e)
	}
	return i
}

func (b *builder) typeQuery(n node, e env) int32 {
	inner := b.firstNamed(n)
	var base int32
	switch b.t.Kind(inner) {
	case "call_expression": // typeof import("./x")
		base = b.value(inner, e)
	case "instantiation_expression":
		base = b.read(b.qualified(b.firstNamed(inner), e), e)
		b.types(b.t.Field(inner, "type_arguments"), e)
	default:
		base = b.read(b.qualified(inner, e), e)
	}
	return b.on(graph.ExprTypeOf, n, base, e)
}

func (b *builder) predefined(n node, e env) int32 {
	switch b.text(n) {
	case "string":
		return b.expr(graph.ExprString, n, e)
	case "number", "bigint":
		return b.expr(graph.ExprNumber, n, e)
	case "boolean":
		return b.expr(graph.ExprBool, n, e)
	case "void", "undefined", "never":
		return b.expr(graph.ExprNull, n, e)
	}
	return graph.None
}

func (b *builder) literalType(n node, e env) int32 {
	inner := b.firstNamed(n)
	switch b.t.Kind(inner) {
	case "string":
		return b.named(graph.ExprString, n, b.literal(inner), e)
	case "null", "undefined":
		return b.expr(graph.ExprNull, n, e)
	case "true", "false":
		return b.expr(graph.ExprBool, n, e)
	case "number", "unary_expression":
		return b.expr(graph.ExprNumber, n, e)
	}
	b.types(n, e)
	return b.expr(graph.ExprString, n, e)
}

// lookupType walks T["name"]; another index gives what iterating T gives.
func (b *builder) lookupType(n node, e env) int32 {
	all := b.types(n, e)
	if len(all) == 0 {
		return graph.None
	}
	if len(all) == 2 {
		if k := b.f.Exprs[all[1]]; k.Kind == graph.ExprString && k.Name != "" {
			return b.member(n, all[0], k.Name, e)
		}
	}
	return b.on(graph.ExprElement, n, all[0], e)
}

// functionType walks (a: A) => B and new (a: A) => B.
func (b *builder) functionType(n node, e env) int32 {
	inner := e
	inner.scope = b.scope(graph.ScopeBlock, e.scope, e.sym)
	b.typeParameters(n, inner)
	i := b.expr(graph.ExprFunctionType, n, inner)
	if b.t.Kind(n) == "constructor_type" || b.t.Kind(n) == "construct_signature" {
		b.f.Exprs[i].Name = "new"
	}
	for c := range b.t.NamedChildren(b.t.Field(n, "parameters")) {
		pattern := b.t.Kind(b.t.Field(c, "pattern"))
		if b.t.Kind(c) == "comment" || pattern == "this" {
			continue
		}
		t := b.annotation(c, inner)
		if t == graph.None { // operands keep their positions
			t = b.expr(graph.ExprOther, c, inner)
		}
		if pattern == "rest_pattern" {
			t = b.on(graph.ExprSpread, c, t, inner)
		}
		b.f.Exprs[i].Args = append(b.f.Exprs[i].Args, t)
	}
	result := b.t.Field(n, "return_type")
	if result < 0 {
		result = b.t.Field(n, "type")
	}
	t := b.typeOf(result, inner)
	b.f.Exprs[i].Base = t
	return i
}

// typeMember is one member of an interface or object type.
type typeMember struct {
	name   string // "" if it has none; "()" and "new" for call and construct signatures
	typ    int32  // or None for a method that is a symbol
	symbol int32  // or None
}

// typeMember walks one member. Owner is the interface or alias, or None if the
// members of this type are no definitions.
func (b *builder) typeMember(n node, owner int32, e env) typeMember {
	none := typeMember{typ: graph.None, symbol: graph.None}
	switch b.t.Kind(n) {
	case "property_signature":
		name := b.t.Field(n, "name")
		m := typeMember{name: b.key(name, e), symbol: graph.None}
		if owner != graph.None && m.name != "" {
			s := b.memberFact(n, name, graph.KindField, owner, e)
			s.Flags |= graph.FlagTypeOnly
			s.ResultText = b.typeText(b.t.Field(n, "type"))
			m.symbol = b.symbol(s, parts{node: n, body: treesitter.None, docs: b.docsBefore(n)})
			e.sym = m.symbol
		}
		m.typ = b.annotation(n, e)
		if m.symbol != graph.None {
			b.f.Symbols[m.symbol].Result = m.typ
		}
		return m
	case "method_signature":
		name := b.t.Field(n, "name")
		m := typeMember{name: b.key(name, e), symbol: graph.None, typ: graph.None}
		if owner == graph.None || m.name == "" {
			m.typ = b.functionType(n, e)
			return m
		}
		s := b.memberFact(n, name, graph.KindMethod, owner, e)
		s.Flags |= graph.FlagTypeOnly | graph.FlagAbstract
		m.symbol = b.symbol(s, parts{node: n, body: treesitter.None, docs: b.docsBefore(n)})
		b.function(n, m.symbol, e.this, e)
		return m
	case "call_signature":
		return typeMember{name: "()", typ: b.functionType(n, e), symbol: graph.None}
	case "construct_signature":
		return typeMember{name: "new", typ: b.functionType(n, e), symbol: graph.None}
	case "index_signature":
		if c := b.t.Child(n, "mapped_type_clause"); c >= 0 {
			b.namesPart(b.t.Field(c, "name"))
			b.typeOf(b.t.Field(c, "type"), e)
			b.typeOf(b.t.Field(c, "alias"), e)
		}
		b.typeOf(b.t.Field(n, "index_type"), e)
		return typeMember{name: "[]", typ: b.typeOf(b.t.Field(n, "type"), e), symbol: graph.None}
	case "comment":
		return none
	}
	b.types(n, e)
	return none
}

// objectType walks { a: A; b(): B }. Owner is the alias that its members belong
// to, or None.
func (b *builder) objectType(n node, owner int32, e env) int32 {
	i := b.expr(graph.ExprObjectType, n, e)
	b.f.Exprs[i].Symbol = owner
	for c := range b.t.NamedChildren(n) {
		m := b.typeMember(c, owner, e)
		if m.name == "" {
			continue
		}
		k := b.named(graph.ExprKeyword, c, m.name, e)
		b.f.Exprs[k].Base, b.f.Exprs[k].Symbol = m.typ, m.symbol
		b.f.Exprs[i].Args = append(b.f.Exprs[i].Args, k)
	}
	return i
}
