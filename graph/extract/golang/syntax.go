package golang

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
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
func Parse(src []byte) *Syntax {
	size := int64(len(src))
	base := int(nextBase.Add(size+3) - size - 2)
	set := token.NewFileSet()
	set.AddFile("", base, 0) // the next file starts one past it
	file, err := parser.ParseFile(set, "", src, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	s := &Syntax{file: file, pos: set.File(token.Pos(base + 1))}
	if s.pos == nil {
		s.pos = set.AddFile("", set.Base(), int(size))
	}
	if err != nil {
		s.gaps = gaps(s, err)
	}
	return s
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
func gaps(s *Syntax, err error) []graph.Span {
	var spans []graph.Span
	if list, ok := err.(scanner.ErrorList); ok { //nolint:errorlint // go/parser documents this type
		for _, e := range list {
			line := s.line(s.pos.Pos(min(max(e.Pos.Offset, 0), s.pos.Size())))
			spans = append(spans, graph.Span{Start: line, End: line})
		}
	}
	if s.file.Package.IsValid() {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.BadDecl, *ast.BadStmt, *ast.BadExpr:
				spans = append(spans, graph.Span{Start: s.line(n.Pos()), End: s.line(n.End())})
			}
			return true
		})
	} else {
		spans = append(spans, graph.Span{Start: 1, End: s.pos.LineCount()})
	}
	return mergeSpans(spans)
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
