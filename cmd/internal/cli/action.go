package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/action"
	"github.com/previdence/previdence/action/envelope"
	"github.com/previdence/previdence/action/event"
	"github.com/previdence/previdence/action/github"
	"github.com/previdence/previdence/action/post"
	"github.com/previdence/previdence/action/workflow"
	"github.com/previdence/previdence/cmd/internal/config"
	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/cover"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

const actionLong = `Action is the step of a GitHub workflow. It takes no arguments: what happened is read
from the variables of the runner (GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, …), and what is
wanted from those that action.yml sets (PREVIDENCE_MODE, PREVIDENCE_FAIL_ON, …).

It reviews the change of the event and leaves a report file, a job summary, at most
ten annotations and the outputs of the step. Where the event and the token allow it,
it posts one comment and one check run. docs/guides/github-action.md explains the
workflows, the inputs and what is trusted.`

func newAction(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "action",
		Short:   "Review in a GitHub workflow",
		Long:    actionLong,
		GroupID: "tool",
		Args:    operands(),
		RunE: func(c *cobra.Command, _ []string) error {
			// What is written to either stream ends in the log of the job, where
			// some lines are commands. So notes go nowhere but through the action.
			quiet := &app{Streams: Streams{Out: a.Out, Err: io.Discard, Env: a.Env}, state: a.state}
			return ended(action.Run(c.Context(), action.Environment{Env: a.Env, Log: a.Out}, action.Tools{
				Version: toolVersion(), Rules: review.Rules, Review: quiet.reviewEvent, Cleanup: quiet.cleanEvent, Advice: actionAdvice,
			}))
		},
	}
}

// reviewEvent makes the report of the change that an event is about, and fetches
// what a shallow checkout lacks of it.
func (a *app) reviewEvent(ctx context.Context, r action.Request) (out *report.Report, err error) {
	repo, err := a.state.Open(ctx, r.Dir)
	if err != nil {
		return nil, err
	}
	if r.Base.Commit == "" {
		if r.Base.Commit, err = baseOf(ctx, repo, r.Base.Ref); err != nil {
			return nil, fmt.Errorf("base: %w", err)
		}
	}
	if repo, err = a.deepened(ctx, repo, r); err != nil {
		return nil, err
	}
	var coverage []*cover.Profile
	for _, c := range r.Coverage {
		if coverage, err = withCoverage(coverage, c.Name, c.Text); err != nil {
			return nil, err
		}
	}
	options := pipeline.Options{
		Coverage: coverage,
		Limits:   review.DefaultLimits, FailOn: r.FailOn, Given: pipeline.Given{FailOn: r.FailOn != nil}, NoConfig: r.NoConfig,
		ToolVersion: toolVersion(), Grammars: grammars(), Keep: true, Notice: a.note,
	}
	err = a.withBuilder(ctx, repo, runtime.GOMAXPROCS(0), &deadline{}, func(b *index.Builder) error {
		out, err = pipeline.New(repo, b, options).ReviewPinned(ctx, r.Number, r.Base, r.Head)
		return err
	})
	return out, err
}

// baseOf looks up the name of a base, as a branch of the server first: a checkout
// has few of its own.
func baseOf(ctx context.Context, repo *worktree.Repo, name string) (string, error) {
	commit, err := repo.Resolve(ctx, "refs/remotes/origin/"+name)
	if errors.Is(err, worktree.ErrUnknownRevision) || errors.Is(err, worktree.ErrBadRevision) {
		commit, err = repo.Resolve(ctx, name)
	}
	return string(commit), err
}

// deepened returns the repository with the history that the review needs.
func (a *app) deepened(ctx context.Context, repo *worktree.Repo, r action.Request) (*worktree.Repo, error) {
	from, err := upstream(ctx, repo, r)
	if err != nil {
		return nil, err
	}
	fetched, err := repo.Deepen(ctx, from, worktree.OID(r.Base.Commit), worktree.OID(r.Head.Commit))
	if !fetched || err != nil {
		return repo, err
	}
	return a.state.Open(ctx, r.Dir) // it is not shallow any more
}

