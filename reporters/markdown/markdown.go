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
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/report"
)

// DefaultBudget is legal under every reading of GitHub's limit for comments and
// for the summary of a check run.
const DefaultBudget = 60_000

// ErrBudget means that the verdict, the caveats and the provenance alone do not
// fit into the budget. Nothing is written then, since all that could still be
// left out must not be.
var ErrBudget = errors.New("budget too small for the verdict and the caveats")

// limits keep a comment readable where the budget would allow more.
var limits = outline.Limits{First: 10, Most: 200}

// Render writes r as Markdown of at most budget bytes; 0 means [DefaultBudget].
func Render(w io.Writer, r *report.Report, budget int) error {
	if budget == 0 {
		budget = DefaultBudget
	}
	o := outline.New(r, limits)
	out, least := fit(budget, o.Ranks, func(rank int) []byte { return draw(o, rank) })
	if out == nil {
		return fmt.Errorf("%w: %d bytes, at least %d needed", ErrBudget, budget, least)
	}
	_, err := w.Write(out)
	return err
}

// Least returns the smallest budget that [Render] accepts for r.
func Least(r *report.Report) int { return len(draw(outline.New(r, limits), 0)) }

// fit returns the drawing with the most ranks that is within the budget, or nil
// and the size of the smallest drawing.
func fit(budget, ranks int, draw func(rank int) []byte) (out []byte, least int) {
	if out = draw(0); len(out) > budget {
		return nil, len(out)
	}
	// Search finds the first rank count that is too large. A drawing can shrink
	// by the few bytes of a note when its last row comes in, so what is kept is
	// measured, not inferred.
	sort.Search(ranks, func(i int) bool {
		d := draw(i + 1)
		if len(d) > budget {
			return true
		}
		out = d
		return false
	})
	return out, 0
}

// draw renders the rows whose rank is below rank.
func draw(o *outline.Outline, rank int) []byte {
	p := &page{rank: rank}
	p.head(o)
	var empty []outline.Section
	for i, s := range o.Sections {
		switch {
		case i == 0:
			p.open(s)
		case len(s.Blocks) == 0:
			empty = append(empty, s)
		default:
			p.folded(s)
		}
	}
	p.nothing(empty)
	p.check(o)
	return bytes.TrimLeft(p.Bytes(), "\n")
}
