package cli

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// reviewTrees reviews the step from one tree to another in a repository that
// holds nothing else.
func reviewTrees(r *worktreetest.Repo, base, head worktree.OID, args ...string) (code int, out, stderr string) {
	from := r.CommitTree(base)
	to := r.CommitTree(head, from)
	return run(append([]string{"review", "--repo", r.Dir, "--fresh", "--base", string(from), "--head", string(to)}, args...)...)
}

// reported is the report of such a review.
func reported(t *testing.T, r *worktreetest.Repo, base, head worktree.OID) *report.Report {
	t.Helper()
	code, out, stderr := reviewTrees(r, base, head, "--format", "json")
	if code != ExitOK {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	rep, err := report.Read(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// oddNames are those that git stores and that somebody's screen, parser or file
// system reads in another way.
var oddNames = []string{
	"caf\xe8.py", "caf\xe9.py", // Latin-1
	"\x93\xfa\x96\x7b.py", // Shift-JIS
	"bad\xff\xfe\xc0\xaf.py",
	"\u00e9.py", "e\u0301.py", // composed and decomposed
	"\U0001f4b8.py", "a\u202egnp.py", "zero\u200bwidth.py",
	"line\nbreak.py", "return\rback.py", "tab\tbed.py", "esc\x1b[2J\x07.py", "c1\u009b2J.py", "tag\U000e0041.py",
}

func TestNamesInEveryEncodingAreReportedAndInert(t *testing.T) {
	r := worktreetest.New(t)
	tree := func(result int) worktree.OID {
		var entries []worktreetest.Entry
		for _, name := range slices.Sorted(slices.Values(oddNames)) {
			entries = append(entries, worktreetest.Entry{Mode: "100644", Name: name, OID: r.Object("blob", fmt.Sprintf("def f():\n    return %d\n", result))})
		}
		return r.Tree(entries...)
	}
	base, head := tree(1), tree(2)
	rep := reported(t, r, base, head)
	paths := map[string]bool{}
	for _, f := range rep.Changes.Files {
		paths[f.Path] = true
		if !f.Analysed {
			t.Errorf("%q was not analysed: %s", f.Path, f.Reason)
		}
	}
	if len(paths) != len(oddNames) || len(rep.Changes.Symbols) != len(oddNames) {
		t.Errorf("%d files under %d names and %d symbols, want %d of each", len(rep.Changes.Files), len(paths), len(rep.Changes.Symbols), len(oddNames))
	}
	for _, format := range []string{"terminal", "markdown", "json", "html"} {
		code, out, stderr := reviewTrees(r, base, head, "--format", format)
		if code != ExitOK || stderr != "" {
			t.Errorf("%s: exit code %d, stderr %q", format, code, stderr)
		}
		if i := strings.IndexFunc(out, acts); i >= 0 || !utf8.ValidString(out) {
			t.Errorf("%s: a name acts on whoever reads it: %q", format, out[max(0, i-40):min(len(out), i+40)])
		}
		if format != "json" && (strings.Contains(out, "\nbreak.py") || !strings.Contains(out, "break.py")) {
			t.Errorf("%s: a name breaks its line:\n%s", format, out)
		}
	}
}

// What git stores under odd names is answered about as well.
func TestGraphAnswersAreInert(t *testing.T) {
	r := worktreetest.New(t)
	var entries []worktreetest.Entry
	for _, name := range slices.Sorted(slices.Values(oddNames)) {
		entries = append(entries, worktreetest.Entry{Mode: "100644", Name: name, OID: r.Object("blob", "def f():\n    return g()\n\n\ndef g():\n    return 1\n")})
	}
	r.Git("update-ref", "refs/heads/main", string(r.CommitTree(r.Tree(entries...))))
	if code, _, stderr := run("graph", "build", "--repo-root", r.Dir); code != ExitOK {
		t.Fatal(stderr)
	}
	for _, args := range [][]string{{"search", "f"}, {"edges"}} {
		for _, format := range []string{"text", "json"} {
			code, out, stderr := run(append([]string{"graph", args[0], "--repo-root", r.Dir, "--format", format}, args[1:]...)...)
			if i := strings.IndexFunc(out, acts); code != ExitOK || i >= 0 || !utf8.ValidString(out) {
				t.Errorf("graph %s as %s: exit code %d, stderr %q, a name acts at %d of %q", args[0], format, code, stderr, i, out)
			}
			if !strings.Contains(out, `xE8.py`) || !strings.Contains(out, `xE9.py`) {
				t.Errorf("graph %s as %s: two names are one: %s", args[0], format, out)
			}
		}
	}
}

// acts is true for what moves a cursor, turns text around or hides in it.
func acts(c rune) bool {
	return c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c))
}

func TestATreeBombIsRefusedWithAHint(t *testing.T) {
	r := worktreetest.New(t)
	file := r.Object("blob", "x = 1\n")
	empty, bomb, mode := r.Tree(), file, "100644"
	for range 2 { // a thousand files, and a million references to them
		var entries []worktreetest.Entry
		for i := range 1000 {
			entries = append(entries, worktreetest.Entry{Mode: mode, Name: fmt.Sprintf("%03d", i), OID: bomb})
		}
		bomb, mode = r.Tree(entries...), "40000"
	}
	for claim, trees := range map[string][2]worktree.OID{"at head": {empty, bomb}, "at the merge base": {bomb, empty}} {
		code, out, stderr := reviewTrees(r, trees[0], trees[1])
		if code != ExitUnevaluated || out != "" || !strings.Contains(stderr, "tree is too large: more than") || !strings.Contains(stderr, "\nhint: ") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", claim, code, out, stderr)
		}
	}
}

