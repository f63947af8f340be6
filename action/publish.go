package action

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/previdence/previdence/action/envelope"
	"github.com/previdence/previdence/action/github"
	"github.com/previdence/previdence/action/post"
	"github.com/previdence/previdence/action/workflow"
)

// publish posts evidence and notes where it had to do with less.
func (s *step) publish(ctx context.Context, p post.Publication) (post.Result, error) {
	client, err := s.client()
	if err != nil {
		return post.Result{}, err
	}
	result, err := post.Publish(ctx, client, p, post.Options{
		Comment: post.CommentMode(s.in.Comment), Check: s.checks(), Annotations: s.in.Annotations, SARIF: s.in.SARIF == workflow.SARIFUpload,
		Review: s.in.Review, Key: s.in.Key, ServerURL: s.run.ServerURL, Budget: s.in.Budget,
	})
	for _, less := range result.Degraded {
		s.note(less)
	}
	if result.Superseded != "" {
		s.note(result.Superseded)
	}
	return result, err
}

func (s *step) client() (*github.Client, error) {
	owner, name, _ := strings.Cut(s.event.Repository.Name, "/")
	return github.New(github.Options{
		APIURL: s.run.APIURL, GraphQLURL: s.run.GraphQLURL, Token: s.in.Token, Owner: owner, Repository: name,
		UserAgent: "previdence/" + s.Version, Transport: s.Transport, Clock: s.Clock,
	})
}

// publishArtifact posts the evidence that another run left.
func (s *step) publishArtifact(ctx context.Context) int {
	run := s.event.WorkflowRun
	client, err := s.client()
	if err != nil {
		return s.fail(err)
	}
	archive, err := client.Artifact(ctx, run.ID, envelope.ArtifactName, envelope.ZipLimit)
	if errors.Is(err, github.ErrGone) {
		return s.nothing(fmt.Sprintf("run %d ended with %s and left no evidence", run.ID, run.Conclusion))
	}
	if err != nil {
		return s.fail(err)
	}
	evidence, err := envelope.ReadZip(archive)
	if err != nil {
		return s.fail(err)
	}
	path, _, _ := strings.Cut(run.Path, "@")
	result, err := s.publish(ctx, post.Publication{Envelope: evidence, Facts: post.Facts{
		RepositoryID: s.event.Repository.ID, Repository: s.event.Repository.Name, HeadRepositoryID: run.HeadRepoID, Head: run.HeadSHA,
		Event: run.Event, RunID: run.ID, RunAttempt: run.Attempt, Workflow: path,
	}})
	switch {
	case errors.Is(err, post.ErrUntrue):
		return s.fail(err)
	case err != nil:
		s.explain(err, "not published")
		return s.unpublished()
	case len(result.Degraded) > 0 && result.CommentURL == "" && result.CheckURL == "":
		return s.unpublished()
	case result.Superseded != "":
		return s.ended(outcomeSuperseded, "superseded", result)
	}
	return s.ended(outcomePublished, "published", result)
}

// unpublished ends a step that was only there to publish, and could not.
func (s *step) unpublished() int {
	if err := s.end(outcomeUnpublished, "not published"); err != nil {
		s.explain(err, "not published")
	}
	return exitPublish
}

// ended ends a step that published the report of another.
func (s *step) ended(outcome, title string, result post.Result) int {
	if result.CommentURL != "" {
		s.note("Comment: " + result.CommentURL)
	}
	err := s.end(outcome, title)
	if err == nil {
		err = s.runner.Output(workflow.Output{Name: "comment-url", Value: result.CommentURL})
	}
	if err != nil {
		return s.fail(err)
	}
	return exitOK
}
