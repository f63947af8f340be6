package treesitter

import (
	"iter"
	"slices"

	"github.com/previdence/previdence/graph"
)

// A Node is an index into the nodes of a [Tree]. Parents come before their
// children, and a subtree is one run of indexes.
type Node int32

// None is the node that is not there. Every method of [Tree] accepts it.
const None Node = -1

// node has the layout of pv_node.
type node struct {
	start, end    uint32
	line, endLine uint32
	parent        int32
	size          uint32
	kind, field   uint16
	flags         uint32
}

// The flags, as in flatten.h.
const (
	flagNamed    = 1
	flagMissing  = 2
	flagError    = 4
	flagHasError = 8
	flagCut      = 16
)

// A Tree is the syntax tree of one file.
type Tree struct {
	Source   []byte
	language *Language
	nodes    []node
}

// Root is the node of the whole file.
func (t *Tree) Root() Node { return 0 }

// Len is the number of nodes.
func (t *Tree) Len() int { return len(t.nodes) }

// Kind is the grammar's name of the node: "identifier", "(" for a token
// written as itself, "ERROR" for what was not understood, "" for [None].
func (t *Tree) Kind(n Node) string {
	if n < 0 {
		return ""
	}
	if k := int(t.nodes[n].kind); k < len(t.language.kinds) {
		return t.language.kinds[k]
	}
	return "ERROR" // the runtime's own number for errors lies outside the table
}

// FieldName is the field under which the node stands in its parent, or "".
func (t *Tree) FieldName(n Node) string {
	if n < 0 {
		return ""
	}
	return t.language.fields[t.nodes[n].field]
}

// Named reports whether the grammar gives the node a name; tokens like "(" have none.
func (t *Tree) Named(n Node) bool { return n >= 0 && t.nodes[n].flags&flagNamed != 0 }

// Missing reports whether the parser invented the node to repair the source.
func (t *Tree) Missing(n Node) bool { return n >= 0 && t.nodes[n].flags&flagMissing != 0 }

// HasError reports whether something in the subtree was not understood.
func (t *Tree) HasError(n Node) bool { return n >= 0 && t.nodes[n].flags&flagHasError != 0 }

// Start is the node's first byte.
func (t *Tree) Start(n Node) int32 {
	if n < 0 {
		return 0
	}
	return int32(t.nodes[n].start)
}

// End is one past the node's last byte.
func (t *Tree) End(n Node) int32 {
	if n < 0 {
		return 0
	}
	return int32(t.nodes[n].end)
}

// Line is the line of the node's first byte, from 1.
func (t *Tree) Line(n Node) int32 {
	if n < 0 {
		return 0
	}
	return int32(t.nodes[n].line)
}

// EndLine is the line of the node's last byte.
func (t *Tree) EndLine(n Node) int32 {
	if n < 0 {
		return 0
	}
	at := &t.nodes[n]
	// A node that ends with a line feed ends on the line of that line feed.
	if at.end > at.start && t.Source[at.end-1] == '\n' && at.endLine > at.line {
		return int32(at.endLine) - 1
	}
	return int32(at.endLine)
}

// Text is the source of the node.
func (t *Tree) Text(n Node) string {
	if n < 0 {
		return ""
	}
	return string(t.Source[t.nodes[n].start:t.nodes[n].end])
}

// Parent is the node around n, or [None].
func (t *Tree) Parent(n Node) Node {
	if n < 0 {
		return None
	}
	return Node(t.nodes[n].parent)
}

// After is the index that follows the subtree of n.
func (t *Tree) After(n Node) Node {
	if n < 0 {
		return None
	}
	return n + Node(t.nodes[n].size)
}

// First is the first child, named or not, or [None].
func (t *Tree) First(n Node) Node {
	if n < 0 || t.nodes[n].size < 2 {
		return None
	}
	return n + 1
}

// Next is the next sibling, named or not, or [None].
func (t *Tree) Next(n Node) Node {
	if n < 0 || t.nodes[n].parent < 0 {
		return None
	}
	next := t.After(n)
	if next >= t.After(Node(t.nodes[n].parent)) {
		return None
	}
	return next
}

// Children yields all children in order.
func (t *Tree) Children(n Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for c := t.First(n); c >= 0; c = t.Next(c) {
			if !yield(c) {
				return
			}
		}
	}
}

// NamedChildren yields the children that have a name of their own in the
// grammar, extras such as comments included.
func (t *Tree) NamedChildren(n Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for c := t.First(n); c >= 0; c = t.Next(c) {
			if t.Named(c) && !yield(c) {
				return
			}
		}
	}
}

// Field is the first child that stands under this field, or [None].
func (t *Tree) Field(n Node, name string) Node {
	for c := t.First(n); c >= 0; c = t.Next(c) {
		if t.nodes[c].field != 0 && t.language.fields[t.nodes[c].field] == name {
			return c
		}
	}
	return None
}

// Child is the first child of this kind, or [None].
func (t *Tree) Child(n Node, kind string) Node {
	for c := t.First(n); c >= 0; c = t.Next(c) {
		if t.Kind(c) == kind {
			return c
		}
	}
	return None
}

// Lines is the number of lines of the file; a last line without line feed counts.
func (t *Tree) Lines() int32 {
	n := int32(0)
	for _, b := range t.Source {
		if b == '\n' {
			n++
		}
	}
	if len(t.Source) > 0 && t.Source[len(t.Source)-1] != '\n' {
		n++
	}
	return n
}

// Gaps lists the lines that were not understood: errors, tokens that the
// parser had to invent, and what is nested too deeply to be read.
func (t *Tree) Gaps() []graph.Span {
	if len(t.nodes) == 0 || t.nodes[0].flags&(flagHasError|flagError) == 0 && !t.cut() {
		return nil
	}
	var gaps []graph.Span
	for i := Node(0); int(i) < len(t.nodes); {
		if t.nodes[i].flags&(flagError|flagMissing|flagCut) == 0 {
			i++
			continue
		}
		gaps = append(gaps, graph.Span{Start: int(t.Line(i)), End: int(t.EndLine(i))})
		i = t.After(i)
	}
	return mergeSpans(gaps)
}

func (t *Tree) cut() bool {
	return slices.ContainsFunc(t.nodes, func(n node) bool { return n.flags&flagCut != 0 })
}

// mergeSpans joins spans in order that overlap or touch.
func mergeSpans(spans []graph.Span) []graph.Span {
	var out []graph.Span
	for _, s := range spans {
		if n := len(out); n > 0 && s.Start <= out[n-1].End+1 {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}
