// Package serve finds the answers that the MCP server gives: it is the engine
// behind the tools.
//
// Input is the root of a worktree and a question; output is the answer that the
// command line gives to the same question, or a refusal in the words of an agent's
// tools. Graphs are asked in this process. Builds and reviews are the same command
// lines that a person would type, run in a child process, so that neither a crash
// nor an appetite for memory ends the session. Nothing is answered from memory; of
// each worktree only the digest of the graph that answered last is kept.
package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/mcp"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

// Options say where an engine looks.
type Options struct {
	State    worktree.State
	StateDir string             // the same as a flag of the child; "" for the git dirs
	Folders  []string           // whose repositories' documents and reports are resources
	Advise   func(error) string // what to do about an error, in the words of the command line; "" if nothing is known
}

// An Engine opens worktrees for the MCP server.
type Engine struct {
	options Options
	used    sync.Map // root → digest of the graph that answered last
}

// New makes an engine. It opens nothing.
func New(o Options) *Engine { return &Engine{options: o} }

// Open accepts the absolute path of a worktree's top folder.
func (e *Engine) Open(ctx context.Context, root string) (mcp.Worktree, error) {
	pin, repo, err := e.options.State.Authorize(ctx, root)
	if err != nil {
		return nil, e.explain(err)
	}
	return &tree{engine: e, root: pin, repo: repo}, nil
}

// Roots lists the worktrees of the repositories around the folders, as git lists
// them now, and the pull requests that are checked out.
func (e *Engine) Roots(ctx context.Context) ([]string, error) {
	var roots []string
	for _, dir := range e.options.Folders {
		repo, err := e.options.State.Open(ctx, dir)
		if errors.Is(err, worktree.ErrNotRepository) {
			continue
		}
		if err != nil {
			return nil, e.refusal(err)
		}
		found, err := worktreesOf(ctx, repo)
		if err != nil {
			return nil, e.refusal(err)
		}
		for _, f := range found {
			if !slices.Contains(roots, f.root) {
				roots = append(roots, f.root)
			}
		}
	}
	return roots, nil
}

// A found worktree may be gone, and may be refused as a root.
type found struct {
	root string
	pull int // 0: none
}

// worktreesOf lists the worktrees of a repository and the checkouts of its own
// store, if it has one: to list is no reason to make it.
func worktreesOf(ctx context.Context, repo *worktree.Repo) ([]found, error) {
	paths, err := repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var all []found
	for _, p := range paths {
		if exists(filepath.Join(p, ".git")) {
			all = append(all, found{root: p})
		}
	}
	if !exists(filepath.Join(repo.StateDir(), "store.git")) {
		return all, nil
	}
	store, err := repo.Store(ctx)
	if err != nil {
		return nil, err
	}
	checkouts, err := store.Checkouts(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range checkouts {
		if c.State != worktree.CheckoutReady {
			continue
		}
		if i := slices.IndexFunc(all, func(f found) bool { return f.root == c.Root }); i >= 0 {
			all[i].pull = c.Number // asked in one of the store's own
		} else {
			all = append(all, found{c.Root, c.Number})
		}
	}
	return all, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// mostChecked bounds whose graphs are looked at for one list: each takes time. The
// others are only named. Tests make it less.
var mostChecked = 64

// Worktrees lists the worktrees of the repository with the state of their graphs.
func (t *tree) Worktrees(ctx context.Context) (answer.Worktrees, error) {
	a := answer.Worktrees{Worktrees: []answer.Worktree{}}
	own, err := t.Status(ctx, mcp.At{})
	if err != nil {
		return a, err
	}
	a.Header = own.Header
	all, err := worktreesOf(ctx, t.repo)
	if err != nil {
		return a, t.engine.refusal(err)
	}
	a.Worktrees = make([]answer.Worktree, len(all))
	checks := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError().WithMaxGoroutines(checkedAtOnce)
	for i, f := range all {
		row := &a.Worktrees[i]
		row.Root, row.PullRequest = f.root, f.pull
		if i < mostChecked {
			checks.Go(func(ctx context.Context) (err error) {
				row.Head, row.State, err = t.engine.stateOf(ctx, f.root)
				return err
			})
		}
	}
	return a, checks.Wait()
}

// checkedAtOnce is how many graphs are looked at side by side: most of the time of
// each is waiting for git.
const checkedAtOnce = 8

// stateOf says whether the graph of a worktree answers.
func (e *Engine) stateOf(ctx context.Context, root string) (head, state string, err error) {
	_, repo, err := e.options.State.Authorize(ctx, root)
	if errors.Is(err, worktree.ErrUnauthorizedRoot) {
		return "", "unauthorized_root", nil
	}
	if err != nil {
		return "", "", e.refusal(err)
	}
	_, oid, err := repo.Head(ctx)
	if err != nil {
		return "", "", e.refusal(err)
	}
	q, err := query.At(ctx, repo, "", query.Asked{})
	if err != nil {
		return string(oid), e.refusal(err).State, nil
	}
	refusal, err := provenance.Check(ctx, repo, q)
	switch {
	case err != nil:
		return "", "", e.refusal(err)
	case refusal != nil:
		return string(oid), refusal.Name(), nil
	}
	return string(oid), answer.Ready, nil
}
