package golang

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"sync/atomic"

	"github.com/previdence/previdence/graph"
)

// A Syntax is the parsed form of one blob. Its positions overlap with those of
// no other Syntax of this process, so that any number of files fit into one
// [token.FileSet] by [token.FileSet.AddExistingFiles].
type Syntax struct {
	file  *ast.File
	pos   *token.File
	gaps  []graph.Span
	taken atomic.Bool
}

// nextBase is the first free position. It shows in no result: positions are
// turned into offsets and lines before they leave a package.
var nextBase atomic.Int64

// Parse reads one file. It never fails: what it could not understand is a gap
// in the facts, and a file without a package clause has an empty tree.
//
// The parser may take everything behind an error for part of the broken
// declaration. So the declaration with the first error is emptied, at first of
// its body alone, and the file is parsed again, until there is no error left.
func Parse(src []byte) *Syntax {
	s, bad := parse(src)
	var spans []graph.Span
	last := -1
	for range maxRepairs {
		if len(bad) == 0 || !s.file.Package.IsValid() {
			break
		}
		from, to, ok := declarationAt(src, bad[0])
		if !ok {
			break
		}
		if from != last {
			text := bytes.TrimRight(src[from:to], " \t\r\n")
			first := 1 + bytes.Count(src[:from], []byte{'\n'})
			spans = append(spans, graph.Span{Start: first, End: first + bytes.Count(text, []byte{'\n'})})
		}
		src = empty(src, from, to, from != last)
		last = from
		s, bad = parse(src)
	}
	s.gaps = mergeSpans(append(s.gaps, spans...))
	return s
}

// maxRepairs bounds how often a broken file is parsed again.
const maxRepairs = 32

// parse reads one file and returns the offsets of the errors.
func parse(src []byte) (*Syntax, []int) {
	size := int64(len(src))
	base := int(nextBase.Add(size+3) - size - 2)
	set := token.NewFileSet()
	set.AddFile("", base, 0) // the next file starts one past it
	file, err := parser.ParseFile(set, "", src, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	s := &Syntax{file: file, pos: set.File(token.Pos(base + 1))}
	if s.pos == nil {
		s.pos = set.AddFile("", set.Base(), int(size))
	}
	var bad []int
	if list, ok := err.(scanner.ErrorList); ok { //nolint:errorlint // go/parser documents this type
		for _, e := range list {
			bad = append(bad, min(max(e.Pos.Offset, 0), len(src)))
		}
	}
	s.gaps = gaps(s, bad)
	return s, bad
}

// Take hands the tree over to one owner, who may change it. It returns false
// if somebody took it before; the file must then be parsed again.
func (s *Syntax) Take() (*ast.File, *token.File, bool) {
	if s.taken.Swap(true) {
		return nil, nil, false
	}
	file := s.file
	s.file = nil
	return file, s.pos, true
}

// gaps lists the lines of errors and of the nodes that stand for what could
// not be parsed.
func gaps(s *Syntax, bad []int) []graph.Span {
	if len(bad) == 0 {
		return nil
	}
	if !s.file.Package.IsValid() {
		return []graph.Span{{Start: 1, End: s.pos.LineCount()}}
	}
	var spans []graph.Span
	for _, offset := range bad {
		line := s.line(s.pos.Pos(offset))
		spans = append(spans, graph.Span{Start: line, End: line})
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BadDecl, *ast.BadStmt, *ast.BadExpr:
			spans = append(spans, graph.Span{Start: s.line(n.Pos()), End: s.line(n.End())})
		}
		return true
	})
	return mergeSpans(spans)
}

// declaration finds lines that begin a declaration in formatted source.
var declaration = regexp.MustCompile(`(?m)^(func|type|var|const|import)\b`)

// declarationAt is the range of the declaration that holds an offset, up to
// where the next one begins.
func declarationAt(src []byte, offset int) (from, to int, ok bool) {
	from, to = -1, len(src)
	for _, at := range declaration.FindAllIndex(src, -1) {
		if at[0] > offset {
			to = at[0]
			break
		}
		from = at[0]
	}
	return from, to, from >= 0
}

// empty overwrites a declaration with spaces, so that all offsets stay. With
// keep it leaves what stands up to the first brace, and the last one.
func empty(src []byte, from, to int, keep bool) []byte {
	out := bytes.Clone(src)
	text := bytes.TrimRight(out[from:to], " \t\r\n")
	if brace := bytes.IndexByte(text, '{'); keep && brace >= 0 && text[len(text)-1] == '}' {
		text = text[brace+1 : len(text)-1]
	}
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
	return out
}

// line ignores //line comments: evidence names lines of the file itself.
func (s *Syntax) line(p token.Pos) int { return lineOf(s.pos, p) }

func lineOf(f *token.File, p token.Pos) int {
	p = min(max(p, token.Pos(f.Base())), token.Pos(f.Base()+f.Size()))
	return f.PositionFor(p, false).Line
}

func mergeSpans(spans []graph.Span) []graph.Span {
	slices.SortFunc(spans, func(a, b graph.Span) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End
	})
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
