package worktree

import (
	"context"
	"sync"
)

// A Reader answers many questions about the objects of one repository. It
// keeps the git that answered one for the next, where [Repo] starts one each
// time. It is safe for concurrent use; as many gits run as there are questions
// at the same time. Close ends them.
type Reader struct {
	repo *Repo

	mu     sync.Mutex
	idle   []*session
	closed bool
}

// Reader returns a reader of the repository's objects. The caller closes it.
func (r *Repo) Reader() *Reader { return &Reader{repo: r} }

// Close ends the gits of this reader. Questions that are being answered end
// with their own; a later one gets a git for itself.
func (d *Reader) Close() {
	d.mu.Lock()
	idle := d.idle
	d.idle, d.closed = nil, true
	d.mu.Unlock()
	for _, s := range idle {
		s.close()
	}
}

// List is [Repo.List].
func (d *Reader) List(ctx context.Context, tree OID) (l Listing, err error) {
	err = d.with(ctx, func(s *session) error {
		l, err = s.listing(tree)
		return err
	})
	return l, err
}

// Diff is [Repo.Diff].
func (d *Reader) Diff(ctx context.Context, a, b OID) (changes []Change, err error) {
	err = d.with(ctx, func(s *session) error {
		changes, err = s.changes(a, b)
		return err
	})
	return changes, err
}

// TreeOf is [Repo.TreeOf].
func (d *Reader) TreeOf(ctx context.Context, commit OID) (tree OID, err error) {
	err = d.with(ctx, func(s *session) error {
		tree, err = s.treeOf(commit)
		return err
	})
	return tree, err
}

// Blobs is [Repo.Blobs].
func (d *Reader) Blobs(ctx context.Context, oids []OID, limit int64, fn func(i int, data []byte, err error) error) error {
	return d.with(ctx, func(s *session) error { return s.allBlobs(oids, limit, fn) })
}

// with lends a session to use. One whose use failed may have answers left that
// nobody read, so it is not lent again.
func (d *Reader) with(ctx context.Context, use func(*session) error) error {
	s := d.take()
	s.lend(ctx)
	err := use(s)
	if !s.giveBack() || err != nil || !d.put(s) {
		s.close()
	}
	return err
}

func (d *Reader) take() *session {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.idle)
	if n == 0 {
		return &session{repo: d.repo, lent: true}
	}
	s := d.idle[n-1]
	d.idle = d.idle[:n-1]
	return s
}

// put reports whether the session is kept.
func (d *Reader) put(s *session) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || s.proc == nil {
		return false
	}
	d.idle = append(d.idle, s)
	return true
}

// lend starts a use of the session that ends its git if ctx ends first.
func (s *session) lend(ctx context.Context) {
	s.ctx, s.deaths = ctx, 0
	if s.proc != nil {
		s.proc.kept = context.AfterFunc(ctx, s.proc.cancel)
	}
}

// giveBack ends a use and reports whether the git is still running for all that
// is known.
func (s *session) giveBack() bool {
	return s.proc == nil || s.proc.kept()
}
