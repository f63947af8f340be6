package ecmascript

import (
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// narrowingDepth bounds how deep a condition is read for what it says of types,
// so that a long chain of operators costs no more than its length.
const narrowingDepth = 12

// A finding is what a condition says of a name: an ExprBinary whose Name is the
// test, with a "!" before it where the test fails, or an ExprUnion of such.
type finding struct {
	name string
	expr int32
}

// findings are what holds of names if the condition n holds or does not.
func (b *builder) findings(n node, holds bool, depth int, e env) []finding {
	if n < 0 || depth > narrowingDepth {
		return nil
	}
	switch b.t.Kind(n) {
	case "parenthesized_expression", "else_clause":
		return b.findings(b.firstNamed(n), holds, depth, e)
	case "unary_expression":
		if b.text(b.t.Field(n, "operator")) == "!" {
			return b.findings(b.t.Field(n, "argument"), !holds, depth+1, e)
		}
	case "identifier":
		if !holds {
			return []finding{{b.text(n), b.test("truthy", false, n, e)}}
		}
	case "call_expression":
		return b.guard(n, holds, e)
	case "binary_expression":
		left, right := b.t.Field(n, "left"), b.t.Field(n, "right")
		switch op := b.text(b.t.Field(n, "operator")); op {
		case "&&", "||":
			x := b.findings(left, holds, depth+1, e)
			y := b.findings(right, holds, depth+1, e)
			if (op == "&&") == holds {
				return append(x, y...)
			}
			return b.oneOf(x, y, n, e)
		case "instanceof":
			if class, name := b.qualifiedName(right, e), b.path(left); class != graph.None && name != "" {
				return []finding{{name, b.test("instanceof", holds, n, e, class)}}
			}
		case "in":
			if name := b.path(right); b.t.Kind(left) == "string" && name != "" {
				return []finding{{name, b.test("in", holds, n, e, b.named(graph.ExprString, left, b.literal(left), e))}}
			}
		case "===", "==":
			return b.equality(left, right, holds, n, e)
		case "!==", "!=":
			return b.equality(left, right, !holds, n, e)
		}
	}
	return nil
}

// test adds the expression of a finding.
func (b *builder) test(name string, holds bool, n node, e env, args ...int32) int32 {
	i := b.of(graph.ExprBinary, n, e, args...)
	if !holds {
		name = "!" + name
	}
	b.f.Exprs[i].Name = name
	return i
}

// oneOf joins what either of two conditions says of the names that both test.
func (b *builder) oneOf(x, y []finding, n node, e env) []finding {
	var out []finding
	for _, p := range x {
		for _, q := range y {
			if p.name == q.name {
				out = append(out, finding{p.name, b.of(graph.ExprUnion, n, e, p.expr, q.expr)})
				break
			}
		}
	}
	return out
}

// equality reads typeof x === "string", x === null and x.kind === "a".
func (b *builder) equality(left, right node, holds bool, n node, e env) []finding {
	if k := b.t.Kind(left); k == "string" || k == "null" || k == "undefined" {
		left, right = right, left
	}
	switch b.t.Kind(left) {
	case "unary_expression":
		name := b.path(b.t.Field(left, "argument"))
		if b.text(b.t.Field(left, "operator")) == "typeof" && name != "" && b.t.Kind(right) == "string" {
			return []finding{{name, b.test("typeof", holds, n, e, b.named(graph.ExprString, right, b.literal(right), e))}}
		}
	case "identifier":
		if k := b.t.Kind(right); holds && (k == "null" || k == "undefined") {
			return []finding{{b.text(left), b.test("null", true, n, e)}}
		}
	case "member_expression":
		return b.discriminated(left, right, holds, n, e)
	}
	return nil
}

// discriminated reads x.kind === "a" and x.kind === Kind.A.
func (b *builder) discriminated(left, right node, holds bool, n node, e env) []finding {
	name, property := b.path(b.t.Field(left, "object")), b.t.Field(left, "property")
	if name == "" {
		return nil
	}
	literal := graph.None
	switch b.t.Kind(right) {
	case "string":
		literal = b.named(graph.ExprString, right, b.literal(right), e)
	case "member_expression":
		literal = b.qualifiedName(right, e)
	}
	if literal == graph.None {
		return nil
	}
	key := b.named(graph.ExprString, property, b.text(property), e)
	return []finding{{name, b.test("===", holds, n, e, key, literal)}}
}

// guard reads f(x), where f may declare that it tells what x is.
func (b *builder) guard(n node, holds bool, e env) []finding {
	name := b.path(b.firstNamed(b.t.Field(n, "arguments")))
	callee := b.t.Field(n, "function")
	if name == "" {
		return nil
	}
	if b.text(callee) == "Array.isArray" {
		array := b.named(graph.ExprName, callee, "Array", e)
		return []finding{{name, b.test("instanceof", holds, n, e, array)}}
	}
	if f := b.qualifiedName(callee, e); f != graph.None {
		return []finding{{name, b.test("guard", holds, n, e, f)}}
	}
	return nil
}

// pathLength bounds how many members of members are narrowed.
const pathLength = 4

// path is a name, "this", or a member of such by its name, as conditions speak of
// them: "x", "this.x", "x.y"; empty for anything else and for "this" alone.
func (b *builder) path(n node) string {
	var members []string
	for ; b.t.Kind(n) == "member_expression" && len(members) < pathLength; n = b.t.Field(n, "object") {
		members = append(members, b.text(b.t.Field(n, "property")))
	}
	switch {
	case b.t.Kind(n) == "identifier", b.t.Kind(n) == "this" && len(members) > 0:
		members = append(members, b.text(n))
	default:
		return ""
	}
	slices.Reverse(members)
	return strings.Join(members, ".")
}

// asserts notes what a call of its own leaves of its first argument. Only functions
// that are named so are asked: most calls say nothing.
func (b *builder) asserts(n node, e env) {
	call := b.firstNamed(n)
	if b.t.Kind(call) != "call_expression" {
		return
	}
	callee := b.t.Field(call, "function")
	if name := b.text(callee); len(name) <= stringLimit && strings.Contains(strings.ToLower(name), "assert") {
		b.behind(b.guard(call, true, e), n, e)
	}
}

// qualifiedName is a name or a path of names, read a second time and hence
// without references.
func (b *builder) qualifiedName(n node, e env) int32 {
	object := n
	for b.t.Kind(object) == "member_expression" {
		object = b.t.Field(object, "object")
	}
	if b.t.Kind(object) != "identifier" {
		return graph.None
	}
	return b.qualified(n, e)
}

// narrow notes in a scope what holds of names from a byte on.
func (b *builder) narrow(all []finding, scope, at int32) {
	for _, x := range all {
		n := binding(scope, x.name, graph.BindNarrow, at)
		n.Value = x.expr
		b.f.Bindings = append(b.f.Bindings, n)
		b.narrowed[scopedName{scope, x.name}] = true
		if root, _, member := strings.Cut(x.name, "."); member && !slices.Contains(b.paths[root], x.name) {
			b.paths[root] = append(b.paths[root], x.name)
		}
	}
}

// scopedName is a name in the scope that says something of it.
type scopedName struct {
	scope int32
	name  string
}

// renewed notes that a name or a member is set anew: what was found of it, and of
// its members, no longer holds.
func (b *builder) renewed(name string, at int32, e env) {
	b.forget(name, at, e)
	root, _, _ := strings.Cut(name, ".")
	for _, path := range b.paths[root] {
		if strings.HasPrefix(path, name+".") {
			b.forget(path, at, e)
		}
	}
}

func (b *builder) forget(name string, at int32, e env) {
	b.setAt[name] = at
	for s := e.scope; s != graph.None; s = b.f.Scopes[s].Parent {
		if b.narrowed[scopedName{s, name}] {
			b.f.Bindings = append(b.f.Bindings, binding(s, name, graph.BindNarrow, at))
		}
	}
}

// where walks a statement or an expression in which the findings hold.
func (b *builder) where(all []finding, n node, e env) env {
	if len(all) > 0 {
		e.scope = b.scope(graph.ScopeBlock, e.scope, e.sym)
		b.narrow(all, e.scope, b.t.Start(n))
	}
	return e
}

// ifStatement walks both branches with what the condition says in each. Where
// one of them leaves the block, the other's holds behind the statement.
func (b *builder) ifStatement(n node, e env) {
	condition, yes, no := b.t.Field(n, "condition"), b.t.Field(n, "consequence"), b.t.Field(n, "alternative")
	b.value(condition, e)
	b.block(yes, b.where(b.findings(condition, true, 0, e), yes, e))
	if no >= 0 {
		b.block(no, b.where(b.findings(condition, false, 0, e), no, e))
	}
	if k := b.t.Kind(b.t.Parent(n)); k != "statement_block" && k != "program" {
		return
	}
	switch yesLeaves, noLeaves := b.exits(yes), b.exits(no); {
	case yesLeaves && !noLeaves:
		b.behind(b.findings(condition, false, 0, e), n, e)
	case noLeaves && !yesLeaves:
		b.behind(b.findings(condition, true, 0, e), n, e)
	}
}

// behind notes what holds behind a statement that did not set the names.
func (b *builder) behind(all []finding, n node, e env) {
	var kept []finding
	for _, x := range all {
		if !b.setSince(x.name, b.t.Start(n)) {
			kept = append(kept, x)
		}
	}
	b.narrow(kept, e.scope, b.t.End(n))
}

// setSince reports whether a name, or what it is a member of, was set behind a byte.
func (b *builder) setSince(name string, at int32) bool {
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '.') {
		if b.setAt[name[:end]] >= at {
			return true
		}
	}
	return false
}

