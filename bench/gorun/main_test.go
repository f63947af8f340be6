package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const source = `package p // a comment
import "sort"

type T struct{}

func (T) Less(i, j int) bool { return less(i, j) }

func less(i, j int) bool {
	f := func() bool {
		return i < j
	}
	return f()
}

var v = func() int { return 0 }

func outside(int)
`

func tree(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n", "p.go": source, "testdata/x.go": source, "nested/go.mod": "module other\n", "nested/n.go": source,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestEveryFunctionBeginsWithTheTracerOnItsOwnLine(t *testing.T) {
	root := tree(t)
	s, err := readSources(root)
	if err != nil {
		t.Fatal(err)
	}
	text := s.overlay[filepath.Join(root, "p.go")]
	if _, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0); err != nil {
		t.Fatal(err)
	}
	before, after := strings.Split(source, "\n"), strings.Split(text, "\n")
	if len(before) != len(after) || len(s.overlay) != 2 {
		t.Fatalf("%d lines, want %d; %d files in the overlay, want 2", len(after), len(before), len(s.overlay))
	}
	for i, want := range map[int]string{
		0:  `package p; import previdenceTracer "example.com/m/internal/previdencetracer" // a comment`,
		5:  "func (T) Less(i, j int) bool { previdenceTracer.Enter(0); return less(i, j) }",
		7:  "func less(i, j int) bool { previdenceTracer.Enter(1);",
		8:  "	f := func() bool { previdenceTracer.Enter(2);",
		14: "var v = func() int { previdenceTracer.Enter(3); return 0 }",
		16: "func outside(int)",
	} {
		if after[i] != want {
			t.Errorf("line %d: %q, want %q", i+1, after[i], want)
		}
	}
}

func TestATraceBecomesAKey(t *testing.T) {
	root := tree(t)
	trace := filepath.Join(t.TempDir(), "trace")
	site := func(line string) string { return filepath.Join(root, "p.go") + ":" + line }
	lines := []string{
		"0\t/usr/lib/sort.go:12", // called from outside: it ran, and nobody called it
		"1\t" + site("6"), "2\t" + site("12"), "2\t" + site("12"),
		"3\t" + site("15"), // the caller is no function
		"3\t-",
	}
	if err := os.WriteFile(trace, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(&out, root, "", trace); err != nil {
		t.Fatal(err)
	}
	want := `# calls between functions, seen by an overlay of the sources while the tests ran
E	p.go	6	p.go	8	dynamic	function
E	p.go	8	p.go	9	dynamic	literal
F	p.go
J	p.go	6
J	p.go	8
J	p.go	15
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	for _, bad := range []string{"x\t-", "99\t-", "-1\t-"} {
		if err := os.WriteFile(trace, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run(&out, root, "", trace); err == nil {
			t.Errorf("a trace of %q was read", bad)
		}
	}
}
