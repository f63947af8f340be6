// Package event reads what happened on GitHub.
//
// Input is the name of an event and the file that the runner wrote of it; output
// is an [Event], the few facts that a review needs, or an error that names the
// one that is missing. It is strict about what it takes: object IDs are full,
// repositories have an ID, numbers are positive. What else a payload holds is
// not looked at.
//
// The payload is GitHub's, but the names in it are written by whoever opened the
// pull request: branches and forks are data and reach no shell, log or Markdown
// from here. The package opens no file and asks nobody.
package event

// MaxBytes is the size of the largest payload that is read. GitHub sends none
// above 25 MB.
const MaxBytes = 25 << 20

// A Kind is the name of an event, as GITHUB_EVENT_NAME gives it.
type Kind string

// The kinds that are understood.
const (
	PullRequest       Kind = "pull_request"
	PullRequestReview Kind = "pull_request_review"
	MergeGroup        Kind = "merge_group"
	WorkflowRun       Kind = "workflow_run"
	Push              Kind = "push"
	WorkflowDispatch  Kind = "workflow_dispatch"
)

// Kinds returns the kinds that are understood.
func Kinds() []Kind {
	return []Kind{PullRequest, PullRequestReview, MergeGroup, WorkflowRun, Push, WorkflowDispatch}
}

// An Event is one thing that happened to a repository. Which fields are filled
// depends on its kind.
type Event struct {
	Kind   Kind
	Action string // "synchronize", "closed", …; "" for kinds without
	Number int    // of the pull request; 0: none is named

	Base       Commit // tip of the branch that the change goes into; of a push, what was there before
	Head       Commit // last commit of the change, never a trial merge
	Repository Repository

	Review      Review      // of a pull_request_review
	WorkflowRun FinishedRun // of a workflow_run: the run that it is about
}

// A Repository is the one that the event belongs to.
type Repository struct {
	ID            int64
	Name          string // "owner/name"
	DefaultBranch string // "main"; "" if not said
}

// A Commit is one end of a change, and where it comes from.
type Commit struct {
	Ref      string // "main", or "refs/heads/main" where GitHub writes it whole; untrusted
	SHA      string // full object ID; "" if not said
	RepoID   int64  // 0: the repository is gone
	RepoName string // "owner/name"; "" if the repository is gone
	Fork     bool   // of another repository than the event's
}

// A Review is somebody's judgement on a pull request.
type Review struct {
	State       string // in lower case: "approved", "commented", "changes_requested", "dismissed"
	CommitID    string // that was judged
	Association string // of the reviewer with the repository: "OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR", "NONE", …
}

// Approves reports whether the review approves the head of its pull request and
// is by somebody who belongs to the repository. On a public repository anybody
// may approve anything.
func (e *Event) Approves() bool {
	member := e.Review.Association == "OWNER" || e.Review.Association == "MEMBER" || e.Review.Association == "COLLABORATOR"
	return e.Kind == PullRequestReview && e.Action == "submitted" && e.Review.State == "approved" &&
		member && e.Review.CommitID == e.Head.SHA
}

// A FinishedRun is a run of another workflow, as GitHub says it was. That it was
// triggered by a pull request does not say which: a payload names none for forks.
type FinishedRun struct {
	ID         int64
	Attempt    int
	HeadSHA    string
	HeadRepoID int64  // 0: the repository is gone
	HeadBranch string // untrusted
	Event      string // that triggered it, "pull_request"
	Path       string // of the workflow's file, ".github/workflows/previdence.yml"
	Conclusion string // "success", "failure", "cancelled", …
}

// Describe names the event for people: "pull_request (synchronize)".
func (e *Event) Describe() string {
	if e.Action == "" {
		return string(e.Kind)
	}
	return string(e.Kind) + " (" + e.Action + ")"
}
