package python

import (
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// maxNestedStrings bounds string annotations inside string annotations.
const maxNestedStrings = 3

// typeExpr reads a type annotation: a | b is a union, strings hold types.
func (r *reader) typeExpr(n treesitter.Node) int32 {
	switch r.tree.Kind(n) {
	case "":
		return graph.None
	case "type", "parenthesized_expression", "constrained_type":
		return r.typeExpr(r.first(n))
	case "generic_type":
		return r.genericType(n)
	case "subscript":
		return r.typeIndex(n, r.typeExpr(r.tree.Field(n, "value")), r.fields(n, "subscript"))
	case "member_type":
		return r.memberType(n)
	case "union_type":
		return r.typeMany(graph.ExprUnion, n, r.children(n))
	case "binary_operator":
		if r.tree.Text(r.tree.Field(n, "operator")) == "|" {
			return r.typeMany(graph.ExprUnion, n, r.children(n))
		}
	case "list":
		return r.typeMany(graph.ExprList, n, r.children(n))
	case "tuple", "expression_list":
		return r.typeMany(graph.ExprTuple, n, r.children(n))
	case "string":
		return r.stringType(n)
	}
	return r.expr(n)
}

func (r *reader) typeMany(kind graph.ExprKind, n treesitter.Node, parts []treesitter.Node) int32 {
	e := graph.Expr{Kind: kind, Base: graph.None}
	for _, p := range parts {
		e.Args = append(e.Args, r.typeExpr(p))
	}
	return r.newExpr(e, n)
}

func (r *reader) genericType(n treesitter.Node) int32 {
	parts := r.children(n)
	if len(parts) == 0 {
		return r.leaf(graph.ExprOther, n)
	}
	var args []treesitter.Node
	for _, p := range parts[1:] {
		args = append(args, r.children(p)...)
	}
	return r.typeIndex(n, r.typeExpr(parts[0]), args)
}

// typeIndex reads Base[args]. The arguments of Literal are values, and of
// Annotated only the first is a type.
func (r *reader) typeIndex(n treesitter.Node, base int32, args []treesitter.Node) int32 {
	e := graph.Expr{Kind: graph.ExprIndex, Base: base}
	name := ""
	if base != graph.None {
		name = r.facts.Exprs[base].Name
	}
	for i, a := range args {
		if name == "Literal" || name == "Annotated" && i > 0 {
			for r.tree.Kind(a) == "type" {
				a = r.first(a)
			}
			e.Args = append(e.Args, r.expr(a))
			continue
		}
		e.Args = append(e.Args, r.typeExpr(a))
	}
	return r.newExpr(e, n)
}

func (r *reader) memberType(n treesitter.Node) int32 {
	e := int32(graph.None)
	for i, p := range r.children(n) {
		if i == 0 {
			e = r.typeExpr(p)
			continue
		}
		e = r.newExpr(graph.Expr{Kind: graph.ExprMember, Name: r.tree.Text(p), Base: e}, p)
		r.ref(graph.EdgeReference, e, r.tree.Text(p), graph.None, r.lineOf(p))
	}
	return e
}

// stringType parses the type inside a string annotation.
func (r *reader) stringType(n treesitter.Node) int32 {
	content, ok := r.plainString(n)
	inner := r.tree.Child(n, "string_content")
	if !ok || inner == treesitter.None || r.nested >= maxNestedStrings {
		return r.expr(n)
	}
	lead := len(content) - len(strings.TrimLeft(content, " \t\r\n"))
	source := []byte(strings.TrimSpace(content))
	tree, err := treesitter.Parse(r.ctx, pythonLanguage(), source)
	if err != nil || tree.HasError(tree.Root()) {
		return r.leaf(graph.ExprString, n)
	}
	old, offset, line := r.tree, r.offset, r.line
	r.offset, r.line = r.startOf(inner)+int32(lead), r.lineOf(inner)-1
	r.tree = tree
	r.nested++
	e := int32(graph.None)
	if s := r.first(tree.Root()); r.tree.Kind(s) == "expression_statement" && len(r.children(s)) == 1 && r.tree.Kind(r.first(s)) != "assignment" {
		e = r.typeExpr(r.first(s))
	}
	r.nested--
	r.tree, r.offset, r.line = old, offset, line
	if e == graph.None {
		return r.leaf(graph.ExprString, n)
	}
	return e
}
