// Package query asks the code graph of one worktree or commit.
//
// Input is a [Selection], which says what graph is meant and what must be true of
// it, and a question; output is one of the types of graph/answer, or the reason
// why the graph does not answer. A graph is opened through provenance for each
// question, and before the answer leaves, what was true at the start must still
// be: see [With]. The command line and the MCP server ask here and nowhere else,
// so that both say the same.
//
// The package prints nothing and keeps nothing between questions.
package query

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
)

// The reasons why a selection means nothing.
var (
	ErrContradictory = errors.New("a question about a commit depends on neither HEAD nor files")
	ErrBadHead       = errors.New("not a full object ID")
)

// A Selection says which graph is meant and what must be true of it.
type Selection struct {
	Root       string // folder of a worktree, or in one
	Commit     string // a revision; "" for the worktree's HEAD
	ExpectHead string // a full object ID; "" for any
	Bound      bool   // the files on disk must be those of HEAD
	Asked
}

// Asked is what was asked for in place of the configuration of a commit.
type Asked = pipeline.Asked

var fullOID = regexp.MustCompile("^([0-9a-f]{40}|[0-9a-f]{64})$")

// Open finds the repository that is meant and what to ask of its graph.
func (s Selection) Open(ctx context.Context, state worktree.State) (*worktree.Repo, provenance.Query, error) {
	if err := s.check(); err != nil {
		return nil, provenance.Query{}, err
	}
	repo, err := OpenRoot(ctx, state, s.Root)
	if err != nil {
		return nil, provenance.Query{}, err
	}
	q, err := s.of(ctx, repo)
	return repo, q, err
}

func (s Selection) check() error {
	switch {
	case s.Commit != "" && (s.Bound || s.ExpectHead != ""):
		return ErrContradictory
	case s.ExpectHead != "" && !fullOID.MatchString(s.ExpectHead):
		return fmt.Errorf("%q: %w", s.ExpectHead, ErrBadHead)
	}
	return nil
}

// of is what to ask of the graph in an open repository.
func (s Selection) of(ctx context.Context, repo *worktree.Repo) (q provenance.Query, err error) {
	var commit worktree.OID
	if s.Commit != "" {
		if commit, err = repo.Resolve(ctx, s.Commit); err != nil {
			return q, err
		}
	}
	q, err = At(ctx, repo, commit, s.Asked)
	q.Bound, q.ExpectHead = s.Bound, worktree.OID(s.ExpectHead)
	return q, err
}

// OpenRoot opens the worktree around a folder, or a bare repository. A worktree
// must be one that its repository knows: what a .git file claims is no proof, and
// a graph must not be taken from or put into a git dir that belongs to another.
func OpenRoot(ctx context.Context, state worktree.State, dir string) (*worktree.Repo, error) {
	repo, err := state.Open(ctx, dir)
	if err != nil || repo.Root() == "" {
		return repo, err
	}
	_, err = repo.Authorized(ctx)
	return repo, err
}

// At is what the graph of a commit must be to answer here; "" means HEAD. A
// graph leaves out what the configuration of its own commit ignores.
func At(ctx context.Context, repo *worktree.Repo, commit worktree.OID, asked Asked) (provenance.Query, error) {
	q := provenance.Query{Engine: EngineDigest(), Outside: outside, Source: index.Reads, Commit: commit}
	if commit == "" {
		var err error
		if _, commit, err = repo.Head(ctx); err != nil {
			return q, err
		}
	}
	objects := repo.Reader()
	defer objects.Close()
	c, config, err := pipeline.GraphRules(ctx, objects, commit, asked)
	q.Config = config
	if config != "" {
		q.Engine = index.New(index.Options{Configuration: c}).EngineDigest()
	}
	return q, err
}

// EngineDigest identifies the extractors and linkers of this binary.
var EngineDigest = sync.OnceValue(func() string { return index.New(index.Options{}).EngineDigest() })

// outside describes what the sources on this machine that decided a graph are
// now; see [index.Builder.Outside].
func outside(before string) string { return index.New(index.Options{}).Outside(before) }

// A Reading is an open graph that may answer.
type Reading struct {
	*provenance.Reading
	header answer.Header
	loaded *graph.Graph // nil until somebody needs all of it
}

// graph loads the whole graph, once.
func (r *Reading) graph(ctx context.Context) (_ *graph.Graph, err error) {
	if r.loaded == nil {
		r.loaded, err = r.DB.Load(ctx)
	}
	return r.loaded, err
}

// With opens the graph that is meant, lets ask find the answer and compares what
// was true at the start with what is true now. An answer that ask has written down
// is good only if With returns nil or the error of ask.
func With(ctx context.Context, state worktree.State, s Selection, ask func(*Reading) error) error {
	repo, q, err := s.Open(ctx, state)
	if err != nil {
		return err
	}
	return read(ctx, repo, q, ask)
}