// upstream is the repository of the event, at the server of the workflow, which alone
// gets the token. What the checkout calls origin is asked instead only if it lies on
// this machine, as where workflows are tried without a server.
func upstream(ctx context.Context, repo *worktree.Repo, r action.Request) (worktree.Upstream, error) {
	origin, err := worktree.RemoteURL(ctx, repo, "origin")
	if err == nil && (filepath.IsAbs(origin) || strings.HasPrefix(origin, "file://")) {
		return worktree.Upstream{URL: origin}, nil
	}
	if err != nil && !errors.Is(err, worktree.ErrNoRemote) && !errors.Is(err, worktree.ErrBadURL) {
		return worktree.Upstream{}, err
	}
	up := worktree.Upstream{URL: r.ServerURL + "/" + r.Repository}
	if r.Token != "" {
		up.Authorization = "basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+r.Token))
	}
	return up, nil
}

// cleanEvent deletes what this machine keeps of a pull request that is decided:
// after an approval its graphs, after the end its worktree and the graph of its
// head. What is dirty, bound
// elsewhere or in use stays, and is named.
func (a *app) cleanEvent(ctx context.Context, c action.Closing) (said []string, err error) {
	repo, err := a.state.Open(ctx, c.Dir)
	if errors.Is(err, worktree.ErrNotRepository) {
		return nil, nil // no checkout, as in most workflows for these events
	}
	if err != nil {
		return nil, err
	}
	if c.Approved {
		said, err = a.deleteGraphs(ctx, repo, c.Number)
	} else {
		said, err = endCheckout(ctx, repo, c.Number)
	}
	if err != nil {
		return said, err
	}
	kept, err := dropKept(ctx, repo, worktree.OID(c.Head))
	if said = append(said, kept...); err != nil {
		return said, err
	}
	collected, err := provenance.Collect(ctx, repo, provenance.Limits{})
	if err == nil && len(collected.Removed) > 0 {
		said = append(said, fmt.Sprintf("Deleted %s that killed builds had left.", outline.Count(len(collected.Removed), "file")))
	}
	return said, err
}

