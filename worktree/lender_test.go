package worktree

import (
	"path/filepath"
	"strings"
	"testing"
)

// Only the file that borrows from a repository names it: nothing is read into one
// that is written in another way.
func FuzzLender(f *testing.F) {
	for _, text := range []string{
		"", "\n", "/a/objects\n", "/a/objects", `"/a/objects"`, "\"/a/objects\"\n", "\"/a/b c\\\"\\\\\\n/objects\"\n",
		"\"/a/../objects\"\n", "\"a/objects\"\n", "\"/a/objects\"\n\"/b/objects\"\n", "\"/a/things\"\n", "\"/a/\xff/objects\"\n", `"/a\`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if dir := lender(text); dir != "" && alternates(dir) != text {
			t.Errorf("%q names %q, which is written %q", text, dir, alternates(dir))
		}
		if dir := filepath.Join("/", text); !strings.Contains(text, "\x00") && lender(alternates(dir)) != dir {
			t.Errorf("%q is written %q and read as %q", dir, alternates(dir), lender(alternates(dir)))
		}
	})
}
