package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/config"
	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
)

const graphLong = `Graph keeps a code graph of the commit that HEAD names and answers questions from it.

The graph lies in the git directory of the worktree, invisible to git status and
gone with the worktree. It describes the commit, never the files on disk. A graph
of another commit, another worktree or another engine is refused, not used.

An answer is about the commit. Who reads the files too asks with --bound, and is
refused unless every one of them was hashed and is the commit's. --commit asks
about any commit whose graph a build or a review has kept.

A SYMBOL is an ID as printed by the other commands, a name (Send), a name with
its containers (Client.Send), with its package or file before it
(pay.Client.Send), or with its path (pay/client.go#Client.Send).

Every answer names the root, HEAD, the tree and the digest of the graph, and says
how many files it could not see. The JSON shapes are described in docs/graph.md.`

func newGraph(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "graph",
		Short:   "Build the code graph of HEAD and ask it",
		Long:    graphLong,
		GroupID: "graph",
		Args:    subcommandOnly,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	sel := &query.Selection{}
	flags := c.PersistentFlags()
	flags.StringVar(&sel.Root, "repo-root", ".", "worktree `DIR` whose graph is meant")
	flags.StringVar(&sel.Commit, "commit", "", "ask about `COMMIT` instead of the worktree's HEAD")
	flags.StringVar(&sel.ExpectHead, "expect-head", "", "answer only while HEAD is the commit `OID`")
	flags.BoolVar(&sel.Bound, "bound", false, "answer only while the files on disk are those of HEAD")
	flags.BoolVar(&sel.NoConfig, "no-config", false, "build and ask the graph that ignores nothing: the .previdence.yml of its commit is not read")
	flags.Var(typesOf(&sel.Types), "types", typesHelp)
	c.SuggestionsMinimumDistance = 2
	c.AddCommand(
		newGraphBuild(a, sel), newGraphStatus(a, sel), newGraphSearch(a, sel),
		newGraphCallers(a, sel), newGraphCallees(a, sel), newGraphRadius(a, sel), newGraphPath(a, sel),
		newGraphSource(a, sel), newGraphCoverage(a, sel), newGraphEdges(a, sel),
	)
	return c
}

// ask lets find ask the graph that is meant. A name that means several symbols
// is answered too, with all of them.
func (a *app) ask(ctx context.Context, sel *query.Selection, f *format, find func(*query.Reading) error) error {
	err := query.With(ctx, a.state, *sel, find)
	many, none := (*query.Ambiguous)(nil), (*query.NoSymbol)(nil)
	switch {
	case errors.As(err, &many):
		return a.candidates(f, many)
	case errors.As(err, &none):
		if f.value == "json" {
			if err := writeJSON(a.Out, none.Candidates); err != nil {
				return err
			}
		}
		return usage(none, "run: previdence graph search "+none.Query)
	}
	return err
}

// candidates answers an ambiguous name: a list in JSON, hints for people.
func (a *app) candidates(f *format, many *query.Ambiguous) error {
	if f.value == "json" {
		if err := writeJSON(a.Out, many.Candidates); err != nil {
			return err
		}
	}
	return usage(many, sayOne(many.Candidates.Candidates))
}

// maxCandidates bounds the list under an ambiguous name.
const maxCandidates = 20

// sayOne lists what an ambiguous name means as hints.
func sayOne(candidates []answer.Symbol) string {
	var b strings.Builder
	for i, s := range candidates {
		if i == maxCandidates {
			fmt.Fprintf(&b, "and %d others\n", len(candidates)-i)
			break
		}
		// The ID comes from file names and may hold a line break of its own.
		fmt.Fprintf(&b, "say %s\n", inert(s.ID))
	}
	return b.String()
}

// short is an object ID or digest as people read it.
func short(id string) string { return id[:min(len(id), 12)] }

// parseKinds reads the value of --kinds.
func parseKinds(text string) ([]graph.EdgeKind, error) { return query.Kinds(strings.Split(text, ",")) }

const typesHelp = "type-check Go `on|off`; off links it from its syntax alone (default: what .previdence.yml says, else on)"

// typesOf is the value of --types.
func typesOf(types *string) *word { return &word{format{allowed: config.Types}, types} }

// A word is a format that is kept elsewhere.
type word struct {
	format
	kept *string
}

func (w *word) Set(s string) error {
	err := w.format.Set(s)
	*w.kept = w.value
	return err
}

// kindsFlag adds --kinds to a command.
func kindsFlag(c *cobra.Command) *string {
	return c.Flags().String("kinds", "call,dispatch", "`KINDS` of edges, with commas: call, dispatch, reference, override, inherit, import")
}
