package main

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// Memory that a command may take, git included. It is asserted and not logged, so it
// leaves room for another allocator and another git.
const (
	atRest  = 128 << 20 // whatever lies in the repository: 35 MiB were measured
	treeMax = 384 << 20 // to find out that a tree is too large: 150 MiB were measured
	perFile = 24 << 10  // for each small file that a pull request adds: 11 to 18 KiB were measured
)

// peakFile names the file in which a program leaves how much memory it took. What
// wait4 says of a child does not do: it counts the tests' own memory before exec.
const peakFile = "PREVIDENCE_TEST_PEAK"

func init() {
	programs["previdence-measured"] = func() {
		code := run()
		peak, err := peakMemory()
		if err == nil {
			err = os.WriteFile(os.Getenv(peakFile), strconv.AppendInt(nil, peak, 10), 0o600)
		}
		if err != nil {
			panic(err)
		}
		os.Exit(code)
	}
}

// peakMemory is the most that this process or one that it ran had in memory, in bytes.
func peakMemory() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	own, _, _ := strings.Cut(rest, "kB")
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(own), 10, 64)
	if err != nil {
		return 0, err
	}
	var children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		return 0, err
	}
	return max(kilobytes, children.Maxrss) << 10, nil
}

// An outcome is what a command that has ended leaves.
type outcome struct {
	code           int
	stdout, stderr string
}

