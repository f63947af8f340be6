// Package reporters renders a report in one of the formats that previdence
// knows.
//
// Input is a report and options; output is bytes that depend on nothing else.
// Reporters see the report alone: never the graph, the repository, the
// environment or the clock. Each format is a folder of its own; this package
// only picks one.
package reporters

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/previdence/previdence/reporters/html"
	"github.com/previdence/previdence/reporters/json"
	"github.com/previdence/previdence/reporters/markdown"
	"github.com/previdence/previdence/reporters/sarif"
	"github.com/previdence/previdence/reporters/terminal"
	"github.com/previdence/previdence/review/report"
)

// The formats.
const (
	Terminal = "terminal"
	Markdown = "markdown"
	JSON     = "json"
	SARIF    = "sarif"
	HTML     = "html"
)

// Formats returns all formats, the default first.
func Formats() []string { return []string{Terminal, Markdown, JSON, SARIF, HTML} }

// ErrUnknownFormat means that no reporter has the name that was asked for.
var ErrUnknownFormat = errors.New("unknown format")

// ErrNoBudget means that a budget was given for a format that is never cut.
var ErrNoBudget = errors.New("this format is always whole and takes no budget")

// Options say how a report is rendered. The zero value is the default.
type Options struct {
	Budget int  // bytes at most; 0: 60,000 for Markdown, no limit for the others
	Color  bool // terminal: write colour sequences
	Width  int  // terminal: cells per line; 0 means 80
	Local  bool // JSON: include the binding to a place on this machine
}

// Render writes r in a format. It writes nothing if it returns one of the
// errors of this package or of the reporter.
func Render(w io.Writer, r *report.Report, format string, opts Options) error {
	switch format {
	case Terminal:
		return terminal.Render(w, r, terminal.Options{Width: opts.Width, Color: opts.Color, Budget: opts.Budget})
	case Markdown:
		return markdown.Render(w, r, opts.Budget)
	case JSON, SARIF:
		if opts.Budget != 0 {
			return fmt.Errorf("%s: %w", format, ErrNoBudget)
		}
		if format == SARIF {
			return sarif.Render(w, r)
		}
		return json.Render(w, r, opts.Local)
	case HTML:
		return html.Render(w, r, opts.Budget)
	default:
		return fmt.Errorf("%w %q, want one of %s", ErrUnknownFormat, format, strings.Join(Formats(), ", "))
	}
}
