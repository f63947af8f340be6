package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

// A statusAnswer is the JSON form of "previdence graph status" and of
// "previdence graph build".
type statusAnswer struct {
	header
	State      string            `json:"state"`      // "ready", or one of the states in docs/graph.md
	Reason     string            `json:"reason"`     // why it is not ready
	Remedy     string            `json:"remedy"`     // what to do then
	Stamp      *stampAnswer      `json:"stamp"`      // what the graph says of itself; null if there is none
	Dirty      []provenance.Dirt `json:"dirty"`      // how the files on disk differ from HEAD, at most 50; null if not asked
	Generation int64             `json:"generation"` // builds of this file so far
	Engine     string            `json:"engine"`     // in use now
	Symbols    int               `json:"symbols"`
	Edges      int               `json:"edges"`
	Unresolved int               `json:"unresolved"` // references without a target
}

// A stampAnswer is what a graph says of itself.
type stampAnswer struct {
	RepositoryRoot string `json:"repository_root"`
	RootID         string `json:"root_id"` // device and inode
	CommonDir      string `json:"common_dir"`
	Head           string `json:"head"`
	Tree           string `json:"tree"`
	Engine         string `json:"engine"`
	Config         string `json:"config"`
	Generation     int64  `json:"generation"`
	Digest         string `json:"digest"`
	ToolVersion    string `json:"tool_version"`
}

func newGraphStatus(a *app, sel *selection) *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Say whether the graph answers for HEAD, and prove its content",
		Long:  "Status reads the whole graph and compares it with its digest, and hashes the files on\ndisk to say how they differ from HEAD. It exits with 3 if the graph would not answer;\nfiles that differ are a reason only with --bound.",
		Args:  operands(),
	}
	f := formatFlag(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		answer, reason := a.status(c.Context(), sel)
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

// status opens the graph that is meant and reads all of it. If it does not
// answer, the error says why and State gives it a name.
func (a *app) status(ctx context.Context, sel *selection) (statusAnswer, error) {
	repo, q, err := sel.open(ctx, a)
	if err != nil {
		return statusAnswer{}, err
	}
	p, err := provenance.Locate(ctx, repo)
	if err != nil {
		return statusAnswer{}, err
	}
	answer := statusAnswer{header: header{Schema: graphSchema, RepositoryRoot: p.Root, Head: string(p.Head), Tree: string(p.Tree)}, Engine: q.Engine}
	if q.Commit != "" {
		answer.Head, answer.Tree = string(q.Commit), ""
	} else if answer.Dirty, err = dirt(ctx, repo, q); err != nil {
		return answer, err
	}
	err = answer.prove(ctx, repo, q)
	if refusal, ok := provenance.AsRefusal(err); ok {
		answer.State, answer.Reason, answer.Remedy = refusal.Name(), refusal.Reason, refusal.Remedy
		if q.Commit == "" {
			answer.stamped(ctx, p.File())
		}
		return answer, err
	}
	if err == nil {
		answer.State = ready
	}
	return answer, err
}

// dirt says how the files on disk differ from HEAD. A bare repository has none.
func dirt(ctx context.Context, repo *worktree.Repo, q provenance.Query) ([]provenance.Dirt, error) {
	found, err := provenance.Clean(ctx, repo, q.Source)
	if errors.Is(err, provenance.ErrNoWorktree) && !q.Bound {
		return nil, nil
	}
	return found, err
}

func (s *statusAnswer) prove(ctx context.Context, repo *worktree.Repo, q provenance.Query) (err error) {
	r, err := provenance.Open(ctx, repo, q)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	stamp := r.DB.Stamp()
	s.stamp(stamp)
	g, err := r.DB.Load(ctx)
	if err != nil {
		return provenance.Named(err)
	}
	stamp.Head, stamp.Tree = string(r.Commit), string(r.Tree)
	s.describe(g, stamp, r.Root)
	return r.Recheck(ctx)
}

// describe fills in what a graph is about and how much is in it.
func (s *statusAnswer) describe(g *graph.Graph, stamp store.Stamp, root string) {
	s.RepositoryRoot, s.Head, s.Tree = root, stamp.Head, stamp.Tree
	if s.Stamp == nil {
		s.stamp(stamp)
	}
	s.Symbols, s.Edges, s.Unresolved = len(g.Symbols), len(g.Edges), len(g.Unresolved)
	s.Coverage = summarize(store.Coverage{Files: g.Files})
}

// stamped tells what a graph that does not answer says of itself, if it can be
// read at all.
func (s *statusAnswer) stamped(ctx context.Context, file string) {
	db, err := store.Open(ctx, file)
	if err != nil || s.Stamp != nil {
		return // the refusal says why
	}
	defer db.Close() // read-only: nothing can be lost
	s.stamp(db.Stamp())
}

func (s *statusAnswer) stamp(stamp store.Stamp) {
	s.GraphDigest, s.Generation = stamp.Digest, stamp.Generation
	s.Stamp = &stampAnswer{
		RepositoryRoot: stamp.RepositoryRoot, RootID: stamp.RootID, CommonDir: stamp.CommonDir, Head: stamp.Head, Tree: stamp.Tree,
		Engine: stamp.Engine, Config: stamp.Config, Generation: stamp.Generation, Digest: stamp.Digest, ToolVersion: stamp.ToolVersion,
	}
}

func (s statusAnswer) text() *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "state     %s\n", s.State)
	fmt.Fprintf(&b, "root      %s\n", inert(s.RepositoryRoot))
	fmt.Fprintf(&b, "head      %s\n", s.Head)
	if s.Tree != "" {
		fmt.Fprintf(&b, "tree      %s\n", s.Tree)
	}
	if s.State == ready {
		fmt.Fprintf(&b, "graph     %s, build %d\n", s.GraphDigest, s.Generation)
		fmt.Fprintf(&b, "symbols   %d, edges %d, unresolved references %d\n", s.Symbols, s.Edges, s.Unresolved)
		fmt.Fprintf(&b, "files     %d: %d parsed, %d in part, %d not\n", s.Coverage.Files, s.Coverage.Parsed, s.Coverage.Partial, s.Coverage.NotParsed)
	}
	s.disk(&b)
	return &b
}

// disk says how the files differ from HEAD.
func (s statusAnswer) disk(b *strings.Builder) {
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
