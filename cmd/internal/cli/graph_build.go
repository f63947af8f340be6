package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

func newGraphBuild(a *app, sel *selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "build",
		Short: "Build the graph of HEAD's commit",
		Long:  "Build makes the graph of HEAD's commit and puts it in place of the one before. While it\nruns, this worktree's graph does not answer; those of others do. A build that is stopped\nleaves the old graph. With --commit it makes the graph of that commit beside it.",
		Args:  operands(),
	}
	jobs := jobsFlag(c)
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch {
		case *jobs < 1:
			return usage(fmt.Errorf("--jobs is %d", *jobs), "want 1 or more")
		case sel.bound || sel.expectHead != "":
			return usage(errors.New("--bound and --expect-head are for questions"), "leave them out")
		}
		answer, err := a.build(c.Context(), sel, *jobs)
		if err != nil {
			return err
		}
		return a.writeStatus(f, answer)
	}
	return c
}

// jobsFlag adds --jobs to a command.
func jobsFlag(c *cobra.Command) *int {
	return c.Flags().Int("jobs", runtime.GOMAXPROCS(0), "work on `N` files at a time; the answer does not depend on it")
}

// build makes the graph that is meant and publishes it. What it answers is what it
// built: a moment later another build may run.
func (a *app) build(ctx context.Context, sel *selection, jobs int) (statusAnswer, error) {
	repo, q, err := sel.open(ctx, a)
	if err != nil {
		return statusAnswer{}, err
	}
	answer := statusAnswer{header: header{Schema: graphSchema}, State: ready, Engine: q.Engine}
	err = a.withBuilder(ctx, repo, jobs, func(builder *index.Builder) error {
		if q.Commit != "" {
			return answer.buildCommit(ctx, builder, repo, q.Commit)
		}
		return answer.buildHead(ctx, builder, repo)
	})
	if err == nil && q.Commit == "" {
		answer.Dirty, err = dirt(ctx, repo, q)
	}
	return answer, err
}

func (s *statusAnswer) buildHead(ctx context.Context, builder *index.Builder, repo *worktree.Repo) (err error) {
	b, err := provenance.Begin(ctx, repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	builder, config, err := withRulesOf(ctx, builder, repo, b.Tree)
	if err != nil {
		return err
	}
	g, stats, err := builder.Build(ctx, repo, b.Tree)
	if err != nil {
		return err
	}
	stamp, err := b.Publish(ctx, g, store.Stamp{Engine: builder.EngineDigest(), Config: config, Outside: stats.Outside, ToolVersion: toolVersion()})
	s.describe(g, stamp, b.Root)
	return err
}

// withRulesOf returns a builder that ignores what a tree's own configuration does,
// and the digest of that.
func withRulesOf(ctx context.Context, builder *index.Builder, repo *worktree.Repo, tree worktree.OID) (*index.Builder, string, error) {
	objects := repo.Reader()
	defer objects.Close()
	ignore, config, err := pipeline.Ignored(ctx, objects, tree)
	return builder.Ignoring(ignore), config, err
}

// buildCommit keeps the graph of any commit, as a review does.
func (s *statusAnswer) buildCommit(ctx context.Context, builder *index.Builder, repo *worktree.Repo, commit worktree.OID) error {
	tree, err := repo.TreeOf(ctx, commit)
	if err != nil {
		return err
	}
	builder, config, err := withRulesOf(ctx, builder, repo, tree)
	if err != nil {
		return err
	}
	g, stats, err := builder.Build(ctx, repo, tree)
	if err != nil {
		return err
	}
	stamp := store.Stamp{
		RepositoryRoot: repo.Root(), CommonDir: repo.CommonDir(), Head: string(commit), Tree: string(tree),
		Engine: builder.EngineDigest(), Config: config, Outside: stats.Outside, Digest: store.Digest(g), ToolVersion: toolVersion(),
	}
	s.describe(g, stamp, repo.Root())
	return store.Write(ctx, provenance.KeptFile(repo, tree, builder.EngineDigest()), g, stamp)
}
