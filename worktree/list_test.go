package worktree_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// hostileNames are valid in a tree and must come through unchanged.
var hostileNames = []string{
	" ", " lead", "trail ", "é", "e\u0301", "tab\there", "new\nline", `quo"te`, `back\slash`, "\xff\xfe", "\x1b[2J",
	"-rf", "--output=x", "a..b", "...", ".gitignore", ".github", "git", "x.git", "$(id)", "`id`", "CON", "a:b", "‮txt",
	"git~2", "|", "*", "?", "#", "@{u}",
}

func TestListGivesEveryName(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := worktreetest.New(t, "--object-format="+format)
			blob := r.Object("blob", "text\n")
			var entries []worktreetest.Entry
			var want []worktree.Entry
			for _, name := range hostileNames {
				entries = append(entries, worktreetest.Entry{Mode: "100644", Name: name, OID: blob})
				want = append(want, worktree.Entry{Path: name, Mode: worktree.ModeFile, OID: blob, Size: 5},
					worktree.Entry{Path: "dir/" + name, Mode: worktree.ModeFile, OID: blob, Size: 5})
			}
			slices.SortFunc(entries, func(a, b worktreetest.Entry) int { return strings.Compare(a.Name, b.Name) })
			slices.SortFunc(want, func(a, b worktree.Entry) int { return strings.Compare(a.Path, b.Path) })
			dir := r.Tree(entries...)
			tree := r.Tree(append(slices.Clone(entries), worktreetest.Entry{Mode: "40000", Name: "dir", OID: dir})...)
			got, err := r.Open().List(ctx, tree)
			if err != nil || !reflect.DeepEqual(got, worktree.Listing{Entries: want}) {
				t.Fatalf("got %+v, %v, want %+v", got, err, want)
			}
			byGit := strings.Split(strings.TrimSuffix(r.Git("ls-tree", "-r", "-z", "--name-only", string(tree)), "\x00"), "\x00")
			slices.Sort(byGit)
			for i, e := range got.Entries {
				if byGit[i] != e.Path {
					t.Errorf("git lists %q, not %q", byGit[i], e.Path)
				}
			}
		})
	}
}

func TestListGivesModesAndSizes(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	empty, text, link := r.Object("blob", ""), r.Object("blob", "text\n"), r.Object("blob", "../../etc/passwd")
	absent := worktree.OID(strings.Repeat("1", 40))
	tree := r.Tree(
		worktreetest.Entry{Mode: "100644", Name: "absent", OID: absent},
		worktreetest.Entry{Mode: "100644", Name: "empty", OID: empty},
		worktreetest.Entry{Mode: "100755", Name: "exec", OID: text},
		worktreetest.Entry{Mode: "100664", Name: "group", OID: text},
		worktreetest.Entry{Mode: "120000", Name: "link", OID: link},
		worktreetest.Entry{Mode: "160000", Name: "module", OID: absent},
		worktreetest.Entry{Mode: "0100644", Name: "padded", OID: text},
	)
	got, err := r.Open().List(ctx, r.CommitTree(tree))
	if err != nil {
		t.Fatal(err)
	}
	want := []worktree.Entry{
		{Path: "absent", Mode: worktree.ModeFile, OID: absent, Size: -1},
		{Path: "empty", Mode: worktree.ModeFile, OID: empty},
		{Path: "exec", Mode: worktree.ModeExecutable, OID: text, Size: 5},
		{Path: "group", Mode: worktree.ModeFile, OID: text, Size: 5},
		{Path: "link", Mode: worktree.ModeSymlink, OID: link, Size: 16},
		{Path: "module", Mode: worktree.ModeSubmodule, OID: absent},
		{Path: "padded", Mode: worktree.ModeFile, OID: text, Size: 5},
	}
	if !reflect.DeepEqual(got.Entries, want) || len(got.Skipped) > 0 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestListSkipsWhatNoCheckoutMayCreate(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	text := r.Object("blob", "text\n")
	inner := r.Tree(worktreetest.Entry{Mode: "100644", Name: "config", OID: text})
	for _, c := range []struct{ mode, name, reason string }{
		{"40000", ".git", "git dir"},
		{"40000", ".GIT", "git dir"},
		{"40000", ".g\u200cit", "git dir"},
		{"40000", ".git. .", "git dir"},
		{"40000", ".git::$INDEX_ALLOCATION", "git dir"},
		{"40000", "GIT~1", "git dir"},
		{"100644", ".git", "git dir"},
		{"40000", "..", "another folder"},
		{"40000", ".", "another folder"},
		{"100644", "a/b", "slash"},
		{"100644", "../a", "slash"},
		{"100644", "/etc/passwd", "slash"},
		{"100644", "", "empty"},
		{"120000", ".gitmodules", "symlink"},
		{"120000", ".GitModules", "symlink"},
		{"10644", "fifo", "mode"},
		{"0", "none", "mode"},
	} {
		t.Run(fmt.Sprintf("%s %q", c.mode, c.name), func(t *testing.T) {
			oid := text
			if c.mode == "40000" {
				oid = inner
			}
			good := worktreetest.Entry{Mode: "100644", Name: "good", OID: text}
			tree := r.Tree(good, worktreetest.Entry{Mode: c.mode, Name: c.name, OID: oid})
			repo := r.Open()
			got, err := repo.List(ctx, tree)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Entries) != 1 || got.Entries[0].Path != "good" {
				t.Errorf("listed: %+v", got.Entries)
			}
			if len(got.Skipped) != 1 || got.Skipped[0].Path != c.name || !strings.Contains(got.Skipped[0].Reason, c.reason) {
				t.Errorf("skipped: %+v, want %q because of %q", got.Skipped, c.name, c.reason)
			}
			if changes, err := repo.Diff(ctx, r.Tree(good), tree); err != nil || len(changes) > 0 {
				t.Errorf("the diff has %+v, %v", changes, err)
			}
		})
	}
}

