package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/review/report"
)

// An Engine opens worktrees. It is safe for concurrent use.
type Engine interface {
	// Open accepts the absolute path of a worktree's top folder and nothing else.
	Open(ctx context.Context, root string) (Worktree, error)
	// Roots lists the worktrees whose reports and documents are resources. It
	// reads what lies on disk, so that all connections are told the same.
	Roots(ctx context.Context) ([]string, error)
}

// A Worktree answers questions about one worktree, each from the graph that is
// there when it is asked. It is safe for concurrent use.
type Worktree interface {
	// Check fails if the folder is no longer the one that was opened.
	Check(ctx context.Context) error

	Worktrees(ctx context.Context) (answer.Worktrees, error)
	Status(ctx context.Context, at At) (answer.Status, error)
	Search(ctx context.Context, at At, name string, limit int) (answer.Symbols, error)
	Neighbours(ctx context.Context, at At, d Direction, symbol string, kinds []string) (answer.Neighbours, error)
	Path(ctx context.Context, at At, from, to string, kinds []string) (answer.Path, error)
	Radius(ctx context.Context, at At, symbol string, kinds []string, depth int) (answer.Radius, error)
	Source(ctx context.Context, at At, symbol string) (answer.Source, error)
	Lines(ctx context.Context, at At, path string, start, end int) (answer.Source, error)
	Coverage(ctx context.Context, at At, paths []string) (answer.Coverage, error)

	// Build and Review take long. They end when ctx does.
	Build(ctx context.Context, told Progress) (answer.Status, error)
	Review(ctx context.Context, base string, told Progress) (*report.Report, error)
	// Subject is what a review would be about: two commits.
	Subject(ctx context.Context, base string) (baseCommit, head string, err error)

	Decisions(ctx context.Context, at At, symbols []string) (answer.Decisions, error)
	Record(ctx context.Context, at At, d Decision) (answer.Decisions, error)
	Delete(ctx context.Context, confirmation string) (answer.Deleted, error)

	// Reports and Documents list what can be read as resources.
	Reports(ctx context.Context) ([]Item, error)
	Report(ctx context.Context, head string) (*report.Report, error)
	Documents(ctx context.Context) ([]Item, error)
}

// At says what must be true of the graph that answers.
type At struct {
	ExpectHead string // HEAD must be this commit; "" for any
	Bound      bool   // the files on disk must be those of HEAD
}

// A Direction says which edges of a symbol are meant.
type Direction string

// The directions.
const (
	Callers Direction = "callers"
	Callees Direction = "callees"
)

// A Decision is what somebody wants to be remembered.
type Decision struct {
	Kind    string
	Title   string
	Text    string
	Symbols []string // that it is about, each by ID or name
}

// An Item is something that can be read as a resource.
type Item struct {
	Name string // commit of a report, path of a document
	Size int64
}

// Progress is told how far a long piece of work has come. A total that is not
// known is 0.
type Progress func(phase string, done, total int)

// A Refusal is why nothing can be said, and what to do about it.
type Refusal struct {
	State  string // "graph_not_ready", "stale_graph: head_moved", "unauthorized_root", …
	Reason string
	Remedy string
}

// Error is one line, since that is all that some clients pass on.
func (r *Refusal) Error() string {
	text := r.State + ": " + r.Reason
	if r.Remedy != "" {
		text += "; remedy: " + r.Remedy
	}
	return strings.Join(strings.Fields(text), " ")
}

// refuse makes the refusal of an argument.
func refuse(state, remedy, reason string, operands ...any) *Refusal {
	return &Refusal{State: state, Reason: fmt.Sprintf(reason, operands...), Remedy: remedy}
}

// Ambiguous is the error about a name that means several symbols, or none.
type Ambiguous struct{ answer.Candidates }

func (e *Ambiguous) Error() string {
	return fmt.Sprintf("%q means %d symbols", e.Query, len(e.Candidates.Candidates))
}

// hint says what to do about it. Who meant to write must know that nothing was.
func (e *Ambiguous) hint(writes bool) string {
	text := "no symbol has this name; read check, then call find_symbol"
	if n := len(e.Candidates.Candidates); n > 0 {
		text = fmt.Sprintf("the name means %d symbols; call again with the id of one", n)
	}
	if writes {
		text = "nothing was written: " + text
	}
	return text
}

// unclear answers a call that names several symbols at once, or none.
type unclear struct {
	answer.Candidates
	Hint string `json:"hint" jsonschema:"what to do about a name that means several symbols, or none"`
}

func (u unclear) reply() reply {
	return reply{about: u.Header, head: u, list: "candidates", items: items(u.Candidates.Candidates)}
}
