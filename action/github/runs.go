package github

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	gh "github.com/google/go-github/v62/github"
)

// Artifact downloads the newest artifact of a run that has a name: the bytes of
// a zip archive, at most limit of them.
func (c *Client) Artifact(ctx context.Context, runID int64, name string, limit int64) ([]byte, error) {
	list, _, err := all(mostPages, func(o gh.ListOptions) ([]*gh.Artifact, *gh.Response, error) {
		page, response, err := c.api.Actions.ListWorkflowRunArtifacts(ctx, c.owner, c.repo, runID, &o)
		if err != nil {
			return nil, nil, err
		}
		return page.Artifacts, response, nil
	})
	if err != nil {
		return nil, named("list artifacts", err)
	}
	var newest *gh.Artifact
	for _, a := range list {
		if a.GetName() == name && !a.GetExpired() && a.GetID() > newest.GetID() {
			newest = a
		}
	}
	if newest == nil {
		return nil, fmt.Errorf("artifact %q of run %d: %w", name, runID, ErrGone)
	}
	if newest.GetSizeInBytes() > limit {
		return nil, fmt.Errorf("artifact %q of run %d: %w: %d bytes, limit %d", name, runID, ErrRefused, newest.GetSizeInBytes(), limit)
	}
	return c.download(ctx, newest.GetID(), limit)
}

// download follows the redirect of an artifact to where its bytes lie, without
// the token.
func (c *Client) download(ctx context.Context, id, limit int64) ([]byte, error) {
	where, response, err := c.api.Actions.DownloadArtifact(ctx, c.owner, c.repo, id, 1)
	if err != nil {
		if response != nil {
			return nil, fmt.Errorf("download artifact: %w: %w", kind(response.StatusCode), err)
		}
		return nil, named("download artifact", err)
	}
	if where.Scheme != "https" && where.Scheme != c.api.BaseURL.Scheme {
		return nil, fmt.Errorf("download artifact: %w: redirected to %s://%s", ErrRefused, where.Scheme, where.Host)
	}
	return c.fetch(ctx, where, limit)
}

func (c *Client) fetch(ctx context.Context, where *url.URL, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("download artifact: %w", err)
	}
	res, err := c.gate.next.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("download artifact: %w: %w", ErrServer, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("download artifact: %w: %s", kind(res.StatusCode), res.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("download artifact: %w: %w", ErrServer, err)
	}
	if int64(len(raw)) > limit {
		return nil, fmt.Errorf("download artifact: %w: more than %d bytes", ErrRefused, limit)
	}
	return raw, nil
}
