package worktree_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestBlobsComeInOrderEachWithItsContentOrItsReason(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := worktreetest.New(t, "--object-format="+format)
			blob := func(text string) worktree.OID { return r.Object("blob", text) }
			good, empty, big, odd := blob("good\n"), blob(""), blob(strings.Repeat("x", 101)), blob("missing\nlines\x00\n")
			exact := blob(strings.Repeat("y", 100))
			missing, swapped, damaged, cut, emptied := blob("missing"), blob("swapped"), blob("damaged"), blob(strings.Repeat("cut ", 20)), blob("emptied")
			r.RemoveObject(missing)
			r.ReplaceObject(swapped, readFile(t, r.LooseObject(good)))
			r.ReplaceObject(damaged, []byte("not zlib at all"))
			r.ReplaceObject(emptied, nil)
			whole := readFile(t, r.LooseObject(cut))
			r.ReplaceObject(cut, whole[:len(whole)-6])
			tree := r.Tree()
			cases := []struct {
				name string
				oid  worktree.OID
				text string
				err  error
			}{
				{"good", good, "good\n", nil},
				{"swapped for another", swapped, "", worktree.ErrObjectCorrupt},
				{"empty", empty, "", nil},
				{"missing", missing, "", worktree.ErrObjectMissing},
				{"over the limit", big, "", worktree.ErrTooLarge},
				{"exactly the limit", exact, strings.Repeat("y", 100), nil},
				{"cut off", cut, "", worktree.ErrObjectCorrupt},
				{"odd bytes", odd, "missing\nlines\x00\n", nil},
				{"damaged", damaged, "", worktree.ErrObjectCorrupt},
				{"emptied", emptied, "", worktree.ErrObjectCorrupt},
				{"a tree", tree, "", worktree.ErrObjectCorrupt},
				{"good again", good, "good\n", nil},
				{"cut off again", cut, "", worktree.ErrObjectCorrupt},
				{"missing at the end", missing, "", worktree.ErrObjectMissing},
			}
			var oids []worktree.OID
			for _, c := range cases {
				oids = append(oids, c.oid)
			}
			next := 0
			err := r.Open().Blobs(ctx, oids, 100, func(i int, data []byte, err error) error {
				if i != next {
					t.Fatalf("index %d comes in place of %d", i, next)
				}
				next++
				if c := cases[i]; !errors.Is(err, c.err) || string(data) != c.text {
					t.Errorf("%s: %q, %v, want %q, %v", c.name, data, err, c.text, c.err)
				}
				return nil
			})
			if err != nil || next != len(cases) {
				t.Errorf("%d of %d, %v", next, len(cases), err)
			}
		})
	}
}

func TestBlobsOfManyRounds(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	one, two := r.Object("blob", "one\n"), r.Object("blob", strings.Repeat("two\n", 5000))
	oids := make([]worktree.OID, 9000)
	for i := range oids {
		oids[i] = one
		if i%100 == 0 {
			oids[i] = two
		}
	}
	next, total := 0, 0
	err := r.Open().Blobs(ctx, oids, 1<<20, func(i int, data []byte, err error) error {
		if i != next {
			return fmt.Errorf("index %d comes in place of %d", i, next)
		}
		next++
		total += len(data)
		return err
	})
	if want := 90*20000 + 8910*4; err != nil || next != 9000 || total != want {
		t.Errorf("%d blobs, %d bytes, %v, want %d bytes", next, total, err, want)
	}
}

