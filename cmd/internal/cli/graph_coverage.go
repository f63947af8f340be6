package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
)

func newGraphCoverage(a *app, sel *query.Selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "coverage [PATH…]",
		Short: "Say how much of the tree, of folders or of files the graph has seen",
		Args:  cobra.ArbitraryArgs,
	}
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, paths []string) error {
		var seen answer.Coverage
		err := a.ask(c.Context(), sel, f, func(r *query.Reading) (err error) {
			seen, err = r.Cover(c.Context(), paths...)
			return err
		})
		if err != nil {
			return err
		}
		return a.write(f, seen, func() *strings.Builder { return coverageText(seen) })
	}
	return c
}

// maxShown bounds the files in the text; JSON has them all.
const maxShown = 50

func coverageText(c answer.Coverage) *strings.Builder {
	var b strings.Builder
	for _, l := range c.Languages {
		fmt.Fprintf(&b, "%-12s %d files: %d parsed, %d in part, %d not\n", inert(l.Language), l.Files, l.Parsed, l.Partial, l.Skipped)
		if n := l.Calls; n != (answer.Calls{}) {
			fmt.Fprintf(&b, "%-12s calls: %d compiler, %d exact, %d dispatch, %d import, %d name, %d unresolved, %d external\n",
				"", n.Compiler, n.Exact, n.Dispatch, n.Import, n.Name, n.Unresolved, n.External)
		}
	}
	coveredFiles(&b, c)
	for _, v := range c.Caveats {
		fmt.Fprintf(&b, "caveat %s, %s: %s\n", v.ID, share(v.Count, v.Of), inert(v.Text))
		for _, e := range v.Examples {
			fmt.Fprintf(&b, "    %s\n", inert(e))
		}
	}
	b.WriteString(footer(c.Header))
	return &b
}

func coveredFiles(b *strings.Builder, c answer.Coverage) {
	for i, f := range c.Files {
		if i == maxShown {
			fmt.Fprintf(b, "%d of %d files shown; --format json has all\n", i, len(c.Files))
			break
		}
		fmt.Fprintf(b, "%-12s %s", f.State, inert(f.Path))
		if f.Reason != "" {
			fmt.Fprintf(b, ": %s", inert(f.Reason))
		}
		for _, g := range f.Ranges {
			fmt.Fprintf(b, " [%d-%d]", g.Start, g.End)
		}
		b.WriteByte('\n')
	}
	if len(c.Files) == 0 && len(c.Paths) > 0 {
		fmt.Fprintf(b, "no file lies at or under %s in %s\n", inert(strings.Join(c.Paths, ", ")), query.Seen(c.Coverage))
	}
}

// share writes a count and what it is a part of.
func share(count, of int) string {
	if of == 0 {
		return fmt.Sprint(count)
	}
	return fmt.Sprintf("%d of %d", count, of)
}
