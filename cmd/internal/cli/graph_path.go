package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
)

func newGraphPath(a *app, sel *query.Selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "path FROM TO",
		Short: "Show a shortest way from one symbol to another",
		Args:  operands("FROM", "TO"),
	}
	kindList := kindsFlag(c)
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		kinds, err := parseKinds(*kindList)
		if err != nil {
			return err
		}
		var p answer.Path
		err = a.ask(c.Context(), sel, f, func(r *query.Reading) (err error) {
			p, err = r.Path(c.Context(), args[0], args[1], kinds)
			return err
		})
		if err != nil {
			return err
		}
		return a.write(f, p, func() *strings.Builder { return pathText(p) })
	}
	return c
}

func pathText(p answer.Path) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", title(p.From))
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "  %s, %s, line %s\n%s\n", s.Kind, s.Tier, joinLines(s.Lines), title(s.To))
	}
	if !p.Found {
		fmt.Fprintf(&b, "  no %s edges lead to %s in %s\n", strings.Join(p.Kinds, " or "), title(p.To), query.Seen(p.Coverage))
	}
	checkText(&b, p.Check)
	b.WriteString(footer(p.Header))
	return &b
}
