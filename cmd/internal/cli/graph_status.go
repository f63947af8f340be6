package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
)

func newGraphStatus(a *app, sel *query.Selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Say whether the graph answers for HEAD, and prove its content",
		Long:  "Status reads the whole graph and compares it with its digest, and hashes the files on\ndisk to say how they differ from HEAD. It exits with 3 if the graph would not answer;\nfiles that differ are a reason only with --bound.",
		Args:  operands(),
	}
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		answer, reason := query.Status(c.Context(), a.state, *sel)
		if reason != nil && answer.State == "" {
			return reason // there is not even a place whose graph could be meant
		}
		if err := a.writeStatus(f, answer); err != nil {
			return err
		}
		return reason
	}
	return c
}

func (a *app) writeStatus(f *format, s answer.Status) error {
	return a.write(f, s, func() *strings.Builder { return statusText(s) })
}

func statusText(s answer.Status) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "state     %s\n", s.State)
	fmt.Fprintf(&b, "root      %s\n", inert(s.RepositoryRoot))
	fmt.Fprintf(&b, "head      %s\n", s.Head)
	if s.Tree != "" {
		fmt.Fprintf(&b, "tree      %s\n", s.Tree)
	}
	if s.State == answer.Ready {
		fmt.Fprintf(&b, "graph     %s, build %d\n", s.GraphDigest, s.Generation)
		fmt.Fprintf(&b, "symbols   %d, edges %d, unresolved references %d\n", s.Symbols, s.Edges, s.Unresolved)
		fmt.Fprintf(&b, "files     %d: %d parsed, %d in part, %d not\n", s.Coverage.Files, s.Coverage.Parsed, s.Coverage.Partial, s.Coverage.NotParsed)
		if s.Coverage.Types != "" {
			fmt.Fprintf(&b, "types     %s: Go was linked from its syntax alone\n", s.Coverage.Types)
		}
	}
	diskText(&b, s)
	return &b
}

// disk says how the files differ from HEAD.
func diskText(b *strings.Builder, s answer.Status) {
	switch {
	case s.Dirty == nil:
		return
	case len(s.Dirty) == 0:
		b.WriteString("disk      clean: every file is HEAD's\n")
		return
	}
	b.WriteString("disk      dirty\n")
	for i, d := range s.Dirty {
		if i == maxDirtShown && len(s.Dirty) > maxDirtShown+1 {
			fmt.Fprintf(b, "          and %d others\n", len(s.Dirty)-i)
			return
		}
		fmt.Fprintf(b, "          %-19s %s\n", d.Case, inert(d.Path))
	}
}

// maxDirtShown bounds the files in the text; JSON has more.
const maxDirtShown = 10
