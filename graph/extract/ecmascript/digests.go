package ecmascript

import (
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// A layout says which symbol each node of a file belongs to.
type layout struct {
	whole   map[node]int       // first symbol of a node
	outer   map[node]bool      // decorators and comments outside the node of their symbol
	linking map[node]bool      // statements of the file that only import or export, see linkingStatements
	exports map[int32][]string // names under which a symbol is exported, sorted
}

// digests computes the digests of all symbols. Each token belongs to the
// innermost symbol around it; what only imports or exports is an edge, a
// binding or a symbol of its own and belongs to none.
func (b *builder) digests() {
	at := layout{whole: make(map[node]int, len(b.parts)), outer: map[node]bool{},
		linking: b.linkingStatements(), exports: b.exportNames()}
	for i, p := range b.parts {
		if _, ok := at.whole[p.node]; !ok && !p.shared {
			at.whole[p.node] = i
		}
		for _, d := range p.docs {
			at.outer[d] = true
		}
		for _, d := range p.decorators {
			at.outer[d] = true
		}
	}
	for i := range b.parts {
		b.digest(int32(i), &at)
	}
}

// digest computes the digests of one symbol.
func (b *builder) digest(sym int32, at *layout) {
	p := &b.parts[sym]
	nested := func(n node) bool {
		_, is := at.whole[n]
		return is && n != p.node || n != p.node && (at.outer[n] || at.linking[n])
	}
	var sig, body, attributes, doc, raw treesitter.Digester
	b.structure(p.node, nested, func(n node, token []byte) {
		switch {
		case b.t.Kind(n) == "comment":
			doc.Add([]byte(treesitter.Fold(token, len(token))))
		case p.body >= 0 && n >= p.body && n < b.t.After(p.body):
			body.Add(token)
		case b.t.Parent(n) == p.node && b.t.Kind(p.node) == "export_statement" && (string(token) == "export" || string(token) == "default"):
		default:
			sig.Add(token)
		}
	})
	if p.node == b.t.Root() {
		b.sideEffects(&body)
	}
	for _, name := range at.exports[sym] {
		sig.Add([]byte("export"))
		sig.Add([]byte(name))
	}
	for _, d := range p.decorators {
		b.structure(d, func(node) bool { return false }, func(n node, token []byte) {
			if b.t.Kind(n) != "comment" {
				attributes.Add(token)
			}
		})
		b.t.Bytes(&raw, d, func(node) bool { return false })
	}
	for _, d := range p.docs {
		doc.Add([]byte(treesitter.Fold([]byte(b.text(d)), int(b.t.End(d)))))
		b.t.Bytes(&raw, d, func(node) bool { return false })
	}
	b.raw(&raw, p.node, nested, at.linking)
	b.f.Symbols[sym].Digests = graph.Digests{Signature: sig.Sum(), Body: body.Sum(),
		Attributes: attributes.Sum(), Doc: doc.Sum(), Raw: raw.Sum()}
}

// raw adds the source of n as it stands, without what is nested, and without
// the white space that comes and goes with a statement that only links.
func (b *builder) raw(d *treesitter.Digester, n node, nested func(node) bool, linking map[node]bool) {
	at := b.t.Start(n)
	for i, end := n, b.t.After(n); i < end; {
		if !nested(i) {
			i++
			continue
		}
		if s := b.t.Start(i); s > at {
			d.Add(b.t.Source[at:s])
		}
		at = max(at, b.t.End(i))
		if linking[i] {
			for at < b.t.End(n) && (b.t.Source[at] == ' ' || b.t.Source[at] == '\n' || b.t.Source[at] == '\r' || b.t.Source[at] == '\t') {
				at++
			}
		}
		i = b.t.After(i)
	}
	if e := b.t.End(n); e > at {
		d.Add(b.t.Source[at:e])
	}
}

// sideEffects adds that the file runs other modules that it takes nothing
// from. Where they lie is the matter of edges.
func (b *builder) sideEffects(body *treesitter.Digester) {
	for c := range b.t.NamedChildren(b.t.Root()) {
		if b.t.Kind(c) == "import_statement" && b.t.Child(c, "import_clause") < 0 && b.t.Child(c, "import_require_clause") < 0 {
			body.Add([]byte("import"))
		}
	}
}

// linkingStatements are the statements of the file that do nothing but import,
// pass on, or export definitions under a name.
func (b *builder) linkingStatements() map[node]bool {
	out := map[node]bool{}
	for c := range b.t.NamedChildren(b.t.Root()) {
		if b.linksOnly(c) {
			out[c] = true
		}
	}
	return out
}

func (b *builder) linksOnly(n node) bool {
	switch b.t.Kind(n) {
	case "import_statement":
		return true
	case "export_statement":
		if b.t.Field(n, "source") >= 0 {
			return true
		}
		list := b.t.Child(n, "export_clause")
		return list >= 0 && b.allNamed(list, func(c node) bool { return b.linkable(b.t.Field(c, "name")) })
	case "lexical_declaration", "variable_declaration":
		return len(b.lookup(0, "require")) == 0 && b.allNamed(n, b.requires)
	case "expression_statement":
		e := b.firstNamed(n)
		if b.t.Kind(e) != "assignment_expression" || b.exportsPath(b.dotted(b.t.Field(e, "left")), env{}) == "" {
			return false
		}
		right := b.t.Field(e, "right")
		return b.linkable(right) || b.t.Kind(right) == "object" && b.allNamed(right, b.linkableMember)
	}
	return false
}

// allNamed reports whether n has named children other than comments, and all
// of them pass.
func (b *builder) allNamed(n node, ok func(node) bool) bool {
	any := false
	for c := range b.t.NamedChildren(n) {
		if b.t.Kind(c) == "comment" {
			continue
		}
		if !ok(c) {
			return false
		}
		any = true
	}
	return any
}

// requires reports whether a declarator is x = require("…") or
// { a, b: c } = require("…").
func (b *builder) requires(n node) bool {
	if b.t.Kind(n) != "variable_declarator" || !b.requireCall(b.t.Field(n, "value")) {
		return false
	}
	name := b.t.Field(n, "name")
	return b.t.Kind(name) == "identifier" || b.t.Kind(name) == "object_pattern" && b.allNamed(name, func(c node) bool {
		return b.t.Kind(c) == "shorthand_property_identifier_pattern" || b.t.Kind(c) == "pair_pattern" && b.t.Kind(b.t.Field(c, "value")) == "identifier"
	})
}

// linkable reports whether n names a definition of the file, whose digest says
// under which names it is exported, or something imported that is passed on as
// a symbol of its own.
func (b *builder) linkable(n node) bool {
	switch b.t.Kind(n) {
	case "identifier", "shorthand_property_identifier", "type_identifier":
	default:
		return false
	}
	for _, k := range b.lookup(0, b.text(n)) {
		x := &b.f.Bindings[k]
		if x.Kind == graph.BindDefinition && x.Symbol != graph.None || x.Kind == graph.BindImport && b.t.Kind(b.t.Parent(n)) == "export_specifier" {
			return true
		}
	}
	return false
}

func (b *builder) linkableMember(n node) bool {
	if b.t.Kind(n) == "pair" {
		return b.t.Kind(b.t.Field(n, "key")) == "property_identifier" && b.linkable(b.t.Field(n, "value"))
	}
	return b.linkable(n)
}

// exportNames are the names under which each symbol is exported.
func (b *builder) exportNames() map[int32][]string {
	out := map[int32][]string{}
	add := func(scope int32, local, name string) {
		if s := b.symbolNamed(scope, local); s != graph.None {
			out[s] = append(out[s], name)
		}
	}
	for _, x := range b.f.Exports {
		if x.Local != "" {
			add(0, x.Local, x.Name)
		}
		if x.Expr == graph.None {
			continue
		}
		switch e := &b.f.Exprs[x.Expr]; e.Kind {
		case graph.ExprName:
			add(e.Scope, e.Name, x.Name)
		case graph.ExprFunction, graph.ExprClass:
			if e.Symbol != graph.None {
				out[e.Symbol] = append(out[e.Symbol], x.Name)
			}
		case graph.ExprObject:
			for _, a := range e.Args {
				if k := &b.f.Exprs[a]; k.Kind == graph.ExprKeyword && k.Base != graph.None && b.f.Exprs[k.Base].Kind == graph.ExprName {
					add(b.f.Exprs[k.Base].Scope, b.f.Exprs[k.Base].Name, k.Name)
				}
			}
		}
	}
	for _, names := range out {
		slices.Sort(names)
	}
	return out
}
