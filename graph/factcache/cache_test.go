package factcache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/previdence/previdence/graph"
)

func openCache(t testing.TB, path string, limit int64) *Cache {
	t.Helper()
	c, err := Open(t.Context(), path, limit)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func closeCache(t testing.TB, c *Cache) {
	t.Helper()
	if err := c.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// entry makes facts that tell which entry they belong to.
func entry(n int) Entry {
	f := filled(rand.New(rand.NewPCG(uint64(n), 1)), 3)
	f.Package = fmt.Sprint("p", n)
	return Entry{Key{fmt.Sprintf("%040x", n), "go", 7}, f}
}

func get(t testing.TB, c *Cache, n int) *graph.Facts {
	t.Helper()
	found, err := c.Get(t.Context(), []Key{entry(n).Key})
	if err != nil {
		t.Fatal(err)
	}
	return found[entry(n).Key]
}

func put(t testing.TB, c *Cache, numbers ...int) {
	t.Helper()
	var entries []Entry
	for _, n := range numbers {
		entries = append(entries, entry(n))
	}
	if err := c.Put(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
}

func TestFactsAreFoundUnderTheirKeyOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a?b#c", "facts.db")
	c := openCache(t, path, 0)
	put(t, c, 1, 2, 3)
	closeCache(t, c)
	c = openCache(t, path, 0)
	defer closeCache(t, c)
	if got := get(t, c, 2); !reflect.DeepEqual(got, entry(2).Facts) {
		t.Errorf("got %+v", got)
	}
	k := entry(2).Key
	others := []Key{{k.Blob, "python", 7}, {k.Blob, "go", 8}, {entry(9).Key.Blob, "go", 7}}
	found, err := c.Get(t.Context(), others)
	if err != nil || len(found) != 0 {
		t.Errorf("other keys give %v, %v", found, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode is %v, %v", info.Mode(), err)
	}
}

func TestManyKeysAtOnce(t *testing.T) {
	c := openCache(t, filepath.Join(t.TempDir(), "facts.db"), 0)
	defer closeCache(t, c)
	var entries []Entry
	var keys []Key
	for n := range 3*batch + 1 {
		e := entry(n)
		keys = append(keys, e.Key)
		if n%2 == 0 {
			entries = append(entries, e)
		}
	}
	if err := c.Put(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	found, err := c.Get(t.Context(), keys)
	if err != nil || len(found) != len(entries) {
		t.Fatalf("%d of %d found, %v", len(found), len(entries), err)
	}
	for _, e := range entries {
		if found[e.Key].Package != e.Facts.Package {
			t.Fatalf("%v gives the facts of another blob", e.Key)
		}
	}
}

func TestDamagedValuesAreAbsent(t *testing.T) {
	for name, statements := range map[string]string{
		"a changed byte":      "UPDATE facts SET value = substr(value, 1, 40) || x'ff' || substr(value, 42)",
		"an empty value":      "UPDATE facts SET value = x''",
		"another key's value": "UPDATE facts SET value = (SELECT value FROM facts ORDER BY id LIMIT 1)",
		"text":                "UPDATE facts SET value = 'facts'",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "facts.db")
			c := openCache(t, path, 0)
			put(t, c, 1, 2)
			closeCache(t, c)
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(), statements); err != nil {
				t.Fatal(err)
			}
			db.Close()
			c = openCache(t, path, 0)
			defer closeCache(t, c)
			for n := 1; n <= 2; n++ {
				if got := get(t, c, n); got != nil && !reflect.DeepEqual(got, entry(n).Facts) {
					t.Errorf("entry %d gives facts of another", n)
				}
			}
			if name != "another key's value" && (get(t, c, 1) != nil || get(t, c, 2) != nil) {
				t.Error("damaged facts were found")
			}
			put(t, c, 1, 2)
			if get(t, c, 1) == nil || get(t, c, 2) == nil {
				t.Error("damaged facts were not replaced")
			}
		})
	}
}

func TestFilesThatAreNoCacheAreReplaced(t *testing.T) {
	foreign := func(statements string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.ExecContext(t.Context(), statements); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, make := range map[string]func(t *testing.T, path string){
		"text": func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("not a database, but long enough to be read as the head of one, which takes a hundred bytes or more"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"another database": foreign("CREATE TABLE x(y)"),
		"another version":  foreign("PRAGMA application_id=1347568966; PRAGMA user_version=99;" + schema),
		"a planted trigger": foreign(fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", applicationID, schemaVersion) + schema +
			"CREATE TRIGGER t AFTER INSERT ON facts BEGIN DELETE FROM facts; END"),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "facts.db")
			make(t, path)
			c := openCache(t, path, 0)
			defer closeCache(t, c)
			put(t, c, 1)
			if get(t, c, 1) == nil {
				t.Error("facts are not kept")
			}
		})
	}
}

