package worktree_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestFetchPullBringsHeadAndBase(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	p.remote.Checkout("main")
	base := p.remote.Commit(map[string]string{"c.txt": "newer than the clone\n"})
	for _, url := range []string{p.remote.Dir, p.url} {
		s := storeOf(t, p.remote.Clone())
		f, err := s.FetchPull(ctx, url, 7)
		want := worktree.Fetched{Number: 7, URL: url, Head: p.head, Base: base, BaseRef: "refs/heads/main"}
		if err != nil || f != want {
			t.Errorf("%+v, %v, want %+v", f, err, want)
		}
	}
	s := storeOf(t, p.clone)
	if _, err := s.FetchPull(ctx, p.url, 7); err != nil {
		t.Fatal(err)
	}
	if bases, err := s.Repo().MergeBases(ctx, base, p.head); err != nil || len(bases) != 1 || bases[0] != p.base {
		t.Errorf("merge bases %v, %v", bases, err)
	}
	// Nothing of it is visible in the repository itself.
	if _, err := p.clone.Open().Resolve(ctx, string(p.head)); !errors.Is(err, worktree.ErrUnknownRevision) {
		t.Errorf("the clone has the head: %v", err)
	}
	if refs := p.clone.Git("for-each-ref", "refs/review", "refs/pull"); refs != "" {
		t.Errorf("the clone has refs: %s", refs)
	}
}

func TestFetchPullFollowsAForcedPush(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	s := p.fetched(t)
	p.remote.Checkout("again", "main")
	head := p.remote.Commit(map[string]string{"b.txt": "another\n"})
	p.remote.Git("update-ref", "refs/pull/7/head", string(head))
	if f, err := s.FetchPull(ctx, p.url, 7); err != nil || f.Head != head {
		t.Errorf("%+v, %v, want the head %s", f, err, head)
	}
}

func TestFetchPullFindsTheBranchThatItGoesInto(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	r := p.remote
	r.Checkout("release", "main")
	release := r.Commit(map[string]string{"release.txt": "x\n"})
	r.Git("update-ref", "refs/pull/7/merge", string(r.CommitTree(r.Rev("HEAD^{tree}"), release, p.head)))
	r.Checkout("main")
	s := storeOf(t, p.clone)
	if f, err := s.FetchPull(ctx, p.url, 7); err != nil || f.BaseRef != "refs/heads/release" || f.Base != release {
		t.Errorf("the trial merge starts from release: %+v, %v", f, err)
	}
	r.Git("branch", "twin", "release")
	if f, err := s.FetchPull(ctx, p.url, 7); err != nil || f.BaseRef != "refs/heads/main" {
		t.Errorf("two branches are at the commit, so neither is meant: %+v, %v", f, err)
	}
	r.Git("branch", "-q", "-D", "twin", "release")
	if f, err := s.FetchPull(ctx, p.url, 7); err != nil || f.BaseRef != "refs/heads/main" || f.Base != p.base {
		t.Errorf("the branch is gone: %+v, %v", f, err)
	}
	r.Git("symbolic-ref", "HEAD", "refs/heads/nowhere")
	if f, err := s.FetchPull(ctx, p.url, 7); err != nil || f.BaseRef != "refs/heads/main" {
		t.Errorf("HEAD names no branch that is there: %+v, %v", f, err)
	}
	r.Git("branch", "-q", "-m", "main", "trunk")
	if f, err := s.FetchPull(ctx, p.url, 7); !errors.Is(err, worktree.ErrNoDefaultBase) {
		t.Errorf("no default branch: %+v, %v", f, err)
	}
}

func TestFetchPullRefuses(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	s := storeOf(t, p.clone)
	stopped, stop := context.WithCancel(ctx)
	stop()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		url    string
		number int
		want   error
	}{
		{"a number that the remote lacks", ctx, p.url, 8, worktree.ErrNoPullRequest},
		{"the number zero", ctx, p.url, 0, worktree.ErrNoPullRequest},
		{"a negative number", ctx, p.url, -7, worktree.ErrNoPullRequest},
		{"a remote that is not there", ctx, p.url + "-not", 7, worktree.ErrFetchFailed},
		{"a program as a URL", ctx, "ext::sh -c id", 7, worktree.ErrBadURL},
		{"an option as a URL", ctx, "--upload-pack=id", 7, worktree.ErrBadURL},
		{"a relative path", ctx, "../remote", 7, worktree.ErrBadURL},
		{"a call that has ended", stopped, p.url, 7, context.Canceled},
	} {
		if f, err := s.FetchPull(c.ctx, c.url, c.number); !errors.Is(err, c.want) {
			t.Errorf("%s: %+v, %v, want %v", c.name, f, err, c.want)
		}
	}
	_, err := s.FetchPull(ctx, "ftp://user:secret@example.com/o/r", 7)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the password is in the message: %v", err)
	}
}

