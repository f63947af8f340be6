package python

import (
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// maxSignature bounds the text of one signature.
const maxSignature = 2000

// definition reads a function or class with its decorators.
func (r *reader) definition(outer treesitter.Node) {
	n := outer
	var decorators []treesitter.Node
	if r.tree.Kind(outer) == "decorated_definition" {
		n = r.tree.Field(outer, "definition")
		for c := range r.tree.NamedChildren(outer) {
			if r.tree.Kind(c) == "decorator" {
				decorators = append(decorators, r.first(c))
			}
		}
	}
	switch r.tree.Kind(n) {
	case "function_definition":
		r.function(outer, n, decorators)
	case "class_definition":
		r.class(outer, n, decorators)
	default:
		r.statements(outer)
	}
}

// newSymbol adds a definition below the symbol that the reader stands in.
func (r *reader) newSymbol(kind graph.Kind, outer, n, name treesitter.Node) int32 {
	text := r.tree.Text(name)
	s := graph.SymbolFact{
		Name: text, Kind: kind, Parent: r.at.from,
		Start: r.startWithComments(outer), End: r.endOf(outer), NameAt: r.startOf(name),
		Line: r.lineOf(n), EndLine: r.tree.EndLine(outer) + r.line,
		Result: graph.None, Scope: graph.None,
	}
	if strings.HasPrefix(text, "_") && !isDunder(text) {
		s.Flags |= graph.FlagPrivate
	}
	r.facts.Symbols = append(r.facts.Symbols, s)
	r.origins = append(r.origins, origin{outer: outer, node: n})
	return int32(len(r.facts.Symbols) - 1)
}

func isDunder(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// readDecorators evaluates decorators where they stand; they belong to symbol.
func (r *reader) readDecorators(symbol int32, decorators []treesitter.Node) {
	at := r.at
	at.from = symbol
	r.inside(at, func() {
		for _, d := range decorators {
			if d == treesitter.None {
				continue
			}
			e := r.expr(d)
			r.facts.Symbols[symbol].Decorators = append(r.facts.Symbols[symbol].Decorators, e)
		}
	})
}

// decoratorNames gives the last identifier and the whole text of each.
func (r *reader) decoratorNames(decorators []treesitter.Node) (last, full []string) {
	for _, d := range decorators {
		if r.tree.Kind(d) == "call" {
			d = r.tree.Field(d, "function")
		}
		text := r.tree.Text(d)
		full = append(full, text)
		last = append(last, text[strings.LastIndexByte(text, '.')+1:])
	}
	return last, full
}

func (r *reader) inClass() bool {
	return r.facts.Scopes[r.at.holder].Kind == graph.ScopeClass
}

func (r *reader) function(outer, n treesitter.Node, decorators []treesitter.Node) {
	kind := graph.KindFunction
	if r.inClass() {
		kind = graph.KindMethod
	}
	name := r.tree.Field(n, "name")
	s := r.newSymbol(kind, outer, n, name)
	r.defineName(name, s)
	r.readDecorators(s, decorators)
	last, full := r.decoratorNames(decorators)
	r.applyDecorators(s, last, full)
	if r.tree.Child(n, "async") != treesitter.None {
		r.facts.Symbols[s].Flags |= graph.FlagAsync
	}
	r.facts.Symbols[s].Signature = r.signature(n)
	parent := r.typeParameters(n, s)
	inner := r.newScope(graph.ScopeFunction, parent, s)
	r.facts.Symbols[s].Scope = inner
	at := r.at
	at.scope, at.holder, at.from, at.function = inner, inner, s, s
	r.parameters(r.tree.Field(n, "parameters"), s, parent, &at, kind == graph.KindMethod)
	if result := r.tree.Field(n, "return_type"); result != treesitter.None {
		sig := r.at
		sig.scope, sig.from = parent, s
		r.inside(sig, func() { r.facts.Symbols[s].Result = r.typeExpr(result) })
		r.facts.Symbols[s].ResultText = r.folded(result)
	}
	if f := &r.facts.Symbols[s]; f.Flags&graph.FlagOverload != 0 {
		f.Discriminator = overloadDiscriminator(f.Params)
	}
	r.testRule(s, full)
	r.noteSkipped(inner, outer, last)
	r.inside(at, func() { r.statement(r.tree.Field(n, "body")) })
}

// defineName binds the name of a function or class where it is defined.
func (r *reader) defineName(name treesitter.Node, symbol int32) {
	text := r.tree.Text(name)
	holder := r.holderOf(text)
	b := r.binding(graph.BindDefinition, holder, text, r.startOf(name))
	b.Symbol = symbol
	r.bind(b)
	r.defined[scopedName{holder, text}] = symbol
}

// applyDecorators reads the decorators whose meaning the language fixes.
func (r *reader) applyDecorators(s int32, last, full []string) {
	f := &r.facts.Symbols[s]
	for i, name := range last {
		switch {
		case name == "staticmethod":
			f.Flags |= graph.FlagStatic
		case name == "classmethod":
			f.Flags |= graph.FlagClass
		case name == "abstractmethod":
			f.Flags |= graph.FlagAbstract
		case name == "overload":
			f.Flags |= graph.FlagOverload | graph.FlagTypeOnly
		case f.Kind != graph.KindMethod:
		case name == "property" || name == "cached_property" || name == "abstractproperty":
			f.Kind = graph.KindProperty
			f.Flags |= graph.FlagGetter
		case full[i] == f.Name+".setter":
			f.Kind, f.Discriminator = graph.KindProperty, "setter"
			f.Flags |= graph.FlagSetter
		case full[i] == f.Name+".deleter":
			f.Kind, f.Discriminator = graph.KindProperty, "deleter"
			f.Flags |= graph.FlagSetter
		case full[i] == f.Name+".getter":
			f.Kind, f.Discriminator = graph.KindProperty, "getter"
			f.Flags |= graph.FlagGetter
		}
	}
}

func overloadDiscriminator(params []graph.Param) string {
	types := make([]string, 0, len(params))
	for _, p := range params {
		if p.Kind != graph.ParamReceiver {
			types = append(types, p.TypeText)
		}
	}
	return "(" + strings.Join(types, ",") + ")"
}

// typeParameters opens a scope for def f[T] and class C[T] and returns it, or
// the scope that the definition stands in.
func (r *reader) typeParameters(n treesitter.Node, symbol int32) int32 {
	list := r.tree.Field(n, "type_parameters")
	if list == treesitter.None {
		return r.at.scope
	}
	scope := r.newScope(graph.ScopeBlock, r.at.scope, symbol)
	at := r.at
	at.scope, at.from = scope, symbol
	r.inside(at, func() {
		for _, p := range r.children(list) {
			inner := r.first(p)
			name, bound := inner, int32(graph.None)
			if r.tree.Kind(inner) == "constrained_type" {
				parts := r.children(inner)
				name = r.first(parts[0])
				if len(parts) > 1 {
					bound = r.typeExpr(parts[1])
				}
			}
			if r.tree.Kind(name) == "identifier" {
				b := r.binding(graph.BindVariable, scope, r.tree.Text(name), r.startOf(name))
				b.Type = bound
				r.bind(b)
			}
		}
	})
	return scope
}

func (r *reader) class(outer, n treesitter.Node, decorators []treesitter.Node) {
	name := r.tree.Field(n, "name")
	s := r.newSymbol(graph.KindClass, outer, n, name)
	r.defineName(name, s)
	r.readDecorators(s, decorators)
	last, _ := r.decoratorNames(decorators)
	r.facts.Symbols[s].Signature = r.signature(n)
	parent := r.typeParameters(n, s)
	at := r.at
	at.scope, at.from = parent, s
	r.inside(at, func() { r.bases(r.tree.Field(n, "superclasses"), s) })
	inner := r.newScope(graph.ScopeClass, parent, s)
	r.facts.Symbols[s].Scope = inner
	r.noteSkipped(inner, outer, last)
	at = r.at
	at.scope, at.holder, at.from, at.class, at.self = inner, inner, s, graph.None, ""
	r.inside(at, func() { r.statement(r.tree.Field(n, "body")) })
	r.defineAttributes(s, inner)
}

// bases reads the argument list of a class.
func (r *reader) bases(list treesitter.Node, s int32) {
	if list == treesitter.None {
		return
	}
	for _, c := range r.children(list) {
		switch r.tree.Kind(c) {
		case "keyword_argument":
			r.expr(r.tree.Field(c, "value"))
		case "list_splat", "dictionary_splat":
			r.expr(c)
		default:
			e := r.base(c)
			r.facts.Symbols[s].Bases = append(r.facts.Symbols[s].Bases, e)
			r.ref(graph.EdgeInherit, e, r.baseName(c), graph.None, r.lineOf(c))
			r.classKind(s, r.baseName(c))
		}
	}
}

// base reads a base class: its own name is an inheritance, everything below
// it, such as type arguments, an ordinary reference.
func (r *reader) base(n treesitter.Node) int32 {
	switch r.tree.Kind(n) {
	case "identifier":
		return r.name(n)
	case "attribute":
		return r.member(n)
	case "subscript":
		e := graph.Expr{Kind: graph.ExprIndex, Base: r.base(r.tree.Field(n, "value"))}
		for _, a := range r.fields(n, "subscript") {
			e.Args = append(e.Args, r.typeExpr(a))
		}
		return r.newExpr(e, n)
	}
	return r.expr(n)
}

func (r *reader) baseName(n treesitter.Node) string {
	switch r.tree.Kind(n) {
	case "identifier":
		return r.tree.Text(n)
	case "attribute":
		return r.tree.Text(r.tree.Field(n, "attribute"))
	case "subscript":
		return r.baseName(r.tree.Field(n, "value"))
	}
	return ""
}

func (r *reader) classKind(s int32, base string) {
	switch base {
	case "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag":
		r.facts.Symbols[s].Kind = graph.KindEnum
	case "Protocol":
		r.facts.Symbols[s].Kind = graph.KindInterface
	}
}

// defineAttributes makes one field of each self.x that the class does not
// define in another way.
func (r *reader) defineAttributes(class, scope int32) {
	at := r.at
	at.from, at.holder, at.scope = class, scope, scope
	r.inside(at, func() {
		for _, a := range r.attributes[class] {
			b := &r.facts.Bindings[a.binding]
			key := scopedName{scope, b.Name}
			s, known := r.defined[key]
			if !known {
				s = r.newSymbol(graph.KindField, a.node, a.node, a.name)
				r.origins[s].part = true
				r.declareField(s, a.node)
				r.defined[key] = s
			}
			if k := r.facts.Symbols[s].Kind; k == graph.KindField || k == graph.KindMember {
				r.facts.Bindings[a.binding].Symbol = s
			}
		}
	})
	delete(r.attributes, class)
}

// declareField gives a field its signature: its name and, if its assignment
// declares one, its type.
func (r *reader) declareField(s int32, statement treesitter.Node) {
	f := &r.facts.Symbols[s]
	f.Signature = f.Name
	if annotation := r.tree.Field(r.tree.Child(statement, "assignment"), "type"); annotation != treesitter.None {
		f.ResultText = r.folded(annotation)
		f.Signature += ": " + f.ResultText
	}
}

// parameters reads a parameter list. Types and defaults are read where the
// function stands, of which they are a part; names are bound inside it.
func (r *reader) parameters(list treesitter.Node, s, outer int32, inner *place, method bool) {
	owner := r.at
	if owner.scope = outer; r.facts.Symbols[s].Kind != graph.KindLiteral {
		owner.from = s
	}
	receiver := method && r.facts.Symbols[s].Flags&graph.FlagStatic == 0
	byKeyword := false
	for _, c := range r.children(list) {
		switch r.tree.Kind(c) {
		case "keyword_separator":
			byKeyword = true
			continue
		case "positional_separator":
			continue
		}
		p, name := r.parameter(c, s, outer, byKeyword)
		if name == treesitter.None {
			continue
		}
		if p.Kind == graph.ParamVariadic {
			byKeyword = true
		}
		if receiver && len(r.facts.Symbols[s].Params) == 0 && p.Kind == graph.ParamPositional {
			p.Kind = graph.ParamReceiver
			inner.self, inner.class = p.Name, r.facts.Symbols[s].Parent
		} else if p.Name == inner.self {
			inner.self, inner.class = "", graph.None
		}
		value := int32(graph.None)
		if v := r.tree.Field(c, "value"); v != treesitter.None {
			r.inside(owner, func() { value = r.expr(v) })
		}
		b := r.binding(graph.BindParameter, inner.holder, p.Name, r.startOf(name))
		b.Symbol, b.Param, b.Type, b.Value = s, int32(len(r.facts.Symbols[s].Params)), p.Type, value
		r.bind(b)
		r.facts.Symbols[s].Params = append(r.facts.Symbols[s].Params, p)
	}
}

func (r *reader) parameter(c treesitter.Node, s, outer int32, byKeyword bool) (graph.Param, treesitter.Node) {
	p := graph.Param{Type: graph.None}
	name := c
	switch r.tree.Kind(c) {
	case "default_parameter", "typed_default_parameter":
		name = r.tree.Field(c, "name")
		p.Optional = true
	case "typed_parameter":
		name = r.first(c)
	}
	if byKeyword {
		p.Kind = graph.ParamNamed
	}
	switch r.tree.Kind(name) {
	case "list_splat_pattern":
		p.Kind, p.Optional = graph.ParamVariadic, true
		name = r.first(name)
	case "dictionary_splat_pattern":
		p.Kind, p.Optional = graph.ParamNamedRest, true
		name = r.first(name)
	}
	if r.tree.Kind(name) != "identifier" {
		return p, treesitter.None
	}
	p.Name = r.tree.Text(name)
	if t := r.tree.Field(c, "type"); t != treesitter.None {
		at := r.at
		at.scope, at.from = outer, s
		r.inside(at, func() { p.Type = r.typeExpr(t) })
		p.TypeText = r.folded(t)
	}
	return p, name
}
