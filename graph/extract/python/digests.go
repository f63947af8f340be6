package python

import (
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// signature is a definition as written up to its body: def f(a: int) -> str.
func (r *reader) signature(n treesitter.Node) string {
	body := r.tree.Field(n, "body")
	var b strings.Builder
	for c := range r.tree.Children(n) {
		if c == body {
			break
		}
		if k := r.tree.Kind(c); k == "comment" || k == ":" && c > n+1 {
			continue
		}
		if k := r.tree.Kind(c); b.Len() > 0 && k != "parameters" && k != "argument_list" && k != "type_parameter" {
			b.WriteByte(' ')
		}
		b.WriteString(r.folded(c))
	}
	return treesitter.Fold([]byte(b.String()), maxSignature)
}

// folded is the text of n without comments, white space as single spaces.
func (r *reader) folded(n treesitter.Node) string {
	if r.tree.Child(n, "comment") == treesitter.None {
		return treesitter.Fold([]byte(r.tree.Text(n)), maxSignature)
	}
	var b strings.Builder
	at := r.tree.Start(n)
	for c := range r.tree.Children(n) {
		if r.tree.Kind(c) == "comment" {
			b.Write(r.tree.Source[at:r.tree.Start(c)])
			at = r.tree.End(c)
		}
	}
	b.Write(r.tree.Source[at:r.tree.End(n)])
	return treesitter.Fold([]byte(b.String()), maxSignature)
}

// startWithComments is where the comments directly above n begin, or n.
func (r *reader) startWithComments(n treesitter.Node) int32 {
	start := r.tree.Start(n)
	for _, c := range r.commentsAbove(n) {
		start = min(start, r.tree.Start(c))
	}
	return start + r.offset
}

// commentsAbove lists the comments that stand on the lines directly above n,
// the nearest first.
func (r *reader) commentsAbove(n treesitter.Node) []treesitter.Node {
	parent := r.tree.Parent(n)
	if parent == treesitter.None || r.tree.Line(n) < 2 {
		return nil
	}
	var before []treesitter.Node
	line := r.tree.Line(n)
	// The siblings in front of n end where n starts; the nearest ones are found
	// by walking back over the array, since comments are leaves.
	for c := n - 1; c > parent && r.tree.Kind(c) == "comment" && r.tree.Parent(c) == parent; c-- {
		if r.tree.Line(c) != line-1 || !r.startsLine(c) {
			break
		}
		before = append(before, c)
		line--
	}
	return before
}

// startsLine reports whether only white space stands before n on its line.
func (r *reader) startsLine(n treesitter.Node) bool {
	for i := r.tree.Start(n) - 1; i >= 0; i-- {
		switch r.tree.Source[i] {
		case ' ', '\t', '\f':
		case '\n', '\r':
			return true
		default:
			return false
		}
	}
	return true
}

// docstring is the statement that documents a module, class or function body.
func (r *reader) docstring(body treesitter.Node) treesitter.Node {
	s := r.first(body)
	if r.tree.Kind(s) != "expression_statement" {
		return treesitter.None
	}
	if k := r.tree.Kind(r.first(s)); k == "string" || k == "concatenated_string" {
		return s
	}
	return treesitter.None
}

// setDigests hashes every symbol. A symbol's nested definitions are left out;
// a field first assigned in a method stays part of the method, and a lambda is
// nothing but a part of what it stands in: it has no digests.
func (r *reader) setDigests() {
	nested := make(map[treesitter.Node]bool, len(r.origins))
	for i, o := range r.origins {
		if i == 0 || o.part {
			continue
		}
		nested[o.outer] = true
		for _, c := range r.commentsAbove(o.outer) {
			nested[c] = true
		}
	}
	for i := range r.facts.Symbols {
		if r.facts.Symbols[i].Kind == graph.KindLiteral {
			continue
		}
		h := &hasher{tree: r.tree, nested: nested, self: r.origins[i].outer}
		r.facts.Symbols[i].Digests = r.digests(h, &r.facts.Symbols[i], r.origins[i])
	}
}

func (r *reader) digests(h *hasher, s *graph.SymbolFact, o origin) graph.Digests {
	var d graph.Digests
	body := r.tree.Field(o.node, "body")
	switch s.Kind {
	case graph.KindModule:
		body = o.node
		h.doc = r.docstring(body)
		h.imports = r.importStatements()
		d.Body = h.tokens(body)
	case graph.KindFunction, graph.KindMethod, graph.KindProperty, graph.KindClass, graph.KindEnum, graph.KindInterface:
		h.doc = r.docstring(body)
		d.Signature = h.upTo(o.node, body)
		d.Body = h.tokens(body)
		d.Attributes = h.decorators(o.outer)
	default:
		d.Signature, d.Body = h.variable(o.node, s.Name)
	}
	if s.Name == mainName && r.tree.Kind(o.node) == "block" {
		var head treesitter.Digester
		head.Add([]byte(mainName))
		d.Signature, d.Body = head.Sum(), h.tokens(o.node)
	}
	d.Doc = h.comments(o.outer, r.commentsAbove(o.outer))
	d.Raw = h.raw(o.outer)
	return d
}

// importStatements lists all import statements. What a file imports is told by
// its edges, and what it passes on to others is the linker's to say: it knows
// the file's name.
func (r *reader) importStatements() map[treesitter.Node]bool {
	skip := map[treesitter.Node]bool{}
	for n := treesitter.Node(0); int(n) < r.tree.Len(); n++ {
		switch r.tree.Kind(n) {
		case "import_statement", "import_from_statement", "future_import_statement":
			skip[n] = true
		}
	}
	return skip
}
