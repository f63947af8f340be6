// Package document extracts facts from documents: headings are symbols, and the
// names in code and the links to other files are references.
//
// Input is the bytes of one Markdown document; output is [graph.Facts] in which
// Symbols[0] is the document, every heading is a symbol whose parent is the
// heading above it, and every code span or call in a code block that could name
// a symbol is a reference of kind graph.EdgeReference. Links inside the tree are
// imports, and so are code spans that could be the path of a file, marked as
// guarded, since nobody promises that the file is there. A document that is no
// longer true is then found like any other broken reference.
//
// Markdown is parsed whole. Of the other two the lines are read that can hold a
// name or a link: titles, literals, roles, directives and blocks of code.
//
// The package decides nothing about targets, follows no link, includes no file,
// renders nothing and ignores raw HTML. A document beyond its limits becomes a
// gap as a whole.
package document

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"sort"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract"
)

// The languages of this package.
const (
	Markdown         = "markdown"
	ReStructuredText = "restructuredtext"
	AsciiDoc         = "asciidoc"
)

// NoteFences is the key in graph.Facts.Notes of the languages of the code
// blocks, by scope and separated by commas: ",go,,python" says that Scopes[1]
// is a block of Go and Scopes[3] one of Python. Scopes[0] is the document.
const NoteFences = "document.fences"

// The limits of a document. Parsers of Markdown take time in the square of each,
// so that one file could hold up a whole review.
const (
	MaxSize     = 512 << 10 // bytes
	MaxNesting  = 64        // quotes and lists in one another
	MaxBrackets = 4_000     // square brackets in one paragraph
)

// An Extractor reads documents. It holds nothing and is safe for concurrent use.
type Extractor struct{}

// version has one line for each change of the facts:
// 1: headings, names and links; 2: paths in code spans; 3: reStructuredText and
// AsciiDoc.
const version = 3

// New returns an extractor.
func New() *Extractor { return &Extractor{} }

// Languages returns the languages of this package.
func (*Extractor) Languages() []string { return []string{Markdown, ReStructuredText, AsciiDoc} }

// Version changes whenever the facts of unchanged bytes would change.
func (*Extractor) Version() uint32 { return version }

// Extract reads one document.
func (*Extractor) Extract(ctx context.Context, language string, src []byte) (extract.Result, error) {
	if err := ctx.Err(); err != nil {
		return extract.Result{}, fmt.Errorf("extract %s: %w", language, err)
	}
	b := newBuilder(language, src)
	if len(src) > MaxSize || language == Markdown && (nesting(src) > MaxNesting || brackets(src) > MaxBrackets) {
		b.facts.Gaps = []graph.Span{{Start: 1, End: int(b.facts.Lines)}}
		b.finish()
		return extract.Result{Facts: b.facts}, nil
	}
	switch language {
	case ReStructuredText:
		b.readRST()
	case AsciiDoc:
		b.readAsciiDoc()
	default:
		b.readMarkdown()
	}
	b.finish()
	return extract.Result{Facts: b.facts}, nil
}

// A builder collects the facts of one document.
type builder struct {
	src     []byte
	text    []byte // src with front matter blanked out; same length
	breaks  []int  // offsets behind each newline
	facts   *graph.Facts
	fences  []string
	section int32   // symbol of the heading that the walk is under
	open    []int32 // headings around it, outermost first
	levels  []int   // their levels
}

func newBuilder(language string, src []byte) *builder {
	b := &builder{src: src, text: blankFrontMatter(src), fences: []string{""}}
	for i, c := range src {
		if c == '\n' {
			b.breaks = append(b.breaks, i+1)
		}
	}
	b.facts = &graph.Facts{Language: language, Version: version, Lines: b.lastLine()}
	b.facts.Scopes = []graph.Scope{{Kind: graph.ScopeFile, Parent: graph.None, Symbol: 0}}
	b.facts.Symbols = []graph.SymbolFact{{Kind: graph.KindModule, Parent: graph.None, End: int32(len(src)), Line: 1,
		EndLine: b.facts.Lines, Exported: true, Result: graph.None, Scope: 0}}
	return b
}

// lastLine is the number of lines; an empty document has one.
func (b *builder) lastLine() int32 {
	n := len(b.breaks)
	if n == 0 || b.breaks[n-1] < len(b.src) {
		n++
	}
	return int32(n)
}

// line returns the line of the byte at offset i.
func (b *builder) line(i int) int32 {
	n := sort.Search(len(b.breaks), func(k int) bool { return b.breaks[k] > i })
	return min(int32(n+1), b.facts.Lines)
}

// lineStart returns the offset at which the line of byte i begins.
func (b *builder) lineStart(i int) int {
	n := sort.Search(len(b.breaks), func(k int) bool { return b.breaks[k] > i })
	if n == 0 {
		return 0
	}
	return b.breaks[n-1]
}

// heading opens the section of a heading whose line begins at start.
func (b *builder) heading(level, start, nameAt int, title string) {
	b.closeTo(level, start)
	parent := int32(0)
	if n := len(b.open); n > 0 {
		parent = b.open[n-1]
	}
	b.section = int32(len(b.facts.Symbols))
	b.open, b.levels = append(b.open, b.section), append(b.levels, level)
	b.facts.Symbols = append(b.facts.Symbols, graph.SymbolFact{Name: title, Kind: graph.KindHeading, Parent: parent,
		Start: int32(start), End: int32(len(b.src)), NameAt: int32(nameAt), Line: b.line(nameAt), EndLine: b.facts.Lines,
		Exported: true, Result: graph.None, Scope: graph.None, Signature: title})
}

// closeTo ends the sections that a heading of this level ends.
func (b *builder) closeTo(level, at int) {
	n := len(b.open)
	for n > 0 && b.levels[n-1] >= level {
		n--
		s := &b.facts.Symbols[b.open[n]]
		s.End = int32(at)
		s.EndLine = max(s.Line, b.line(at)-1)
	}
	b.open, b.levels = b.open[:n], b.levels[:n]
}

// finish computes the digests. A section's own text ends where the next heading
// begins, so that a changed subsection does not change the ones around it.
func (b *builder) finish() {
	symbols := b.facts.Symbols
	for i := range symbols {
		s := &symbols[i]
		end := len(b.src)
		if i+1 < len(symbols) {
			end = int(symbols[i+1].Start)
		}
		own := b.src[s.Start:end]
		body := own
		if i > 0 {
			s.Digests.Signature = digest(bytes.Fields([]byte(s.Name)))
			body = b.src[min(int(s.NameAt)+len(s.Name), end):end]
		}
		s.Digests.Body = digest(bytes.Fields(body))
		s.Digests.Raw = digest([][]byte{own})
	}
	b.facts.Notes = b.notes()
}

// digest is over words, so that a paragraph may be wrapped another way. Nothing
// has the zero digest.
func digest(words [][]byte) (d graph.Digest) {
	if len(words) == 0 {
		return d
	}
	sum := sha256.Sum256(bytes.Join(words, []byte{0}))
	copy(d[:], sum[:])
	return d
}
