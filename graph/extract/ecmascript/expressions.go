package ecmascript

import (
	"strconv"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// stringLimit bounds the strings that are kept as values.
const stringLimit = 200

// value walks an expression. It returns None for what tells nothing.
func (b *builder) value(n node, e env) int32 {
	switch b.t.Kind(n) {
	case "", "comment", "regex", "meta_property", "html_comment":
		return graph.None
	case "identifier", "shorthand_property_identifier":
		return b.read(b.named(graph.ExprName, n, b.text(n), e), e)
	case "undefined", "null":
		return b.expr(graph.ExprNull, n, e)
	case "this":
		return b.thisValue(n, e)
	case "super":
		return b.superValue(n, e)
	case "string":
		i := b.expr(graph.ExprString, n, e)
		if b.t.End(n)-b.t.Start(n) <= stringLimit {
			b.f.Exprs[i].Name = b.literal(n)
		}
		return i
	case "template_string":
		b.operands(n, e)
		return b.expr(graph.ExprString, n, e)
	case "number":
		return b.expr(graph.ExprNumber, n, e)
	case "true", "false":
		return b.expr(graph.ExprBool, n, e)
	case "member_expression":
		return b.read(b.memberValue(n, e), e)
	case "subscript_expression":
		return b.subscript(n, e)
	case "call_expression":
		return b.call(n, e)
	case "new_expression":
		return b.construct(n, e)
	case "assignment_expression":
		return b.assignment(n, e)
	case "parenthesized_expression", "sequence_expression", "template_substitution", "jsx_expression":
		return b.last(b.operands(n, e))
	case "non_null_expression":
		return b.value(b.firstNamed(n), e)
	case "instantiation_expression":
		base := b.value(b.firstNamed(n), e)
		b.types(b.t.Field(n, "type_arguments"), e)
		return base
	case "as_expression", "satisfies_expression", "type_assertion":
		return b.cast(n, e)
	case "await_expression":
		if v := b.value(b.firstNamed(n), e); v != graph.None {
			return b.on(graph.ExprAwait, n, v, e)
		}
		return graph.None
	case "ternary_expression":
		condition, yes, no := b.t.Field(n, "condition"), b.t.Field(n, "consequence"), b.t.Field(n, "alternative")
		b.value(condition, e)
		x := b.value(yes, b.where(b.findings(condition, true, 0, e), yes, e))
		return b.either(n, e, x, b.value(no, b.where(b.findings(condition, false, 0, e), no, e)))
	case "binary_expression":
		return b.binary(n, e)
	case "object":
		return b.object(n, graph.None, e)
	case "array":
		return b.of(graph.ExprList, n, e, b.operands(n, e)...)
	case "spread_element":
		if v := b.value(b.firstNamed(n), e); v != graph.None {
			return b.on(graph.ExprSpread, n, v, e)
		}
		return graph.None
	case "arrow_function", "function_expression", "generator_function":
		return b.anonymous(n, e)
	case "class":
		i := b.expr(graph.ExprClass, n, e)
		sym := b.class(n, b.t.Field(n, "name"), head{outer: n}, graph.None, e)
		b.f.Exprs[i].Symbol = sym
		return i
	case "jsx_element", "jsx_self_closing_element":
		return b.jsx(n, e)
	case "statement_block":
		b.statement(n, e)
		return graph.None
	case "augmented_assignment_expression":
		target := b.t.Field(n, "left")
		left := b.value(target, e)
		v := b.either(n, e, left, b.value(b.t.Field(n, "right"), e))
		if b.t.Kind(target) == "identifier" {
			b.renewed(b.text(target), b.t.End(n), e)
		}
		return v
	case "unary_expression":
		return b.unary(n, e)
	case "yield_expression", "update_expression":
		b.operands(n, e)
		return graph.None
	}
	b.statementsOrValues(n, e)
	return graph.None
}

// statementsOrValues walks what a broken tree may hold anywhere.
func (b *builder) statementsOrValues(n node, e env) {
	for c := range b.t.NamedChildren(n) {
		b.statement(c, e)
	}
}

// operands walks all named children as expressions.
func (b *builder) operands(n node, e env) []int32 {
	var out []int32
	for c := range b.t.NamedChildren(n) {
		if v := b.value(c, e); v != graph.None {
			out = append(out, v)
		}
	}
	return out
}

func (b *builder) last(all []int32) int32 {
	if len(all) == 0 {
		return graph.None
	}
	return all[len(all)-1]
}

func (b *builder) thisValue(n node, e env) int32 {
	i := b.expr(graph.ExprThis, n, e)
	b.f.Exprs[i].Symbol, b.f.Exprs[i].Base = e.this.class, e.this.base
	if e.this.static {
		b.f.Exprs[i].Name = "static"
	}
	return i
}

func (b *builder) superValue(n node, e env) int32 {
	i := b.expr(graph.ExprSuper, n, e)
	b.f.Exprs[i].Symbol = e.this.class
	if e.this.static {
		b.f.Exprs[i].Name = "static"
	}
	return i
}

// memberValue is object.property without a reference to the property.
func (b *builder) memberValue(n node, e env) int32 {
	property := b.t.Field(n, "property")
	base := b.value(b.t.Field(n, "object"), e)
	if base == graph.None {
		base = b.expr(graph.ExprOther, n, e)
	}
	return b.member(property, base, b.text(property), e)
}

func (b *builder) subscript(n node, e env) int32 {
	base := b.value(b.t.Field(n, "object"), e)
	index := b.t.Field(n, "index")
	if base == graph.None {
		b.value(index, e)
		return graph.None
	}
	if b.t.Kind(index) == "string" {
		return b.read(b.member(index, base, b.literal(index), e), e)
	}
	i := b.of(graph.ExprIndex, n, e, b.value(index, e))
	b.f.Exprs[i].Base = base
	return i
}

// callee walks what is called or inherited from; it is no reference of its own.
func (b *builder) callee(n node, e env) int32 {
	switch inner := b.unwrap(n); b.t.Kind(inner) {
	case "identifier":
		if inner == n || b.t.Kind(n) != "as_expression" {
			return b.named(graph.ExprName, inner, b.text(inner), e)
		}
	case "member_expression":
		if inner == n || b.t.Kind(n) != "as_expression" {
			return b.memberValue(inner, e)
		}
	case "subscript_expression":
		if index := b.t.Field(inner, "index"); b.t.Kind(index) == "string" && inner == n {
			if base := b.value(b.t.Field(inner, "object"), e); base != graph.None {
				return b.member(index, base, b.literal(index), e)
			}
			return graph.None
		}
	}
	return b.value(n, e)
}

// called adds a call-like expression and its reference.
func (b *builder) called(kind graph.ExprKind, n node, callee int32, typeArgs, args node, e env) int32 {
	i := b.expr(kind, n, e)
	base := callee
	if typeArgs >= 0 && callee != graph.None {
		base = b.instantiated(n, callee, typeArgs, e)
	}
	b.f.Exprs[i].Base = base
	name, line := "", b.t.Line(n)
	if callee != graph.None {
		name, line = b.f.Exprs[callee].Name, b.f.Exprs[callee].Line
	}
	b.ref(graph.EdgeCall, callee, name, line, i, e)
	for c := range b.t.NamedChildren(args) {
		if b.t.Kind(c) == "comment" {
			continue
		}
		v := b.value(c, e)
		if v == graph.None { // operands keep their positions
			v = b.expr(graph.ExprOther, c, e)
		}
		b.f.Exprs[i].Args = append(b.f.Exprs[i].Args, v)
	}
	return i
}

func (b *builder) call(n node, e env) int32 {
	function, args := b.t.Field(n, "function"), b.t.Field(n, "arguments")
	if v, ok := b.importCall(n, function, args, e); ok {
		return v
	}
	if b.testBlock(n, function, args, e) {
		return graph.None
	}
	if b.assignsExports(n, function, args, e) || b.definesProperty(n, function, args, e) {
		return graph.None
	}
	kind := graph.ExprCall
	if b.t.Kind(args) == "template_string" {
		kind = graph.ExprTemplate
	}
	if b.t.Kind(function) == "super" {
		s := b.superValue(function, e)
		return b.called(kind, n, s, treesitter.None, args, e)
	}
	callee := b.callee(function, e)
	i := b.called(kind, n, callee, b.t.Field(n, "type_arguments"), args, e)
	if literal := b.unwrap(function); kind == graph.ExprCall && b.isFunction(literal) {
		b.f.Exprs[i].Symbol = b.calledOnSpot(literal, e)
	}
	return i
}

// calledOnSpot is the definition of a function literal that is called where it
// stands. It is counted where it has no name.
func (b *builder) calledOnSpot(n node, e env) int32 {
	name := b.text(b.t.Field(n, "name"))
	if name == "" {
		b.literals[e.sym]++
		name = "func" + strconv.Itoa(b.literals[e.sym])
	}
	return b.symbol(graph.SymbolFact{Name: name, Kind: graph.KindLiteral, Parent: e.sym, NameAt: b.t.Start(n)},
		parts{node: n, body: b.t.Field(n, "body"), shared: true})
}

func (b *builder) construct(n node, e env) int32 {
	callee := b.callee(b.t.Field(n, "constructor"), e)
	return b.called(graph.ExprNew, n, callee, b.t.Field(n, "type_arguments"), b.t.Field(n, "arguments"), e)
}

func (b *builder) cast(n node, e env) int32 {
	value, typ := graph.None, graph.None
	for c := range b.t.NamedChildren(n) {
		switch {
		case b.t.Kind(c) == "comment":
		case b.t.Kind(c) == "type_arguments":
			typ = b.last(b.types(c, e))
		case value == graph.None && !b.castsFrom(n, c):
			typ = b.typeOf(c, e)
		case value == graph.None:
			if value = b.value(c, e); value == graph.None {
				value = b.expr(graph.ExprOther, c, e)
			}
		default:
			typ = b.typeOf(c, e)
		}
	}
	if typ == graph.None || b.t.Kind(n) == "satisfies_expression" {
		return value
	}
	i := b.of(graph.ExprAs, n, e, typ)
	b.f.Exprs[i].Base = value
	return i
}

// castsFrom reports whether c is the value of the cast n, which comes first
// unless the cast is written <T>x.
func (b *builder) castsFrom(n, c node) bool {
	return b.t.Kind(n) == "type_assertion" || b.firstNamed(n) == c
}

func (b *builder) binary(n node, e env) int32 {
	op := b.text(b.t.Field(n, "operator"))
	left := b.value(b.t.Field(n, "left"), e)
	inner, second := e, b.t.Field(n, "right")
	if op == "&&" || op == "||" {
		inner = b.where(b.findings(b.t.Field(n, "left"), op == "&&", 0, e), second, e)
	}
	right := b.value(second, inner)
	switch op {
	case "||", "??":
		return b.either(n, e, left, right)
	case "&&":
		return right
	}
	i := b.of(graph.ExprBinary, n, e, left, right)
	b.f.Exprs[i].Name = op
	return i
}

func (b *builder) unary(n node, e env) int32 {
	b.operands(n, e)
	switch b.text(b.t.Field(n, "operator")) {
	case "typeof":
		return b.expr(graph.ExprString, n, e)
	case "!", "delete":
		return b.expr(graph.ExprBool, n, e)
	case "void":
		return b.expr(graph.ExprNull, n, e)
	}
	return b.expr(graph.ExprNumber, n, e)
}

// anonymous walks a function that has no name to call it by; what it does
// belongs to the definition around it.
func (b *builder) anonymous(n node, e env) int32 {
	i := b.expr(graph.ExprFunction, n, e)
	scope := b.scope(graph.ScopeFunction, e.scope, e.sym)
	var returns []int32
	inner := e
	inner.scope, inner.vars, inner.returns = scope, scope, &returns
	if b.t.Kind(n) != "arrow_function" {
		inner.this = this{class: graph.None, base: graph.None}
		if name := b.t.Field(n, "name"); name >= 0 {
			x := binding(scope, b.text(name), graph.BindVariable, b.t.Start(name))
			x.Value = i
			b.bind(x)
		}
	}
	b.typeParameters(n, inner)
	b.parameters(n, graph.None, i, &inner)
	result := b.typeOf(b.t.Field(n, "return_type"), inner)
	b.body(n, &inner, &returns)
	if b.functionFlags(n)&graph.FlagGenerator != 0 {
		returns = nil
	}
	b.f.Exprs[i].Base, b.f.Exprs[i].Args = result, returns
	if b.has(n, "async") {
		b.f.Exprs[i].Name = "async"
	}
	return i
}

// owned walks the initial value of the definition owner. Members of an object
// written there belong to it.
func (b *builder) owned(n node, owner int32, e env) int32 {
	if inner := b.unwrap(n); b.t.Kind(inner) == "object" && inner == n {
		return b.object(n, owner, e)
	}
	return b.value(n, e)
}

// object walks an object literal. With an owner its members are definitions
// of the owner; functions in it are definitions in any case.
func (b *builder) object(n node, owner int32, e env) int32 {
	return b.objectWith(n, owner, this{class: graph.None, base: int32(len(b.f.Exprs))}, e)
}

// objectWith walks an object literal in which "this" is something.
func (b *builder) objectWith(n node, owner int32, self this, e env) int32 {
	i := b.expr(graph.ExprObject, n, e)
	if owner != graph.None {
		b.f.Exprs[i].Symbol = owner
	}
	inner := e
	inner.this = self
	for c := range b.t.NamedChildren(n) {
		arg := graph.None
		switch b.t.Kind(c) {
		case "pair":
			arg = b.pair(c, owner, e, inner)
		case "method_definition":
			arg = b.objectMethod(c, owner, inner)
		case "shorthand_property_identifier":
			arg = b.named(graph.ExprKeyword, c, b.text(c), e)
			v := b.value(c, e)
			b.f.Exprs[arg].Base = v
		case "spread_element":
			arg = b.value(c, e)
		}
		if arg != graph.None {
			b.f.Exprs[i].Args = append(b.f.Exprs[i].Args, arg)
		}
	}
	return i
}

// parentOf is the definition that a member of an object belongs to.
func parentOf(owner int32, e env) int32 {
	if owner != graph.None {
		return owner
	}
	return e.sym
}

func (b *builder) pair(n node, owner int32, outer, e env) int32 {
	key, value := b.t.Field(n, "key"), b.t.Field(n, "value")
	name := b.key(key, outer)
	i := b.named(graph.ExprKeyword, n, name, outer)
	inner := b.unwrap(value)
	if name == "" {
		b.f.Exprs[i].Base = b.value(value, outer)
		return i
	}
	s := graph.SymbolFact{Name: name, Kind: graph.KindMethod, Parent: parentOf(owner, e), NameAt: b.t.Start(key)}
	if owner != graph.None {
		s.Exported = b.f.Symbols[owner].Exported
	}
	if b.isFunction(inner) {
		sym := b.symbol(s, parts{node: n, body: b.t.Field(inner, "body"), docs: b.docsBefore(n)})
		from := outer // an arrow keeps the "this" around the object
		if b.t.Kind(inner) != "arrow_function" {
			from = e
		}
		f := b.named(graph.ExprFunction, inner, "", outer)
		b.f.Exprs[f].Symbol = sym
		b.f.Exprs[i].Base, b.f.Exprs[i].Symbol = f, sym
		if owner == graph.None {
			b.ref(graph.EdgeReference, f, name, b.t.Line(n), graph.None, outer)
		}
		b.functionValue(inner, sym, from)
		return i
	}
	if owner == graph.None || b.f.Symbols[owner].Kind == graph.KindModule {
		v := b.value(value, outer)
		b.f.Exprs[i].Base = v
		return i
	}
	s.Kind = graph.KindField
	sym := b.symbol(s, parts{node: n, body: value, docs: b.docsBefore(n)})
	own := outer
	own.sym = sym
	v := b.owned(value, sym, own)
	b.f.Exprs[i].Base, b.f.Exprs[i].Symbol = v, sym
	return i
}

func (b *builder) objectMethod(n node, owner int32, e env) int32 {
	key := b.t.Field(n, "name")
	name := b.key(key, e)
	if name == "" {
		name = treesitter.Fold([]byte(b.text(key)), 80)
	}
	s := graph.SymbolFact{Name: name, Kind: graph.KindMethod, Parent: parentOf(owner, e), NameAt: b.t.Start(key)}
	if b.has(n, "get") {
		s.Kind, s.Discriminator = graph.KindProperty, "get"
		s.Flags |= graph.FlagGetter
	} else if b.has(n, "set") {
		s.Kind, s.Discriminator = graph.KindProperty, "set"
		s.Flags |= graph.FlagSetter
	}
	if owner != graph.None {
		s.Exported = b.f.Symbols[owner].Exported
	}
	sym := b.symbol(s, parts{node: n, body: b.t.Field(n, "body"), docs: b.docsBefore(n)})
	i := b.named(graph.ExprKeyword, n, name, e)
	f := b.expr(graph.ExprFunction, n, e)
	b.f.Exprs[f].Symbol = sym
	b.f.Exprs[i].Base, b.f.Exprs[i].Symbol = f, sym
	if owner == graph.None {
		b.ref(graph.EdgeReference, f, name, b.t.Line(n), graph.None, e)
	}
	b.function(n, sym, e.this, e)
	return i
}

// jsx walks an element. Its tag is a reference to a component unless it names
// an element of the page.
func (b *builder) jsx(n node, e env) int32 {
	open := n
	if b.t.Kind(n) == "jsx_element" {
		open = b.t.Field(n, "open_tag")
	}
	i := b.expr(graph.ExprJSX, n, e)
	name := b.t.Field(open, "name")
	if text := b.text(name); text != "" && (text[0] < 'a' || text[0] > 'z' || b.t.Kind(name) != "identifier") {
		tag := b.jsxName(name, e)
		if tag != graph.None {
			b.f.Exprs[i].Base = tag
			b.ref(graph.EdgeReference, tag, b.f.Exprs[tag].Name, b.t.Line(name), i, e)
		}
	}
	b.types(b.t.Field(open, "type_arguments"), e)
	for c := range b.t.NamedChildren(open) {
		switch b.t.Kind(c) {
		case "jsx_attribute":
			for v := range b.t.NamedChildren(c) {
				if k := b.t.Kind(v); k != "property_identifier" && k != "jsx_namespace_name" {
					b.handOver(i, b.text(b.firstNamed(c)), b.value(v, e), v, e)
				}
			}
		case "jsx_expression":
			b.value(c, e)
		}
	}
	if open != n {
		for c := range b.t.NamedChildren(n) {
			switch b.t.Kind(c) {
			case "jsx_expression", "jsx_element", "jsx_self_closing_element":
				b.handOver(i, "children", b.value(c, e), c, e)
			}
		}
	}
	return i
}

// handOver makes a function an operand of the element that it is handed to, under
// the name of its attribute.
func (b *builder) handOver(element int32, name string, v int32, n node, e env) {
	if v == graph.None || b.f.Exprs[v].Kind != graph.ExprFunction {
		return
	}
	k := b.named(graph.ExprKeyword, n, name, e)
	b.f.Exprs[k].Base = v
	b.f.Exprs[element].Args = append(b.f.Exprs[element].Args, k)
}

func (b *builder) jsxName(n node, e env) int32 {
	switch b.t.Kind(n) {
	case "identifier":
		return b.named(graph.ExprName, n, b.text(n), e)
	case "member_expression", "nested_identifier":
		return b.memberValue(n, e)
	}
	return graph.None
}
