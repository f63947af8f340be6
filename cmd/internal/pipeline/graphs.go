package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// keptGraphs is how many graphs stay beside a repository; the ones that were
// used least recently go first.
const keptGraphs = 16

// graphs gives the graph of a tree: from this run, from the kept ones, or by
// building it.
type graphs struct {
	repo    *worktree.Repo
	builder *index.Builder
	options Options
	dir     string

	mu   sync.Mutex
	runs map[worktree.OID]*run
}

// A run is one graph that is being made or has been; several reviews wait for
// the same one.
type run struct {
	once  sync.Once
	built built
	err   error
}

// A built graph and its canonical digest.
type built struct {
	graph  *graph.Graph
	digest string
}

func (b built) describe(tree worktree.OID) report.Graph {
	return report.Graph{Tree: string(tree), Digest: b.digest, Symbols: len(b.graph.Symbols), Edges: len(b.graph.Edges)}
}

func newGraphs(repo *worktree.Repo, builder *index.Builder, o Options) *graphs {
	return &graphs{repo: repo, builder: builder, options: o, dir: filepath.Join(repo.CommonDir(), "previdence", "graphs"), runs: map[worktree.OID]*run{}}
}

// of returns the graph of a tree. Commit is what the stamp names; any commit
// with this tree has the same graph.
func (g *graphs) of(ctx context.Context, tree worktree.OID, commit string) (built, error) {
	g.mu.Lock()
	r := g.runs[tree]
	if r == nil {
		r = &run{}
		g.runs[tree] = r
	}
	g.mu.Unlock()
	r.once.Do(func() { r.built, r.err = g.get(ctx, tree, commit) })
	return r.built, r.err
}

func (g *graphs) get(ctx context.Context, tree worktree.OID, commit string) (built, error) {
	if b, ok := g.kept(ctx, tree); ok {
		return b, nil
	}
	made, _, err := g.builder.Build(ctx, g.repo, tree)
	if err != nil {
		return built{}, err
	}
	b := built{graph: made, digest: store.Digest(made)}
	if g.options.Keep {
		if err := g.keep(ctx, tree, commit, b); err != nil {
			if ctx.Err() != nil {
				return built{}, err
			}
			g.notice(fmt.Sprintf("the graph was not kept, the next review builds it again: %v", err))
		}
	}
	return b, nil
}

func (g *graphs) notice(text string) {
	if g.options.Notice != nil {
		g.options.Notice(text)
	}
}

func (g *graphs) path(tree worktree.OID) string {
	return filepath.Join(g.dir, string(tree)+"-"+g.builder.EngineDigest()[:16]+".db")
}

// kept reads a graph of an earlier run. Whatever is wrong with it, it is not
// used: a graph can always be built again.
func (g *graphs) kept(ctx context.Context, tree worktree.OID) (built, bool) {
	if !g.options.Keep {
		return built{}, false
	}
	db, err := store.Open(ctx, g.path(tree))
	if err != nil {
		if !errors.Is(err, store.ErrNotReady) {
			g.notice(fmt.Sprintf("a kept graph is not used: %v", err))
		}
		return built{}, false
	}
	defer db.Close() // read-only: nothing can be lost
	stamp := db.Stamp()
	if stamp.Tree != string(tree) || stamp.Engine != g.builder.EngineDigest() {
		g.notice("a kept graph is not used: it describes another tree")
		return built{}, false
	}
	loaded, err := db.Load(ctx)
	if err != nil {
		g.notice(fmt.Sprintf("a kept graph is not used: %v", err))
		return built{}, false
	}
	now := time.Now()
	_ = os.Chtimes(g.path(tree), now, now) // only the order of removal depends on it
	return built{graph: loaded, digest: stamp.Digest}, true
}

func (g *graphs) keep(ctx context.Context, tree worktree.OID, commit string, b built) error {
	err := store.Write(ctx, g.path(tree), b.graph, store.Stamp{
		RepositoryRoot: g.repo.Root(), CommonDir: g.repo.CommonDir(), Head: commit, Tree: string(tree),
		Engine: g.builder.EngineDigest(), Digest: b.digest, ToolVersion: g.options.ToolVersion,
	})
	if err != nil {
		return err
	}
	return g.trim()
}

// abandoned is how old a half-written graph is when nobody can still be
// writing it.
const abandoned = 24 * time.Hour

// trim removes the graphs that were used least recently, and what a killed run
// left half-written.
func (g *graphs) trim() error {
	entries, err := os.ReadDir(g.dir)
	if err != nil {
		return err
	}
	type kept struct {
		name string
		used time.Time
	}
	var files []kept
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		switch {
		case strings.HasSuffix(e.Name(), ".db"):
			files = append(files, kept{e.Name(), info.ModTime()})
		case strings.HasSuffix(e.Name(), ".building") && time.Since(info.ModTime()) > abandoned:
			if err := g.remove(e.Name()); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(files, func(a, b kept) int { return cmp.Or(-a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	for _, f := range files[min(len(files), keptGraphs):] {
		if err := g.remove(f.name); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes one file; another process may have been faster.
func (g *graphs) remove(name string) error {
	if err := os.Remove(filepath.Join(g.dir, name)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
