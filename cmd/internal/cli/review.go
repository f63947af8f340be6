package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/pool"
	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/reporters"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

const reviewLong = `Review prints the evidence about a pull request: what changed, what breaks, what
can be reached, which tests to run, and what could not be seen.

The pull request is everything between the merge base of BASE and HEAD and HEAD.
Only commits are read: uncommitted changes are no part of it. Without arguments
BASE is the remote's default branch and HEAD is the commit that is checked out.
Several BASE...HEAD arguments are reviewed side by side and printed in the order
in which they were given.`

const reviewExample = `  previdence review
  previdence review --base v1.4.0 --head v1.5.0
  previdence review main...feature-a main...feature-b
  previdence review --format json | jq '.breaks[0]'
  previdence review --format markdown --output comment.md`

// A reviewCommand holds the flags of one call.
type reviewCommand struct {
	app    *app
	repo   string
	base   string
	head   string
	output string
	budget int
	depth  int
	jobs   *int
	failOn []string
	fresh  bool
	format *format
}

func newReview(a *app) *cobra.Command {
	r := &reviewCommand{app: a}
	c := &cobra.Command{
		Use:     "review [BASE...HEAD ...]",
		Short:   "Review a pull request",
		Long:    reviewLong,
		Example: reviewExample,
		GroupID: "review",
	}
	f := c.Flags()
	f.StringVar(&r.repo, "repo", ".", "repository or worktree `DIR`")
	f.StringVar(&r.base, "base", "", "`REV` that the pull request goes into (default: the remote's default branch)")
	f.StringVar(&r.head, "head", "", "`REV` to review (default: HEAD)")
	f.StringVar(&r.output, "output", "", "write to `FILE` instead of standard output")
	f.IntVar(&r.budget, "budget", 0, "largest size of the rendering in `BYTES` (default: 60000 for markdown, none otherwise)")
	f.IntVar(&r.depth, "depth", review.DefaultLimits.Depth, "follow dependents over at most `N` edges")
	f.StringSliceVar(&r.failOn, "fail-on", nil, "exit with 1 on these `RULES`: "+strings.Join(review.Rules, ", "))
	f.BoolVar(&r.fresh, "fresh", false, "neither use nor keep graphs of earlier runs")
	r.jobs = jobsFlag(c)
	r.format = formatFlag(c, "terminal", "markdown", "json")
	c.RunE = func(c *cobra.Command, args []string) error { return r.run(c.Context(), args) }
	return c
}

func (r *reviewCommand) run(ctx context.Context, args []string) error {
	requests, err := r.requests(args)
	if err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	repo, err := worktree.Open(ctx, r.repo)
	if err != nil {
		return err
	}
	var reports []*report.Report
	var errs []error
	err = r.app.withBuilder(ctx, repo, *r.jobs, func(b *index.Builder) error {
		reports, errs = r.reviewAll(ctx, pipeline.New(repo, b, r.options()), requests)
		return nil
	})
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, rep := range reports {
		if rep == nil {
			continue
		}
		if err := reporters.Render(&out, rep, r.format.value, r.rendering()); err != nil {
			return err
		}
	}
	if err := r.write(out.Bytes()); err != nil {
		return err
	}
	return r.outcome(requests, reports, errs)
}

// requests reads the BASE...HEAD arguments.
func (r *reviewCommand) requests(args []string) ([]pipeline.Request, error) {
	if len(args) == 0 {
		return []pipeline.Request{{Base: r.base, Head: r.head}}, nil
	}
	if r.base != "" || r.head != "" {
		return nil, usage(errors.New("--base and --head do not go with BASE...HEAD arguments"), "give either the flags or the arguments")
	}
	var out []pipeline.Request
	for _, a := range args {
		base, head, ok := strings.Cut(a, "...")
		if !ok {
			return nil, usage(fmt.Errorf("%q is not of the form BASE...HEAD", a), "write for example: main..."+a)
		}
		out = append(out, pipeline.Request{Base: base, Head: head})
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

func (r *reviewCommand) options() pipeline.Options {
	limits := review.DefaultLimits
	limits.Depth = r.depth
	return pipeline.Options{
		Limits: limits, FailOn: r.failOn, ToolVersion: toolVersion(), Grammars: grammars(), Keep: !r.fresh, Notice: r.app.note,
	}
}

func (r *reviewCommand) rendering() reporters.Options {
	return reporters.Options{Budget: r.budget, Color: r.output == "" && r.app.colour(r.app.Out), Width: width(r.app.Out)}
}

// reviewAll reviews side by side. A review that fails does not stop the others.
func (r *reviewCommand) reviewAll(ctx context.Context, p *pipeline.Pipeline, requests []pipeline.Request) ([]*report.Report, []error) {
	reports, errs := make([]*report.Report, len(requests)), make([]error, len(requests))
	g := pool.New().WithMaxGoroutines(*r.jobs)
	for i, req := range requests {
		g.Go(func() { reports[i], errs[i] = p.Review(ctx, req) })
	}
	g.Wait()
	return reports, errs
}

// write puts the whole answer where it belongs, or nothing.
func (r *reviewCommand) write(answer []byte) error {
	if r.output == "" {
		if _, err := r.app.Out.Write(answer); err != nil {
			return refused(err, "the report was not written whole; free some space, or use --output")
		}
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(r.output), ".previdence-*")
	if err != nil {
		return refused(err, "choose a folder that exists and can be written")
	}
	defer os.Remove(tmp.Name()) // gone already if all went well
	err = tmp.Chmod(0o644)
	if err == nil {
		_, err = tmp.Write(answer)
	}
	if err == nil {
		err = tmp.Sync()
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), r.output)
	}
	if err != nil {
		return refused(err, "nothing was written; check the free space and the permissions")
	}
	return nil
}

// outcome turns the verdicts into the exit code: what could not be evaluated
// weighs more than what failed.
func (r *reviewCommand) outcome(requests []pipeline.Request, reports []*report.Report, errs []error) error {
	if len(requests) == 1 {
		if errs[0] != nil {
			return errs[0]
		}
		return ended(exitOf(reports[0]))
	}
	code := ExitOK
	for i, err := range errs {
		if err != nil {
			code = ExitUnevaluated
			r.app.report(fmt.Errorf("%s...%s: %w", requests[i].Base, requests[i].Head, err))
			continue
		}
		if code == ExitOK {
			code = exitOf(reports[i])
		}
	}
	return ended(code)
}

func exitOf(r *report.Report) int {
	if r.Verdict.Outcome == report.Fail {
		return ExitPolicy
	}
	return ExitOK
}
