package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
)

const decisionsLong = `Decisions lists what reviewers decided about code, held against the code of a
commit: it applies, has drifted since, or its source is missing; and whether it is
in force, not yet, expired or superseded.

The files are those of the merge base of HEAD and the default branch, as in a
review, and those of this machine. With --as-of they are those of that commit, the
code is its code, and what was decided on this machine about later code is left out.
The graph of the commit must be there.`

func newDecisions(a *app) *cobra.Command {
	sel := &query.Selection{}
	c := &cobra.Command{
		Use:     "decisions",
		Short:   "List what reviewers decided about code",
		Long:    decisionsLong,
		Example: "  previdence decisions\n  previdence decisions --as-of v1.4.0 --symbol pay.Client.Send",
		GroupID: "review",
		Args:    operands(),
	}
	flags := c.Flags()
	flags.StringVar(&sel.Root, "repo-root", ".", "worktree `DIR` that is meant")
	flags.StringVar(&sel.Commit, "as-of", "", "what was decided by the time of `COMMIT`, about its code")
	symbols := flags.StringArray("symbol", nil, "only what is about `SYMBOL`; may be given several times")
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		var d answer.Decisions
		err := a.ask(c.Context(), sel, f, func(r *query.Reading) (err error) {
			if sel.Commit != "" {
				d, err = r.DecisionsAsOf(c.Context(), *symbols)
			} else {
				d, err = r.Decisions(c.Context(), *symbols)
			}
			return err
		})
		if err != nil {
			return err
		}
		return a.write(f, d, func() *strings.Builder { return decisionsText(d) })
	}
	return c
}

func decisionsText(all answer.Decisions) *strings.Builder {
	var b strings.Builder
	for _, d := range all.Decisions {
		state := spacedWord(d.State)
		if d.Validity != "in_force" {
			state += ", " + spacedWord(d.Validity)
		}
		fmt.Fprintf(&b, "%s  %s: %s\n    %s, %s", state, spacedWord(d.Kind), inert(d.Title), inert(d.ID), d.Origin)
		if d.Reason != "" {
			fmt.Fprintf(&b, ", %s", inert(d.Reason))
		}
		b.WriteByte('\n')
		for _, c := range d.Cites {
			fmt.Fprintf(&b, "    %-14s %s", spacedWord(c.State), inert(c.Symbol))
			if c.Path != "" {
				fmt.Fprintf(&b, "  %s:%d", inert(c.Path), c.Line)
			}
			b.WriteByte('\n')
			if c.State == "drifted" {
				fmt.Fprintf(&b, "    %-14s body was %s, is %s\n", "", inert(short(c.Body)), short(c.Now))
			}
		}
	}
	if len(all.Decisions) == 0 {
		b.WriteString("no decision\n")
	}
	checkText(&b, all.Check)
	for _, u := range all.Unread {
		fmt.Fprintf(&b, "cannot be read: %s: %s\n", inert(u.Path), inert(u.Reason))
	}
	fmt.Fprintf(&b, "\nfiles of %s", short(all.Base))
	b.WriteString(footer(all.Header))
	return &b
}

// spacedWord writes a word of the contract for people: accepted_risk → accepted risk.
func spacedWord(s string) string { return strings.ReplaceAll(s, "_", " ") }
