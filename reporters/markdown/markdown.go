// Package markdown renders a report as a comment for a pull request.
//
// Input is a report and a budget in bytes; output is GitHub-flavoured Markdown
// within it. What is broken stands open, everything else is folded. If it does
// not fit, the lowest ranked rows are left out whole and their block says "12
// of 340 shown"; a caveat is never left out. Nothing from the repository can
// become markup, a link or a mention, and every element that is opened is
// closed. The package writes no time and knows no server.
package markdown

import (
	"io"

	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/report"
)

// DefaultBudget is legal under every reading of GitHub's limit for comments and
// for the summary of a check run.
const DefaultBudget = 60_000

// limits keep a comment readable where the budget would allow more. A larger
// budget than a comment may have is one for a page, such as the summary of a job,
// which has room for longer lists. The whole is in the JSON form.
func limits(budget int) outline.Limits {
	if budget > DefaultBudget {
		return outline.Limits{10, 40, 200}
	}
	return outline.Limits{10, 40}
}

// Render writes r as Markdown of at most budget bytes; 0 means [DefaultBudget].
// A budget below [Least] is refused with [outline.ErrBudget].
func Render(w io.Writer, r *report.Report, budget int) error {
	if budget == 0 {
		budget = DefaultBudget
	}
	o := outline.New(r, limits(budget))
	out, err := o.Fit(budget, func(rank int) []byte { return draw(o, rank) })
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// Least returns the smallest budget that [Render] accepts for r.
func Least(r *report.Report) int { return len(draw(outline.New(r, limits(0)), 0)) }

// draw renders the rows whose rank is below rank.
func draw(o *outline.Outline, rank int) []byte {
	p := &page{rank: rank}
	p.head(o)
	p.open(o.Sections[0])
	var empty []outline.Section
	for _, s := range o.Sections[1:] {
		if len(s.Blocks) == 0 {
			empty = append(empty, s)
		}
	}
	for i, s := range o.Sections[1:] {
		if i == len(o.Sections)-2 { // the coverage
			p.nothing(empty)
		}
		if len(s.Blocks) > 0 {
			p.folded(s)
		}
	}
	p.check(o)
	return p.Bytes()
}
