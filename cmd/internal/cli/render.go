package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/reporters"
	"github.com/previdence/previdence/review/report"
)

const renderLong = `Render writes a report in another format. It reads the report and nothing else: no
repository, no network, no clock, so that the same report gives the same bytes.

REPORT is a file as "previdence review --format json" writes it, or - for
standard input. One with unknown fields, with anything after it, or of another
version of the contract is refused. What it says is not checked: that is what
"previdence verify" does.`

const renderExample = `  previdence render report.json
  previdence render report.json --format markdown --output comment.md
  previdence review --format json | previdence render - --format sarif`

func newRender(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "render REPORT",
		Short:   "Write a report in another format",
		Long:    renderLong,
		Example: renderExample,
		GroupID: "review",
		Args:    operands("REPORT"),
	}
	output := c.Flags().String("output", "", "write to `FILE` instead of standard output")
	budget := c.Flags().Int("budget", 0, budgetHelp)
	f := formatFlag(c, reporters.Formats()...)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if *budget < 0 {
			return usage(fmt.Errorf("--budget %d", *budget), "give a number of bytes")
		}
		return a.render(args[0], f.value, *output, *budget)
	}
	return c
}

// budgetHelp explains --budget, for review as well.
var budgetHelp = "largest size of a rendering in `BYTES` (default: 60000 for markdown, none otherwise)"

func (a *app) render(file, format, output string, budget int) error {
	data, err := a.readReport(file)
	if err != nil {
		return err
	}
	r, err := parseReport(data)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	opts := reporters.Options{Budget: budget, Color: output == "" && a.colour(a.Out), Width: width(a.Out)}
	if err := reporters.Render(&text, r, format, opts); err != nil {
		return err
	}
	if output != "" {
		return writeFile(output, text.Bytes())
	}
	return a.writeWhole(text.Bytes())
}

// writeWhole gives the answer whole.
func (a *app) writeWhole(text []byte) error {
	if _, err := a.Out.Write(text); err != nil {
		return refused(err, "the report was not written whole; free some space, or use --output")
	}
	return nil
}

// maxReport is the size in bytes of the largest report that is read.
const maxReport = 1 << 30

// readReport reads what should hold a report: a file, or standard input for -.
func (a *app) readReport(file string) ([]byte, error) {
	in := a.In
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, usage(err, "name a report that is here")
		}
		defer f.Close()
		in = f
	}
	if in == nil {
		return nil, usage(errors.New("no standard input"), "name a file")
	}
	data, err := io.ReadAll(io.LimitReader(in, maxReport+1))
	if err == nil && len(data) > maxReport {
		err = errors.New("the file is too large for a report")
	}
	if err != nil {
		return nil, refused(err, "give a report as previdence review --format json writes it")
	}
	return data, nil
}

// parseReport reads the bytes of one report strictly.
func parseReport(data []byte) (*report.Report, error) {
	r, err := report.Read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", pipeline.ErrNoReport, err)
	}
	return r, nil
}

// earlierReport reads the report that --since names; nil if it names none.
func (a *app) earlierReport(file string) (*report.Report, error) {
	if file == "" {
		return nil, nil
	}
	data, err := a.readReport(file)
	if err != nil {
		return nil, err
	}
	return parseReport(data)
}
