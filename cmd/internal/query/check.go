package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
)

// checkAlone searches the text of the tree for a symbol that no edge arrives at.
func (r *Reading) checkAlone(ctx context.Context, symbol string) (*answer.Check, error) {
	g, err := r.graph(ctx)
	if err != nil {
		return nil, err
	}
	return describeCheck(review.CheckAbsent(ctx, g, r.Repo, graph.SymbolID(symbol)))
}

// checkUnknown searches the text of the tree for a name that no symbol has.
func (r *Reading) checkUnknown(ctx context.Context, name string) (*answer.Check, error) {
	g, err := r.graph(ctx)
	if err != nil {
		return nil, err
	}
	last := name[strings.LastIndexAny(name, ".#/: ")+1:]
	return describeCheck(review.CheckUnknown(ctx, g, r.Repo, last))
}

// checkLeaving counts what a symbol refers to without a known target. What it
// does not name cannot be searched for.
func (r *Reading) checkLeaving(ctx context.Context, s answer.Symbol) (*answer.Check, error) {
	g, err := r.graph(ctx)
	if err != nil {
		return nil, err
	}
	c := &answer.Check{Checked: report.NotConfirmed, Mentions: []answer.Mention{}}
	for i := range g.Unresolved {
		u := &g.Unresolved[i]
		if string(g.Symbols[u.From].ID) != s.ID {
			continue
		}
		c.MentionsTotal++
		if len(c.Mentions) < review.DefaultLimits.Mentions {
			c.Mentions = append(c.Mentions, answer.Mention{Path: s.Path, Line: int(u.Line), Reason: "reference without target"})
		}
	}
	if c.CheckedText = fmt.Sprintf("%d references in it have no known target.", c.MentionsTotal); c.MentionsTotal == 0 {
		c.CheckedText = "No reference in it is without a known target; what leaves the repository is no edge."
		if f, ok := g.File(s.Path); ok && f.State == graph.FileParsed {
			c.Checked = report.Confirmed
		}
	}
	return c, nil
}

// checkWay says why nobody can confirm that there is no way: any call without a
// known target may be part of one.
func (r *Reading) checkWay(ctx context.Context) (*answer.Check, error) {
	n := 0
	counts, err := r.DB.Counts(ctx)
	for _, c := range counts {
		n += c.Unresolved
	}
	return &answer.Check{
		Checked: report.NotConfirmed, Mentions: []answer.Mention{},
		CheckedText: fmt.Sprintf("%d calls of the tree have no known target, and edges of other kinds were not followed.", n),
	}, err
}

func describeCheck(c *report.Check, err error) (*answer.Check, error) {
	if err != nil {
		return nil, err
	}
	out := &answer.Check{Checked: c.Checked, CheckedText: c.CheckedText, Mentions: []answer.Mention{}, MentionsTotal: c.MentionsTotal}
	for _, m := range c.Mentions {
		out.Mentions = append(out.Mentions, answer.Mention(m))
	}
	return out, nil
}
