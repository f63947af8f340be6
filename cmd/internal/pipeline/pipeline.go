// Package pipeline joins the stages in their order: a repository and requests
// in, one report for each out.
//
// It turns names into full object IDs once and works on those alone: whatever
// other processes do to branches or to the working tree meanwhile, a report is
// about one merge base and one head. The rules it judges by are those of the
// merge base, or none if that is asked for. Graphs that were built are kept by tree beside the repository and
// proved against their digest when they are used again
// (docs/adr/0007-graphs-by-tree.md). Of remotes it contacts only the one that a
// request for a pull request names. The package prints nothing.
package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/cover"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// Options are what all reviews of one run share.
type Options struct {
	Limits      review.Limits
	FailOn      []string // rules that make the outcome fail; see review.Rules
	Given       Given
	NoConfig    bool   // do not read the configuration of the merge base; the report says so
	Types       string // "on" or "off": whether Go is type-checked, whatever the configuration says; "" leaves it to that
	Remote      string // where pull requests are fetched from; "" means origin
	ToolVersion string
	Grammars    map[string]string // language → version of its grammar
	Coverage    []*cover.Profile  // measured coverage of the one head that is reviewed
	Keep        bool              // keep built graphs beside the repository, and use them again
	Until       <-chan struct{}   // once it is closed reviews give what they have, as partial reports; nil: never
	Notice      func(string)      // told what does not change the answer, such as a graph that could not be kept, one at a time; nil: nobody

	HistoryCut []worktree.OID // commits at which history is to end, besides those where it does

	Checkout       bool   // check fetched pull requests out, for people and agents to read
	CheckoutParent string // absolute folder of the checkouts; "" means the default of the store
}

// Given says which options were asked for. Those win over the configuration of
// the merge base; the others are used where it is silent.
type Given struct {
	Depth, FailOn bool
}

// A Pipeline reviews pull requests of one repository. It is safe for concurrent
// use; all reviews share parsed files and built graphs.
type Pipeline struct {
	repo    *worktree.Repo
	builder *index.Builder
	options Options

	mu     sync.Mutex
	graphs map[string]*graphs // by what is ignored, which few merge bases differ in
}

// New prepares reviews in a repository with the graphs that builder makes.
func New(repo *worktree.Repo, builder *index.Builder, o Options) *Pipeline {
	if tell := o.Notice; tell != nil {
		var mu sync.Mutex
		o.Notice = func(text string) {
			mu.Lock()
			defer mu.Unlock()
			tell(text)
		}
	}
	return &Pipeline{repo: repo, builder: builder, options: o, graphs: map[string]*graphs{}}
}

func (p *Pipeline) notice(text string) {
	if p.options.Notice != nil {
		p.options.Notice(text)
	}
}

// graphsFor returns where the graphs come from that leave the ignored paths
// out. They are built one at a time, whatever they ignore.
func (p *Pipeline) graphsFor(c index.Configuration) *graphs {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := digestOfGraphRules(c)
	if g := p.graphs[key]; g != nil {
		return g
	}
	g := newGraphs(p.repo, p.builder, c, p.options)
	for _, other := range p.graphs {
		g.building = other.building
	}
	p.graphs[key] = g
	return g
}

// Review reviews one request alone.
func (p *Pipeline) Review(ctx context.Context, req Request) (*report.Report, error) {
	r, err := p.review(ctx, req)
	if err == nil {
		p.remember(ctx, r)
	}
	return r.report, err
}

// ReviewPinned reviews a change whose commits the caller knows by their full IDs,
// under the names and the number that it knows. Nothing is fetched.
func (p *Pipeline) ReviewPinned(ctx context.Context, number int, base, head report.Revision) (*report.Report, error) {
	at, err := p.pinned(ctx, number, named{base.Ref, worktree.OID(base.Commit)}, named{head.Ref, worktree.OID(head.Commit)})
	if err != nil {
		return nil, err
	}
	r, err := p.examine(ctx, at)
	return r.report, err
}

// A reviewed request is a report and what is needed to compare it with others.
type reviewed struct {
	at      located
	report  *report.Report
	touched review.Touched
	cut     bool // its own work was ended by the deadline
}

// review finds out what a request names and makes its report.
func (p *Pipeline) review(ctx context.Context, req Request) (reviewed, error) {
	held, err := p.hold(ctx, req)
	if err != nil {
		return reviewed{}, err
	}
	defer held.Close()
	at, err := p.locate(ctx, req)
	if err != nil {
		return reviewed{}, err
	}
	return p.examine(ctx, at)
}

