package review

import (
	"fmt"
	"os/exec"
	"slices"
	"testing"

	"github.com/previdence/previdence/graph"
)

func TestCommandRunsJustThisTest(t *testing.T) {
	files := []graph.File{{Path: "go.mod"}, {Path: "tools/go.mod"}, {Path: "pyproject.toml"}, {Path: "examples/shop/pyproject.toml"}}
	tests := []struct {
		claim string
		s     graph.Symbol
		want  string
	}{
		{"go in the root folder", graph.Symbol{Name: "TestA", Path: "a_test.go", Framework: "go"}, "go test . -run '^TestA$'"},
		{"go in a package", graph.Symbol{Name: "TestA", Path: "pay/a_test.go", Framework: "go"}, "go test ./pay -run '^TestA$'"},
		{"go in a nested module", graph.Symbol{Name: "TestA", Path: "tools/gen/a_test.go", Framework: "go"}, "go -C tools test ./gen -run '^TestA$'"},
		{"a benchmark is asked for as such", graph.Symbol{Name: "BenchmarkA", Path: "a_test.go", Framework: "go"}, "go test . -run '^BenchmarkA$' -bench '^(BenchmarkA)$'"},
		{"pytest function", graph.Symbol{Name: "test_a", Path: "tests/test_x.py", Framework: "pytest"}, "python -m pytest tests/test_x.py::test_a"},
		{"pytest method", graph.Symbol{Name: "test_a", Container: "TestX", Path: "tests/test_x.py", Framework: "pytest"}, "python -m pytest tests/test_x.py::TestX::test_a"},
		{"pytest in a project of its own", graph.Symbol{Name: "test_a", Path: "examples/shop/tests/test_x.py", Framework: "pytest"}, "(cd examples/shop && python -m pytest tests/test_x.py::test_a)"},
		{"vitest title with a quote", graph.Symbol{Name: "it's (ok)", Container: "math", Path: "a.test.ts", Framework: "vitest"}, `npx vitest run a.test.ts -t 'math it'\''s \(ok\)'`},
		{"titles with dots", graph.Symbol{Name: "is a.b", Container: "req..fresh", Path: "a.js", Framework: "mocha"}, `npx mocha a.js --grep 'req..fresh is a\.b'`},
		{"what a title is filled with", graph.Symbol{Name: "adds %d to ${a} it\\'s", Path: "a.js", Framework: "jest"}, `npx jest a.js -t 'adds .* to .* it.s'`},
		{"a title that was cut off", graph.Symbol{Name: "a very long…", Path: "a.js", Framework: "jest"}, "npx jest a.js -t 'a very long'"},
		{"a title that is an expression", graph.Symbol{Name: "name", Signature: "it(name)", Path: "a.js", Framework: "jest"}, "npx jest a.js"},
		{"a title put together", graph.Symbol{Name: "a ' + b + '", Signature: "it('a ' + b + '')", Path: "a.js", Framework: "jest"}, "npx jest a.js"},
		{"a title with parentheses", graph.Symbol{Name: "f(x)", Signature: `it.each([1])("f(x)")`, Path: "a.js", Framework: "jest"}, "npx jest a.js"},
		{"node's runner", graph.Symbol{Name: "adds", Path: "test/a.js", Framework: "node:test"}, "node --test --test-name-pattern=adds test/a.js"},
		{"a path that a shell would read is quoted", graph.Symbol{Name: "test_a", Path: "te st/$(x)/test_x.py", Framework: "pytest"}, "python -m pytest 'te st/$(x)/test_x.py::test_a'"},
		{"a name that could be a flag gets no command", graph.Symbol{Name: "test_a", Path: "--x/test.py", Framework: "pytest"}, ""},
		{"a name with a line break gets no command", graph.Symbol{Name: "a\nb", Path: "a.test.ts", Framework: "jest"}, ""},
		{"an unknown framework gets no command", graph.Symbol{Name: "a", Path: "a.test.ts", Framework: "homegrown"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			if got := newCommands(&graph.Graph{Files: files}).one(&tt.s); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestCommandsJoinTheTestsOfOnePackage(t *testing.T) {
	c := newCommands(&graph.Graph{})
	for _, n := range []string{"TestB", "TestA", "TestA"} {
		c.add(&graph.Symbol{Name: n, Path: "pay/a_test.go", Framework: "go"})
	}
	c.add(&graph.Symbol{Name: "test_x", Path: "t/test_x.py", Framework: "pytest"})
	want := []string{"go test ./pay -run '^(TestA|TestB)$'", "python -m pytest t/test_x.py::test_x"}
	if got := c.all(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestManyUnitsGetOneLine(t *testing.T) {
	tests := []struct {
		claim, framework string
		units            int
		want             string
	}{
		{"go packages", "go", 4, "go test ./p0 ./p1 ./p2 ./p3"},
		{"more than a line can name", "go", 41, "go test ./..."},
		{"pytest files", "pytest", 4, "python -m pytest p0/x p1/x p2/x p3/x"},
		{"all of pytest", "pytest", 41, "python -m pytest"},
		{"all of vitest", "vitest", 41, "npx vitest run"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			c := newCommands(&graph.Graph{})
			for i := range tt.units {
				c.add(&graph.Symbol{Name: "TestA", Path: fmt.Sprintf("p%d/x", i), Framework: tt.framework})
			}
			if got := c.all(); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A shell is the oracle of the quoting: it must give back the word.
func FuzzQuoteIsOneWord(f *testing.F) {
	for _, s := range []string{"plain", "it's", "$(touch x)", "`id`", "a b", "\\", "*", "~", "!x", "a;b", "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !quotable(s) || s == "" {
			return // no command is written for it
		}
		out, err := exec.Command("/bin/sh", "-c", "printf %s "+quote(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("%q became %q (%v)", s, out, err)
		}
	})
}
