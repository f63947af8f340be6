package python

import (
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// A narrowing says that a name, or a dotted path such as self.x, has a type
// where a condition holds.
type narrowing struct {
	name string
	at   int32
	typ  int32
}

// narrowings reads what a condition says about types if it holds and if it
// does not: isinstance(x, T), issubclass, and, or, not. A condition on where the
// program runs makes both branches uncertain.
func (r *reader) narrowings(n treesitter.Node) (is, isNot []narrowing) {
	switch r.tree.Kind(n) {
	case "parenthesized_expression":
		return r.narrowings(r.first(n))
	case "not_operator":
		is, isNot = r.narrowings(r.tree.Field(n, "argument"))
		return isNot, is
	case "boolean_operator":
		l, lNot := r.narrowings(r.tree.Field(n, "left"))
		rr, rNot := r.narrowings(r.tree.Field(n, "right"))
		if r.tree.Text(r.tree.Field(n, "operator")) == "and" {
			return append(l, rr...), nil
		}
		return nil, append(lNot, rNot...)
	case "call":
		if w, ok := r.instanceTest(n); ok {
			return []narrowing{w}, nil
		}
	}
	if r.environmental(n) {
		w := []narrowing{r.uncertain(n)}
		return w, w
	}
	return nil, nil
}

func (r *reader) instanceTest(n treesitter.Node) (narrowing, bool) {
	args := r.children(r.tree.Field(n, "arguments"))
	if r.tree.Text(r.tree.Field(n, "function")) != "isinstance" || len(args) != 2 || !r.dotted(args[0]) || !r.classes(args[1]) {
		return narrowing{}, false
	}
	t := r.quiet(func() int32 { return r.typeExpr(args[1]) })
	return narrowing{name: r.tree.Text(args[0]), at: r.startOf(args[0]), typ: r.anyOf(t)}, true
}

// quiet reads an expression a second time without its references.
func (r *reader) quiet(f func() int32) int32 {
	refs, reads := len(r.facts.Refs), len(r.reads)
	e := f()
	r.facts.Refs, r.reads = r.facts.Refs[:refs], r.reads[:reads]
	return e
}

// classes reports whether n is a class, a union or a tuple of classes as they
// are written. Anything else is not read twice, so that nesting costs nothing.
func (r *reader) classes(n treesitter.Node) bool {
	switch r.tree.Kind(n) {
	case "tuple", "binary_operator":
		for _, c := range r.children(n) {
			if !r.dotted(c) {
				return false
			}
		}
		return true
	}
	return r.dotted(n)
}

// dotted reports whether n is a name or a path of names.
func (r *reader) dotted(n treesitter.Node) bool {
	for r.tree.Kind(n) == "attribute" {
		n = r.tree.Field(n, "object")
	}
	return r.tree.Kind(n) == "identifier"
}

// narrowed runs f in a block where the narrowings hold.
func (r *reader) narrowed(ns []narrowing, f func()) {
	if len(ns) == 0 || r.facts.Scopes[r.at.holder].Kind == graph.ScopeClass {
		f()
		return
	}
	at := r.at
	at.scope = r.newScope(graph.ScopeBlock, r.at.scope, r.at.from)
	r.inside(at, func() {
		r.bindNarrow(ns)
		f()
	})
}

// bindNarrow makes narrowings hold in the scope where the reader stands.
func (r *reader) bindNarrow(ns []narrowing) {
	for _, w := range ns {
		b := r.binding(graph.BindNarrow, r.at.scope, w.name, w.at)
		b.Type = w.typ
		r.bind(b)
	}
}

func (r *reader) matchStatement(n treesitter.Node) {
	subject, value := treesitter.None, int32(graph.None)
	for _, s := range r.fields(n, "subject") {
		subject, value = s, r.expr(s)
	}
	block := r.tree.Field(n, "body")
	for _, c := range r.children(block) {
		if r.tree.Kind(c) == "case_clause" {
			r.caseClause(c, subject, value)
		}
	}
}

func (r *reader) caseClause(n, subject treesitter.Node, value int32) {
	patterns := r.children(n)
	var classes []int32
	for _, p := range patterns {
		if r.tree.Kind(p) == "case_pattern" {
			classes = append(classes, r.pattern(p, value)...)
		}
	}
	var ns []narrowing
	if len(classes) > 0 && r.dotted(subject) {
		union := r.newExpr(graph.Expr{Kind: graph.ExprUnion, Base: graph.None, Args: classes}, n)
		ns = []narrowing{{name: r.tree.Text(subject), at: r.startOf(n), typ: union}}
	}
	r.narrowed(ns, func() {
		if guard := r.tree.Field(n, "guard"); guard != treesitter.None {
			r.expr(r.first(guard))
		}
		r.statement(r.tree.Field(n, "consequence"))
	})
}

// pattern binds the names that a case pattern captures and returns the classes
// that the matched value is an instance of.
func (r *reader) pattern(n treesitter.Node, value int32) []int32 {
	switch r.tree.Kind(n) {
	case "case_pattern", "splat_pattern":
		var classes []int32
		for _, c := range r.children(n) {
			if r.tree.Kind(n) == "splat_pattern" {
				value = graph.None
			}
			classes = append(classes, r.pattern(c, value)...)
		}
		return classes
	case "identifier":
		r.bindName(n, value, graph.None)
	case "dotted_name":
		if parts := r.children(n); len(parts) == 1 {
			r.capture(parts[0], value)
		} else {
			r.dottedName(n)
		}
	case "class_pattern":
		return r.classPattern(n)
	case "as_pattern":
		return r.asPattern(n)
	case "union_pattern":
		var classes []int32
		for _, c := range r.children(n) {
			classes = append(classes, r.pattern(c, graph.None)...)
		}
		return classes
	case "keyword_pattern":
		for _, c := range r.children(n)[1:] {
			r.pattern(c, graph.None)
		}
	default:
		for _, c := range r.children(n) {
			r.pattern(c, graph.None)
		}
	}
	return nil
}

func (r *reader) capture(n treesitter.Node, value int32) {
	if r.tree.Text(n) != "_" {
		r.bindName(n, value, graph.None)
	}
}

func (r *reader) classPattern(n treesitter.Node) []int32 {
	var classes []int32
	for i, c := range r.children(n) {
		if i == 0 {
			classes = append(classes, r.dottedName(c))
		} else {
			r.pattern(c, graph.None)
		}
	}
	return classes
}

func (r *reader) asPattern(n treesitter.Node) []int32 {
	var classes []int32
	for _, c := range r.children(n) {
		if k := r.tree.Kind(c); k != "identifier" && k != "as_pattern_target" {
			classes = append(classes, r.pattern(c, graph.None)...)
			continue
		}
		declared := int32(graph.None)
		if len(classes) > 0 {
			declared = r.newExpr(graph.Expr{Kind: graph.ExprUnion, Base: graph.None, Args: classes}, n)
		}
		if r.tree.Kind(c) == "as_pattern_target" {
			c = r.first(c)
		}
		r.bindName(c, graph.None, declared)
	}
	return classes
}

// dottedName reads a.b.C where the grammar has no attribute for it.
func (r *reader) dottedName(n treesitter.Node) int32 {
	parts := r.children(n)
	if len(parts) == 0 {
		return r.expr(n)
	}
	e := r.read(parts[0])
	for _, p := range parts[1:] {
		e = r.newExpr(graph.Expr{Kind: graph.ExprMember, Name: r.tree.Text(p), Base: e}, p)
		r.ref(graph.EdgeReference, e, r.tree.Text(p), graph.None, r.lineOf(p))
	}
	return e
}