// hold keeps the commits that are reviewed from being collected meanwhile, those of
// a pull request that is yet to be fetched included.
func (p *Pipeline) hold(ctx context.Context, req Request) (io.Closer, error) {
	if req.Pull != 0 {
		if _, err := p.repo.Store(ctx); err != nil {
			return nil, err
		}
	}
	return p.repo.Hold(ctx)
}

// examine reviews merge-base(base, head)..head.
func (p *Pipeline) examine(ctx context.Context, at located) (reviewed, error) {
	objects := at.repo.Reader()
	defer objects.Close()
	s, err := p.resolve(ctx, objects, at)
	if err != nil {
		return reviewed{}, err
	}
	rules, err := p.rules(ctx, objects, s.baseTree)
	if err != nil {
		return reviewed{}, fmt.Errorf("merge base %s: %w", s.MergeBase, err)
	}
	changes, err := objects.Diff(ctx, s.baseTree, s.headTree)
	if err != nil {
		return reviewed{}, fmt.Errorf("changes: %w", err)
	}
	until, end := review.Within(ctx, p.options.Until)
	defer end()
	past, err := p.past(until, at, s)
	if passed(ctx, until) {
		past, err = review.Past{Missing: review.LateUnmade}, nil
	}
	if err != nil {
		return reviewed{}, err
	}
	g := p.graphsFor(graphRules(rules))
	base, head, err := bothGraphs(until, g, objects, s)
	sketched := err != nil && passed(ctx, until)
	if sketched {
		base, head, err = sketches(ctx, g, objects, s, changes)
	}
	if err != nil {
		return reviewed{}, err
	}
	if at.checkout != "" && !sketched {
		if err := p.lend(ctx, objects, at.checkout, head, graphRules(rules)); err != nil {
			if ctx.Err() != nil {
				return reviewed{}, err
			}
			p.notice(fmt.Sprintf("the worktree has no graph of its own yet: %v", err))
		}
	}
	r, touched, err := review.Review(ctx, review.Input{
		Base: base.graph, Head: head.graph, Changes: changes, Blobs: objects, Limits: limitsOf(rules), FailOn: rules.FailOn, Policy: rules.Policy, Coverage: p.options.Coverage,
		GoTypes: func(ctx context.Context, dirs []string) (review.GoTypes, error) {
			return p.goTypes(ctx, g.builder, objects, base.graph, head.graph, dirs)
		},
		At: s.Head.Commit, Past: past, Until: p.options.Until, Sketched: sketched,
	})
	if err != nil {
		return reviewed{}, err
	}
	r.Subject = s.Subject
	r.Provenance = p.provenance(s, rules, base, head)
	r.Provenance.Binding = &at.binding
	if r.Cut() {
		r.Provenance.InputsDigest = ""
	}
	r.Caveats = slices.Concat(s.caveats(), editedRules(changes, rules), r.Caveats)
	sayUnread(r)
	return reviewed{at, r, touched, r.Cut()}, nil
}

// bothGraphs gets the graphs of merge base and head. Kept ones are read side by
// side; those that must be built are built one after the other.
func bothGraphs(ctx context.Context, g *graphs, objects *worktree.Reader, s subject) (base, head built, err error) {
	both := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
	both.Go(func(ctx context.Context) (err error) {
		if base, err = g.of(ctx, objects, s.baseTree, s.MergeBase); err != nil {
			return fmt.Errorf("graph of the merge base: %w", err)
		}
		return nil
	})
	both.Go(func(ctx context.Context) (err error) {
		if head, err = g.of(ctx, objects, s.headTree, s.Head.Commit); err != nil {
			return fmt.Errorf("graph of head: %w", err)
		}
		return nil
	})
	err = both.Wait()
	return base, head, err
}

func (p *Pipeline) provenance(s subject, rules report.Config, base, head built) report.Provenance {
	v := report.Provenance{
		Tool:         report.Tool{Name: toolName, Version: p.options.ToolVersion},
		EngineDigest: p.builder.EngineDigest(),
		ConfigDigest: digestOf(rules),
		Config:       rules,
		Grammars:     p.options.Grammars,
		GitVersion:   p.repo.GitVersion(),
		Graphs:       report.Graphs{Base: base.describe(), Head: head.describe()},
	}
	inputs := []string{s.Repository, s.Base.Commit, s.MergeBase, string(s.baseTree), s.Head.Commit, string(s.headTree), v.EngineDigest, v.ConfigDigest}
	v.InputsDigest = digest(append(inputs, coverageDigests(p.options.Coverage)...)...)
	return v
}

// coverageDigests identifies measured coverage, in one order.
func coverageDigests(profiles []*cover.Profile) []string {
	digests := []string{}
	for _, c := range profiles {
		digests = append(digests, c.Digest)
	}
	return set(digests)
}

// toolName is what reports say they were made by.
const toolName = "previdence"

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
