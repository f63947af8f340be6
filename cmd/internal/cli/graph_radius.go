package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/review"
)

func newGraphRadius(a *app, sel *query.Selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "radius SYMBOL",
		Short: "List everything that can reach a symbol",
		Long:  "Radius follows edges against their direction and lists what can reach the symbol,\nnearest first, each with the weakest tier on its way. A review does this for every\nsymbol that a pull request changes, along the kinds that matter to the change.",
		Args:  operands("SYMBOL"),
	}
	kindList := kindsFlag(c)
	depth := c.Flags().Int("depth", review.DefaultLimits.Depth, "follow at most `N` edges")
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		kinds, err := parseKinds(*kindList)
		if err != nil {
			return err
		}
		if *depth < 1 {
			return usage(fmt.Errorf("--depth is %d", *depth), "want 1 or more")
		}
		var r answer.Radius
		err = a.ask(c.Context(), sel, f, func(reading *query.Reading) (err error) {
			r, err = reading.Radius(c.Context(), args[0], kinds, *depth)
			return err
		})
		if err != nil {
			return err
		}
		return a.write(f, r, func() *strings.Builder { return radiusText(r) })
	}
	return c
}

func radiusText(r answer.Radius) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", title(r.Symbol))
	for i, d := range r.Dependents {
		if i == maxShown {
			fmt.Fprintf(&b, "  %d of %d shown; --format json has all\n", i, r.Total)
			break
		}
		name := d.Name
		if name == "" {
			name = d.Path // a file has no other name
		}
		fmt.Fprintf(&b, "  %d %-9s %-8s %s  %s:%d\n", d.Distance, d.Kind, d.Tier, inert(name), inert(d.Path), d.Site)
	}
	if r.Total == 0 {
		fmt.Fprintf(&b, "  no %s edges arrive at it in %s\n", strings.Join(r.Kinds, " or "), query.Seen(r.Coverage))
	} else {
		fmt.Fprintf(&b, "  %d reach it within %d edges, %d of them tests\n", r.Total, r.Depth, r.Tests)
	}
	checkText(&b, r.Check)
	b.WriteString(footer(r.Header))
	return &b
}