// within runs the program and asserts how much memory it took.
func within(t *testing.T, r *worktreetest.Repo, most int64, args ...string) outcome {
	t.Helper()
	file := filepath.Join(t.TempDir(), "peak")
	cmd := exec.CommandContext(t.Context(), "previdence-measured", args...)
	cmd.Dir = r.Dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), peakFile+"="+file)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	peak, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || peak == 0 {
		t.Fatalf("%q, %v", text, err)
	}
	t.Logf("%s: %d MiB, %d are allowed", args[0], peak>>20, most>>20)
	if peak > most {
		t.Errorf("%v took %d MiB, want at most %d", args, peak>>20, most>>20)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// reviewWithin reviews a head against main.
func reviewWithin(t *testing.T, r *worktreetest.Repo, head worktree.OID, most int64) *report.Report {
	t.Helper()
	got := within(t, r, most, "review", "--format", "json", "main..."+string(head))
	var rep report.Report
	if err := json.Unmarshal([]byte(got.stdout), &rep); err != nil || got.code != 0 {
		t.Fatalf("exit code %d, %v, %s", got.code, err, got.stderr)
	}
	return &rep
}

// seen is how the report says it saw a file of the head: "parsed" for one that it
// does not name.
func seen(rep *report.Report, path string) (state, reason string) {
	for _, f := range rep.Coverage.Files {
		if f.Path == path {
			return f.State, f.Reason
		}
	}
	return "parsed", ""
}

// hasCaveat reports whether a caveat about coverage says so of this many.
func hasCaveat(rep *report.Report, text string, count int) bool {
	return slices.ContainsFunc(rep.Caveats, func(c report.Caveat) bool {
		return c.Section == "coverage" && strings.Contains(c.Text, text) && c.Count == count
	})
}

// A ground is a repository with one file, on which hostile heads are made.
type ground struct {
	*worktreetest.Repo
	base worktree.OID
	code worktree.OID // a blob of Python
}

func newGround(t *testing.T) ground {
	t.Helper()
	r := worktreetest.New(t)
	base := r.Commit(map[string]string{"a.py": "def f():\n    return 1\n"})
	return ground{r, base, r.Object("blob", "def g():\n    return 2\n")}
}

// head makes a commit of these entries, unchecked.
func (g ground) head(entries ...worktreetest.Entry) worktree.OID {
	return g.CommitTree(g.Tree(entries...), g.base)
}

func (g ground) file(name string) worktreetest.Entry {
	return worktreetest.Entry{Mode: "100644", Name: name, OID: g.code}
}

func folder(name string, tree worktree.OID) worktreetest.Entry {
	return worktreetest.Entry{Mode: "40000", Name: name, OID: tree}
}

func TestATreeThatIsTooDeepIsACaveat(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	deep := g.Tree(g.file("x.py"))
	for range 3000 {
		deep = g.Tree(folder("d", deep))
	}
	rep := reviewWithin(t, g.Repo, g.head(g.file("a.py"), folder("d", deep)), atRest)
	cut := strings.Repeat("d/", 257)
	if state, reason := seen(rep, strings.TrimSuffix(cut, "/")); state != "failed" || !strings.Contains(reason, "256 folders deep") {
		t.Errorf("the folder in which it was cut is %s, %s: %v", state, reason, rep.Coverage.Files)
	}
	if !hasCaveat(rep, "not listed", 1) {
		t.Errorf("the caveats are %+v", rep.Caveats)
	}
	if state, _ := seen(rep, "a.py"); state != "parsed" || rep.Coverage.Total != 2 {
		t.Errorf("the file beside it is %s of %d", state, rep.Coverage.Total)
	}
}

// A part of such a tree would be arbitrary, so the review is refused, and says why.
func TestRefusesATreeBomb(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	bomb := g.Tree(g.file("a.py"))
	for range 10 { // 10 folders in each of 10 levels
		var entries []worktreetest.Entry
		for i := range 10 {
			entries = append(entries, folder(fmt.Sprintf("f%d", i), bomb))
		}
		bomb = g.Tree(entries...)
	}
	got := within(t, g.Repo, treeMax, "review", "main..."+string(g.CommitTree(bomb, g.base)))
	if got.code != 3 || got.stdout != "" || !strings.Contains(got.stderr, "tree is too large: more than 1000000 entries") || !strings.Contains(got.stderr, "\nhint: ") {
		t.Errorf("exit code %d, %s", got.code, got.stderr)
	}
}

// A blob that does not fit is never read, also while it is fetched and written to
// disk: what reads it does so piece by piece.
func TestALargeBlobIsACaveat(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	clone := g.Clone()
	large := worktreetest.Entry{Mode: "100644", Name: "large.py", OID: zeros(t, g.Repo, largeBlob)}
	head := g.head(g.file("a.py"), large)
	rep := reviewWithin(t, g.Repo, head, atRest)
	if state, reason := seen(rep, "large.py"); state != "oversized" || reason != "larger than 4 MiB" {
		t.Errorf("the blob is %s, %s", state, reason)
	}
	if !hasCaveat(rep, "larger than 4 MiB", 1) {
		t.Errorf("the caveats are %+v", rep.Caveats)
	}
	// The remote is on this machine, and what it takes to send counts, too.
	g.Git("config", "core.bigFileThreshold", "1m")
	g.Git("update-ref", "refs/pull/7/head", string(head))
	parent := filepath.Join(filepath.Dir(clone.Dir), "checkouts")
	if got := within(t, clone, atRest, "worktree", "add", "7", "--worktree-root", parent); got.code != 0 {
		t.Errorf("exit code %d, %s", got.code, got.stderr)
	}
	if info, err := os.Stat(filepath.Join(parent, "pr-7", "large.py")); err != nil || info.Size() != largeBlob {
		t.Errorf("checked out: %v, %v", info, err)
	}
}

// zeros stores a blob of so many zeros.
func zeros(t *testing.T, r *worktreetest.Repo, size int64) worktree.OID {
	t.Helper()
	file, err := os.CreateTemp(r.Dir, "zeros")
	if err != nil {
		t.Fatal(err)
	}
	hash := sha1.New()
	packed, err := zlib.NewWriterLevel(file, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	both := io.MultiWriter(hash, packed)
	_, err = fmt.Fprintf(both, "blob %d\x00", size)
	for piece := make([]byte, 1<<20); err == nil && size > 0; size -= int64(len(piece)) {
		_, err = both.Write(piece)
	}
	oid := worktree.OID(hex.EncodeToString(hash.Sum(nil)))
	path := r.LooseObject(oid)
	err = errors.Join(err, packed.Close(), file.Close(), os.MkdirAll(filepath.Dir(path), 0o700), os.Rename(file.Name(), path))
	if err != nil {
		t.Fatal(err)
	}
	return oid
}

func TestManyFilesAreAllSeen(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	var stream bytes.Buffer
	commit := func(mark int, from string) {
		fmt.Fprintf(&stream, "commit refs/heads/many\nmark :%d\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 1\nx\n%s", mark, from)
	}
	commit(1, "")
	commit(2, "from :1\n")
	for i := range manyFiles {
		text := fmt.Sprintf("def f%d():\n    return g%d()\n\n\ndef g%d():\n    return %d\n", i, i, i, i)
		fmt.Fprintf(&stream, "M 100644 inline p%d/m%d.py\ndata %d\n%s\n", i/100, i, len(text), text)
	}
	r.GitInput(stream.Bytes(), "fast-import", "--quiet")
	r.Git("branch", "-f", "main", "many~1")
	rep := reviewWithin(t, r, r.Rev("many"), atRest+manyFiles*perFile)
	python := slices.IndexFunc(rep.Coverage.Languages, func(l report.LanguageCoverage) bool { return l.Language == "python" })
	if python < 0 || rep.Coverage.Languages[python].Parsed != manyFiles || rep.Coverage.Total != manyFiles || rep.Coverage.NotParsed != 0 {
		t.Errorf("coverage is %+v of %d", rep.Coverage.Languages, rep.Coverage.Total)
	}
}

// Names are bytes. Whatever they are, a file is seen or a caveat names it, and none
// reaches the terminal as it is.
func TestNamesInEveryEncodingAreSeenAndShownInert(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	names := []string{
		"latin-\xe9.py", "shift-\x83\x5c.py", "gbk-\xc4\xe3.py", "euc-\xa4\xa2.py", "koi8-\xf0.py", "utf16-\xff\xfe.py",
		"utf8-é.py", "utf8-decomposed-e\u0301.py", "overlong-\xc0\xaf.py", "surrogate-\xed\xa0\x80.py", "beyond-\xf7\xbf\xbf\xbf.py", "cut-\xe2\x82.py",
		"escape-\x1b[31m.py", "bell-\a.py", "line\nbreak.py", "return\r.py", "tab\t.py", "c1-\u009b31m.py", "delete-\x7f.py",
		"bidi-\u202eyp.py", "zero-\u200bwidth.py", "mark-\ufeff.py", "tag-\U000e0041.py", "quote\"'`.py", "back\\slash.py", "long-" + strings.Repeat("é", 120) + ".py",
	}
	var entries []worktreetest.Entry
	for _, name := range append(slices.Clone(names), "a.py") {
		entries = append(entries, g.file(name))
	}
	slices.SortFunc(entries, func(a, b worktreetest.Entry) int { return strings.Compare(a.Name, b.Name) })
	head := g.head(entries...)
	rep := reviewWithin(t, g.Repo, head, atRest)
	if rep.Coverage.Total != len(entries) || rep.Coverage.NotParsed != 0 || len(rep.Changes.Files) != len(entries) {
		t.Errorf("%d files, %d of them not parsed, %d changed; want %d", rep.Coverage.Total, rep.Coverage.NotParsed, len(rep.Changes.Files), len(entries))
	}
	paths := map[string]bool{}
	for _, f := range rep.Changes.Files {
		paths[f.Path] = true
	}
	if len(paths) != len(entries) {
		t.Errorf("%d names became %d: %v", len(entries), len(paths), paths)
	}
	for _, format := range []string{"terminal", "markdown"} {
		got := within(t, g.Repo, atRest, "review", "--format", format, "main..."+string(head))
		active := func(c rune) bool { return c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) }
		if i := strings.IndexFunc(got.stdout, active); got.code != 0 || i >= 0 || !utf8.ValidString(got.stdout) {
			t.Errorf("%s: exit code %d, a character that acts at %d: %q", format, got.code, i, got.stdout[max(0, i-40):max(0, i)])
		}
	}
}
