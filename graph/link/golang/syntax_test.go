package golang_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	extract "github.com/previdence/previdence/graph/extract/golang"
	"github.com/previdence/previdence/graph/link"
	"github.com/previdence/previdence/graph/link/golang"
)

func linkSyntax(t testing.TB, m memory, workers int) (link.Input, link.Output) {
	t.Helper()
	in := extracted(t, extract.NewSyntactic(), m, false, workers)
	out, err := golang.NewSyntax(nil).Link(context.Background(), in)
	if err != nil {
		t.Fatalf("Link: %v", err)
	}
	return in, out
}

// tiered writes the edges as "tier kind from -> to".
func tiered(in link.Input, out link.Output) []string {
	all := slices.Concat(in.Symbols, out.Symbols)
	var list []string
	for _, e := range out.Edges {
		list = append(list, e.Tier.String()+" "+e.Kind.String()+" "+short(all[e.From])+" -> "+short(all[e.To]))
	}
	return list
}

func TestSyntaxLink(t *testing.T) {
	for _, c := range []struct {
		claim string
		tree  string
		want  []string
		never []string // no edge may contain this
	}{
		{
			claim: "a name leads through its package, a qualified one through the import",
			tree: `-- a/a.go --
package a
import other "example.com/m/b"
func A() { helper(); other.B() }
-- a/x.go --
package a
func helper() {}
-- b/b.go --
package b
func B() {}
`,
			want: []string{"exact call a/a.go#A -> a/x.go#helper", "exact call a/a.go#A -> b/b.go#B", "exact import a/a.go -> b"},
		},
		{
			claim: "a local hides the package's name, a parameter the import",
			tree: `-- a/a.go --
package a
import "example.com/m/b"
func A(b T) { b.B() }
func C() { helper := func() {}; helper() }
func D() { if helper := 1; helper > 0 { _ = helper } }
func E() { b.B() }
func helper() {}
type T struct{}
func (T) B() {}
-- b/b.go --
package b
func B() {}
`,
			want:  []string{"exact call a/a.go#A -> a/a.go#T.B", "exact call a/a.go#E -> b/b.go#B"},
			never: []string{"#A -> b/b.go#B", "#C -> a/a.go#helper", "#D -> a/a.go#helper"},
		},
		{
			claim: "a parameter may be called like the package of the next one's type",
			tree: `-- a/a.go --
package a
import "example.com/m/b"
func A(b *b.T, c *b.T) { c.M() }
-- b/b.go --
package b
type T struct{}
func (*T) M() {}
`,
			want: []string{"exact call a/a.go#A -> b/b.go#T.M"},
		},
		{
			claim: "a value has the type that is written or follows from what is",
			tree: `-- a.go --
package m
type T struct{ next *T; all []T; by map[string]*T; make func() T }
func (*T) M() {}
func New() (*T, error) { return &T{}, nil }
var global = []T{{}}
func A() { x, err := New(); _ = err; x.M() }
func B(t T) { t.next.next.M() }
func C(t T) { for _, x := range t.all { x.M() } }
func D(t T) { t.by["a"].M(); t.make().M() }
func E() { global[0].M() }
func F(x any) { switch y := x.(type) { case *T: y.M() } }
func G() { c := make(chan *T); (<-c).M(); for x := range c { x.M() } }
func H() { new(T).M(); T{}.next.M() }
func I() { defer func(t *T) { t.M() }(nil) }
`,
			want: []string{
				"exact call a.go#A -> a.go#T.M", "exact call a.go#B -> a.go#T.M", "exact call a.go#C -> a.go#T.M", "exact call a.go#D -> a.go#T.M",
				"exact call a.go#E -> a.go#T.M", "exact call a.go#F -> a.go#T.M", "exact call a.go#G -> a.go#T.M", "exact call a.go#H -> a.go#T.M",
				"exact call a.go#I -> a.go#T.M", "exact reference a.go#B -> a.go#T.next",
			},
			never: []string{"name "},
		},
		{
			claim: "the least deep member counts, and what lies outside may hide it",
			tree: `-- a.go --
package m
import "os"
type Base struct{ id int }
func (Base) M() {}
func (Base) N() {}
type Mid struct{ *Base }
func (Mid) N() {}
type Top struct{ Mid }
type Unsure struct { Top; os.File }
func A(t Top) { t.M(); t.N(); _ = t.id }
func B(u Unsure) { u.M() }
`,
			want: []string{
				"exact call a.go#A -> a.go#Base.M", "exact call a.go#A -> a.go#Mid.N", "exact reference a.go#A -> a.go#Base.id",
				"exact reference a.go#A -> a.go#Mid.Base", "exact inherit a.go#Top -> a.go#Mid", "name call a.go#B -> a.go#Base.M",
			},
			never: []string{"#A -> a.go#Base.N"},
		},
		{
			claim: "what is outside the tree leads nowhere, however it is called",
			tree: `-- a.go --
package m
import "os"
type T struct{}
func (T) Close() {}
func A() { f, _ := os.Open("x"); f.Close() }
`,
			never: []string{"-> a.go#T.Close"},
		},
		{
			claim: "without a type the name decides, among what the file can see",
			tree: `-- a/a.go --
package a
import "example.com/m/b"
func A() { for x := range b.All() { x.M() } }
-- b/b.go --
package b
type T struct{}
func (T) M() {}
func (T) M2(int) {}
func All() func(func(T) bool) { return nil }
-- c/c.go --
package c
type U struct{}
func (U) M() {}
`,
			want:  []string{"name call a/a.go#A -> b/b.go#T.M"},
			never: []string{"-> c/c.go#U.M"},
		},
		{
			claim: "a call through an interface leads to methods that read like its own",
			tree: `-- a/a.go --
package a
import "example.com/m/b"
type Store interface { Get(key b.Key) (string, error); Close() }
func A(s Store) { s.Get("") }
-- b/b.go --
package b
type Key string
type Disk struct{}
func (*Disk) Get(k Key) (value string, err error) { return "", nil }
func (*Disk) Close() {}
type Other struct{}
func (Other) Get(n int) (string, error) { return "", nil }
func (Other) Close() {}
type Half struct{}
func (Half) Get(k Key) (string, error) { return "", nil }
`,
			want:  []string{"exact reference a/a.go#A -> a/a.go#Store.Get", "name dispatch a/a.go#A -> b/b.go#Disk.Get"},
			never: []string{"-> b/b.go#Other.Get", "-> b/b.go#Half.Get"},
		},
		{
			claim: "keys of a struct are fields, those of a map are not",
			tree: `-- a.go --
package m
const key = "k"
type S struct{ key int; b bool }
type Set map[string]S
func A() S { return S{key: 1} }
func B() Set { return Set{key: {key: 1}} }
func C() S { return S{1, true} }
`,
			want: []string{
				"exact reference a.go#A -> a.go#S.key", "exact reference a.go#B -> a.go#key", "exact reference a.go#B -> a.go#S.key",
				"exact reference a.go#C -> a.go#S.b",
			},
			never: []string{"#A -> a.go#key"},
		},
		{
			claim: "tests see their package, production sees no tests",
			tree: `-- a/a.go --
package a
func A() {}
-- a/a_test.go --
package a
func helper() { A() }
-- a/x_test.go --
package a_test
import "example.com/m/a"
func use() { a.A(); a.Export() }
-- a/export_test.go --
package a
func Export() {}
`,
			want: []string{"exact call a/a_test.go#helper -> a/a.go#A", "exact call a/x_test.go#use -> a/a.go#A", "exact call a/x_test.go#use -> a/export_test.go#Export"},
		},
		{
			claim: "a variable of a function that begins as a function may run it",
			tree: `-- a.go --
package m
func A() { f := g; f() }
func g() {}
`,
			want: []string{"dispatch dispatch a.go#A -> a.go#g"},
		},
	} {
		t.Run(c.claim, func(t *testing.T) {
			in, out := linkSyntax(t, parseTree(c.tree), 2)
			got := tiered(in, out)
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("no edge %q in\n%s", want, strings.Join(got, "\n"))
				}
			}
			for _, never := range c.never {
				if i := slices.IndexFunc(got, func(e string) bool { return strings.Contains(e, never) }); i >= 0 {
					t.Errorf("edge %q", got[i])
				}
			}
			if slices.ContainsFunc(got, func(e string) bool { return strings.HasPrefix(e, "compiler ") }) {
				t.Error("an edge of tier compiler")
			}
		})
	}
}

