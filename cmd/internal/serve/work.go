package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/previdence/previdence/cmd/internal/child"
	"github.com/previdence/previdence/cmd/internal/query"
	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/mcp"
	"github.com/previdence/previdence/review/report"
)

// exitPolicy is the exit code of a review that was made and whose policy failed.
const exitPolicy = 1

// workers leaves a processor to those who read meanwhile. No answer depends on it.
var workers = fmt.Sprintf("--jobs=%d", max(1, runtime.GOMAXPROCS(0)-1))

// Build makes the graph of HEAD in a child process.
func (t *tree) Build(ctx context.Context, told mcp.Progress) (s answer.Status, err error) {
	out, err := t.run(ctx, told, nil, "graph", "build", "--repo-root="+t.root.Path, "--format=json", workers)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(out, &s); err != nil {
		return s, fmt.Errorf("answer of the build: %w", err)
	}
	return s, nil
}

// Review reviews HEAD in a child process and keeps the report beside the graph.
func (t *tree) Review(ctx context.Context, base string, told mcp.Progress) (*report.Report, error) {
	args := []string{"review", "--repo=" + t.root.Path, "--format=json", "--no-worktree", workers}
	if base != "" {
		args = append(args, "--base="+base)
	}
	out, err := t.run(ctx, told, []int{exitPolicy}, args...)
	if err != nil {
		return nil, err
	}
	r, err := report.Read(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("answer of the review: %w", err)
	}
	canonical, err := r.Canonical()
	if err == nil {
		err = query.KeepReport(t.repo, t.root, r.Subject.Head.Commit, canonical)
	}
	if err != nil {
		// The report is good without: it is no resource then.
		told("report not kept", 0, 0)
	}
	return r, nil
}

// Subject finds the two commits that a review would be about.
func (t *tree) Subject(ctx context.Context, base string) (baseCommit, head string, err error) {
	_, oid, err := t.repo.Head(ctx)
	if err != nil {
		return "", "", t.engine.explain(err)
	}
	if base == "" {
		if base, err = t.repo.DefaultBase(ctx); err != nil {
			return "", "", t.engine.explain(err)
		}
	}
	into, err := query.Base(ctx, t.repo, base)
	if err != nil {
		return "", "", t.engine.explain(err)
	}
	return string(into), string(oid), nil
}

// run runs a command line of this program in a child.
func (t *tree) run(ctx context.Context, told mcp.Progress, codes []int, args ...string) ([]byte, error) {
	if dir := t.engine.options.StateDir; dir != "" {
		args = append([]string{"--state-dir=" + dir}, args...)
	}
	out, err := child.Run(ctx, args, func(l child.Line) {
		if l.Progress != nil {
			told(l.Progress.Phase, l.Progress.Done, l.Progress.Total)
		}
	}, codes...)
	if err != nil {
		return nil, t.engine.explain(err)
	}
	return out, nil
}
