package ecmascript

import (
	"github.com/previdence/previdence/graph"
)

// statements walks the children of a block or of the file.
func (b *builder) statements(n node, e env) {
	for c := range b.t.NamedChildren(n) {
		b.statement(c, e)
	}
}

// block walks a statement in a scope of its own.
func (b *builder) block(n node, e env) {
	if n < 0 {
		return
	}
	e.scope = b.scope(graph.ScopeBlock, e.scope, e.sym)
	b.statement(n, e)
}

// statement walks one statement. What is not listed is an expression or holds
// statements and expressions.
func (b *builder) statement(n node, e env) {
	switch b.t.Kind(n) {
	case "comment", "empty_statement", "debugger_statement", "break_statement", "continue_statement",
		"hash_bang_line", "html_comment", "statement_identifier", "html_character_reference":
	case "import_statement":
		b.importStatement(n, e)
	case "export_statement":
		b.exportStatement(n, e)
	case "statement_block":
		e.scope = b.scope(graph.ScopeBlock, e.scope, e.sym)
		b.statements(n, e)
	case "return_statement":
		for c := range b.t.NamedChildren(n) {
			if v := b.value(c, e); v != graph.None && e.returns != nil {
				*e.returns = append(*e.returns, v)
			}
		}
	case "if_statement":
		b.ifStatement(n, e)
	case "while_statement":
		condition, body := b.t.Field(n, "condition"), b.t.Field(n, "body")
		b.value(condition, e)
		b.block(body, b.where(b.findings(condition, true, 0, e), body, e))
	case "for_statement":
		e.scope = b.scope(graph.ScopeBlock, e.scope, e.sym)
		b.statements(n, e)
	case "for_in_statement":
		b.forIn(n, e)
	case "catch_clause":
		e.scope = b.scope(graph.ScopeBlock, e.scope, e.sym)
		b.pattern(b.t.Field(n, "parameter"), target{kind: graph.BindVariable, scope: e.scope, value: graph.None, typ: b.annotation(n, e)}, e)
		b.statement(b.t.Field(n, "body"), e)
	case "switch_statement":
		b.value(b.t.Field(n, "value"), e)
		b.switchCases(n, b.t.Field(n, "body"), e)
	case "else_clause", "try_statement", "finally_clause", "do_statement", "labeled_statement",
		"switch_case", "switch_default", "with_statement", "throw_statement", "ERROR":
		b.statements(n, e)
	case "expression_statement":
		b.statements(n, e)
		b.asserts(n, e)
	default:
		if !b.declaration(n, n, nil, false, e) {
			b.value(n, e)
		}
	}
}

// forIn walks for (… of …) and for (… in …).
func (b *builder) forIn(n node, e env) {
	right := b.value(b.t.Field(n, "right"), e)
	outer := e
	e.scope = b.scope(graph.ScopeBlock, e.scope, e.sym)
	value := graph.None
	if b.text(b.t.Field(n, "operator")) == "of" && right != graph.None {
		value = b.on(graph.ExprElement, b.t.Field(n, "right"), right, outer)
		if b.has(n, "await") {
			value = b.on(graph.ExprAwait, n, value, outer)
		}
	}
	left := b.t.Field(n, "left")
	switch kind := b.text(b.t.Field(n, "kind")); kind {
	case "":
		b.assigned(left, value, e)
	case "var":
		b.pattern(left, target{kind: graph.BindVariable, scope: e.vars, value: value, typ: graph.None}, e)
	default:
		b.pattern(left, target{kind: graph.BindVariable, scope: e.scope, value: value, typ: graph.None}, e)
	}
	b.statement(b.t.Field(n, "body"), e)
}

// target says how the names of a pattern are bound.
type target struct {
	kind  graph.BindingKind
	scope int32
	typ   int32 // declared type, or None
	value int32 // what is taken apart, or None
}

