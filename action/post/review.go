package post

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/previdence/previdence/action/github"
	"github.com/previdence/previdence/reporters/annotate"
	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/diff"
)

// mostReviewComments is how many comments beside lines one run posts. Each may
// send mail.
const mostReviewComments = 20

// review posts the annotations that lie on lines of the diff as one review. Each
// carries its fingerprint, and one that was ever posted is not posted again,
// whatever became of its thread.
func (j *job) review(ctx context.Context) error {
	login, err := j.login(ctx)
	if err != nil {
		return err
	}
	posted, err := j.posted(ctx, login)
	if err != nil {
		return err
	}
	hunks, err := j.hunks(ctx)
	if err != nil {
		return err
	}
	// Those that were posted before count, so that running again does not post
	// the next ones.
	var drafts []github.Draft
	placed := 0
	for _, a := range annotate.List(j.report) {
		if !hunks.hold(a.Path, a.StartLine) {
			continue
		}
		if placed++; placed > mostReviewComments || posted[a.Fingerprint] {
			continue
		}
		posted[a.Fingerprint] = true
		drafts = append(drafts, github.Draft{Path: a.Path, Line: a.StartLine, Body: j.reviewComment(a)})
	}
	if placed > mostReviewComments {
		j.note(fmt.Sprintf("review comments: only the %d of %d that matter most", mostReviewComments, placed))
	}
	return j.postReview(ctx, drafts)
}

// fingerprint is the first line of a review comment of ours.
var fingerprint = regexp.MustCompile(`\A<!-- previdence v=1 ` + keyPart + ` fp=([0-9a-f]{32}) -->\r?\n`)

func (j *job) reviewComment(a annotate.Annotation) string {
	return fmt.Sprintf("<!-- previdence v=1 key=%s fp=%s -->\n<b>%s</b>\n\n%s\n", j.options.Key, a.Fingerprint, escape.Text(a.Title), escape.Text(a.Message))
}

// posted returns the fingerprints of the review comments that are ours.
func (j *job) posted(ctx context.Context, login string) (map[string]bool, error) {
	comments, err := j.client.ReviewComments(ctx, j.number)
	if err != nil {
		return nil, err
	}
	prints := map[string]bool{}
	for _, c := range comments {
		if f := fingerprint.FindStringSubmatch(c.Body); f != nil && f[1] == j.options.Key && ours(login, c.Login, c.Type) {
			prints[f[2]] = true
		}
	}
	return prints, nil
}

// postReview posts drafts in one review. GitHub refuses all of them if it does
// not take one, without saying which: then each half is tried by itself, as long
// as there are writes left, and one that is refused alone goes beside its file.
func (j *job) postReview(ctx context.Context, drafts []github.Draft) error {
	if len(drafts) == 0 {
		return nil
	}
	err := j.client.Review(ctx, j.number, j.facts.Head, drafts)
	switch {
	case errors.Is(err, github.ErrRefused) && len(drafts) > 1:
		half := len(drafts) / 2
		return errors.Join(j.postReview(ctx, drafts[:half]), j.postReview(ctx, drafts[half:]))
	case errors.Is(err, github.ErrRefused):
		d := drafts[0]
		where := escape.Quoted(d.Path) + " line " + strconv.Itoa(d.Line)
		if err := j.client.FileComment(ctx, j.number, j.facts.Head, d); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		j.note("review comment on " + where + " stands beside the file: GitHub does not take the line")
		return nil
	case errors.Is(err, github.ErrTooManyWrites):
		return fmt.Errorf("%s not posted: %w", outline.Count(len(drafts), "comment"), err)
	}
	return err
}

// A span is a run of lines of head, context included.
type span struct{ first, last int }

// hunks are the lines of head that stand in the diff of a pull request.
type hunks map[string][]span

func (h hunks) hold(path string, line int) bool {
	for _, s := range h[path] {
		if s.first <= line && line <= s.last {
			return true
		}
	}
	return false
}

// hunks asks GitHub for the diff file by file. A file whose lines it leaves out
// has none on which a comment could be proven to lie.
func (j *job) hunks(ctx context.Context) (hunks, error) {
	files, more, err := j.client.Files(ctx, j.number)
	if err != nil {
		return nil, err
	}
	if more {
		j.note(fmt.Sprintf("review comments: GitHub lists only %s of this pull request; none is posted on the others", outline.Count(len(files), "file")))
	}
	h := hunks{}
	for _, f := range files {
		h[f.Path] = spans(f.Patch)
	}
	return h, nil
}

// header is the first line of a hunk.
var header = regexp.MustCompile(`(?m)^@@ -[0-9]+(?:,[0-9]+)? \+([0-9]+)(?:,([0-9]+))? @@`)

// spans returns the lines of head in the hunks of a patch as GitHub gives it:
// without a header. A patch that is not read whole proves no line.
func spans(patch string) []span {
	if patch == "" {
		return nil
	}
	whole := "diff --git a/f b/f\n--- a/f\n+++ b/f\n" + strings.TrimSuffix(patch, "\n") + "\n"
	if _, err := diff.Parse(strings.NewReader(whole)); err != nil {
		return nil
	}
	var list []span
	for _, f := range header.FindAllStringSubmatch(patch, -1) {
		first, err := strconv.Atoi(f[1])
		if err != nil {
			return nil
		}
		count := 1
		if f[2] != "" {
			if count, err = strconv.Atoi(f[2]); err != nil {
				return nil
			}
		}
		if count > 0 {
			list = append(list, span{first, first + count - 1})
		}
	}
	return list
}
