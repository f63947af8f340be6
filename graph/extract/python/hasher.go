package python

import (
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// The marks that stand for indentation and line ends, which are not tokens in
// the syntax tree but carry meaning.
var (
	markIndent = []byte{1}
	markDedent = []byte{2}
	markEnd    = []byte{3}
)

// A hasher makes the digests of one symbol.
type hasher struct {
	tree    *treesitter.Tree
	nested  map[treesitter.Node]bool // definitions with symbols of their own
	self    treesitter.Node          // never left out
	doc     treesitter.Node          // the docstring
	imports map[treesitter.Node]bool
}

// tokens hashes the meaning of a subtree: its tokens without comments,
// docstring, nested definitions and what a formatter changes.
func (h *hasher) tokens(n treesitter.Node) graph.Digest {
	var d treesitter.Digester
	if n != treesitter.None {
		h.add(&d, n)
	}
	return d.Sum()
}

func (h *hasher) skip(n treesitter.Node) bool {
	if k := h.tree.Kind(n); k == "comment" || k == "line_continuation" {
		return true
	}
	return n == h.doc && n > 0 || h.nested[n] && n != h.self || h.imports[n]
}

func (h *hasher) add(d *treesitter.Digester, n treesitter.Node) {
	if h.skip(n) {
		return
	}
	kind := h.tree.Kind(n)
	if h.tree.First(n) == treesitter.None {
		if text := h.tree.Text(n); text != "" && !h.droppedComma(n, kind) {
			d.Add([]byte(text))
		}
		return
	}
	if kind == "string" && h.addString(d, n) {
		return
	}
	if kind == "block" {
		d.Add(markIndent)
	}
	for c := range h.tree.Children(n) {
		if h.skip(c) {
			continue
		}
		h.add(d, c)
		if kind == "block" || kind == "module" {
			d.Add(markEnd)
		}
	}
	if kind == "block" {
		d.Add(markDedent)
	}
}

// droppedComma recognises the comma that formatters add behind the last item.
// The one that makes a tuple of one element has a meaning.
func (h *hasher) droppedComma(n treesitter.Node, kind string) bool {
	if kind != "," {
		return false
	}
	next := h.tree.Next(n)
	for next != treesitter.None && h.tree.Kind(next) == "comment" {
		next = h.tree.Next(next)
	}
	closing := h.tree.Kind(next)
	if closing != ")" && closing != "]" && closing != "}" {
		return false
	}
	switch h.tree.Kind(h.tree.Parent(n)) {
	case "argument_list", "parameters", "list", "dictionary", "set", "import_from_statement", "list_pattern", "type_parameter":
		return true
	case "tuple":
		items := 0
		for c := range h.tree.NamedChildren(h.tree.Parent(n)) {
			if h.tree.Kind(c) != "comment" {
				items++
			}
		}
		return items > 1
	}
	return false
}

// addString writes a literal whose quotes do not matter in one form.
func (h *hasher) addString(d *treesitter.Digester, n treesitter.Node) bool {
	start, end := h.tree.Child(n, "string_start"), h.tree.Child(n, "string_end")
	if start == treesitter.None || end == treesitter.None || h.tree.Text(end) != "'" && h.tree.Text(end) != `"` {
		return false
	}
	content := string(h.tree.Source[h.tree.End(start):h.tree.Start(end)])
	if strings.ContainsAny(content, "'\"\\{") {
		return false
	}
	d.Add([]byte(strings.TrimRight(h.tree.Text(start), `'"`) + `"`))
	d.Add([]byte(content))
	return true
}

// upTo hashes the children of a definition in front of its body.
func (h *hasher) upTo(n, body treesitter.Node) graph.Digest {
	var d treesitter.Digester
	for c := range h.tree.Children(n) {
		if c == body {
			break
		}
		h.add(&d, c)
	}
	return d.Sum()
}

func (h *hasher) decorators(outer treesitter.Node) graph.Digest {
	var d treesitter.Digester
	for c := range h.tree.NamedChildren(outer) {
		if h.tree.Kind(c) == "decorator" {
			h.add(&d, c)
		}
	}
	return d.Sum()
}

// variable hashes an assignment: name and annotation are its signature, the
// rest its body.
func (h *hasher) variable(n treesitter.Node, name string) (signature, body graph.Digest) {
	var s, b treesitter.Digester
	s.Add([]byte(name))
	if h.tree.Kind(n) == "expression_statement" {
		n = h.tree.Child(n, "assignment")
	}
	for c := range h.tree.Children(n) {
		switch h.tree.FieldName(c) {
		case "type":
			h.add(&s, c)
		case "left":
			if h.tree.Kind(c) != "identifier" && h.tree.Kind(c) != "attribute" {
				h.add(&b, c)
			}
		default:
			if k := h.tree.Kind(c); k != "=" && k != ":" {
				h.add(&b, c)
			}
		}
	}
	return s.Sum(), b.Sum()
}

// comments hashes the docstring and the comments inside and above.
func (h *hasher) comments(outer treesitter.Node, above []treesitter.Node) graph.Digest {
	var d treesitter.Digester
	for i := len(above) - 1; i >= 0; i-- {
		d.Add([]byte(h.tree.Text(above[i])))
	}
	end := h.tree.After(outer)
	for n := outer; n != treesitter.None && n < end; {
		switch {
		case n != h.self && h.nested[n]:
			n = h.tree.After(n)
			continue
		case n == h.doc && n > 0, h.tree.Kind(n) == "comment":
			d.Add([]byte(treesitter.Fold([]byte(h.tree.Text(n)), 1<<20)))
		}
		n++
	}
	return d.Sum()
}

func (h *hasher) raw(outer treesitter.Node) graph.Digest {
	var d treesitter.Digester
	h.tree.Bytes(&d, outer, func(n treesitter.Node) bool { return n != h.self && h.nested[n] })
	return d.Sum()
}
