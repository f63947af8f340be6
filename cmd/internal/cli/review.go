package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/reporters"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

const reviewLong = `Review prints the evidence about pull requests: what changed, what breaks, what
can be reached, which tests to run, and what could not be seen.

A pull request is everything between the merge base of BASE and HEAD and HEAD.
Only commits are read: uncommitted changes are no part of it. Without arguments
BASE is the remote's default branch and HEAD is the commit that is checked out.

A REQUEST is one of
  12, #12                             a pull request of the remote
  https://host/owner/name/pull/12     the same, if the remote is that repository
  BASE...HEAD                         two revisions
  ./path, ../path, /path              what another worktree has checked out
  anything else                       a revision, against --base or the default branch
A branch whose name is a number is written refs/heads/12.

Several are reviewed side by side and printed in the order in which they were
given; each report names those of the others that touch the same code. One that
fails does not stop the others.

Pull requests are fetched into a store of their own and checked out beside the
repository, for people and agents to read; the review itself needs no files. They
are judged by the .previdence.yml of the merge base, never by their own. Flags
win over that file. One that cannot be read refuses the review; the pull request
that mends it is reviewed with --no-config, and its report says so.

With --coverage the lines that ran are read from what the tests of HEAD measured:
a Go cover profile, lcov, Cobertura XML, JaCoCo XML, coverage.py JSON or llvm-cov
JSON. It wins over the graph. What was measured of other contents than HEAD has is
not used, and the report says so. coverage.py --show-contexts, as pytest-cov
records them, and an lcov tracefile that names its tests (TN) also tell which test
ran what.

With --deadline a review gives what it has when its time is up: the changes, and what
needs no graph, at most ten seconds later. Such a report is partial. It judges nothing,
says which sections nobody looked at, cannot be verified, and ends with 3.

With --since the report also says which claims are new, and which are resolved,
since an earlier report of the same pull request, as --format json wrote it.`

const reviewExample = `  previdence review
  previdence review 12 34 https://github.com/owner/name/pull/56
  previdence review --base v1.4.0 --head v1.5.0
  previdence review main...feature-a feature-b ../other-worktree
  previdence review --format json | jq '.breaks[0]'
  previdence review --format markdown --output-dir reports 12 34
  previdence review --coverage cover.out --coverage web/lcov.info
  previdence review --since before.json 12`

// A reviewCommand holds the flags of one call.
type reviewCommand struct {
	app       *app
	repo      string
	base      string
	head      string
	remote    string
	output    string
	outputDir string
	checkouts string
	bare      bool // no checkouts
	budget    int
	depth     int
	jobs      *int
	until     *deadline
	failOn    []string
	fresh     bool
	since     string // file of an earlier report; "" if none
	noConfig  bool
	types     string   // "on", "off", or "" for what the configuration says
	coverage  []string // files of measured coverage
	given     pipeline.Given
	format    *format
}

func newReview(a *app) *cobra.Command {
	r := &reviewCommand{app: a}
	c := &cobra.Command{
		Use:     "review [REQUEST ...]",
		Short:   "Review pull requests",
		Long:    reviewLong,
		Example: reviewExample,
		GroupID: "review",
	}
	f := c.Flags()
	f.StringVar(&r.repo, "repo", ".", "repository or worktree `DIR`")
	f.StringVar(&r.base, "base", "", "`REV` that the pull request goes into (default: the remote's default branch)")
	f.StringVar(&r.head, "head", "", "`REV` to review (default: HEAD)")
	f.StringVar(&r.remote, "remote", "origin", "remote `NAME` to fetch pull requests from")
	f.BoolVar(&r.bare, "no-worktree", false, "do not check fetched pull requests out")
	f.StringVar(&r.checkouts, "worktree-root", "", "check pull requests out below `DIR` (default: in the user's state folder)")
	f.StringVar(&r.output, "output", "", "write to `FILE` instead of standard output")
	f.StringVar(&r.outputDir, "output-dir", "", "write one file for each request into `DIR`")
	f.IntVar(&r.budget, "budget", 0, budgetHelp)
	f.IntVar(&r.depth, "depth", review.DefaultLimits.Depth, "follow dependents over at most `N` edges")
	f.StringSliceVar(&r.failOn, "fail-on", nil, "exit with 1 on these `RULES`: "+strings.Join(review.Rules, ", "))
	f.StringVar(&r.since, "since", "", "say what changed since the earlier report `FILE` of the same pull request")
	f.StringArrayVar(&r.coverage, "coverage", nil, "read measured coverage of the head from `FILE`; may be repeated")
	f.BoolVar(&r.noConfig, "no-config", false, "do not read the .previdence.yml of the merge base; the report says so")
	f.Var(typesOf(&r.types), "types", typesHelp)
	f.BoolVar(&r.fresh, "fresh", false, "neither use nor keep graphs of earlier runs")
	verboseFlag(a, c)
	r.jobs, r.until = jobsFlag(c), deadlineFlag(c, "a partial report of what was found by then")
	r.format = formatFlag(c, reporters.Formats()...)
	c.RunE = func(c *cobra.Command, args []string) error {
		r.given = pipeline.Given{Depth: f.Changed("depth"), FailOn: f.Changed("fail-on")}
		if err := r.until.check(); err != nil {
			return err
		}
		ctx, until, end := r.until.split(c.Context())
		defer end()
		return r.until.explain(r.run(ctx, until, args))
	}
	return c
}

