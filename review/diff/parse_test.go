package diff

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const oneHunk = "@@ -1 +1 @@\n-a\n+b\n"

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		diff string
		want string // one line per file, as describe writes it
	}{
		{"an empty diff has no files", "", ""},
		{"a changed file", "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n" + oneHunk, "modified x x 100644 100644 [1,1 1,1]"},
		{"no prefix", "diff --git x/y x/y\nindex 1..2\n--- x/y\n+++ x/y\n" + oneHunk, "modified x/y x/y   [1,1 1,1]"},
		{"mnemonic prefixes", "diff --git i/x w/x\nindex 1..2 100644\n--- i/x\n+++ w/x\n" + oneHunk, "modified x x 100644 100644 [1,1 1,1]"},
		{"no prefix below a folder that looks like one", "diff --git a/x a/x\nnew file mode 100644\nindex 0..2\n--- /dev/null\n+++ a/x\n@@ -0,0 +1 @@\n+b\n", "added a/x a/x  100644 [0,0 1,1]"},
		{"a removed file", "diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "removed x x 100644  [1,1 0,0]"},
		{"an empty new file has no hunks", "diff --git a/my file b/my file\nnew file mode 100644\nindex 0..0\n", "added my file my file  100644 []"},
		{"a tab ends a name with spaces", "diff --git a/my file b/my file\n--- a/my file\t\n+++ b/my file\t\n" + oneHunk, "modified my file my file   [1,1 1,1]"},
		{"a name that repeats the prefixes", "diff --git a/x b/x b/x b/x\nold mode 100644\nnew mode 100755\n", "modified x b/x x b/x 100644 100755 []"},
		{"quoted names with octal bytes", `diff --git "a/\303\251\t\"\\.py" "b/\303\251\t\"\\.py"` + "\nold mode 100644\nnew mode 100755\n", "modified é\t\"\\.py é\t\"\\.py 100644 100755 []"},
		{"a rename without a change", "diff --git a/x y b/z\nsimilarity index 100%\nrename from x y\nrename to z\n", "renamed x y z   [] 100%"},
		{"a copy with a change", "diff --git a/x b/z\nsimilarity index 90%\ncopy from x\ncopy to z\nindex 1..2 100644\n--- a/x\n+++ b/z\n" + oneHunk, "copied x z 100644 100644 [1,1 1,1] 90%"},
		{"a rename without prefix", "diff --git a/x b/x\nsimilarity index 90%\nrename from a/x\nrename to b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n" + oneHunk, "renamed a/x b/x 100644 100644 [1,1 1,1] 90%"},
		{"binary files differ", "diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n", "modified x x 100644 100644 [] binary"},
		{"a binary patch", "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 2\nJcmZQz1ONa700IC2\n\nliteral 0\nHcmV?d00001\n\n", "modified x x 100644 100644 [] binary"},
		{"context splits a hunk into runs", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@ func f()\n-a\n+A\n b\n c\n+C\n d\n-e\n", "modified x x   [1,1 1,1] [3,0 4,1] [5,1 5,0]"},
		{"an added line that looks like a header stays content", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,2 @@\n+++ b/auth.go\n+x\n@@ -9 +11 @@\n--- a/auth.go\n+y\n", "modified x x   [0,0 1,2] [9,1 11,1]"},
		{"no newline at the end", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\ndiff --git a/y b/y\nold mode 100644\nnew mode 100755\n", "modified x x   [1,1 1,1]\nmodified y y 100644 100755 []"},
		{"a submodule is a file of one line", "diff --git a/m b/m\nindex 1..2 160000\n--- a/m\n+++ b/m\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n", "modified m m 160000 160000 [1,1 1,1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files, err := Parse(strings.NewReader(tt.diff))
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(files); got != tt.want {
				t.Errorf("got\n%q, want\n%q", got, tt.want)
			}
		})
	}
}

func describe(files []FileDiff) string {
	var lines []string
	for _, f := range files {
		var hunks []string
		for _, h := range f.Hunks {
			hunks = append(hunks, fmt.Sprintf("[%d,%d %d,%d]", h.OldStart, h.OldLines, h.NewStart, h.NewLines))
		}
		if hunks == nil {
			hunks = []string{"[]"}
		}
		line := fmt.Sprintf("%s %s %s %s %s %s", f.Status, f.OldPath, f.NewPath, f.OldMode, f.NewMode, strings.Join(hunks, " "))
		if f.Similarity > 0 {
			line += fmt.Sprintf(" %d%%", f.Similarity)
		}
		if f.Binary {
			line += " binary"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestParseRefuses(t *testing.T) {
	const names = "diff --git a/x b/x\n--- a/x\n+++ b/x\n"
	tests := []struct {
		name, diff string
		want       error
	}{
		{"text before the first file", "commit 1\n\ndiff --git a/x b/x\n", ErrSyntax},
		{"a diff that is not git's", "--- a/x\n+++ b/x\n" + oneHunk, ErrSyntax},
		{"a combined diff", "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n--a\n++b\n", ErrCombined},
		{"a second combined diff", names + oneHunk + "diff --combined x\n", ErrCombined},
		{"the signature of a mail", names + oneHunk + "-- \n2.39.5\n", ErrSyntax},
		{"a hunk that ends early", names + "@@ -1,2 +1,2 @@\n-a\n+b\n", ErrSyntax},
		{"a hunk with a line too many", names + "@@ -1 +1 @@\n-a\n+b\n+c\n", ErrSyntax},
		{"a hunk cut by the next file", names + "@@ -1,2 +1 @@\n-a\n+b\ndiff --git a/y b/y\n", ErrSyntax},
		{"a line that is neither", names + "@@ -1 +1 @@\n?a\n+b\n", ErrSyntax},
		{"hunks out of order", names + "@@ -9 +9 @@\n-a\n+b\n" + oneHunk, ErrSyntax},
		{"a hunk of nothing", names + "@@ -1 +1 @@\n a\n", ErrSyntax},
		{"names without a hunk", names, ErrSyntax},
		{"a number too large", names + "@@ -99999999999999999999 +1 @@\n-a\n+b\n", ErrSyntax},
		{"another name below", "diff --git a/x b/x\n--- a/y\n+++ b/y\n" + oneHunk, ErrSyntax},
		{"two different names without a rename", "diff --git a/x b/y\nold mode 100644\nnew mode 100755\n", ErrSyntax},
		{"a file without a change", "diff --git a/x b/x\nindex 1..2 100644\n", ErrSyntax},
		{"one mode of two", "diff --git a/x b/x\nold mode 100644\n", ErrSyntax},
		{"a diff that was cut", "diff --git a/x b/x\nnew file mode 100644", ErrSyntax},
		{"half a rename", "diff --git a/x b/y\nrename from x\n", ErrSyntax},
		{"a rename that is also new", "diff --git a/x b/y\nnew file mode 100644\nrename from x\nrename to y\n", ErrSyntax},
		{"no +++ line", "diff --git a/x b/x\n--- a/x\n" + oneHunk, ErrSyntax},
		{"an open quote", "diff --git \"a/x b/x\n", ErrSyntax},
		{"a NUL in a name", `diff --git "a/\000" "b/\000"` + "\nold mode 100644\nnew mode 100755\n", ErrSyntax},
		{"lines after binary content", "diff --git a/x b/x\nBinary files a/x and b/x differ\n" + oneHunk, ErrSyntax},
		{"a submodule's log", "Submodule m 1..2:\n  > fix\n", ErrSyntax},
		{"a mode that is none", "diff --git a/x b/x\nold mode 1006449\nnew mode 100755\n", ErrSyntax},
		{"a binary patch that ends early", "diff --git a/x b/x\nGIT binary patch\nliteral 3\nKcmXQEb22O\n", ErrSyntax},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files, err := Parse(strings.NewReader(tt.diff))
			if !errors.Is(err, tt.want) || files != nil {
				t.Errorf("got %v, %v; want %v", files, err, tt.want)
			}
		})
	}
}

// trees makes a repository with two trees of hostile names and returns it.
func trees(t *testing.T) (dir, old, new string) {
	t.Helper()
	dir = t.TempDir()
	must := func(args ...string) string {
		out, err := git(t, dir, nil, args...)
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	must("init", "-q")
	names := []string{"plain", "my file.py", "é.py", "b.py", "tab\tin", "line\nbreak", `back\slash`, `quo"te`, " b", "b b b", "x b", "b"}
	for _, n := range names {
		write(t, dir, n, []byte("one\ntwo\nthree\nfour\n"))
	}
	write(t, dir, "gone file", []byte("x\ny\n"))
	write(t, dir, "moved", bytes.Repeat([]byte("m\nn\no\n"), 10))
	must("add", "-A")
	old = must("write-tree")
	for i, n := range names {
		write(t, dir, n, fmt.Appendf(nil, "one\n%d\nthree\n-- a/x\n++ b/y\n", i))
	}
	write(t, dir, "new file", []byte("x"))
	write(t, dir, "empty file", nil)
	write(t, dir, "image", []byte("\x00\x01"))
	write(t, dir, "moved to", bytes.Repeat([]byte("m\nn\no\n"), 11))
	for _, n := range []string{"gone file", "moved"} {
		if err := os.Remove(filepath.Join(dir, n)); err != nil {
			t.Fatal(err)
		}
	}
	must("add", "-A")
	must("update-index", "--chmod=+x", "b")
	return dir, old, must("write-tree")
}

func TestParseReadsWhatGitWrites(t *testing.T) {
	dir, old, new := trees(t)
	tests := []struct{ form, find string }{
		{"-U0", "-M"}, {"-U3", "-M"}, {"-U9", "-M"}, {"--binary", "-M"}, {"--no-prefix", "-M"}, {"--src-prefix=older/", "-M"},
		{"-U3", "-C10"}, {"-U3", "-B"}, {"-U3", "--no-renames"}, {"--no-prefix", "--no-renames"}, {"--full-index", "--minimal"},
	}
	for _, args := range tests {
		text, err := git(t, dir, nil, "diff", "-p", args.form, args.find, old, new)
		if err != nil {
			t.Fatal(err)
		}
		files, err := Parse(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%v: %v in\n%s", args, err, text)
		}
		stat, err := git(t, dir, nil, "diff", "--numstat", "-z", args.find, old, new)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, f := range files {
			additions, deletions := Totals(f.Hunks)
			counts := fmt.Sprintf("%d\t%d\t", additions, deletions)
			if f.Binary {
				counts = "-\t-\t"
			}
			if f.Status == Renamed || f.Status == Copied {
				counts += "\x00" + f.OldPath + "\x00"
			}
			got.WriteString(counts + f.NewPath + "\x00")
		}
		if got.String() != string(stat) {
			t.Errorf("%v: got\n%q, git says\n%q", args, got.String(), stat)
		}
	}
}

// numstat is what "git apply --numstat -z" says: additions, deletions and path
// of each file.
func numstat(t *testing.T, dir string, text []byte) ([]string, bool) {
	out, err := git(t, dir, text, "apply", "--numstat", "-z", "--allow-empty", "-")
	if err != nil {
		return nil, false
	}
	var lines []string
	for _, record := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if record != "" {
			lines = append(lines, record)
		}
	}
	return lines, true
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"))
	f.Add([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,2 @@\n+++ b/auth.go\n+x\n@@ -9 +11 @@\n--- a/auth.go\n+y\n"))
	f.Add([]byte("diff --git a/my file b/my file\n--- a/my file\t\n+++ b/my file\t\n" + oneHunk))
	f.Add([]byte(`diff --git "a/\303\251" "b/\303\251"` + "\n" + `--- "a/\303\251"` + "\n" + `+++ "b/\303\251"` + "\n" + oneHunk))
	f.Add([]byte("diff --git a/x b/z\nsimilarity index 90%\nrename from x\nrename to z\nindex 1..2 100644\n--- a/x\n+++ b/z\n" + oneHunk))
	f.Add([]byte("diff --git a/x b/x\nnew file mode 100644\nindex 0000000..2222222\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n\\ No newline at end of file\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		files, err := Parse(bytes.NewReader(text))
		if err != nil {
			if files != nil {
				t.Fatalf("files beside the error %v", err)
			}
			return
		}
		compareWithGit(t, dir, text, files)
	})
}

// compareWithGit checks a diff that Parse took against git apply. Git refuses
// some that Parse takes (paths it would not write to); then there is no oracle.
func compareWithGit(t *testing.T, dir string, text []byte, files []FileDiff) {
	want, ok := numstat(t, dir, text)
	if !ok {
		return
	}
	if len(files) != len(want) {
		t.Fatalf("%d files %+v, git says %q", len(files), files, want)
	}
	for i, f := range files {
		additions, deletions := Totals(f.Hunks)
		got := fmt.Sprintf("%d\t%d\t", additions, deletions)
		if f.Binary {
			got = "-\t-\t"
		}
		if !strings.HasPrefix(want[i], got) {
			t.Fatalf("file %d %+v: got %q, git says %q", i, f, got, want[i])
		}
		// Git always takes one folder off, which is wrong for diffs without prefix.
		path := strings.TrimPrefix(want[i], got)
		if path != f.NewPath && !strings.HasSuffix(f.NewPath, "/"+path) {
			t.Fatalf("file %d: path %q, git says %q", i, f.NewPath, path)
		}
	}
}
