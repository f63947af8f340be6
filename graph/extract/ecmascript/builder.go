package ecmascript

import (
	"bytes"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// node shortens what every function here is about.
type node = treesitter.Node

// signatureLimit bounds a signature as it is shown; its digest is not bounded.
const signatureLimit = 400

// builder fills the facts of one file in one walk over its tree.
type builder struct {
	t          *treesitter.Tree
	f          *graph.Facts
	parts      []parts              // of each symbol, for its digests
	reads      []int32              // indexes into f.Refs that count only if they leave their function
	bindingsAt []map[string][]int32 // bindings by scope and name
	frameworks map[string]string    // local name → test framework it comes from
	exported   map[string]bool      // local names that an export statement lists
	aliases    map[string]bool      // variables of the file that are module.exports
	definers   map[string]bool      // functions of the file that define a property of what they are given
	members    map[int32]bool       // definitions made by A.b = …, which are exported where A is
	narrowed   map[scopedName]bool  // names of which a scope says more
	paths      map[string][]string  // members of which a scope says more, by the name that they begin with
	setAt      map[string]int32     // where a name was set last
	literals   map[int32]int        // nameless function literals called on the spot, by definition
	typeParts  map[string]bool      // names that types of this file give to parts of themselves
}

// parts says which nodes of a definition its digests are made of.
type parts struct {
	node       node // the whole, without the comments before it
	body       node // or None
	decorators []node
	docs       []node // comments before it
	shared     bool   // its tokens count for the definition around it as well
}

// env is where the walk is.
type env struct {
	sym     int32 // innermost symbol
	scope   int32 // innermost scope
	vars    int32 // scope that var binds in
	this    this
	returns *[]int32 // what the innermost function returns
}

// this is what "this" means.
type this struct {
	class  int32 // class symbol, or None
	static bool
	base   int32 // expression that "this" is, or None
}

func newBuilder(t *treesitter.Tree, language string) *builder {
	b := &builder{
		t:          t,
		f:          &graph.Facts{Language: language, Version: version, Lines: t.Lines(), Gaps: t.Gaps()},
		frameworks: map[string]string{},
		exported:   map[string]bool{},
		aliases:    map[string]bool{},
		definers:   definers(t),
		members:    map[int32]bool{},
		narrowed:   map[scopedName]bool{},
		paths:      map[string][]string{},
		setAt:      map[string]int32{},
		literals:   map[int32]int{},
		typeParts:  map[string]bool{},
	}
	return b
}

// file walks the whole file.
func (b *builder) file() {
	root := b.t.Root()
	b.f.Generated = generated(b.t.Source)
	module := b.symbol(graph.SymbolFact{Kind: graph.KindModule, Parent: graph.None}, parts{node: root, body: root})
	b.f.Symbols[module].Start, b.f.Symbols[module].End = 0, int32(len(b.t.Source))
	b.f.Symbols[module].Line, b.f.Symbols[module].EndLine = 1, max(1, b.f.Lines)
	b.f.Symbols[module].NameAt = 0
	scope := b.scope(graph.ScopeFile, graph.None, module)
	b.f.Symbols[module].Scope = scope
	b.listed(root)
	e := env{sym: module, scope: scope, vars: scope, this: this{class: graph.None, base: graph.None}}
	b.statements(root, e)
}

// generated reports whether the first lines say that a program wrote the file.
func generated(src []byte) bool {
	head := src[:min(len(src), 2048)]
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if !bytes.HasPrefix(line, []byte("//")) && !bytes.HasPrefix(line, []byte("/*")) && !bytes.HasPrefix(line, []byte("*")) {
			continue
		}
		if bytes.Contains(line, []byte("@generated")) ||
			bytes.Contains(line, []byte("DO NOT EDIT")) && bytes.Contains(bytes.ToLower(line), []byte("generated")) {
			return true
		}
	}
	return false
}

// symbol adds a definition. Its place comes from its parts.
func (b *builder) symbol(s graph.SymbolFact, p parts) int32 {
	s.Result, s.Scope = graph.None, graph.None
	start := b.t.Start(p.node)
	if len(p.docs) > 0 {
		start = b.t.Start(p.docs[0])
	}
	s.Start, s.End = start, b.t.End(p.node)
	if s.Line == 0 {
		s.Line = b.declarationLine(p)
	}
	s.EndLine = max(s.Line, b.t.EndLine(p.node))
	if s.Signature == "" && s.Kind != graph.KindModule {
		s.Signature = b.signature(p)
	}
	b.f.Symbols = append(b.f.Symbols, s)
	b.parts = append(b.parts, p)
	return int32(len(b.f.Symbols) - 1)
}

