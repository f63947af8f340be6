package main

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

var update = flag.Bool("update", false, "rewrite what the scenarios expect on stdout")

// programs are what tests can run by name.
var programs = map[string]func(){
	"previdence": func() { os.Exit(run()) },
}

func TestMain(m *testing.M) { testscript.Main(m, programs) }

// TestScenarios runs every testdata/scenarios/*.txtar. Each is a small pull
// request and the right answer to a question about it. Beside the commands of
// testscript a scenario has
//
//	repo FOLDER              make repo/ with one commit of the folder's files, on a branch of its name
//	pr BASE HEAD [AFTER…]    the same for two folders, HEAD on top of BASE and checked out;
//	                         what comes AFTER continues BASE
//	write QUOTED FILE        copy a file to a path in Go quoting, for names that txtar cannot hold
//	lines COUNT FORMAT FILE  write COUNT lines, each with its number
//	crlf FILE                end the lines of a file with CR LF
//	size FILE MAX            a file, or stdout, has at most MAX bytes
//	html FILE OUT            render a comment as GitHub does, raw HTML included
//	json FILE PATH [WANT]    look into a JSON document; see query_test.go
func TestScenarios(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "scenarios"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, gitEnvironment(env.WorkDir)...)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo":  commandRepo,
			"pr":    commandPR,
			"write": commandWrite,
			"lines": commandLines,
			"crlf":  commandCRLF,
			"size":  commandSize,
			"html":  commandHTML,
			"json":  commandJSON,
		},
	})
}

// gitEnvironment fixes what git would take from this machine: the same files
// give the same object IDs everywhere.
func gitEnvironment(home string) []string {
	return []string{
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_AUTHOR_DATE=2024-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_COMMITTER_DATE=2024-01-02T03:04:05Z",
		"TERM=dumb",
	}
}

func commandRepo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo FOLDER")
	}
	start(ts, args[0])
}

// start makes repo/ with a commit of the folder and returns where it lies.
func start(ts *testscript.TestScript, folder string) string {
	repo := ts.MkAbs("repo")
	ts.Check(os.MkdirAll(repo, 0o755))
	git(ts, repo, "init", "-q", "-b", folder)
	record(ts, repo, folder)
	return repo
}

func commandPR(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: pr BASE HEAD [AFTER…]")
	}
	head := args[1]
	repo := start(ts, args[0])
	git(ts, repo, "branch", head)
	for _, after := range args[2:] {
		record(ts, repo, after)
	}
	git(ts, repo, "checkout", "-q", head)
	record(ts, repo, head)
}

// record commits the files of a folder in place of all others.
func record(ts *testscript.TestScript, repo, folder string) {
	entries, err := os.ReadDir(repo)
	ts.Check(err)
	for _, e := range entries {
		if e.Name() != ".git" {
			ts.Check(os.RemoveAll(filepath.Join(repo, e.Name())))
		}
	}
	from := ts.MkAbs(folder)
	ts.Check(filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == from {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return copyEntry(path, filepath.Join(repo, rel), e)
	}))
	git(ts, repo, "add", "--all", "--force", ".")
	git(ts, repo, "commit", "-q", "--allow-empty", "-m", filepath.Base(folder))
}

// copyEntry copies a folder, a symbolic link as such, or a file with its mode.
func copyEntry(from, to string, e fs.DirEntry) error {
	if e.IsDir() {
		return os.MkdirAll(to, 0o755)
	}
	if e.Type()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	info, err := e.Info()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm())
}

func commandWrite(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: write QUOTED FILE")
	}
	name, err := strconv.Unquote(`"` + args[0] + `"`)
	ts.Check(err)
	to := ts.MkAbs(name)
	ts.Check(os.MkdirAll(filepath.Dir(to), 0o755))
	ts.Check(os.WriteFile(to, []byte(ts.ReadFile(args[1])), 0o644))
}

func commandLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: lines COUNT FORMAT FILE")
	}
	count, err := strconv.Atoi(args[0])
	ts.Check(err)
	var b strings.Builder
	for i := range count {
		b.WriteString(strings.ReplaceAll(args[1], "%d", strconv.Itoa(i)) + "\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(b.String()), 0o644))
}

func commandCRLF(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: crlf FILE")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "\n", "\r\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

func commandSize(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: size FILE MAX")
	}
	limit, err := strconv.Atoi(args[1])
	ts.Check(err)
	if n := len(ts.ReadFile(args[0])); n == 0 || n > limit {
		ts.Fatalf("%s has %d bytes, want some, and at most %d", args[0], n, limit)
	}
}

func commandHTML(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: html FILE OUT")
	}
	renderer := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	var b bytes.Buffer
	ts.Check(renderer.Convert([]byte(ts.ReadFile(args[0])), &b))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o644))
}

func git(ts *testscript.TestScript, dir string, args ...string) {
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(gitEnvironment(ts.Getenv("WORK")), "PATH="+os.Getenv("PATH"))
	if out, err := c.CombinedOutput(); err != nil {
		ts.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
