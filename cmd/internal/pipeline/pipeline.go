// Package pipeline joins the stages in their order: a repository and two
// revisions in, one report out.
//
// It resolves the revisions once to full object IDs and works on those alone:
// whatever other processes do to branches or to the working tree meanwhile, the
// report is about one merge base and one head. Graphs that were built are kept
// by tree beside the repository and proved against their digest when they are
// used again (docs/adr/0007-graphs-by-tree.md). The package writes nothing else
// and prints nothing.
package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/pool"

	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// A Request names what to review.
type Request struct {
	Base string // revision; "" means the remote's default branch
	Head string // revision; "" means HEAD
}

// Options are what all reviews of one run share.
type Options struct {
	Limits      review.Limits
	FailOn      []string // rules that make the outcome fail; see review.Rules
	ToolVersion string
	Grammars    map[string]string // language → version of its grammar
	Keep        bool              // keep built graphs beside the repository, and use them again
	Notice      func(string)      // told what does not change the answer, such as a graph that could not be kept; nil: nobody
}

// A Pipeline reviews pull requests of one repository. It is safe for concurrent
// use; all reviews share parsed files and built graphs.
type Pipeline struct {
	repo    *worktree.Repo
	builder *index.Builder
	options Options
	graphs  *graphs
}

// New prepares reviews in a repository with the graphs that builder makes.
func New(repo *worktree.Repo, builder *index.Builder, o Options) *Pipeline {
	return &Pipeline{repo: repo, builder: builder, options: o, graphs: newGraphs(repo, builder, o)}
}

// A subject is a request resolved to objects.
type subject struct {
	report.Subject
	baseTree, headTree worktree.OID // of the merge base and of head
}

// Review reviews merge-base(base, head)..head.
func (p *Pipeline) Review(ctx context.Context, req Request) (*report.Report, error) {
	objects := p.repo.Reader()
	defer objects.Close()
	s, err := p.resolve(ctx, objects, req)
	if err != nil {
		return nil, err
	}
	base, head, err := p.bothGraphs(ctx, objects, s)
	if err != nil {
		return nil, err
	}
	changes, err := objects.Diff(ctx, s.baseTree, s.headTree)
	if err != nil {
		return nil, fmt.Errorf("changes: %w", err)
	}
	r, _, err := review.Review(ctx, review.Input{
		Base: base.graph, Head: head.graph, Changes: changes, Blobs: objects, Limits: p.options.Limits, FailOn: p.options.FailOn,
	})
	if err != nil {
		return nil, err
	}
	r.Subject = s.Subject
	r.Provenance = p.provenance(s, base, head)
	if n := len(s.MergeBases); n > 1 {
		r.Caveats = append([]report.Caveat{{
			ID: "subject.several_merge_bases", Section: "changes", Count: n, Examples: s.MergeBases[:min(n, 5)],
			Text: "Base and head have several best common ancestors; the diff starts from the first.",
		}}, r.Caveats...)
	}
	return r, nil
}

// bothGraphs gets the graphs of merge base and head. Kept ones are read side by
// side; those that must be built are built one after the other.
func (p *Pipeline) bothGraphs(ctx context.Context, objects *worktree.Reader, s subject) (base, head built, err error) {
	both := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
	both.Go(func(ctx context.Context) (err error) {
		if base, err = p.graphs.of(ctx, objects, s.baseTree, s.MergeBase); err != nil {
			return fmt.Errorf("graph of the merge base: %w", err)
		}
		return nil
	})
	both.Go(func(ctx context.Context) (err error) {
		if head, err = p.graphs.of(ctx, objects, s.headTree, s.Head.Commit); err != nil {
			return fmt.Errorf("graph of head: %w", err)
		}
		return nil
	})
	err = both.Wait()
	return base, head, err
}

// resolve turns names into object IDs, once.
func (p *Pipeline) resolve(ctx context.Context, objects *worktree.Reader, req Request) (subject, error) {
	var s subject
	var err error
	s.Repository = p.repo.Name(ctx)
	if req.Head == "" {
		req.Head = "HEAD"
	}
	if s.Head, s.headTree, err = p.revision(ctx, objects, req.Head); err != nil {
		return s, fmt.Errorf("head: %w", err)
	}
	if req.Base == "" {
		if req.Base, err = p.repo.DefaultBase(ctx); err != nil {
			return s, fmt.Errorf("base: %w", err)
		}
	}
	if s.Base, _, err = p.revision(ctx, objects, req.Base); err != nil {
		return s, fmt.Errorf("base: %w", err)
	}
	bases, err := p.repo.MergeBases(ctx, worktree.OID(s.Base.Commit), worktree.OID(s.Head.Commit))
	if err != nil {
		return s, err
	}
	for _, b := range bases {
		s.MergeBases = append(s.MergeBases, string(b))
	}
	s.MergeBase = s.MergeBases[0]
	s.baseTree, err = objects.TreeOf(ctx, bases[0])
	return s, err
}

func (p *Pipeline) revision(ctx context.Context, objects *worktree.Reader, ref string) (report.Revision, worktree.OID, error) {
	commit, err := p.repo.Resolve(ctx, ref)
	if err != nil {
		return report.Revision{}, "", err
	}
	tree, err := objects.TreeOf(ctx, commit)
	return report.Revision{Ref: ref, Commit: string(commit), Tree: string(tree)}, tree, err
}

func (p *Pipeline) provenance(s subject, base, head built) report.Provenance {
	v := report.Provenance{
		Tool:         report.Tool{Name: "previdence", Version: p.options.ToolVersion},
		EngineDigest: p.builder.EngineDigest(),
		ConfigDigest: p.options.digest(),
		Grammars:     p.options.Grammars,
		GitVersion:   p.repo.GitVersion(),
		Graphs:       report.Graphs{Base: base.describe(s.baseTree), Head: head.describe(s.headTree)},
		Binding:      &report.Binding{RepositoryRoot: p.repo.Root(), CommonDir: p.repo.CommonDir(), Head: s.Head.Commit},
	}
	v.InputsDigest = digest(s.Repository, s.Base.Commit, s.MergeBase, string(s.baseTree), s.Head.Commit, string(s.headTree), v.EngineDigest, v.ConfigDigest)
	return v
}

// digest is over what decides the content of a report and nothing else: the
// number of workers does not.
func (o Options) digest() string {
	limits, err := json.Marshal(o.Limits)
	if err != nil {
		panic(err) // a struct of numbers
	}
	rules := slices.Sorted(slices.Values(o.FailOn))
	return digest(append([]string{string(limits)}, rules...)...)
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
