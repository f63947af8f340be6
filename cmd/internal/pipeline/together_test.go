package pipeline_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/previdence/previdence/cmd/internal/config"
	"github.com/previdence/previdence/cmd/internal/pipeline"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

const goMod = "module example.com/m\n\ngo 1.22\n"

// parts is a program of three functions, each of which calls the one below it.
func parts(low, middle, top string) map[string]string {
	return map[string]string{
		"go.mod":          goMod,
		"low/low.go":      "package low\n\nfunc Low() int { return " + low + " }\n",
		"middle/mid.go":   "package middle\n\nimport \"example.com/m/low\"\n\nfunc Middle() int { return low.Low() + " + middle + " }\n",
		"top/top.go":      "package top\n\nimport \"example.com/m/middle\"\n\nfunc Top() int { return middle.Middle() + " + top + " }\n",
		"docs/history.md": "# History\n",
	}
}

// remote makes a repository with three open pull requests, and a clone of it:
// 1 changes what 2 calls, and 2 what 3 calls; 4 has no history in common.
func remote(t *testing.T) (upstream, clone *worktreetest.Repo) {
	t.Helper()
	upstream = worktreetest.New(t)
	upstream.Commit(parts("1", "1", "1"))
	for i, files := range []map[string]string{parts("2", "1", "1"), parts("1", "2", "1"), parts("1", "1", "2")} {
		upstream.Checkout("work", "main")
		head := upstream.Commit(files)
		upstream.Git("update-ref", fmt.Sprintf("refs/pull/%d/head", i+1), string(head))
		upstream.Checkout("main")
		upstream.Git("branch", "-q", "-D", "work")
	}
	stranger := upstream.CommitTree(upstream.Tree())
	upstream.Git("update-ref", "refs/pull/4/head", string(stranger))
	return upstream, upstream.Clone()
}

// with prepares reviews with options of a test's own.
func with(t *testing.T, dir string, change func(*pipeline.Options)) *pipeline.Pipeline {
	t.Helper()
	repo, err := worktree.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	o := pipeline.Options{Limits: review.DefaultLimits, ToolVersion: "test", Grammars: map[string]string{"go": "1"}}
	if change != nil {
		change(&o)
	}
	return pipeline.New(repo, index.New(index.Options{Workers: 2}), o)
}

// meetings writes down where a report meets others.
func meetings(r *report.Report) []string {
	var all []string
	for _, o := range r.Overlap {
		for _, s := range o.Shared {
			all = append(all, fmt.Sprintf("%d %s %s", o.PullRequest, s.Sharing, s.Name))
		}
		for _, f := range o.Files {
			all = append(all, fmt.Sprintf("%d file %s", o.PullRequest, f))
		}
	}
	return all
}

func pulls(numbers ...int) []pipeline.Request {
	var all []pipeline.Request
	for _, n := range numbers {
		all = append(all, pipeline.Request{Pull: n})
	}
	return all
}

func TestPullRequestsOfOneRunNameEachOther(t *testing.T) {
	_, clone := remote(t)
	results := with(t, clone.Dir, nil).ReviewAll(t.Context(), pulls(3, 1, 2), 3)
	want := [][]string{
		{"2 this_changes_dependent Top"},
		{"2 other_changes_dependent Middle"},
		{"1 this_changes_dependent Middle", "3 other_changes_dependent Top"},
	}
	for i, result := range results {
		if result.Err != nil {
			t.Fatal(result.Err)
		}
		s := result.Report.Subject
		if s.PullRequest != []int{3, 1, 2}[i] || s.Head.Ref != fmt.Sprintf("refs/pull/%d/head", s.PullRequest) || s.Base.Ref != "main" {
			t.Errorf("subject is %+v", s)
		}
		if got := meetings(result.Report); !slices.Equal(got, want[i]) {
			t.Errorf("pull request %d meets %q, want %q", s.PullRequest, got, want[i])
		}
	}
}

