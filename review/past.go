package review

import (
	"context"
	"errors"
	"fmt"

	"github.com/previdence/previdence/review/history"
	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// moment is head, or the merge base where that is later: a commit says itself when
// it was made, and an old day must not bring back what has expired.
func (p Past) moment(ctx context.Context) memory.Moment {
	return memory.Moment{Day: p.Day, Has: func(commit string) (bool, error) {
		if p.Has == nil {
			return false, errors.New("no history was given")
		}
		return p.Has(ctx, worktree.OID(commit))
	}}
}

// reportHistory says what earlier commits tell about the changed files.
func (r *reviewer) reportHistory() {
	r.out.History = report.History{Cut: []string{}, CoChange: []report.CoChange{}, Files: []report.FileHistory{}, Reverts: []report.Revert{}}
	if r.Past.Missing != "" || len(r.Past.Before) == 0 {
		return
	}
	var changes []history.Change
	for _, c := range r.Changes {
		switch c.Status {
		case worktree.Renamed:
			changes = append(changes, history.Change{Path: c.OldPath, Old: c.OldOID}, history.Change{Path: c.Path, New: c.OID})
		case worktree.Copied:
			changes = append(changes, history.Change{Path: c.Path, New: c.OID})
		default:
			changes = append(changes, history.Change{Path: c.Path, Old: c.OldOID, New: c.OID})
		}
	}
	r.out.History = history.Of(r.Past.Before, r.Past.Own, changes, func(path string) bool {
		_, ok := r.Base.File(path)
		return ok
	})
	for _, c := range r.Past.Cut {
		r.out.History.Cut = append(r.out.History.Cut, string(c))
	}
}

// historySection is partial if a shallow clone ends among the commits that would be
// read.
func (r *reviewer) historySection() report.Section {
	s := report.Section{Name: "history", State: report.Complete}
	switch {
	case r.Past.Missing != "":
		s.State, s.Reason = report.Unavailable, r.Past.Missing
	case len(r.Past.Before) == 0:
		s.State, s.Reason = report.Unavailable, "no history was given"
	case len(r.Past.Cut) > 0 && len(r.Past.Before) < history.Window:
		s.State = report.Partial
		s.Reason = fmt.Sprintf("this clone is shallow, %s of the merge base are here", plural(len(r.Past.Before), "commit"))
	}
	return s
}
