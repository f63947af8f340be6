package factcache

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestShrinkKeepsWhatWasUsedLastAndGivesSpaceBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.db")
	for n := range 40 { // each use of the file is a generation
		c := openCache(t, path, 0)
		put(t, c, n)
		closeCache(t, c)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	limit := before.Size() / 2
	if err := Shrink(t.Context(), path, limit); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || after.Size() > limit {
		t.Errorf("%d bytes became %d, %v; want at most %d", before.Size(), after.Size(), err, limit)
	}
	c := openCache(t, path, 0)
	defer closeCache(t, c)
	if get(t, c, 0) != nil || get(t, c, 39) == nil {
		t.Error("the oldest facts are still there, or the newest are not")
	}
}

func TestShrinkMakesNoCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.db")
	if err := Shrink(t.Context(), path, 1); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}

// It waits as long as every writer does.
func TestShrinkSaysThatTheCacheIsInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "facts.db")
	c := openCache(t, path, 0)
	defer closeCache(t, c)
	put(t, c, 1, 2)
	tx, err := c.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Shrink(t.Context(), path, 1); !errors.Is(err, ErrInUse) {
		t.Errorf("got %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if get(t, c, 1) == nil {
		t.Error("facts are gone although nothing was said to be removed")
	}
}
