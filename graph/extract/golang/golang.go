// Package golang extracts the facts of one Go file.
//
// Input is the bytes of a blob; output is its declarations with digests of
// their tokens, its imports, its build constraint, and the syntax tree for the
// linker. It uses go/parser with comments and error recovery: a file with
// syntax errors keeps what was understood and lists the rest as gaps.
//
// For the linker that knows no types the facts hold references as well, and there is no
// tree.
//
// It type-checks nothing and resolves nothing; graph/link/golang does. A name
// declared inside a function is no symbol: it belongs to the function. A function
// literal is one, so that calls can lead to it, but has no digests: it changes
// with the symbol around it.
package golang

import (
	"context"
	"go/ast"
	"go/token"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract"
)

// Language is the name of Go in [graph.Facts].
const Language = "go"

// version counts the changes of what is extracted from unchanged bytes.
//
//	1: first
//	2: an example without output is no test
//	3: function literals are symbols
//	4: go:linkname is noted
//	5: a digest of the declarations without what functions do
const version = 5

// The keys of [graph.Facts.Notes].
const (
	NoteBuild   = "go.build"    // the build constraint, in the syntax of //go:build lines
	NoteCgo     = "go.cgo"      // "true" if the file imports "C"
	NoteSurface = "go.surface"  // digest of the declarations as they stand, function bodies left out
	NoteNamed   = "go.linkname" // "true" if the file gives or takes a name past the compiler: go:linkname
)

// syntaxVersion counts the changes of the references that are extracted for a linker
// without types. The facts of the two extractors have no version in common.
//
//	1: first
const syntaxVersion = 1

// An Extractor reads Go. It keeps nothing between files.
type Extractor struct{ references bool }

// New returns an extractor for the linker that type-checks: it hands over syntax trees
// and leaves references to them.
func New() *Extractor { return &Extractor{} }

// NewSyntactic returns an extractor for the linker that knows no types: it hands over
// no trees, and its facts hold references.
func NewSyntactic() *Extractor { return &Extractor{references: true} }

// Languages lists Go.
func (*Extractor) Languages() []string { return []string{Language} }

// Version changes whenever the facts of unchanged bytes would change.
func (x *Extractor) Version() uint32 {
	if x.references {
		return version | syntaxVersion<<16
	}
	return version
}

// Extract returns the facts of src and, unless these hold references, its syntax as a
// [*Syntax].
func (x *Extractor) Extract(ctx context.Context, _ string, src []byte) (extract.Result, error) {
	if err := ctx.Err(); err != nil {
		return extract.Result{}, err
	}
	syntax := Parse(src)
	b := declarations(src, syntax)
	b.facts.Version = x.Version()
	if !x.references {
		return extract.Result{Facts: b.facts, Syntax: syntax}, nil
	}
	b.references()
	return extract.Result{Facts: b.facts}, nil
}

// declarations reads the declarations of a parsed file in source order.
func declarations(src []byte, s *Syntax) *builder {
	b := &builder{
		src: src, file: s.file, at: s.pos, tokens: scan(src),
		facts: &graph.Facts{Language: Language, Lines: int32(s.pos.LineCount()), Gaps: s.gaps},
	}
	b.module()
	for _, d := range b.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			b.function(d)
		case *ast.GenDecl:
			switch d.Tok {
			case token.CONST:
				b.constants(d)
			case token.VAR:
				b.variables(d)
			case token.TYPE:
				b.types(d)
			}
		}
	}
	b.digestModule()
	b.surface()
	return b
}
