package worktree_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestTheIndexTellsWhatItHides(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := worktreetest.New(t, "--object-format="+format)
			r.Commit(map[string]string{"a": "a\n", "b\nb\tb": "b\n", "c": "c\n", "d": "d\n"})
			r.Git("update-index", "--assume-unchanged", "a")
			r.Git("update-index", "--skip-worktree", "c", "d")
			r.Git("update-index", "--assume-unchanged", "d")
			r.Write(map[string]string{"e": "e\n"})
			r.Git("add", "-N", "e")
			entries, err := r.Open().Index(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := []worktree.IndexEntry{
				{Path: "a", OID: r.Rev("HEAD:a"), AssumeUnchanged: true},
				{Path: "b\nb\tb", OID: r.Rev("HEAD:b\nb\tb")},
				{Path: "c", OID: r.Rev("HEAD:c"), SkipWorktree: true},
				{Path: "d", OID: r.Rev("HEAD:d"), AssumeUnchanged: true, SkipWorktree: true},
				{Path: "e", OID: worktree.OID(r.GitInput(nil, "hash-object", "--stdin"))},
			}
			for i := range want {
				want[i].Mode = worktree.ModeFile
			}
			if !slices.Equal(entries, want) {
				t.Errorf("got %+v\nwant %+v", entries, want)
			}
			staged, err := r.Open().Staged(t.Context(), r.Rev("HEAD"))
			if err != nil || len(staged) != 0 {
				t.Errorf("staged are %v, %v; what is only intended is not", staged, err)
			}
		})
	}
}

func TestAWorktreeWithoutAnIndexHasNoEntries(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a": "a\n"})
	if err := os.Remove(filepath.Join(r.Dir, ".git", "index")); err != nil {
		t.Fatal(err)
	}
	if entries, err := r.Open().Index(t.Context()); err != nil || len(entries) != 0 {
		t.Errorf("got %v, %v", entries, err)
	}
	if staged, err := r.Open().Staged(t.Context(), r.Rev("HEAD")); err != nil || !staged["a"] {
		t.Errorf("staged are %v, %v", staged, err)
	}
}

func TestADamagedIndexIsAnError(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a": "a\n"})
	if err := os.WriteFile(filepath.Join(r.Dir, ".git", "index"), []byte("DIRC\x00\x00\x00\x02"), 0o600); err != nil {
		t.Fatal(err)
	}
	if entries, err := r.Open().Index(t.Context()); !errors.Is(err, worktree.ErrGitFailed) {
		t.Errorf("got %v, %v", entries, err)
	}
}

func TestABlobIsHashedAsGitDoes(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		r := worktreetest.New(t, "--object-format="+format)
		repo := r.Open()
		for _, content := range []string{"", "x", "line\r\n", strings.Repeat("long\x00", 100_000)} {
			want := worktree.OID(r.GitInput([]byte(content), "hash-object", "--stdin"))
			got, err := repo.HashBlob(strings.NewReader(content), int64(len(content)))
			if err != nil || got != want {
				t.Errorf("%s of %d bytes: got %s, %v, want %s", format, len(content), got, err, want)
			}
		}
		for name, size := range map[string]int64{"less": 3, "more": 5} {
			if oid, err := repo.HashBlob(strings.NewReader("four"), size); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("a content of another size than said (%s) has the ID %s, %v", name, oid, err)
			}
		}
	}
}
