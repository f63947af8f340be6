package provenance

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

// errOtherTree means that a graph has other files than the tree that its stamp
// names: a stamp can be written by whoever can write the file.
var errOtherTree = errors.New("it describes another tree")

// Twin opens a graph of a tree that is there already, wherever it was built: a tree
// has one graph, whatever the commit or the worktree (docs/adr/0007). Of q only what
// decides a graph counts. The graph has the files of the tree; whoever uses it has yet
// to prove it, by [Reading.Prove] or by loading it. If there is none, the error is a
// [Refusal] that is [NotReady], or says what is wrong with the one that reviews kept.
func Twin(ctx context.Context, repo *worktree.Repo, objects Objects, tree worktree.OID, q Query) (*Reading, error) {
	kept, refused := KeptFile(repo, tree, q.Engine), error(refuse(NotReady, remedyBuild, "no graph of tree %s is here", short(string(tree))))
	for _, file := range append([]string{kept}, homes(repo)...) {
		r := &Reading{Place: &Place{Repo: repo, Root: repo.Root(), Tree: tree}, query: q, name: filepath.Base(file)}
		err := r.twin(ctx, objects, filepath.Dir(file))
		if err == nil {
			return r, nil
		}
		if lost := errors.Join(ctx.Err(), r.Close()); lost != nil {
			return nil, lost
		}
		if refusal, ok := AsRefusal(Named(err)); file == kept && (!ok || refusal.State != NotReady) {
			refused = Named(err)
		}
	}
	return nil, refused
}

// Objects lists the trees of a repository.
type Objects interface {
	List(ctx context.Context, tree worktree.OID) (worktree.Listing, error)
}

// homes lists the files in which worktrees may have their graphs, that of the
// repository's own worktree first.
func homes(repo *worktree.Repo) []string {
	own := repo.WorktreeStateDir()
	files := []string{filepath.Join(own, graphName)}
	for _, dir := range repo.StateDirs() {
		if dir != own {
			files = append(files, filepath.Join(dir, graphName))
		}
	}
	return files
}

func (r *Reading) twin(ctx context.Context, objects Objects, dir string) error {
	// A graph that is being replaced is whole until it is.
	if err := r.hold(ctx, dir, func(*folder) error { return nil }); err != nil {
		return err
	}
	if r.DB.Stamp().Tree != string(r.Tree) {
		return errOtherTree
	}
	if err := r.compare(store.Stamp{}); err != nil {
		return err
	}
	files, err := r.DB.Files(ctx)
	if err != nil {
		return err
	}
	return r.describes(ctx, files, objects)
}

// describes checks that files are those of the tree, each with its blob.
func (r *Reading) describes(ctx context.Context, files []graph.File, objects Objects) error {
	listing, err := objects.List(ctx, r.Tree)
	if err != nil {
		return err
	}
	if len(files) != len(listing.Entries)+len(listing.Skipped) {
		return errOtherTree
	}
	blobs := make(map[string]string, len(files))
	for i := range files {
		blobs[files[i].Path] = files[i].Blob
	}
	for _, e := range listing.Entries {
		if blob, ok := blobs[e.Path]; !ok || blob != string(e.OID) {
			return fmt.Errorf("%w: %q", errOtherTree, e.Path)
		}
	}
	return nil
}
