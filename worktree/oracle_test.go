package worktree_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// What git's own commands say of a tree and of two trees is what List and Diff
// say, over a history of random edits.
func TestListAndDiffAgreeWithGit(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			r := worktreetest.New(t, "--object-format="+format)
			random := rand.New(rand.NewPCG(1, 2))
			files := make(map[string]string)
			var trees []worktree.OID
			for range 12 {
				edit(random, files)
				trees = append(trees, stage(r, files))
			}
			repo := r.Open()
			renames := 0
			for i, b := range trees {
				checkList(t, r, repo, b)
				for _, a := range trees[max(0, i-3):i] {
					renames += checkDiff(t, r, repo, a, b)
				}
			}
			if renames < 20 {
				t.Errorf("only %d renames were compared", renames)
			}
		})
	}
}

// edit adds, changes, moves and removes some files. A file is its mode and its
// text.
func edit(random *rand.Rand, files map[string]string) {
	name := func() string {
		return fmt.Sprintf("%c/%c%c", 'a'+random.IntN(4), 'a'+random.IntN(6), 'a'+random.IntN(6))
	}
	for range 20 {
		var text strings.Builder
		fmt.Fprint(&text, "100644 ")
		for range random.IntN(30) {
			fmt.Fprintf(&text, "line %d\n", random.IntN(1000))
		}
		files[name()] = text.String()
	}
	for range 12 {
		from, to := name(), name()
		if text, ok := files[from]; ok {
			delete(files, from)
			files[to] = text + strings.Repeat("one line more\n", random.IntN(5))
		}
		delete(files, name())
		if text, ok := files[to]; ok && random.IntN(3) == 0 {
			files[to] = "100755" + text[len("100755"):]
		}
	}
}

// stage stores files as a tree.
func stage(r *worktreetest.Repo, files map[string]string) worktree.OID {
	var stream strings.Builder
	stream.WriteString("commit refs/heads/random\ncommitter a <a@example.com> 0 +0000\ndata 0\ndeleteall\n")
	for path, file := range files {
		fmt.Fprintf(&stream, "M %s inline %s\ndata %d\n%s\n", file[:6], path, len(file[7:]), file[7:])
	}
	r.GitInput([]byte(stream.String()), "fast-import", "--quiet", "--force")
	return r.Rev("refs/heads/random^{tree}")
}

func checkList(t *testing.T, r *worktreetest.Repo, repo *worktree.Repo, tree worktree.OID) {
	t.Helper()
	listing, err := repo.List(ctx, tree)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, e := range listing.Entries {
		fmt.Fprintf(&got, "%s blob %s %7d\t%s\x00", e.Mode, e.OID, e.Size, e.Path)
	}
	if want := r.Git("ls-tree", "-r", "-z", "--long", string(tree)); got.String() != want {
		t.Errorf("listed %q, git lists %q", got.String(), want)
	}
}

// checkDiff returns the number of renames.
func checkDiff(t *testing.T, r *worktreetest.Repo, repo *worktree.Repo, a, b worktree.OID) int {
	t.Helper()
	changes, err := repo.Diff(ctx, a, b)
	if err != nil {
		t.Fatal(err)
	}
	letter := map[worktree.Status]string{
		worktree.Added: "A", worktree.Removed: "D", worktree.Modified: "M", worktree.ModeChanged: "M", worktree.TypeChanged: "T",
	}
	none := worktree.OID(strings.Repeat("0", len(a)))
	got := make(map[string]bool)
	renames := 0
	for _, c := range changes {
		if c.Status == worktree.Added {
			c.OldMode, c.OldOID = "000000", none
		}
		if c.Status == worktree.Removed {
			c.Mode, c.OID = "000000", none
		}
		head := fmt.Sprintf(":%s %s %s %s ", c.OldMode, c.Mode, c.OldOID, c.OID)
		if c.Status == worktree.Renamed {
			renames++
			got[fmt.Sprintf("%sR%03d %s %s", head, c.Similarity, c.OldPath, c.Path)] = true
			continue
		}
		got[head+letter[c.Status]+" "+c.Path] = true
	}
	out := r.Git("diff-tree", "-r", "-M", "-z", "--raw", "--no-abbrev", string(a), string(b))
	want := make(map[string]bool)
	for _, record := range strings.Split(out, ":")[1:] {
		want[":"+strings.ReplaceAll(strings.TrimSuffix(record, "\x00"), "\x00", " ")] = true
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("changes are %v, git says %v", got, want)
	}
	return renames
}
