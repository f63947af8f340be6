package query

import (
	"context"
	"errors"

	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

// Status opens the graph that is meant and reads all of it. If it does not
// answer, the error says why, and State gives it a name; without a State there is
// not even a place whose graph could be meant.
func Status(ctx context.Context, state worktree.State, sel Selection) (answer.Status, error) {
	repo, q, err := sel.Open(ctx, state)
	if err != nil {
		return answer.Status{}, err
	}
	return status(ctx, repo, q)
}

// StatusIn is [Status] in a repository that is open.
func StatusIn(ctx context.Context, repo *worktree.Repo, sel Selection) (answer.Status, error) {
	if err := sel.check(); err != nil {
		return answer.Status{}, err
	}
	q, err := sel.of(ctx, repo)
	if err != nil {
		return answer.Status{}, err
	}
	return status(ctx, repo, q)
}

func status(ctx context.Context, repo *worktree.Repo, q provenance.Query) (answer.Status, error) {
	p, err := provenance.Locate(ctx, repo)
	if err != nil {
		return answer.Status{}, err
	}
	s := answer.Status{Engine: q.Engine}
	s.Schema, s.RepositoryRoot, s.Head, s.Tree = answer.Schema, p.Root, string(p.Head), string(p.Tree)
	if q.Commit != "" {
		s.Head, s.Tree = string(q.Commit), ""
	} else if s.Dirty, err = Dirt(ctx, repo, q); err != nil {
		return s, err
	}
	err = prove(ctx, &s, repo, q)
	if refusal, ok := provenance.AsRefusal(err); ok {
		s.State, s.Reason, s.Remedy = refusal.Name(), refusal.Reason, refusal.Remedy
		if q.Commit == "" {
			stamped(ctx, &s, p.File())
		}
		return s, err
	}
	if err == nil {
		s.State = answer.Ready
	}
	return s, err
}

// Dirt says how the files on disk differ from HEAD. A bare repository has none.
func Dirt(ctx context.Context, repo *worktree.Repo, q provenance.Query) ([]answer.Dirt, error) {
	found, err := provenance.Clean(ctx, repo, q.Source)
	if errors.Is(err, provenance.ErrNoWorktree) && !q.Bound {
		return nil, nil
	}
	var dirt []answer.Dirt
	if found != nil || err == nil {
		dirt = make([]answer.Dirt, len(found))
	}
	for i, d := range found {
		dirt[i] = answer.Dirt(d)
	}
	return dirt, err
}

func prove(ctx context.Context, s *answer.Status, repo *worktree.Repo, q provenance.Query) (err error) {
	r, err := provenance.Open(ctx, repo, q)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	st := r.DB.Stamp()
	stamp(s, st)
	g, err := r.DB.Load(ctx)
	if err != nil {
		return provenance.Named(err)
	}
	st.Head, st.Tree = string(r.Commit), string(r.Tree)
	Describe(s, store.TotalsOf(g), st, r.Root)
	return r.Recheck(ctx)
}

// Describe fills in what a graph is about and how much is in it.
func Describe(s *answer.Status, totals store.Totals, st store.Stamp, root string) {
	s.Schema, s.RepositoryRoot, s.Head, s.Tree = answer.Schema, root, st.Head, st.Tree
	if s.Stamp == nil {
		stamp(s, st)
	}
	s.Symbols, s.Edges, s.Unresolved = totals.Symbols, totals.Edges, totals.Unresolved
	s.Coverage = summary(totals)
}

// stamped tells what a graph that does not answer says of itself, if it can be
// read at all.
func stamped(ctx context.Context, s *answer.Status, file string) {
	db, err := store.Open(ctx, file)
	if err != nil || s.Stamp != nil {
		return // the refusal says why
	}
	defer db.Close() // read-only: nothing can be lost
	stamp(s, db.Stamp())
}

func stamp(s *answer.Status, st store.Stamp) {
	s.GraphDigest, s.Generation = st.Digest, st.Generation
	s.Stamp = &answer.Stamp{
		RepositoryRoot: st.RepositoryRoot, RootID: st.RootID, CommonDir: st.CommonDir, Head: st.Head, Tree: st.Tree,
		Engine: st.Engine, Config: st.Config, Generation: st.Generation, Digest: st.Digest, ToolVersion: st.ToolVersion,
	}
}
