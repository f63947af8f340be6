package python

import (
	"strconv"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// assignment reads a = b = value and a: T = value. Statement is the whole
// statement, which is where a variable is defined.
func (r *reader) assignment(n, statement treesitter.Node) {
	declared, value := int32(graph.None), int32(graph.None)
	annotation := r.tree.Field(n, "type")
	var targets []treesitter.Node
	right := n
	for r.tree.Kind(right) == "assignment" {
		targets = append(targets, r.tree.Field(right, "left"))
		right = r.tree.Field(right, "right")
	}
	for _, t := range targets {
		r.defineVariables(t, statement, annotation)
		r.noteAllAssigned(t, right)
		r.noteFlag(t, right)
	}
	at := r.at
	if s := r.variableOf(targets[0], statement); s != graph.None {
		at.from = s
	}
	r.inside(at, func() {
		if annotation != treesitter.None {
			declared = r.typeExpr(annotation)
		}
		if right != treesitter.None {
			value = r.value(right)
		}
	})
	for _, t := range targets {
		r.bindAgain(t, value, statement)
		r.assign(t, value, declared, statement)
	}
}

// A bound says how a name of a function was bound so far.
type bound struct {
	before  bool // at all
	outside bool // also by a function in it, which may run at any time
}

// noteBound remembers that a name of a function has a binding.
func (r *reader) noteBound(b *graph.Binding) {
	switch b.Kind {
	case graph.BindParameter, graph.BindVariable, graph.BindImport, graph.BindDefinition:
		if r.facts.Scopes[b.Scope].Kind == graph.ScopeFunction {
			was := r.bound[scopedName{b.Scope, b.Name}]
			was.outside = was.outside || b.Kind != graph.BindParameter && b.Scope != r.at.holder
			was.before = true
			r.bound[scopedName{b.Scope, b.Name}] = was
		}
	}
}

// bindAgain notes that an assignment takes the earlier values of a name away: a
// statement of the function's own body runs before all that stands behind it. One
// below an if, a loop or a try may not have run.
func (r *reader) bindAgain(target treesitter.Node, value int32, statement treesitter.Node) {
	if r.tree.Kind(target) != "identifier" || value == graph.None || r.facts.Scopes[r.at.holder].Kind != graph.ScopeFunction {
		return
	}
	name := r.tree.Text(target)
	was := r.bound[scopedName{r.at.holder, name}]
	body := r.tree.Parent(statement)
	if was.before && !was.outside && r.holderOf(name) == r.at.holder && r.tree.Kind(r.tree.Parent(body)) == "function_definition" {
		b := r.binding(graph.BindAgain, r.at.holder, name, r.startOf(target))
		b.Value = value
		r.bind(b)
	}
}

func (r *reader) value(n treesitter.Node) int32 {
	if r.tree.Kind(n) == "augmented_assignment" {
		r.augmentedAssignment(n)
		return graph.None
	}
	return r.expr(n)
}

func (r *reader) augmentedAssignment(n treesitter.Node) {
	left, right := r.tree.Field(n, "left"), r.tree.Field(n, "right")
	r.expr(left)
	r.value(right)
	if r.tree.Text(left) == "__all__" {
		r.addAll(right)
	}
}

// defineVariables makes symbols of the names that an assignment to the target
// defines first, at file level and in class bodies.
func (r *reader) defineVariables(target, statement, annotation treesitter.Node) {
	switch r.tree.Kind(target) {
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list":
		for _, c := range r.children(target) {
			r.defineVariables(c, statement, treesitter.None)
		}
		return
	case "list_splat_pattern":
		r.defineVariables(r.first(target), statement, treesitter.None)
		return
	case "identifier":
	default:
		return
	}
	name := r.tree.Text(target)
	holder := r.holderOf(name)
	scope := r.facts.Scopes[holder].Kind
	key := scopedName{holder, name}
	if _, known := r.defined[key]; known || scope != graph.ScopeFile && scope != graph.ScopeClass {
		return
	}
	at := r.at
	if holder == 0 {
		at.from = 0
	}
	r.inside(at, func() {
		s := r.newSymbol(r.variableKind(name, scope, annotation), statement, statement, target)
		r.defined[key] = s
		r.facts.Symbols[s].Signature = name
		if annotation != treesitter.None {
			r.facts.Symbols[s].Signature = name + ": " + r.folded(annotation)
			r.facts.Symbols[s].ResultText = r.folded(annotation)
		}
	})
}

func (r *reader) variableKind(name string, scope graph.ScopeKind, annotation treesitter.Node) graph.Kind {
	text := r.tree.Text(annotation)
	if scope == graph.ScopeClass {
		if r.facts.Symbols[r.at.from].Kind == graph.KindEnum && annotation == treesitter.None && !strings.HasPrefix(name, "_") {
			return graph.KindMember
		}
		return graph.KindField
	}
	switch {
	case strings.HasSuffix(text, "TypeAlias"):
		return graph.KindType
	case strings.Contains(text, "Final"), isConstantName(name):
		return graph.KindConstant
	}
	return graph.KindVariable
}

func isConstantName(name string) bool {
	return name == strings.ToUpper(name) && name != strings.ToLower(name)
}

// variableOf is the variable symbol that this statement itself defines.
func (r *reader) variableOf(target, statement treesitter.Node) int32 {
	for r.tree.Kind(target) != "identifier" {
		switch r.tree.Kind(target) {
		case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "list_splat_pattern":
			target = r.first(target)
		default:
			return graph.None
		}
	}
	name := r.tree.Text(target)
	s, ok := r.defined[scopedName{r.holderOf(name), name}]
	if !ok || r.origins[s].node != statement || r.facts.Symbols[s].NameAt != r.startOf(target) {
		return graph.None
	}
	return s
}

// assign binds the names of a target to a value.
func (r *reader) assign(target treesitter.Node, value, declared int32, statement treesitter.Node) {
	if r.tree.Kind(target) == "attribute" && r.selfAttribute(target, value, declared, statement) {
		return
	}
	r.target(target, value, declared)
}

// target binds the names of an assignment target: a name, a pattern, an
// attribute or an element.
func (r *reader) target(n treesitter.Node, value, declared int32) {
	switch r.tree.Kind(n) {
	case "identifier":
		r.bindName(n, value, declared)
	case "pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list":
		r.unpack(n, value)
	case "list_splat_pattern", "list_splat":
		r.target(r.first(n), graph.None, graph.None)
	case "attribute":
		if !r.selfAttribute(n, value, declared, r.statementOf(n)) {
			r.bindPath(n, value, declared)
		}
	case "as_pattern_target", "parenthesized_expression":
		r.target(r.first(n), value, declared)
	case "":
	case "subscript":
		r.expr(n)
		r.bindElement(r.tree.Field(n, "value"), value, r.startOf(n))
	default:
		r.expr(n)
	}
}

// statementOf climbs to the assignment statement around n; n itself if it is
// the target of a for or with.
func (r *reader) statementOf(n treesitter.Node) treesitter.Node {
	for p := r.tree.Parent(n); p != treesitter.None && r.tree.Kind(p) != "block"; p = r.tree.Parent(p) {
		if r.tree.Kind(p) == "expression_statement" {
			return p
		}
	}
	return n
}

// unpack binds the targets of a, *b, c = value.
func (r *reader) unpack(n treesitter.Node, value int32) {
	targets := r.children(n)
	starred := false
	for i, c := range targets {
		after := len(targets) - 1 - i
		switch k := r.tree.Kind(c); {
		case k == "list_splat_pattern" || k == "list_splat":
			r.target(r.first(c), r.rest(n, value, i, after), graph.None)
			starred = true
		case starred:
			r.target(c, r.part(n, value, -1-after), graph.None)
		default:
			r.target(c, r.part(n, value, i), graph.None)
		}
	}
}

// rest is a list of what is unpacked between the first before and the last after.
func (r *reader) rest(n treesitter.Node, value int32, before, after int) int32 {
	if value == graph.None {
		return graph.None
	}
	e := &r.facts.Exprs[value]
	if e.Kind == graph.ExprTuple && before+after <= len(e.Args) {
		return r.newExpr(graph.Expr{Kind: graph.ExprList, Base: graph.None, Args: e.Args[before : len(e.Args)-after]}, n)
	}
	all := r.newExpr(graph.Expr{Kind: graph.ExprSpread, Name: "*", Base: value}, n)
	return r.newExpr(graph.Expr{Kind: graph.ExprList, Base: graph.None, Args: []int32{all}}, n)
}

// part is element i of the value that is unpacked, counted from the end if i is
// negative.
func (r *reader) part(n treesitter.Node, value int32, i int) int32 {
	if value == graph.None {
		return graph.None
	}
	e := &r.facts.Exprs[value]
	if at := i; e.Kind == graph.ExprTuple {
		if at < 0 {
			at += len(e.Args)
		}
		if 0 <= at && at < len(e.Args) {
			return e.Args[at]
		}
	}
	index := r.newExpr(graph.Expr{Kind: graph.ExprNumber, Name: strconv.Itoa(i), Base: graph.None}, n)
	return r.newExpr(graph.Expr{Kind: graph.ExprIndex, Base: value, Args: []int32{index}}, n)
}

func (r *reader) bindName(n treesitter.Node, value, declared int32) {
	name := r.tree.Text(n)
	holder := r.holderOf(name)
	b := r.binding(graph.BindVariable, holder, name, r.startOf(n))
	b.Value, b.Type = value, declared
	if s, ok := r.defined[scopedName{holder, name}]; ok {
		switch r.facts.Symbols[s].Kind {
		case graph.KindVariable, graph.KindConstant, graph.KindField, graph.KindMember, graph.KindType:
			b.Symbol = s
		}
	}
	r.bind(b)
	if holder != r.at.holder {
		r.read(n)
	}
}

// bindPath binds a dotted path such as module.name = value, so that the linker
// can tell that the name is made here.
func (r *reader) bindPath(n treesitter.Node, value, declared int32) {
	r.expr(n)
	if !r.dotted(n) {
		return
	}
	b := r.binding(graph.BindVariable, r.at.holder, r.compact(n), r.startOf(n))
	b.Value, b.Type = value, declared
	r.bind(b)
}

// selfAttribute binds self.x = value in the class; false if it is none.
func (r *reader) selfAttribute(n treesitter.Node, value, declared int32, statement treesitter.Node) bool {
	object, name := r.tree.Field(n, "object"), r.tree.Field(n, "attribute")
	if r.at.class == graph.None || r.tree.Text(object) != r.at.self {
		return false
	}
	scope := r.facts.Symbols[r.at.class].Scope
	b := r.binding(graph.BindAttribute, scope, r.tree.Text(name), r.startOf(name))
	b.Value, b.Type = value, declared
	i := r.bind(b)
	r.attributes[r.at.class] = append(r.attributes[r.at.class], attribute{binding: i, node: statement, name: name})
	r.expr(n)
	return true
}

// typeAlias reads type X = T.
func (r *reader) typeAlias(n treesitter.Node) {
	left, right := r.first(r.tree.Field(n, "left")), r.tree.Field(n, "right")
	for r.tree.Kind(left) == "generic_type" {
		left = r.first(left)
	}
	if r.tree.Kind(left) != "identifier" {
		return
	}
	at := r.at
	name := r.tree.Text(left)
	symbol := int32(graph.None)
	if k := r.facts.Scopes[r.at.holder].Kind; k == graph.ScopeFile || k == graph.ScopeClass {
		symbol = r.newSymbol(graph.KindType, n, n, left)
		r.facts.Symbols[symbol].Signature = "type " + name
		r.defined[scopedName{r.at.holder, name}] = symbol
		at.from = symbol
	}
	b := r.binding(graph.BindVariable, r.at.holder, name, r.startOf(left))
	b.Symbol = symbol
	r.inside(at, func() { b.Value = r.typeExpr(right) })
	r.bind(b)
}
