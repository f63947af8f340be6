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
	Review         *reviewAnswer        `json:"review"`   // last one of what is gone; null if none is recorded
	Closed         *closedAnswer        `json:"closed"`   // what is known of a closed pull request; null if none was meant
}

// A reviewAnswer is the last review of a worktree's HEAD.
type reviewAnswer struct {
	Report  string `json:"report"`  // SHA-256 of the canonical report
	Outcome string `json:"outcome"` // pass, fail, incomplete
	Failing int    `json:"failing"` // reasons for which it failed
}

// A closedAnswer says what the remote says of a pull request that somebody called
// closed. Whether it is closed no git server tells.
type closedAnswer struct {
	PullRequest int    `json:"pull_request"`
	Head        string `json:"head"`        // that was checked out
	Remote      string `json:"remote"`      // same, moved, gone, unknown
	RemoteHead  string `json:"remote_head"` // "" unless it is the same or has moved

	reason string // why the remote's is unknown
}

const cleanupLong = `Cleanup deletes the graph of one worktree after somebody approved it.

Without --pr it deletes graph.db in the git directory of the worktree, and nothing
else, if the graph says that it was built there at the commit that HEAD names, a
review of that commit used it and did not fail, and nobody is reading or replacing
it. The root is an absolute path without links.

With --pr and --closed it removes the checkout of a pull request that was closed or
merged, with its graph, whatever its review found. That it is closed is your word:
the remote is asked for its head, and the answer says whether that is the one that
was checked out. A checkout in which something was changed stays.`

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
	remote := c.Flags().String("remote", "origin", "remote `NAME` of the pull request")
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
			err = a.removeClosed(c.Context(), repo, *remote, *number, &answer)
		default:
			err = answer.deleteGraph(c.Context(), repo, *confirmation)
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

// deleteGraph deletes the graph of a worktree.
func (answer *cleanupAnswer) deleteGraph(ctx context.Context, repo *worktree.Repo, confirmation string) error {
	removed, err := provenance.Delete(ctx, repo, confirmation)
	if err != nil {
		return err
	}
	answer.Removed = append(answer.Removed, *removed)
	answer.Review, err = lastReview(ctx, repo)
	return err
}

// lastReview returns the review of HEAD that is recorded in a worktree, nil if
// none is.
func lastReview(ctx context.Context, repo *worktree.Repo) (*reviewAnswer, error) {
	last, err := provenance.LastReview(ctx, repo)
	if _, refused := provenance.AsRefusal(err); refused {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}
	return &reviewAnswer{Report: last.Report, Outcome: last.Outcome, Failing: last.Failing}, nil
}

// removeClosed removes the checkout of a closed pull request. What is known of it
// is asked before: afterwards the record of its review is gone.
func (a *app) removeClosed(ctx context.Context, repo *worktree.Repo, remote string, number int, answer *cleanupAnswer) error {
	store, c, err := findCheckout(ctx, repo, number)
	if err != nil {
		return err
	}
	answer.Closed = &closedAnswer{PullRequest: number, Head: string(c.Head)}
	if err := answer.Closed.ask(ctx, repo, store, remote); err != nil {
		return err
	}
	if c.State == worktree.CheckoutReady {
		_, own, err := repo.Authorize(ctx, c.Root)
		if err != nil {
			return err
		}
		if answer.Review, err = lastReview(ctx, own); err != nil {
			return err
		}
	}
	answer.Checkout = c.Root
	return store.Remove(ctx, c.Root, provenance.Reserve)
}

// ask compares what was checked out with what the remote has now. A remote that
// does not answer is no reason to keep what is on disk, but is said.
func (c *closedAnswer) ask(ctx context.Context, repo *worktree.Repo, store *worktree.Store, remote string) error {
	url, err := worktree.RemoteURL(ctx, repo, remote)
	if err != nil {
		return err
	}
	head, err := store.RemoteHead(ctx, url, c.PullRequest)
	c.RemoteHead = string(head)
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, worktree.ErrNoPullRequest):
		c.Remote = "gone"
	case err != nil:
		c.Remote, c.reason = "unknown", err.Error()
	case c.RemoteHead == c.Head:
		c.Remote = "same"
	default:
		c.Remote = "moved"
	}
	return nil
}

// findCheckout finds the checkout of a pull request.
func findCheckout(ctx context.Context, repo *worktree.Repo, number int) (*worktree.Store, worktree.Checkout, error) {
	store, err := repo.Store(ctx)
	if err != nil {
		return nil, worktree.Checkout{}, err
	}
	checkouts, err := store.Checkouts(ctx)
	if err != nil {
		return nil, worktree.Checkout{}, err
	}
	i := slices.IndexFunc(checkouts, func(c worktree.Checkout) bool { return c.Number == number })
	if i < 0 {
		return nil, worktree.Checkout{}, fmt.Errorf("pull request %d: %w", number, worktree.ErrNoCheckout)
	}
	return store, checkouts[i], nil
}

// removeCheckout removes the checkout of a pull request and returns its root.
func removeCheckout(ctx context.Context, repo *worktree.Repo, number int) (string, error) {
	store, c, err := findCheckout(ctx, repo, number)
	if err != nil {
		return "", err
	}
	return c.Root, store.Remove(ctx, c.Root, provenance.Reserve)
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
	if r := answer.Review; r != nil {
		fmt.Fprintf(&b, "its review ended with %s, %d failing reasons, report %s\n", r.Outcome, r.Failing, short(r.Report))
	} else {
		b.WriteString("no review of its head is recorded\n")
	}
	if answer.Closed != nil {
		b.WriteString(answer.Closed.text())
	}
	return writeText(a.Out, &b)
}

func (c *closedAnswer) text() string {
	switch c.Remote {
	case "same":
		return fmt.Sprintf("the remote has the same head, %s\n", short(c.Head))
	case "moved":
		return fmt.Sprintf("the remote has another head, %s: what was checked out, %s, is not all of the pull request\n", short(c.RemoteHead), short(c.Head))
	case "gone":
		return "the remote has no such pull request any more\n"
	}
	return fmt.Sprintf("whether the remote has the same head is not known: %s\n", inert(c.reason))
}

func writeRemoved(b *strings.Builder, removed []provenance.Removed) {
	for _, r := range removed {
		fmt.Fprintf(b, "removed %-16s %9d bytes  %s\n", r.Kind, r.Bytes, inert(r.Path))
	}
}