func TestCompanyChangesOnlyTheOverlap(t *testing.T) {
	_, clone := remote(t)
	together := with(t, clone.Dir, nil).ReviewAll(t.Context(), append(pulls(1, 2, 3, 2), pipeline.Request{Base: "main", Head: "origin/main"}), 8)
	again := with(t, clone.Dir, nil).ReviewAll(t.Context(), append(pulls(1, 2, 3, 2), pipeline.Request{Base: "main", Head: "origin/main"}), 1)
	for i, n := range []int{1, 2, 3, 2} {
		alone, err := with(t, clone.Dir, nil).Review(t.Context(), pipeline.Request{Pull: n})
		if err != nil {
			t.Fatal(err)
		}
		r := together[i].Report
		if !bytes.Equal(canonical(t, r), canonical(t, again[i].Report)) {
			t.Errorf("pull request %d: the number of jobs changes the report", n)
		}
		if len(r.Overlap) == 0 || slices.ContainsFunc(r.Overlap, func(o report.Overlap) bool { return o.PullRequest == n }) {
			t.Errorf("pull request %d: overlap is %+v", n, r.Overlap)
		}
		r.Overlap = nil
		if !bytes.Equal(canonical(t, r), canonical(t, alone)) {
			t.Errorf("pull request %d: company changes more than the overlap", n)
		}
	}
	if got := meetings(together[4].Report); got != nil {
		t.Errorf("a request that changes nothing meets %q", got)
	}
}

func TestOneFailingRequestLeavesTheOthers(t *testing.T) {
	_, clone := remote(t)
	requests := append(pulls(1, 77, 4), pipeline.Request{Head: "nowhere"}, pipeline.Request{Worktree: "/"},
		pipeline.Request{Pull: 1, Host: "github.com", Name: "o/r"})
	results := with(t, clone.Dir, nil).ReviewAll(t.Context(), requests, 4)
	want := []error{nil, worktree.ErrNoPullRequest, worktree.ErrNoMergeBase, worktree.ErrUnknownRevision, worktree.ErrUnauthorizedRoot, pipeline.ErrOtherRepository}
	for i, result := range results {
		if !errors.Is(result.Err, want[i]) || (result.Err == nil) != (want[i] == nil) || (result.Report == nil) != (want[i] != nil) {
			t.Errorf("request %d: got %v, %v; want %v", i, result.Report != nil, result.Err, want[i])
		}
	}
}

func TestAPullRequestIsTheReviewOfItsCommits(t *testing.T) {
	upstream, clone := remote(t)
	head := upstream.Rev("refs/pull/2/head")
	pull, err := with(t, clone.Dir, nil).Review(t.Context(), pipeline.Request{Pull: 2})
	if err != nil {
		t.Fatal(err)
	}
	// A report names both by their IDs, to be made again without a fetch.
	again, err := with(t, clone.Dir, nil).Review(t.Context(), pipeline.Request{Base: pull.Subject.Base.Commit, Head: pull.Subject.Head.Commit})
	if err != nil || again.Subject.Head.Tree != pull.Subject.Head.Tree {
		t.Errorf("the commits of a fetched pull request are not found: %v", err)
	}
	clone.Git("fetch", "-q", "origin", string(head))
	plain, err := with(t, clone.Dir, nil).Review(t.Context(), pipeline.Request{Base: "origin/main", Head: string(head)})
	if err != nil {
		t.Fatal(err)
	}
	plain.Subject.PullRequest, plain.Subject.Base.Ref, plain.Subject.Head.Ref = 2, pull.Subject.Base.Ref, pull.Subject.Head.Ref
	if !bytes.Equal(canonical(t, pull), canonical(t, plain)) {
		t.Error("the same commits give another report")
	}
}

func TestAFetchedPullRequestIsCheckedOutToBeRead(t *testing.T) {
	_, clone := remote(t)
	parent, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var notices []string
	p := with(t, clone.Dir, func(o *pipeline.Options) {
		o.Checkout, o.CheckoutParent = true, parent
		o.Notice = func(s string) { notices = append(notices, s) }
	})
	for range 2 {
		r, err := p.Review(t.Context(), pipeline.Request{Pull: 2})
		if err != nil {
			t.Fatal(err)
		}
		root := filepath.Join(parent, "pr-2")
		text, err := os.ReadFile(filepath.Join(root, "middle", "mid.go"))
		if err != nil || !strings.Contains(string(text), "+ 2") {
			t.Errorf("got %q, %v", text, err)
		}
		if b := r.Provenance.Binding; b.RepositoryRoot != root || b.Head != r.Subject.Head.Commit {
			t.Errorf("bound to %+v", b)
		}
		if bytes.Contains(canonical(t, r), []byte(parent)) {
			t.Error("the canonical report names the checkout")
		}
	}
	if len(notices) != 2 || !strings.HasSuffix(notices[0], filepath.Join(parent, "pr-2")) {
		t.Errorf("notices are %q", notices)
	}
	if s := clone.Git("status", "--porcelain"); s != "" {
		t.Errorf("the repository is no longer clean: %s", s)
	}
}

