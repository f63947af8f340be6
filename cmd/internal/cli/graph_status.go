package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/graph/store"
)

// A statusAnswer is the JSON form of "previdence graph status" and of
// "previdence graph build".
type statusAnswer struct {
	header
	State      string `json:"state"`      // "ready", or one of the states in docs/graph.md
	Reason     string `json:"reason"`     // why it is not ready
	Generation int64  `json:"generation"` // builds of this file so far
	Engine     string `json:"engine"`
	Symbols    int    `json:"symbols"`
	Edges      int    `json:"edges"`
	Unresolved int    `json:"unresolved"` // references without a target
}

func newGraphStatus(a *app, root *string) *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Say whether the graph answers for HEAD, and prove its content",
		Long:  "Status reads the whole graph and compares it with its digest. It exits with 3 if the\ngraph would not answer.",
		Args:  operands(),
	}
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		answer, reason := status(c.Context(), *root)
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

func (a *app) writeStatus(f *format, answer statusAnswer) error {
	if f.value == "json" {
		return writeJSON(a.Out, answer)
	}
	return writeText(a.Out, answer.text())
}

// status opens the graph of a worktree and reads all of it. If it does not
// answer, the error says why and State gives it a name.
func status(ctx context.Context, dir string) (statusAnswer, error) {
	p, err := findPlace(ctx, dir)
	if err != nil {
		return statusAnswer{}, err
	}
	answer := statusAnswer{header: header{Schema: graphSchema, RepositoryRoot: p.root, Head: string(p.head), Tree: string(p.tree)}, Engine: engineDigest()}
	if err := answer.prove(ctx, p); err != nil {
		answer.State, answer.Reason = stateOf(err), err.Error()
		return answer, err
	}
	answer.State = "ready"
	return answer, nil
}

func (s *statusAnswer) prove(ctx context.Context, p *place) (err error) {
	db, err := store.Open(ctx, p.file)
	if err != nil {
		return named(err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	stamp := db.Stamp()
	s.GraphDigest, s.Generation = stamp.Digest, stamp.Generation
	if err := p.fresh(stamp); err != nil {
		return err
	}
	g, err := db.Load(ctx)
	if err != nil {
		return named(err)
	}
	s.Symbols, s.Edges, s.Unresolved = len(g.Symbols), len(g.Edges), len(g.Unresolved)
	s.Coverage = summarize(store.Coverage{Files: g.Files})
	return nil
}

// stateOf names the state that an error stands for.
func stateOf(err error) string {
	for _, state := range states {
		if errors.Is(err, state) {
			return state.Error()
		}
	}
	return "unreadable"
}

func (s statusAnswer) text() *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "state     %s\n", s.State)
	fmt.Fprintf(&b, "root      %s\n", inert(s.RepositoryRoot))
	fmt.Fprintf(&b, "head      %s\n", s.Head)
	fmt.Fprintf(&b, "tree      %s\n", s.Tree)
	if s.State != "ready" {
		return &b
	}
	fmt.Fprintf(&b, "graph     %s, build %d\n", s.GraphDigest, s.Generation)
	fmt.Fprintf(&b, "symbols   %d, edges %d, unresolved references %d\n", s.Symbols, s.Edges, s.Unresolved)
	fmt.Fprintf(&b, "files     %d: %d parsed, %d in part, %d not\n", s.Coverage.Files, s.Coverage.Parsed, s.Coverage.Partial, s.Coverage.NotParsed)
	return &b
}
