package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// A searchAnswer is the JSON form of "previdence graph search".
type searchAnswer struct {
	header
	Query   string         `json:"query"`
	More    bool           `json:"more"` // others match as well
	Symbols []symbolAnswer `json:"symbols"`
}

func newGraphSearch(a *app, sel *selection) *cobra.Command {
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
		return a.withGraph(c.Context(), sel, f, func(r *reading) (func() error, error) {
			found, more, err := r.DB.Search(c.Context(), args[0], *limit)
			answer := searchAnswer{header: r.header(), Query: args[0], More: more, Symbols: describeAll(found)}
			return func() error {
				if f.value == "json" {
					return writeJSON(a.Out, answer)
				}
				return writeText(a.Out, answer.text(r))
			}, err
		})
	}
	return c
}

func (s searchAnswer) text(r *reading) *strings.Builder {
	var b strings.Builder
	for _, symbol := range s.Symbols {
		fmt.Fprintf(&b, "%s\n    %s\n", symbol.title(), inert(symbol.ID))
	}
	if len(s.Symbols) == 0 {
		fmt.Fprintf(&b, "no symbol matches %q in %s\n", s.Query, r.seen())
	}
	if s.More {
		fmt.Fprintf(&b, "more symbols match; --limit shows them\n")
	}
	b.WriteString(r.footer())
	return &b
}