// declarationLine is the line of the first token that is no decorator.
func (b *builder) declarationLine(p parts) int32 {
	if len(p.decorators) == 0 {
		return b.t.Line(p.node)
	}
	at := b.afterDecorators(p)
	line := b.t.Line(p.node)
	for _, c := range b.t.Source[b.t.Start(p.node):at] {
		if c == '\n' {
			line++
		}
	}
	return line
}

// afterDecorators is the first byte of a definition behind its decorators.
func (b *builder) afterDecorators(p parts) int32 {
	at := b.t.Start(p.node)
	for _, d := range p.decorators {
		if b.t.Start(d) <= at {
			at = max(at, b.t.End(d)) // one behind a syntax error may end before the definition
			for at < b.t.End(p.node) && strings.IndexByte(" \t\r\n", b.t.Source[at]) >= 0 {
				at++
			}
		}
	}
	return at
}

// signature is the definition as written up to its body.
func (b *builder) signature(p parts) string {
	from, to := b.afterDecorators(p), b.t.End(p.node)
	if p.body >= 0 && b.t.Start(p.body) >= from {
		to = b.t.Start(p.body)
	}
	s := treesitter.Fold(b.t.Source[from:max(from, to)], signatureLimit)
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(s, " ;,"), "="), " ")
}

func (b *builder) scope(kind graph.ScopeKind, parent, symbol int32) int32 {
	b.f.Scopes = append(b.f.Scopes, graph.Scope{Kind: kind, Parent: parent, Symbol: symbol})
	b.bindingsAt = append(b.bindingsAt, nil)
	return int32(len(b.f.Scopes) - 1)
}

// binding returns a binding with nothing set but what is given.
func binding(scope int32, name string, kind graph.BindingKind, at int32) graph.Binding {
	return graph.Binding{Scope: scope, Name: name, Kind: kind, At: at,
		Symbol: graph.None, Param: graph.None, Import: graph.None, Type: graph.None, Value: graph.None}
}

// bind adds a binding. A name that the parser had to invent is empty and is
// never found.
func (b *builder) bind(x graph.Binding) {
	i := int32(len(b.f.Bindings))
	b.f.Bindings = append(b.f.Bindings, x)
	if x.Name == "" {
		return
	}
	if b.bindingsAt[x.Scope] == nil {
		b.bindingsAt[x.Scope] = map[string][]int32{}
	}
	b.bindingsAt[x.Scope][x.Name] = append(b.bindingsAt[x.Scope][x.Name], i)
}

// lookup returns the bindings that a name has in a scope or around it.
func (b *builder) lookup(scope int32, name string) []int32 {
	for s := scope; s != graph.None; s = b.f.Scopes[s].Parent {
		if b.f.Scopes[s].Kind == graph.ScopeClass {
			continue
		}
		if found := b.bindingsAt[s][name]; len(found) > 0 {
			return found
		}
	}
	return nil
}

// symbolNamed returns the definition that a name means, or None.
func (b *builder) symbolNamed(scope int32, name string) int32 {
	for _, i := range b.lookup(scope, name) {
		if s := b.f.Bindings[i].Symbol; s != graph.None && b.f.Bindings[i].Kind == graph.BindDefinition {
			return s
		}
	}
	return graph.None
}

// expr adds an expression at node n.
func (b *builder) expr(kind graph.ExprKind, n node, e env) int32 {
	b.f.Exprs = append(b.f.Exprs, graph.Expr{Kind: kind, Base: graph.None, Symbol: graph.None,
		Scope: e.scope, Start: b.t.Start(n), End: b.t.End(n), Line: b.t.Line(n)})
	return int32(len(b.f.Exprs) - 1)
}

func (b *builder) named(kind graph.ExprKind, n node, name string, e env) int32 {
	i := b.expr(kind, n, e)
	b.f.Exprs[i].Name = name
	return i
}

// member adds the expression base.name at node n.
func (b *builder) member(n node, base int32, name string, e env) int32 {
	i := b.named(graph.ExprMember, n, name, e)
	b.f.Exprs[i].Base = base
	return i
}

// on adds an expression that has nothing but a base.
func (b *builder) on(kind graph.ExprKind, n node, base int32, e env) int32 {
	i := b.expr(kind, n, e)
	b.f.Exprs[i].Base = base
	return i
}

// of adds an expression that has nothing but operands; absent ones are left out.
func (b *builder) of(kind graph.ExprKind, n node, e env, args ...int32) int32 {
	i := b.expr(kind, n, e)
	for _, a := range args {
		if a != graph.None {
			b.f.Exprs[i].Args = append(b.f.Exprs[i].Args, a)
		}
	}
	return i
}

