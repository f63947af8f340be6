package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

// A cleanupAnswer is the JSON form of "previdence cleanup".
type cleanupAnswer struct {
	Schema         string               `json:"schema"` // "previdence.cleanup/v1"
	RepositoryRoot string               `json:"repository_root"`
	Removed        []provenance.Removed `json:"removed"`  // graphs
	Checkout       string               `json:"checkout"` // root of the checkout that is gone; "" if none was meant
}

const cleanupLong = `Cleanup deletes the graph of one worktree after somebody approved it.

Without --pr it deletes graph.db in the git directory of the worktree, and nothing
else, if the graph says that it was built there at the commit that HEAD names, and
nobody is reading or replacing it. The root is an absolute path without links.

With --pr and --closed it removes the checkout of a pull request that was closed or
merged, with its graph. A checkout in which something was changed stays.`

func newCleanup(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "cleanup",
		Short:   "Delete the graph of a worktree, or the checkout of a closed pull request",
		Long:    cleanupLong,
		GroupID: "tool",
		Args:    operands(),
	}
	root := c.Flags().String("repo-root", "", "worktree `DIR`; by default the one around the current folder")
	confirmation := c.Flags().String("confirmation", "", "the `WORD` "+provenance.Approved+", exactly")
	number := c.Flags().Int("pr", 0, "pull request `N` whose checkout goes")
	closed := c.Flags().Bool("closed", false, "the pull request is closed or merged")
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		repo, err := a.authorized(c.Context(), *root)
		if err != nil {
			return err
		}
		answer := cleanupAnswer{Schema: "previdence.cleanup/v1", RepositoryRoot: repo.Root(), Removed: []provenance.Removed{}}
		switch {
		case c.Flags().Changed("pr") != *closed || *number < 0:
			return usage(errors.New("--pr and --closed go together"), "say --pr N --closed once the pull request is closed or merged")
		case *closed:
			answer.Checkout, err = removeCheckout(c.Context(), repo, *number)
		default:
			var removed *provenance.Removed
			if removed, err = provenance.Delete(c.Context(), repo, *confirmation); err == nil {
				answer.Removed = append(answer.Removed, *removed)
			}
		}
		if err != nil {
			return err
		}
		return a.writeCleanup(f, answer)
	}
	return c
}

// authorized opens the worktree that a deletion is about. Its root must be named
// as such; only when it is not named at all is it looked for.
func (a *app) authorized(ctx context.Context, root string) (*worktree.Repo, error) {
	if root == "" {
		return query.OpenRoot(ctx, a.state, ".")
	}
	_, repo, err := a.state.Authorize(ctx, root)
	return repo, err
}

// removeCheckout removes the checkout of a pull request and returns its root.
func removeCheckout(ctx context.Context, repo *worktree.Repo, number int) (string, error) {
	store, err := repo.Store(ctx)
	if err != nil {
		return "", err
	}
	checkouts, err := store.Checkouts(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(checkouts, func(c worktree.Checkout) bool { return c.Number == number })
	if i < 0 {
		return "", fmt.Errorf("pull request %d: %w", number, worktree.ErrNoCheckout)
	}
	return checkouts[i].Root, store.Remove(ctx, checkouts[i].Root)
}

func (a *app) writeCleanup(f *format, answer cleanupAnswer) error {
	if f.value == "json" {
		return writeJSON(a.Out, answer)
	}
	var b strings.Builder
	writeRemoved(&b, answer.Removed)
	if answer.Checkout != "" {
		fmt.Fprintf(&b, "removed the checkout %s\n", inert(answer.Checkout))
	}
	return writeText(a.Out, &b)
}

func writeRemoved(b *strings.Builder, removed []provenance.Removed) {
	for _, r := range removed {
		fmt.Fprintf(b, "removed %-14s %9d bytes  %s\n", r.Kind, r.Bytes, inert(r.Path))
	}
}
