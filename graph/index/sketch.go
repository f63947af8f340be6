package index

import (
	"context"
	"fmt"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/worktree"
)

// Sketch returns what some files of a tree declare, where there is no time for the
// graph: symbols as [Builder.Build] gives them, and no edges. Every entry of the
// tree stands in it; those that were not asked for have no state unless their name
// or size decides it. The facts are shared with the builds of this builder.
func (b *Builder) Sketch(ctx context.Context, objects Objects, tree worktree.OID, paths map[string]bool) (*graph.Graph, error) {
	listing, err := objects.List(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("sketch graph: %w", err)
	}
	r := &run{Builder: b, objects: objects}
	r.classify(listing)
	g := &graph.Graph{}
	r.units = slices.DeleteFunc(r.units, func(u unit) bool {
		left := !paths[u.file.Path]
		if left {
			g.Files = append(g.Files, u.file)
		}
		return left
	})
	if err := r.extract(ctx); err != nil {
		return nil, fmt.Errorf("sketch graph: %w", err)
	}
	if _, err := r.symbols(ctx, g); err != nil {
		return nil, fmt.Errorf("sketch graph: %w", err)
	}
	for i := range r.units {
		g.Files = append(g.Files, r.units[i].file)
	}
	g.Sort()
	separate(g)
	return g, ctx.Err()
}
