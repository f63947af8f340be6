package ecmascript

import (
	"bytes"
	"strings"

	"github.com/previdence/previdence/graph/extract/treesitter"
)

// structure yields what counts in the subtree of n, without the subtrees that
// skip returns true for: its tokens, with the beginning and end of each
// expression and type that may need parentheses. What a formatter chooses is
// left out: parentheses that only group, semicolons, commas before a closing
// bracket, which quotes a string has.
func (b *builder) structure(n node, skip func(node) bool, yield func(n node, token []byte)) {
	var open []node // nodes whose end is marked
	for i, end := n, b.t.After(n); i < end; {
		for len(open) > 0 && i >= b.t.After(open[len(open)-1]) {
			yield(open[len(open)-1], []byte("\x00)"))
			open = open[:len(open)-1]
		}
		if skip(i) {
			i = b.t.After(i)
			continue
		}
		kind := b.t.Kind(i)
		switch {
		case kind == "string" || kind == "comment":
			yield(i, b.word(i, kind))
			i = b.t.After(i)
			continue
		case b.t.First(i) >= 0:
			if b.grouped(i, kind) {
				open = append(open, i)
				yield(i, []byte("\x00("))
			}
		case kind == "jsx_text":
			if text := treesitter.Fold(b.source(i), len(b.source(i))); text != "" {
				yield(i, []byte(text))
			}
		case !b.formatting(i, kind):
			yield(i, b.source(i))
		}
		i++
	}
	for len(open) > 0 {
		yield(open[len(open)-1], []byte("\x00)"))
		open = open[:len(open)-1]
	}
}

func (b *builder) source(n node) []byte { return b.t.Source[b.t.Start(n):b.t.End(n)] }

// grouped reports whether the node is of a kind that parentheses may stand
// around, so that its extent has to be marked where they are left out.
func (b *builder) grouped(n node, kind string) bool {
	switch kind {
	case "parenthesized_expression", "parenthesized_type":
		return false
	case "union_type", "intersection_type":
		return b.t.Named(b.t.First(n)) // else one operand behind a leading sign
	case "arrow_function", "object", "class":
		return true
	}
	return strings.HasSuffix(kind, "_expression") || strings.HasSuffix(kind, "_type")
}

// word is a comment as written or a string with one kind of quotes; a key that
// need not be quoted is the bare name.
func (b *builder) word(n node, kind string) []byte {
	text := b.source(n)
	if kind == "comment" || len(text) < 2 {
		return text
	}
	text = text[1 : len(text)-1]
	if b.t.FieldName(n) == "key" && bareKey(text) {
		return text
	}
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(`\'`), []byte(`'`)), []byte(`\"`), []byte(`"`))
	return append([]byte{'"'}, text...)
}

// bareKey reports whether a property name needs no quotes.
func bareKey(text []byte) bool {
	for i, c := range text {
		letter := c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(text) > 0
}

// formatting reports whether a leaf is a matter of style.
func (b *builder) formatting(n node, kind string) bool {
	p := b.t.Parent(n)
	switch kind {
	case ";":
		return b.t.Kind(p) != "for_statement"
	case ",":
		return b.separates(n, p)
	case "|", "&":
		return n == p+1 // before the first operand of a type
	case "(", ")":
		switch b.t.Kind(p) {
		case "parenthesized_expression":
			return !b.endsChain(p)
		case "parenthesized_type":
			return true
		case "formal_parameters":
			return b.t.Kind(b.t.Parent(p)) == "arrow_function" && b.onePlain(p)
		}
	}
	return false
}

// separates reports whether a comma stands before a closing bracket, or where a
// semicolon or a line end would do.
func (b *builder) separates(n, p node) bool {
	switch b.t.Kind(p) {
	case "object_type", "interface_body":
		return true
	}
	next := b.t.Next(n)
	for b.t.Kind(next) == "comment" {
		next = b.t.Next(next)
	}
	switch b.t.Kind(next) {
	case ")", "]", "}", ">":
		return b.t.Kind(n-1) != ","
	}
	return false
}

// endsChain reports whether parentheses end an optional chain: (a?.b).c fails
// where a?.b.c does not.
func (b *builder) endsChain(n node) bool {
	switch b.t.Kind(b.t.Parent(n)) {
	case "member_expression", "call_expression", "subscript_expression":
		return bytes.Contains(b.source(n), []byte("?."))
	}
	return false
}

// onePlain reports whether parameters are a single name, which needs no
// parentheses in front of an arrow.
func (b *builder) onePlain(n node) bool {
	count, plain := 0, false
	for c := range b.t.NamedChildren(n) {
		count++
		plain = b.t.Kind(c) == "identifier" ||
			b.t.Kind(c) == "required_parameter" && b.t.Kind(b.t.First(c)) == "identifier" && b.t.Next(b.t.First(c)) < 0
	}
	return count == 1 && plain
}
