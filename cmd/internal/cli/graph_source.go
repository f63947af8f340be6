package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
)

func newGraphSource(a *app, sel *query.Selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "source SYMBOL",
		Short: "Print a definition, or lines of a file, as the commit has them",
		Long:  "Source prints a definition as the commit has it. With --lines the operand is the path of\na file of the tree. The bytes are hashed and are those of the commit, whatever lies on disk.",
		Args:  operands("SYMBOL"),
	}
	lines := c.Flags().String("lines", "", "print these `LINES` of the file that the operand names: 10-40, 10- or 10")
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		start, end, err := parseLines(*lines)
		if err != nil {
			return err
		}
		var s answer.Source
		err = a.ask(c.Context(), sel, f, func(r *query.Reading) (err error) {
			if *lines == "" {
				s, err = r.Source(c.Context(), args[0])
			} else {
				s, err = r.Lines(c.Context(), args[0], start, end)
			}
			return err
		})
		if err != nil {
			return err
		}
		return a.write(f, s, func() *strings.Builder { return sourceText(s) })
	}
	return c
}

var lineRange = regexp.MustCompile(`^([1-9][0-9]{0,8})(-([1-9][0-9]{0,8})?)?$`)

// parseLines reads the value of --lines; an end of 0 is the last line.
func parseLines(text string) (start, end int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	m := lineRange.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, usage(fmt.Errorf("--lines is %q", text), "want line numbers like 10-40, 10- or 10")
	}
	start, err = strconv.Atoi(m[1])
	switch {
	case err != nil || m[2] == "-":
		return start, 0, err
	case m[2] == "":
		return start, start, nil
	}
	end, err = strconv.Atoi(m[3])
	return start, end, err
}

func sourceText(s answer.Source) *strings.Builder {
	var b strings.Builder
	if s.Symbol != nil {
		fmt.Fprintf(&b, "%s\n\n", title(*s.Symbol))
	} else {
		fmt.Fprintf(&b, "%s:%d of %d lines\n\n", inert(s.Path), s.Line, s.Lines)
	}
	line := s.Line
	for text := range strings.Lines(s.Text) {
		text = strings.TrimRight(text, "\r\n")
		fmt.Fprintf(&b, "%6d  %s\n", line, strings.ReplaceAll(inert(strings.ReplaceAll(text, "\t", "    ")), "\\t", "\t"))
		line++
	}
	for _, g := range s.Gaps {
		fmt.Fprintf(&b, "lines %d to %d were not understood: %s\n", g.Start, g.End, inert(s.Reason))
	}
	b.WriteString(footer(s.Header))
	return &b
}
