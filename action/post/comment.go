package post

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/previdence/previdence/action/github"
	"github.com/previdence/previdence/review/delta"
)

// comment makes the one comment say what the report says.
func (j *job) comment(ctx context.Context) error {
	login, err := j.login(ctx)
	if err != nil {
		return err
	}
	there, err := j.find(ctx, login)
	if err != nil {
		return err
	}
	b, err := j.write(there)
	if err != nil {
		return err
	}
	if len(there) == 0 {
		return j.create(ctx, login, b)
	}
	err = j.leaveOne(ctx, there, b)
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

// find returns our comments, the oldest first: those that start with our marker
// and key and are by us. There is one, unless two runs made one each.
func (j *job) find(ctx context.Context, login string) ([]github.Comment, error) {
	comments, err := j.client.Comments(ctx, j.number)
	if err != nil {
		return nil, err
	}
	var own []github.Comment
	for _, c := range comments {
		if m, marked := markerOf(c.Body); marked && m.key == j.options.Key && ours(login, c.Login, c.Type) {
			own = append(own, c)
		}
	}
	slices.SortFunc(own, func(a, b github.Comment) int { return cmp.Compare(a.ID, b.ID) })
	return own, nil
}

// write composes the comment, with what became of what an earlier one said. The
// comment alone says that: what else is posted depends on the report only, so
// that it stays when a comment is deleted.
func (j *job) write(there []github.Comment) (*body, error) {
	r := *j.report
	var since *delta.Claims
	if len(there) > 0 {
		m, _ := markerOf(there[0].Body)
		if c, known := earlier(there[0].Body, m, j.facts.Head); known {
			since = &c
			r.Delta = delta.Compare(c, &r)
		}
	}
	return j.compose(&r, since)
}

// create posts the comment if there is something to say. Another run may do that
// at the same moment, and an answer may be lost; so what is there afterwards
// decides.
func (j *job) create(ctx context.Context, login string, b *body) error {
	if j.options.Comment != CommentAlways && !speaks(j.report) {
		return nil
	}
	j.same = false
	made, err := j.client.CreateComment(ctx, j.number, b.as(j.seq()))
	if err != nil && !errors.Is(err, github.ErrServer) {
		return err
	}
	j.result.CommentURL = made.URL
	there, listErr := j.find(ctx, login)
	switch {
	case listErr != nil && err == nil:
		j.note(fmt.Sprintf("whether another run made a comment too is not known: %v", listErr))
		return nil
	case listErr != nil || len(there) == 0:
		return errors.Join(err, listErr)
	}
	return j.leaveOne(ctx, there, b)
}

// mostDuplicates is how many comments too many one run removes.
const mostDuplicates = 2

// leaveOne makes the oldest comment say the body, and removes the others: they
// are ours, and nobody needs the same twice.
func (j *job) leaveOne(ctx context.Context, there []github.Comment, b *body) error {
	for _, c := range there[1:min(len(there), 1+mostDuplicates)] {
		j.same = false
		if err := j.client.DeleteComment(ctx, c.ID); err != nil && !errors.Is(err, github.ErrGone) {
			return err
		}
	}
	return j.edit(ctx, there[0], b)
}

// edit replaces the comment, unless it says the same or is by a later run.
func (j *job) edit(ctx context.Context, c github.Comment, b *body) error {
	j.result.CommentURL = c.URL
	m, _ := markerOf(c.Body)
	if b.says(c.Body, m) || j.seq().compare(m.seq) < 0 {
		return nil
	}
	j.same = false
	_, err := j.client.EditComment(ctx, c.ID, b.as(j.seq()))
	if errors.Is(err, github.ErrGone) {
		j.result.CommentURL = ""
	}
	return err
}

func (j *job) seq() seq { return seq{j.facts.RunID, j.facts.RunAttempt} }
