package github

import (
	"context"

	gh "github.com/google/go-github/v62/github"
)

// A PullRequest is a pull request as it is now.
type PullRequest struct {
	Number     int
	Open       bool
	Head       string // commit
	HeadRepoID int64  // 0 if the fork is deleted
	BaseRef    string // "main"
	BaseRepoID int64
}

// PullRequest looks a pull request up.
func (c *Client) PullRequest(ctx context.Context, number int) (PullRequest, error) {
	p, _, err := c.api.PullRequests.Get(ctx, c.owner, c.repo, number)
	if err != nil {
		return PullRequest{}, named("read pull request", err)
	}
	return PullRequest{
		Number: p.GetNumber(), Open: p.GetState() == "open",
		Head: p.GetHead().GetSHA(), HeadRepoID: p.GetHead().GetRepo().GetID(),
		BaseRef: p.GetBase().GetRef(), BaseRepoID: p.GetBase().GetRepo().GetID(),
	}, nil
}

// MergeBase returns the merge base of two commits as GitHub sees it.
func (c *Client) MergeBase(ctx context.Context, base, head string) (string, error) {
	// Files and patches stand on the first page only, and nobody needs them.
	o := &gh.ListOptions{Page: 2, PerPage: 1}
	cmp, _, err := c.api.Repositories.CompareCommits(ctx, c.owner, c.repo, base, head, o)
	if err != nil {
		return "", named("compare commits", err)
	}
	return cmp.GetMergeBaseCommit().GetSHA(), nil
}

// A File is a changed file of a pull request.
type File struct {
	Path  string // at head
	Patch string // hunks with context, without a header; "" if GitHub leaves it out
}

// mostFiles is how many pages of files GitHub has: 3,000 files.
const mostFiles = 30

// Files returns the changed files of a pull request. It reports whether there
// may be more than GitHub lists. The diff of the whole is refused above 300
// files or 20,000 lines; this list is not.
func (c *Client) Files(ctx context.Context, number int) (files []File, more bool, err error) {
	list, more, err := all(mostFiles, func(o gh.ListOptions) ([]*gh.CommitFile, *gh.Response, error) {
		return c.api.PullRequests.ListFiles(ctx, c.owner, c.repo, number, &o)
	})
	if err != nil {
		return nil, false, named("list files", err)
	}
	for _, f := range list {
		files = append(files, File{Path: f.GetFilename(), Patch: f.GetPatch()})
	}
	return files, more || len(files) >= mostFiles*100, nil
}

// A ReviewComment is a comment beside a line of a pull request, whether its
// thread is open, resolved or outdated.
type ReviewComment struct {
	ID    int64
	Body  string
	Login string
	Type  string
}

// ReviewComments returns all comments beside lines of a pull request.
func (c *Client) ReviewComments(ctx context.Context, number int) ([]ReviewComment, error) {
	list, more, err := all(mostPages, func(o gh.ListOptions) ([]*gh.PullRequestComment, *gh.Response, error) {
		return c.api.PullRequests.ListComments(ctx, c.owner, c.repo, number, &gh.PullRequestListCommentsOptions{ListOptions: o})
	})
	if err != nil {
		return nil, named("list review comments", err)
	}
	if more {
		return nil, named("list review comments", ErrRefused)
	}
	out := make([]ReviewComment, len(list))
	for i, m := range list {
		out[i] = ReviewComment{ID: m.GetID(), Body: m.GetBody(), Login: m.GetUser().GetLogin(), Type: m.GetUser().GetType()}
	}
	return out, nil
}

// A Draft is a review comment that is not posted yet.
type Draft struct {
	Path string
	Line int // of head; 0 puts it beside the file as a whole
	Body string
}

// Review posts comments beside lines of head in one review. One that lies
// outside the diff makes GitHub refuse all of them with [ErrRefused].
func (c *Client) Review(ctx context.Context, number int, head string, drafts []Draft) error {
	r := &gh.PullRequestReviewRequest{CommitID: &head, Event: gh.String("COMMENT")}
	for _, d := range drafts {
		r.Comments = append(r.Comments, &gh.DraftReviewComment{
			Path: gh.String(d.Path), Line: gh.Int(d.Line), Side: gh.String("RIGHT"), Body: gh.String(d.Body)})
	}
	_, _, err := c.api.PullRequests.CreateReview(ctx, c.owner, c.repo, number, r)
	return named("post review", err)
}

// FileComment posts a comment beside a changed file as a whole.
func (c *Client) FileComment(ctx context.Context, number int, head string, d Draft) error {
	_, _, err := c.api.PullRequests.CreateComment(ctx, c.owner, c.repo, number, &gh.PullRequestComment{
		CommitID: &head, Path: gh.String(d.Path), Body: gh.String(d.Body), SubjectType: gh.String("file")})
	return named("comment on file", err)
}
