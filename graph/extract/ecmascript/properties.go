package ecmascript

import (
	"bytes"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// definers are the functions of the file that hand their first two parameters
// on to Object.defineProperty.
func definers(t *treesitter.Tree) map[string]bool {
	if !bytes.Contains(t.Source, []byte("Object.defineProperty(")) {
		return nil
	}
	out := map[string]bool{}
	for c := range t.NamedChildren(t.Root()) {
		if t.Kind(c) != "function_declaration" {
			continue
		}
		var params []string
		for p := range t.NamedChildren(t.Field(c, "parameters")) {
			params = append(params, t.Text(p))
		}
		if len(params) > 1 && strings.Contains(t.Text(c), "Object.defineProperty("+params[0]+", "+params[1]+",") {
			out[t.Text(t.Field(c, "name"))] = true
		}
	}
	return out
}

// definesProperty walks the statements Object.defineProperty(A, "b", {…}) and
// define(A, "b", function () {…}), and reports whether n is one: b is a
// property of A like one that is assigned.
func (b *builder) definesProperty(n, function, args node, e env) bool {
	if b.t.Kind(b.t.Parent(n)) != "expression_statement" || b.t.Kind(args) != "arguments" {
		return false
	}
	var list []node
	for c := range b.t.NamedChildren(args) {
		if b.t.Kind(c) != "comment" {
			list = append(list, c)
		}
	}
	if len(list) != 3 || b.t.Kind(list[1]) != "string" {
		return false
	}
	owner := b.dotted(list[0])
	value := b.unwrap(list[2])
	direct := b.text(function) == "Object.defineProperty" && b.t.Kind(value) == "object"
	through := b.definers[b.text(function)] && b.isFunction(value)
	if len(owner) == 0 || owner[0] == "this" || owner[0] == "exports" || owner[0] == "module" || !direct && !through {
		return false
	}
	b.property(n, function, list, owner, value, e)
	return true
}

// property adds the property that a statement defines.
func (b *builder) property(n, function node, list []node, owner []string, value node, e env) {
	object := b.value(list[0], e)
	if len(owner) > 1 && owner[len(owner)-1] == "prototype" {
		owner = owner[:len(owner)-1]
	}
	statement := b.t.Parent(n)
	name := b.literal(list[1])
	s := graph.SymbolFact{Name: name, Kind: graph.KindProperty, Parent: e.sym, NameAt: b.t.Start(list[1]), Flags: graph.FlagGetter}
	class := graph.None
	if len(owner) == 1 {
		class = b.symbolNamed(e.scope, owner[0])
	}
	if class != graph.None {
		s.Parent = class
	} else {
		s.Container = b.within(e.sym, strings.Join(owner, "."))
	}
	sym := b.symbol(s, parts{node: statement, body: list[2], docs: b.docsBefore(statement)})
	b.members[sym] = class != graph.None
	self := this{class: graph.None, base: object}
	if b.isFunction(value) {
		call := b.expr(graph.ExprCall, n, e)
		callee := b.callee(function, e)
		b.f.Exprs[call].Base = callee
		b.ref(graph.EdgeCall, callee, b.text(function), b.t.Line(n), call, e)
		for _, a := range list {
			b.f.Exprs[call].Args = append(b.f.Exprs[call].Args, b.expr(graph.ExprOther, a, e))
		}
		b.function(value, sym, self, e)
	} else {
		b.descriptor(value, sym, self, e)
	}
	if b.handedIn(owner[0], e) {
		i := b.expr(graph.ExprFunction, list[2], e)
		b.f.Exprs[i].Symbol = sym
		b.ref(graph.EdgeReference, i, name, b.f.Symbols[sym].Line, graph.None, e)
	}
	b.attach(owner, name, sym, graph.None, list[0], e)
}

// descriptor walks { get() {…}, value: … }. The function that gives the value
// is the property; the others run on the same object.
func (b *builder) descriptor(n node, sym int32, self this, e env) {
	own := e
	own.sym, own.this = sym, self
	taken := false
	for c := range b.t.NamedChildren(n) {
		key, value := b.key(b.t.Field(c, "name"), own), c
		if b.t.Kind(c) == "pair" {
			key, value = b.key(b.t.Field(c, "key"), own), b.unwrap(b.t.Field(c, "value"))
		}
		function := b.t.Kind(c) == "method_definition" || b.isFunction(value)
		switch {
		case b.t.Kind(c) == "comment":
		case function && !taken && (key == "get" || key == "value"):
			taken = true
			b.f.Symbols[sym].Line = b.t.Line(c)
			if key == "value" {
				b.f.Symbols[sym].Kind = graph.KindMethod
				b.f.Symbols[sym].Flags &^= graph.FlagGetter
			}
			b.function(value, sym, self, e)
		case b.t.Kind(c) == "method_definition":
			b.statement(b.t.Field(c, "body"), own)
		case b.t.Kind(c) == "pair":
			if v := b.value(value, own); key == "value" {
				b.f.Symbols[sym].Returns = append(b.f.Symbols[sym].Returns, v)
			}
		default:
			b.value(c, own)
		}
	}
}
