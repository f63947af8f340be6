package provenance

import (
	"context"
	"errors"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

// A Build is the right to replace the graph of one worktree. While it is held,
// readers of this worktree are refused as [Updating] and those of others are not.
type Build struct {
	*Place
	folder *folder
	lock   *Lock
}

// Begin waits until no other build of the worktree's graph runs.
func Begin(ctx context.Context, repo *worktree.Repo) (b *Build, err error) {
	f, err := openFolder(repo.WorktreeStateDir(), true)
	if err != nil {
		return nil, Named(err)
	}
	b = &Build{folder: f}
	defer func() {
		if err != nil {
			err, b = Named(errors.Join(err, b.Close())), nil
		}
	}()
	if b.lock, err = f.wait(ctx, lockName, true); err != nil {
		return b, err
	}
	b.Place, err = Locate(ctx, repo)
	return b, err
}

// Publish puts the graph of HEAD's tree in place. Of the stamp it needs what the
// builder knows; the rest is filled in, and the whole is returned. If HEAD has
// moved meanwhile, nothing is published.
func (b *Build) Publish(ctx context.Context, g *graph.Graph, built store.Stamp) (store.Stamp, error) {
	built.Digest = store.Digest(g)
	return b.put(ctx, built, func(stamp store.Stamp) error { return store.Write(ctx, b.File(), g, stamp) })
}

// Adopt puts a graph of HEAD's tree in place that is there already, as [Build.Publish]
// does with one that was built. Its reader has proven it.
func (b *Build) Adopt(ctx context.Context, twin *Reading, built store.Stamp) (store.Stamp, error) {
	built.Digest = twin.DB.Stamp().Digest
	return b.put(ctx, built, func(stamp store.Stamp) error { return twin.DB.Copy(ctx, b.File(), stamp) })
}

func (b *Build) put(ctx context.Context, built store.Stamp, write func(store.Stamp) error) (store.Stamp, error) {
	stamp := b.Stamp()
	stamp.Digest, stamp.Engine, stamp.Config, stamp.Outside, stamp.ToolVersion = built.Digest, built.Engine, built.Config, built.Outside, built.ToolVersion
	stamp.Generation = b.generation(ctx) + 1
	if err := errors.Join(b.folder.check(), b.same(ctx)); err != nil {
		return stamp, Named(err)
	}
	if err := write(stamp); err != nil {
		return stamp, err
	}
	b.folder.sealNew(graphName, stamp.Digest)
	return stamp, Named(b.folder.check())
}

// generation is that of the graph that is there; 0 if there is none that can be
// read.
func (b *Build) generation(ctx context.Context) int64 {
	db, err := store.Open(ctx, b.File())
	if err != nil {
		return 0
	}
	defer db.Close() // read-only: nothing can be lost
	return db.Stamp().Generation
}

// Close gives the right back.
func (b *Build) Close() error {
	var err error
	if b.lock != nil {
		err = b.lock.Close()
	}
	return errors.Join(err, b.folder.close())
}
