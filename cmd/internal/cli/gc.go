package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/provenance"
)

// A gcAnswer is the JSON form of "previdence gc".
type gcAnswer struct {
	Schema  string               `json:"schema"`  // "previdence.gc/v1"
	Removed []provenance.Removed `json:"removed"` // in the order of their removal
	Graphs  int                  `json:"graphs"`  // kept ones that are still there
	Bytes   int64                `json:"bytes"`   // of those and of the facts
	Busy    int                  `json:"busy"`    // what was passed over because it is in use
}

const gcLong = `Gc removes what killed builds have left of a repository's state, and with
--max-state-bytes also kept graphs, the least recently used first, and then facts,
until graphs and facts together have at most that size. What is in use stays.

All that it removes is made again when it is needed. The graph of a worktree is
never removed: see previdence cleanup.`

func newGC(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "gc",
		Short:   "Remove what killed builds left, and kept graphs above a size",
		Long:    gcLong,
		GroupID: "tool",
		Args:    operands(),
	}
	dir := c.Flags().String("repo-root", ".", "repository or worktree `DIR`")
	limit := c.Flags().Int64("max-state-bytes", 0, "keep at most `N` bytes of graphs and facts; 0 is no limit")
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *limit < 0 {
			return usage(fmt.Errorf("--max-state-bytes is %d", *limit), "want 0 or more")
		}
		repo, err := a.state.Open(c.Context(), *dir)
		if err != nil {
			return err
		}
		done, err := provenance.Collect(c.Context(), repo, provenance.Limits{Bytes: *limit})
		if err != nil {
			return err
		}
		answer := gcAnswer{Schema: "previdence.gc/v1", Removed: done.Removed, Graphs: done.Left, Bytes: done.Bytes, Busy: done.Busy}
		if f.value == "json" {
			return writeJSON(a.Out, answer)
		}
		return writeText(a.Out, answer.text())
	}
	return c
}

func (g gcAnswer) text() *strings.Builder {
	var b strings.Builder
	writeRemoved(&b, g.Removed)
	fmt.Fprintf(&b, "%d kept graphs are left, with the facts %d bytes\n", g.Graphs, g.Bytes)
	if g.Busy > 0 {
		fmt.Fprintf(&b, "%d in use were passed over\n", g.Busy)
	}
	return &b
}