func (b *builder) ref(kind graph.EdgeKind, expr int32, name string, line, args int32, e env) int32 {
	b.f.Refs = append(b.f.Refs, graph.Ref{Kind: kind, Expr: expr, Name: name, From: e.sym, Line: line, Args: args})
	return int32(len(b.f.Refs) - 1)
}

// read notes that a name or member is read, which is a reference if it turns
// out to be defined outside the function that reads it.
func (b *builder) read(expr int32, e env) int32 {
	if expr != graph.None {
		x := &b.f.Exprs[expr]
		b.reads = append(b.reads, b.ref(graph.EdgeReference, expr, x.Name, x.Line, graph.None, e))
	}
	return expr
}

// finish drops reads of locals and computes digests.
func (b *builder) finish() {
	b.dropLocalReads()
	b.markExported()
	b.noteExports()
	b.noteIgnored()
	b.digests()
}

// markExported marks the definitions that an export names only after they
// were walked: export { a }, module.exports = { a }, exports.a = a.
func (b *builder) markExported() {
	for _, x := range b.f.Exports {
		if x.Local != "" {
			b.markName(0, x.Local)
		}
		if x.Expr == graph.None {
			continue
		}
		e := &b.f.Exprs[x.Expr]
		switch e.Kind {
		case graph.ExprName:
			b.markName(e.Scope, e.Name)
		case graph.ExprObject:
			for _, a := range e.Args {
				k := &b.f.Exprs[a]
				if k.Kind == graph.ExprKeyword && k.Base != graph.None && b.f.Exprs[k.Base].Kind == graph.ExprName {
					b.markName(b.f.Exprs[k.Base].Scope, b.f.Exprs[k.Base].Name)
				}
			}
		}
	}
	for i := range b.f.Symbols { // members follow their owner
		s := &b.f.Symbols[i]
		if s.Parent == graph.None || s.Flags&graph.FlagPrivate != 0 {
			continue
		}
		switch o := &b.f.Symbols[s.Parent]; o.Kind {
		case graph.KindClass, graph.KindInterface, graph.KindEnum:
			s.Exported = s.Exported || o.Exported
		default:
			s.Exported = s.Exported || o.Exported && b.members[int32(i)]
		}
	}
}

func (b *builder) markName(scope int32, name string) {
	for _, k := range b.lookup(scope, name) {
		if s := b.f.Bindings[k].Symbol; s != graph.None && b.f.Bindings[k].Kind == graph.BindDefinition {
			b.f.Symbols[s].Exported = true
		}
	}
}

// dropLocalReads removes references to names that mean a parameter, a local
// variable or a part of a type.
func (b *builder) dropLocalReads() {
	drop := make([]bool, len(b.f.Refs))
	for _, r := range b.reads {
		drop[r] = !b.leaves(b.f.Refs[r].Expr)
	}
	kept := b.f.Refs[:0]
	for i, r := range b.f.Refs {
		if !drop[i] {
			kept = append(kept, r)
		}
	}
	b.f.Refs = kept
}

// leaves reports whether an expression may refer to a definition or an import,
// be it one that is missing. A member of anything may.
func (b *builder) leaves(i int32) bool {
	x := &b.f.Exprs[i]
	if x.Kind != graph.ExprName && x.Kind != graph.ExprTypeName {
		return true
	}
	found := b.lookup(x.Scope, x.Name)
	for _, k := range found {
		bound := &b.f.Bindings[k]
		if bound.Kind == graph.BindImport || bound.Kind == graph.BindDefinition {
			return true
		}
	}
	return len(found) == 0 && (x.Kind == graph.ExprName || !b.typeParts[x.Name])
}

// text is the source of a node.
func (b *builder) text(n node) string { return b.t.Text(n) }

// has reports whether n has a direct child token of this kind.
func (b *builder) has(n node, token string) bool { return b.t.Child(n, token) >= 0 }

// docsBefore returns the comments that stand directly above n, in order. A
// comment is a leaf, so those before n in its parent have the indexes before n.
// A /** comment */ may have a blank line below it, unless it opens the file.
func (b *builder) docsBefore(n node) []node {
	first, line := n, b.t.Line(n)
	for c := n - 1; c > 0 && b.t.Kind(c) == "comment" && b.t.Parent(c) == b.t.Parent(n); c-- {
		gap := line - b.t.EndLine(c) - 1
		if gap == 1 && c == n-1 && c > 1 && bytes.HasPrefix(b.source(c), []byte("/**")) {
			gap = 0
		}
		if gap > 0 || b.t.EndLine(c-1) == b.t.Line(c) && b.t.Parent(n) != c-1 {
			break // a blank line lies between, or it ends the line of what comes before
		}
		first, line = c, b.t.Line(c)
	}
	var docs []node
	for c := first; c < n; c++ {
		docs = append(docs, c)
	}
	return docs
}
