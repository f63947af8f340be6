// Package terminal renders a report for a person at a terminal or in a pipe.
//
// Input is a report and the look of the terminal; output is plain lines in a
// monospaced font, with colour only if asked for and readable without it. The
// first screen has the verdict and one line per section, then what is broken.
// No byte of a name reaches the terminal's own control: what is not printable
// is shown as an escape, and no line is a command to a workflow whose log it is
// printed to. The package asks neither the environment nor the terminal anything;
// width and colour are the caller's.
package terminal

import (
	"io"

	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/review/report"
)

// Options are the look of the terminal.
type Options struct {
	Width  int  // cells per line; 0 means 80, less than 40 means 40
	Color  bool // write colour sequences
	Budget int  // bytes at most; 0 means no limit
}

// limits keep a report to a few screens. The whole is in the JSON form.
var limits = outline.Limits{8, 20}

// Render writes r for a terminal. A budget below [Least] is refused with
// [outline.ErrBudget].
func Render(w io.Writer, r *report.Report, opts Options) error {
	o := outline.New(r, limits)
	out, err := o.Fit(opts.Budget, func(rank int) []byte { return draw(o, opts, rank) })
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// Least returns the smallest budget that [Render] accepts for r.
func Least(r *report.Report, opts Options) int {
	return len(draw(outline.New(r, limits), opts, 0))
}

// draw renders the rows whose rank is below rank.
func draw(o *outline.Outline, opts Options, rank int) []byte {
	if opts.Width == 0 {
		opts.Width = 80
	}
	s := &screen{width: max(opts.Width, 40), style: palette(opts.Color), rank: rank}
	s.head(o)
	s.glance(o.Sections)
	for _, section := range o.Sections {
		s.section(section)
	}
	s.check(o)
	return escape.Log(s.Bytes())
}