func TestACheckoutThatCannotBeMadeDoesNotStopAReview(t *testing.T) {
	_, clone := remote(t)
	var mu sync.Mutex
	var notices []string
	p := with(t, clone.Dir, func(o *pipeline.Options) {
		o.Checkout, o.CheckoutParent = true, clone.Dir // inside the repository, which is refused
		o.Notice = func(s string) { mu.Lock(); defer mu.Unlock(); notices = append(notices, s) }
	})
	if _, err := p.Review(t.Context(), pipeline.Request{Pull: 2}); err != nil {
		t.Fatal(err)
	}
	if len(notices) != 1 || !strings.Contains(notices[0], "inside the repository") {
		t.Errorf("notices are %q", notices)
	}
}

func TestAnotherWorktreeIsReviewedByItsCommit(t *testing.T) {
	upstream, clone := remote(t)
	_ = upstream
	other := clone.At(filepath.Join(filepath.Dir(clone.Dir), "other"))
	clone.Git("worktree", "add", "-q", "-b", "feature", other.Dir)
	other.Commit(parts("5", "1", "1"))
	other.Write(map[string]string{"low/low.go": "package low\n"}) // not committed, so no part of it
	p := with(t, clone.Dir, nil)
	got, err := p.Review(t.Context(), pipeline.Request{Worktree: other.Dir})
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Review(t.Context(), pipeline.Request{Head: "feature"})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(canonical(t, got), canonical(t, want)) || len(got.Changes.Symbols) != 1 || got.Changes.Symbols[0].Change != report.Body {
		t.Errorf("got %+v", got.Changes)
	}
	if b := got.Provenance.Binding; b.RepositoryRoot != other.Dir {
		t.Errorf("bound to %+v", b)
	}
	stranger := worktreetest.New(t)
	stranger.Commit(parts("1", "1", "1"))
	for claim, path := range map[string]string{"a worktree of another repository": stranger.Dir, "a folder inside a worktree": filepath.Join(other.Dir, "low"), "a folder that is not there": other.Dir + "x"} {
		if _, err := p.Review(t.Context(), pipeline.Request{Worktree: path}); !errors.Is(err, worktree.ErrUnauthorizedRoot) {
			t.Errorf("%s: %v", claim, err)
		}
	}
}

