package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// ErrPartial means that a deadline ended the work on a report, so that it can
// neither be made again nor be compared with.
var ErrPartial = errors.New("the report is partial")

// passed reports whether the deadline has ended until, and nothing else has.
func passed(ctx, until context.Context) bool { return until.Err() != nil && ctx.Err() == nil }

// sketches reads what the changed files of merge base and head declare, which needs no
// graph of either tree.
func sketches(ctx context.Context, g *graphs, objects index.Objects, s subject, changes []worktree.Change) (base, head built, err error) {
	was, is := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		if c.OldOID != "" {
			was[oldPath(c)] = true
		}
		if c.OID != "" {
			is[c.Path] = true
		}
	}
	if base, err = g.sketch(ctx, objects, s.baseTree, was); err != nil {
		return base, head, fmt.Errorf("changed files of the merge base: %w", err)
	}
	if head, err = g.sketch(ctx, objects, s.headTree, is); err != nil {
		return base, head, fmt.Errorf("changed files of head: %w", err)
	}
	return base, head, nil
}

// oldPath is where the merge base has a changed file.
func oldPath(c worktree.Change) string {
	if c.OldPath != "" {
		return c.OldPath
	}
	return c.Path
}

func (g *graphs) sketch(ctx context.Context, objects index.Objects, tree worktree.OID, paths map[string]bool) (built, error) {
	made, err := g.builder.Sketch(ctx, objects, tree, paths)
	return built{graph: made, tree: string(tree)}, err
}

// sayUncompared makes a report partial too if it stands beside one that is: what the
// other refers to is not known, and so not everywhere where they meet.
func sayUncompared(this int, all []reviewed) {
	r, n := all[this].report, 0
	for i, other := range all {
		if i != this && other.report != nil && other.cut && !same(other.report.Subject, r.Subject) {
			n++
		}
	}
	if n == 0 || all[this].cut {
		return
	}
	r.Provenance.InputsDigest = ""
	review.Cut(r, report.Caveat{
		ID: report.DeadlineCaveat, Section: "changes", Count: n, Of: len(all) - 1,
		Text: "The deadline was reached before other pull requests of this run were reviewed, so they may touch the same code in more places than are listed.",
	}, "The deadline was reached before other pull requests of this run were reviewed, so it is not known everywhere where they meet.")
}
