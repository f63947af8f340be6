package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

const (
	// keptGraphs is how many graphs stay beside a repository; the ones that were
	// used least recently go first.
	keptGraphs = 16
	// heldGraphs is how many graphs stay in memory for the reviews that follow.
	heldGraphs = 4
)

// graphs gives the graph of a tree: from this run, from the kept ones, or by
// building it.
type graphs struct {
	repo    *worktree.Repo
	builder *index.Builder
	options Options
	config  string // digest of what the builder ignores; see store.Stamp

	// building lets one build run at a time. A build keeps all workers busy, and
	// the next one finds the facts of the blobs that both have.
	building chan struct{}

	mu   sync.Mutex
	runs map[worktree.OID]*run
	held []worktree.OID  // trees of finished runs, the one used last at the end
	told map[string]bool // notices that were given
}

// A run is one graph that is being made or has been; several reviews wait for
// the same one.
type run struct {
	done  chan struct{} // closed when the rest is set
	built built
	err   error
}

// A built graph and its canonical digest.
type built struct {
	graph   *graph.Graph
	tree    string // object ID of the tree that it describes
	digest  string
	outside string // what outside the tree decided it; see store.Stamp
}

func (b built) describe() report.Graph {
	if b.digest == "" { // a sketch
		return report.Graph{Tree: b.tree}
	}
	return report.Graph{Tree: b.tree, Digest: b.digest, Symbols: len(b.graph.Symbols), Edges: len(b.graph.Edges)}
}

func newGraphs(repo *worktree.Repo, builder *index.Builder, c index.Configuration, o Options) *graphs {
	return &graphs{
		repo: repo, builder: builder.Configured(c), config: digestOfGraphRules(c), options: o,
		building: make(chan struct{}, 1), runs: map[worktree.OID]*run{}, told: map[string]bool{},
	}
}

// of returns the graph of a tree. Commit is what the stamp names; any commit
// with this tree has the same graph.
//
// A run that fails is forgotten. Those who waited for it share its error, except
// that it was cancelled: that says something of one review and nothing of the
// tree, so the next of them makes the graph.
func (g *graphs) of(ctx context.Context, objects index.Objects, tree worktree.OID, commit string) (built, error) {
	for {
		r, mine := g.join(tree)
		if mine {
			r.err = errors.New("the build ended early") // stays if it panics
			defer g.finish(tree, r)
			r.built, r.err = g.get(ctx, objects, tree, commit)
			return r.built, r.err
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return built{}, context.Cause(ctx)
		}
		if !errors.Is(r.err, context.Canceled) && !errors.Is(r.err, context.DeadlineExceeded) {
			return r.built, r.err
		}
	}
}

// join returns the run for a tree and whether the caller has to make it.
func (g *graphs) join(tree worktree.OID) (*run, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.runs[tree]; r != nil {
		g.touch(tree)
		return r, false
	}
	r := &run{done: make(chan struct{})}
	g.runs[tree] = r
	return r, true
}

// finish lets those who wait go on, and forgets what failed and what was not
// used for longest.
func (g *graphs) finish(tree worktree.OID, r *run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer close(r.done)
	if r.err != nil {
		delete(g.runs, tree)
		return
	}
	g.held = append(g.held, tree)
	if len(g.held) > heldGraphs {
		delete(g.runs, g.held[0])
		g.held = slices.Delete(g.held, 0, 1)
	}
}

// touch notes that a finished run was used again.
func (g *graphs) touch(tree worktree.OID) {
	if i := slices.Index(g.held, tree); i >= 0 {
		g.held = append(slices.Delete(g.held, i, i+1), tree)
	}
}

func (g *graphs) get(ctx context.Context, objects index.Objects, tree worktree.OID, commit string) (built, error) {
	if b, ok := g.kept(ctx, objects, tree, commit); ok {
		return b, nil
	}
	select {
	case g.building <- struct{}{}:
		defer func() { <-g.building }()
	case <-ctx.Done():
		return built{}, context.Cause(ctx)
	}
	made, stats, err := g.builder.Build(ctx, objects, tree)
	if err != nil {
		return built{}, err
	}
	if stats.CacheError != nil && ctx.Err() == nil {
		g.notice(fmt.Sprintf("facts were not read or not kept, the next build extracts them again: %v", stats.CacheError))
	}
	b := built{graph: made, tree: string(tree), digest: store.Digest(made), outside: stats.Outside}
	if g.options.Keep {
		g.keep(ctx, commit, b, func(stamp store.Stamp) error { return store.Write(ctx, g.path(tree), made, stamp) })
	}
	return b, nil
}

// notice tells people, once and one at a time, what does not change the answer.
func (g *graphs) notice(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.options.Notice != nil && !g.told[text] {
		g.told[text] = true
		g.options.Notice(text)
	}
}

func (g *graphs) path(tree worktree.OID) string {
	return provenance.KeptFile(g.repo, tree, g.builder.EngineDigest())
}

// kept reads a graph of an earlier run. Whatever is wrong with it, it is not
// used: a graph can always be built again.
func (g *graphs) kept(ctx context.Context, objects index.Objects, tree worktree.OID, commit string) (built, bool) {
	if !g.options.Keep {
		return built{}, false
	}
	b, err := g.load(ctx, objects, tree, commit)
	if refusal, ok := provenance.AsRefusal(err); ok && refusal.State == provenance.NotReady {
		return built{}, false
	}
	if err != nil && ctx.Err() == nil {
		g.notice(fmt.Sprintf("a kept graph is not used: %v", err))
	}
	return b, err == nil
}

func (g *graphs) load(ctx context.Context, objects index.Objects, tree worktree.OID, commit string) (built, error) {
	twin, err := provenance.Twin(ctx, g.repo, objects, tree, provenance.Query{
		Engine: g.builder.EngineDigest(), Config: g.config, Outside: g.builder.Outside,
	})
	if err != nil {
		return built{}, err
	}
	defer twin.Close() // it was only read
	loaded, err := twin.DB.Load(ctx)
	if err != nil {
		return built{}, err
	}
	stamp := twin.DB.Stamp()
	b := built{graph: loaded, tree: string(tree), digest: stamp.Digest, outside: stamp.Outside}
	if !twin.Kept() { // it goes when the worktree's HEAD moves on
		g.keep(ctx, commit, b, func(stamp store.Stamp) error { return twin.DB.Copy(ctx, g.path(tree), stamp) })
	}
	now := time.Now()
	_ = os.Chtimes(g.path(tree), now, now) // only the order of removal depends on it
	return b, nil
}

// keep has write put a graph where the reviews that follow find it.
func (g *graphs) keep(ctx context.Context, commit string, b built, write func(store.Stamp) error) {
	err := write(store.Stamp{
		RepositoryRoot: g.repo.Root(), CommonDir: g.repo.CommonDir(), Head: commit, Tree: b.tree,
		Engine: g.builder.EngineDigest(), Config: g.config, Outside: b.outside, Digest: b.digest, ToolVersion: g.options.ToolVersion,
	})
	if err == nil {
		err = provenance.Trim(g.repo, provenance.Limits{Files: keptGraphs})
	}
	if err != nil && ctx.Err() == nil {
		g.notice(fmt.Sprintf("the graph was not kept, the next review builds it again: %v", err))
	}
}