func TestFetchPullRefusesMalformedObjects(t *testing.T) {
	t.Parallel()
	for name, entry := range map[string]string{"a folder .git": ".git", "a way out": "..", "a path in one entry": "a/b"} {
		p := newPulls(t, map[string]string{"b.txt": "b\n"})
		r := p.remote
		file := r.Tree(worktreetest.Entry{Mode: "100644", Name: "config", OID: r.Object("blob", "x\n")})
		bad := r.CommitTree(r.Tree(worktreetest.Entry{Mode: "40000", Name: entry, OID: file}), p.base)
		r.Git("update-ref", "refs/pull/7/head", string(bad))
		s := storeOf(t, p.clone)
		if f, err := s.FetchPull(ctx, p.url, 7); !errors.Is(err, worktree.ErrFetchFailed) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
		if _, err := s.Repo().Resolve(ctx, "refs/review/pr/7/head"); !errors.Is(err, worktree.ErrUnknownRevision) {
			t.Errorf("%s: it is in the store: %v", name, err)
		}
	}
}

func TestFetchPullTakesOddButHarmlessCommits(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	r := p.remote
	odd := r.Object("commit", "tree "+string(r.Rev("main^{tree}"))+"\nparent "+string(p.base)+
		"\nauthor A <a@example.com> 1700000000 +051800\ncommitter A<a@example.com> 01700000000 +0000\n\nodd\n")
	r.Git("update-ref", "refs/pull/7/head", string(odd))
	if f, err := storeOf(t, p.clone).FetchPull(ctx, p.url, 7); err != nil || f.Head != odd {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestFetchPullWorksFromAPartialAndAShallowClone(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	p.remote.Git("config", "uploadpack.allowFilter", "true")
	for _, arg := range []string{"--filter=blob:none", "--depth=1"} {
		clone := p.remote.Clone(arg)
		s := storeOf(t, clone)
		if f, err := s.FetchPull(ctx, p.url, 7); err != nil || f.Head != p.head {
			t.Errorf("%s: %+v, %v", arg, f, err)
		}
	}
}

func TestManyFetchesAndCheckoutsAtOnceDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	p.remote.Git("update-ref", "refs/pull/8/head", string(p.base))
	parent := filepath.Join(t.TempDir(), "state")
	errs := make(chan error)
	for i := range 6 {
		go func() {
			r, err := worktree.Open(ctx, p.clone.Dir)
			if err != nil {
				errs <- err
				return
			}
			s, err := r.Store(ctx)
			if err != nil {
				errs <- err
				return
			}
			f, err := s.FetchPull(ctx, p.url, 7+i%2)
			if err == nil {
				_, err = s.Add(ctx, f.Number, f.Head, parent, nil)
			}
			errs <- err
		}()
	}
	for range 6 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	made, err := storeOf(t, p.clone).Checkouts(ctx)
	if err != nil || len(made) != 2 || made[0].State != worktree.CheckoutReady || made[1].State != worktree.CheckoutReady {
		t.Errorf("%+v, %v", made, err)
	}
}

func TestFetchPullBringsAgainWhatTheRepositoryDropped(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	p.clone.Git("fetch", "-q", "origin", "refs/pull/7/head:refs/heads/keep")
	s := p.fetched(t) // the objects are borrowed
	p.clone.Git("branch", "-q", "-D", "keep")
	p.clone.Git("reflog", "expire", "--all", "--expire=now")
	p.clone.Git("gc", "-q", "--prune=now")
	if _, err := s.Repo().List(ctx, p.head); !errors.Is(err, worktree.ErrObjectMissing) {
		t.Fatalf("the head is still there: %v", err)
	}
	f, err := s.FetchPull(ctx, p.url, 7)
	if err != nil {
		t.Fatal(err)
	}
	if listing, err := s.Repo().List(ctx, f.Head); err != nil || len(listing.Entries) != 2 {
		t.Errorf("%+v, %v", listing, err)
	}
}
