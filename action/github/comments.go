package github

import (
	"context"

	gh "github.com/google/go-github/v62/github"
)

// A Comment is one comment of the conversation of a pull request.
type Comment struct {
	ID    int64
	URL   string
	Body  string
	Login string // of its author: "github-actions[bot]"
	Type  string // of its author: "Bot", "User"
}

// Comments returns all comments of a pull request's conversation, oldest first.
func (c *Client) Comments(ctx context.Context, number int) ([]Comment, error) {
	list, more, err := all(mostPages, func(o gh.ListOptions) ([]*gh.IssueComment, *gh.Response, error) {
		return c.api.Issues.ListComments(ctx, c.owner, c.repo, number, &gh.IssueListCommentsOptions{ListOptions: o})
	})
	if err != nil {
		return nil, named("list comments", err)
	}
	if more {
		return nil, named("list comments", ErrRefused)
	}
	out := make([]Comment, len(list))
	for i, m := range list {
		out[i] = comment(m)
	}
	return out, nil
}

// CreateComment adds a comment to a pull request's conversation.
func (c *Client) CreateComment(ctx context.Context, number int, body string) (Comment, error) {
	m, _, err := c.api.Issues.CreateComment(ctx, c.owner, c.repo, number, &gh.IssueComment{Body: &body})
	if err != nil {
		return Comment{}, named("create comment", err)
	}
	return comment(m), nil
}

// EditComment replaces the text of a comment.
func (c *Client) EditComment(ctx context.Context, id int64, body string) (Comment, error) {
	m, _, err := c.api.Issues.EditComment(idempotent(ctx), c.owner, c.repo, id, &gh.IssueComment{Body: &body})
	if err != nil {
		return Comment{}, named("edit comment", err)
	}
	return comment(m), nil
}

// DeleteComment removes a comment.
func (c *Client) DeleteComment(ctx context.Context, id int64) error {
	_, err := c.api.Issues.DeleteComment(idempotent(ctx), c.owner, c.repo, id)
	return named("delete comment", err)
}

func comment(m *gh.IssueComment) Comment {
	return Comment{ID: m.GetID(), URL: m.GetHTMLURL(), Body: m.GetBody(), Login: m.GetUser().GetLogin(), Type: m.GetUser().GetType()}
}