// TestSyntaxIsSureOfWhatIsGone checks what is broken for certain, and what only may be.
func TestSyntaxIsSureOfWhatIsGone(t *testing.T) {
	m := parseTree(`-- a/a.go --
package a
import (
	"example.com/m/b"
	"example.com/m/gone"
	"example.org/out"
)
func A(t b.T, u *b.Open) {
	missing()
	b.Missing()
	t.missing()
	u.unknown()
	b.Two(1)
	b.Two(pair())
	b.Many()
	b.Elsewhere()
	gone.X()
	out.Y()
}
func pair() (int, int) { return 1, 2 }
-- b/b.go --
package b
import "example.org/out"
type T struct{}
type Open struct{ out.T }
func Two(a, b int) {}
func Many(a ...int) {}
-- b/b_windows.go --
package b
func Elsewhere() {}
`)
	_, out := linkSyntax(t, m, 2)
	var got []string
	for _, u := range out.Unresolved {
		certain := "may be"
		if u.Broken {
			certain = "is"
		}
		got = append(got, certain+" "+u.Name+" in "+u.In+": "+u.Reason)
	}
	slices.Sort(got)
	want := []string{
		"is Missing in b: no such name in the package",
		"is Two in go:b/b.go#Two/function: call does not fit the signature",
		"is example.com/m/gone in gone: no such package in the module",
		"is missing in a: no such name in the package",
		"is missing in go:b/b.go#T/struct: no such field or method",
		"may be Elsewhere in b: only in files for other platforms or build tags",
		"may be X in : receiver type unknown",
		"may be unknown in : receiver type unknown",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// ownSource is the Go source of the extractors and linkers of this module.
func ownSource(t testing.TB) memory {
	t.Helper()
	m := memory{"go.mod": "module github.com/previdence/previdence\n\ngo 1.26\n"}
	root := filepath.Join("..", "..", "..")
	for _, pattern := range []string{"graph/*.go", "graph/codec/*.go", "graph/extract/*.go", "graph/extract/*/*.go", "graph/link/*.go", "graph/link/*/*.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, p := range files {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(root, p)
			if err != nil {
				t.Fatal(err)
			}
			m[filepath.ToSlash(rel)] = string(text)
		}
	}
	return m
}

// TestSyntaxSaysNothingThatTypesDeny holds what is exact without types against the type
// checker, on this module's own source.
func TestSyntaxSaysNothingThatTypesDeny(t *testing.T) {
	m := ownSource(t)
	in, out := linkSyntax(t, m, 2)
	typedIn := input(t, m, true, 2)
	typed, calls := siteSet(typedIn, linkTree(t, typedIn, golang.Options{}), graph.TierCompiler)
	exact, found := siteSet(in, out, graph.TierExact)
	for e := range exact {
		if !typed[e] {
			t.Errorf("the type checker knows no %s", e)
		}
	}
	if share := float64(found) / float64(calls); share < 0.93 {
		t.Errorf("%d of %d calls are found, %.3f", found, calls, share)
	}
	for _, u := range out.Unresolved {
		if u.Broken {
			t.Errorf("%s:%d: %s is said to be broken: %s", in.Symbols[u.From].Path, u.Line, u.Name, u.Reason)
		}
	}
}

// siteSet lists the edges at a tier site by site, and counts the calls among them.
func siteSet(in link.Input, out link.Output, tier graph.Tier) (set map[string]bool, calls int) {
	all := slices.Concat(in.Symbols, out.Symbols)
	set = map[string]bool{}
	for _, e := range out.Edges {
		if e.Tier != tier {
			continue
		}
		for _, line := range e.Lines {
			set[fmt.Sprintf("%s %s -> %s @%d", e.Kind, short(all[e.From]), short(all[e.To]), line)] = true
			if e.Kind == graph.EdgeCall {
				calls++
			}
		}
	}
	return set, calls
}

func TestSyntaxDoesNotDependOnWorkers(t *testing.T) {
	m := ownSource(t)
	_, one := linkSyntax(t, m, 1)
	_, many := linkSyntax(t, m, 8)
	if !slices.EqualFunc(one.Edges, many.Edges, func(a, b graph.Edge) bool {
		return a.From == b.From && a.To == b.To && a.Kind == b.Kind && a.Tier == b.Tier && slices.Equal(a.Lines, b.Lines)
	}) || !slices.Equal(one.Unresolved, many.Unresolved) || !slices.Equal(one.Counts, many.Counts) {
		t.Error("one worker links otherwise than eight")
	}
}

func BenchmarkLinkSyntax(b *testing.B) {
	in := extracted(b, extract.NewSyntactic(), ownSource(b), false, 2)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := golang.NewSyntax(nil).Link(context.Background(), in); err != nil {
			b.Fatal(err)
		}
	}
}
