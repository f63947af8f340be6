package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
)

func newGraphBuild(a *app, root *string) *cobra.Command {
	c := &cobra.Command{
		Use:   "build",
		Short: "Build the graph of HEAD's commit",
		Long:  "Build makes the graph of HEAD's commit and puts it in place of the one before. Readers\nsee the old graph or the new one. A build that is stopped leaves the old one.",
		Args:  operands(),
	}
	jobs := jobsFlag(c)
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *jobs < 1 {
			return usage(fmt.Errorf("--jobs is %d", *jobs), "want 1 or more")
		}
		if err := a.build(c.Context(), *root, *jobs); err != nil {
			return err
		}
		answer, err := status(c.Context(), *root)
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

// build makes the graph of HEAD and publishes it, unless HEAD has moved.
func (a *app) build(ctx context.Context, dir string, jobs int) error {
	p, err := findPlace(ctx, dir)
	if err != nil {
		return err
	}
	return a.withBuilder(ctx, p.repo, jobs, func(builder *index.Builder) error {
		g, stats, err := builder.Build(ctx, p.repo, p.tree)
		if err != nil {
			return err
		}
		_, head, err := p.repo.Head(ctx)
		if err != nil {
			return err
		}
		if head != p.head {
			return fmt.Errorf("%w: HEAD went from %s to %s during the build", errStaleHead, short(string(p.head)), short(string(head)))
		}
		stamp := p.stamp(builder.EngineDigest())
		stamp.Outside = stats.Outside
		stamp.Generation = generation(ctx, p.file) + 1
		return store.Write(ctx, p.file, g, stamp)
	})
}

// generation is that of the graph at file; 0 if there is none that can be read.
func generation(ctx context.Context, file string) int64 {
	db, err := store.Open(ctx, file)
	if err != nil {
		return 0
	}
	defer db.Close() // read-only: nothing can be lost
	return db.Stamp().Generation
}
