package github

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"

	gh "github.com/google/go-github/v62/github"
)

// MostSARIF is the most bytes of SARIF that an upload may have, packed.
const MostSARIF = 10_000_000

// UploadSARIF gives code scanning the results for a commit and returns the ID
// of the upload.
func (c *Client) UploadSARIF(ctx context.Context, sha, ref string, sarif []byte) (string, error) {
	packed, err := pack(sarif, MostSARIF)
	if err != nil {
		return "", err
	}
	id, _, err := c.api.CodeScanning.UploadSarif(ctx, c.owner, c.repo, &gh.SarifAnalysis{CommitSHA: &sha, Ref: &ref, Sarif: &packed})
	if err != nil {
		return "", named("upload SARIF", err)
	}
	return id.GetID(), nil
}

// pack compresses SARIF as the call wants it, to at most so many bytes.
func pack(sarif []byte, most int) (string, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(sarif); err != nil {
		return "", fmt.Errorf("pack SARIF: %w", err)
	}
	if err := z.Close(); err != nil {
		return "", fmt.Errorf("pack SARIF: %w", err)
	}
	if b.Len() > most {
		return "", fmt.Errorf("upload SARIF: %w: %d bytes packed, limit %d", ErrRefused, b.Len(), most)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// Analysed reports whether code scanning already has results of a tool for a
// commit.
func (c *Client) Analysed(ctx context.Context, sha, ref, tool string) (bool, error) {
	// The newest come first. Of one reference the first page is enough.
	list, _, err := c.api.CodeScanning.ListAnalysesForRepo(ctx, c.owner, c.repo,
		&gh.AnalysesListOptions{Ref: &ref, ListOptions: gh.ListOptions{PerPage: 100}})
	if err != nil {
		return false, named("list analyses", err)
	}
	for _, a := range list {
		if a.GetCommitSHA() == sha && a.GetTool().GetName() == tool {
			return true, nil
		}
	}
	return false, nil
}
