package golang

import (
	"go/ast"
	"go/token"
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/previdence/previdence/graph"
)

// types reads a group of type declarations.
func (b *builder) types(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok || t.Type == nil {
			continue
		}
		node, comments := docs(d, t.Doc, t.Comment)
		if node == nil {
			node = t
		}
		switch typ := t.Type.(type) {
		case *ast.StructType:
			b.composite(graph.KindStruct, t, node, comments, typ.Struct+token.Pos(len("struct")), typ.Fields)
		case *ast.InterfaceType:
			b.composite(graph.KindInterface, t, node, comments, typ.Interface+token.Pos(len("interface")), typ.Methods)
		default:
			b.plainType(t, node, comments)
		}
	}
}

// plainType makes the symbol of a type without members.
func (b *builder) plainType(t *ast.TypeSpec, node ast.Node, comments []*ast.CommentGroup) {
	s := b.add(graph.KindType, t.Name, node, comments...)
	head := part{b.offset(t.Pos()), b.offset(t.Type.Pos())}
	s.Signature = "type " + b.text(part{head.from, b.offset(t.Type.End())})
	s.Digests.Signature = b.digest([]part{head})
	s.Digests.Body = b.digest([]part{b.span(t.Type)})
	b.finish(s, nil)
}

// composite makes the symbols of a struct or interface and of its members.
// What it embeds belongs to its signature, since it gives the type its methods;
// its other members are symbols of their own and do not change it.
func (b *builder) composite(kind graph.Kind, t *ast.TypeSpec, node ast.Node, comments []*ast.CommentGroup, headEnd token.Pos, members *ast.FieldList) {
	owner := int32(len(b.facts.Symbols))
	b.add(kind, t.Name, node, comments...)
	head := []part{{b.offset(t.Pos()), b.offset(headEnd)}}
	var nested []part
	if members != nil {
		for _, f := range members.List {
			if len(f.Names) == 0 {
				head = append(head, b.span(f.Type))
			}
			nested = append(nested, b.member(kind, owner, f)...)
		}
	}
	s := &b.facts.Symbols[owner]
	s.Signature = "type " + b.text(head[0])
	s.Digests.Signature = b.digest(head)
	b.finish(s, nested)
}

// member makes the symbols of one line of a struct or interface and returns
// what they cover. An embedded interface element is none: it has no name.
func (b *builder) member(kind graph.Kind, owner int32, f *ast.Field) []part {
	names := f.Names
	if len(names) == 0 {
		id := baseName(f.Type)
		if kind == graph.KindInterface || id == nil {
			return nil
		}
		names = []*ast.Ident{id}
	}
	var covered part
	for _, name := range names {
		typ, isFunc := f.Type.(*ast.FuncType)
		memberKind := graph.KindField
		if kind == graph.KindInterface && isFunc {
			memberKind = graph.KindMethod
		}
		s := b.add(memberKind, name, f, f.Doc, f.Comment)
		s.Parent = owner
		s.Exported = s.Exported && b.facts.Symbols[owner].Exported
		head := []part{b.span(f.Type)}
		if len(f.Names) > 0 {
			head = []part{b.span(name), b.span(f.Type)}
		}
		s.Digests.Signature = b.digest(head)
		if memberKind == graph.KindMethod {
			s.Flags |= graph.FlagAbstract
			b.signature(s, typ)
			s.Signature = name.Name + b.text(b.span(f.Type))
		} else {
			s.ResultText = b.text(b.span(f.Type))
			s.Signature = s.ResultText
			if len(f.Names) > 0 {
				s.Signature = name.Name + " " + s.ResultText
			}
		}
		var tags []string
		if f.Tag != nil {
			tags = append(tags, f.Tag.Value)
		}
		b.finish(s, nil, tags...)
		covered = part{s.Start, s.End}
	}
	return []part{covered}
}

// testRule marks what `go test` runs: the name, a parameter of the testing
// package, no receiver, no result.
func (b *builder) testRule(s *graph.SymbolFact, d *ast.FuncDecl) {
	if d.Recv != nil || d.Type.TypeParams != nil || d.Type.Results.NumFields() > 0 {
		return
	}
	is := false
	switch n := d.Type.Params.NumFields(); {
	case n == 0:
		is = hasTestName(s.Name, "Example") && b.hasOutput(d)
	case n == 1:
		param := d.Type.Params.List[0].Type
		is = hasTestName(s.Name, "Test") && b.isTesting(param, "T") ||
			hasTestName(s.Name, "Benchmark") && b.isTesting(param, "B") ||
			hasTestName(s.Name, "Fuzz") && b.isTesting(param, "F") ||
			s.Name == "TestMain" && b.isTesting(param, "M")
	}
	if is {
		s.Test, s.Framework = graph.TestByPath, Language
	}
}

// output begins the last comment of an example that runs.
var output = regexp.MustCompile(`(?i)^[[:space:]]*(unordered )?output:`)

// hasOutput reports whether the last comment in a body says what an example
// prints. Without one the go command compiles the example and never runs it.
func (b *builder) hasOutput(d *ast.FuncDecl) bool {
	if d.Body == nil {
		return false
	}
	var last *ast.CommentGroup
	for _, c := range b.file.Comments {
		if d.Body.Pos() <= c.Pos() && c.End() <= d.Body.End() {
			last = c
		}
	}
	return last != nil && output.MatchString(last.Text())
}

// hasTestName follows the go command: what comes after the prefix must not
// begin with a lower-case letter.
func hasTestName(name, prefix string) bool {
	if len(name) < len(prefix) || name[:len(prefix)] != prefix {
		return false
	}
	r, _ := utf8.DecodeRuneInString(name[len(prefix):])
	return len(name) == len(prefix) || !unicode.IsLower(r)
}

// isTesting reports whether x is *testing.name, under the name that this file
// imports the testing package by.
func (b *builder) isTesting(x ast.Expr, name string) bool {
	star, ok := x.(*ast.StarExpr)
	if !ok {
		return false
	}
	if id, ok := star.X.(*ast.Ident); ok {
		return b.testing == "." && id.Name == name
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && b.testing != "" && id.Name == b.testing
}
