package python

import (
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// call reads a call: its callee makes a call reference instead of a read.
func (r *reader) call(n treesitter.Node) int32 {
	callee := r.tree.Field(n, "function")
	for r.tree.Kind(callee) == "parenthesized_expression" && r.first(callee) != treesitter.None {
		callee = r.first(callee)
	}
	if r.tree.Kind(callee) == "identifier" && r.tree.Text(callee) == "super" {
		return r.newExpr(graph.Expr{Kind: graph.ExprSuper, Base: graph.None, Args: r.arguments(n)}, n)
	}
	var base int32
	name, line := "", r.lineOf(callee)
	switch r.tree.Kind(callee) {
	case "identifier":
		base, name = r.name(callee), r.tree.Text(callee)
	case "attribute":
		base = r.member(callee)
		name, line = r.facts.Exprs[base].Name, r.facts.Exprs[base].Line
	default:
		base = r.expr(callee)
	}
	e := graph.Expr{Kind: graph.ExprCall, Base: base}
	if name == "cast" {
		return r.cast(n, e, name, line)
	}
	e.Args = r.arguments(n)
	i := r.newExpr(e, n)
	r.ref(graph.EdgeCall, base, name, i, line)
	r.dynamicImport(n, name)
	r.bindPut(callee, name, e.Args)
	return i
}

// arguments reads the arguments of a call.
func (r *reader) arguments(n treesitter.Node) []int32 {
	list := r.tree.Field(n, "arguments")
	if r.tree.Kind(list) == "generator_expression" {
		return []int32{r.expr(list)}
	}
	var out []int32
	for _, a := range r.children(list) {
		if r.tree.Kind(a) != "keyword_argument" {
			out = append(out, r.expr(a))
			continue
		}
		e := graph.Expr{Kind: graph.ExprKeyword, Name: r.tree.Text(r.tree.Field(a, "name")), Base: r.expr(r.tree.Field(a, "value"))}
		out = append(out, r.newExpr(e, a))
	}
	return out
}

// cast reads typing.cast(T, value): the type wins.
func (r *reader) cast(n treesitter.Node, call graph.Expr, name string, line int32) int32 {
	args := r.children(r.tree.Field(n, "arguments"))
	if len(args) != 2 || r.tree.Kind(args[0]) == "keyword_argument" {
		call.Args = r.arguments(n)
		i := r.newExpr(call, n)
		r.ref(graph.EdgeCall, call.Base, name, i, line)
		return i
	}
	t, v := r.typeExpr(args[0]), r.expr(args[1])
	call.Args = []int32{t, v}
	i := r.newExpr(call, n)
	r.ref(graph.EdgeCall, call.Base, name, i, line)
	return r.newExpr(graph.Expr{Kind: graph.ExprAs, Base: v, Args: []int32{t}}, n)
}

// callOnAll notes __all__.append(…), extend and remove.
func (r *reader) callOnAll(n treesitter.Node) {
	callee := r.tree.Field(n, "function")
	if r.tree.Kind(n) != "call" || r.tree.Kind(callee) != "attribute" || r.tree.Text(r.tree.Field(callee, "object")) != "__all__" {
		return
	}
	args := r.children(r.tree.Field(n, "arguments"))
	switch method := r.tree.Text(r.tree.Field(callee, "attribute")); {
	case method == "extend" && len(args) == 1:
		r.addAll(args[0])
	case method == "append" && len(args) == 1:
		if s, ok := r.plainString(args[0]); ok {
			r.all = append(r.all, s)
			break
		}
		r.allDynamic = true
	default:
		r.allDynamic = true
	}
}

// noteAllAssigned reads __all__ = [...] at file level.
func (r *reader) noteAllAssigned(target, value treesitter.Node) {
	if r.at.holder != 0 || r.tree.Text(target) != "__all__" || value == treesitter.None {
		return
	}
	r.addAll(value)
}

// addAll adds the names of a list or tuple, or of sums of them, to __all__.
func (r *reader) addAll(n treesitter.Node) {
	r.hasAll = true
	switch r.tree.Kind(n) {
	case "list", "tuple", "expression_list", "set":
		for _, c := range r.children(n) {
			if s, ok := r.plainString(c); ok {
				r.all = append(r.all, s)
			} else {
				r.allDynamic = true
			}
		}
	case "binary_operator":
		r.addAll(r.tree.Field(n, "left"))
		r.addAll(r.tree.Field(n, "right"))
	case "parenthesized_expression":
		r.addAll(r.first(n))
	default:
		r.allDynamic = true
	}
}
