package ecmascript

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/previdence/previdence/graph/extract/treesitter"
)

// NoteExports is the key of the note that says how far the exports of a file
// are known; its only value is [ExportsListed].
const NoteExports = "ecmascript.exports"

// NoteIgnored is the key of the note that lists, with spaces between them, the
// lines whose errors a comment tells the type checker to ignore; 0 stands for
// the whole file.
const NoteIgnored = "ecmascript.ignored"

// ExportsListed means that the facts list every export of the file.
const ExportsListed = "listed"

// noteExports says whether the exports are all listed: no gap hides one, and
// nothing in the file uses the module object in a way that was not understood.
func (b *builder) noteExports() {
	if len(b.f.Gaps) > 0 && b.gapsHideExports() {
		return
	}
	for n := b.t.Root(); int(n) < b.t.Len(); n++ {
		if k := b.t.Kind(n); k != "identifier" && k != "shorthand_property_identifier" {
			continue
		}
		if b.opensExports(n) {
			return
		}
	}
	b.note(NoteExports, ExportsListed)
}

func (b *builder) note(key, value string) {
	if b.f.Notes == nil {
		b.f.Notes = map[string]string{}
	}
	b.f.Notes[key] = value
}

// noteIgnored lists the lines below @ts-expect-error and @ts-ignore.
func (b *builder) noteIgnored() {
	if !bytes.Contains(b.t.Source, []byte("@ts-")) {
		return
	}
	var lines []string
	for n := b.t.Root(); int(n) < b.t.Len(); n++ {
		if b.t.Kind(n) != "comment" {
			continue
		}
		switch text := b.text(n); {
		case strings.Contains(text, "@ts-nocheck"):
			lines = append(lines, "0")
		case strings.Contains(text, "@ts-expect-error") || strings.Contains(text, "@ts-ignore"):
			line := b.t.EndLine(n) + 1
			for c := n + 1; int(c) < b.t.Len() && b.t.Kind(c) == "comment" && b.t.Line(c) == line; c++ {
				line = b.t.EndLine(c) + 1
			}
			lines = append(lines, strconv.Itoa(int(line)))
		}
	}
	if len(lines) > 0 {
		b.note(NoteIgnored, strings.Join(lines, " "))
	}
}

// enclosing are the nodes in which no name of the file's top level stands.
var enclosing = map[string]bool{
	"statement_block": true, "class_body": true, "interface_body": true, "object_type": true, "enum_body": true,
	"switch_body": true, "type_parameters": true, "type_arguments": true, "formal_parameters": true, "type_annotation": true,
	"class_heritage": true, "extends_type_clause": true, "arguments": true, "object": true, "array": true,
	"parenthesized_expression": true, "template_string": true, "jsx_element": true, "jsx_self_closing_element": true,
}

// enclosed reports whether a node lies in one that closes it off.
func (b *builder) enclosed(n node) bool {
	for p := b.t.Parent(n); p > b.t.Root(); p = b.t.Parent(p) {
		if enclosing[b.t.Kind(p)] {
			return true
		}
	}
	return false
}

// gapsHideExports reports whether an export may lie in what was not understood:
// a gap at the top of the file or in the head of a declaration, or an export
// statement that ended up inside of something else.
func (b *builder) gapsHideExports() bool {
	root := b.t.Root()
	if b.t.Kind(root) != "program" {
		return true
	}
	for n := root; int(n) < b.t.Len(); n++ {
		p := b.t.Parent(n)
		switch {
		case b.t.Kind(n) == "ERROR" || b.t.Missing(n):
			if !b.enclosed(n) {
				return true
			}
		case b.t.Kind(n) == "export":
			if b.t.Kind(p) != "export_statement" || b.t.Parent(p) != root && !b.inNamespace(p) {
				return true
			}
		}
	}
	return false
}

// inNamespace reports whether a statement stands directly in a namespace.
func (b *builder) inNamespace(n node) bool {
	switch p := b.t.Parent(n); b.t.Kind(b.t.Parent(p)) {
	case "internal_module", "module", "ambient_declaration":
		return b.t.Kind(p) == "statement_block"
	}
	return false
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
