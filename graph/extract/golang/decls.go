package golang

import (
	"go/ast"
	"go/token"
	"sort"
	"strconv"
	"strings"

	"github.com/previdence/previdence/graph"
)

// A builder reads one file.
type builder struct {
	src     []byte
	file    *ast.File
	at      *token.File
	tokens  []lexeme
	facts   *graph.Facts
	testing string // name of the testing package in this file; "" if it is not imported
	buf     []byte
}

// offset returns the byte of p, kept inside the file whatever the parser says
// about broken source.
func (b *builder) offset(p token.Pos) int32 {
	return int32(min(max(int(p)-b.at.Base(), 0), len(b.src)))
}

func (b *builder) line(p token.Pos) int32 { return int32(lineOf(b.at, p)) }

func (b *builder) span(n ast.Node) part { return part{b.offset(n.Pos()), b.offset(n.End())} }

// add makes a symbol for a name. The definition reaches from its doc comment
// to the end of the comment behind it.
func (b *builder) add(kind graph.Kind, name *ast.Ident, n ast.Node, comments ...*ast.CommentGroup) *graph.SymbolFact {
	p := b.span(n)
	for _, c := range comments {
		if c != nil {
			p.from = min(p.from, b.offset(c.Pos()))
			p.to = max(p.to, b.offset(c.End()))
		}
	}
	p.to = max(p.to, p.from)
	b.facts.Symbols = append(b.facts.Symbols, graph.SymbolFact{
		Name: name.Name, Kind: kind, Parent: 0, Start: p.from, End: p.to, NameAt: b.offset(name.Pos()),
		Line: b.line(name.Pos()), EndLine: b.line(n.End()), Exported: name.IsExported(),
		Result: graph.None, Scope: graph.None,
	})
	return &b.facts.Symbols[len(b.facts.Symbols)-1]
}

// finish fills in the digests of what is written in the definition but in none
// of the symbols nested in it.
func (b *builder) finish(s *graph.SymbolFact, nested []part, attributes ...string) {
	rest := without(part{s.Start, s.End}, nested)
	doc, directives := b.comments(rest)
	s.Digests.Doc = b.digest(nil, doc...)
	s.Digests.Attributes = b.digest(nil, append(attributes, directives...)...)
	s.Digests.Raw = b.bytes(rest)
}

// comments returns the comments inside the parts, white space folded, and the
// directives apart.
func (b *builder) comments(parts []part) (doc, directives []string) {
	groups := b.file.Comments
	for _, p := range parts {
		i := sort.Search(len(groups), func(i int) bool { return b.offset(groups[i].End()) > p.from })
		for ; i < len(groups) && b.offset(groups[i].Pos()) < p.to; i++ {
			for _, c := range groups[i].List {
				at := b.offset(c.Pos())
				switch {
				case at < p.from || at >= p.to:
				case isDirective(c.Text):
					directives = append(directives, strings.Join(strings.Fields(c.Text), " "))
				default:
					doc = append(doc, strings.Join(strings.Fields(c.Text), " "))
				}
			}
		}
	}
	return doc, directives
}

// function reads a function or a method.
func (b *builder) function(d *ast.FuncDecl) {
	kind := graph.KindFunction
	if d.Recv != nil {
		kind = graph.KindMethod
	}
	s := b.add(kind, d.Name, d, d.Doc)
	s.Line = b.line(d.Pos())
	head := part{b.offset(d.Pos()), b.offset(d.End())}
	if d.Body != nil {
		head.to = b.offset(d.Body.Pos())
		s.Digests.Body = b.digest([]part{b.span(d.Body)})
	} else {
		s.Flags |= graph.FlagAbstract
	}
	if d.Recv != nil {
		s.Parent = graph.None
		s.Container = receiverName(d.Recv)
		s.Exported = s.Exported && ast.IsExported(s.Container)
		b.params(s, d.Recv, graph.ParamReceiver)
	}
	b.signature(s, d.Type)
	s.Signature = b.text(head)
	s.Digests.Signature = b.digest([]part{head})
	b.testRule(s, d)
	b.finish(s, nil)
	if d.Body != nil {
		b.literals(int32(len(b.facts.Symbols)-1), d.Body)
	}
}

