package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
)

func newGraphSource(a *app, sel *query.Selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "source SYMBOL",
		Short: "Print a definition as the commit has it",
		Args:  operands("SYMBOL"),
	}
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		var s answer.Source
		err := a.ask(c.Context(), sel, f, func(r *query.Reading) (err error) {
			s, err = r.Source(c.Context(), args[0])
			return err
		})
		if err != nil {
			return err
		}
		return a.write(f, s, func() *strings.Builder { return sourceText(s) })
	}
	return c
}

func sourceText(s answer.Source) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", title(s.Symbol))
	line := s.Line
	for text := range strings.Lines(s.Text) {
		text = strings.TrimRight(text, "\r\n")
		fmt.Fprintf(&b, "%6d  %s\n", line, strings.ReplaceAll(inert(strings.ReplaceAll(text, "\t", "    ")), "\\t", "\t"))
		line++
	}
	b.WriteString(footer(s.Header))
	return &b
}
