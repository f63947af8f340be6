package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
)

// lend gives the worktree of a pull request the graph that its review was made
// from, so that whoever reads the files can ask at once. A worktree whose own
// graph answers keeps it, and one whose HEAD went elsewhere gets none.
func (p *Pipeline) lend(ctx context.Context, root string, head built) (err error) {
	_, repo, err := p.repo.Authorize(ctx, root)
	if err != nil {
		return err
	}
	refusal, err := provenance.Check(ctx, repo, provenance.Query{Engine: p.builder.EngineDigest(), Outside: p.builder.Outside})
	if err != nil || refusal == nil {
		return err
	}
	b, err := provenance.Begin(ctx, repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if string(b.Tree) != head.tree {
		return fmt.Errorf("%s is at another commit by now", root)
	}
	_, err = b.Publish(ctx, head.graph, store.Stamp{
		Engine: p.builder.EngineDigest(), Outside: head.outside, Digest: head.digest, ToolVersion: p.options.ToolVersion,
	})
	return err
}
