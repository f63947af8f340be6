package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
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
	sel := &selection{}
	flags := c.PersistentFlags()
	flags.StringVar(&sel.root, "repo-root", ".", "worktree `DIR` whose graph is meant")
	flags.StringVar(&sel.commit, "commit", "", "ask about `COMMIT` instead of the worktree's HEAD")
	flags.StringVar(&sel.expectHead, "expect-head", "", "answer only while HEAD is the commit `OID`")
	flags.BoolVar(&sel.bound, "bound", false, "answer only while the files on disk are those of HEAD")
	c.SuggestionsMinimumDistance = 2
	c.AddCommand(
		newGraphBuild(a, sel), newGraphStatus(a, sel), newGraphSearch(a, sel),
		newGraphCallers(a, sel), newGraphCallees(a, sel), newGraphPath(a, sel),
		newGraphSource(a, sel), newGraphCoverage(a, sel), newGraphEdges(a, sel),
	)
	return c
}

// A selection says which graph a command means and what must be true of it.
type selection struct {
	root       string
	commit     string // a revision; "" for the worktree's HEAD
	expectHead string // a full object ID; "" for any
	bound      bool
}

var fullOID = regexp.MustCompile("^([0-9a-f]{40}|[0-9a-f]{64})$")

// open finds the repository that is meant and what to ask of its graph.
func (s *selection) open(ctx context.Context, a *app) (*worktree.Repo, provenance.Query, error) {
	var q provenance.Query
	switch {
	case s.commit != "" && (s.bound || s.expectHead != ""):
		return nil, q, usage(errors.New("--commit asks about a commit, whatever HEAD and the files are"), "leave out --bound and --expect-head, or --commit")
	case s.expectHead != "" && !fullOID.MatchString(s.expectHead):
		return nil, q, usage(fmt.Errorf("--expect-head is %q", s.expectHead), "want a full object ID, as git rev-parse HEAD prints it")
	}
	repo, err := a.openRoot(ctx, s.root)
	if err != nil {
		return nil, q, err
	}
	var commit worktree.OID
	if s.commit != "" {
		if commit, err = repo.Resolve(ctx, s.commit); err != nil {
			return nil, q, err
		}
	}
	q, err = query(ctx, repo, commit)
	q.Bound, q.ExpectHead = s.bound, worktree.OID(s.expectHead)
	return repo, q, err
}

// openRoot opens the worktree around a folder, or a bare repository. A worktree
// must be one that its repository knows: what a .git file claims is no proof, and
// a graph must not be taken from or put into a git dir that belongs to another.
func (a *app) openRoot(ctx context.Context, dir string) (*worktree.Repo, error) {
	repo, err := a.state.Open(ctx, dir)
	if err != nil || repo.Root() == "" {
		return repo, err
	}
	_, repo, err = a.state.Authorize(ctx, repo.Root())
	return repo, err
}

// query is what the graph of a commit must be to answer here; "" means HEAD. A
// graph leaves out what the configuration of its own commit ignores.
func query(ctx context.Context, repo *worktree.Repo, commit worktree.OID) (provenance.Query, error) {
	q := provenance.Query{Outside: outside, Source: index.Reads, Commit: commit}
	if commit == "" {
		var err error
		if _, commit, err = repo.Head(ctx); err != nil {
			return q, err
		}
	}
	objects := repo.Reader()
	defer objects.Close()
	ignore, config, err := pipeline.Ignored(ctx, objects, commit)
	q.Engine, q.Config = engineDigest(), config
	if len(ignore) > 0 {
		q.Engine = index.New(index.Options{Ignore: ignore}).EngineDigest()
	}
	return q, err
}

// A reading is an open graph that may answer.
type reading struct {
	*provenance.Reading
	coverage store.Coverage // of the whole tree
}

// withGraph opens the graph that is meant and lets ask find the answer. Before
// the answer is given, what was true at the start must still be.
func (a *app) withGraph(ctx context.Context, sel *selection, f *format, ask func(*reading) (answer func() error, err error)) (err error) {
	repo, q, err := sel.open(ctx, a)
	if err != nil {
		return err
	}
	opened, err := provenance.Open(ctx, repo, q)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	r := &reading{Reading: opened}
	if r.coverage, err = r.DB.Coverage(ctx); err != nil {
		return provenance.Named(err)
	}
	answer, err := ask(r)
	if many := (*ambiguous)(nil); errors.As(err, &many) {
		answer, err = func() error { return a.candidates(r, f, many) }, nil
	}
	if err != nil {
		return provenance.Named(err)
	}
	if err := r.Recheck(ctx); err != nil {
		return err
	}
	return answer()
}

// symbol returns the one symbol that text means.
func (r *reading) symbol(ctx context.Context, text string) (graph.Symbol, error) {
	found, err := r.DB.Lookup(ctx, text)
	if errors.Is(err, store.ErrNoSymbol) {
		return graph.Symbol{}, usage(fmt.Errorf("no symbol %q in %s", text, r.seen()),
			"run: previdence graph search "+text)
	}
	if err != nil {
		return graph.Symbol{}, err
	}
	if named := slices.DeleteFunc(slices.Clone(found), container); len(named) > 0 {
		found = named
	}
	if len(found) > 1 {
		return graph.Symbol{}, &ambiguous{text: text, candidates: found}
	}
	return found[0], nil
}

// container reports whether s is a file or a package. Those are meant only where
// nothing else has the name: a program's package and its function are both main.
func container(s graph.Symbol) bool {
	return s.Kind == graph.KindModule || s.Kind == graph.KindPackage
}

// seen says what the graph is built from, so that an empty answer is never
// taken for more than it is.
func (r *reading) seen() string {
	s := summarize(r.coverage)
	text := fmt.Sprintf("%d files", s.Files)
	if s.Partial+s.NotParsed > 0 {
		text += fmt.Sprintf(" (%d of them not parsed, %d in part)", s.NotParsed, s.Partial)
	}
	return text
}

// maxCandidates bounds the list under an ambiguous name.
const maxCandidates = 20

// An ambiguous name means several symbols.
type ambiguous struct {
	text       string
	candidates []graph.Symbol
}

func (e *ambiguous) Error() string {
	return fmt.Sprintf("%q means %d symbols", e.text, len(e.candidates))
}

func (e *ambiguous) hint() string {
	var b strings.Builder
	for i, s := range e.candidates {
		if i == maxCandidates {
			fmt.Fprintf(&b, "and %d others\n", len(e.candidates)-i)
			break
		}
		// The ID comes from file names and may hold a line break of its own.
		fmt.Fprintf(&b, "say %s\n", inert(string(s.ID)))
	}
	return b.String()
}

// short is an object ID or digest as people read it.
func short(id string) string { return id[:min(len(id), 12)] }

// parseKinds reads the value of --kinds; empty means calls and dispatches.
func parseKinds(text string) ([]graph.EdgeKind, error) {
	var kinds []graph.EdgeKind
	for name := range strings.SplitSeq(text, ",") {
		k, ok := graph.ParseEdgeKind(name)
		if !ok {
			return nil, usage(fmt.Errorf("unknown kind of edge %q", name),
				"want some of: call, dispatch, reference, override, inherit, import")
		}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	slices.Sort(kinds)
	return kinds, nil
}

// kindsFlag adds --kinds to a command.
func kindsFlag(c *cobra.Command) *string {
	return c.Flags().String("kinds", "call,dispatch", "`KINDS` of edges, with commas: call, dispatch, reference, override, inherit, import")
}
