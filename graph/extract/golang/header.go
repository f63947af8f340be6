package golang

import (
	"go/ast"
	"go/build/constraint"
	"slices"
	"strconv"
	"strings"

	"github.com/previdence/previdence/graph"
)

// module makes symbol 0, the file itself, and reads what stands above the
// declarations: package clause, build constraint, imports.
func (b *builder) module() {
	f := b.facts
	f.Symbols = append(f.Symbols, graph.SymbolFact{
		Kind: graph.KindModule, Parent: graph.None, Result: graph.None, Scope: graph.None,
		End: int32(len(b.src)), Line: 1, EndLine: max(f.Lines, 1),
	})
	if !b.file.Package.IsValid() || b.file.Name == nil {
		return
	}
	f.Package = b.file.Name.Name
	f.Generated = ast.IsGenerated(b.file)
	f.Symbols[0].Line = b.line(b.file.Package)
	if c := buildConstraint(b.file); c != "" {
		b.note(NoteBuild, c)
	}
	b.imports()
}

func (b *builder) note(key, value string) {
	if b.facts.Notes == nil {
		b.facts.Notes = map[string]string{}
	}
	b.facts.Notes[key] = value
}

// imports lists the imports and remembers under which name "testing" is known.
func (b *builder) imports() {
	for _, spec := range b.file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		imp := graph.Import{Module: path, Line: int32(b.line(spec.Path.Pos()))}
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." {
			imp.Name = "*"
		} else {
			imp.Alias = name
		}
		b.facts.Imports = append(b.facts.Imports, imp)
		switch path {
		case "C":
			b.note(NoteCgo, "true")
		case "unsafe":
			b.noteNamed() // the compiler wants the import beside the directive
		case "testing":
			b.testing = name
			if name == "" {
				b.testing = "testing"
			}
		}
	}
}

// buildConstraint returns the //go:build line above the package clause, or the
// older // +build lines joined into one expression.
func buildConstraint(file *ast.File) string {
	var plus constraint.Expr
	for _, group := range file.Comments {
		if group.Pos() >= file.Package {
			break
		}
		for _, c := range group.List {
			isBuild, isPlus := constraint.IsGoBuild(c.Text), constraint.IsPlusBuild(c.Text)
			if !isBuild && !isPlus {
				continue
			}
			x, err := constraint.Parse(c.Text)
			switch {
			case err != nil:
			case isBuild:
				return x.String()
			case plus == nil:
				plus = x
			default:
				plus = &constraint.AndExpr{X: plus, Y: x}
			}
		}
	}
	if plus == nil {
		return ""
	}
	return plus.String()
}

// isDirective reports whether a comment is an instruction to the compiler.
func isDirective(text string) bool {
	for _, prefix := range []string{"//go:", "//export ", "//extern ", "//line ", "/*line ", "// +build "} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

// noteNamed notes directives that bind a name of this file to one elsewhere.
func (b *builder) noteNamed() {
	for _, g := range b.file.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:linkname ") {
				b.note(NoteNamed, "true")
				return
			}
		}
	}
}

// digestModule hashes what belongs to no declaration: the package clause and
// the imports as a set, since every name that an import binds may change its
// meaning; the C code above import "C"; directives and comments.
func (b *builder) digestModule() {
	m := &b.facts.Symbols[0]
	whole := part{0, int32(len(b.src))}
	var holes []part
	for i := range b.facts.Symbols[1:] {
		s := &b.facts.Symbols[1+i]
		if s.Parent == 0 {
			holes = append(holes, part{s.Start, s.End})
		}
	}
	rest := without(whole, sortParts(holes))
	m.Digests.Raw = b.bytes(rest)
	if b.file.Name == nil || !b.file.Package.IsValid() {
		return
	}
	var body []string
	for _, imp := range b.facts.Imports {
		body = append(body, imp.Alias+" "+imp.Name+" "+imp.Module)
	}
	slices.Sort(body)
	preamble := b.preamble()
	if len(preamble) > 0 {
		body = append(body, b.commentText(preamble))
	}
	m.Digests.Body = b.digest([]part{{b.offset(b.file.Package), b.offset(b.file.Name.End())}}, body...)
	doc, attributes := b.comments(without(whole, sortParts(append(holes, preamble...))))
	if c := b.facts.Notes[NoteBuild]; c != "" {
		attributes = append(attributes, c)
	}
	m.Digests.Doc = b.digest(nil, doc...)
	m.Digests.Attributes = b.digest(nil, attributes...)
}

// preamble is the C code of a cgo file: the comments above import "C".
func (b *builder) preamble() []part {
	var out []part
	for _, d := range b.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			imp, ok := spec.(*ast.ImportSpec)
			if !ok || imp.Path.Value != `"C"` {
				continue
			}
			for _, c := range []*ast.CommentGroup{g.Doc, imp.Doc} {
				if c != nil {
					out = append(out, part{b.offset(c.Pos()), b.offset(c.End())})
				}
			}
		}
	}
	return out
}

func (b *builder) commentText(parts []part) string {
	var out strings.Builder
	for _, p := range parts {
		out.Write(b.src[p.from:p.to])
	}
	return out.String()
}

func sortParts(parts []part) []part {
	slices.SortFunc(parts, func(x, y part) int { return int(x.from - y.from) })
	return parts
}
