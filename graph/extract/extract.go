// Package extract turns one blob into facts.
//
// Input is the bytes of a blob and its language; output is [graph.Facts] and,
// where the linker wants it, the syntax tree. An extractor never sees a path,
// reads no files, runs nothing and keeps nothing: the same bytes give the same
// facts. What a parser could not understand is listed in the facts as gaps.
// Languages live in subfolders, each behind the [Extractor] interface.
package extract

import (
	"context"

	"github.com/previdence/previdence/graph"
)

// An Extractor reads one language. It must be safe for concurrent use.
type Extractor interface {
	// Languages lists the languages it reads, as in graph.Facts.Language.
	Languages() []string
	// Version changes whenever the facts of unchanged bytes would change.
	Version() uint32
	// Extract never fails for bad source: it returns what it understood and
	// lists gaps. An error means that nothing at all can be said.
	Extract(ctx context.Context, language string, src []byte) (Result, error)
}

// A Result is what an extractor found in one blob.
type Result struct {
	Facts *graph.Facts
	// Syntax is kept for the linker of the same language if it wants the tree
	// itself (Go: *golang.Syntax). It is nil when facts come from a cache.
	Syntax any
}
