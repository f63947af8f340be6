// Package post puts evidence on a pull request: one comment that is edited in
// place, one check run with annotations, and on request SARIF and review
// comments.
//
// Input is an envelope and what the event of this run says about the run that
// made it; output is what was posted, and where it had to do with less. Until
// [Publish] has compared it with what GitHub says, everything in an envelope is
// a claim. Markdown is rendered here from data; nothing that an artifact holds
// is posted as it is.
//
// It never posts about another head than the pull request has now, never changes
// what somebody else wrote, never writes what already stands there, and never
// lets a run undo what a later run has posted. Why it is found, trusted and
// concluded as it is: docs/adr/0015-evidence-is-proven-before-it-is-posted.md.
package post

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/previdence/previdence/action/envelope"
	"github.com/previdence/previdence/action/github"
	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/markdown"
	"github.com/previdence/previdence/review/report"
)

// A Publication is evidence, and what is known about the run that made it.
type Publication struct {
	Envelope *envelope.Envelope
	Facts    Facts
}

// Facts come from the event of this run, never from the envelope.
type Facts struct {
	RepositoryID     int64  // of the repository that this run belongs to
	Repository       string // its "owner/name"
	HeadRepositoryID int64  // of the run that made the evidence
	Head             string // pull_request.head.sha, merge_group.head_sha or workflow_run.head_sha
	Ref              string // "refs/heads/main", for evidence without a pull request; "" if not known
	PullRequest      int    // 0 if the event does not say it, as workflow_run of a fork
	Event            string // of the run that made the evidence: "pull_request"
	RunID            int64  // of the run that made the evidence
	RunAttempt       int
	Workflow         string // path of its workflow file
	Privileged       bool   // the evidence was made by this very run, not taken from an artifact
}

// fork reports whether the evidence is about a head of another repository.
func (f *Facts) fork() bool { return f.HeadRepositoryID != f.RepositoryID }

// A CommentMode says when a comment is made.
type CommentMode string

// The modes.
const (
	CommentAuto   CommentMode = "auto"   // when there is something to say, and to edit an earlier one
	CommentAlways CommentMode = "always" // on every pull request
	CommentNever  CommentMode = "never"
)

// Options say what to publish.
type Options struct {
	Comment     CommentMode // "" means CommentAuto
	Check       bool
	Annotations bool // with the check run
	SARIF       bool
	Review      bool   // review comments on changed lines
	Key         string // tells several previdence jobs of one pull request apart; "" means "default"
	Login       string // whose comments are ours: "github-actions[bot]"; "" means asking GitHub
	ServerURL   string // GITHUB_SERVER_URL: "https://github.com"; "" means no links
	Budget      int    // bytes of the comment; 0 means [markdown.DefaultBudget]
}

// A Result is what was published.
type Result struct {
	CommentURL string
	CheckURL   string
	SARIF      string   // ID of the upload
	Superseded string   // why nothing was published: the evidence is not about the pull request as it is now; "" if it is
	Degraded   []string // what could not be published, and why; one sentence each, safe to show
	Writes     int      // calls that changed something, or tried to
}

var (
	// ErrUntrue means that evidence says something about itself that GitHub or the
	// event of this run says otherwise. Nothing of it is published.
	ErrUntrue = errors.New("evidence does not agree with its run")

	// ErrBadOption means that an option cannot be used.
	ErrBadOption = errors.New("unusable option")
)

// Publish posts the evidence. It returns an error only if nothing should be
// posted at all; what GitHub refuses is named in [Result.Degraded].
func Publish(ctx context.Context, client *github.Client, p Publication, o Options) (Result, error) {
	o, err := o.whole()
	if err != nil {
		return Result{}, err
	}
	if err := p.agrees(); err != nil {
		return Result{}, err
	}
	j := &job{client: client, facts: p.Facts, options: o, number: p.number(), base: p.Envelope.Base}
	j.facts.RunAttempt = p.Envelope.RunAttempt
	j.report = shown(p)
	j.result.Superseded, err = j.prove(ctx)
	switch {
	case errors.Is(err, errUnproven):
		j.degrade("evidence", "pull-requests: read and contents: read", err)
		err = nil
	case err == nil && j.result.Superseded == "":
		err = j.publish(ctx)
	}
	j.result.Writes = client.Writes()
	return j.result, err
}

var (
	keyForm    = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	serverForm = regexp.MustCompile(`^https?://[A-Za-z0-9.-]+(:[0-9]+)?$`)
)

// whole fills in and checks the options.
func (o Options) whole() (Options, error) {
	if o.Comment == "" {
		o.Comment = CommentAuto
	}
	if o.Key == "" {
		o.Key = "default"
	}
	if o.Budget == 0 {
		o.Budget = markdown.DefaultBudget
	}
	switch {
	case o.Comment != CommentAuto && o.Comment != CommentAlways && o.Comment != CommentNever:
		return o, fmt.Errorf("%w: comment %q", ErrBadOption, o.Comment)
	case !keyForm.MatchString(o.Key):
		return o, fmt.Errorf("%w: key %q is not made of a-z, 0-9 and -", ErrBadOption, o.Key)
	case o.ServerURL != "" && !serverForm.MatchString(o.ServerURL):
		return o, fmt.Errorf("%w: server %q", ErrBadOption, o.ServerURL)
	}
	return o, nil
}

// shown is the report as it is shown: with what was proven about its subject in
// place of what it leaves open, and without what only the poster can say.
func shown(p Publication) *report.Report {
	r := *p.Envelope.Report
	r.Provenance.Binding = nil
	r.Delta = nil
	r.Subject.PullRequest = p.number()
	r.Subject.Repository = p.Facts.Repository
	return &r
}

// A job is one publication while it runs.
type job struct {
	client  *github.Client
	facts   Facts
	options Options
	number  int    // of the pull request; 0: none
	base    string // commit
	report  *report.Report
	result  Result
	same    bool // all that was looked at so far already stood there
}

// publish posts in the order of what matters most: whatever fails or is beyond
// the limits of a run then costs the least.
func (j *job) publish(ctx context.Context) error {
	j.same = true
	steps := []step{
		{"comment", "pull-requests: write", j.number > 0 && j.options.Comment != CommentNever, j.comment},
		{"check run", "checks: write", j.options.Check, j.check},
		{"SARIF", "security-events: write", j.options.SARIF, j.sarif},
		{"review comments", "pull-requests: write", j.number > 0 && j.options.Review, j.review},
	}
	steps = slices.DeleteFunc(steps, func(s step) bool { return !s.on })
	for i, s := range steps {
		err := s.do(ctx)
		if ctx.Err() != nil {
			return err
		}
		if errors.Is(err, github.ErrLimited) { // nothing more is asked, so it is said once
			var names []string
			for _, s := range steps[i:] {
				names = append(names, s.name)
			}
			j.degrade(strings.Join(names, ", "), "", err)
			return nil
		}
		if err != nil {
			j.degrade(s.name, s.needs, err)
		}
	}
	return nil
}

// A step is one thing to publish.
type step struct {
	name  string
	needs string // permission of the job
	on    bool
	do    func(context.Context) error
}

// degrade says what was not published, and what would help.
func (j *job) degrade(name, needs string, err error) {
	text := fmt.Sprintf("%s not published: %v", name, err)
	if errors.Is(err, github.ErrReadOnly) {
		text += "; the job needs " + needs
		if j.facts.fork() && j.facts.Privileged {
			text += ", which pull requests from forks never have"
		}
	}
	j.note(text)
}

func (j *job) note(text string) {
	j.result.Degraded = append(j.result.Degraded, escape.Shorten(escape.Visible(text), 600))
}
