package provenance

import (
	"context"
	"fmt"
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
	pin    worktree.Root // the folder that Root named
}

// Locate finds out what is true of a worktree now.
func Locate(ctx context.Context, repo *worktree.Repo) (*Place, error) {
	p := &Place{Repo: repo, Root: repo.Root(), Folder: repo.WorktreeStateDir()}
	if p.Root == "" {
		p.Root = repo.GitDir()
	}
	info, err := os.Stat(p.Root)
	if err != nil {
		return nil, err
	}
	device, inode := identity(info)
	p.pin = worktree.Root{Path: p.Root, GitDir: repo.GitDir(), CommonDir: repo.CommonDir(), Device: device, Inode: inode}
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
		RepositoryRoot: p.Root, RootID: p.rootID(), CommonDir: p.Repo.CommonDir(),
		Head: string(p.Head), Tree: string(p.Tree),
	}
}

// rootID is the folder as a stamp names it; "" where the system has no such
// numbers.
func (p *Place) rootID() string {
	if p.pin.Device == 0 && p.pin.Inode == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d", p.pin.Device, p.pin.Inode)
}

// same reports a refusal if the worktree is no longer what it was.
func (p *Place) same(ctx context.Context) error {
	if err := p.sameRoot(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r := stale(CaseRoot, remedyRetry, "%v", err)
		r.Err = err
		return r
	}
	_, head, err := p.Repo.Head(ctx)
	if err != nil {
		return err
	}
	if head != p.Head {
		return stale(CaseHead, remedyRetry, "HEAD went from %s to %s meanwhile", short(string(p.Head)), short(string(head)))
	}
	return nil
}

// sameRoot compares the folder with the one that was found. A bare repository is
// tied to no other folder.
func (p *Place) sameRoot(ctx context.Context) error {
	if p.Repo.Root() != "" {
		return p.pin.Check(ctx)
	}
	info, err := os.Stat(p.Root)
	if err != nil {
		return err
	}
	if device, inode := identity(info); device != p.pin.Device || inode != p.pin.Inode {
		return fmt.Errorf("another folder took the place of %s", p.Root)
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

// DecisionsFolder is where decisions lie that reviewers made on this machine, for all
// worktrees of a repository.
func DecisionsFolder(repo *worktree.Repo) string {
	return filepath.Join(repo.StateDir(), "decisions")
}

// FactsFile is where the facts of a repository's blobs are kept.
func FactsFile(repo *worktree.Repo) string {
	return filepath.Join(repo.StateDir(), "facts.db")
}
