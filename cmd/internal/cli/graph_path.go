package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/graph/store"
)

// A pathAnswer is the JSON form of "previdence graph path".
type pathAnswer struct {
	header
	From  symbolAnswer `json:"from"`
	To    symbolAnswer `json:"to"`
	Kinds []string     `json:"kinds"`
	Found bool         `json:"found"` // false: no edges of these kinds lead there
	Steps []stepAnswer `json:"steps"` // a shortest way
}

// A stepAnswer is one edge of a way.
type stepAnswer struct {
	From  symbolAnswer `json:"from"`
	To    symbolAnswer `json:"to"`
	Kind  string       `json:"kind"`
	Tier  string       `json:"tier"`
	Lines []int32      `json:"lines"` // of the sites, in the file of from
}

func newGraphPath(a *app, sel *selection) *cobra.Command {
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
		return a.withGraph(c.Context(), sel, f, func(r *reading) (func() error, error) {
			from, err := r.symbol(c.Context(), args[0])
			if err != nil {
				return nil, err
			}
			to, err := r.symbol(c.Context(), args[1])
			if err != nil {
				return nil, err
			}
			steps, err := r.DB.Path(c.Context(), from.ID, to.ID, kinds...)
			found := !errors.Is(err, store.ErrNoPath)
			if !found {
				err = nil
			}
			answer := pathAnswer{header: r.header(), From: describe(from), To: describe(to), Kinds: kindNames(kinds), Found: found, Steps: describeSteps(steps)}
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

func describeSteps(steps []store.Step) []stepAnswer {
	out := make([]stepAnswer, len(steps))
	for i, s := range steps {
		out[i] = stepAnswer{From: describe(s.From), To: describe(s.To), Kind: s.Kind.String(), Tier: s.Tier.String(), Lines: s.Lines}
	}
	return out
}

func (p pathAnswer) text(r *reading) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.From.title())
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "  %s, %s, line %s\n%s\n", s.Kind, s.Tier, joinLines(s.Lines), s.To.title())
	}
	if !p.Found {
		fmt.Fprintf(&b, "  no %s edges lead to %s in %s\n", strings.Join(p.Kinds, " or "), p.To.title(), r.seen())
	}
	b.WriteString(r.footer())
	return &b
}
