package github

import (
	"context"

	gh "github.com/google/go-github/v62/github"
)

// MostAnnotations is how many annotations one write of a check run may add.
const MostAnnotations = 50

// A CheckRun is a check run as GitHub has it.
type CheckRun struct {
	ID          int64
	URL         string
	ExternalID  string
	Completed   bool
	Annotations int // how many it has
}

// A CheckUpdate is what one write says about a check run.
type CheckUpdate struct {
	Name        string
	ExternalID  string
	DetailsURL  string
	Conclusion  string // "success", "failure", "neutral"; "" leaves it in progress
	Title       string
	Summary     string // Markdown
	Annotations []CheckAnnotation
}

// A CheckAnnotation is one annotation of a check run. Its texts are plain.
type CheckAnnotation struct {
	Path               string
	StartLine, EndLine int    // of head
	Level              string // "notice", "warning", "failure"
	Title, Message     string
}

// CheckRuns returns the check runs of a commit that have a name.
func (c *Client) CheckRuns(ctx context.Context, sha, name string) ([]CheckRun, error) {
	list, _, err := all(mostPages, func(o gh.ListOptions) ([]*gh.CheckRun, *gh.Response, error) {
		page, response, err := c.api.Checks.ListCheckRunsForRef(ctx, c.owner, c.repo, sha,
			&gh.ListCheckRunsOptions{CheckName: &name, Filter: gh.String("all"), ListOptions: o})
		if err != nil {
			return nil, nil, err
		}
		return page.CheckRuns, response, nil
	})
	if err != nil {
		return nil, named("list check runs", err)
	}
	out := make([]CheckRun, len(list))
	for i, r := range list {
		out[i] = checkRun(r)
	}
	return out, nil
}

// CreateCheckRun makes a check run on a commit.
func (c *Client) CreateCheckRun(ctx context.Context, sha string, u CheckUpdate) (CheckRun, error) {
	r, _, err := c.api.Checks.CreateCheckRun(ctx, c.owner, c.repo, gh.CreateCheckRunOptions{
		Name: u.Name, HeadSHA: sha, ExternalID: text(u.ExternalID), DetailsURL: text(u.DetailsURL),
		Status: gh.String(u.status()), Conclusion: text(u.Conclusion), Output: u.output()})
	if err != nil {
		return CheckRun{}, named("create check run", err)
	}
	return checkRun(r), nil
}

// UpdateCheckRun changes a check run. Annotations are added to those it has, so
// a call whose answer was lost must not be sent again as it is.
func (c *Client) UpdateCheckRun(ctx context.Context, id int64, u CheckUpdate) (CheckRun, error) {
	r, _, err := c.api.Checks.UpdateCheckRun(ctx, c.owner, c.repo, id, gh.UpdateCheckRunOptions{
		Name: u.Name, ExternalID: text(u.ExternalID), DetailsURL: text(u.DetailsURL),
		Status: gh.String(u.status()), Conclusion: text(u.Conclusion), Output: u.output()})
	if err != nil {
		return CheckRun{}, named("update check run", err)
	}
	return checkRun(r), nil
}

func (u CheckUpdate) status() string {
	if u.Conclusion == "" {
		return "in_progress"
	}
	return "completed"
}

func (u CheckUpdate) output() *gh.CheckRunOutput {
	out := &gh.CheckRunOutput{Title: &u.Title, Summary: &u.Summary}
	for _, a := range u.Annotations {
		out.Annotations = append(out.Annotations, &gh.CheckRunAnnotation{
			Path: gh.String(a.Path), StartLine: gh.Int(a.StartLine), EndLine: gh.Int(a.EndLine),
			AnnotationLevel: gh.String(a.Level), Title: text(a.Title), Message: gh.String(a.Message)})
	}
	return out
}

// text is a text that is left out if it is empty.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func checkRun(r *gh.CheckRun) CheckRun {
	return CheckRun{ID: r.GetID(), URL: r.GetHTMLURL(), ExternalID: r.GetExternalID(), Completed: r.GetStatus() == "completed",
		Annotations: r.GetOutput().GetAnnotationsCount()}
}