// exits reports whether nothing behind a statement runs after it.
func (b *builder) exits(n node) bool {
	switch b.t.Kind(n) {
	case "return_statement", "throw_statement", "continue_statement", "break_statement":
		return true
	case "else_clause":
		return b.exits(b.firstNamed(n))
	case "if_statement":
		return b.exits(b.t.Field(n, "consequence")) && b.exits(b.t.Field(n, "alternative"))
	case "statement_block":
		last := node(-1)
		for c := range b.t.NamedChildren(n) {
			if b.t.Kind(c) != "comment" {
				last = c
			}
		}
		return b.exits(last)
	}
	return false
}

// switchCases walks the cases of a switch. In switch (x.kind) and switch (typeof
// x) a case says what x is, unless the case before may run on into it.
func (b *builder) switchCases(n, body node, e env) {
	subject := b.unwrap(b.t.Field(n, "value"))
	e.scope = b.scope(graph.ScopeBlock, e.scope, e.sym)
	open, all := false, []finding(nil)
	for c := range b.t.NamedChildren(body) {
		if b.t.Kind(c) != "switch_case" {
			b.statement(c, e)
			open, all = true, nil
			continue
		}
		b.value(b.t.Field(c, "value"), e)
		found := b.equality(subject, b.t.Field(c, "value"), true, c, e)
		if open {
			found = b.oneOf(all, found, c, e)
		}
		all = found
		last, from := node(-1), len(b.f.Bindings)
		b.narrow(all, e.scope, b.t.Start(c))
		for s := range b.t.NamedChildren(c) {
			if s == b.t.Field(c, "value") || b.t.Kind(s) == "comment" {
				continue
			}
			b.statement(s, e)
			last = s
		}
		for _, x := range b.f.Bindings[from:min(from+len(all), len(b.f.Bindings))] {
			b.f.Bindings = append(b.f.Bindings, binding(x.Scope, x.Name, graph.BindNarrow, b.t.End(c)))
		}
		open = !b.exits(last)
		if open && last >= 0 {
			all = nil // what ran before may have changed it
		}
	}
}
