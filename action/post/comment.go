package post

import (
	"context"
	"errors"

	"github.com/previdence/previdence/action/github"
	"github.com/previdence/previdence/review/delta"
)

// comment makes the one comment say what the report says.
func (j *job) comment(ctx context.Context) error {
	login, err := j.login(ctx)
	if err != nil {
		return err
	}
	found, err := j.find(ctx, login)
	if err != nil {
		return err
	}
	b, err := j.write(found)
	if err != nil {
		return err
	}
	if found == nil {
		return j.create(ctx, login, b)
	}
	err = j.edit(ctx, found, b)
	if errors.Is(err, github.ErrGone) { // somebody deleted it meanwhile
		return j.create(ctx, login, b)
	}
	return err
}

// login is who the comments of this token are by.
func (j *job) login(ctx context.Context) (string, error) {
	if j.options.Login == "" {
		login, err := j.client.Login(ctx)
		if err != nil {
			return "", err
		}
		j.options.Login = login
	}
	return j.options.Login, nil
}

// find returns our comment: the oldest that starts with our marker and key and
// is by us.
func (j *job) find(ctx context.Context, login string) (*github.Comment, error) {
	comments, err := j.client.Comments(ctx, j.number)
	if err != nil {
		return nil, err
	}
	var found *github.Comment
	for i, c := range comments {
		m, marked := markerOf(c.Body)
		if marked && m.key == j.options.Key && ours(login, c.Login, c.Type) && (found == nil || c.ID < found.ID) {
			found = &comments[i]
		}
	}
	return found, nil
}

// write composes the comment, and sets the delta of the report, with what an
// earlier comment said.
func (j *job) write(found *github.Comment) (*body, error) {
	j.report.Delta = nil
	var since *delta.Claims
	if found != nil {
		m, _ := markerOf(found.Body)
		if c, known := earlier(found.Body, m, j.facts.Head); known {
			since = &c
			j.report.Delta = delta.Compare(c, j.report)
		}
	}
	return j.compose(j.report, since)
}

// create posts the comment if there is something to say. Two runs may do that at
// once: then the older comment stays, and each run removes only its own newer one.
func (j *job) create(ctx context.Context, login string, b *body) error {
	if j.options.Comment != CommentAlways && !speaks(j.report) {
		return nil
	}
	j.same = false
	made, err := j.client.CreateComment(ctx, j.number, b.as(j.seq()))
	lost := errors.Is(err, github.ErrServer) // it may be there all the same
	if err != nil && !lost {
		return err
	}
	first, listErr := j.find(ctx, login)
	switch {
	case listErr != nil || first == nil:
		j.result.CommentURL = made.URL
		return errors.Join(err, listErr)
	case !lost && first.ID != made.ID:
		if err := j.client.DeleteComment(ctx, made.ID); err != nil && !errors.Is(err, github.ErrGone) {
			return err
		}
	}
	return j.edit(ctx, first, b)
}

// edit replaces the comment, unless it says the same or is by a later run.
func (j *job) edit(ctx context.Context, found *github.Comment, b *body) error {
	j.result.CommentURL = found.URL
	m, _ := markerOf(found.Body)
	if b.says(found.Body, m) || j.seq().compare(m.seq) < 0 {
		return nil
	}
	j.same = false
	_, err := j.client.EditComment(ctx, found.ID, b.as(j.seq()))
	if errors.Is(err, github.ErrGone) {
		j.result.CommentURL = ""
	}
	return err
}

func (j *job) seq() seq { return seq{j.facts.RunID, j.facts.RunAttempt} }
