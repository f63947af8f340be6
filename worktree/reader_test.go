package worktree_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// answers asks everything that both a Repo and a Reader answer.
func answers(t *testing.T, r interface {
	List(ctx context.Context, tree worktree.OID) (worktree.Listing, error)
	Diff(ctx context.Context, a, b worktree.OID) ([]worktree.Change, error)
	TreeOf(ctx context.Context, commit worktree.OID) (worktree.OID, error)
	Blobs(ctx context.Context, oids []worktree.OID, limit int64, fn func(i int, data []byte, err error) error) error
}, a, b worktree.OID) []any {
	t.Helper()
	tree, err := r.TreeOf(ctx, b)
	listing, err2 := r.List(ctx, tree)
	changes, err3 := r.Diff(ctx, a, b)
	if err := errors.Join(err, err2, err3); err != nil {
		t.Error(err)
		return nil
	}
	var texts []string
	for range 2 {
		err = r.Blobs(ctx, []worktree.OID{listing.Entries[0].OID, tree}, 100, func(_ int, data []byte, err error) error {
			if err != nil {
				data = []byte("error")
			}
			texts = append(texts, string(data))
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	return []any{tree, listing, changes, texts}
}

func TestAReaderGivesTheAnswersOfItsRepo(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	a := r.Commit(map[string]string{"a.txt": "a\n", "b/c.txt": "c\n"})
	b := r.Commit(map[string]string{"a.txt": "b\n", "d.txt": "d\n"})
	want := answers(t, r.Open(), a, b)
	reader := r.Open().Reader()
	defer reader.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 3 {
				if got := answers(t, reader, a, b); !reflect.DeepEqual(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestAReaderSeesObjectsThatCameLater(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	reader := r.Open().Reader()
	defer reader.Close()
	for i, text := range []string{"one\n", "two\n", "three\n"} {
		commit := r.Commit(map[string]string{"a.txt": text})
		r.Git("gc", "-q", "--prune=now")
		l, err := reader.List(ctx, commit)
		if err != nil || len(l.Entries) != 1 || l.Entries[0].Size != int64(len(text)) {
			t.Errorf("commit %d: %v, %v", i, l, err)
		}
	}
}

func TestAReaderIsWholeAfterAUseThatFailed(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	big := r.Object("blob", strings.Repeat("x", 1<<20))
	reader := r.Open().Reader()
	enough := errors.New("enough")
	read := func(ctx context.Context, fail error) (n int, err error) {
		err = reader.Blobs(ctx, []worktree.OID{big, big, big}, 1<<30, func(_ int, data []byte, err error) error {
			n += len(data)
			return errors.Join(err, fail)
		})
		return n, err
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for range 3 {
		if n, err := read(ctx, enough); n != 1<<20 || !errors.Is(err, enough) {
			t.Errorf("a use that fails: %d bytes, %v", n, err)
		}
		if _, err := read(canceled, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("a use that is canceled: %v", err)
		}
		if n, err := read(ctx, nil); n != 3<<20 || err != nil {
			t.Errorf("the next use: %d bytes, %v", n, err)
		}
	}
	reader.Close()
	if n, err := read(ctx, nil); n != 3<<20 || err != nil {
		t.Errorf("after Close: %d bytes, %v", n, err)
	}
}
