package ecmascript

import (
	"strconv"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// declaration walks n if it declares something and reports whether it does.
// Outer is the statement around it, such as export; exported and byDefault say
// what that statement adds.
func (b *builder) declaration(n, outer node, decorators []node, exported bool, e env) bool {
	h := head{outer: outer, decorators: decorators, exported: exported}
	switch b.t.Kind(n) {
	case "function_declaration", "generator_function_declaration", "function_signature":
		b.functionDeclaration(n, h, e)
	case "class_declaration", "abstract_class_declaration":
		b.classDeclaration(n, h, e)
	case "lexical_declaration", "variable_declaration", "using_declaration":
		b.variables(n, h, e)
	case "interface_declaration":
		b.interfaceDeclaration(n, h, e)
	case "type_alias_declaration":
		b.typeAlias(n, h, e)
	case "enum_declaration":
		b.enum(n, h, e)
	case "internal_module", "module":
		b.namespace(n, h, e)
	case "ambient_declaration":
		b.ambient(n, h, e)
	case "import_alias":
		b.importAlias(n, h, e)
	default:
		return false
	}
	return true
}

// head is what stands around a declaration.
type head struct {
	outer      node // the statement
	decorators []node
	exported   bool
	byDefault  bool
}

// partsOf are the parts of a declaration whose whole is the outer statement.
func (b *builder) partsOf(h head, body node) parts {
	return parts{node: h.outer, body: body, decorators: h.decorators, docs: b.docsBefore(h.outer)}
}

// fact starts the fact of a definition named by the node name.
func (b *builder) fact(name node, kind graph.Kind, h head, e env) graph.SymbolFact {
	s := graph.SymbolFact{Name: b.text(name), Kind: kind, Parent: e.sym, NameAt: b.t.Start(name)}
	s.Exported = h.exported || b.fileLevel(e) && b.exported[s.Name]
	if h.byDefault {
		s.Flags |= graph.FlagDefault
		s.Exported = true
	}
	return s
}

func (b *builder) fileLevel(e env) bool { return e.scope == 0 }

// define binds a definition to its name.
func (b *builder) define(scope, symbol int32) int32 {
	s := &b.f.Symbols[symbol]
	x := binding(scope, s.Name, graph.BindDefinition, s.NameAt)
	x.Symbol = symbol
	b.bind(x)
	return int32(len(b.f.Bindings) - 1)
}

func (b *builder) functionDeclaration(n node, h head, e env) {
	name, body := b.t.Field(n, "name"), b.t.Field(n, "body")
	s := b.fact(name, graph.KindFunction, h, e)
	if name < 0 {
		s.Name, s.NameAt = "default", b.t.Start(n)
	}
	if body < 0 {
		s.Flags |= graph.FlagOverload
		s.Discriminator = b.overload(n)
	}
	sym := b.symbol(s, b.partsOf(h, body))
	if name >= 0 {
		b.define(e.scope, sym)
	}
	b.function(n, sym, this{class: sym, base: graph.None}, e)
}

// overload tells one signature of a function from the others.
func (b *builder) overload(n node) string {
	return treesitter.Fold([]byte(b.text(b.t.Field(n, "parameters"))+b.text(b.t.Field(n, "return_type"))), 120)
}

// function walks parameters and body of a function that is a symbol.
func (b *builder) function(n node, sym int32, self this, e env) {
	scope := b.scope(graph.ScopeFunction, e.scope, sym)
	s := &b.f.Symbols[sym]
	s.Scope = scope
	s.Flags |= b.functionFlags(n)
	var returns []int32
	inner := env{sym: sym, scope: scope, vars: scope, this: self, returns: &returns}
	b.typeParameters(n, inner)
	b.parameters(n, sym, graph.None, &inner)
	result := b.t.Field(n, "return_type")
	if t := b.typeOf(result, inner); t != graph.None {
		b.f.Symbols[sym].Result = t
	}
	b.f.Symbols[sym].ResultText = b.typeText(result)
	b.body(n, &inner, &returns)
	b.f.Symbols[sym].Returns = returns
}

// body walks the body of a function; an expression body is what it returns.
func (b *builder) body(n node, e *env, returns *[]int32) {
	body := b.t.Field(n, "body")
	if b.t.Kind(body) == "statement_block" {
		b.statements(body, *e)
		return
	}
	if v := b.value(body, *e); v != graph.None {
		*returns = append(*returns, v)
	}
}

func (b *builder) functionFlags(n node) graph.SymbolFlags {
	var f graph.SymbolFlags
	if b.has(n, "async") {
		f |= graph.FlagAsync
	}
	if b.has(n, "*") || strings.HasPrefix(b.t.Kind(n), "generator_") {
		f |= graph.FlagGenerator
	}
	return f
}

// parameters binds the parameters of a function. Sym is its symbol or None,
// and then expr is its expression.
func (b *builder) parameters(n node, sym, expr int32, e *env) {
	if single := b.t.Field(n, "parameter"); single >= 0 {
		b.parameter(single, 0, sym, expr, e)
		return
	}
	at := int32(0)
	for c := range b.t.NamedChildren(b.t.Field(n, "parameters")) {
		if b.t.Kind(c) == "comment" {
			continue
		}
		if b.t.Kind(b.t.Field(c, "pattern")) == "this" {
			if t := b.typeOf(b.t.Field(c, "type"), *e); t != graph.None {
				e.this = this{class: graph.None, base: b.of(graph.ExprAs, c, *e, t)}
			}
			continue
		}
		b.parameter(c, at, sym, expr, e)
		at++
	}
}

// parameter binds the parameter at this position.
func (b *builder) parameter(n node, at, sym, expr int32, e *env) {
	p := graph.Param{Type: graph.None}
	pattern, initial := n, node(treesitter.None)
	switch b.t.Kind(n) {
	case "required_parameter", "optional_parameter":
		pattern, initial = b.t.Field(n, "pattern"), b.t.Field(n, "value")
		p.Optional = b.t.Kind(n) == "optional_parameter"
		p.Type, p.TypeText = b.annotation(n, *e), b.typeText(b.t.Field(n, "type"))
		b.decorators(n, *e)
	case "assignment_pattern":
		pattern, initial = b.t.Field(n, "left"), b.t.Field(n, "right")
	}
	if b.t.Kind(pattern) == "rest_pattern" {
		p.Kind = graph.ParamVariadic
	}
	p.Optional = p.Optional || initial >= 0
	p.Name = treesitter.Fold([]byte(strings.TrimPrefix(b.text(pattern), "...")), 80)
	value := b.value(initial, *e)
	if value == graph.None && sym == graph.None {
		value = expr
	}
	if sym != graph.None {
		b.f.Symbols[sym].Params = append(b.f.Symbols[sym].Params, p)
	}
	x := binding(e.scope, p.Name, graph.BindParameter, b.t.Start(pattern))
	x.Symbol, x.Param, x.Type, x.Value = sym, at, p.Type, value
	if b.t.Kind(pattern) == "rest_pattern" {
		pattern = b.t.Next(b.t.First(pattern))
	}
	if b.t.Kind(pattern) == "identifier" {
		b.bind(x)
		return
	}
	x.Name = "#" + strconv.Itoa(int(at))
	b.bind(x)
	hidden := b.named(graph.ExprName, pattern, x.Name, *e)
	b.pattern(pattern, target{kind: graph.BindVariable, scope: e.scope, typ: graph.None, value: hidden}, *e)
}

// typeParameters binds the type parameters of n.
func (b *builder) typeParameters(n node, e env) {
	for c := range b.t.NamedChildren(b.t.Field(n, "type_parameters")) {
		if b.t.Kind(c) != "type_parameter" {
			continue
		}
		name := b.t.Field(c, "name")
		x := binding(e.scope, b.text(name), graph.BindParameter, b.t.Start(name))
		if k := b.t.Field(c, "constraint"); k >= 0 {
			x.Type = b.typeOf(k, e)
		}
		if v := b.t.Field(c, "value"); v >= 0 {
			x.Value = b.typeOf(v, e)
		}
		b.bind(x)
	}
}

// variables walks a declaration of variables.
func (b *builder) variables(n node, h head, e env) {
	kind, scope := graph.KindVariable, e.scope
	switch {
	case b.has(n, "const"):
		kind = graph.KindConstant
	case b.t.Kind(n) == "variable_declaration":
		scope = e.vars
	}
	var declarators []node
	for c := range b.t.NamedChildren(n) {
		if b.t.Kind(c) == "variable_declarator" {
			declarators = append(declarators, c)
		}
	}
	for _, c := range declarators {
		own := h
		if len(declarators) > 1 {
			own.outer = c
		}
		b.variable(c, kind, scope, own, e)
	}
}

// variable walks one declarator.
func (b *builder) variable(n node, kind graph.Kind, scope int32, h head, e env) {
	name, value := b.t.Field(n, "name"), b.t.Field(n, "value")
	if b.t.Kind(name) != "identifier" {
		b.destructured(n, name, value, kind, scope, h, e)
		return
	}
	if b.requireCall(value) {
		b.requireBinding(name, value, scope, h, e)
		return
	}
	if b.fileLevel(e) && b.isExports(value, e) {
		b.aliases[b.text(name)] = true
	}
	inner := b.unwrap(value)
	switch b.t.Kind(inner) {
	case "arrow_function", "function_expression", "generator_function":
		s := b.fact(name, graph.KindFunction, h, e)
		sym := b.symbol(s, b.partsOf(h, b.t.Field(inner, "body")))
		k := b.define(scope, sym)
		b.f.Bindings[k].Type = b.annotation(n, e)
		if cast := b.t.Kind(value); cast == "as_expression" || cast == "type_assertion" {
			b.f.Bindings[k].Value = b.expr(graph.ExprAs, value, e)
		}
		b.functionValue(inner, sym, e)
		return
	case "class":
		b.class(inner, name, h, scope, e)
		return
	}
	if !b.symbolic(e) {
		x := binding(scope, b.text(name), graph.BindVariable, b.t.Start(name))
		x.Type = b.annotation(n, e)
		x.Value = b.value(value, e)
		b.bind(x)
		return
	}
	sym := b.symbol(b.fact(name, kind, h, e), b.partsOf(h, value))
	k := b.define(scope, sym)
	b.f.Symbols[sym].ResultText = b.typeText(b.t.Field(n, "type"))
	own := e
	own.sym = sym
	typ := b.annotation(n, own)
	b.f.Symbols[sym].Result = typ
	v := b.owned(value, sym, own)
	b.f.Bindings[k].Type, b.f.Bindings[k].Value = typ, v
}

// symbolic reports whether variables here are definitions: at file level and
// directly in a namespace.
func (b *builder) symbolic(e env) bool {
	kind := b.f.Scopes[e.scope].Kind
	return kind == graph.ScopeFile || kind == graph.ScopeNamespace
}

// unwrap looks through parentheses and casts.
func (b *builder) unwrap(n node) node {
	for {
		switch b.t.Kind(n) {
		case "parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression":
			inner := node(treesitter.None)
			for c := range b.t.NamedChildren(n) {
				if b.t.Kind(c) != "comment" {
					inner = c
					break
				}
			}
			if inner < 0 {
				return n
			}
			n = inner
		default:
			return n
		}
	}
}

// destructured walks const {a, b} = value. Its names are definitions at file
// level, so that they can be exported.
func (b *builder) destructured(n, pattern, value node, kind graph.Kind, scope int32, h head, e env) {
	if b.requireCall(value) && b.t.Kind(pattern) == "object_pattern" {
		b.requirePattern(pattern, value, scope, h, e)
		return
	}
	typ, v := b.annotation(n, e), b.value(value, e)
	from := len(b.f.Bindings)
	b.pattern(pattern, target{kind: graph.BindVariable, scope: scope, typ: typ, value: v}, e)
	if !b.symbolic(e) {
		return
	}
	for i := from; i < len(b.f.Bindings); i++ {
		x := &b.f.Bindings[i]
		if x.Scope != scope || x.Kind != graph.BindVariable {
			continue
		}
		s := graph.SymbolFact{Name: x.Name, Kind: kind, Parent: e.sym, NameAt: x.At}
		s.Exported = h.exported || b.fileLevel(e) && b.exported[x.Name]
		s.Signature = treesitter.Fold([]byte(b.text(b.t.Parent(n))), signatureLimit)
		at := b.nodeAt(pattern, x.At)
		x.Symbol = b.symbol(s, parts{node: at, body: treesitter.None, shared: true})
		x.Kind = graph.BindDefinition
	}
}

// nodeAt is the first leaf of the subtree of n that starts at this byte.
func (b *builder) nodeAt(n node, at int32) node {
	for i := n; i < b.t.After(n); i++ {
		if b.t.Start(i) == at && b.t.First(i) < 0 {
			return i
		}
	}
	return n
}
