package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// run executes one command line without an environment.
func run(args ...string) (code int, out, err string) {
	var o, e bytes.Buffer
	code = Run(context.Background(), args, Streams{Out: &o, Err: &e, Env: func(string) string { return "" }})
	return code, o.String(), e.String()
}

func TestWhatCannotBeUnderstoodIsExitTwoWithAHint(t *testing.T) {
	tests := map[string][]string{
		"unknown command":         {"reviwe"},
		"unknown flag":            {"version", "--nope"},
		"unexpected argument":     {"version", "x"},
		"value outside the list":  {"version", "--format", "yaml"},
		"flag without its value":  {"version", "--format"},
		"unknown flag at the top": {"--nope"},
		"unknown topic of help":   {"help", "graph", "nope"},
		"unknown shell":           {"completion", "nope"},
		"too much for a shell":    {"completion", "bash", "x"},
		"no form of a request":    {"review", "main..x"},
		"missing operand":         {"graph", "callers"},
		"unknown kind of edge":    {"graph", "edges", "--kinds", ""},
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			code, out, err := run(args...)
			if code != ExitUsage {
				t.Errorf("exit code %d, want %d", code, ExitUsage)
			}
			if out != "" {
				t.Errorf("stdout holds %q, want nothing", out)
			}
			lines := strings.Split(strings.TrimSpace(err), "\n")
			if len(lines) != 2 || !strings.HasPrefix(lines[0], "error: ") || !strings.HasPrefix(lines[1], "hint: ") {
				t.Errorf("stderr is %q, want an error line and a hint line", err)
			}
		})
	}
}

func TestANearMissIsSuggested(t *testing.T) {
	_, _, err := run("docto")
	if !strings.Contains(err, "did you mean: previdence doctor") {
		t.Errorf("stderr is %q, want the command that was meant", err)
	}
}

func TestHelpGoesToStdoutAndNamesTheExitCodes(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"--help"}, {"version", "--help"}, {"help", "graph", "callers"}, {"graph"}, {"completion"}} {
		code, out, err := run(args...)
		if code != ExitOK || err != "" {
			t.Errorf("%v: exit code %d, stderr %q", args, code, err)
		}
		if !strings.Contains(out, "Usage:") || !strings.Contains(out, "never a pass") {
			t.Errorf("%v: help lacks usage or exit codes:\n%s", args, out)
		}
	}
}

func TestErrorsDecideTheExitCode(t *testing.T) {
	plain := errors.New("disk on fire")
	tests := []struct {
		name string
		err  error
		code int
		want string
	}{
		{"no error is a pass", nil, ExitOK, ""},
		{"an unknown error could not be evaluated", plain, ExitUnevaluated, "error: disk on fire\n"},
		{"a policy failure has been told already", ended(ExitPolicy), ExitPolicy, ""},
		{"a pass has nothing to end", ended(ExitOK), ExitOK, ""},
		{"the innermost advice is found through wrapping", fmt.Errorf("graph: %w", refused(plain, "get water")),
			ExitUnevaluated, "error: graph: disk on fire\nhint: get water\n"},
		{"each line of advice is a hint", usage(plain, "one\ntwo"), ExitUsage, "error: disk on fire\nhint: one\nhint: two\n"},
		{"an interrupt says that nothing was written", fmt.Errorf("build: %w", context.Canceled), ExitUnevaluated,
			"error: build: context canceled\nhint: interrupted; nothing was written\n"},
		{"names from a repository cannot steer the terminal", errors.New("no file \x1b[2J\u202ex\nhint: rm"), ExitUnevaluated,
			"error: no file \\x1b[2J\\u202ex\\nhint: rm\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			s := Streams{Err: &b}
			if code := s.report(tt.err); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if b.String() != tt.want {
				t.Errorf("stderr %q, want %q", b.String(), tt.want)
			}
		})
	}
}

func FuzzInertTextCannotActOnATerminal(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[2J", "a\nb", "\xff\xfe", "\u202e", "\uFFFD", "é日本"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := inert(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q became invalid UTF-8: %q", s, got)
		}
		for _, r := range got {
			if r != ' ' && !unicode.IsPrint(r) {
				t.Fatalf("%q keeps %U", s, r)
			}
		}
		if inert(got) != got {
			t.Fatalf("%q changes again: %q", got, inert(got))
		}
	})
}

func TestProgressIsSilentWhereThereIsNoTerminal(t *testing.T) {
	var b bytes.Buffer
	a := &app{Streams: Streams{Err: &b, Env: func(string) string { return "" }}}
	p := a.progress()
	p.step("parse", 1, 2)
	p.step("link", 0, 0)
	p.end()
	var none *progress
	none.step("parse", 1, 2)
	none.end()
	if b.Len() != 0 {
		t.Errorf("a pipe received %q", b.String())
	}
}

func TestProgressSaysHowManyBytesAreDone(t *testing.T) {
	var b bytes.Buffer
	p := &progress{out: &b}
	p.show(index.Progress{Phase: index.PhaseExtract, Done: 1, Total: 4, Bytes: 3 << 10, Of: 8 << 20})
	p.end()
	if !strings.Contains(b.String(), "extract 3.0 KiB of 8.0 MiB") {
		t.Errorf("%q", b.String())
	}
}

func TestProgressLeavesNoTrace(t *testing.T) {
	var b bytes.Buffer
	p := &progress{out: &b}
	p.step("parse", 1, 4)
	p.step("parse", 2, 4)
	p.step("link", 0, 0)
	p.end()
	if !strings.Contains(b.String(), "parse") {
		t.Fatalf("nothing was shown: %q", b.String())
	}
	last := b.String()[strings.LastIndexByte(strings.TrimRight(b.String(), "\r"), '\r'):]
	if strings.TrimSpace(last) != "" {
		t.Errorf("the line still shows %q", last)
	}
}

func TestAnInterruptedBuildWritesNoGraph(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.py": "def f():\n    pass\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, err bytes.Buffer
	code := Run(ctx, []string{"graph", "build", "--repo-root", r.Dir}, Streams{Out: &out, Err: &err, Env: func(string) string { return "" }})
	if code != ExitUnevaluated || out.Len() != 0 {
		t.Errorf("exit code %d, stdout %q", code, out.String())
	}
	if !strings.Contains(err.String(), "hint: interrupted; nothing was written") {
		t.Errorf("stderr is %q", err.String())
	}
	if _, err := os.Stat(filepath.Join(r.Dir, ".git", "previdence", "graph.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a graph lies there: %v", err)
	}
}

func TestAGraphIsStaleOnceItsDependenciesAreHere(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	r := worktreetest.New(t)
	r.Commit(map[string]string{
		"go.mod": "module example.com/m\n\nrequire example.org/dep v1.0.0\n",
		"m.go":   "package m\n\nimport _ \"example.org/dep\"\n",
	})
	if code, _, err := run("graph", "build", "--repo-root", r.Dir); code != ExitOK {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(cache, "example.org", "dep@v1.0.0"), 0o755); err != nil {
		t.Fatal(err)
	}
	code, _, err := run("graph", "status", "--repo-root", r.Dir)
	if code != ExitUnevaluated || !strings.Contains(err, "stale_graph: config_changed: other sources of dependencies") {
		t.Errorf("exit code %d, %s", code, err)
	}
	if code, _, err := run("graph", "build", "--repo-root", r.Dir); code != ExitOK {
		t.Errorf("building again: %s", err)
	}
}
