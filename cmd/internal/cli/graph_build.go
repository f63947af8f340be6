package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

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
		if err := a.build(c.Context(), sel, *jobs); err != nil {
			return err
		}
		answer, err := status(c.Context(), sel)
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

// build makes the graph that is meant and publishes it.
func (a *app) build(ctx context.Context, sel *selection, jobs int) error {
	repo, q, err := sel.open(ctx)
	if err != nil {
		return err
	}
	return a.withBuilder(ctx, repo, jobs, func(builder *index.Builder) error {
		if q.Commit != "" {
			return buildCommit(ctx, builder, repo, q.Commit)
		}
		return buildHead(ctx, builder, repo)
	})
}

func buildHead(ctx context.Context, builder *index.Builder, repo *worktree.Repo) (err error) {
	b, err := provenance.Begin(ctx, repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	g, stats, err := builder.Build(ctx, repo, b.Tree)
	if err != nil {
		return err
	}
	return b.Publish(ctx, g, store.Stamp{Engine: builder.EngineDigest(), Outside: stats.Outside, ToolVersion: toolVersion()})
}

// buildCommit keeps the graph of any commit, as a review does.
func buildCommit(ctx context.Context, builder *index.Builder, repo *worktree.Repo, commit worktree.OID) error {
	tree, err := repo.TreeOf(ctx, commit)
	if err != nil {
		return err
	}
	g, stats, err := builder.Build(ctx, repo, tree)
	if err != nil {
		return err
	}
	return store.Write(ctx, provenance.KeptFile(repo, tree, builder.EngineDigest()), g, store.Stamp{
		RepositoryRoot: repo.Root(), CommonDir: repo.CommonDir(), Head: string(commit), Tree: string(tree),
		Engine: builder.EngineDigest(), Outside: stats.Outside, ToolVersion: toolVersion(),
	})
}