// deleteGraphs deletes the graph of the checkout that the workflow made, and that
// of the pull request's own worktree.
func (a *app) deleteGraphs(ctx context.Context, repo *worktree.Repo, number int) (said []string, err error) {
	repos := []*worktree.Repo{repo}
	store, err := repo.Store(ctx)
	if err != nil {
		return nil, err
	}
	checkouts, err := store.Checkouts(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range checkouts {
		if c.Number != number || c.State != worktree.CheckoutReady {
			continue
		}
		own, err := a.state.Open(ctx, c.Root)
		if err != nil {
			return nil, err
		}
		repos = append(repos, own)
	}
	for _, r := range repos {
		removed, err := provenance.Delete(ctx, r, provenance.Approved)
		refusal, refused := provenance.AsRefusal(err)
		switch {
		case err == nil:
			said = append(said, fmt.Sprintf("Deleted the graph of %s (%s).", r.Root(), outline.Count(int(removed.Bytes), "byte")))
		case !refused:
			return said, err
		case refusal.State != provenance.NotReady: // there is one, and it stays
			said = append(said, fmt.Sprintf("The graph of %s stays: %v.", r.Root(), err))
		}
	}
	return said, nil
}

// dropKept deletes the graph of a head that reviews keep by its tree, where the
// next review of that tree would find it.
func dropKept(ctx context.Context, repo *worktree.Repo, head worktree.OID) (said []string, err error) {
	tree, err := repo.TreeOf(ctx, head)
	if errors.Is(err, worktree.ErrObjectMissing) && repo.HasStore() {
		var store *worktree.Store
		if store, err = repo.Store(ctx); err == nil {
			tree, err = store.Repo().TreeOf(ctx, head)
		}
	}
	if errors.Is(err, worktree.ErrObjectMissing) {
		return nil, nil // nothing that lies here was made from it
	}
	if err != nil {
		return nil, err
	}
	dropped, err := provenance.DropKept(repo, tree)
	size := 0
	for _, r := range dropped.Removed {
		size += int(r.Bytes)
	}
	if n := len(dropped.Removed); n > 0 { // several if several versions of this program made them
		said = append(said, fmt.Sprintf("Deleted %s of %.12s (%s).", outline.Count(n, "kept graph"), head, outline.Count(size, "byte")))
	}
	if dropped.Busy > 0 {
		said = append(said, fmt.Sprintf("The kept graph of %.12s stays: somebody reads it.", head))
	}
	return said, err
}

// endCheckout removes the worktree of a pull request that is closed or merged.
func endCheckout(ctx context.Context, repo *worktree.Repo, number int) ([]string, error) {
	root, err := removeCheckout(ctx, repo, number)
	switch {
	case err == nil:
		return []string{"Removed the worktree " + root + "."}, nil
	case errors.Is(err, worktree.ErrNoCheckout):
		return nil, nil
	case errors.Is(err, worktree.ErrDirty):
		return []string{"The worktree stays: " + err.Error()}, nil
	}
	return nil, err
}

// actionRemedies say for a workflow what [remedies] say for a terminal, and have a
// line for every exported error of the folders of the Action. The first match
// counts.
var actionRemedies = []remedy{
	{workflow.ErrInput, ExitUsage, "Mend it under with: in the workflow; docs/guides/github-action.md lists what each input takes."},
	{workflow.ErrEnvironment, ExitUsage, "Run it as a step of a workflow: uses: previdence/previdence@v1."},
	{workflow.ErrNotWritten, ExitUnevaluated, "Look at the free space of the runner."},
	{event.ErrUnsupported, ExitUsage, "Start the workflow on pull_request, pull_request_review, merge_group, workflow_run, push or workflow_dispatch. For pull requests from forks: previdence init github --forks."},
	{event.ErrPayload, ExitUnevaluated, "The runner wrote it; run the job again."},
	{action.ErrMode, ExitUsage, "Leave mode out, or start the workflow on an event that goes with it."},
	{envelope.ErrTooLarge, ExitUnevaluated, "Review smaller changes, or leave generated files out with ignore in .previdence.yml."},
	{envelope.ErrMalformed, ExitUnevaluated, "Use the same version of previdence in both workflows. If it is the same, somebody else wrote the artifact."},
	{envelope.ErrUnknownSchema, ExitUnevaluated, "Use the same version of previdence in both workflows."},
	{report.ErrUnknownSchema, ExitUnevaluated, "Use the same version of previdence in both workflows."},
	{post.ErrUntrue, ExitUnevaluated, "Nothing was posted. Look at the run that made the evidence: the pull request may have edited its workflow."},
	{post.ErrBadOption, ExitUsage, "Mend the input that it names."},
	{github.ErrReadOnly, ExitPublish, "Give the job pull-requests: write and checks: write, and actions: read where it reads another run's artifact."},
	{github.ErrGone, ExitPublish, "Look at the permissions of the job: GitHub hides what a token may not see."},
	{github.ErrRefused, ExitPublish, "Look at what GitHub says; the report file is whole."},
	{github.ErrLimited, ExitPublish, "Run the job again later; the report file is whole."},
	{github.ErrTooManyWrites, ExitPublish, "Run the job again; the report file is whole."},
	{github.ErrBadAddress, ExitUsage, "The runner sets GITHUB_API_URL; leave it as it is."},
	{github.ErrServer, ExitPublish, "Run the job again; the report file is whole."},

	{worktree.ErrShallow, ExitUnevaluated, "Set fetch-depth: 0 on actions/checkout."},
	{worktree.ErrNoMergeBase, ExitUnevaluated, "Set fetch-depth: 0 on actions/checkout; if it is set, the two share no history."},
	{worktree.ErrDubiousOwnership, ExitUnevaluated, "If you trust the checkout, run in a step before: git config --global --add safe.directory \"$GITHUB_WORKSPACE\"."},
	{worktree.ErrNotRepository, ExitUnevaluated, "Put actions/checkout with fetch-depth: 0 before this step; if it has a path, give this step the same."},
	{worktree.ErrUnknownRevision, ExitUnevaluated, "Set fetch-depth: 0 on actions/checkout, or name another base."},
	{worktree.ErrFetchFailed, ExitUnevaluated, "Set fetch-depth: 0 on actions/checkout, and give the job contents: read."},
	{cover.ErrFormat, ExitUsage, "coverage-files takes " + cover.Formats + "."},
	{pipeline.ErrCommitAbsent, ExitUnevaluated, "Set fetch-depth: 0 on actions/checkout."},
	{config.ErrInvalid, ExitUnevaluated, "A pull request is judged by the file of its merge base: mend it there. The pull request that mends it is reviewed with config: none."},
}

// actionAdvice says what to do about an error where it is read in a workflow.
func actionAdvice(err error) (code int, hint string) {
	for _, r := range actionRemedies {
		if errors.Is(err, r.err) {
			return r.code, r.hint
		}
	}
	if r, ok := remedyFor(err); ok {
		return r.code, r.hint
	}
	return ExitUnevaluated, ""
}