func TestCorruptPagesAreNoError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.db")
	c := openCache(t, path, 0)
	for n := range 200 {
		put(t, c, n)
	}
	closeCache(t, c)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(data); i++ {
		data[i] = 0xa5
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err = Open(t.Context(), path, 0)
	if err != nil {
		t.Fatal(err)
	}
	var keys []Key
	for n := range 200 {
		keys = append(keys, entry(n).Key)
	}
	if found, _ := c.Get(t.Context(), keys); len(found) != 0 { // the error only says why
		t.Error("facts were found in a ruined file")
	}
	closeCache(t, c)
	c = openCache(t, path, 0)
	defer closeCache(t, c)
	put(t, c, 1)
	if get(t, c, 1) == nil {
		t.Error("the ruined file was not replaced")
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "link")), os.Mkdir(filepath.Join(dir, "folder"), 0o700), os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "folder", "file/facts.db"} {
		if c, err := Open(t.Context(), filepath.Join(dir, name), 0); !errors.Is(err, ErrUnusable) || c != nil {
			t.Errorf("%s: got %v, %v", name, c, err)
		}
	}
}

func TestLeastRecentlyUsedGoFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.db")
	size := int64(len(Encode(entry(0).Facts)) + sealSize)
	limit := 20 * size
	for generation := range 12 {
		c := openCache(t, path, limit)
		put(t, c, generation*3, generation*3+1, generation*3+2)
		if generation > 0 && get(t, c, 0) == nil {
			t.Fatalf("what is used in every generation is gone in generation %d", generation)
		}
		closeCache(t, c)
	}
	c := openCache(t, path, limit)
	defer closeCache(t, c)
	kept := 0
	for n := range 36 {
		if get(t, c, n) != nil {
			kept++
		}
	}
	if kept < 10 || kept > 21 {
		t.Errorf("%d entries are kept under a limit of 20", kept)
	}
	if get(t, c, 35) == nil || get(t, c, 1) != nil {
		t.Error("the newest is gone, or the oldest is kept")
	}
}

// What linkers keep goes by the rules of facts, and while the file is open too.
func TestPartsCountAgainstTheLimit(t *testing.T) {
	const size, limit = 1000, 20_000
	part := func(n int) string { return fmt.Sprintf("part %d", n) }
	path := filepath.Join(t.TempDir(), "facts.db")
	old := openCache(t, path, limit)
	put(t, old, 1, 2)
	if err := old.Keep(t.Context(), map[string][]byte{part(0): make([]byte, size)}); err != nil {
		t.Fatal(err)
	}
	closeCache(t, old)
	c := openCache(t, path, limit)
	for n := range 100 {
		if err := c.Keep(t.Context(), map[string][]byte{part(n + 1): make([]byte, size)}); err != nil {
			t.Fatal(err)
		}
		var total int64
		if err := c.db.QueryRowContext(t.Context(), "SELECT sum(size) FROM uses").Scan(&total); err != nil {
			t.Fatal(err)
		}
		if total > limit+limit/10+2*size {
			t.Fatalf("%d bytes are kept under a limit of %d while the file is open", total, limit)
		}
	}
	if found, err := c.Recall(t.Context(), []string{part(0)}); err != nil || len(found) > 0 || get(t, c, 1) != nil {
		t.Errorf("what an earlier use kept is still there: %d parts, %v", len(found), err)
	}
	if err := c.Keep(t.Context(), map[string][]byte{"last": make([]byte, size)}); err != nil {
		t.Fatal(err)
	}
	closeCache(t, c)
}

func TestSeveralWritersAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.db")
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			c, err := Open(t.Context(), path, 0)
			if err != nil {
				t.Error(err)
				return
			}
			for n := range 20 {
				if err := c.Put(t.Context(), []Entry{entry(w*10 + n)}); err != nil {
					t.Error(err)
				}
				if _, err := c.Get(t.Context(), []Key{entry(n).Key}); err != nil {
					t.Error(err)
				}
			}
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	c := openCache(t, path, 0)
	defer closeCache(t, c)
	for n := range 50 {
		if get(t, c, n) == nil {
			t.Fatalf("entry %d is lost", n)
		}
	}
}
