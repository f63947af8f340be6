package worktree_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestPastTellsWhatEachCommitChanged(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	first := r.Commit(map[string]string{"a.txt": "1\n", "dir/ä b": "x\n"})
	second := r.Commit(map[string]string{"a.txt": "2\n"})
	r.Checkout("side", string(first))
	side := r.Commit(map[string]string{"side.txt": "s\n"})
	r.Checkout("joined", string(second))
	merge := r.Merge("side")
	repo := r.Open()
	all, err := repo.Past(nil).Before(ctx, merge, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 4 || !all[0].Merge || len(all[0].Changes) != 0 || all[3].ID != first {
		t.Fatalf("want the merge, which changes nothing by itself, and the first commit last: %+v", all)
	}
	past := all[1:]
	if !slices.Equal(paths(past[2]), []string{"a.txt", "dir/ä b"}) || past[2].Changes[0].Old != "" || past[2].Changes[0].New == "" {
		t.Errorf("the first commit adds its files: %+v", past[2])
	}
	i := slices.IndexFunc(past, func(c worktree.Commit) bool { return c.ID == second })
	if c := past[i].Changes; len(c) != 1 || c[0].Path != "a.txt" || c[0].Old != past[2].Changes[0].New || past[i].Author == "" {
		t.Errorf("%+v", past[i])
	}
	if some, err := repo.Past(nil).Before(ctx, merge, 2); err != nil || !slices.EqualFunc(some, all[:2], func(a, b worktree.Commit) bool { return a.ID == b.ID }) {
		t.Errorf("%v: %+v", err, some)
	}
	new, err := repo.Past(nil).Between(ctx, second, merge, 10)
	if err != nil || len(new) != 2 || new[0].ID != merge || len(new[0].Changes) != 0 || new[1].ID != side {
		t.Errorf("%v: %+v", err, new)
	}
	if day, err := repo.Past(nil).Day(ctx, first); err != nil || len(day) != len("2006-01-02") {
		t.Errorf("%q, %v", day, err)
	}
	for _, id := range []worktree.OID{"--all", ""} {
		if _, err := repo.Past(nil).Before(ctx, id, 1); !errors.Is(err, worktree.ErrBadRevision) {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, c := range []struct {
		commit, from worktree.OID
		want         bool
	}{{merge, side, true}, {merge, merge, true}, {side, second, false}, {first, merge, false}} {
		if got, err := repo.Past(nil).Has(ctx, c.commit, c.from); err != nil || got != c.want {
			t.Errorf("%s has %s: %v, %v", c.commit, c.from, got, err)
		}
	}
	if _, err := repo.Past(nil).Has(ctx, merge, worktree.OID(strings.Repeat("1", 40))); !errors.Is(err, worktree.ErrUnknownRevision) {
		t.Error(err)
	}
}

func paths(c worktree.Commit) []string {
	var list []string
	for _, change := range c.Changes {
		list = append(list, change.Path)
	}
	return list
}

func TestAPastThatWasCutOffIsCounted(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	for _, text := range []string{"1\n", "2\n", "3\n"} {
		r.Commit(map[string]string{"a.txt": text})
	}
	repo := r.Clone("--depth=2").Open()
	_, head, err := repo.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	past, err := repo.Past(nil).Before(ctx, head, 10)
	if err != nil || len(past) != 2 || len(past[0].Changes) != 1 || len(past[1].Changes) != 0 {
		t.Errorf("%v: %+v", err, past)
	}
	cut, err := repo.Past(nil).Cut(ctx, head)
	if err != nil || !slices.Equal(cut, []worktree.OID{past[1].ID}) {
		t.Errorf("%v, %v", cut, err)
	}
	first := r.Rev("main~2")
	if _, err := repo.Past(nil).Has(ctx, head, first); !errors.Is(err, worktree.ErrShallow) {
		t.Errorf("what was cut off may have been an ancestor: %v", err)
	}

	// Whoever has all of it finds the same if told where the other's ended.
	whole := r.Open()
	again, err := whole.Past(cut).Before(ctx, head, 10)
	if err != nil || !reflect.DeepEqual(again, past) {
		t.Errorf("%v: %+v, want %+v", err, again, past)
	}
	if _, err := whole.Past(cut).Has(ctx, head, first); !errors.Is(err, worktree.ErrShallow) {
		t.Error(err)
	}
	if has, err := whole.Past(nil).Has(ctx, head, first); err != nil || !has {
		t.Errorf("%v, %v", has, err)
	}
	if _, err := whole.Past([]worktree.OID{"x\n"}).Before(ctx, head, 1); !errors.Is(err, worktree.ErrBadRevision) {
		t.Error(err)
	}
}