// In is [With] in a repository that is open: the selection's root is not looked at.
func In(ctx context.Context, repo *worktree.Repo, s Selection, ask func(*Reading) error) error {
	if err := s.check(); err != nil {
		return err
	}
	q, err := s.of(ctx, repo)
	if err != nil {
		return err
	}
	return read(ctx, repo, q, ask)
}

func read(ctx context.Context, repo *worktree.Repo, q provenance.Query, ask func(*Reading) error) (err error) {
	opened, err := provenance.Open(ctx, repo, q)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	r := &Reading{Reading: opened}
	stamp := r.DB.Stamp()
	r.header = answer.Header{
		Schema: answer.Schema, RepositoryRoot: r.Root, Head: string(r.Commit), Tree: string(r.Tree),
		GraphDigest: stamp.Digest, Generation: stamp.Generation, Coverage: summary(r.DB.Totals()),
	}
	asked := provenance.Named(ask(r))
	if err := r.Recheck(ctx); err != nil {
		return err
	}
	return asked
}

// Symbol returns the one symbol that text means. The error is [NoSymbol] if
// there is none, and [Ambiguous] if there are several.
func (r *Reading) Symbol(ctx context.Context, text string) (graph.Symbol, error) {
	found, err := r.DB.Lookup(ctx, text)
	if errors.Is(err, store.ErrNoSymbol) {
		check, err := r.checkUnknown(ctx, text)
		if err != nil {
			return graph.Symbol{}, err
		}
		return graph.Symbol{}, &NoSymbol{answer.Candidates{Header: r.header, Query: text, Candidates: []answer.Symbol{}, Check: check}}
	}
	if err != nil {
		return graph.Symbol{}, err
	}
	if found, err = r.meant(ctx, found); err != nil {
		return graph.Symbol{}, err
	}
	if len(found) > 1 {
		return graph.Symbol{}, &Ambiguous{answer.Candidates{Header: r.header, Query: text, Candidates: describeAll(found)}}
	}
	return found[0], nil
}

// meant drops from the symbols with a name those that nobody means beside the
// others: files, packages and headings, and a name that is passed on beside what it
// stands for.
func (r *Reading) meant(ctx context.Context, found []graph.Symbol) ([]graph.Symbol, error) {
	if code := slices.DeleteFunc(slices.Clone(found), around); len(code) > 0 {
		found = code
	}
	var left []graph.Symbol
	for _, s := range found {
		passed, err := r.passesOn(ctx, s, found)
		if err != nil {
			return nil, err
		}
		if !passed {
			left = append(left, s)
		}
	}
	if len(left) == 0 { // they stand for each other
		return found, nil
	}
	return left, nil
}

// around reports whether s is a file, a package or a heading: a program's package
// and its function are both main, and a document has a heading for each function.
func around(s graph.Symbol) bool {
	return s.Kind == graph.KindModule || s.Kind == graph.KindPackage || s.Kind == graph.KindHeading
}

// passesOn reports whether s is a re-export of one of some symbols.
func (r *Reading) passesOn(ctx context.Context, s graph.Symbol, of []graph.Symbol) (bool, error) {
	if s.Kind != graph.KindReexport {
		return false, nil
	}
	refs, err := r.DB.Callees(ctx, s.ID, graph.EdgeImport)
	return slices.ContainsFunc(refs, func(ref store.Reference) bool {
		return slices.ContainsFunc(of, func(o graph.Symbol) bool { return o.ID == ref.Symbol.ID && o.ID != s.ID })
	}), err
}

// NoSymbol is the error about a name that means nothing in a graph.
type NoSymbol struct{ answer.Candidates }

func (e *NoSymbol) Error() string {
	return fmt.Sprintf("no symbol %q in %s", e.Query, Seen(e.Coverage))
}

func (e *NoSymbol) Unwrap() error { return store.ErrNoSymbol }

// Ambiguous is the error about a name that means several symbols.
type Ambiguous struct{ answer.Candidates }

func (e *Ambiguous) Error() string {
	return fmt.Sprintf("%q means %d symbols", e.Query, len(e.Candidates.Candidates))
}

// Seen says what a graph is built from, so that an empty answer is never taken
// for more than it is.
func Seen(s answer.Summary) string {
	text := fmt.Sprintf("%d files", s.Files)
	if s.Partial+s.NotParsed > 0 {
		text += fmt.Sprintf(" (%d of them not parsed, %d in part)", s.NotParsed, s.Partial)
	}
	if s.Types != "" {
		text += ", Go without types"
	}
	return text
}

// Base resolves the revision that a change goes into, as a review does: if it means
// nothing here, the branch of the remote that has this name.
func Base(ctx context.Context, repo *worktree.Repo, name string) (worktree.OID, error) {
	commit, err := repo.Resolve(ctx, name)
	if errors.Is(err, worktree.ErrUnknownRevision) {
		if other, lost := repo.Resolve(ctx, "refs/remotes/origin/"+name); lost == nil {
			return other, nil
		}
	}
	return commit, err
}
