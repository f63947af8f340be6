// Package link resolves the references found by graph/extract into edges.
//
// Input is the facts of every file of one tree; output is edges, each with a
// [graph.Tier] saying how the target was chosen. A linker never guesses
// silently: a reference with several possible targets yields one edge per
// target, one without a target is counted as unresolved or external.
//
// Linkers run nothing. The only files they read are those of the tree, through
// [Tree], and for Go the standard library and module cache of this machine.
// Languages live in subfolders. Why tiers, not a score: docs/adr/0004-tiers.md.
package link

import (
	"context"

	"github.com/previdence/previdence/graph"
)

// A File is one parsed file of the tree.
type File struct {
	Path    string
	Blob    string
	Facts   *graph.Facts
	Syntax  any   // see extract.Result; nil if the facts come from a cache
	Symbols int32 // index in [Input.Symbols] of Facts.Symbols[0]; the others follow
}

// A Tree gives a linker the other files of the same tree: go.mod, tsconfig.json,
// package.json, pyproject.toml. Paths are slash-separated and relative.
type Tree interface {
	// Paths lists all files in order, parsed or not.
	Paths() []string
	// Read returns the content, or an error wrapping fs.ErrNotExist.
	Read(ctx context.Context, path string) ([]byte, error)
}

// Input is what a linker works on.
type Input struct {
	Files   []File         // of the linker's languages, by path
	Symbols []graph.Symbol // of all files; File.Symbols points in here
	Tree    Tree
	Workers int  // how many goroutines it may use, at least 1
	Memo    Memo // nil: nothing is kept
}

// A Memo keeps what a linker found out for its later calls, also in other
// processes. A key is a digest of all that decides the value, the linker's version
// included; values are safe to keep and to lose. It is safe for concurrent use.
type Memo interface {
	// Recall returns the values that are kept under some of the keys.
	Recall(ctx context.Context, keys []string) map[string][]byte
	Keep(ctx context.Context, values map[string][]byte)
}

// Output is what a linker found. Edge and Unresolved indexes point into
// Input.Symbols, and from len(Input.Symbols) on into Output.Symbols.
type Output struct {
	Symbols    []graph.Symbol // symbols that no single file defines: Go packages
	Edges      []graph.Edge
	Unresolved []graph.Unresolved
	Counts     []graph.Counts
	Caveats    []graph.Caveat
	Tests      []Test // symbols that only another file shows to be tests
	// Outside describes what the output depends on besides the input, in the
	// linker's own words and without a path of this machine; "" if nothing.
	Outside string
}

// A Test is a symbol of Input.Symbols that is a test because of what its file
// imports, such as a method of a class whose base is a test case elsewhere.
type Test struct {
	Symbol    int32
	Framework string
}

// A Linker resolves the references of one family of languages. It must give
// the same output for the same input, whatever Workers is.
type Linker interface {
	Languages() []string
	Version() uint32
	Link(ctx context.Context, in Input) (Output, error)
}

// An Outsider is a linker whose output also depends on what this machine holds
// outside the tree, such as the source of dependencies.
type Outsider interface {
	Linker
	// Outside describes again what an earlier [Output.Outside] describes. The two
	// are equal if linking the same input again would give the same output.
	Outside(before string) string
}
