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

func TestDiffNamesWhatBecameOfEachFile(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := worktreetest.New(t, "--object-format="+format)
			one, two := r.Object("blob", "one\n"), r.Object("blob", "two\n")
			body := strings.Repeat("a line of some length\n", 40)
			long, longer := r.Object("blob", body), r.Object("blob", body+"more\n")
			commit := r.Commit(nil)
			file := func(name string, oid worktree.OID) worktreetest.Entry {
				return worktreetest.Entry{Mode: "100644", Name: name, OID: oid}
			}
			as := func(mode, name string, oid worktree.OID) worktreetest.Entry {
				return worktreetest.Entry{Mode: mode, Name: name, OID: oid}
			}
			a := r.Tree(file("becomes-dir", one), as("40000", "becomes-file", r.Tree(file("in", two))), file("edited", one), file("exec", one),
				file("kept", one), file("link", one), as("160000", "module", commit), file("moved-old", long), file("removed", two))
			b := r.Tree(file("added", r.Object("blob", "brand new\n")), as("40000", "becomes-dir", r.Tree(file("in", r.Object("blob", "x\n")))), file("becomes-file", r.Object("blob", "y\n")),
				file("edited", two), as("100755", "exec", one), file("kept", one), as("120000", "link", one), as("160000", "module", r.Commit(nil)), as("100755", "moved-new", longer))
			const f, x = worktree.ModeFile, worktree.ModeExecutable
			rev := func(tree worktree.OID, path string) worktree.OID { return r.Rev(string(tree) + ":" + path) }
			want := []worktree.Change{
				{Status: worktree.Added, Path: "added", Mode: f, OID: rev(b, "added")},
				{Status: worktree.Removed, OldPath: "becomes-dir", Path: "becomes-dir", OldMode: f, OldOID: one},
				{Status: worktree.Added, Path: "becomes-dir/in", Mode: f, OID: rev(b, "becomes-dir/in")},
				{Status: worktree.Added, Path: "becomes-file", Mode: f, OID: rev(b, "becomes-file")},
				{Status: worktree.Removed, OldPath: "becomes-file/in", Path: "becomes-file/in", OldMode: f, OldOID: two},
				{Status: worktree.Modified, OldPath: "edited", Path: "edited", OldMode: f, Mode: f, OldOID: one, OID: two},
				{Status: worktree.ModeChanged, OldPath: "exec", Path: "exec", OldMode: f, Mode: x, OldOID: one, OID: one},
				{Status: worktree.TypeChanged, OldPath: "link", Path: "link", OldMode: f, Mode: worktree.ModeSymlink, OldOID: one, OID: one},
				{Status: worktree.Modified, OldPath: "module", Path: "module", OldMode: worktree.ModeSubmodule, Mode: worktree.ModeSubmodule, OldOID: commit, OID: rev(b, "module")},
				{Status: worktree.Renamed, OldPath: "moved-old", Path: "moved-new", OldMode: f, Mode: x, OldOID: long, OID: longer, Similarity: 99},
				{Status: worktree.Removed, OldPath: "removed", Path: "removed", OldMode: f, OldOID: two},
			}
			for name, pair := range map[string][2]worktree.OID{"trees": {a, b}, "commits": {r.CommitTree(a), r.CommitTree(b)}} {
				got, err := r.Open().Diff(ctx, pair[0], pair[1])
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %v\ngot  %+v\nwant %+v", name, err, got, want)
				}
			}
			if got, err := r.Open().Diff(ctx, a, a); err != nil || len(got) > 0 {
				t.Errorf("nothing changed: %+v, %v", got, err)
			}
		})
	}
}

func TestDiffGivesEveryName(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	text := strings.Repeat("a line\n", 20)
	for i, name := range hostileNames {
		// One content per file, so that each rename has one answer.
		own := r.Object("blob", text+strings.Repeat("x", i)+"\n")
		before := r.Tree(worktreetest.Entry{Mode: "100644", Name: name, OID: own})
		after := r.Tree(worktreetest.Entry{Mode: "40000", Name: "d", OID: before})
		got, err := r.Open().Diff(ctx, before, after)
		if err != nil || len(got) != 1 || got[0].Status != worktree.Renamed || got[0].OldPath != name || got[0].Path != "d/"+name || got[0].Similarity != 100 {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
}

func TestDiffIgnoresConfiguration(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	body := strings.Repeat("a line\r\n", 30)
	a := r.Commit(map[string]string{".gitattributes": "*.txt binary diff=x\n", "old.txt": body, "b.txt": "1\n", "c.txt": "1\n"})
	b := r.Commit(map[string]string{"new.txt": strings.ReplaceAll(body, "\r", "") + "more\n", "b.txt": "2\n"}, "old.txt", "c.txt")
	want, err := r.Open().Diff(ctx, a, b)
	if err != nil || len(want) != 3 {
		t.Fatalf("%+v, %v", want, err)
	}
	clone := r.Clone()
	repo := clone.Open()
	for _, pair := range []string{
		"diff.mnemonicPrefix=true", "diff.noprefix=true", "diff.renames=false", "diff.renameLimit=1", "diff.external=false",
		"diff.x.textconv=false", "diff.x.binary=true", "diff.orderFile=/nonexistent", "diff.ignoreSubmodules=all", "diff.relative=true",
		"core.quotePath=true", "core.bigFileThreshold=1", "diff.algorithm=patience", "core.abbrev=4", "color.ui=always", "diff.dirstat=broken",
		"core.attributesFile=/nonexistent", "core.precomposeUnicode=true", "core.ignoreCase=true",
	} {
		key, value, _ := strings.Cut(pair, "=")
		clone.Git("config", key, value)
		if got, err := repo.Diff(ctx, a, b); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", pair, got, err, want)
		}
		clone.Git("config", "--unset", key)
	}
	// What is checked out plays no part either.
	r.Write(map[string]string{".gitattributes": "*.txt text eol=crlf\n"})
	writeFile(t, r.Dir+"/.git/info/attributes", "*.txt -text binary\n")
	if got, err := r.Open().Diff(ctx, a, b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("with other attributes: %+v, %v, want %+v", got, err, want)
	}
}

func TestDiffOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	head := r.Commit(map[string]string{"a.txt": "a\n"})
	if _, err := r.Open().Diff(ctx, worktree.OID(strings.Repeat("1", 40)), head); !errors.Is(err, worktree.ErrObjectMissing) {
		t.Errorf("got %v", err)
	}
	if _, err := r.Open().Diff(ctx, head, r.Rev("HEAD:a.txt")); !errors.Is(err, worktree.ErrNotCommit) {
		t.Errorf("a blob: %v", err)
	}
}

func TestLargeFilesAreRenamedByEqualContentOnly(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	large := strings.Repeat("0123456789abcde\n", 1<<20+1)
	same, old, edited := r.Object("blob", large), r.Object("blob", large+"old\n"), r.Object("blob", large+"new\n")
	body := strings.Repeat("a line of some length\n", 40)
	file := func(name string, oid worktree.OID) worktreetest.Entry {
		return worktreetest.Entry{Mode: "100644", Name: name, OID: oid}
	}
	a := r.Tree(file(":(glob)*", old), file("same-old", same), file("small-old", r.Object("blob", body)))
	b := r.Tree(file("edited-new", edited), file("same-new", same), file("small-new", r.Object("blob", body+"more\n")))
	changes, err := r.Open().Diff(ctx, a, b)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, string(c.Status)+" "+c.OldPath+" "+c.Path)
	}
	want := []string{"removed :(glob)* :(glob)*", "added  edited-new", "renamed same-old same-new", "renamed small-old small-new"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