func TestABranchOfTheRemoteIsFoundByItsName(t *testing.T) {
	upstream, _ := remote(t)
	upstream.Git("branch", "feature", "refs/pull/3/head")
	clone := upstream.Clone()
	r, err := with(t, clone.Dir, nil).Review(t.Context(), pipeline.Request{Head: "feature"})
	if err != nil || r.Subject.Head.Ref != "origin/feature" || r.Subject.Head.Commit != string(upstream.Rev("feature")) {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestTheMergeBaseSetsTheRules(t *testing.T) {
	r := worktreetest.New(t)
	files := parts("1", "1", "1")
	files[config.Path] = "ignore: ['top/**']\nfail-on: [untested-change]\ndepth: 1\n"
	r.Commit(files)
	r.Checkout("head", "main")
	changed := parts("2", "1", "2")
	changed[config.Path] = "ignore: ['**']\nfail-on: []\n"
	changed[".github/workflows/ci.yml"] = "on: push\n"
	changed["docs/.gitattributes"], changed[".gitignore"], changed["docs/CODEOWNERS"] = "* text\n", "x\n", "* @a\n"
	changed[".previdence/decisions/1.json"] = "{}\n"
	r.Commit(changed)
	// What lies on disk has no say either.
	r.Write(map[string]string{config.Path: "nonsense: 1\n"})

	req := pipeline.Request{Base: "main", Head: "head"}
	rep, err := with(t, r.Dir, nil).Review(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	c := rep.Provenance.Config
	if c.File != string(r.Rev("main:"+config.Path)) || !slices.Equal(c.Ignore, []string{"top/**"}) || !slices.Equal(c.FailOn, []string{"untested-change"}) || c.Limits.Depth != 1 {
		t.Errorf("in force is %+v", c)
	}
	if rep.Verdict.Outcome != report.Fail || rep.Impact.Depth != 1 || rep.Impact.Total != 1 {
		t.Errorf("outcome %s, impact %+v", rep.Verdict.Outcome, rep.Impact)
	}
	i := slices.IndexFunc(rep.Coverage.Files, func(f report.FileCoverage) bool { return f.Path == "top/top.go" })
	if i < 0 || rep.Coverage.Files[i].State != "ignored" {
		t.Errorf("what is ignored is not in the coverage: %+v", rep.Coverage.Files)
	}
	var edited []string
	for _, c := range rep.Caveats {
		if strings.HasPrefix(c.ID, "rules.") {
			edited = append(edited, c.ID+" "+strings.Join(c.Examples, ","))
			if !strings.Contains(c.Text, "rules of the merge base") {
				t.Errorf("%s says %q", c.ID, c.Text)
			}
		}
	}
	want := []string{"rules.configuration .previdence.yml", "rules.decisions .previdence/decisions/1.json", "rules.owners docs/CODEOWNERS",
		"rules.workflows .github/workflows/ci.yml", "rules.attributes docs/.gitattributes", "rules.ignored .gitignore"}
	if !slices.Equal(edited, want) {
		t.Errorf("edited rules are %q, want %q", edited, want)
	}

	t.Run("what was asked for wins", func(t *testing.T) {
		asked, err := with(t, r.Dir, func(o *pipeline.Options) {
			o.Given = pipeline.Given{Depth: true, FailOn: true}
		}).Review(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		got := asked.Provenance.Config
		if got.Limits.Depth != review.DefaultLimits.Depth || len(got.FailOn) != 0 || !slices.Equal(got.Ignore, c.Ignore) {
			t.Errorf("in force is %+v", got)
		}
		if asked.Provenance.ConfigDigest == rep.Provenance.ConfigDigest || asked.Provenance.InputsDigest == rep.Provenance.InputsDigest {
			t.Error("the digests do not tell the two apart")
		}
		if asked.Provenance.EngineDigest != rep.Provenance.EngineDigest {
			t.Error("the configuration changed the engine")
		}
	})
}

func TestAnUnreadableConfigurationIsRefused(t *testing.T) {
	tests := map[string]func(r *worktreetest.Repo) worktree.OID{
		"an unknown key": func(r *worktreetest.Repo) worktree.OID { return r.Object("blob", "depth: 2\nignored: [x]\n") },
		"a link":         func(r *worktreetest.Repo) worktree.OID { return r.Object("blob", "elsewhere.yml") },
		"a large file": func(r *worktreetest.Repo) worktree.OID {
			return r.Object("blob", strings.Repeat("#", config.MaxBytes+1))
		},
	}
	for claim, make := range tests {
		t.Run(claim, func(t *testing.T) {
			r := worktreetest.New(t)
			mode := "100644"
			if claim == "a link" {
				mode = "120000"
			}
			bad := r.CommitTree(r.Tree(worktreetest.Entry{Mode: mode, Name: config.Path, OID: make(r)}))
			head := r.CommitTree(r.Tree(), bad)
			r.Git("update-ref", "refs/heads/main", string(head))
			_, err := with(t, r.Dir, nil).Review(t.Context(), pipeline.Request{Base: string(bad), Head: string(head)})
			if !errors.Is(err, config.ErrInvalid) {
				t.Errorf("error is %v", err)
			}
			if claim == "an unknown key" && !strings.Contains(err.Error(), "line 2") {
				t.Errorf("%v names no line", err)
			}
			rep, err := with(t, r.Dir, func(o *pipeline.Options) { o.NoConfig = true }).Review(t.Context(), pipeline.Request{Base: string(bad), Head: string(head)})
			if err != nil {
				t.Fatalf("without the configuration: %v", err)
			}
			c := rep.Provenance.Config
			if !c.Unread || c.File != string(r.Rev(string(bad)+":"+config.Path)) || len(c.Ignore)+len(c.FailOn) > 0 || rep.Verdict.Outcome != report.Incomplete || rep.Caveats[0].ID != "rules.not_read" {
				t.Errorf("in force is %+v, outcome %s, caveats %+v", c, rep.Verdict.Outcome, rep.Caveats)
			}
		})
	}
}

// Where there are no rules, none were missed.
func TestNoConfigurationIsMissedWhereThereIsNone(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(parts("1", "1", "1"))
	r.Checkout("head", "main")
	r.Commit(map[string]string{config.Path: "fail-on: [breaks]\n"})
	rep, err := with(t, r.Dir, func(o *pipeline.Options) { o.NoConfig = true }).Review(t.Context(), pipeline.Request{Base: "main", Head: "head"})
	if err != nil {
		t.Fatal(err)
	}
	if c := rep.Provenance.Config; !c.Unread || c.File != "" || rep.Verdict.Outcome != report.Pass {
		t.Errorf("in force is %+v, outcome %s", c, rep.Verdict.Outcome)
	}
	if slices.ContainsFunc(rep.Caveats, func(c report.Caveat) bool { return c.ID == "rules.not_read" }) {
		t.Error("a file that is not there was not read")
	}
}