func TestADeepTreeIsACaveat(t *testing.T) {
	r := worktreetest.New(t)
	shallow := worktreetest.Entry{Mode: "100644", Name: "a.py", OID: r.Object("blob", "def f():\n    return 1\n")}
	deep := r.Tree(shallow)
	for range 400 {
		deep = r.Tree(worktreetest.Entry{Mode: "40000", Name: "d", OID: deep})
	}
	rep := reported(t, r, r.Tree(shallow), r.Tree(shallow, worktreetest.Entry{Mode: "40000", Name: "d", OID: deep}))
	if !slices.ContainsFunc(rep.Caveats, func(c report.Caveat) bool { return c.ID == "tree.skipped" && c.Count == 1 && len(c.Examples) == 1 }) {
		t.Errorf("no caveat says so: %+v", rep.Caveats)
	}
	if !slices.ContainsFunc(rep.Coverage.Languages, func(l report.LanguageCoverage) bool { return l.Language == "python" && l.Parsed == 1 }) {
		t.Errorf("the rest of the tree is lost: %+v", rep.Coverage.Languages)
	}
	// What is claimed to be gone is looked for in every file but those.
	rep = reported(t, r, r.Tree(shallow), r.Tree(worktreetest.Entry{Mode: "40000", Name: "d", OID: deep}))
	if len(rep.API.Removed) == 0 || !slices.ContainsFunc(rep.Caveats, func(c report.Caveat) bool { return c.ID == "tree.skipped" }) {
		t.Errorf("with a removed file: %+v", rep.Caveats)
	}
	if rep.Verdict.Outcome != report.Incomplete {
		t.Errorf("a folder that nobody looked into: %s", rep.Verdict.Outcome)
	}
}

