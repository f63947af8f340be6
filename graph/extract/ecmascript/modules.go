package ecmascript

import (
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// frameworks are the modules whose functions make test blocks.
var frameworks = map[string]string{
	"vitest": "vitest", "@jest/globals": "jest", "node:test": "node:test", "mocha": "mocha",
	"bun:test": "bun", "@playwright/test": "playwright", "ava": "ava", "tape": "tape", "uvu": "uvu",
}

// listed notes the local names that export statements list, before anything is
// walked: they may stand below what they export.
func (b *builder) listed(root node) {
	for c := range b.t.NamedChildren(root) {
		if b.t.Kind(c) != "export_statement" || b.t.Field(c, "source") >= 0 {
			continue
		}
		for s := range b.t.NamedChildren(b.t.Child(c, "export_clause")) {
			if b.t.Kind(s) == "export_specifier" {
				b.exported[b.text(b.t.Field(s, "name"))] = true
			}
		}
		if v := b.t.Field(c, "value"); b.t.Kind(v) == "identifier" {
			b.exported[b.text(v)] = true
		}
	}
}

// addImport adds an import and its reference, and binds its local name if it
// has one. It returns the import.
func (b *builder) addImport(x graph.Import, n node, scope int32, e env) int32 {
	x.From, x.Line = e.sym, b.t.Line(n)
	i := int32(len(b.f.Imports))
	b.f.Imports = append(b.f.Imports, x)
	if x.Alias != "" {
		bound := binding(scope, x.Alias, graph.BindImport, b.t.Start(n))
		bound.Import = i
		b.bind(bound)
		if f := frameworks[x.Module]; f != "" {
			b.frameworks[x.Alias] = f
		}
	}
	return i
}

// importStatement walks import … from "…" and import x = require("…").
func (b *builder) importStatement(n node, e env) {
	if c := b.t.Child(n, "import_require_clause"); c >= 0 {
		name := b.t.Child(c, "identifier")
		b.addImport(graph.Import{Module: b.literal(b.t.Field(c, "source")), Name: "=", Alias: b.text(name),
			TypeOnly: b.has(n, "type")}, name, e.scope, e)
		return
	}
	module := b.literal(b.t.Field(n, "source"))
	typeOnly := b.has(n, "type") || b.has(n, "typeof")
	clause := b.t.Child(n, "import_clause")
	if clause < 0 {
		b.addImport(graph.Import{Module: module, TypeOnly: typeOnly}, n, e.scope, e)
		return
	}
	for c := range b.t.NamedChildren(clause) {
		switch b.t.Kind(c) {
		case "identifier":
			b.addImport(graph.Import{Module: module, Name: "default", Alias: b.text(c), TypeOnly: typeOnly}, c, e.scope, e)
		case "namespace_import":
			b.addImport(graph.Import{Module: module, Name: "*", Alias: b.text(b.firstNamed(c)), TypeOnly: typeOnly}, c, e.scope, e)
		case "named_imports":
			for s := range b.t.NamedChildren(c) {
				if b.t.Kind(s) == "import_specifier" {
					b.importSpecifier(s, module, typeOnly, e)
				}
			}
		}
	}
}

func (b *builder) importSpecifier(n node, module string, typeOnly bool, e env) {
	name, alias := b.t.Field(n, "name"), b.t.Field(n, "alias")
	if alias < 0 {
		alias = name
	}
	b.addImport(graph.Import{Module: module, Name: b.exportName(name), Alias: b.text(alias),
		TypeOnly: typeOnly || b.has(n, "type")}, n, e.scope, e)
}

// exportName is the name of an export; it may be written as a string.
func (b *builder) exportName(n node) string {
	if b.t.Kind(n) == "string" {
		return b.literal(n)
	}
	return b.text(n)
}

// exportStatement walks every form of export.
func (b *builder) exportStatement(n node, e env) {
	var decorators []node
	for c := range b.t.NamedChildren(n) {
		if b.t.Kind(c) == "decorator" {
			decorators = append(decorators, c)
		}
	}
	declaration, source := b.t.Field(n, "declaration"), b.t.Field(n, "source")
	switch {
	case declaration >= 0:
		b.exportDeclaration(n, declaration, decorators, e)
	case source >= 0:
		b.reexport(n, b.literal(source), e)
	case b.t.Child(n, "export_clause") >= 0:
		b.exportList(n, e)
	case b.has(n, "default"):
		b.exportDefault(n, b.t.Field(n, "value"), decorators, e)
	case b.has(n, "="):
		v := b.owned(b.firstNamed(n), e.sym, e)
		b.export(graph.Export{Name: "=", Import: graph.None, Expr: v}, n)
	default:
		b.statementsOrValues(n, e)
	}
}

func (b *builder) export(x graph.Export, n node) {
	x.Line = b.t.Line(n)
	b.f.Exports = append(b.f.Exports, x)
}

// exportDeclaration walks export const x, export function f, export default
// function f and the like.
func (b *builder) exportDeclaration(n, declaration node, decorators []node, e env) {
	bindings, symbols := len(b.f.Bindings), int32(len(b.f.Symbols))
	if !b.declaration(declaration, n, decorators, true, e) {
		b.value(declaration, e)
		return
	}
	if b.has(n, "default") {
		// Sub-definitions follow their owner, so the first new symbol is it.
		b.f.Symbols[symbols].Flags |= graph.FlagDefault
		i := b.expr(graph.ExprFunction, declaration, e)
		if b.f.Symbols[symbols].Kind == graph.KindClass {
			b.f.Exprs[i].Kind = graph.ExprClass
		}
		b.f.Exprs[i].Symbol = symbols
		x := graph.Export{Name: "default", Import: graph.None, Expr: i}
		if b.f.Symbols[symbols].Kind == graph.KindInterface {
			x.Local, x.Expr = b.f.Symbols[symbols].Name, graph.None
		}
		b.export(x, n)
		return
	}
	// What was bound in the scope of the statement is what it exports.
	seen := map[string]bool{}
	for _, x := range b.f.Bindings[bindings:] {
		if x.Scope == e.scope && x.Kind != graph.BindParameter && !seen[x.Name] {
			seen[x.Name] = true
			if b.fileLevel(e) {
				b.export(graph.Export{Name: x.Name, Local: x.Name, Import: graph.None, Expr: graph.None}, n)
			}
		}
	}
}

// exportList walks export { a, b as c }.
func (b *builder) exportList(n node, e env) {
	for s := range b.t.NamedChildren(b.t.Child(n, "export_clause")) {
		if b.t.Kind(s) != "export_specifier" {
			continue
		}
		name, alias := b.t.Field(s, "name"), b.t.Field(s, "alias")
		if alias < 0 {
			alias = name
		}
		if i := b.importBound(b.text(name), e); i != graph.None {
			x := b.f.Imports[i]
			b.passOn(graph.Import{Module: x.Module, Name: x.Name, TypeOnly: x.TypeOnly}, s, alias, e)
		} else if b.fileLevel(e) {
			b.export(graph.Export{Name: b.exportName(alias), Local: b.text(name), Import: graph.None, Expr: graph.None}, s)
		}
	}
}

// importBound is the import that a name of the file stands for, or None.
func (b *builder) importBound(name string, e env) int32 {
	for _, k := range b.lookup(e.scope, name) {
		if x := &b.f.Bindings[k]; x.Kind == graph.BindImport && b.fileLevel(e) {
			return x.Import
		}
	}
	return graph.None
}

// reexport walks export … from "…".
func (b *builder) reexport(n node, module string, e env) {
	typeOnly := b.has(n, "type") || strings.HasPrefix(treesitter.Fold(b.t.Source[b.t.Start(n):b.t.End(n)], 16), "export type ")
	clause, namespace := b.t.Child(n, "export_clause"), b.t.Child(n, "namespace_export")
	switch {
	case clause >= 0:
		for s := range b.t.NamedChildren(clause) {
			if b.t.Kind(s) != "export_specifier" {
				continue
			}
			name, alias := b.t.Field(s, "name"), b.t.Field(s, "alias")
			if alias < 0 {
				alias = name
			}
			b.passOn(graph.Import{Module: module, Name: b.exportName(name), TypeOnly: typeOnly || b.has(s, "type")}, s, alias, e)
		}
	case namespace >= 0:
		b.passOn(graph.Import{Module: module, Name: "*", TypeOnly: typeOnly}, namespace, b.firstNamed(namespace), e)
	default:
		b.passOnAll(n, graph.Import{Module: module, Name: "*", TypeOnly: typeOnly}, e)
	}
}

// passOnAll adds export * from "…". The module tells several of them apart.
func (b *builder) passOnAll(n node, x graph.Import, e env) {
	own := e
	own.sym = b.symbol(graph.SymbolFact{Name: "*", Kind: graph.KindReexport, Parent: e.sym, NameAt: b.t.Start(n),
		Discriminator: x.Module, Exported: true}, parts{node: n, body: treesitter.None})
	i := b.addImport(x, n, e.scope, own)
	b.export(graph.Export{Name: "*", Import: i, Expr: graph.None}, n)
}

// passOn adds one re-exported name, which is a definition of its own kind.
func (b *builder) passOn(x graph.Import, n, alias node, e env) {
	name := b.exportName(alias)
	sym := b.symbol(graph.SymbolFact{Name: name, Kind: graph.KindReexport, Parent: e.sym, NameAt: b.t.Start(alias),
		Exported: true}, parts{node: n, body: treesitter.None})
	own := e
	own.sym = sym
	i := b.addImport(x, n, e.scope, own)
	b.export(graph.Export{Name: name, Import: i, Expr: graph.None}, n)
}

// exportDefault walks export default <expression>.
func (b *builder) exportDefault(n, value node, decorators []node, e env) {
	inner := b.unwrap(value)
	h := head{outer: n, decorators: decorators, byDefault: true}
	var i int32
	switch {
	case b.isFunction(inner):
		s := b.fact(b.t.Field(inner, "name"), graph.KindFunction, h, e)
		if s.Name == "" {
			s.Name, s.NameAt = "default", b.t.Start(inner)
		}
		sym := b.symbol(s, b.partsOf(h, b.t.Field(inner, "body")))
		i = b.expr(graph.ExprFunction, inner, e)
		b.f.Exprs[i].Symbol = sym
		b.functionValue(inner, sym, e)
	case b.t.Kind(inner) == "class":
		i = b.expr(graph.ExprClass, inner, e)
		sym := b.class(inner, b.t.Field(inner, "name"), h, graph.None, e)
		b.f.Exprs[i].Symbol = sym
	default:
		i = b.owned(value, e.sym, e)
	}
	b.export(graph.Export{Name: "default", Import: graph.None, Expr: i}, n)
}

// requireCall reports whether n is require("…") of the module system.
func (b *builder) requireCall(n node) bool {
	return b.t.Kind(n) == "call_expression" && b.text(b.t.Field(n, "function")) == "require" &&
		b.t.Kind(b.firstNamed(b.t.Field(n, "arguments"))) == "string"
}

// shadowed reports whether a name of the module system is bound by the file itself.
func (b *builder) shadowed(name string, e env) bool { return len(b.lookup(e.scope, name)) > 0 }

func (b *builder) requireModule(n node) string {
	return b.literal(b.firstNamed(b.t.Field(n, "arguments")))
}

// dynamic reports whether code at e runs only when something calls it.
func (b *builder) dynamic(e env) bool { return e.vars != 0 }

// requireBinding walks const x = require("…").
func (b *builder) requireBinding(name, value node, scope int32, h head, e env) {
	b.addImport(graph.Import{Module: b.requireModule(value), Name: "=", Alias: b.text(name),
		Dynamic: b.dynamic(e), Guarded: b.guarded(value)}, name, scope, e)
	if h.exported && b.fileLevel(e) {
		b.export(graph.Export{Name: b.text(name), Local: b.text(name), Import: graph.None, Expr: graph.None}, name)
	}
}

// requirePattern walks const { a, b: c } = require("…").
func (b *builder) requirePattern(pattern, value node, scope int32, h head, e env) {
	x := graph.Import{Module: b.requireModule(value), Dynamic: b.dynamic(e), Guarded: b.guarded(value)}
	for c := range b.t.NamedChildren(pattern) {
		one := x
		switch b.t.Kind(c) {
		case "shorthand_property_identifier_pattern":
			one.Name, one.Alias = b.text(c), b.text(c)
		case "object_assignment_pattern":
			one.Name = b.text(b.t.Field(c, "left"))
			one.Alias = one.Name
			b.value(b.t.Field(c, "right"), e)
		case "pair_pattern":
			one.Name = b.key(b.t.Field(c, "key"), e)
			inner := b.t.Field(c, "value")
			if b.t.Kind(inner) != "identifier" {
				i := b.requireExpr(value, one.Module, e)
				part := b.member(c, i, one.Name, e)
				b.pattern(inner, target{kind: graph.BindVariable, scope: scope, typ: graph.None, value: part}, e)
				continue
			}
			one.Alias = b.text(inner)
		case "rest_pattern":
			one.Name, one.Alias = "=", b.text(b.firstNamed(c))
		default:
			continue
		}
		b.addImport(one, c, scope, e)
	}
}

// guarded reports whether n stands in a try statement of its function.
func (b *builder) guarded(n node) bool {
	for p := b.t.Parent(n); p >= 0; p = b.t.Parent(p) {
		switch b.t.Kind(p) {
		case "try_statement":
			return true
		case "function_declaration", "function_expression", "arrow_function", "method_definition":
			return false
		}
	}
	return false
}

// requireExpr adds an expression whose value is the module.
func (b *builder) requireExpr(n node, module string, e env) int32 {
	k := b.addImport(graph.Import{Module: module, Name: "=", Dynamic: b.dynamic(e), Guarded: b.guarded(n)}, n, e.scope, e)
	i := b.named(graph.ExprRequire, n, module, e)
	b.f.Exprs[i].Symbol = k
	return i
}

// importCall walks require("…") and import("…").
func (b *builder) importCall(n, function, args node, e env) (int32, bool) {
	dynamic := b.t.Kind(function) == "import"
	if !dynamic && (!b.requireCall(n) || b.shadowed("require", e)) {
		return graph.None, false
	}
	first := b.firstNamed(args)
	if b.t.Kind(first) != "string" {
		b.operands(args, e)
		return graph.None, true
	}
	i := b.requireExpr(n, b.literal(first), e)
	if !dynamic {
		return i, true
	}
	x := &b.f.Imports[b.f.Exprs[i].Symbol]
	x.Name, x.Dynamic = "*", true
	// import() gives a promise of the module.
	p := b.on(graph.ExprCall, n, i, e)
	b.f.Exprs[p].Name = "import"
	return p, true
}

// dotted splits a.b.c into its names; nil if it is anything else.
func (b *builder) dotted(n node) []string {
	switch b.t.Kind(n) {
	case "identifier", "this":
		return []string{b.text(n)}
	case "member_expression":
		if left := b.dotted(b.t.Field(n, "object")); left != nil {
			return append(left, b.text(b.t.Field(n, "property")))
		}
	}
	return nil
}

// exportsPath is the name that an assignment to this path exports: "=" for the
// whole module, "" if the path is no export.
func (b *builder) exportsPath(path []string, e env) string {
	if len(path) > 0 && path[0] == "module" && !b.shadowed("module", e) {
		if len(path) < 2 || path[1] != "exports" {
			return ""
		}
		path = path[1:]
	}
	alias := len(path) == 2 && b.aliases[path[0]] && b.atFile(path[0], e)
	switch {
	case len(path) == 0 || !alias && (path[0] != "exports" || b.shadowed("exports", e)):
		return ""
	case len(path) == 1:
		return "="
	case len(path) == 2:
		return path[1]
	}
	return ""
}

// atFile reports whether a name seen from e is bound at file level.
func (b *builder) atFile(name string, e env) bool {
	found := b.lookup(e.scope, name)
	return len(found) > 0 && b.f.Bindings[found[0]].Scope == 0
}

// isExports reports whether n is module.exports, or an assignment to it.
func (b *builder) isExports(n node, e env) bool {
	for b.t.Kind(n) == "assignment_expression" {
		if b.exportsPath(b.dotted(b.t.Field(n, "left")), e) == "=" {
			return true
		}
		n = b.t.Field(n, "right")
	}
	return b.exportsPath(b.dotted(n), e) == "="
}

// assignsExports walks Object.assign(module.exports, {…}).
func (b *builder) assignsExports(n, function, args node, e env) bool {
	if b.text(function) != "Object.assign" {
		return false
	}
	first := b.firstNamed(args)
	if b.exportsPath(b.dotted(first), e) != "=" {
		return false
	}
	for c := range b.t.NamedChildren(args) {
		if c == first || b.t.Kind(c) == "comment" {
			continue
		}
		b.export(graph.Export{Name: "=", Import: graph.None, Expr: b.owned(c, 0, e)}, n)
	}
	return true
}

// assignment walks left = right and what it says about exports, prototypes
// and members.
func (b *builder) assignment(n node, e env) int32 {
	left, right := b.t.Field(n, "left"), b.t.Field(n, "right")
	path := b.dotted(left)
	if name := b.exportsPath(path, e); name != "" {
		v := b.exportAssignment(n, path[0], name, right, e)
		if b.aliases[path[0]] {
			b.value(b.t.Field(left, "object"), e)
			b.attach(path[:1], name, b.definitionOf(v), v, left, e)
		}
		return v
	}
	if len(path) > 1 {
		v := b.memberAssignment(n, left, path, right, e)
		b.renewed(strings.Join(path, "."), b.t.End(n), e)
		return v
	}
	if held := b.fileVariable(left, e); held != graph.None && b.isFunction(b.unwrap(right)) {
		v := b.heldFunction(n, b.unwrap(right), held, e)
		b.assigned(left, v, e)
		return v
	}
	v := b.value(right, e)
	b.assigned(left, v, e)
	return v
}

// fileVariable is the variable of the file that code outside of functions sets by
// its name n, or None.
func (b *builder) fileVariable(n node, e env) int32 {
	if b.t.Kind(n) != "identifier" || b.dynamic(e) {
		return graph.None
	}
	sym := b.symbolNamed(e.scope, b.text(n))
	if sym == graph.None || b.f.Symbols[sym].Kind != graph.KindVariable {
		return graph.None
	}
	return sym
}

// heldFunction makes a definition of a function that a variable gets after its
// declaration, as in let f; if (x) f = () => {}.
func (b *builder) heldFunction(n, inner node, variable int32, e env) int32 {
	v := b.f.Symbols[variable]
	h := head{outer: b.statementOf(n), exported: v.Exported}
	s := graph.SymbolFact{Name: v.Name, Kind: graph.KindFunction, Parent: v.Parent, NameAt: b.t.Start(n), Exported: v.Exported}
	sym := b.symbol(s, b.partsOf(h, b.t.Field(inner, "body")))
	i := b.expr(graph.ExprFunction, inner, e)
	b.f.Exprs[i].Symbol = sym
	b.functionValue(inner, sym, e)
	own := e
	own.sym = variable
	b.ref(graph.EdgeReference, i, v.Name, b.t.Line(n), graph.None, own)
	return i
}

// exportAssignment walks module.exports = …, exports.name = ….
func (b *builder) exportAssignment(n node, object, name string, right node, e env) int32 {
	inner := b.unwrap(right)
	var v int32
	switch {
	case b.isFunction(inner) || b.t.Kind(inner) == "class":
		self := this{class: graph.None, base: graph.None}
		if name != "=" {
			self.base = b.named(graph.ExprName, n, object, e)
			if object == "module" {
				self.base = b.member(n, self.base, "exports", e)
			}
		}
		v = b.assignedFunction(n, inner, name, 0, "", self, e)
	case name == "=":
		v = b.owned(right, 0, e)
	case b.t.Kind(inner) == "identifier" || b.t.Kind(inner) == "assignment_expression" ||
		b.t.Kind(inner) == "member_expression" || b.requireCall(inner) || !b.fileLevel(e):
		v = b.value(right, e)
	default:
		v = b.exportedVariable(n, name, right, e)
	}
	b.export(graph.Export{Name: name, Import: graph.None, Expr: v}, n)
	return v
}

// definitionOf is the definition that an expression is, or None.
func (b *builder) definitionOf(i int32) int32 {
	if i == graph.None {
		return graph.None
	}
	switch x := &b.f.Exprs[i]; x.Kind {
	case graph.ExprFunction, graph.ExprClass:
		return x.Symbol
	case graph.ExprName:
		if strings.HasPrefix(x.Name, "exports.") {
			return b.symbolNamed(0, x.Name)
		}
	}
	return graph.None
}

// exportedVariable is a value that has no name but the one it is exported by.
func (b *builder) exportedVariable(n node, name string, right node, e env) int32 {
	sym := b.symbol(graph.SymbolFact{Name: name, Kind: graph.KindVariable, Parent: e.sym, NameAt: b.t.Start(n),
		Exported: true}, parts{node: b.statementOf(n), body: right, docs: b.docsBefore(b.statementOf(n))})
	own := e
	own.sym = sym
	x := binding(0, "exports."+name, graph.BindDefinition, b.t.Start(n))
	x.Symbol = sym
	x.Value = b.owned(right, sym, own)
	b.bind(x)
	return b.named(graph.ExprName, n, x.Name, e)
}

// statementOf is the statement that consists of the expression n, or n itself.
func (b *builder) statementOf(n node) node {
	if p := b.t.Parent(n); b.t.Kind(p) == "expression_statement" {
		return p
	}
	return n
}

// assignedFunction makes a definition of a function or class that is assigned
// rather than declared.
func (b *builder) assignedFunction(n, inner node, name string, parent int32, container string, self this, e env) int32 {
	exported := parent == 0 && container == ""
	if name == "=" {
		name = "default"
		if own := b.text(b.t.Field(inner, "name")); own != "" {
			name = own
		}
	}
	h := head{outer: b.statementOf(n), exported: exported}
	if b.t.Kind(inner) == "class" {
		i := b.expr(graph.ExprClass, inner, e)
		sym := b.class(inner, b.t.Field(inner, "name"), h, graph.None, e)
		b.f.Symbols[sym].Name = name
		b.f.Exprs[i].Symbol = sym
		return i
	}
	s := graph.SymbolFact{Name: name, Kind: graph.KindFunction, Parent: parent, Container: container,
		NameAt: b.t.Start(n), Exported: exported}
	if !exported {
		s.Kind = graph.KindMethod
	}
	sym := b.symbol(s, b.partsOf(h, b.t.Field(inner, "body")))
	i := b.expr(graph.ExprFunction, inner, e)
	b.f.Exprs[i].Symbol = sym
	if b.t.Kind(inner) == "arrow_function" {
		self = e.this
	} else if self.class == graph.None && self.base == graph.None {
		self.class = sym
	}
	b.function(inner, sym, self, e)
	return i
}

// memberAssignment walks A.b = …, A.prototype.b = … and this.b = ….
func (b *builder) memberAssignment(n, left node, path []string, right node, e env) int32 {
	last := path[len(path)-1]
	owner := path[:len(path)-1]
	if owner[0] == "this" {
		return b.thisAssignment(n, left, path, right, e)
	}
	prototype := len(owner) > 1 && owner[len(owner)-1] == "prototype"
	if prototype {
		owner = owner[:len(owner)-1]
	}
	b.value(b.t.Field(left, "object"), e)
	inner := b.unwrap(right)
	class := graph.None
	if len(owner) == 1 {
		class = b.symbolNamed(e.scope, owner[0])
	}
	if last == "prototype" && class != graph.None && b.t.Kind(inner) == "object" {
		return b.prototype(inner, owner, class, e)
	}
	if !b.isFunction(inner) {
		v := b.owned(right, graph.None, e)
		b.attach(owner, last, graph.None, v, left, e)
		return v
	}
	self := this{class: class, base: graph.None}
	parent, container := class, ""
	if class == graph.None {
		parent, container = e.sym, b.within(e.sym, strings.Join(owner, "."))
		if len(owner) == 1 {
			self.base = b.named(graph.ExprName, left, owner[0], e)
		}
		if len(owner) == 1 && prototype {
			self.base = b.on(graph.ExprNew, left, self.base, e)
		}
	} else if !prototype && b.f.Symbols[class].Kind != graph.KindClass && b.f.Symbols[class].Kind != graph.KindFunction {
		self = this{class: graph.None, base: b.named(graph.ExprName, left, owner[0], e)}
	} else if !prototype {
		self.static = true
	}
	v := b.assignedFunction(n, inner, last, parent, container, self, e)
	sym := b.f.Exprs[v].Symbol
	if class != graph.None && !prototype {
		b.f.Symbols[sym].Flags |= graph.FlagStatic
	}
	b.members[sym] = class != graph.None
	if b.handedIn(owner[0], e) {
		b.ref(graph.EdgeReference, v, last, b.t.Line(left), graph.None, e)
	}
	b.attach(owner, last, sym, v, left, e)
	return v
}

// prototype walks A.prototype = {…}: what the object has is what instances of
// A have, as if each was assigned to A.prototype alone.
func (b *builder) prototype(n node, owner []string, class int32, e env) int32 {
	i := b.objectWith(n, class, this{class: class, base: graph.None}, e)
	for _, a := range b.f.Exprs[i].Args {
		if k := &b.f.Exprs[a]; k.Kind == graph.ExprKeyword && k.Name != "" {
			if k.Symbol != graph.None {
				b.members[k.Symbol] = true
			}
			b.attach(owner, k.Name, k.Symbol, k.Base, n, e)
		}
	}
	return i
}

// within is the name of an object as seen from outside the definition sym that
// it is local to. The function that a CommonJS file exports adds nothing: what
// it is given has the name that readers know.
func (b *builder) within(sym int32, object string) string {
	if sym == 0 || b.f.Symbols[sym].Name == "default" {
		return object
	}
	name := b.f.Symbols[sym].Name
	if outer := b.f.Containers(sym); outer != "" {
		name = outer + "." + name
	}
	return name + "." + object
}

// handedIn reports whether a name is a parameter of a function without symbol:
// what is done to it is done by the definition around that function.
func (b *builder) handedIn(name string, e env) bool {
	found := b.lookup(e.scope, name)
	return len(found) > 0 && b.f.Bindings[found[0]].Kind == graph.BindParameter && b.f.Bindings[found[0]].Symbol == graph.None
}

// attach binds the name "A.b" where A is bound, so that A.b is found there; and
// "A.b.c" likewise.
func (b *builder) attach(owner []string, name string, sym, value int32, n node, e env) {
	found := b.lookup(e.scope, owner[0])
	if len(found) == 0 {
		return
	}
	x := binding(b.f.Bindings[found[0]].Scope, strings.Join(owner, ".")+"."+name, graph.BindVariable, b.t.Start(n))
	x.Symbol, x.Value = sym, value
	b.bind(x)
}

// thisAssignment walks this.b = … in a class or constructor function.
func (b *builder) thisAssignment(n, left node, path []string, right node, e env) int32 {
	i := b.memberValue(left, e)
	b.read(i, e)
	class := e.this.class
	if len(path) != 2 || class == graph.None {
		return b.value(right, e)
	}
	inner := b.unwrap(right)
	var v int32
	sym := graph.None
	if b.isFunction(inner) {
		v = b.assignedFunction(n, inner, path[1], class, "", e.this, e)
		sym = b.f.Exprs[v].Symbol
	} else {
		v = b.value(right, e)
	}
	scope := b.f.Symbols[class].Scope
	if scope == graph.None || v == graph.None {
		return v
	}
	x := binding(scope, path[1], graph.BindAttribute, b.t.Start(left))
	x.Symbol, x.Value = sym, v
	b.bind(x)
	return v
}
