// Package post puts evidence on a pull request: one comment that is edited in
// place, one check run with annotations, and on request SARIF and review
// comments.
//
// Input is an envelope and what the event of this run says about the run that
// made it; output is what was posted, and where it had to do with less. Until
// [Publish] has compared it with what GitHub says, everything in an envelope is
// a claim. Markdown is rendered here from data; nothing that an artifact holds
// is posted as it is.
package post

import (
	"context"
	"errors"

	"github.com/previdence/previdence/action/envelope"
	"github.com/previdence/previdence/action/github"
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
	PullRequest      int    // 0 if the event does not say it, as workflow_run of a fork
	Event            string // of the run that made the evidence: "pull_request"
	RunID            int64  // of the run that made the evidence
	RunAttempt       int
	Workflow         string // path of its workflow file
	Privileged       bool   // the evidence was made by this very run, not taken from an artifact
}

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
	Login       string // whose comments are ours; "" means asking GitHub
	ServerURL   string // GITHUB_SERVER_URL: "https://github.com"
	Budget      int    // bytes of the comment; 0 means 60,000
}

// A Result is what was published.
type Result struct {
	CommentURL string
	CheckURL   string
	SARIF      string   // ID of the upload
	Superseded string   // why nothing was published: the evidence is not about the pull request as it is now; "" if it is
	Degraded   []string // what could not be published, and why; one sentence each
	Writes     int      // calls that changed something
}

// ErrUntrue means that evidence says something about itself that GitHub or the
// event of this run says otherwise. Nothing of it is published.
var ErrUntrue = errors.New("evidence does not agree with its run")

// Publish posts the evidence. It returns an error only if nothing should be
// posted at all; what GitHub refuses is named in [Result.Degraded].
func Publish(ctx context.Context, client *github.Client, p Publication, o Options) (Result, error) {
	return Result{}, errors.New("not yet")
}