// pattern binds the names of a pattern to the parts of a value.
func (b *builder) pattern(n node, to target, e env) {
	if n < 0 {
		return
	}
	switch b.t.Kind(n) {
	case "identifier", "shorthand_property_identifier_pattern", "undefined":
		x := binding(to.scope, b.text(n), to.kind, b.t.Start(n))
		x.Type, x.Value = to.typ, to.value
		b.bind(x)
		b.renewed(x.Name, b.t.End(n), e)
	case "assignment_pattern", "object_assignment_pattern":
		initial := b.value(b.t.Field(n, "right"), e)
		left := b.t.Field(n, "left")
		to.value = b.either(n, e, to.value, initial)
		if b.t.Kind(n) == "object_assignment_pattern" && b.t.Kind(left) != "shorthand_property_identifier_pattern" {
			left = b.t.First(left)
		}
		b.pattern(left, to, e)
	case "object_pattern":
		b.objectPattern(n, to, e)
	case "array_pattern":
		whole := b.whole(n, to, e)
		for c := range b.t.NamedChildren(n) {
			part := target{kind: graph.BindVariable, scope: to.scope, typ: graph.None, value: graph.None}
			if whole != graph.None && b.t.Kind(c) == "rest_pattern" {
				part.value = whole
			} else if whole != graph.None {
				part.value = b.on(graph.ExprElement, c, whole, e)
			}
			b.pattern(c, part, e)
		}
	case "rest_pattern":
		for c := range b.t.NamedChildren(n) {
			b.pattern(c, to, e)
		}
	case "member_expression", "subscript_expression":
		b.value(n, e)
	}
}

// whole is the value that a pattern takes apart; a declared type is stronger
// than what was assigned.
func (b *builder) whole(n node, to target, e env) int32 {
	if to.typ == graph.None {
		return to.value
	}
	i := b.of(graph.ExprAs, n, e, to.typ)
	b.f.Exprs[i].Base = to.value
	return i
}

// either is one of two values, of which each may be absent.
func (b *builder) either(n node, e env, x, y int32) int32 {
	if x == graph.None {
		return y
	}
	if y == graph.None {
		return x
	}
	return b.of(graph.ExprUnion, n, e, x, y)
}

func (b *builder) objectPattern(n node, to target, e env) {
	whole := b.whole(n, to, e)
	for c := range b.t.NamedChildren(n) {
		part := target{kind: graph.BindVariable, scope: to.scope, typ: graph.None, value: graph.None}
		name, inner := "", c
		switch b.t.Kind(c) {
		case "shorthand_property_identifier_pattern":
			name = b.text(c)
		case "object_assignment_pattern":
			name = b.text(b.t.Field(c, "left"))
		case "pair_pattern":
			name, inner = b.key(b.t.Field(c, "key"), e), b.t.Field(c, "value")
		case "rest_pattern":
			part.value = whole
		default:
			continue
		}
		if name != "" && whole != graph.None {
			part.value = b.read(b.member(c, whole, name, e), e)
		}
		b.pattern(inner, part, e)
	}
}

// assigned notes what an assignment without declaration says about a name:
// x = value, this.x = value, A.b = value, exports.x = value.
func (b *builder) assigned(left node, value int32, e env) {
	switch b.t.Kind(left) {
	case "identifier":
		i := b.named(graph.ExprName, left, b.text(left), e)
		b.read(i, e)
		b.renewed(b.text(left), b.t.End(b.t.Parent(left)), e)
		if value == graph.None {
			return
		}
		for _, k := range b.lookup(e.scope, b.text(left)) {
			first := b.f.Bindings[k]
			x := binding(first.Scope, first.Name, graph.BindVariable, b.t.Start(left))
			x.Value = value
			b.bind(x)
			return
		}
	case "object_pattern", "array_pattern":
		b.pattern(left, target{kind: graph.BindVariable, scope: e.scope, value: value, typ: graph.None}, e)
	case "member_expression", "subscript_expression":
		b.value(left, e)
	}
}

// key is the name of a property; empty if it is computed.
func (b *builder) key(n node, e env) string {
	switch b.t.Kind(n) {
	case "property_identifier", "private_property_identifier", "identifier", "shorthand_property_identifier",
		"shorthand_property_identifier_pattern", "number", "type_identifier":
		return b.text(n)
	case "string":
		return b.quotedKey(n)
	case "computed_property_name":
		for c := range b.t.NamedChildren(n) {
			if b.t.Kind(c) == "string" {
				return b.quotedKey(c)
			}
			b.value(c, e)
			if b.t.Kind(c) == "member_expression" {
				return "[" + b.text(c) + "]"
			}
		}
	}
	return ""
}

// quotedKey is the name of a property written as a string. Names that stand for
// signatures of types are no names of properties.
func (b *builder) quotedKey(n node) string {
	switch s := b.literal(n); s {
	case "()", "[]":
		return ""
	default:
		return s
	}
}

// literal is the value of a string without escapes; with escapes it is as written.
func (b *builder) literal(n node) string {
	s := b.text(n)
	if len(s) < 2 {
		return ""
	}
	return s[1 : len(s)-1]
}
