package ecmascript

import (
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// blockNames are the functions that make a test block out of a title and a
// function.
var blockNames = map[string]bool{
	"describe": true, "context": true, "suite": true, "it": true, "test": true, "specify": true,
	"fdescribe": true, "xdescribe": true, "fit": true, "xit": true, "xtest": true, "bench": true,
}

// testBlock walks it("…", () => …), describe.each(…)("…", …) and the like, and
// reports whether n is one. Each block is a definition that holds its body.
func (b *builder) testBlock(n, function, args node, e env) bool {
	root, tables := b.blockRoot(function)
	if root < 0 || b.t.Kind(args) != "arguments" {
		return false
	}
	name := b.text(root)
	framework, imported := b.frameworks[name]
	if !imported && (!blockNames[name] || len(b.lookup(e.scope, name)) > 0) {
		return false
	}
	title, body := b.titleAndBody(args)
	if title < 0 || body < 0 {
		return false
	}
	s := graph.SymbolFact{Name: b.title(title), Kind: graph.KindTest, Parent: e.sym, NameAt: b.t.Start(title),
		Test: graph.TestByPath, Framework: framework, Line: b.t.Line(n)}
	if imported {
		s.Test = graph.TestAlways
	}
	s.Signature = treesitter.Fold(b.t.Source[b.t.Start(n):b.t.End(title)], signatureLimit) + ")"
	outer := b.statementOf(n)
	sym := b.symbol(s, parts{node: outer, body: b.t.Field(body, "body"), docs: b.docsBefore(outer)})
	own := e
	own.sym, own.returns = sym, nil
	for _, t := range tables {
		b.value(t, own)
	}
	call := b.expr(graph.ExprCall, n, own)
	b.f.Exprs[call].Base = b.named(graph.ExprName, root, name, own)
	for c := range b.t.NamedChildren(args) {
		v := graph.None
		if c != title || b.t.Kind(title) == "template_string" {
			v = b.value(c, own)
		}
		if v == graph.None {
			v = b.expr(graph.ExprOther, c, own)
		}
		b.f.Exprs[call].Args = append(b.f.Exprs[call].Args, v)
	}
	return true
}

// blockRoot is the first name of it, it.only, it.each(table), it.each`table`
// and the tables on the way to it.
func (b *builder) blockRoot(n node) (root node, tables []node) {
	for range 6 {
		switch b.t.Kind(n) {
		case "identifier":
			return n, tables
		case "member_expression":
			n = b.t.Field(n, "object")
		case "call_expression":
			tables = append(tables, b.t.Field(n, "arguments"))
			n = b.t.Field(n, "function")
		default:
			return treesitter.None, nil
		}
	}
	return treesitter.None, nil
}

// titleAndBody are the first argument and the first function among the others.
func (b *builder) titleAndBody(args node) (title, body node) {
	title, body = treesitter.None, treesitter.None
	for c := range b.t.NamedChildren(args) {
		switch {
		case b.t.Kind(c) == "comment":
		case title < 0:
			title = c
		case b.isFunction(c) && body < 0:
			body = c
		}
	}
	if b.isFunction(title) || b.t.Kind(title) == "object" {
		return treesitter.None, treesitter.None
	}
	return title, body
}

// title is what the block is called; an expression is given as written. White
// space inside of ${…} is the formatter's.
func (b *builder) title(n node) string {
	text := b.text(n)
	switch b.t.Kind(n) {
	case "string":
		text = text[1:max(1, len(text)-1)]
	case "template_string":
		var parts strings.Builder
		at := b.t.Start(n) + 1
		for c := range b.t.NamedChildren(n) {
			if b.t.Kind(c) != "template_substitution" {
				continue
			}
			inner := b.text(c)
			parts.Write(b.t.Source[at:b.t.Start(c)])
			parts.WriteString("${" + strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(inner, "${"), "}")) + "}")
			at = b.t.End(c)
		}
		parts.Write(b.t.Source[at:max(at, b.t.End(n)-1)])
		text = parts.String()
	default:
		text = b.expressionTitle(n)
	}
	if text = treesitter.Fold([]byte(text), 160); strings.TrimSpace(text) == "" {
		return "(no title)"
	}
	return text
}

// expressionTitle is an expression in one line, as a formatter would write it.
func (b *builder) expressionTitle(n node) string {
	var out strings.Builder
	last := "("
	at := b.t.Start(n)
	for i := n; i < b.t.After(n); i++ {
		if b.t.First(i) >= 0 || b.t.Kind(i) == "," && b.formatting(i, ",") {
			continue
		}
		token := b.text(i)
		if b.t.Start(i) > at && !strings.ContainsAny(last, "([.") && !strings.ContainsAny(token[:min(1, len(token))], ")].") {
			out.WriteByte(' ')
		}
		out.WriteString(token)
		at, last = b.t.End(i), token[max(0, len(token)-1):]
	}
	return out.String()
}
