package document

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/previdence/previdence/graph"
)

// reader parses the parts of Markdown that can hold a name. Emphasis and
// extensions are left out: they only cost time, and a code span in a table or
// in bold text is one without them too.
var reader = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
	),
	parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
)

// maxRefs bounds the references and imports of one document, each.
const maxRefs = 50_000

// readMarkdown walks over the blocks of the document in order.
func (b *builder) readMarkdown() {
	document := reader.Parse(text.NewReader(b.text))
	// An error cannot come from the walker, which never returns one.
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Parent() == document {
				b.section = b.readHeading(n)
			}
		case *ast.CodeSpan:
			b.readSpan(n)
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock:
			b.readFence(n)
			return ast.WalkSkipChildren, nil
		case *ast.CodeBlock, *ast.HTMLBlock, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			b.readLink(string(n.Destination), b.offset(n))
		case *ast.Image:
			b.readLink(string(n.Destination), b.offset(n))
		}
		return ast.WalkContinue, nil
	})
}

// readHeading opens a section and returns its symbol. A heading without text
// opens none.
func (b *builder) readHeading(n *ast.Heading) int32 {
	title := fold(plainText(n, b.text), maxTitle)
	if title == "" || n.Lines().Len() == 0 {
		return b.section
	}
	at := n.Lines().At(0).Start
	b.heading(n.Level, b.lineStart(at), at, title)
	return b.section
}

// maxTitle bounds the bytes of a heading's name.
const maxTitle = 120

// plainText returns the text of a heading without its markup.
func plainText(n ast.Node, src []byte) []byte {
	var out []byte
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			out = append(out, c.Segment.Value(src)...)
			if c.SoftLineBreak() {
				out = append(out, ' ')
			}
		case *ast.RawHTML, *ast.Image:
		default:
			out = append(out, plainText(c, src)...)
		}
	}
	return out
}

// fold makes white space single and cuts at limit bytes, between characters.
// Emphasis marks at the ends of words are markup that the reader left in.
func fold(title []byte, limit int) string {
	words := bytes.Fields(bytes.ToValidUTF8(title, []byte("\uFFFD")))
	for i, w := range words {
		if t := bytes.Trim(w, "*"); len(t) > 0 {
			words[i] = t
		}
	}
	s := string(bytes.Join(words, []byte{' '}))
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// offset returns a byte at which an inline node stands, or where its block does.
func (b *builder) offset(n ast.Node) int {
	if p := n.Pos(); p >= 0 && p < len(b.src) {
		return p
	}
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Type() == ast.TypeBlock && p.Lines() != nil && p.Lines().Len() > 0 {
			return p.Lines().At(0).Start
		}
	}
	return 0
}

// readSpan makes a reference of a code span that is a name.
func (b *builder) readSpan(n *ast.CodeSpan) {
	var content []byte
	start := -1
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			return
		}
		if start < 0 {
			start = t.Segment.Start
		}
		content = append(content, t.Segment.Value(b.text)...)
	}
	if start >= 0 {
		b.literal(string(content), start)
	}
}

// literal makes a reference of text set as code that is a name, and an import of
// one that is a path.
func (b *builder) literal(content string, start int) {
	if name, ok := parseName(content); ok {
		b.reference(name, start, start+len(content), 0)
	}
	if file, ok := parsePath(content); ok && len(b.facts.Imports) < maxRefs {
		b.facts.Imports = append(b.facts.Imports, graph.Import{Module: file, From: b.section, Line: b.line(start), Guarded: true})
	}
}

// reference records a name that stands at src[start:end] in a scope.
func (b *builder) reference(name qualified, start, end int, scope int32) {
	if len(b.facts.Refs) >= maxRefs {
		return
	}
	end = min(end, len(b.src))
	line := b.line(start)
	callee := graph.None
	for i, part := range name.parts {
		e := graph.Expr{Kind: graph.ExprMember, Name: part, Base: callee, Symbol: graph.None, Scope: scope,
			Start: int32(start), End: int32(end), Line: line}
		if i == 0 {
			e.Kind = graph.ExprName
		}
		callee = int32(len(b.facts.Exprs))
		b.facts.Exprs = append(b.facts.Exprs, e)
	}
	ref := graph.Ref{Kind: graph.EdgeReference, Expr: callee, Name: name.parts[len(name.parts)-1], From: b.section, Line: line, Args: graph.None}
	if name.call {
		ref.Args = int32(len(b.facts.Exprs))
		b.facts.Exprs = append(b.facts.Exprs, graph.Expr{Kind: graph.ExprCall, Base: callee, Symbol: graph.None, Scope: scope,
			Start: int32(start), End: int32(end), Line: line})
	}
	b.facts.Refs = append(b.facts.Refs, ref)
}

// readFence makes references of the calls in a block of program code.
func (b *builder) readFence(n *ast.FencedCodeBlock) {
	scope, ok := b.fence(strings.Trim(string(n.Language(b.text)), "{.}"))
	if !ok {
		return
	}
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.codeLine(segment.Value(b.text), segment.Start, scope)
	}
}

// fence opens the scope of a block of code. It is not ok if the block holds no
// program of a language whose calls are read.
func (b *builder) fence(name string) (scope int32, ok bool) {
	language, ok := fenceLanguages[strings.ToLower(name)]
	if !ok {
		return 0, false
	}
	b.facts.Scopes = append(b.facts.Scopes, graph.Scope{Kind: graph.ScopeBlock, Parent: 0, Symbol: b.section})
	b.fences = append(b.fences, language)
	return int32(len(b.facts.Scopes) - 1), true
}

// codeLine makes references of the calls in a line of code that starts at start.
func (b *builder) codeLine(line []byte, start int, scope int32) {
	for _, c := range calls(line) {
		b.reference(c.name, start+c.start, start+c.end, scope)
	}
}

// fenceLanguages are the names of languages after a fence. Blocks of shells,
// data or output hold no calls of symbols; a block without a name may be any.
var fenceLanguages = map[string]string{
	"go": "go", "golang": "go",
	"python": "python", "py": "python", "python3": "python", "pycon": "python", "ipython": "python",
	"javascript": "ecmascript", "js": "ecmascript", "jsx": "ecmascript", "mjs": "ecmascript", "cjs": "ecmascript", "node": "ecmascript",
	"typescript": "ecmascript", "ts": "ecmascript", "tsx": "ecmascript", "vue": "ecmascript", "svelte": "ecmascript",
}

func (b *builder) notes() map[string]string {
	if len(b.fences) == 1 {
		return nil
	}
	return map[string]string{NoteFences: strings.Join(b.fences, ",")}
}

// readLink makes an import of a link that stays inside the tree.
func (b *builder) readLink(destination string, at int) {
	if target, ok := localTarget(destination); ok && len(b.facts.Imports) < maxRefs {
		b.facts.Imports = append(b.facts.Imports, graph.Import{Module: target, From: b.section, Line: b.line(at)})
	}
}

// localTarget returns the path of a link without fragment and query. Links with
// a scheme or host, links within the document, and those that a template engine
// is still to complete are none.
func localTarget(destination string) (string, bool) {
	if strings.ContainsAny(destination, "{}<>$|\n\x00\\") || strings.HasPrefix(destination, "//") {
		return "", false
	}
	u, err := url.Parse(destination)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || u.Path == "" || !utf8.ValidString(u.Path) {
		return "", false
	}
	return u.Path, true
}
