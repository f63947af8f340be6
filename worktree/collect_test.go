package worktree_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// noise is a text that does not become smaller.
func noise(seed uint64, bytes int) string {
	random := rand.New(rand.NewPCG(seed, 1))
	text := make([]byte, bytes)
	for i := range text {
		text[i] = byte('!' + random.IntN(90))
	}
	return string(text)
}

// pull makes a pull request of the remote with 20,000 bytes of its own.
func (p *pulls) pull(number int, seed uint64) worktree.OID {
	p.remote.Checkout("work", "main")
	head := p.remote.Commit(map[string]string{fmt.Sprintf("n%d.txt", number): noise(seed, 20_000)})
	p.remote.Git("update-ref", fmt.Sprintf("refs/pull/%d/head", number), string(head))
	p.remote.Checkout("main")
	p.remote.Git("branch", "-q", "-D", "work")
	return head
}

func has(s *worktree.Store, oid worktree.OID) bool {
	_, err := s.Repo().List(ctx, oid)
	return err == nil
}

func TestForgottenPullRequestsGoWithTheirObjectsAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(*pulls) *worktreetest.Repo{
		"a clone":         func(p *pulls) *worktreetest.Repo { return p.clone },
		"a partial clone": func(p *pulls) *worktreetest.Repo { return p.remote.Clone("--filter=blob:none") },
		"a shallow clone": func(p *pulls) *worktreetest.Repo { return p.remote.Clone("--depth=1") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPulls(t, map[string]string{"b.txt": noise(7, 20_000)})
			p.remote.Git("config", "uploadpack.allowFilter", "true")
			heads := map[int]worktree.OID{7: p.head, 8: p.pull(8, 8), 9: p.pull(9, 9)}
			s := storeOf(t, make(p))
			for _, number := range []int{9, 8, 7} {
				if _, err := s.FetchPull(ctx, p.url, number); err != nil {
					t.Fatal(err)
				}
			}
			state := filepath.Join(t.TempDir(), "state")
			c, err := s.Add(ctx, 8, heads[8], state, nil)
			must(t, err)
			if got, err := s.Pulls(ctx); err != nil || !slices.Equal(got, []int{9, 7}) {
				t.Errorf("pull requests %v, %v, want the one first that was fetched first", got, err)
			}
			// Another fetch makes a pull request young; a new head takes the place of
			// the one that is checked out.
			if _, err := s.FetchPull(ctx, p.url, 9); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Pulls(ctx); err != nil || !slices.Equal(got, []int{7, 9}) {
				t.Errorf("pull requests %v, %v, want the one first that was fetched first", got, err)
			}
			moved := p.pull(8, 80)
			if _, err := s.FetchPull(ctx, p.url, 8); err != nil {
				t.Fatal(err)
			}
			forced, lost := p.pull(9, 90), heads[9]
			if _, err := s.FetchPull(ctx, p.url, 9); err != nil {
				t.Fatal(err)
			}
			checkout := p.clone.At(c.Root)
			must(t, os.WriteFile(filepath.Join(c.Root, "staged.txt"), []byte(noise(5, 1000)), 0o600))
			checkout.Git("add", "staged.txt")

			bytes, err := s.Forget(ctx, 7, 8, 99)
			must(t, err)
			if bytes < 20_000 {
				t.Errorf("only %d bytes are gone", bytes)
			}
			for claim, is := range map[string]bool{
				"the head that was forgotten is gone":          !has(s, heads[7]),
				"a head that a forced push left is gone":       !has(s, lost),
				"the head that took its place is there":        has(s, forced),
				"the head of the checkout is there":            has(s, heads[8]),
				"the newer head of that pull request is there": has(s, moved),
				"what the repository lends is there":           has(s, p.base),
			} {
				if !is {
					t.Errorf("not so: %s", claim)
				}
			}
			if got := checkout.Git("diff", "--cached", "--name-only"); got != "staged.txt" || checkout.Git("cat-file", "-s", ":staged.txt") != "1000" {
				t.Errorf("staged is %q", got)
			}
			checkout.Git("fsck", "--no-dangling", "--connectivity-only")
			if f, err := s.FetchPull(ctx, p.url, 7); err != nil || f.Head != heads[7] || !has(s, heads[7]) {
				t.Errorf("fetched again: %+v, %v", f, err)
			}
		})
	}
}

