package python

import (
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// maxString bounds the literals that are kept: names, not texts.
const maxString = 80

// sliceName is the name of a[1:2]'s argument, which no other ExprOther has.
const sliceName = ":"

// newExpr adds an expression that stands at n.
func (r *reader) newExpr(e graph.Expr, n treesitter.Node) int32 {
	if e.Kind != graph.ExprFunction && e.Kind != graph.ExprClass {
		e.Symbol = graph.None
	}
	e.Scope, e.Start, e.End, e.Line = r.at.scope, r.startOf(n), r.endOf(n), r.lineOf(n)
	r.facts.Exprs = append(r.facts.Exprs, e)
	return int32(len(r.facts.Exprs) - 1)
}

func (r *reader) leaf(kind graph.ExprKind, n treesitter.Node) int32 {
	return r.newExpr(graph.Expr{Kind: kind, Base: graph.None}, n)
}

// ref adds a use at the symbol that the reader stands in.
func (r *reader) ref(kind graph.EdgeKind, e int32, name string, args, line int32) int32 {
	r.facts.Refs = append(r.facts.Refs, graph.Ref{Kind: kind, Expr: e, Name: name, From: r.at.from, Line: line, Args: args})
	return int32(len(r.facts.Refs) - 1)
}

// read adds an identifier and the reference that it makes.
func (r *reader) read(n treesitter.Node) int32 {
	e := r.name(n)
	r.reads = append(r.reads, r.ref(graph.EdgeReference, e, r.tree.Text(n), graph.None, r.lineOf(n)))
	return e
}

func (r *reader) name(n treesitter.Node) int32 {
	return r.newExpr(graph.Expr{Kind: graph.ExprName, Name: r.tree.Text(n), Base: graph.None}, n)
}

// member adds object.attribute without a reference to the attribute itself.
func (r *reader) member(n treesitter.Node) int32 {
	attribute := r.tree.Field(n, "attribute")
	e := graph.Expr{Kind: graph.ExprMember, Name: r.tree.Text(attribute), Base: r.expr(r.tree.Field(n, "object"))}
	i := r.newExpr(e, n)
	r.facts.Exprs[i].Line = r.lineOf(attribute)
	return i
}

// expr reads an expression, adds the references in it and returns its index.
func (r *reader) expr(n treesitter.Node) int32 {
	switch r.tree.Kind(n) {
	case "":
		return graph.None
	case "identifier":
		return r.read(n)
	case "attribute":
		e := r.member(n)
		r.ref(graph.EdgeReference, e, r.facts.Exprs[e].Name, graph.None, r.facts.Exprs[e].Line)
		return e
	case "call":
		return r.call(n)
	case "subscript":
		return r.many(graph.ExprIndex, n, r.expr(r.tree.Field(n, "value")), r.fields(n, "subscript"))
	case "await":
		return r.newExpr(graph.Expr{Kind: graph.ExprAwait, Base: r.expr(r.first(n))}, n)
	case "parenthesized_expression":
		return r.expr(r.first(n))
	case "string", "concatenated_string":
		return r.stringExpr(n)
	case "integer", "float":
		return r.newExpr(graph.Expr{Kind: graph.ExprNumber, Name: r.short(n), Base: graph.None}, n)
	case "true", "false":
		return r.newExpr(graph.Expr{Kind: graph.ExprBool, Name: r.tree.Text(n), Base: graph.None}, n)
	case "not_operator", "comparison_operator":
		return r.boolean(n)
	case "none":
		return r.leaf(graph.ExprNull, n)
	case "list", "list_pattern":
		return r.many(graph.ExprList, n, graph.None, r.children(n))
	case "tuple", "expression_list", "pattern_list", "tuple_pattern":
		return r.many(graph.ExprTuple, n, graph.None, r.children(n))
	case "set":
		return r.many(graph.ExprSet, n, graph.None, r.children(n))
	case "dictionary":
		return r.dictionary(n)
	case "lambda":
		return r.lambda(n)
	case "list_comprehension", "generator_expression", "set_comprehension", "dictionary_comprehension":
		return r.comprehension(n)
	case "conditional_expression":
		return r.conditional(n)
	case "boolean_operator":
		return r.booleanOperator(n)
	case "binary_operator":
		return r.binary(n)
	case "named_expression":
		return r.walrus(n)
	case "yield":
		return r.yield(n)
	case "list_splat", "dictionary_splat", "list_splat_pattern", "dictionary_splat_pattern", "parenthesized_list_splat":
		return r.splat(n)
	case "type":
		return r.typeExpr(n)
	}
	return r.other(n)
}

func (r *reader) short(n treesitter.Node) string {
	if r.tree.End(n)-r.tree.Start(n) > maxString {
		return ""
	}
	return r.tree.Text(n)
}

// many adds an expression whose arguments are the given nodes.
func (r *reader) many(kind graph.ExprKind, n treesitter.Node, base int32, args []treesitter.Node) int32 {
	e := graph.Expr{Kind: kind, Base: base}
	for _, a := range args {
		if k := r.tree.Kind(a); k == "slice" {
			r.other(a)
			e.Args = append(e.Args, r.newExpr(graph.Expr{Kind: graph.ExprOther, Name: sliceName, Base: graph.None}, a))
		} else {
			e.Args = append(e.Args, r.expr(a))
		}
	}
	return r.newExpr(e, n)
}

// other reads what tells nothing by itself; its operands may hold references.
func (r *reader) other(n treesitter.Node) int32 {
	for _, c := range r.children(n) {
		if isStatement(r.tree.Kind(c)) {
			r.statement(c)
		} else {
			r.expr(c)
		}
	}
	return r.leaf(graph.ExprOther, n)
}

func isStatement(kind string) bool {
	return strings.HasSuffix(kind, "_statement") || strings.HasSuffix(kind, "_definition") || kind == "block" || kind == "assignment"
}

// boolean reads not a, and comparisons: each is an operation on its two sides
// beside the truth that comes out.
func (r *reader) boolean(n treesitter.Node) int32 {
	last, operator := int32(graph.None), ""
	for c := range r.tree.Children(n) {
		if !r.tree.Named(c) {
			operator = r.tree.Text(c)
			continue
		}
		if r.tree.Kind(c) == "comment" || r.tree.Kind(c) == "line_continuation" {
			continue
		}
		e := r.expr(c)
		if operator == "not" && last == graph.None {
			r.operand("bool", e, c)
		}
		if last != graph.None && e != graph.None {
			r.newExpr(graph.Expr{Kind: graph.ExprBinary, Name: operator, Base: graph.None, Args: []int32{last, e}}, n)
		}
		last = e
	}
	return r.leaf(graph.ExprBool, n)
}

// condition reads an expression whose truth is asked for.
func (r *reader) condition(n treesitter.Node) int32 {
	return r.operand("bool", r.expr(n), n)
}

// operand notes that the language asks an object for its truth ("bool") or its
// text ("str") without naming the method.
func (r *reader) operand(operator string, e int32, n treesitter.Node) int32 {
	if e == graph.None {
		return e
	}
	switch r.facts.Exprs[e].Kind {
	case graph.ExprName, graph.ExprMember, graph.ExprCall, graph.ExprIndex, graph.ExprAwait:
		r.newExpr(graph.Expr{Kind: graph.ExprBinary, Name: operator, Base: graph.None, Args: []int32{e}}, n)
	}
	return e
}

// stringExpr keeps the value of a short plain literal and reads what is
// interpolated into others.
func (r *reader) stringExpr(n treesitter.Node) int32 {
	value := ""
	if content, ok := r.plainString(n); ok && len(content) <= maxString {
		value = content
	}
	r.interpolations(n)
	return r.newExpr(graph.Expr{Kind: graph.ExprString, Name: value, Base: graph.None}, n)
}

func (r *reader) interpolations(n treesitter.Node) {
	for _, c := range r.children(n) {
		switch r.tree.Kind(c) {
		case "string", "format_specifier":
			r.interpolations(c)
		case "interpolation", "format_expression":
			value := r.tree.Field(c, "expression")
			r.operand("str", r.expr(value), value)
			r.interpolations(c)
		}
	}
}

// plainString is the content of a literal without prefix, escapes and parts.
func (r *reader) plainString(n treesitter.Node) (string, bool) {
	if r.tree.Kind(n) != "string" {
		return "", false
	}
	start := r.tree.Text(r.tree.Child(n, "string_start"))
	if strings.Trim(start, `"'`) != "" && !strings.EqualFold(strings.Trim(start, `"'`), "r") {
		return "", false
	}
	content := ""
	for _, c := range r.children(n) {
		switch r.tree.Kind(c) {
		case "string_content":
			if r.tree.Child(c, "escape_sequence") != treesitter.None {
				return "", false
			}
			content += r.tree.Text(c)
		case "interpolation":
			return "", false
		}
	}
	return content, true
}

func (r *reader) dictionary(n treesitter.Node) int32 {
	e := graph.Expr{Kind: graph.ExprDict, Base: graph.None}
	for _, c := range r.children(n) {
		if r.tree.Kind(c) != "pair" {
			e.Args = append(e.Args, r.expr(c)) // **more
			continue
		}
		key := r.tree.Field(c, "key")
		e.Args = append(e.Args, r.entry(key, r.key(key), r.expr(r.tree.Field(c, "value"))))
	}
	return r.newExpr(e, n)
}

// key reads the key of a mapping, which is asked for its hash.
func (r *reader) key(n treesitter.Node) int32 { return r.operand("hash", r.expr(n), n) }

// entry is the value under a key; under a constant one it says which.
func (r *reader) entry(n treesitter.Node, key, value int32) int32 {
	if key == graph.None || value == graph.None {
		return value
	}
	switch k := &r.facts.Exprs[key]; {
	case k.Kind == graph.ExprString && k.Name != "", k.Kind == graph.ExprNumber:
		return r.newExpr(graph.Expr{Kind: graph.ExprKeyword, Name: k.Name, Base: value, Args: []int32{key}}, n)
	}
	return value
}

// lambda reads a function literal. It is a symbol, so that calls can lead to it,
// but what stands in it belongs to the symbol around it.
func (r *reader) lambda(n treesitter.Node) int32 {
	s := r.literal(n)
	at := r.at
	at.scope = r.newScope(graph.ScopeFunction, r.at.scope, r.at.from)
	at.holder = at.scope
	r.facts.Symbols[s].Scope = at.scope
	if list := r.tree.Field(n, "parameters"); list != treesitter.None {
		r.parameters(list, s, r.at.scope, &at, false)
	}
	body := int32(graph.None)
	r.inside(at, func() { body = r.expr(r.tree.Field(n, "body")) })
	return r.newExpr(graph.Expr{Kind: graph.ExprFunction, Base: body, Symbol: s}, n)
}

func (r *reader) literal(n treesitter.Node) int32 {
	r.facts.Symbols = append(r.facts.Symbols, graph.SymbolFact{
		Name: "lambda", Kind: graph.KindLiteral, Parent: r.at.from, Start: r.startOf(n), End: r.endOf(n), NameAt: r.startOf(n),
		Line: r.lineOf(n), EndLine: r.tree.EndLine(n) + r.line, Result: graph.None, Scope: graph.None, Signature: r.signature(n),
	})
	r.origins = append(r.origins, origin{outer: n, node: n, part: true})
	return int32(len(r.facts.Symbols) - 1)
}

// comprehension reads [body for x in xs if c]. The first iterable is read
// outside, where Python evaluates it.
func (r *reader) comprehension(n treesitter.Node) int32 {
	at := r.at
	at.scope = r.newScope(graph.ScopeFunction, r.at.scope, r.at.from)
	var clauses []treesitter.Node
	body := r.tree.Field(n, "body")
	for _, c := range r.children(n) {
		if c != body {
			clauses = append(clauses, c)
		}
	}
	first := int32(graph.None)
	if len(clauses) > 0 {
		first = r.expr(r.tree.Field(clauses[0], "right"))
	}
	e := graph.Expr{Kind: graph.ExprList, Base: graph.None}
	r.inside(at, func() {
		for i, c := range clauses {
			r.comprehensionClause(c, i == 0, first)
		}
		if r.tree.Kind(body) == "pair" {
			r.key(r.tree.Field(body, "key"))
			e.Kind = graph.ExprDict
			body = r.tree.Field(body, "value")
		}
		e.Args = append(e.Args, r.expr(body))
	})
	if r.tree.Kind(n) == "set_comprehension" {
		e.Kind = graph.ExprSet
	}
	return r.newExpr(e, n)
}

func (r *reader) comprehensionClause(c treesitter.Node, isFirst bool, first int32) {
	if r.tree.Kind(c) == "if_clause" {
		condition := r.first(c)
		r.condition(condition)
		is, _ := r.narrowings(condition)
		r.bindNarrow(is)
		return
	}
	iterable := first
	if !isFirst {
		iterable = r.expr(r.tree.Field(c, "right"))
	}
	element := r.newExpr(graph.Expr{Kind: graph.ExprElement, Base: iterable}, c)
	holder := r.at.holder
	r.at.holder = r.at.scope
	r.target(r.tree.Field(c, "left"), element, graph.None)
	r.at.holder = holder
}

// conditional reads a if condition else b.
func (r *reader) conditional(n treesitter.Node) int32 {
	parts := r.children(n)
	if len(parts) != 3 {
		return r.other(n)
	}
	r.condition(parts[1])
	is, isNot := r.narrowings(parts[1])
	for i := range is {
		is[i].at = r.startOf(n) - 1 // the condition stands behind what it guards
	}
	e := graph.Expr{Kind: graph.ExprUnion, Base: graph.None}
	r.narrowed(is, func() { e.Args = append(e.Args, r.expr(parts[0])) })
	r.narrowed(isNot, func() { e.Args = append(e.Args, r.expr(parts[2])) })
	return r.newExpr(e, n)
}

// booleanOperator reads a or b, which is one of both, and a and b, which is b
// wherever its value matters.
func (r *reader) booleanOperator(n treesitter.Node) int32 {
	left, right := r.tree.Field(n, "left"), r.tree.Field(n, "right")
	e := graph.Expr{Kind: graph.ExprUnion, Base: graph.None}
	l := r.condition(left)
	is, isNot := r.narrowings(left)
	if r.tree.Text(r.tree.Field(n, "operator")) == "or" {
		e.Args = append(e.Args, l)
		is = isNot
	}
	r.narrowed(is, func() { e.Args = append(e.Args, r.expr(right)) })
	return r.newExpr(e, n)
}

func (r *reader) binary(n treesitter.Node) int32 {
	e := graph.Expr{Kind: graph.ExprBinary, Base: graph.None, Name: r.tree.Text(r.tree.Field(n, "operator"))}
	e.Args = []int32{r.expr(r.tree.Field(n, "left")), r.expr(r.tree.Field(n, "right"))}
	return r.newExpr(e, n)
}

func (r *reader) walrus(n treesitter.Node) int32 {
	value := r.expr(r.tree.Field(n, "value"))
	r.target(r.tree.Field(n, "name"), value, graph.None)
	return value
}

func (r *reader) yield(n treesitter.Node) int32 {
	value := r.expr(r.first(n))
	if r.at.function != graph.None {
		s := &r.facts.Symbols[r.at.function]
		s.Flags |= graph.FlagGenerator
		if r.tree.Child(n, "from") != treesitter.None && value != graph.None {
			value = r.newExpr(graph.Expr{Kind: graph.ExprElement, Base: value}, n)
		}
		b := r.binding(graph.BindVariable, s.Scope, "yield", r.startOf(n))
		b.Value = value
		r.bind(b)
	}
	return r.leaf(graph.ExprOther, n)
}

func (r *reader) splat(n treesitter.Node) int32 {
	name := "*"
	if strings.HasPrefix(r.tree.Kind(n), "dictionary") {
		name = "**"
	}
	return r.newExpr(graph.Expr{Kind: graph.ExprSpread, Name: name, Base: r.expr(r.first(n))}, n)
}
