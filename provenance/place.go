package provenance

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

// A Place is one worktree and the commit that its HEAD names.
type Place struct {
	Repo   *worktree.Repo
	Root   string // of the worktree; of the repository itself if it is bare
	Folder string // where its graph lies
	Head   worktree.OID
	Tree   worktree.OID
	rootID string
}

// Locate finds out what is true of a worktree now.
func Locate(ctx context.Context, repo *worktree.Repo) (*Place, error) {
	p := &Place{Repo: repo, Root: repo.Root(), Folder: FolderOf(repo.GitDir())}
	if p.Root == "" {
		p.Root = repo.GitDir()
	}
	info, err := os.Stat(p.Root)
	if err != nil {
		return nil, err
	}
	p.rootID = identity(info)
	if _, p.Head, err = repo.Head(ctx); err != nil {
		return nil, err
	}
	p.Tree, err = repo.TreeOf(ctx, p.Head)
	return p, err
}

// File is where the graph of the worktree lies.
func (p *Place) File() string { return filepath.Join(p.Folder, graphName) }

// Stamp is what a graph that was built here and now would say of the worktree.
func (p *Place) Stamp() store.Stamp {
	return store.Stamp{
		RepositoryRoot: p.Root, RootID: p.rootID, CommonDir: p.Repo.CommonDir(),
		Head: string(p.Head), Tree: string(p.Tree),
	}
}

// same reports a refusal if the worktree is no longer what it was.
func (p *Place) same(ctx context.Context) error {
	repo, err := worktree.Open(ctx, p.Root)
	if errors.Is(err, worktree.ErrNotRepository) || err == nil && (repo.GitDir() != p.Repo.GitDir() || repo.CommonDir() != p.Repo.CommonDir()) {
		return stale(CaseRoot, remedyRetry, "another repository lies at %s now", p.Root)
	}
	if err != nil {
		return err
	}
	now, err := Locate(ctx, repo)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return stale(CaseRoot, remedyRetry, "%s is gone", p.Root)
	case err != nil:
		return err
	case now.rootID != p.rootID:
		return stale(CaseRoot, remedyRetry, "another folder lies at %s now", p.Root)
	case now.Head != p.Head:
		return stale(CaseHead, remedyRetry, "HEAD went from %s to %s meanwhile", short(string(p.Head)), short(string(now.Head)))
	}
	return nil
}

// KeptFolder is where the graphs lie that reviews keep by tree, for all
// worktrees of a repository and of its own store.
func KeptFolder(repo *worktree.Repo) string {
	return filepath.Join(repo.StateDir(), "graphs")
}

// KeptFile is where the graph of a tree that an engine builds is kept.
func KeptFile(repo *worktree.Repo, tree worktree.OID, engine string) string {
	return filepath.Join(KeptFolder(repo), string(tree)+"-"+engine[:min(len(engine), 16)]+".db")
}

// FactsFile is where the facts of a repository's blobs are kept.
func FactsFile(repo *worktree.Repo) string {
	return filepath.Join(repo.StateDir(), "facts.db")
}
