package goapi_test

import (
	"bufio"
	"context"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph/link/golang"
	"github.com/previdence/previdence/review/goapi"
)

// files is a tree in memory.
type files map[string]string

func (f files) Paths() []string { return slices.Sorted(maps.Keys(f)) }

func (f files) Read(_ context.Context, p string) ([]byte, error) {
	if text, ok := f[p]; ok {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

// declared checks the package in the root of a tree.
func declared(t *testing.T, o golang.Options, tree files) *types.Package {
	t.Helper()
	d, err := golang.New(o).Declarations(t.Context(), tree, []string{"."}, 2)
	if err != nil || d.Packages["."] == nil {
		t.Fatalf("%v, %v", d, err)
	}
	return d.Packages["."]
}

const goMod = "module example.org/p\n\ngo 1.24\n"

// The cases of apidiff itself, in its module: lines of an old and a new package,
// with what must be said of them.
func TestApidiffsOwnCases(t *testing.T) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/exp/apidiff").Output()
	if err != nil {
		t.Fatal(err)
	}
	cases, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "testdata", "*.go"))
	if err != nil || len(cases) < 12 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, file := range cases {
		t.Run(filepath.Base(file), func(t *testing.T) {
			before, after, want := split(t, file)
			c, err := goapi.Compare(declared(t, golang.Options{}, files{"go.mod": goMod, "p.go": before}), declared(t, golang.Options{}, files{"go.mod": goMod, "p.go": after}))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, change := range c.Changes {
				effect := map[goapi.Effect]string{goapi.Compatible: "c ", goapi.Breaking: "i ", goapi.Unknown: "? "}[change.Effect]
				got = append(got, effect+change.Message)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func split(t *testing.T, file string) (before, after string, want []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var sides [2]strings.Builder
	old, new := true, true
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		switch {
		case line == "// old":
			old, new = true, false
		case line == "// new":
			old, new = false, true
		case line == "// both":
			old, new = true, true
		case strings.HasPrefix(line, "// i "), strings.HasPrefix(line, "// c "):
			want = append(want, line[3:])
		default:
			if old {
				sides[0].WriteString(s.Text() + "\n")
			}
			if new {
				sides[1].WriteString(s.Text() + "\n")
			}
		}
	}
	slices.Sort(want)
	return sides[0].String(), sides[1].String(), want
}

func TestCompare(t *testing.T) {
	tests := []struct{ claim, before, after, want string }{
		{"another type of a parameter breaks", "func F(a int) {}", "func F(a int64) {}", "F breaking: changed from func(int) to func(int64)"},
		{"another name of a parameter is nothing", "func F(a int) {}", "func F(b int) {}", ""},
		{"an alias of the same type is nothing", "func F(a int) {}", "type A = int\nfunc F(a A) {}", "A compatible: added"},
		{"a method that an embedded type no longer has", "type e struct{}\nfunc (e) M() {}\ntype T struct{ e }", "type e struct{}\ntype T struct{ e }",
			"T.M breaking: removed, which e had"},
		{"a method more in an interface", "type I interface{ M() }", "type I interface{ M(); N() }", "I.N breaking: added"},
		{"another value of a constant", "const C = 1", "const C = 2", "C breaking: value changed from 1 to 2"},
		{"the receiver of a generic type", "type T[K any] struct{}\nfunc (T[K]) M() {}", "type T[K any] struct{}", "T.M breaking: removed"},
		{"a type that is not here on one side", "import \"example.org/gone\"\nfunc F(a gone.A) {}", "func F(a int) {}", "F unknown: changed from func(invalid type) to func(int)"},
		{"a type that is not here on both sides", "import \"example.org/gone\"\nfunc F(a gone.A) {}", "import \"example.org/gone\"\nfunc F(a gone.B) {}", ""},
		{"a field whose type is not here", "import \"example.org/gone\"\ntype T struct{ A gone.A; B int }", "type T struct{ A int; B string }",
			"T.A unknown: changed from invalid type to int\nT.B unknown: changed from int to string"},
	}
	names := map[goapi.Effect]string{goapi.Compatible: "compatible", goapi.Breaking: "breaking", goapi.Unknown: "unknown"}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			c, err := goapi.Compare(declared(t, golang.Options{Detached: true}, files{"go.mod": goMod, "p.go": "package p\n" + tt.before}),
				declared(t, golang.Options{Detached: true}, files{"go.mod": goMod, "p.go": "package p\n" + tt.after}))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range c.Changes {
				got = append(got, c.Name+" "+names[c.Effect]+": "+c.Text)
			}
			if s := strings.Join(got, "\n"); s != tt.want {
				t.Errorf("got\n%s\nwant\n%s", s, tt.want)
			}
		})
	}
}

func TestWhatAnotherPackageDeclaresIsNamedByIt(t *testing.T) {
	inner := func(method string) files {
		return files{"go.mod": goMod, "p.go": "package p\nimport \"example.org/p/internal/in\"\ntype T struct{ in.E }\n",
			"internal/in/in.go": "package in\ntype E struct{}\n" + method}
	}
	c, err := goapi.Compare(declared(t, golang.Options{Detached: true}, inner("func (E) M(int) {}")), declared(t, golang.Options{Detached: true}, inner("func (E) M(string) {}")))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Changes) != 1 || c.Changes[0].Package != "./internal/in" && c.Changes[0].Package != "example.org/p/internal/in" || c.Changes[0].Name != "E.M" {
		t.Errorf("%+v", c.Changes)
	}
}
