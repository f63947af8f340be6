package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

func newGraphBuild(a *app, sel *query.Selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "build",
		Short: "Build the graph of HEAD's commit",
		Long: `Build makes the graph of HEAD's commit and puts it in place of the one before. While it
runs, this worktree's graph does not answer; those of others do. A build that is stopped
leaves the old graph. With --commit it makes the graph of that commit beside it.

Commits with the same tree have the same graph. If a review or another worktree has it,
it is proven and copied.`,
		Args: operands(),
	}
	jobs, fresh := jobsFlag(c), c.Flags().Bool("fresh", false, "build even if a graph of the tree is there")
	verboseFlag(a, c)
	until := deadlineFlag(c, "nothing written but the facts that were kept by then")
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch {
		case *jobs < 1:
			return usage(fmt.Errorf("--jobs is %d", *jobs), "want 1 or more")
		case sel.Bound || sel.ExpectHead != "":
			return usage(errors.New("--bound and --expect-head are for questions"), "leave them out")
		}
		if err := until.check(); err != nil {
			return err
		}
		ctx, end := until.start(c.Context())
		defer end()
		built, err := (&build{app: a, sel: sel, fresh: *fresh}).run(ctx, *jobs, until)
		if err != nil {
			return until.explain(err)
		}
		return a.writeStatus(f, built)
	}
	return c
}

// verboseFlag adds --verbose to a command.
func verboseFlag(a *app, c *cobra.Command) {
	c.Flags().BoolVar(&a.verbose, "verbose", false, "say on standard error what was parsed and what was remembered")
}

// jobsFlag adds --jobs to a command.
func jobsFlag(c *cobra.Command) *int {
	return c.Flags().Int("jobs", runtime.GOMAXPROCS(0), "work on `N` files at a time; the answer does not depend on it")
}

// A build is one run of graph build.
type build struct {
	*app
	sel    *query.Selection
	fresh  bool
	repo   *worktree.Repo
	status answer.Status
}

// run makes the graph that is meant and publishes it. What it answers is what it
// built: a moment later another build may run.
func (b *build) run(ctx context.Context, jobs int, until *deadline) (answer.Status, error) {
	repo, q, err := b.sel.Open(ctx, b.state)
	if err != nil {
		return answer.Status{}, err
	}
	b.repo, b.status = repo, answer.Status{State: answer.Ready, Engine: q.Engine}
	err = b.withBuilder(ctx, repo, jobs, until, func(builder *index.Builder) error {
		if q.Commit != "" {
			return b.commit(ctx, builder, q.Commit)
		}
		return b.head(ctx, builder)
	})
	if err == nil && q.Commit == "" {
		b.status.Dirty, err = query.Dirt(ctx, repo, q)
	}
	return b.status, err
}

// head makes the graph of the worktree.
func (b *build) head(ctx context.Context, builder *index.Builder) (err error) {
	place, err := provenance.Begin(ctx, b.repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, place.Close()) }()
	return b.tree(ctx, builder, place.Tree, output{
		build: func(g *graph.Graph, stamp store.Stamp) error {
			stamp, err := place.Publish(ctx, g, stamp)
			query.Describe(&b.status, store.TotalsOf(g), stamp, place.Root)
			return err
		},
		reuse: func(twin *provenance.Reading, stamp store.Stamp) error {
			stamp, err := place.Adopt(ctx, twin, stamp)
			query.Describe(&b.status, twin.DB.Totals(), stamp, place.Root)
			return err
		},
	})
}

// commit keeps the graph of any commit, as a review does.
func (b *build) commit(ctx context.Context, builder *index.Builder, commit worktree.OID) error {
	tree, err := b.repo.TreeOf(ctx, commit)
	if err != nil {
		return err
	}
	keep := func(stamp store.Stamp, totals store.Totals, write func(file string, stamp store.Stamp) error) error {
		stamp.RepositoryRoot, stamp.CommonDir, stamp.Head, stamp.Tree = b.repo.Root(), b.repo.CommonDir(), string(commit), string(tree)
		query.Describe(&b.status, totals, stamp, b.repo.Root())
		return write(provenance.KeptFile(b.repo, tree, stamp.Engine), stamp)
	}
	return b.tree(ctx, builder, tree, output{
		build: func(g *graph.Graph, stamp store.Stamp) error {
			stamp.Digest = store.Digest(g)
			return keep(stamp, store.TotalsOf(g), func(file string, stamp store.Stamp) error { return store.Write(ctx, file, g, stamp) })
		},
		reuse: func(twin *provenance.Reading, stamp store.Stamp) error {
			return keep(stamp, twin.DB.Totals(), func(file string, stamp store.Stamp) error { return twin.DB.Copy(ctx, file, stamp) })
		},
	})
}

// An output takes a graph with what its stamp says of how it was made.
type output struct {
	build func(g *graph.Graph, stamp store.Stamp) error
	reuse func(twin *provenance.Reading, stamp store.Stamp) error
}

// tree makes the graph of a tree, or finds it. The tree's own configuration and what was
// asked for decide about it.
func (b *build) tree(ctx context.Context, builder *index.Builder, tree worktree.OID, out output) error {
	objects := b.repo.Reader() // linkers read one file after the other
	defer objects.Close()
	c, config, err := pipeline.GraphRules(ctx, objects, tree, b.sel.Asked)
	if err != nil {
		return err
	}
	builder = builder.Configured(c)
	stamp := store.Stamp{Engine: builder.EngineDigest(), Config: config, ToolVersion: toolVersion()}
	twin, err := b.twin(ctx, objects, tree, provenance.Query{Engine: stamp.Engine, Config: config, Outside: builder.Outside})
	if err != nil {
		return err
	}
	if twin != nil {
		defer twin.Close() // it is only read
		stamp.Outside, stamp.Digest = twin.DB.Stamp().Outside, twin.DB.Stamp().Digest
		return out.reuse(twin, stamp)
	}
	g, stats, err := builder.Build(ctx, objects, tree)
	if err != nil {
		return err
	}
	stamp.Outside = stats.Outside
	return out.build(g, stamp)
}

// twin opens a proven graph of a tree that is there already; it is nil if there is
// none, or none that would be built now.
func (b *build) twin(ctx context.Context, objects *worktree.Reader, tree worktree.OID, q provenance.Query) (*provenance.Reading, error) {
	if b.fresh {
		return nil, nil
	}
	twin, err := provenance.Twin(ctx, b.repo, objects, tree, q)
	if err == nil {
		if err = twin.Prove(ctx); err == nil {
			b.tellReused(tree)
			return twin, nil
		}
		err = errors.Join(err, twin.Close())
	}
	if refusal, ok := provenance.AsRefusal(err); (!ok || refusal.State != provenance.NotReady) && ctx.Err() == nil {
		b.note("a kept graph is not used: " + err.Error())
	}
	return nil, ctx.Err()
}

func (b *build) tellReused(tree worktree.OID) {
	if b.verbose {
		b.note(fmt.Sprintf("graph of tree %s: reused", short(string(tree))))
	}
}
