package pipeline

import (
	"context"
	"fmt"
	"maps"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/worktree"
)

// goTypes type-checks what Go packages of merge base and head declare; nothing without
// types.
func (p *Pipeline) goTypes(ctx context.Context, builder *index.Builder, objects *worktree.Reader, base, head *graph.Graph, dirs []string) (review.GoTypes, error) {
	was, err := builder.GoDeclarations(ctx, objects, base, dirs)
	if err != nil {
		return review.GoTypes{}, fmt.Errorf("declarations of the merge base: %w", err)
	}
	is, err := builder.GoDeclarations(ctx, objects, head, dirs)
	if err != nil {
		return review.GoTypes{}, fmt.Errorf("declarations of head: %w", err)
	}
	all := maps.Clone(was.Dirs)
	maps.Copy(all, is.Dirs)
	return review.GoTypes{Base: was.Packages, Head: is.Packages, Dirs: all}, nil
}
