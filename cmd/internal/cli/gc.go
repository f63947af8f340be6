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
	State   []provenance.Kept    `json:"state"`   // what is left, by kind
	Bytes   int64                `json:"bytes"`   // of all that is left
	Over    int64                `json:"over"`    // of those, above --max-state-bytes
	Busy    int                  `json:"busy"`    // what was passed over because it is in use
	Failed  string               `json:"failed"`  // why pull requests were not collected; "" if they were
}

const gcLong = `Gc removes what killed processes have left of a repository's state, the state of
worktrees that are gone, and pull requests without a checkout above --keep-pulls,
the least recently fetched first; reports about those cannot be verified any more
before they are fetched again.

With --max-state-bytes it also removes kept graphs, then facts, then pull requests
without a checkout, the least recently used first, until all state together has at
most that size. What is in use stays.

All that it removes is made again when it is needed. The graph of a worktree and a
checkout count, and are never removed: see previdence cleanup and worktree remove.
Decisions that were recorded on this machine count, too; nothing could make them again.`

func newGC(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "gc",
		Short:   "Remove what killed processes left, and what is kept above a size",
		Long:    gcLong,
		GroupID: "tool",
		Args:    operands(),
	}
	dir := c.Flags().String("repo-root", ".", "repository or worktree `DIR`")
	limit := c.Flags().Int64("max-state-bytes", 0, "keep at most `N` bytes of state; 0 is no limit")
	pulls := c.Flags().Int("keep-pulls", provenance.DefaultPulls, "keep the commits of `N` pull requests that are not checked out")
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch {
		case *limit < 0:
			return usage(fmt.Errorf("--max-state-bytes is %d", *limit), "want 0 or more")
		case *pulls < 0:
			return usage(fmt.Errorf("--keep-pulls is %d", *pulls), "want 0 or more")
		}
		repo, err := a.state.Open(c.Context(), *dir)
		if err != nil {
			return err
		}
		limits := provenance.Limits{Bytes: *limit, Pulls: *pulls}
		if *pulls == 0 {
			limits.Pulls = -1
		}
		done, err := provenance.Collect(c.Context(), repo, limits)
		if err != nil {
			return err
		}
		answer := gcAnswer{Schema: "previdence.gc/v1", Removed: done.Removed, State: done.State, Bytes: done.Bytes, Busy: done.Busy}
		if *limit > 0 {
			answer.Over = max(0, done.Bytes-*limit)
		}
		if done.Failed != nil {
			answer.Failed = done.Failed.Error()
		}
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
	for _, k := range g.State {
		if k.Bytes > 0 {
			fmt.Fprintf(&b, "left %-16s %9d bytes  %d\n", k.Kind, k.Bytes, k.Count)
		}
	}
	fmt.Fprintf(&b, "left in all           %9d bytes\n", g.Bytes)
	if g.Over > 0 {
		fmt.Fprintf(&b, "%d bytes too many: what is left is in use, or goes only after approval\n", g.Over)
	}
	if g.Busy > 0 {
		fmt.Fprintf(&b, "%d in use were passed over\n", g.Busy)
	}
	if g.Failed != "" {
		fmt.Fprintf(&b, "pull requests were not collected: %s\n", inert(g.Failed))
	}
	return &b
}
