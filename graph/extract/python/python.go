// Package python extracts the facts of one Python file.
//
// Input is the bytes of a .py or .pyi file; output is [graph.Facts]: symbols,
// scopes, bindings, expressions, references and imports, all by the rules that
// the file itself can decide. The package never sees a path, imports nothing,
// runs nothing and never guesses what another file defines: that is the work of
// graph/link/python.
//
// Four conventions go beyond the types of package graph:
//   - Comprehensions and lambdas open a ScopeFunction, as they do in Python; a
//     ScopeBlock only narrows types.
//   - "import a.b" is two imports, of a (bound as a) and of a.b (bound as
//     nothing), because that is what the statement does.
//   - "a.b = x" binds the name "a.b" in the scope where it stands, unless a is
//     the method's own object.
//   - What a generator yields is bound to the name "yield", which no program
//     can use, in the function's scope.
//   - Where a name may be missing without harm (below a condition on platform or
//     version or on hasattr, in a try that forgives it, in a test that may
//     fail), the scope narrows the name "?"; in a test that may be skipped, the
//     name "skip".
//   - Where a test expects a TypeError, the scope narrows "()".
//   - "a[i] = x", "a.append(x)" and the like bind the name "a[]" in the scope where
//     they stand; "self.a[i] = x" binds "a[]" as an attribute of the class, too.
//   - The entry of a mapping under a constant key is an ExprKeyword whose argument
//     is the key; the argument of a slice is an ExprOther called ":".
//   - The ExprIndex of "del a[i]" is called "del".
package python

import (
	"context"
	"sync"

	grammar "github.com/tree-sitter/tree-sitter-python/bindings/go"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract"
	"github.com/previdence/previdence/graph/extract/treesitter"
)

// Language is the name that facts made here carry.
const Language = "python"

// version grows whenever unchanged bytes would give other facts.
const version = 9

// The keys of graph.Facts.Notes that this package sets.
const (
	NoteAll        = "python.all"         // names in __all__, one per line, in order
	NoteAllDynamic = "python.all.dynamic" // "1" if __all__ is also computed
)

var pythonLanguage = sync.OnceValue(func() *treesitter.Language {
	return treesitter.NewLanguage(grammar.Language())
})

// An Extractor reads Python. It is safe for concurrent use.
type Extractor struct{}

// New returns an extractor.
func New() *Extractor { return &Extractor{} }

// Languages lists the one language it reads.
func (*Extractor) Languages() []string { return []string{Language} }

// Version changes with the facts.
func (*Extractor) Version() uint32 { return version }

// Extract reads one blob. It fails only if the parser's budget is exceeded or
// ctx is done.
func (*Extractor) Extract(ctx context.Context, _ string, src []byte) (extract.Result, error) {
	tree, err := treesitter.Parse(ctx, pythonLanguage(), src)
	if err != nil {
		return extract.Result{}, err
	}
	r := newReader(ctx, tree)
	r.module()
	r.dropLocalReads()
	r.setExported()
	r.setDigests()
	return extract.Result{Facts: r.facts}, nil
}

// newFacts returns facts with the file's symbol and scope in place.
func newFacts(tree *treesitter.Tree) *graph.Facts {
	lines := tree.Lines()
	return &graph.Facts{
		Language:  Language,
		Version:   version,
		Generated: generated(tree),
		Lines:     lines,
		Symbols: []graph.SymbolFact{{
			Kind: graph.KindModule, Parent: graph.None, End: int32(len(tree.Source)),
			Line: 1, EndLine: max(lines, 1), Exported: true, Result: graph.None, Scope: 0,
		}},
		Scopes: []graph.Scope{{Kind: graph.ScopeFile, Parent: graph.None}},
		Gaps:   tree.Gaps(),
	}
}
