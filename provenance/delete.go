package provenance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

// Approved is the confirmation that a deletion needs, in exactly this spelling.
const Approved = "approved"

// ErrNotApproved means that a deletion was asked for without [Approved].
var ErrNotApproved = errors.New("deletion is not approved")

// Delete removes the graph of a worktree and nothing else: graph.db and what
// SQLite may have left beside it. The graph must say that it was built for this
// worktree and its HEAD, a review of that HEAD or this process must have used it,
// policy must not keep what the review found, and nobody may be reading or
// replacing it. Used are the digests of graphs that this process answered from.
func Delete(ctx context.Context, repo *worktree.Repo, confirmation string, used ...string) (*Removed, error) {
	if confirmation != Approved {
		return nil, fmt.Errorf("%w: the confirmation is %q", ErrNotApproved, confirmation)
	}
	p, f, err := graphFolder(ctx, repo)
	if err != nil {
		return nil, err
	}
	removed, err := p.delete(ctx, f, used)
	return removed, Named(errors.Join(err, f.close()))
}

// Deletable says why [Delete] would not remove the graph of a worktree although
// it was approved, or nil. Whether somebody reads it is not asked.
func Deletable(ctx context.Context, repo *worktree.Repo, used ...string) (*Refusal, error) {
	p, f, err := graphFolder(ctx, repo)
	if err == nil {
		err = f.checkGraph()
		if err == nil {
			err = p.owns(ctx, f, used)
		}
		err = Named(errors.Join(err, f.close()))
	}
	if refusal, ok := AsRefusal(err); ok {
		return refusal, nil
	}
	return nil, err
}

// Reserve keeps others from reading and replacing the graph of a worktree until it
// is closed, because the worktree itself is going to be removed. If somebody does,
// the error is a [Refusal]. Where there is no graph there is nothing to keep.
func Reserve(ctx context.Context, repo *worktree.Repo) (io.Closer, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f, err := openFolder(repo.WorktreeStateDir(), false)
	if errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(nil), nil
	}
	if err != nil {
		return nil, Named(err)
	}
	r := &reservation{folder: f}
	if err := r.take(); err != nil {
		return nil, Named(errors.Join(err, r.Close()))
	}
	return r, nil
}

// A reservation is who may delete a graph.
type reservation struct {
	folder      *folder
	build, hold *Lock
}

func (r *reservation) take() (err error) {
	r.build, err = r.folder.lock(lockName, true, false)
	switch {
	case errors.Is(err, ErrBusy):
		return refuse(Updating, remedyRetry, "a build of this worktree's graph is running")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	r.hold, err = r.folder.hold(graphName, true)
	if refusal, ok := AsRefusal(err); ok && refusal.State == NotReady {
		return nil
	}
	return err
}

// Close lets others go on, if the worktree is still there.
func (r *reservation) Close() error {
	var errs []error
	for _, l := range []*Lock{r.hold, r.build} {
		if l != nil {
			errs = append(errs, l.Close())
		}
	}
	return errors.Join(append(errs, r.folder.close())...)
}

// graphFolder opens the folder in which the graph of a worktree lies.
func graphFolder(ctx context.Context, repo *worktree.Repo) (*Place, *folder, error) {
	p, err := Locate(ctx, repo)
	if err != nil {
		return nil, nil, err
	}
	f, err := openFolder(p.Folder, false)
	if errors.Is(err, fs.ErrNotExist) {
		err = refuse(NotReady, remedyBuild, "no graph has been built for %s", p.Root)
	}
	return p, f, Named(err)
}

func (p *Place) delete(ctx context.Context, f *folder, used []string) (removed *Removed, err error) {
	if err := f.checkGraph(); err != nil {
		return nil, err
	}
	build, err := f.lock(lockName, true, true)
	if errors.Is(err, ErrBusy) {
		return nil, refuse(Updating, remedyRetry, "a build of this worktree's graph is running")
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, build.Close()) }()
	hold, err := f.hold(graphName, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, hold.Close()) }()
	if err := p.owns(ctx, f, used); err != nil {
		return nil, err
	}
	if err := errors.Join(f.check(), p.same(ctx)); err != nil {
		return nil, err
	}
	return f.remove()
}

// owns refuses a graph that does not say it is this worktree's at its HEAD, and
// one whose review is not over.
func (p *Place) owns(ctx context.Context, f *folder, used []string) error {
	db, err := store.Open(ctx, p.File())
	if err != nil {
		return err
	}
	stamp := db.Stamp()
	if err := db.Close(); err != nil {
		return err
	}
	now := p.Stamp()
	now.Config, now.Outside = stamp.Config, stamp.Outside // who deletes does not read
	if refusal := compare(stamp, now); refusal != nil {
		return refusal
	}
	return p.reviewed(ctx, f, stamp.Digest, used)
}

// remove deletes the graph, the database itself first: what is left of a removal
// that is stopped half way is no graph.
func (f *folder) remove() (*Removed, error) {
	removed := &Removed{Path: filepath.Join(f.path, graphName), Kind: KindGraph}
	for _, name := range slices.Concat([]string{graphName}, sidecars, []string{graphName + sealEnd, unchangedName}) {
		info, err := f.plain(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := f.root.Remove(name); err != nil {
			return nil, err
		}
		removed.Bytes += info.Size()
	}
	return removed, f.sync()
}