// The object says that it has 1.5 GB and holds ten bytes: whoever reads it fails.
func TestAnOversizedBlobIsACaveatAndNotRead(t *testing.T) {
	r := worktreetest.New(t)
	const size = 3 << 29
	oid := r.Object("blob", "stands for something large\n")
	var loose bytes.Buffer
	w := zlib.NewWriter(&loose)
	fmt.Fprintf(w, "blob %d\x00x = 1\nx = 2", size)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r.ReplaceObject(oid, loose.Bytes())
	if got := r.Git("cat-file", "-s", string(oid)); got != fmt.Sprint(size) {
		t.Fatalf("git takes it for %s bytes", got)
	}
	entry := func(name string, oid worktree.OID) worktreetest.Entry {
		return worktreetest.Entry{Mode: "100644", Name: name, OID: oid}
	}
	small := r.Object("blob", "def f():\n    return 1\n")
	head := r.Tree(entry("a.py", small), entry("b.py", oid))
	for claim, base := range map[string]worktree.OID{
		"added": r.Tree(entry("a.py", small)), "in place of a small one": r.Tree(entry("a.py", small), entry("b.py", small)),
	} {
		rep := reported(t, r, base, head)
		i := slices.IndexFunc(rep.Coverage.Files, func(f report.FileCoverage) bool { return f.Path == "b.py" })
		if i < 0 || rep.Coverage.Files[i].State != "oversized" {
			t.Errorf("%s: coverage is %+v", claim, rep.Coverage.Files)
		}
		if !slices.ContainsFunc(rep.Caveats, func(c report.Caveat) bool {
			return strings.Contains(c.Text, fmt.Sprintf("larger than %d MiB", index.MaxFile>>20)) && slices.Contains(c.Examples, "b.py")
		}) {
			t.Errorf("%s: no caveat says so: %+v", claim, rep.Caveats)
		}
		if rep.Verdict.Outcome == report.Pass {
			t.Errorf("%s: a source file that nobody read passes", claim)
		}
	}
}

// A hundred thousand files are many and not too many.
func TestAHundredThousandFilesAreReviewed(t *testing.T) {
	r := worktreetest.New(t)
	tree := func(mode string, oid worktree.OID, n int, more ...worktreetest.Entry) worktree.OID {
		entries := make([]worktreetest.Entry, n, n+len(more))
		for i := range entries {
			entries[i] = worktreetest.Entry{Mode: mode, Name: fmt.Sprintf("%03d", i), OID: oid}
		}
		return r.Tree(append(entries, more...)...)
	}
	folder := tree("100644", r.Object("blob", "plain text\n"), 1000)
	code := func(result int) worktreetest.Entry {
		return worktreetest.Entry{Mode: "100644", Name: "a.py", OID: r.Object("blob", fmt.Sprintf("def f():\n    return %d\n", result))}
	}
	rep := reported(t, r, tree("40000", folder, 100, code(1)), tree("40000", folder, 100, code(2)))
	if rep.Coverage.Total != 100_001 || len(rep.Changes.Files) != 1 || len(rep.Changes.Symbols) != 1 {
		t.Errorf("%d files, changed are %+v", rep.Coverage.Total, rep.Changes.Files)
	}
	if listed := len(rep.Coverage.Files); listed > 500 || rep.Coverage.NotParsed != 100_000 {
		t.Errorf("%d of %d files that were not parsed are listed", listed, rep.Coverage.NotParsed)
	}
}

// What a pull request brings along as a graph is a file like any other.
func TestAGraphThatAPullRequestBringsIsIgnoredAndListed(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.py": "def f():\n    return 1\n"})
	if code, _, stderr := run("graph", "build", "--repo-root", r.Dir); code != ExitOK {
		t.Fatal(stderr)
	}
	database := filepath.Join(r.Dir, ".git", "previdence", "graph.db")
	graph, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	brought := []string{".previdence/graph.db", "git/previdence/graph.db", "graph.db", "previdence/graph.db"}
	files := map[string]string{"a.py": "def f():\n    return 2\n"}
	for _, p := range brought {
		files[p] = string(graph)
	}
	r.Checkout("head", "main")
	r.Commit(files)
	clone := r.Clone()
	code, out, stderr := run("review", "--repo", clone.Dir, "--base", "origin/main", "--head", "origin/head", "--format", "json")
	if code != ExitOK {
		t.Fatal(stderr)
	}
	rep, err := report.Read(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range brought {
		if !slices.ContainsFunc(rep.Changes.Files, func(f report.FileChange) bool {
			return f.Path == p && f.Kind == "binary" && !f.Analysed && f.Reason != ""
		}) {
			t.Errorf("%s is not listed as what it is: %+v", p, rep.Changes.Files)
		}
	}
	if code, out, stderr := run("graph", "search", "f", "--repo-root", clone.Dir); code != ExitUnevaluated || out != "" || !strings.Contains(stderr, "graph_not_ready") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out, stderr)
	}
}