// receiverName is the type that a method belongs to, without pointer and type
// parameters.
func receiverName(recv *ast.FieldList) string {
	if len(recv.List) == 0 {
		return ""
	}
	if id := baseName(recv.List[0].Type); id != nil {
		return id.Name
	}
	return ""
}

// baseName finds the last identifier of a possibly qualified, pointed to or
// instantiated type name.
func baseName(x ast.Expr) *ast.Ident {
	for {
		switch t := x.(type) {
		case *ast.Ident:
			return t
		case *ast.ParenExpr:
			x = t.X
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.SelectorExpr:
			return t.Sel
		default:
			return nil
		}
	}
}

// signature reads parameters and results.
func (b *builder) signature(s *graph.SymbolFact, t *ast.FuncType) {
	b.params(s, t.Params, graph.ParamPositional)
	if t.Results != nil {
		s.ResultText = b.text(b.span(t.Results))
	}
}

func (b *builder) params(s *graph.SymbolFact, list *ast.FieldList, kind graph.ParamKind) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		p := graph.Param{Kind: kind, TypeText: b.text(b.span(field.Type)), Type: graph.None}
		if _, ok := field.Type.(*ast.Ellipsis); ok && kind == graph.ParamPositional {
			p.Kind, p.Optional = graph.ParamVariadic, true
		}
		if len(field.Names) == 0 {
			s.Params = append(s.Params, p)
		}
		for _, name := range field.Names {
			p.Name = name.Name
			s.Params = append(s.Params, p)
		}
	}
}

// docs are the comments that belong to a spec: those of the whole declaration
// only if it stands alone, without parentheses.
func docs(d *ast.GenDecl, doc, comment *ast.CommentGroup) (ast.Node, []*ast.CommentGroup) {
	if d.Lparen.IsValid() {
		return nil, []*ast.CommentGroup{doc, comment}
	}
	return d, []*ast.CommentGroup{d.Doc, doc, comment}
}

// constants reads a group of constants. A spec without values repeats the
// expression before it, and one that counts with iota depends on its place, so
// both go into the digest: an inserted constant changes those below it.
func (b *builder) constants(d *ast.GenDecl) {
	var last *ast.ValueSpec
	for place, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if len(v.Values) > 0 || v.Type != nil || last == nil {
			last = v
		}
		for i, name := range v.Names {
			values := valueParts(b, last.Values, len(v.Names), i)
			var extra []string
			if b.mentionsIota(values) {
				extra = append(extra, "iota "+strconv.Itoa(place))
			}
			b.value(graph.KindConstant, d, v, name, last.Type, values, extra)
		}
	}
}

// variables reads a group of variables.
func (b *builder) variables(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		first := int32(len(b.facts.Symbols))
		for i, name := range v.Names {
			b.value(graph.KindVariable, d, v, name, v.Type, valueParts(b, v.Values, len(v.Names), i), nil)
		}
		for i, x := range v.Values {
			owner := first
			if len(v.Values) == len(v.Names) {
				owner += int32(i)
			}
			b.literals(owner, x)
		}
	}
}

// value makes the symbol of one name of a spec.
func (b *builder) value(kind graph.Kind, d *ast.GenDecl, v *ast.ValueSpec, name *ast.Ident, typ ast.Expr, values []part, extra []string) {
	node, comments := docs(d, v.Doc, v.Comment)
	if node == nil {
		node = v
	}
	s := b.add(kind, name, node, comments...)
	head := []part{b.span(name)}
	if typ != nil {
		head = append(head, b.span(typ))
	}
	s.Signature = strings.TrimSpace(d.Tok.String() + " " + name.Name)
	if typ != nil {
		s.ResultText = b.text(b.span(typ))
		s.Signature += " " + s.ResultText
	}
	s.Digests.Signature = b.digest(head)
	s.Digests.Body = b.digest(values, extra...)
	b.finish(s, nil)
}

// valueParts is the i-th value, or all of them where values and names do not
// pair up.
func valueParts(b *builder, values []ast.Expr, names, i int) []part {
	if len(values) == names {
		return []part{b.span(values[i])}
	}
	var out []part
	for _, v := range values {
		out = append(out, b.span(v))
	}
	return out
}

func (b *builder) mentionsIota(parts []part) bool {
	for _, p := range parts {
		for _, l := range b.within(p) {
			if l.tok == token.IDENT && string(b.src[l.at:l.end]) == "iota" {
				return true
			}
		}
	}
	return false
}
