package ecmascript

import (
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// NoteExports is the key of the note that says how far the exports of a file
// are known; its only value is [ExportsListed].
const NoteExports = "ecmascript.exports"

// ExportsListed means that the facts list every export of the file.
const ExportsListed = "listed"

// noteExports says whether the exports are all listed: nothing in the file
// uses the module object in a way that was not understood.
func (b *builder) noteExports() {
	for n := b.t.Root(); int(n) < b.t.Len(); n++ {
		if k := b.t.Kind(n); k != "identifier" && k != "shorthand_property_identifier" {
			continue
		}
		if b.opensExports(n) {
			return
		}
	}
	b.f.Notes = map[string]string{NoteExports: ExportsListed}
}

// opensExports reports whether the identifier n stands for the module object
// and is used so that exports may come from anywhere.
func (b *builder) opensExports(n node) bool {
	p := b.t.Parent(n)
	switch name := b.text(n); {
	case name == "define":
		return b.t.Kind(p) == "call_expression" && b.t.Field(p, "function") == n
	case name == "module":
		if b.t.Kind(p) != "member_expression" || b.t.Field(p, "object") != n {
			return b.t.Kind(p) != "pair" && b.t.Kind(p) != "required_parameter"
		}
		if b.text(b.t.Field(p, "property")) != "exports" {
			return false
		}
		n, p = p, b.t.Parent(p)
	case name != "exports" && !b.aliases[name]:
		return false
	}
	switch b.t.Kind(p) {
	case "member_expression":
		return false
	case "assignment_expression":
		return b.t.Field(p, "left") != n && b.t.Field(p, "right") != n
	case "variable_declarator":
		return b.t.Kind(b.t.Field(p, "name")) != "identifier"
	case "arguments":
		return !b.plainAssign(n, p)
	}
	return true
}

// plainAssign reports whether n is what Object.assign(n, {…}) adds listed
// members to.
func (b *builder) plainAssign(n, args node) bool {
	if b.text(b.t.Field(b.t.Parent(args), "function")) != "Object.assign" || b.firstNamed(args) != n {
		return false
	}
	for c := range b.t.NamedChildren(args) {
		if c != n && b.t.Kind(c) != "comment" && (b.t.Kind(c) != "object" || b.t.Child(c, "spread_element") != treesitter.None) {
			return false
		}
	}
	return true
}