func (r *reviewCommand) run(ctx context.Context, until <-chan struct{}, args []string) error {
	requests, err := r.requests(args)
	if err != nil {
		return err
	}
	if r.since != "" && len(requests) > 1 {
		return usage(errors.New("--since goes with one pull request"), "review them one by one")
	}
	if len(r.coverage) > 0 && len(requests) > 1 {
		return usage(errors.New("--coverage goes with one pull request"), "review them one by one")
	}
	if err := r.check(); err != nil {
		return err
	}
	earlier, err := r.app.earlierReport(r.since)
	if err != nil {
		return err
	}
	repo, err := r.app.state.Open(ctx, r.repo)
	if err != nil {
		return err
	}
	options, err := r.options()
	if err != nil {
		return err
	}
	options.Until = until
	var results []pipeline.Result
	err = r.app.withBuilder(ctx, repo, *r.jobs, r.until, func(b *index.Builder) error {
		results = pipeline.New(repo, b, options).ReviewAll(ctx, requests, *r.jobs)
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.compareWith(ctx, repo, earlier, results); err != nil {
		return err
	}
	if err := r.deliver(results); err != nil {
		return err
	}
	return r.outcome(args, results)
}

// requests reads the arguments.
func (r *reviewCommand) requests(args []string) ([]pipeline.Request, error) {
	if len(args) == 0 {
		return []pipeline.Request{{Base: r.base, Head: r.head}}, nil
	}
	if r.head != "" {
		return nil, usage(errors.New("--head does not go with arguments"), "give either the flag or the arguments")
	}
	var out []pipeline.Request
	for _, a := range args {
		req, err := pipeline.ParseRequest(a)
		if err != nil {
			return nil, err
		}
		if r.base != "" && req.Base != "" {
			return nil, usage(fmt.Errorf("--base does not go with %q, which names its base", a), "give either the flag or BASE...HEAD")
		}
		if req.Base == "" {
			req.Base = r.base
		}
		out = append(out, req)
	}
	return out, nil
}

// check refuses flag values that mean nothing.
func (r *reviewCommand) check() error {
	switch {
	case r.depth < 1:
		return usage(fmt.Errorf("--depth %d", r.depth), "give a depth of 1 or more")
	case *r.jobs < 1:
		return usage(fmt.Errorf("--jobs %d", *r.jobs), "give 1 or more")
	case r.output != "" && r.outputDir != "":
		return usage(errors.New("--output does not go with --output-dir"), "give one of them")
	case r.bare && r.checkouts != "":
		return usage(errors.New("--worktree-root does not go with --no-worktree"), "give one of them")
	case r.budget < 0:
		return usage(fmt.Errorf("--budget %d", r.budget), "give a number of bytes")
	}
	for _, rule := range r.failOn {
		if !slices.Contains(review.Rules, rule) {
			return usage(fmt.Errorf("--fail-on: no rule %q", rule), "rules: "+strings.Join(review.Rules, ", "))
		}
	}
	return nil
}

func (r *reviewCommand) options() (pipeline.Options, error) {
	limits := review.DefaultLimits
	limits.Depth = r.depth
	coverage, err := coverageFiles(r.coverage)
	if err != nil {
		return pipeline.Options{}, err
	}
	parent := r.checkouts
	if parent != "" {
		if parent, err = filepath.Abs(parent); err != nil {
			return pipeline.Options{}, err
		}
	}
	return pipeline.Options{
		Limits: limits, FailOn: r.failOn, Given: r.given, NoConfig: r.noConfig, Types: r.types, Remote: r.remote, ToolVersion: toolVersion(), Grammars: grammars(),
		Coverage: coverage, Keep: !r.fresh, Notice: r.app.note, Checkout: !r.bare, CheckoutParent: parent,
	}, nil
}

// compareWith adds what changed since the earlier report, if there is one.
func (r *reviewCommand) compareWith(ctx context.Context, repo *worktree.Repo, earlier *report.Report, results []pipeline.Result) (err error) {
	now := results[0].Report
	switch {
	case earlier == nil || now == nil:
	case now.Cut():
		r.app.note("the report is partial, so it is not compared with the earlier one")
	default:
		now.Delta, err = pipeline.Since(ctx, repo, earlier, now)
	}
	return err
}

// outcome turns the verdicts into the exit code: what could not be evaluated
// weighs more than what failed.
func (r *reviewCommand) outcome(args []string, results []pipeline.Result) error {
	if len(results) == 1 {
		if results[0].Err != nil {
			return results[0].Err
		}
		return ended(exitOf(results[0].Report))
	}
	code := ExitOK
	for i, result := range results {
		if result.Err != nil {
			code = ExitUnevaluated
			r.app.report(fmt.Errorf("%s: %w", args[i], r.until.explain(result.Err)))
			continue
		}
		code = max(code, exitOf(result.Report))
	}
	return ended(code)
}

func exitOf(r *report.Report) int {
	if r.Cut() {
		return ExitUnevaluated
	}
	if r.Verdict.Outcome == report.Fail {
		return ExitPolicy
	}
	return ExitOK
}
