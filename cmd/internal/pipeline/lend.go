package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

// lend gives the worktree of a pull request the graph that its review was made
// from, so that whoever reads the files can ask at once. A worktree whose own
// graph answers keeps it, and one whose HEAD went elsewhere gets none, as does one
// whose own configuration decides otherwise about graphs than that of the merge base.
func (p *Pipeline) lend(ctx context.Context, objects *worktree.Reader, root string, head built, c index.Configuration) (err error) {
	own, config, err := GraphRules(ctx, objects, worktree.OID(head.tree), Asked{})
	if err != nil || !slices.Equal(own.Ignore, c.Ignore) || !slices.Equal(own.Platforms, c.Platforms) || own.TypesOff != c.TypesOff {
		return err
	}
	builder := p.builder.Configured(c)
	_, repo, err := p.repo.Authorize(ctx, root)
	if err != nil {
		return err
	}
	refusal, err := provenance.Check(ctx, repo, provenance.Query{Engine: builder.EngineDigest(), Config: config, Outside: builder.Outside})
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
		Engine: builder.EngineDigest(), Config: config, Outside: head.outside, Digest: head.digest, ToolVersion: p.options.ToolVersion,
	})
	return err
}