func TestRefusesToForgetWhileTheStoreIsUsed(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": noise(7, 20_000)})
	if p.clone.Open().HasStore() {
		t.Error("there is a store before anybody made one")
	}
	if held, err := p.clone.Open().Hold(ctx); err != nil || held.Close() != nil {
		t.Errorf("a repository without a store: %v", err)
	}
	s := p.fetched(t)
	first, err := p.clone.Open().Hold(ctx)
	must(t, err)
	second, err := s.Repo().Hold(ctx)
	must(t, err, first.Close())
	if bytes, err := s.Forget(ctx, 7); !errors.Is(err, worktree.ErrStoreInUse) || bytes != 0 || !has(s, p.head) {
		t.Errorf("while it is used: %d bytes, %v", bytes, err)
	}
	must(t, second.Close())
	if _, err := s.Forget(ctx, 7); err != nil || has(s, p.head) {
		t.Errorf("afterwards: %v", err)
	}
}

// The repository may drop an object that a pull request is built on.
func TestAPullRequestWhoseGroundIsGoneIsFetchedAgain(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": noise(7, 20_000)})
	branch := p.remote.Commit(map[string]string{"c.txt": "c\n"})
	p.clone.Git("fetch", "-q", "origin")
	p.remote.Checkout("work", string(branch))
	head := p.remote.Commit(map[string]string{"d.txt": noise(1, 20_000)})
	p.remote.Git("update-ref", "refs/pull/8/head", string(head))
	p.remote.Checkout("main")
	s := p.fetched(t)
	if _, err := s.FetchPull(ctx, p.url, 8); err != nil {
		t.Fatal(err)
	}
	p.clone.Git("update-ref", "-d", "refs/remotes/origin/main")
	p.clone.Git("update-ref", "-d", "refs/remotes/origin/HEAD")
	p.clone.Git("-c", "gc.reflogExpire=now", "-c", "gc.reflogExpireUnreachable=now", "gc", "-q", "--prune=now")
	if _, err := s.Forget(ctx, 7); err == nil {
		t.Error("it went well although an object is missing")
	}
	if f, err := s.FetchPull(ctx, p.url, 8); err != nil || f.Head != head || !has(s, head) {
		t.Errorf("fetched again: %+v, %v", f, err)
	}
}

// The same for a pull request that is checked out: it blocks no other, and comes back.
func TestACheckoutWhoseCommitIsGoneIsFetchedAgainWithTheNext(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	p.clone.Git("fetch", "-q", "origin", "refs/pull/7/head:refs/heads/lender")
	p.remote.Checkout("work", "main")
	other := p.remote.Commit(map[string]string{"d.txt": "d\n"})
	p.remote.Git("update-ref", "refs/pull/8/head", string(other))
	p.remote.Checkout("main")
	s, c := p.checkedOut(t)
	p.clone.Git("branch", "-q", "-D", "lender")
	p.clone.Git("-c", "gc.reflogExpire=now", "-c", "gc.reflogExpireUnreachable=now", "gc", "-q", "--prune=now")
	if has(s, p.head) {
		t.Fatal("the commit is still there, so nothing is tested")
	}
	state := func() worktree.CheckoutState {
		all, err := s.Checkouts(ctx)
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		return all[0].State
	}
	if got := state(); got != worktree.CheckoutLost {
		t.Errorf("without its commit it is %s", got)
	}
	if err := s.Remove(ctx, c.Root, nil); !errors.Is(err, worktree.ErrCheckoutLost) {
		t.Errorf("removed without a look: %v", err)
	}
	if f, err := s.FetchPull(ctx, p.url, 8); err != nil || f.Head != other || !has(s, other) {
		t.Fatalf("the other: %+v, %v", f, err)
	}
	if got := state(); got != worktree.CheckoutReady || !has(s, p.head) {
		t.Errorf("afterwards it is %s", got)
	}
	if err := s.Remove(ctx, c.Root, nil); err != nil {
		t.Error(err)
	}
}
