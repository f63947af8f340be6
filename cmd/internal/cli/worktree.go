package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/config"
	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

const worktreeLong = `Worktree keeps heads of pull requests on disk, each in a git worktree of its own.

A pull request is fetched into a store beside the repository's objects, never into
the repository itself, and checked out from there. Its files hold the bytes of
their blobs: no filter, hook or line-end rule of the pull request is applied, and
symlinks are plain files that name their target. A plain git command in such a
worktree runs no program that the pull request names, unless it is given in a bare
repository that the pull request carries among its files.`

const worktreesSchema = "previdence.worktrees/v1"

// A worktreesAnswer is the JSON form of "previdence worktree list", and with
// one checkout that of "previdence worktree add".
type worktreesAnswer struct {
	Schema    string           `json:"schema"` // "previdence.worktrees/v1"
	Checkouts []checkoutAnswer `json:"checkouts"`
}

// A checkoutAnswer is one pull request on disk.
type checkoutAnswer struct {
	Root        string `json:"root"`
	PullRequest int    `json:"pull_request"`
	Head        string `json:"head"`
	State       string `json:"state"` // ready, half_made, half_removed, vanished
	GraphState  string `json:"graph_state"`
	Review      string `json:"review"` // outcome of the last review of this head; "" if none is recorded
	Files       int    `json:"files"`  // on disk, the graph included
	Bytes       int64  `json:"bytes"`
	Made        string `json:"made"` // RFC 3339, UTC

	age string
}

// An endedAnswer is the JSON form of "previdence worktree remove" and of
// "previdence worktree prune".
type endedAnswer struct {
	Schema string   `json:"schema"` // "previdence.worktrees/v1"
	Roots  []string `json:"roots"`  // of checkouts that are no more
}

func newWorktree(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "worktree",
		Short:   "Keep heads of pull requests on disk",
		Long:    worktreeLong,
		GroupID: "review",
		Args:    subcommandOnly,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	dir := c.PersistentFlags().String("repo", ".", "repository or worktree `DIR`")
	c.SuggestionsMinimumDistance = 2
	c.AddCommand(newWorktreeList(a, dir), newWorktreeAdd(a, dir), newWorktreeRemove(a, dir), newWorktreePrune(a, dir))
	return c
}

func newWorktreeList(a *app, dir *string) *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the pull requests on disk",
		Long:  "List prints where each pull request lies, its head, whether its graph answers, its size\nand its age. What is not ready goes with: previdence worktree prune",
		Args:  operands(),
	}
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		_, s, err := a.openStore(c.Context(), *dir)
		if err != nil {
			return err
		}
		checkouts, err := s.Checkouts(c.Context())
		if err != nil {
			return err
		}
		return a.writeCheckouts(c.Context(), f, checkouts)
	}
	return c
}

func newWorktreeAdd(a *app, dir *string) *cobra.Command {
	c := &cobra.Command{
		Use:   "add NUMBER",
		Short: "Fetch a pull request and check out its head",
		Long:  "Add fetches a pull request from the remote and checks out its head. An older head of it\nis replaced, unless something in it is not in its commit.",
		Args:  operands("the number of a pull request"),
	}
	remote := c.Flags().String("remote", "origin", "fetch from the remote `NAME`")
	parent := c.Flags().String("worktree-root", "", "check out in `DIR`, an absolute path (default ${XDG_STATE_HOME:-~/.local/state}/previdence/REPOSITORY)")
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		number, err := parseNumber(args[0])
		if err != nil {
			return err
		}
		repo, s, err := a.openStore(c.Context(), *dir)
		if err != nil {
			return err
		}
		url, err := worktree.RemoteURL(c.Context(), repo, *remote)
		if err != nil {
			return err
		}
		fetched, err := s.FetchPull(c.Context(), url, number)
		if err != nil {
			return err
		}
		made, err := s.Add(c.Context(), number, fetched.Head, *parent, provenance.Reserve)
		if err != nil {
			return err
		}
		return a.writeCheckouts(c.Context(), f, []worktree.Checkout{made})
	}
	return c
}

func newWorktreeRemove(a *app, dir *string) *cobra.Command {
	c := &cobra.Command{
		Use:   "remove NUMBER",
		Short: "Delete the checkout of a pull request, unless it is dirty",
		Long:  "Remove deletes the checkout of a pull request with its graph. If anything in it is not in\nits commit, ignored files included, it says what that is and deletes nothing.",
		Args:  operands("the number of a pull request"),
	}
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		number, err := parseNumber(args[0])
		if err != nil {
			return err
		}
		repo, err := a.state.Open(c.Context(), *dir)
		if err != nil {
			return err
		}
		root, err := removeCheckout(c.Context(), repo, number)
		if err != nil {
			return err
		}
		return a.writeEnded(f, "removed", []string{root})
	}
	return c
}