func TestBlobsEndsWithTheErrorOfItsReader(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	big := r.Object("blob", strings.Repeat("x", 1<<20))
	enough := errors.New("enough")
	calls := 0
	err := r.Open().Blobs(ctx, []worktree.OID{big, big, big}, 1<<30, func(int, []byte, error) error {
		calls++
		return enough
	})
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
	done, cancel := context.WithCancel(ctx)
	err = r.Open().Blobs(done, []worktree.OID{big, big, big}, 1<<30, func(_ int, _ []byte, err error) error {
		cancel()
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled half way: %v", err)
	}
	if err := r.Open().Blobs(done, nil, 1, nil); err != nil {
		t.Errorf("nothing to read: %v", err)
	}
}

func TestOnlyFullObjectIDsAreAskedFor(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	oid := r.Object("blob", "text\n")
	for _, bad := range []worktree.OID{"", "HEAD", oid[:10], oid + "\n", oid + "\ncontents " + oid, worktree.OID(strings.ToUpper(string(oid))), oid + oid[:24]} {
		if data, err := r.Open().Blob(ctx, bad, 100); !errors.Is(err, worktree.ErrObjectMissing) {
			t.Errorf("%q: %q, %v", bad, data, err)
		}
	}
}

func TestAStoreFullOfDamageIsGivenUp(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	var oids []worktree.OID
	for i := range 70 {
		oid := r.Object("blob", strings.Repeat(fmt.Sprint("cut ", i), 20))
		whole := readFile(t, r.LooseObject(oid))
		r.ReplaceObject(oid, whole[:len(whole)-6])
		oids = append(oids, oid)
	}
	corrupt := 0
	err := r.Open().Blobs(ctx, oids, 1<<20, func(_ int, _ []byte, err error) error {
		if errors.Is(err, worktree.ErrObjectCorrupt) {
			corrupt++
		}
		return nil
	})
	if err == nil && corrupt != 70 || err != nil && (!errors.Is(err, worktree.ErrGitFailed) || corrupt < 60) {
		t.Errorf("%d corrupt, %v", corrupt, err)
	}
}

func TestASwappedPackIsNoticed(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.txt": "genuine text\n"})
	oid := r.Rev("HEAD:a.txt")
	forged := worktreetest.New(t)
	forged.Commit(map[string]string{"a.txt": "forged text!\n"})
	other := forged.Rev("HEAD:a.txt")
	// A pack of one object, and an index that gives it the other's name.
	forged.GitInput([]byte(other+"\n"), "pack-objects", "-q", r.Dir+"/.git/objects/pack/pack")
	r.Git("repack", "-q", "-a", "-d")
	names, err := os.ReadDir(r.Dir + "/.git/objects/pack")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), ".idx") {
			continue
		}
		path := r.Dir + "/.git/objects/pack/" + n.Name()
		index := readFile(t, path)
		// Let two names change places: both offsets now lie.
		index = swapNames(t, index, oid, r.Rev("HEAD^{tree}"))
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, index, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := r.Open().Blob(ctx, oid, 100); !errors.Is(err, worktree.ErrObjectCorrupt) {
		t.Errorf("got %q, %v", data, err)
	}
}

// swapNames exchanges the offsets of two objects in a pack index.
func swapNames(t *testing.T, index []byte, a, b worktree.OID) []byte {
	t.Helper()
	const header, fanout = 8, 256 * 4
	n := int(index[header+fanout-2])<<8 | int(index[header+fanout-1])
	names := index[header+fanout:]
	offsets := names[n*20+n*4:]
	position := func(oid worktree.OID) int {
		for i := range n {
			if fmt.Sprintf("%x", names[i*20:i*20+20]) == string(oid) {
				return i
			}
		}
		t.Fatalf("%s is not in the pack", oid)
		return 0
	}
	i, j := position(a), position(b)
	first := bytes.Clone(offsets[i*4 : i*4+4])
	copy(offsets[i*4:], offsets[j*4:j*4+4])
	copy(offsets[j*4:], first)
	return index
}

func TestARepoIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	head := r.Commit(map[string]string{"a.txt": "a\n", "b/c.txt": "c\n"})
	repo := r.Open()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			listing, err := repo.List(ctx, head)
			if err != nil || len(listing.Entries) != 2 {
				t.Errorf("%+v, %v", listing, err)
			}
			if data, err := repo.Blob(ctx, listing.Entries[1].OID, 10); err != nil || string(data) != "c\n" {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
	wg.Wait()
}
