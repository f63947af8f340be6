package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/cmd/internal/query"
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
		Long:  "Build makes the graph of HEAD's commit and puts it in place of the one before. While it\nruns, this worktree's graph does not answer; those of others do. A build that is stopped\nleaves the old graph. With --commit it makes the graph of that commit beside it.",
		Args:  operands(),
	}
	jobs := jobsFlag(c)
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
		built, err := a.build(ctx, sel, *jobs, until)
		if err != nil {
			return until.explain(err)
		}
		return a.writeStatus(f, built)
	}
	return c
}

// jobsFlag adds --jobs to a command.
func jobsFlag(c *cobra.Command) *int {
	return c.Flags().Int("jobs", runtime.GOMAXPROCS(0), "work on `N` files at a time; the answer does not depend on it")
}

// build makes the graph that is meant and publishes it. What it answers is what it
// built: a moment later another build may run.
func (a *app) build(ctx context.Context, sel *query.Selection, jobs int, until *deadline) (answer.Status, error) {
	repo, q, err := sel.Open(ctx, a.state)
	if err != nil {
		return answer.Status{}, err
	}
	s := answer.Status{State: answer.Ready, Engine: q.Engine}
	err = a.withBuilder(ctx, repo, jobs, until, func(builder *index.Builder) error {
		if q.Commit != "" {
			return buildCommit(ctx, builder, repo, sel, q.Commit, &s)
		}
		return buildHead(ctx, builder, repo, sel, &s)
	})
	if err == nil && q.Commit == "" {
		s.Dirty, err = query.Dirt(ctx, repo, q)
	}
	return s, err
}

func buildHead(ctx context.Context, builder *index.Builder, repo *worktree.Repo, sel *query.Selection, s *answer.Status) (err error) {
	b, err := provenance.Begin(ctx, repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	objects := repo.Reader() // linkers read one file after the other
	defer objects.Close()
	builder, config, err := withRulesOf(ctx, builder, objects, sel, b.Tree)
	if err != nil {
		return err
	}
	g, stats, err := builder.Build(ctx, objects, b.Tree)
	if err != nil {
		return err
	}
	stamp, err := b.Publish(ctx, g, store.Stamp{Engine: builder.EngineDigest(), Config: config, Outside: stats.Outside, ToolVersion: toolVersion()})
	query.Describe(s, g, stamp, b.Root)
	return err
}

// withRulesOf returns a builder that a tree's own configuration decides about,
// and the digest of that; nothing if it is not to be read.
func withRulesOf(ctx context.Context, builder *index.Builder, objects *worktree.Reader, sel *query.Selection, tree worktree.OID) (*index.Builder, string, error) {
	if sel.NoConfig {
		return builder, "", nil
	}
	c, config, err := pipeline.GraphRules(ctx, objects, tree)
	return builder.Configured(c), config, err
}

// buildCommit keeps the graph of any commit, as a review does.
func buildCommit(ctx context.Context, builder *index.Builder, repo *worktree.Repo, sel *query.Selection, commit worktree.OID, s *answer.Status) error {
	objects := repo.Reader()
	defer objects.Close()
	tree, err := objects.TreeOf(ctx, commit)
	if err != nil {
		return err
	}
	builder, config, err := withRulesOf(ctx, builder, objects, sel, tree)
	if err != nil {
		return err
	}
	g, stats, err := builder.Build(ctx, objects, tree)
	if err != nil {
		return err
	}
	stamp := store.Stamp{
		RepositoryRoot: repo.Root(), CommonDir: repo.CommonDir(), Head: string(commit), Tree: string(tree),
		Engine: builder.EngineDigest(), Config: config, Outside: stats.Outside, Digest: store.Digest(g), ToolVersion: toolVersion(),
	}
	query.Describe(s, g, stamp, repo.Root())
	return store.Write(ctx, provenance.KeptFile(repo, tree, builder.EngineDigest()), g, stamp)
}
