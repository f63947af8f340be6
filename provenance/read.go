package provenance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

// A Query says which graph is meant and what must be true of it.
type Query struct {
	Engine  string                     // digest of the extractors and linkers in use
	Config  string                     // digest of the configuration in force
	Outside func(before string) string // describes again what outside the tree decided a graph; nil: nothing did

	Commit     worktree.OID // ask by commit: no worktree is bound; "" means the worktree's HEAD
	ExpectHead worktree.OID // HEAD must be this commit; "" for any
	Bound      bool         // the answer is about files on disk, so they must be those of HEAD
	Source     Source       // what counts as a source there
}

// A Reading is a graph that may answer. It holds the graph: nobody deletes it
// until it is closed.
type Reading struct {
	*Place
	DB     *store.DB
	Commit worktree.OID // that the graph describes; HEAD unless asked by commit
	query  Query
	folder *folder
	name   string
	lock   *Lock
	opened fs.FileInfo // of the graph
}

// Check says why the graph that a query means would not answer, or nil. Doctor,
// graph reads and cleanup ask the same.
func Check(ctx context.Context, repo *worktree.Repo, q Query) (*Refusal, error) {
	r, err := Open(ctx, repo, q)
	if refusal, ok := AsRefusal(err); ok {
		return refusal, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, r.Close()
}

// Open opens the graph that a query means. If it may not answer, the error is a
// [Refusal].
func Open(ctx context.Context, repo *worktree.Repo, q Query) (*Reading, error) {
	p, err := Locate(ctx, repo)
	if err != nil {
		return nil, err
	}
	if q.ExpectHead != "" && q.ExpectHead != p.Head {
		return nil, stale(CaseHead, "expect that commit, or ask about the other with --commit",
			"HEAD is %s, expected is %s", short(string(p.Head)), short(string(q.ExpectHead)))
	}
	r := &Reading{Place: p, Commit: p.Head, query: q, name: graphName}
	if q.Commit == "" {
		err = r.open(ctx, p.Folder, p.Stamp())
	} else {
		err = r.openCommit(ctx)
	}
	if err == nil {
		err = r.clean(ctx)
	}
	if err != nil {
		return nil, Named(errors.Join(err, r.Close()))
	}
	return r, nil
}

// openCommit opens the worktree's own graph if it describes the commit, else the
// one that is kept for its tree.
func (r *Reading) openCommit(ctx context.Context) error {
	tree, err := r.Repo.TreeOf(ctx, r.query.Commit)
	if err != nil {
		return err
	}
	r.Commit, r.Tree = r.query.Commit, tree
	own := r.Place.Stamp()
	own.Head, own.Tree = string(r.Commit), string(tree)
	if err = r.open(ctx, r.Folder, own); err == nil {
		return nil
	}
	if err := errors.Join(ctx.Err(), r.Close()); err != nil {
		return err
	}
	r.DB, r.lock, r.folder = nil, nil, nil
	// A tree has one graph, whichever worktree it was built in.
	kept := KeptFile(r.Repo, tree, r.query.Engine)
	r.name = filepath.Base(kept)
	err = r.open(ctx, filepath.Dir(kept), store.Stamp{Tree: string(tree)})
	if refusal, ok := AsRefusal(Named(err)); ok && refusal.State == NotReady {
		return refuse(NotReady, "run: previdence graph build --commit "+string(r.Commit), "no graph of %s is kept", short(string(r.Commit)))
	}
	return err
}

// open takes hold of a graph, compares its stamp with what is true now and proves it.
func (r *Reading) open(ctx context.Context, dir string, now store.Stamp) error {
	if err := r.hold(ctx, dir, (*folder).refuseUpdating); err != nil {
		return err
	}
	if err := r.compare(now); err != nil {
		return err
	}
	return r.Prove(ctx)
}

// hold takes hold of a graph, which allowed may refuse if it is that of a worktree.
func (r *Reading) hold(ctx context.Context, dir string, allowed func(*folder) error) (err error) {
	r.folder, err = openFolder(dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse(NotReady, remedyBuild, "no graph has been built for %s", r.Root)
	}
	if err != nil {
		return err
	}
	if r.name == graphName {
		if err := r.folder.checkGraph(); err != nil {
			return err
		}
		if err := allowed(r.folder); err != nil {
			return err
		}
	}
	if r.lock, err = r.folder.hold(r.name, false); err != nil {
		return err
	}
	if r.opened, err = r.lock.file.Stat(); err != nil {
		return err
	}
	if r.DB, err = store.Open(ctx, filepath.Join(dir, r.name)); err != nil {
		return err
	}
	return r.sameFile()
}

// compare refuses a graph whose stamp says otherwise than what is true now.
func (r *Reading) compare(now store.Stamp) error {
	stamp := r.DB.Stamp()
	now.Engine, now.Config = r.query.Engine, r.query.Config
	if r.query.Outside != nil {
		now.Outside = r.query.Outside(stamp.Outside)
	}
	if refusal := compare(stamp, now); refusal != nil {
		return refusal
	}
	return nil
}

// refuseUpdating refuses while a build of this folder's graph is running.
func (f *folder) refuseUpdating() error {
	building, err := f.building()
	if err == nil && building {
		return refuse(Updating, remedyRetry, "a build of this worktree's graph is running")
	}
	return err
}

// hold takes a lock on a graph: shared to read it, exclusive to delete it.
func (f *folder) hold(name string, exclusive bool) (*Lock, error) {
	l, err := f.lock(name, exclusive, false)
	for try := 0; errors.Is(err, ErrBusy) && !exclusive && try < 10; try++ {
		// Who publishes or deletes a graph holds it for a moment only.
		time.Sleep(lockPeriod)
		l, err = f.lock(name, false, false)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, refuse(NotReady, remedyBuild, "no graph has been built at %s", filepath.Join(f.path, name))
	case errors.Is(err, ErrBusy) && exclusive:
		return nil, refuse(CleanupBusy, remedyRetry, "somebody is reading the graph")
	case errors.Is(err, ErrBusy):
		return nil, refuse(CleanupBusy, remedyRetry, "the graph is being deleted")
	}
	return l, err
}

// sameFile reports whether the graph is still the file that was opened.
func (r *Reading) sameFile() error {
	if err := r.folder.check(); err != nil {
		return err
	}
	now, err := r.folder.root.Lstat(r.name)
	if err == nil && os.SameFile(now, r.opened) {
		if now.Size() != r.opened.Size() || r.name == graphName && !now.ModTime().Equal(r.opened.ModTime()) {
			return refuse(Tampered, remedyDelete, "%s was written to while it was read", filepath.Join(r.folder.path, r.name))
		}
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return refuse(Updating, remedyRetry, "the graph was replaced while it was read")
}

// clean refuses an answer about files that are not those of HEAD.
func (r *Reading) clean(ctx context.Context) error {
	if !r.query.Bound {
		return nil
	}
	dirt, err := Clean(ctx, r.Repo, r.query.Source)
	if err != nil || len(dirt) == 0 {
		return err
	}
	return Dirty(dirt)
}

// Dirty is the refusal for files that differ from HEAD in these ways.
func Dirty(dirt []Dirt) *Refusal {
	r := stale(CaseDirty, "commit or stash, or ask about the commit instead of the files",
		"%s: %q and %d others", strings.Join(cases(dirt), ", "), dirt[0].Path, len(dirt)-1)
	if len(dirt) == 1 {
		r.Reason = fmt.Sprintf("%s: %q", dirt[0].Case, dirt[0].Path)
	}
	r.Dirt = dirt
	return r
}

// Recheck refuses an answer if what was true when the graph was opened has
// changed since: root, HEAD, the graph or, where the answer is about them, the
// files on disk.
func (r *Reading) Recheck(ctx context.Context) error {
	if err := r.sameFile(); err != nil {
		return Named(err)
	}
	if r.query.Commit != "" {
		return nil // a commit never changes
	}
	if err := r.same(ctx); err != nil {
		return err
	}
	return r.clean(ctx)
}

// Kept reports whether the graph is one that is kept by tree, not that of a worktree.
func (r *Reading) Kept() bool { return r.name != graphName }

// Close ends the reading.
func (r *Reading) Close() error {
	var errs []error
	if r.DB != nil {
		errs = append(errs, r.DB.Close())
	}
	if r.lock != nil {
		errs = append(errs, r.lock.Close())
	}
	if r.folder != nil {
		errs = append(errs, r.folder.close())
	}
	return errors.Join(errs...)
}
