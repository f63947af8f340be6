package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree"
)

const graphLong = `Graph keeps a code graph of the commit that HEAD names and answers questions from it.

The graph lies in the git directory of the worktree, invisible to git status and
gone with the worktree. It describes the commit, never the files on disk. A graph
of another commit, another worktree or another engine is refused, not used.

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
	root := c.PersistentFlags().String("repo-root", ".", "worktree `DIR` whose graph is meant")
	c.SuggestionsMinimumDistance = 2
	c.AddCommand(
		newGraphBuild(a, root), newGraphStatus(a, root), newGraphSearch(a, root),
		newGraphCallers(a, root), newGraphCallees(a, root), newGraphPath(a, root),
		newGraphSource(a, root), newGraphCoverage(a, root), newGraphEdges(a, root),
	)
	return c
}

// A place is one worktree and the commit that its HEAD names now.
type place struct {
	repo *worktree.Repo
	root string // of the worktree; of the repository itself if it is bare
	file string // where the graph lies
	head worktree.OID
	tree worktree.OID
}

func findPlace(ctx context.Context, dir string) (*place, error) {
	repo, err := worktree.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	p := &place{repo: repo, root: repo.Root(), file: filepath.Join(repo.GitDir(), "previdence", "graph.db")}
	if p.root == "" {
		p.root = repo.GitDir()
	}
	if _, p.head, err = repo.Head(ctx); err != nil {
		return nil, err
	}
	if p.tree, err = repo.TreeOf(ctx, p.head); err != nil {
		return nil, err
	}
	return p, nil
}

// stamp is what a graph that was built here and now would say of itself, its
// digest and generation left out.
func (p *place) stamp(engine string) store.Stamp {
	return store.Stamp{
		RepositoryRoot: p.root,
		CommonDir:      p.repo.CommonDir(),
		Head:           string(p.head),
		Tree:           string(p.tree),
		Engine:         engine,
		ToolVersion:    toolVersion(),
	}
}

// A reading is an open graph that describes its worktree as it is.
type reading struct {
	*place
	db       *store.DB
	coverage store.Coverage // of the whole tree
}

// withGraph opens the graph of a worktree and lets ask find the answer. Before
// the answer is given it checks that root, HEAD and graph are still the same.
func (a *app) withGraph(ctx context.Context, dir string, f *format, ask func(*reading) (answer func() error, err error)) (err error) {
	r, err := openGraph(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.db.Close()) }()
	if r.coverage, err = r.db.Coverage(ctx); err != nil {
		return named(err)
	}
	answer, err := ask(r)
	if many := (*ambiguous)(nil); errors.As(err, &many) {
		answer, err = func() error { return a.candidates(r, f, many) }, nil
	}
	if err != nil {
		return named(err)
	}
	if err := r.unchanged(ctx, dir); err != nil {
		return err
	}
	return answer()
}

func openGraph(ctx context.Context, dir string) (*reading, error) {
	p, err := findPlace(ctx, dir)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, p.file)
	if err != nil {
		return nil, named(err)
	}
	if err := p.fresh(db.Stamp()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &reading{place: p, db: db}, nil
}

// unchanged reports an error if what was true when the graph was opened has
// changed since: the answer would mix two commits.
func (r *reading) unchanged(ctx context.Context, dir string) error {
	now, err := openGraph(ctx, dir)
	if err != nil {
		return err
	}
	err = now.db.Close()
	if now.db.Stamp() != r.db.Stamp() {
		err = errors.Join(err, fmt.Errorf("%w: another graph took its place", errUpdating))
	}
	return err
}

// symbol returns the one symbol that text means.
func (r *reading) symbol(ctx context.Context, text string) (graph.Symbol, error) {
	found, err := r.db.Lookup(ctx, text)
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

// The states in which a graph does not answer. Their texts are what scripts
// read; see docs/graph.md.
var (
	errNotReady     = errors.New("graph_not_ready")
	errStaleRoot    = errors.New("stale_graph: root")
	errStaleHead    = errors.New("stale_graph: head_moved")
	errStaleEngine  = errors.New("stale_graph: engine_changed")
	errStaleConfig  = errors.New("stale_graph: config_changed")
	errTampered     = errors.New("graph_tampered")
	errUpdating     = errors.New("graph_updating")
	errNoProvenance = errors.New("provenance_unknown")
)

// states lists them.
var states = []error{errNotReady, errStaleRoot, errStaleHead, errStaleEngine, errStaleConfig, errTampered, errUpdating, errNoProvenance}

// storeStates says which state an error of the store stands for.
var storeStates = []struct{ err, state error }{
	{store.ErrNotReady, errNotReady},
	{store.ErrNoStamp, errNoProvenance},
	{store.ErrUnknownVersion, errStaleEngine},
	{store.ErrTampered, errTampered},
	{store.ErrCorrupt, errTampered},
}

// named puts the name of the state before an error of the store.
func named(err error) error {
	for _, s := range storeStates {
		if errors.Is(err, s.err) && !errors.Is(err, s.state) {
			return fmt.Errorf("%w: %w", s.state, err)
		}
	}
	return err
}

// fresh reports whether a graph with this stamp is what a build would give now.
func (p *place) fresh(stamp store.Stamp) error {
	now := p.stamp(engineDigest())
	now.Outside = outside(stamp.Outside)
	return fresh(stamp, now)
}

// fresh compares what a graph says of itself with what is true now.
func fresh(graph, now store.Stamp) error {
	switch {
	case graph.RepositoryRoot != now.RepositoryRoot:
		return fmt.Errorf("%w: built for %s, this is %s", errStaleRoot, graph.RepositoryRoot, now.RepositoryRoot)
	case graph.CommonDir != now.CommonDir:
		return fmt.Errorf("%w: built in the repository %s, this is %s", errStaleRoot, graph.CommonDir, now.CommonDir)
	case graph.Engine != now.Engine:
		return fmt.Errorf("%w: built by engine %s, this is %s", errStaleEngine, short(graph.Engine), short(now.Engine))
	case graph.Config != now.Config:
		return fmt.Errorf("%w: built with %s, this is %s", errStaleConfig, short(graph.Config), short(now.Config))
	case graph.Outside != now.Outside:
		return fmt.Errorf("%w: other sources of dependencies are on this machine now", errStaleConfig)
	case graph.Head != now.Head:
		return fmt.Errorf("%w: built at %s, HEAD is %s", errStaleHead, short(graph.Head), short(now.Head))
	case graph.Tree != now.Tree:
		return fmt.Errorf("%w: tree %s is not that of HEAD, %s", errTampered, short(graph.Tree), short(now.Tree))
	}
	return nil
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
