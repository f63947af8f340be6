package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
)

func newGraphSearch(a *app, sel *query.Selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "search NAME",
		Short: "Find symbols by name, by its beginning, or by the words in it",
		Args:  operands("NAME"),
	}
	limit := c.Flags().Int("limit", 20, "list at most `N` symbols")
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *limit < 1 {
			return usage(fmt.Errorf("--limit is %d", *limit), "want 1 or more")
		}
		var s answer.Symbols
		err := a.ask(c.Context(), sel, f, func(r *query.Reading) (err error) {
			s, err = r.Search(c.Context(), args[0], *limit)
			return err
		})
		if err != nil {
			return err
		}
		return a.write(f, s, func() *strings.Builder { return searchText(s) })
	}
	return c
}

func searchText(s answer.Symbols) *strings.Builder {
	var b strings.Builder
	for _, symbol := range s.Symbols {
		fmt.Fprintf(&b, "%s\n    %s\n", title(symbol), inert(symbol.ID))
	}
	if len(s.Symbols) == 0 {
		fmt.Fprintf(&b, "no symbol matches %q in %s\n", s.Query, query.Seen(s.Coverage))
	}
	checkText(&b, s.Check)
	if s.More {
		fmt.Fprintf(&b, "more symbols match; --limit shows them\n")
	}
	b.WriteString(footer(s.Header))
	return &b
}