func newWorktreePrune(a *app, dir *string) *cobra.Command {
	c := &cobra.Command{
		Use:   "prune",
		Short: "Clear away checkouts that are half made or whose folder is gone",
		Long:  "Prune ends what a killed process left half made or half removed, and forgets checkouts\nwhose folder is gone. Complete checkouts stay, and so does what lies in their place\nwithout being theirs.",
		Args:  operands(),
	}
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		_, s, err := a.openStore(c.Context(), *dir)
		if err != nil {
			return err
		}
		pruned, err := s.Prune(c.Context())
		if err != nil {
			return err
		}
		return a.writeEnded(f, "pruned", pruned)
	}
	return c
}

func (a *app) openStore(ctx context.Context, dir string) (*worktree.Repo, *worktree.Store, error) {
	repo, err := a.state.Open(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	s, err := repo.Store(ctx)
	return repo, s, err
}

var number = regexp.MustCompile(`^#?([1-9][0-9]{0,8})$`)

// parseNumber reads the number of a pull request, "12" or "#12".
func parseNumber(text string) (int, error) {
	m := number.FindStringSubmatch(text)
	if m == nil {
		return 0, usage(fmt.Errorf("%q is no number of a pull request", text), "want one like 12")
	}
	return strconv.Atoi(m[1])
}

func (a *app) writeCheckouts(ctx context.Context, f *format, checkouts []worktree.Checkout) error {
	answer := worktreesAnswer{Schema: worktreesSchema, Checkouts: []checkoutAnswer{}}
	for _, c := range checkouts {
		described, err := a.describeCheckout(ctx, c)
		if err != nil {
			return err
		}
		answer.Checkouts = append(answer.Checkouts, described)
	}
	if f.value == "json" {
		return writeJSON(a.Out, answer)
	}
	return writeText(a.Out, answer.text())
}

// describeCheckout says what there is to say of a checkout. One that is not ready has
// no graph that could answer.
func (a *app) describeCheckout(ctx context.Context, c worktree.Checkout) (checkoutAnswer, error) {
	answer := checkoutAnswer{
		Root: c.Root, PullRequest: c.Number, Head: string(c.Head), State: string(c.State), GraphState: string(provenance.NotReady),
		Made: c.Made.UTC().Format(time.RFC3339), age: humanize.Time(c.Made),
	}
	for _, dir := range []string{c.Root, c.GitDir} {
		files, bytes, err := diskUse(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return answer, err
		}
		answer.Files, answer.Bytes = answer.Files+files, answer.Bytes+bytes
	}
	if c.State != worktree.CheckoutReady {
		return answer, nil
	}
	_, repo, err := a.state.Authorize(ctx, c.Root)
	if err != nil {
		return answer, err
	}
	last, err := lastReview(ctx, repo)
	if err != nil {
		return answer, err
	}
	if last != nil {
		answer.Review = last.Outcome
	}
	q, err := query.At(ctx, repo, "", query.Asked{})
	if errors.Is(err, config.ErrInvalid) {
		return answer, nil // a graph cannot be built with it
	}
	if err != nil {
		return answer, err
	}
	refusal, err := provenance.Check(ctx, repo, q)
	switch {
	case err != nil:
		return answer, err
	case refusal != nil:
		answer.GraphState = refusal.Name()
	default:
		answer.GraphState = "ready"
	}
	return answer, nil
}

func (w worktreesAnswer) text() *strings.Builder {
	var b strings.Builder
	if len(w.Checkouts) == 0 {
		b.WriteString("no pull request is checked out\n")
	}
	for i, c := range w.Checkouts {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "pull      #%d, %s\n", c.PullRequest, c.State)
		fmt.Fprintf(&b, "root      %s\n", inert(c.Root))
		fmt.Fprintf(&b, "head      %s\n", c.Head)
		fmt.Fprintf(&b, "graph     %s\n", c.GraphState)
		fmt.Fprintf(&b, "review    %s\n", cmp.Or(c.Review, "none of this head is recorded"))
		fmt.Fprintf(&b, "disk      %s files, %s, made %s\n", humanize.Comma(int64(c.Files)), humanize.Bytes(uint64(c.Bytes)), c.age)
	}
	return &b
}

// writeEnded lists the roots of checkouts that are no more.
func (a *app) writeEnded(f *format, how string, roots []string) error {
	if f.value == "json" {
		return writeJSON(a.Out, endedAnswer{Schema: worktreesSchema, Roots: append([]string{}, roots...)})
	}
	var b strings.Builder
	if len(roots) == 0 {
		b.WriteString("nothing to do\n")
	}
	for _, root := range roots {
		fmt.Fprintf(&b, "%-9s %s\n", how, inert(root))
	}
	return writeText(a.Out, &b)
}
