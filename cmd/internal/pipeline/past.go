package pipeline

import (
	"context"
	"errors"

	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/history"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// Bounds of the history that is read.
const (
	mostOwn  = 500  // commits of a pull request
	mostEnds = 1000 // places at which a shallow clone ends; with more nobody could make the report again
)

// past reads what was before a pull request. A history that cannot be read is no
// reason to stop: what rests on it says so.
func (p *Pipeline) past(ctx context.Context, at located, s subject) (review.Past, error) {
	all := at.repo.Past(p.options.HistoryCut)
	base, head := worktree.OID(s.MergeBase), at.head.commit
	v := review.Past{Has: func(ctx context.Context, commit worktree.OID) (bool, error) { return all.Has(ctx, head, commit) }}
	err := func() (err error) {
		if v.Cut, err = all.Cut(ctx, head); err != nil {
			return err
		}
		if len(v.Cut) > mostEnds {
			return errTooManyEnds
		}
		if v.Before, err = all.Before(ctx, base, history.Window); err != nil {
			return err
		}
		if v.Own, err = all.Between(ctx, base, head, mostOwn); err != nil {
			return err
		}
		for _, commit := range []worktree.OID{base, head} {
			day, err := all.Day(ctx, commit)
			if err != nil {
				return err
			}
			v.Day = max(v.Day, day)
		}
		return nil
	}()
	if ctx.Err() != nil {
		return v, context.Cause(ctx)
	}
	switch {
	case errors.Is(err, errTooManyEnds):
		v = review.Past{Missing: "this clone is shallow and ends in too many places"}
	case err != nil: // what git says may name places of this machine
		v = review.Past{Missing: "git cannot read the history, such as in a clone without trees"}
	}
	return v, nil
}

var errTooManyEnds = errors.New("it ends in too many places")

// endsOf are the ends of the history that a report was made from.
func endsOf(r *report.Report) []worktree.OID {
	var ends []worktree.OID
	for _, c := range r.History.Cut {
		ends = append(ends, worktree.OID(c))
	}
	return ends
}
