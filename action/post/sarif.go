package post

import (
	"bytes"
	"context"
	"fmt"

	"github.com/previdence/previdence/reporters"
)

// sarif uploads the report for code scanning. It does not if nothing that was
// posted has changed and the results of this head are there.
func (j *job) sarif(ctx context.Context) error {
	ref := j.facts.Ref
	if j.number > 0 {
		ref = fmt.Sprintf("refs/pull/%d/head", j.number)
	}
	if ref == "" {
		return fmt.Errorf("%w: no reference to upload results for", ErrBadOption)
	}
	if j.same {
		there, err := j.client.Analysed(ctx, j.facts.Head, ref, j.report.Provenance.Tool.Name)
		if err != nil {
			return err
		}
		if there {
			return nil
		}
	}
	var out bytes.Buffer
	if err := reporters.Render(&out, j.report, reporters.SARIF, reporters.Options{}); err != nil {
		return err
	}
	id, err := j.client.UploadSARIF(ctx, j.facts.Head, ref, out.Bytes())
	j.result.SARIF = id
	return err
}