func TestListTakesTheFirstOfEqualNames(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	one, two := r.Object("blob", "one\n"), r.Object("blob", "two\n")
	tree := r.Tree(worktreetest.Entry{Mode: "100644", Name: "a", OID: one}, worktreetest.Entry{Mode: "100644", Name: "a", OID: two})
	got, err := r.Open().List(ctx, tree)
	if err != nil || len(got.Entries) != 1 || got.Entries[0].OID != one || len(got.Skipped) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestListIsBounded(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	text := r.Object("blob", "text\n")
	nest := func(name string, depth int) worktree.OID {
		tree := r.Tree(worktreetest.Entry{Mode: "100644", Name: "file", OID: text})
		for range depth {
			tree = r.Tree(worktreetest.Entry{Mode: "40000", Name: name, OID: tree})
		}
		return tree
	}
	repo := r.Open()
	r.GitInput([]byte("100644 "+string(text)+"\t"+strings.Repeat("d/", 256)+"file\n"), "update-index", "--index-info")
	deepest := worktree.OID(r.Git("write-tree"))
	if got, err := repo.List(ctx, deepest); err != nil || len(got.Entries) != 1 || len(got.Skipped) != 0 {
		t.Errorf("just deep enough: %+v, %v", got, err)
	}
	tooDeep := r.Tree(worktreetest.Entry{Mode: "40000", Name: "d", OID: deepest})
	if got, err := repo.List(ctx, tooDeep); err != nil || len(got.Entries) != 0 || len(got.Skipped) != 1 || !strings.Contains(got.Skipped[0].Reason, "deep") {
		t.Errorf("too deep: %+v, %v", got, err)
	}
	if got, err := repo.List(ctx, nest(strings.Repeat("n", 2047), 2)); err != nil || len(got.Entries) != 0 || len(got.Skipped) != 1 || !strings.Contains(got.Skipped[0].Reason, "4096 bytes") {
		t.Errorf("too long a path: %+v, %v", got, err)
	}
	// Ten to the power of ten files in eleven objects.
	bomb := text
	mode := "100644"
	for range 10 {
		var entries []worktreetest.Entry
		for i := range 10 {
			entries = append(entries, worktreetest.Entry{Mode: mode, Name: fmt.Sprint(i), OID: bomb})
		}
		bomb, mode = r.Tree(entries...), "40000"
	}
	if _, err := repo.List(ctx, bomb); !errors.Is(err, worktree.ErrTreeTooLarge) {
		t.Errorf("a tree bomb: %v", err)
	}
	if _, err := repo.Diff(ctx, r.Tree(), bomb); !errors.Is(err, worktree.ErrTreeTooLarge) {
		t.Errorf("the diff of a tree bomb: %v", err)
	}
}

func TestListRefusesATreeThatIsNotWhatItsNameSays(t *testing.T) {
	t.Parallel()
	build := func(t *testing.T) (r *worktreetest.Repo, commit, sub worktree.OID) {
		r = worktreetest.New(t)
		commit = r.Commit(map[string]string{"a/b.txt": "b\n", "c.txt": "c\n"})
		return r, commit, r.Rev("HEAD:a")
	}
	t.Run("missing", func(t *testing.T) {
		r, commit, sub := build(t)
		r.RemoveObject(sub)
		if _, err := r.Open().List(ctx, commit); !errors.Is(err, worktree.ErrObjectMissing) || !strings.Contains(err.Error(), string(sub)) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("swapped", func(t *testing.T) {
		r, commit, sub := build(t)
		r.ReplaceObject(sub, readFile(t, r.LooseObject(r.Tree())))
		if _, err := r.Open().List(ctx, commit); !errors.Is(err, worktree.ErrObjectCorrupt) {
			t.Errorf("got %v", err)
		}
		if _, err := r.Open().Diff(ctx, r.Tree(), commit); !errors.Is(err, worktree.ErrObjectCorrupt) {
			t.Errorf("the diff: %v", err)
		}
	})
	t.Run("damaged", func(t *testing.T) {
		r, commit, sub := build(t)
		r.ReplaceObject(sub, []byte("not zlib"))
		if _, err := r.Open().List(ctx, commit); !errors.Is(err, worktree.ErrObjectCorrupt) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a blob", func(t *testing.T) {
		r, _, _ := build(t)
		tree := r.Tree(worktreetest.Entry{Mode: "40000", Name: "a", OID: r.Rev("HEAD:c.txt")})
		if _, err := r.Open().List(ctx, tree); !errors.Is(err, worktree.ErrObjectCorrupt) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cut off", func(t *testing.T) {
		r, _, _ := build(t)
		if _, err := r.Open().List(ctx, r.Object("tree", "100644 a\x00short")); !errors.Is(err, worktree.ErrObjectCorrupt) {
			t.Errorf("got %v", err)
		}
	})
}

func TestListIsTheSameInEveryKindOfClone(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a/one.txt": "1\n", "b/two.txt": "22\n", "three.txt": "333\n"})
	head := r.Commit(map[string]string{"b/two.txt": "2222\n"})
	want, err := r.Open().List(ctx, head)
	if err != nil || len(want.Entries) != 3 {
		t.Fatalf("%+v, %v", want, err)
	}
	packed := r.Clone()
	packed.Git("gc", "-q")
	borrowed := r.Clone("--shared")
	linked := r.At(filepath.Join(t.TempDir(), "linked"))
	r.Git("worktree", "add", "-q", "--detach", linked.Dir)
	for name, clone := range map[string]*worktreetest.Repo{
		"bare": r.Clone("--bare"), "shallow": r.Clone("--depth=1"), "sparse": r.Clone("--sparse"),
		"packed": packed, "borrowing": borrowed, "without a checkout": r.Clone("--no-checkout"), "linked": linked,
	} {
		if got, err := clone.Open().List(ctx, head); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestAPartialCloneIsNeverCompleted(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	r.Git("config", "uploadpack.allowFilter", "true")
	r.Git("config", "uploadpack.allowAnySHA1InWant", "true")
	base := r.Commit(map[string]string{"a.txt": strings.Repeat("old\n", 50), "same.txt": "moved\n", "x/near.txt": strings.Repeat("near\n", 50)})
	head := r.Commit(map[string]string{"a.txt": strings.Repeat("new\n", 50), "to/same.txt": "moved\n", "y/near.txt": strings.Repeat("near\n", 50) + "more\n"}, "same.txt", "x")
	old := r.Rev(string(base) + ":a.txt")
	partial := r.Clone("--filter=blob:none")
	repo := partial.Open()
	if is, err := repo.Partial(ctx); !is || err != nil {
		t.Error("a partial clone was not noticed")
	}
	objects := func() string { return partial.Git("count-objects", "-v") }
	before := objects()
	listing, err := repo.List(ctx, base)
	if err != nil {
		t.Fatal(err)
	}
	if e := listing.Entries[0]; e.Path != "a.txt" || e.Size != -1 {
		t.Errorf("a missing blob is listed as %+v", e)
	}
	if _, err := repo.Blob(ctx, old, 1<<20); !errors.Is(err, worktree.ErrObjectMissing) {
		t.Errorf("a missing blob: %v", err)
	}
	changes, err := repo.Diff(ctx, base, head)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprintf("%s %s", c.Status, c.Path))
	}
	want := []string{"modified a.txt", "renamed to/same.txt", "removed x/near.txt", "added y/near.txt"}
	if !slices.Equal(got, want) {
		t.Errorf("without contents the diff is %q, want %q", got, want)
	}
	if after := objects(); after != before {
		t.Errorf("something was fetched: %s, before: %s", after, before)
	}
	// The remote is still reachable: a naive git does fetch.
	partial.Git("cat-file", "-p", string(old))
	if objects() == before {
		t.Error("the control fetched nothing, so the test proves nothing")
	}
	treeless := r.Clone("--filter=tree:0", "--no-checkout")
	if _, err := treeless.Open().List(ctx, head); !errors.Is(err, worktree.ErrObjectMissing) {
		t.Errorf("a clone without trees: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(r.Dir, ".git")); err != nil {
		t.Fatal(err)
	}
}
