package serve

import (
	"context"

	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/mcp"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// A tree is one worktree that was opened.
type tree struct {
	engine *Engine
	root   worktree.Root
	repo   *worktree.Repo
}

// Check compares the folder with the one that was opened.
func (t *tree) Check(ctx context.Context) error {
	if err := t.root.Check(ctx); err != nil {
		return t.engine.refusal(err)
	}
	return nil
}

// ask lets find ask the graph of HEAD.
func (t *tree) ask(ctx context.Context, at mcp.At, find func(*query.Reading) error) error {
	digest := ""
	err := query.In(ctx, t.repo, query.Selection{ExpectHead: at.ExpectHead, Bound: at.Bound}, func(r *query.Reading) error {
		digest = r.DB.Stamp().Digest
		return find(r)
	})
	if err != nil {
		return t.engine.explain(err)
	}
	t.engine.used.Store(t.root.Path, digest)
	return nil
}

func (t *tree) Status(ctx context.Context, at mcp.At) (answer.Status, error) {
	s, err := query.StatusIn(ctx, t.repo, query.Selection{ExpectHead: at.ExpectHead, Bound: at.Bound})
	if s.State == "" && err != nil {
		return s, t.engine.explain(err)
	}
	if s.State != answer.Ready { // which is what was asked
		s.Remedy = remedyFor(s.State, s.Remedy)
	}
	return s, nil
}

func (t *tree) Search(ctx context.Context, at mcp.At, name string, limit int) (a answer.Symbols, err error) {
	err = t.ask(ctx, at, func(r *query.Reading) (err error) {
		a, err = r.Search(ctx, name, limit)
		return err
	})
	return a, err
}

func (t *tree) Neighbours(ctx context.Context, at mcp.At, d mcp.Direction, symbol string, kinds []string) (a answer.Neighbours, err error) {
	along, err := query.Kinds(kinds)
	if err != nil {
		return a, t.engine.explain(err)
	}
	find := (*query.Reading).Callers
	if d == mcp.Callees {
		find = (*query.Reading).Callees
	}
	err = t.ask(ctx, at, func(r *query.Reading) (err error) {
		a, err = find(r, ctx, symbol, along)
		return err
	})
	return a, err
}

func (t *tree) Path(ctx context.Context, at mcp.At, from, to string, kinds []string) (a answer.Path, err error) {
	err = t.along(ctx, at, kinds, func(r *query.Reading, along []graph.EdgeKind) (err error) {
		a, err = r.Path(ctx, from, to, along)
		return err
	})
	return a, err
}

func (t *tree) Radius(ctx context.Context, at mcp.At, symbol string, kinds []string, depth int) (a answer.Radius, err error) {
	err = t.along(ctx, at, kinds, func(r *query.Reading, along []graph.EdgeKind) (err error) {
		a, err = r.Radius(ctx, symbol, along, depth)
		return err
	})
	return a, err
}

// along is ask for questions that follow edges.
func (t *tree) along(ctx context.Context, at mcp.At, kinds []string, find func(*query.Reading, []graph.EdgeKind) error) error {
	along, err := query.Kinds(kinds)
	if err != nil {
		return t.engine.explain(err)
	}
	return t.ask(ctx, at, func(r *query.Reading) error { return find(r, along) })
}

func (t *tree) Source(ctx context.Context, at mcp.At, symbol string) (a answer.Source, err error) {
	err = t.ask(ctx, at, func(r *query.Reading) (err error) {
		a, err = r.Source(ctx, symbol)
		return err
	})
	return a, err
}

func (t *tree) Lines(ctx context.Context, at mcp.At, path string, start, end int) (a answer.Source, err error) {
	err = t.ask(ctx, at, func(r *query.Reading) (err error) {
		a, err = r.Lines(ctx, path, start, end)
		return err
	})
	return a, err
}

func (t *tree) Coverage(ctx context.Context, at mcp.At, paths []string) (a answer.Coverage, err error) {
	err = t.ask(ctx, at, func(r *query.Reading) (err error) {
		a, err = r.Cover(ctx, paths...)
		return err
	})
	return a, err
}

func (t *tree) Decisions(ctx context.Context, at mcp.At, symbols []string) (a answer.Decisions, err error) {
	err = t.ask(ctx, at, func(r *query.Reading) (err error) {
		a, err = r.Decisions(ctx, symbols)
		return err
	})
	return a, err
}

func (t *tree) Record(ctx context.Context, at mcp.At, d mcp.Decision) (a answer.Decisions, err error) {
	err = t.ask(ctx, at, func(r *query.Reading) (err error) {
		a, err = r.Record(ctx, d.Kind, d.Title, d.Text, d.Symbols)
		return err
	})
	return a, err
}

// Delete removes the graph of the worktree, if this process answered from it or
// HEAD was reviewed.
func (t *tree) Delete(ctx context.Context, confirmation string) (answer.Deleted, error) {
	a := answer.Deleted{Removed: []answer.Removed{}}
	var used []string
	if digest, ok := t.engine.used.Load(t.root.Path); ok {
		used = append(used, digest.(string))
	}
	removed, err := provenance.Delete(ctx, t.repo, confirmation, used...)
	if err != nil {
		return a, t.engine.explain(err)
	}
	p, err := provenance.Locate(ctx, t.repo)
	if err != nil {
		return a, t.engine.explain(err)
	}
	a.Header = answer.Header{Schema: answer.Schema, RepositoryRoot: p.Root, Head: string(p.Head), Tree: string(p.Tree)}
	a.Removed = append(a.Removed, answer.Removed{Path: removed.Path, Kind: string(removed.Kind), Bytes: removed.Bytes})
	return a, nil
}

func (t *tree) Reports(context.Context) ([]mcp.Item, error) {
	kept, err := query.KeptReports(t.repo, t.root)
	var list []mcp.Item
	for _, k := range kept {
		list = append(list, mcp.Item{Name: k.Head, Size: k.Size})
	}
	return list, err
}

func (t *tree) Report(_ context.Context, head string) (*report.Report, error) {
	return query.KeptReport(t.repo, t.root, head)
}

func (t *tree) Documents(ctx context.Context) (list []mcp.Item, err error) {
	err = t.ask(ctx, mcp.At{}, func(r *query.Reading) error {
		documents, err := r.Documents(ctx)
		for _, d := range documents {
			list = append(list, mcp.Item{Name: d.Path, Size: d.Size})
		}
		return err
	})
	return list, err
}
