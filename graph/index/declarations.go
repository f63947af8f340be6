package index

import (
	"context"
	"fmt"

	"github.com/sourcegraph/conc/panics"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link/golang"
	"github.com/previdence/previdence/worktree"
)

// GoDeclarations type-checks what the Go packages in some directories of a tree
// declare; g is the graph of that tree. It is what the graph was linked from,
// without the bodies of functions. Declared is empty if there is no Go linker.
func (b *Builder) GoDeclarations(ctx context.Context, objects Objects, g *graph.Graph, dirs []string) (out golang.Declared, err error) {
	for _, l := range b.linkers {
		if linker, ok := l.(*golang.Linker); ok {
			if caught := panics.Try(func() { out, err = linker.Declarations(ctx, sourcesOf(objects, g), dirs, b.options.Workers) }); caught != nil {
				return golang.Declared{}, fmt.Errorf("%w: %w", errLinkerPanic, caught.AsError())
			}
		}
	}
	return out, err
}

// sourcesOf gives a linker the files of a tree whose graph is here already.
func sourcesOf(objects Objects, g *graph.Graph) *sources {
	s := &sources{objects: objects, kept: map[worktree.OID][]byte{}}
	for i := range g.Files {
		f := &g.Files[i]
		switch f.State {
		case graph.FileSubmodule, graph.FileSymlink:
		default:
			if f.Blob != "" {
				s.paths, s.blobs = append(s.paths, f.Path), append(s.blobs, worktree.OID(f.Blob))
			}
		}
	}
	return s
}
