package python

import (
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

func (r *reader) module() {
	r.statements(r.tree.Root())
	r.noteAll()
}

func (r *reader) statements(n treesitter.Node) {
	for _, c := range r.children(n) {
		r.statement(c)
	}
}

func (r *reader) statement(n treesitter.Node) {
	switch r.tree.Kind(n) {
	case "expression_statement":
		r.expressionStatement(n)
	case "function_definition", "class_definition", "decorated_definition":
		r.definition(n)
	case "import_statement", "import_from_statement", "future_import_statement":
		r.importStatement(n)
	case "if_statement":
		r.ifStatement(n)
	case "for_statement":
		r.forStatement(n)
	case "while_statement":
		r.whileStatement(n)
	case "try_statement":
		r.tryStatement(n)
	case "with_statement":
		r.withStatement(n)
	case "match_statement":
		r.matchStatement(n)
	case "return_statement":
		r.returnStatement(n)
	case "assert_statement":
		r.assertStatement(n)
	case "global_statement", "nonlocal_statement":
		r.scopeStatement(n)
	case "type_alias_statement":
		r.typeAlias(n)
	case "block", "module", "else_clause", "finally_clause", "ERROR":
		r.statements(n)
	case "assignment":
		r.assignment(n, n)
	case "comment", "pass_statement", "break_statement", "continue_statement":
	case "raise_statement":
		r.raiseStatement(n)
	case "delete_statement":
		for _, c := range r.children(n) {
			r.deleted(c)
		}
	case "exec_statement", "print_statement", "chevron":
		for _, c := range r.children(n) {
			r.expr(c)
		}
	default:
		r.expr(n)
	}
}

func (r *reader) expressionStatement(n treesitter.Node) {
	for _, c := range r.children(n) {
		switch r.tree.Kind(c) {
		case "assignment":
			r.assignment(c, n)
		case "augmented_assignment":
			r.augmentedAssignment(c)
		default:
			r.callOnAll(c)
			r.expr(c)
		}
	}
}

// deleted reads a target of del, which runs another method than reading does.
func (r *reader) deleted(n treesitter.Node) {
	switch r.tree.Kind(n) {
	case "expression_list", "tuple", "parenthesized_expression":
		for _, c := range r.children(n) {
			r.deleted(c)
		}
		return
	}
	if e := r.expr(n); e != graph.None && r.facts.Exprs[e].Kind == graph.ExprIndex {
		r.facts.Exprs[e].Name = "del"
	}
}

// raiseStatement reads raise X from Y. Raising a class makes an object of it.
func (r *reader) raiseStatement(n treesitter.Node) {
	for _, c := range r.children(n) {
		e := r.expr(c)
		if k := r.tree.Kind(c); k == "identifier" || k == "attribute" {
			r.newExpr(graph.Expr{Kind: graph.ExprNew, Base: e}, c)
		}
	}
}

func (r *reader) returnStatement(n treesitter.Node) {
	c := r.first(n)
	if c == treesitter.None {
		return
	}
	e := r.expr(c)
	if r.at.function != graph.None {
		s := &r.facts.Symbols[r.at.function]
		s.Returns = append(s.Returns, e)
	}
}

// scopeStatement records global and nonlocal names. A nonlocal name is looked
// up outside anyway, so only where it is bound matters.
func (r *reader) scopeStatement(n treesitter.Node) {
	kind, target := graph.BindGlobal, int32(0)
	if r.tree.Kind(n) == "nonlocal_statement" {
		kind, target = graph.BindNonlocal, r.outerFunction()
	}
	if r.at.holder == 0 || target == graph.None {
		return
	}
	for _, c := range r.children(n) {
		name := r.tree.Text(c)
		r.globals[scopedName{r.at.holder, name}] = target
		r.bind(r.binding(kind, r.at.holder, name, r.startOf(c)))
	}
}

func (r *reader) outerFunction() int32 {
	for s := r.facts.Scopes[r.at.holder].Parent; s != graph.None; s = r.facts.Scopes[s].Parent {
		if r.facts.Scopes[s].Kind == graph.ScopeFunction {
			return s
		}
	}
	return graph.None
}

func (r *reader) ifStatement(n treesitter.Node) {
	condition := r.tree.Field(n, "condition")
	r.condition(condition)
	then := r.at
	then.guarded = true
	if r.at.from == 0 && isMainTest(r.compact(condition)) {
		then = r.mainBlock(n)
	}
	if r.typeChecking(condition) {
		then.guarded, then.typeOnly = r.at.guarded, true
	}
	body := r.tree.Field(n, "consequence")
	is, isNot := r.narrowings(condition)
	r.inside(then, func() { r.narrowed(is, func() { r.statement(body) }) })
	other := r.at
	other.guarded = true
	r.inside(other, func() {
		r.narrowed(isNot, func() {
			for _, c := range r.fields(n, "alternative") {
				if r.tree.Kind(c) == "elif_clause" {
					r.ifStatement(c)
				} else {
					r.statements(c)
				}
			}
		})
	})
	if len(isNot) > 0 && r.leaves(body) {
		r.bindNarrow(isNot)
	}
}

// typeChecking recognises TYPE_CHECKING and typing.TYPE_CHECKING.
func (r *reader) typeChecking(n treesitter.Node) bool {
	text := r.tree.Text(n)
	return text == "TYPE_CHECKING" || strings.HasSuffix(text, ".TYPE_CHECKING")
}

// leaves reports whether a block certainly does not run into what follows it.
func (r *reader) leaves(block treesitter.Node) bool {
	last := treesitter.None
	for _, c := range r.children(block) {
		last = c
	}
	switch r.tree.Kind(last) {
	case "return_statement", "raise_statement", "continue_statement", "break_statement":
		return true
	}
	return false
}

func (r *reader) whileStatement(n treesitter.Node) {
	condition := r.tree.Field(n, "condition")
	r.condition(condition)
	is, _ := r.narrowings(condition)
	r.narrowed(is, func() { r.statement(r.tree.Field(n, "body")) })
	for _, c := range r.fields(n, "alternative") {
		r.statements(c)
	}
}

func (r *reader) assertStatement(n treesitter.Node) {
	for i, c := range r.children(n) {
		if i > 0 {
			r.expr(c)
		} else {
			r.condition(c)
			is, _ := r.narrowings(c)
			r.bindNarrow(is)
		}
	}
}

func (r *reader) forStatement(n treesitter.Node) {
	iterable := r.tree.Field(n, "right")
	e := r.expr(iterable)
	element := r.newExpr(graph.Expr{Kind: graph.ExprElement, Base: e}, iterable)
	r.target(r.tree.Field(n, "left"), element, graph.None)
	r.statement(r.tree.Field(n, "body"))
	for _, c := range r.fields(n, "alternative") {
		r.statements(c)
	}
}

func (r *reader) withStatement(n treesitter.Node) {
	old := r.at
	var expected []narrowing
	for _, clause := range r.children(n) {
		if r.tree.Kind(clause) != "with_clause" {
			continue
		}
		for _, item := range r.children(clause) {
			value := r.tree.Field(item, "value")
			r.withItem(value)
			if r.expectsMisfit(value) {
				expected = append(expected, narrowing{name: misfitName, at: r.startOf(n), typ: graph.None})
			}
		}
	}
	r.narrowed(expected, func() { r.statement(r.tree.Field(n, "body")) })
	r.at = old
}

func (r *reader) withItem(n treesitter.Node) {
	value, alias := n, treesitter.None
	if r.tree.Kind(n) == "as_pattern" {
		value, alias = r.first(n), r.first(r.tree.Field(n, "alias"))
	}
	e := r.expr(value)
	if callee := r.tree.Field(value, "function"); strings.HasSuffix(r.tree.Text(callee), "suppress") {
		r.at.guarded = true
	}
	enter := r.newExpr(graph.Expr{Kind: graph.ExprEnter, Base: e}, value)
	if alias != treesitter.None {
		r.target(alias, enter, graph.None)
	}
}

func (r *reader) tryStatement(n treesitter.Node) {
	body := r.at
	body.guarded = body.guarded || r.forgivesImport(n)
	var uncertain []narrowing
	if r.forgivesMissing(n) {
		uncertain = append(uncertain, r.uncertain(n))
	}
	r.inside(body, func() { r.narrowed(uncertain, func() { r.statement(r.tree.Field(n, "body")) }) })
	for _, c := range r.children(n) {
		switch r.tree.Kind(c) {
		case "except_clause", "except_group_clause":
			r.exceptClause(c)
		case "else_clause", "finally_clause":
			r.statements(c)
		}
	}
}

// forgivesImport reports whether a handler catches a failed import.
func (r *reader) forgivesImport(n treesitter.Node) bool {
	caught := r.caught(n)
	for _, name := range []string{"ImportError", "ModuleNotFoundError", "Exception", "AttributeError", everything} {
		if strings.Contains(caught, name) {
			return true
		}
	}
	return false
}

// everything stands for what a bare except catches.
const everything = "*"

// caught is the text of what the handlers of a try catch.
func (r *reader) caught(n treesitter.Node) string {
	all := ""
	for _, c := range r.children(n) {
		if k := r.tree.Kind(c); k != "except_clause" && k != "except_group_clause" {
			continue
		}
		one := ""
		for _, v := range r.children(c) {
			if r.tree.Kind(v) != "block" {
				one += " " + r.tree.Text(v)
			}
		}
		if one == "" {
			one = " " + everything
		}
		all += one
	}
	return all
}

func (r *reader) exceptClause(n treesitter.Node) {
	handler := r.at
	handler.guarded = true
	r.inside(handler, func() {
		alias := r.tree.Field(n, "alias")
		caught := int32(graph.None)
		for _, c := range r.children(n) {
			switch {
			case c == alias:
			case r.tree.Kind(c) == "block":
				if alias != treesitter.None {
					r.target(alias, graph.None, r.anyOf(caught))
				}
				r.statement(c)
			case r.tree.Kind(c) == "as_pattern":
				caught = r.expr(r.first(c))
				alias = r.first(r.tree.Field(c, "alias"))
			case caught != graph.None && r.tree.Kind(c) == "identifier" && startsLower(r.tree.Text(c)):
				alias = c // except Error, e: as Python 2 wrote it
			default:
				caught = r.expr(c)
			}
		}
	})
}

func startsLower(name string) bool {
	return name != "" && strings.ToLower(name[:1]) == name[:1]
}

// anyOf turns the tuple of an except clause into the type of what it catches.
func (r *reader) anyOf(e int32) int32 {
	if e == graph.None || r.facts.Exprs[e].Kind != graph.ExprTuple {
		return e
	}
	union := r.facts.Exprs[e]
	union.Kind = graph.ExprUnion
	r.facts.Exprs = append(r.facts.Exprs, union)
	return int32(len(r.facts.Exprs) - 1)
}
