package golang_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"
	"github.com/previdence/previdence/graph/link/golang"
)

func TestCounts(t *testing.T) {
	in := input(t, parseTree(`-- a.go --
package m
import "fmt"
type I interface{ M() }
type X struct{}
func (X) M() {}
func f() {}
func A(i I, g, h func()) {
	f()                  // compiler
	i.M()                // dispatch: X is made in the tree
	func() {}()          // compiler
	fmt.Println()        // external
	g()                  // dispatch
	h()                  // unresolved
	_ = uint32(1)        // no call
	_ = len("")          // no call
}
func init() { A(X{}, f, nil) } // compiler
`), true, 1)
	out := linkTree(t, in, detached)
	want := []graph.Counts{{Language: "go", Compiler: 3, Dispatch: 2, Unresolved: 1, External: 1}}
	if !slices.Equal(out.Counts, want) {
		t.Errorf("got %+v", out.Counts)
	}
}

func TestCaveatsHaveADenominator(t *testing.T) {
	out := linkTree(t, input(t, parseTree(`-- a.go --
package m
import ("fmt"; "example.org/x")
func A() { fmt.Println(x.F()) }
-- a_windows.go --
package m
func onlyThere()
-- linked.go --
package m
import _ "unsafe"
//go:linkname now runtime.nanotime
func now() int64
-- asm.go --
package m
type T interface{ M() }
func add(a, b int) int
-- given.go --
package m
import _ "unsafe"
//go:linkname given
func given() {}
-- none.go --
package m
//go:linkname needs unsafe to count
func none() {}
-- testdata/t.go --
package t
`), true, 1), detached)
	want := map[string]string{
		"go.stand_in_packages":   "2 of 2 [example.org/x fmt]",
		"go.build_constraints":   "1 of 7 [a_windows.go]",
		"go.ignored_directories": "1 of 7 [testdata/t.go]",
		"go.linkname":            "2 of 7 [given.go linked.go]",
		"go.no_body":             "2 of 7 [asm.go linked.go]",
	}
	for _, c := range out.Caveats {
		if got := fmt.Sprint(c.Count, " of ", c.Of, " ", c.Examples); got != want[c.ID] {
			t.Errorf("%s: %s, want %s", c.ID, got, want[c.ID])
		}
		delete(want, c.ID)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestPackagesAreSymbols(t *testing.T) {
	out := linkTree(t, input(t, parseTree("-- a.go --\n// Doc.\npackage m\n-- a_test.go --\npackage m_test\n-- q/b.go --\npackage q\n-- q/a_windows.go --\npackage q\n-- only/x_test.go --\npackage only\n"), true, 1), detached)
	want := []graph.Symbol{
		{ID: "go:.#/package", Name: "m", Kind: graph.KindPackage, Language: "go", Path: "a.go", Line: 2, EndLine: 2, Exported: true},
		{ID: "go:q#/package", Name: "q", Kind: graph.KindPackage, Language: "go", Path: "q/a_windows.go", Line: 1, EndLine: 1, Exported: true},
	}
	if !reflect.DeepEqual(out.Symbols, want) {
		t.Errorf("got %+v", out.Symbols)
	}
}

// TestPlatformsAreJoined has a call that leads elsewhere on each platform, a type
// that one platform makes an interface call reach, and a name that one lacks.
func TestPlatformsAreJoined(t *testing.T) {
	in := input(t, parseTree(`-- a.go --
package main
type I interface{ M() }
func main() { f(); use(nil) }
func use(i I) { i.M() }
func value() { onlyLinux() }
-- f_linux.go --
package main
func f() {}
func onlyLinux() {}
-- f_windows.go --
package main
type T struct{}
func (T) M() {}
func f() { use(T{}) }
`), true, 2)
	both := []golang.Platform{{OS: "linux", Arch: "amd64"}, {OS: "windows", Arch: "amd64"}}
	out := linkTree(t, in, golang.Options{Detached: true, Platforms: both})
	got := edges(in, out)
	for _, w := range []string{
		"call a.go#main -> f_linux.go#f @3", "call a.go#main -> f_windows.go#f @3", "call f_windows.go#f -> a.go#use @4",
		"dispatch a.go#use -> f_windows.go#T.M @4", "call a.go#value -> f_linux.go#onlyLinux @5",
	} {
		if !slices.Contains(got, w) {
			t.Errorf("no edge %q in %q", w, got)
		}
	}
	if c := out.Counts[0]; c.Compiler+c.Dispatch+c.External+c.Unresolved != 5 {
		t.Errorf("each of five calls counts once, got %+v", c)
	}
	want := []graph.Caveat{{
		ID: "go.other_platforms", Count: 1, Of: 3, Examples: []string{"f_windows.go (windows/amd64)"},
		Text: "Go files are built for another platform than the first that was checked; their references hold there only.",
	}}
	if !reflect.DeepEqual(out.Caveats, want) {
		t.Errorf("caveats %+v", out.Caveats)
	}
	one := linkTree(t, in, golang.Options{Detached: true})
	if len(one.Caveats) != 1 || one.Caveats[0].ID != "go.build_constraints" || one.Caveats[0].Count != 1 {
		t.Errorf("one platform leaves one file out: %+v", one.Caveats)
	}
}

func TestPlatformsHaveNames(t *testing.T) {
	for s, want := range map[string]bool{
		"linux/amd64": true, "wasip1/wasm": true, "": false, "linux": false, "linux/": false, "Linux/amd64": false,
		"linux/amd64/v2": false, "/amd64": false, "beos/ppc": false,
	} {
		if p, ok := golang.ParsePlatform(s); ok != want || ok && p.String() != s {
			t.Errorf("%q: %v, %v", s, p, ok)
		}
	}
}

func TestFilesWithOneBlobKeepApart(t *testing.T) {
	m := parseTree("-- q/a.go --\npackage q\nfunc F() { f() }\nfunc f() {}\n-- r/a.go --\npackage q\nfunc F() { f() }\nfunc f() {}\n")
	in := input(t, m, true, 2)
	in.Files[1].Syntax = in.Files[0].Syntax
	got := edges(in, linkTree(t, in, detached))
	want := []string{"call q/a.go#F -> q/a.go#f @2", "call r/a.go#F -> r/a.go#f @2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// bigTree has packages that import each other, with tests of both kinds.
func bigTree() memory {
	m := memory{"go.mod": "module example.com/m\n"}
	for i := range 24 {
		dir := fmt.Sprintf("p%02d", i)
		imports, calls := "", ""
		for _, d := range []int{1, 2, 5} {
			if i-d >= 0 {
				imports += fmt.Sprintf("import p%02d \"example.com/m/p%02d\"\n", i-d, i-d)
				calls += fmt.Sprintf("p%02d.F(T{}, p%02d.G);", i-d, i-d)
			}
		}
		m[dir+"/a.go"] = "package " + dir + "\n" + imports + "type T struct{}\nfunc (T) M() {}\nfunc F(i interface{ M() }, f func()) { i.M(); f(); " + calls + " }\nfunc G() { Gone() }\n"
		m[dir+"/a_test.go"] = "package " + dir + "\nfunc Export() { F(T{}, G) }\nfunc (T) Extra() {}\n"
		m[dir+"/b_test.go"] = "package " + dir + "_test\nimport q \"example.com/m/" + dir + "\"\nfunc use() { q.Export(); q.T{}.Extra() }\n"
	}
	return m
}

func TestOutputDoesNotDependOnWorkersOrSyntax(t *testing.T) {
	want := linkTree(t, input(t, bigTree(), true, 1), detached)
	if len(want.Edges) < 200 || len(want.Unresolved) != 24 {
		t.Fatalf("%d edges, %d unresolved: the tree does not exercise the linker", len(want.Edges), len(want.Unresolved))
	}
	for range 3 {
		if got := linkTree(t, input(t, bigTree(), false, 8), detached); !reflect.DeepEqual(got, want) {
			t.Fatal("8 workers without syntax give another output than 1 with it")
		}
	}
}

func TestALinkerMayBeUsedAgainAndAtTheSameTime(t *testing.T) {
	l := golang.New(golang.Options{})
	in := func() link.Input {
		return input(t, parseTree("-- a.go --\npackage m\nimport (\"fmt\"; \"strings\")\ntype S struct{}\nfunc (S) String() string { return \"\" }\nfunc A() { fmt.Println(strings.ToUpper(\"\"), S{}) }\nfunc B(s fmt.Stringer) { _ = s.String() }\n"), true, 2)
	}
	results := make(chan link.Output, 4)
	for range cap(results) {
		go func() {
			out, err := l.Link(context.Background(), in())
			if err != nil {
				t.Error(err)
			}
			results <- out
		}()
	}
	first := <-results
	for range cap(results) - 1 {
		if got := <-results; !reflect.DeepEqual(got, first) {
			t.Error("two calls of one linker differ")
		}
	}
}

func TestImportCyclesEnd(t *testing.T) {
	in := input(t, parseTree("-- a/a.go --\npackage a\nimport \"example.com/m/b\"\nfunc A() { b.B(); f() }\nfunc f() {}\n-- b/b.go --\npackage b\nimport \"example.com/m/a\"\nfunc B() { a.A() }\n-- c/c.go --\npackage c\nimport \"example.com/m/a\"\nfunc C() { a.A() }\n"), true, 2)
	out := linkTree(t, in, detached)
	got := edges(in, out)
	for _, w := range []string{"call a/a.go#A -> a/a.go#f @3", "call c/c.go#C -> a/a.go#A @3"} {
		if !slices.Contains(got, w) {
			t.Errorf("no edge %q in %q", w, got)
		}
	}
	if !slices.ContainsFunc(out.Caveats, func(c graph.Caveat) bool { return c.ID == "go.import_cycles" }) {
		t.Errorf("the cycle is said aloud, got %+v", out.Caveats)
	}
}

// fakeGOROOT holds a standard library of two packages.
func fakeGOROOT(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, src := range map[string]string{
		"fmt/fmt.go":         "package fmt\nfunc Println(a ...any) {}\ntype Stringer interface{ String() string }\n",
		"serve/serve.go":     "package serve\ntype Handler interface{ Serve(int) }\ntype Server struct{ H Handler }\nfunc Run(h Handler) {}\n",
		"serve/serve_js.go":  "package serve\nfunc Run(h Handler) { this is not read }\n",
		"serve/more_test.go": "package serve\nfunc Run(h Handler) {}\n",
	} {
		p := filepath.Join(root, "src", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestAValueHandedOverIsReferredToByTheMethodsItIsCalledBy(t *testing.T) {
	in := input(t, parseTree(`-- a.go --
package m
import "serve"
type T struct{}
func (*T) Serve(int) {}
func (*T) Other() {}
func A(t *T) { serve.Run(t) }
func B() { _ = serve.Server{H: &T{}} }
func C(h serve.Handler) { h.Serve(1); serve.Run(h) }
`), true, 2)
	out := linkTree(t, in, golang.Options{GOROOT: fakeGOROOT(t), ModuleCache: t.TempDir()})
	got := edges(in, out)
	for _, w := range []string{"reference a.go#A -> a.go#T.Serve @6", "reference a.go#B -> a.go#T.Serve @7", "dispatch a.go#C -> a.go#T.Serve @8"} {
		if !slices.Contains(got, w) {
			t.Errorf("no edge %q in %q", w, got)
		}
	}
	for _, e := range got {
		if strings.Contains(e, "-> a.go#T.Other") || strings.HasPrefix(e, "reference a.go#C -> a.go#T") {
			t.Errorf("edge %q must not be", e)
		}
	}
	if len(out.Caveats) != 0 {
		t.Errorf("everything is here, got %+v", out.Caveats)
	}
}

func TestADependencyComesFromTheModuleCacheAtItsExactVersion(t *testing.T) {
	cache := t.TempDir()
	for _, v := range []string{"v1.0.0", "v1.2.0"} {
		dir := filepath.Join(cache, "example.org", "!dep@"+v, "sub")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		src := "package sub\ntype In" + strings.ReplaceAll(v, ".", "_") + " interface{ M() }\nfunc Use(any) {}\n"
		if err := os.WriteFile(filepath.Join(dir, "s.go"), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in := input(t, parseTree("-- go.mod --\nmodule example.com/m\nrequire example.org/Dep v1.2.0\n-- a.go --\npackage m\nimport \"example.org/Dep/sub\"\ntype T struct{}\nfunc (T) M() {}\nfunc A(i sub.Inv1_2_0) { i.M(); sub.Use(T{}) }\n"), true, 2)
	out := linkTree(t, in, golang.Options{GOROOT: fakeGOROOT(t), ModuleCache: cache})
	if got := edges(in, out); !slices.Contains(got, "dispatch a.go#A -> a.go#T.M @5") || len(out.Caveats) != 0 {
		t.Errorf("edges %q, caveats %+v", got, out.Caveats)
	}
}

func TestTypesWithTooManyPathsAreNotChecked(t *testing.T) {
	var src strings.Builder
	src.WriteString("package a\n")
	for i := range 64 {
		fmt.Fprintf(&src, "type T%d struct{ A, B T%d }\n", i, i+1)
	}
	src.WriteString("type T64 int\nfunc A() { f() }\nfunc f() {}\n")
	m := parseTree("-- b/b.go --\npackage b\nimport \"example.com/m/a\"\nvar v a.T0\nfunc B() { f(); a.Gone() }\nfunc f() {}\n")
	m["a/a.go"] = src.String()
	in := input(t, m, true, 2)
	out := linkTree(t, in, detached)
	if got := edges(in, out); !slices.Contains(got, "call b/b.go#B -> b/b.go#f @4") {
		t.Errorf("other packages are linked, got %q", got)
	}
	if len(out.Unresolved) != 0 {
		t.Errorf("nothing is known to be broken, got %+v", out.Unresolved)
	}
	if len(out.Caveats) != 1 || out.Caveats[0].ID != "go.checker_failed" || !slices.Equal(out.Caveats[0].Examples, []string{"a"}) {
		t.Errorf("caveats %+v", out.Caveats)
	}
}

func TestACancelledContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := golang.New(detached).Link(ctx, input(t, bigTree(), false, 2)); err == nil {
		t.Error("Link went on")
	}
}

// FuzzLink holds for any two files: no panic, edges between symbols that exist,
// lines inside the file, the same output again.
func FuzzLink(f *testing.F) {
	for _, s := range []string{
		"package m\nfunc A() { B() }", "package m\ntype T struct{ T }\nfunc (t T) M() { t.M() }", "package m\ntype I interface{ I }\ntype A = B\ntype B = A",
		"package m\nimport . \"example.com/m\"\nvar x = x", "package m\nconst ( a = iota; b )\nvar f func() = func() { f() }", "package q\nfunc F[T any](t T) { F[[]T](nil) }",
		"package m_test\nimport \"example.com/m/q\"\nfunc _() { q.F(1)(2)[3].x() }", "package m\nvar _ = struct{a int}{1,2}\nfunc f() (int) { return f(1,2) }",
	} {
		f.Add(s, "package m\nfunc B() int { return 1 }\ntype T struct{}\n")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		m := memory{"go.mod": "module example.com/m\n", "a.go": a, "b.go": b, "q/q.go": b, "a_test.go": a}
		in := input(t, m, true, 2)
		out := linkTree(t, in, detached)
		n := int32(len(in.Symbols) + len(out.Symbols))
		for _, e := range out.Edges {
			if e.From < 0 || e.From >= n || e.To < 0 || e.To >= n || e.Kind.String() == "" || e.Tier.String() == "" {
				t.Fatalf("edge %+v of %d symbols", e, n)
			}
			if len(e.Lines) == 0 || e.Lines[0] < 1 || !slices.IsSorted(e.Lines) {
				t.Fatalf("lines %v", e.Lines)
			}
		}
		if again := linkTree(t, input(t, m, false, 1), detached); !reflect.DeepEqual(again, out) {
			t.Fatal("another output for the same tree")
		}
	})
}

func BenchmarkLink(b *testing.B) {
	b.ReportAllocs()
	l := golang.New(detached)
	for b.Loop() {
		if _, err := l.Link(context.Background(), input(b, bigTree(), true, 2)); err != nil {
			b.Fatal(err)
		}
	}
}
