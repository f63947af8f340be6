package golang_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/previdence/previdence/graph"
	extract "github.com/previdence/previdence/graph/extract/golang"
	"github.com/previdence/previdence/graph/link"
	"github.com/previdence/previdence/graph/link/golang"
)

// memory is a tree of files held in memory.
type memory map[string]string

func (m memory) Paths() []string {
	var out []string
	for p := range m {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

func (m memory) Read(_ context.Context, p string) ([]byte, error) {
	if s, ok := m[p]; ok {
		return []byte(s), nil
	}
	return nil, fmt.Errorf("read %s: %w", p, fs.ErrNotExist)
}

// input extracts the Go files of a tree, with or without their syntax.
func input(t testing.TB, m memory, syntax bool, workers int) link.Input {
	t.Helper()
	return extracted(t, extract.New(), m, syntax, workers)
}

func extracted(t testing.TB, x *extract.Extractor, m memory, syntax bool, workers int) link.Input {
	t.Helper()
	in := link.Input{Tree: m, Workers: workers}
	for _, p := range m.Paths() {
		if !strings.HasSuffix(p, ".go") {
			continue
		}
		r, err := x.Extract(context.Background(), extract.Language, []byte(m[p]))
		if err != nil {
			t.Fatal(err)
		}
		f := link.File{Path: p, Blob: fmt.Sprintf("%x", sha256.Sum256([]byte(m[p]))), Facts: r.Facts, Symbols: int32(len(in.Symbols))}
		if syntax {
			f.Syntax = r.Syntax
		}
		in.Files = append(in.Files, f)
		for i, id := range r.Facts.IDs(p) {
			s := r.Facts.Symbols[i]
			in.Symbols = append(in.Symbols, graph.Symbol{
				ID: id, Name: s.Name, Container: r.Facts.Containers(int32(i)), Kind: s.Kind, Path: p, Line: int(s.Line), EndLine: int(s.EndLine),
			})
		}
	}
	return in
}

// parseTree reads a txtar. A tree without go.mod gets one.
func parseTree(src string) memory {
	m := memory{}
	for _, f := range txtar.Parse([]byte(src)).Files {
		m[f.Name] = string(f.Data)
	}
	if _, ok := m["go.mod"]; !ok && m["sub/go.mod"] == "" {
		m["go.mod"] = "module example.com/m\n\ngo 1.26\n"
	}
	return m
}

// detached knows nothing but the tree: the tests hold on every machine.
var detached = golang.Options{Detached: true}

func linkTree(t testing.TB, in link.Input, opts golang.Options) link.Output {
	t.Helper()
	out, err := golang.New(opts).Link(context.Background(), in)
	if err != nil {
		t.Fatalf("Link: %v", err)
	}
	return out
}

// short drops the language and shortens a symbol: "a/a.go#F".
func short(s graph.Symbol) string {
	id := strings.TrimPrefix(string(s.ID), "go:")
	return strings.TrimSuffix(id[:strings.LastIndex(id, "/")], "#")
}

// edges writes the edges as "kind from -> to @lines".
func edges(in link.Input, out link.Output) []string {
	all := slices.Concat(in.Symbols, out.Symbols)
	var list []string
	for _, e := range out.Edges {
		lines := strings.Trim(fmt.Sprint(e.Lines), "[]")
		list = append(list, fmt.Sprintf("%s %s -> %s @%s", e.Kind, short(all[e.From]), short(all[e.To]), lines))
	}
	return list
}

// TestLink checks edges that must be there and words that no edge may hold.
func TestLink(t *testing.T) {
	for _, c := range []struct {
		claim string
		tree  string
		want  []string
		never []string // no edge may contain this
	}{
		{
			claim: "a call reaches another file of the package",
			tree: `-- a.go --
package m
func A() { b() }
-- b.go --
package m
func b() {}
`,
			want: []string{"call a.go#A -> b.go#b @2"},
		},
		{
			claim: "a package is imported by path, alias and dot",
			tree: `-- a.go --
package m
import (
	"example.com/m/q"
	other "example.com/m/r"
	. "example.com/m/s"
)
func A() { q.F(); other.F(); G() }
-- q/q.go --
package q
func F() {}
-- r/r.go --
package r
func F() {}
-- s/s.go --
package s
func G() {}
`,
			want: []string{
				"call a.go#A -> q/q.go#F @7", "call a.go#A -> r/r.go#F @7", "call a.go#A -> s/s.go#G @7",
				"import a.go -> q @3", "import a.go -> r @4", "import a.go -> s @5",
			},
		},
		{
			claim: "an embedded type promotes its methods and fields",
			tree: `-- a.go --
package m
type Base struct{ N int }
func (b *Base) M() {}
type T struct{ *Base }
func A(t T) int {
	t.M()
	return t.N
}
`,
			want: []string{
				"call a.go#A -> a.go#Base.M @6", "reference a.go#A -> a.go#T.Base @6 7", "reference a.go#A -> a.go#Base.N @7",
				"inherit a.go#T -> a.go#Base @4",
			},
		},
		{
			claim: "an interface call reaches the types that are created",
			tree: `-- a.go --
package m
type I interface{ M() }
type X struct{}
func (X) M() {}
type Y struct{}
func (*Y) M() {}
type Never struct{}
func (Never) M() {}
func use(i I) { i.M() }
func A() { use(X{}); use(new(Y)) }
`,
			want: []string{
				"reference a.go#use -> a.go#I.M @9", "dispatch a.go#use -> a.go#X.M @9", "dispatch a.go#use -> a.go#Y.M @9",
				"override a.go#X.M -> a.go#I.M @4", "override a.go#Never.M -> a.go#I.M @8",
				"inherit a.go#X -> a.go#I @3", "inherit a.go#Y -> a.go#I @5",
			},
			never: []string{"dispatch a.go#use -> a.go#Never.M"},
		},
		{
			claim: "a conversion makes a type, also behind a pointer, unless it converts nil",
			tree: `-- a.go --
package m
type I interface{ M() }
type base struct{}
type X base
func (*X) M() {}
type Checked struct{}
func (*Checked) M() {}
var _ I = (*Checked)(nil)
func A(b *base) { var i I = (*X)(b); i.M() }
`,
			want:  []string{"dispatch a.go#A -> a.go#X.M @9"},
			never: []string{"dispatch a.go#A -> a.go#Checked.M"},
		},
		{
			claim: "function values go through copy and slices of slices",
			tree: `-- a.go --
package m
type group struct{ chain []func() }
func f() {}
func g() {}
func (r *group) use(more ...func()) {
	all := make([]func(), 2)
	copy(all, r.chain)
	copy(all[1:], more)
	for _, h := range all { h() }
}
func A() { r := &group{chain: []func(){f}}; r.use(g) }
`,
			want: []string{"dispatch a.go#group.use -> a.go#f @9", "dispatch a.go#group.use -> a.go#g @9"},
		},
		{
			claim: "a method with another signature implements nothing",
			tree: `-- a.go --
package m
type I interface{ M(int) }
type X struct{}
func (X) M() {}
func use(i I) { i.M(1) }
var _ = X{}
`,
			want:  []string{"reference a.go#use -> a.go#I.M @5"},
			never: []string{"-> a.go#X.M", "inherit"},
		},
		{
			claim: "method values and expressions lead to the method",
			tree: `-- a.go --
package m
type T struct{}
func (T) V() {}
func (T) E() {}
func A(t T) {
	f := t.V
	f()
	T.E(t)
	g := T.E
	g(t)
}
`,
			want: []string{
				"reference a.go#A -> a.go#T.V @6", "dispatch a.go#A -> a.go#T.V @7",
				"call a.go#A -> a.go#T.E @8", "dispatch a.go#A -> a.go#T.E @10",
			},
		},
		{
			claim: "generic functions and types lead to what they are made from",
			tree: `-- a.go --
package m
type Box[T any] struct{ V T }
func (b Box[T]) Get() T { return b.V }
func Map[A, B any](a A, f func(A) B) B { return f(a) }
func conv(int) string { return "" }
func A() {
	b := Box[int]{V: 1}
	_ = Map(b.Get(), conv)
	_ = Map[int, string](b.V, conv)
}
`,
			want: []string{
				"call a.go#A -> a.go#Map @8 9", "call a.go#A -> a.go#Box.Get @8", "reference a.go#A -> a.go#Box.V @7 9",
				"dispatch a.go#Map -> a.go#conv @4", "reference a.go#A -> a.go#conv @8 9",
			},
		},
		{
			claim: "a call inside a closure belongs to the function around it",
			tree: `-- a.go --
package m
func leaf() {}
func A() { func() { leaf() }() }
`,
			want: []string{"call a.go#A -> a.go#leaf @3"},
		},
		{
			claim: "a literal is called where it stands, or where what it was put into is",
			tree: `-- a.go --
package m
type Command struct{ Run func() }
func (c *Command) Execute() { c.Run() }
func each(f func()) { f() }
func one() {}
func two() {}
func three() {}
var cmd = &Command{Run: func() { one() }}
func A() {
	each(func() { two() })
	func() { three() }()
}
`,
			want: []string{
				"reference a.go#cmd -> a.go#cmd.Run @8", "dispatch a.go#Command.Execute -> a.go#cmd.Run @3", "call a.go#cmd.Run -> a.go#one @8",
				"reference a.go#A -> a.go#A.func1 @10", "dispatch a.go#each -> a.go#A.func1 @4", "call a.go#A.func1 -> a.go#two @10",
				"call a.go#A -> a.go#A.func2 @11", "call a.go#A -> a.go#two @10", "call a.go#A -> a.go#three @11",
			},
			never: []string{"a.go#A.func2 ->", "dispatch a.go#each -> a.go#cmd.Run"}, // what nothing else calls has no edges of its own
		},
		{
			claim: "a literal inside one that is called has its edges, too",
			tree: `-- a.go --
package m
func each(f func()) { f() }
func leaf() {}
func A() { each(func() { func() { leaf() }() }) }
`,
			want: []string{
				"dispatch a.go#each -> a.go#A.func1 @2", "call a.go#A.func1 -> a.go#A.func1.func1 @4", "call a.go#A.func1.func1 -> a.go#leaf @4",
			},
		},
		{
			claim: "a callback arrives in the methods that implement an interface, and what they return at its caller",
			tree: `-- a.go --
package m
type Source interface {
	Each(f func())
	Pick() func()
}
type X struct{}
func (X) Each(f func()) { f() }
func (X) Pick() func() { return got }
func got() {}
func A(s Source) {
	s.Each(func() {})
	s.Pick()()
}
var _ Source = X{}
`,
			want: []string{"dispatch a.go#X.Each -> a.go#A.func1 @7"},
		},
		{
			claim: "a test hands its functions and types to production code, not to tests of another directory",
			tree: `-- p/p.go --
package p
type I interface{ M() }
var Hook func()
func Run(i I) { i.M(); Hook() }
-- p/p_test.go --
package p
type fake struct{}
func (fake) M() {}
func A() { Hook = func() {}; Run(fake{}); Hook() }
-- q/q_test.go --
package q
import "example.com/m/p"
type other struct{}
func (other) M() {}
func B(i p.I) { p.Hook = func() {}; p.Run(other{}); p.Hook(); i.M() }
`,
			want: []string{
				"dispatch p/p.go#Run -> p/p_test.go#fake.M @4", "dispatch p/p.go#Run -> q/q_test.go#other.M @4",
				"dispatch p/p.go#Run -> p/p_test.go#A.Hook @4", "dispatch p/p_test.go#A -> p/p_test.go#A.Hook @4",
				"dispatch q/q_test.go#B -> q/q_test.go#B.Hook @5", "dispatch q/q_test.go#B -> q/q_test.go#other.M @5",
			},
			never: []string{"q/q_test.go#B -> p/p_test.go", "p/p_test.go#A -> q/q_test.go"},
		},
		{
			claim: "a function in a field is called where the field is",
			tree: `-- a.go --
package m
type Command struct {
	Run  func(args []string)
	Post func(args []string)
}
func (c *Command) Execute() { c.Run(nil) }
func runX(args []string) {}
func postX(args []string) {}
var cmd = &Command{Run: runX, Post: postX}
`,
			want: []string{
				"dispatch a.go#Command.Execute -> a.go#runX @6", "reference a.go#cmd -> a.go#runX @9",
				"reference a.go#cmd -> a.go#Command.Run @9",
			},
			never: []string{"dispatch a.go#Command.Execute -> a.go#postX"},
		},
		{
			claim: "a function is followed through variables, results, slices and maps",
			tree: `-- a.go --
package m
func one() {}
func two() {}
func three() {}
func pick() func() { return one }
func A() {
	f := pick()
	f()
	for _, g := range []func(){two} { g() }
	table := map[string]func(){"x": three}
	table["x"]()
}
`,
			want: []string{"dispatch a.go#A -> a.go#one @8", "dispatch a.go#A -> a.go#two @9", "dispatch a.go#A -> a.go#three @11"},
		},
		{
			claim: "files for other platforms are left out",
			tree: `-- a.go --
package m
func A() { f() }
-- f_linux.go --
package m
func f() {}
-- f_windows.go --
package m
func f() { onlyWindows() }
func onlyWindows() {}
-- g.go --
//go:build !linux
package m
func g() { A() }
`,
			want:  []string{"call a.go#A -> f_linux.go#f @2"},
			never: []string{"f_windows.go", "g.go#"},
		},
		{
			claim: "modules see each other by replace and go.work only",
			tree: `-- go.mod --
module example.com/m
require example.com/r v1.0.0
replace example.com/r => ./r
-- go.work --
use ./w
use ./x
-- a.go --
package m
import ("example.com/r"; "example.com/lone")
func A() { r.F(); lone.F() }
-- r/go.mod --
module example.com/r
-- r/r.go --
package r
func F() {}
-- w/go.mod --
module example.com/w
-- w/w.go --
package w
import "example.com/x/deep"
func W() { deep.F() }
-- x/go.mod --
module example.com/x
-- x/deep/d.go --
package deep
func F() {}
-- lone/go.mod --
module example.com/lone
-- lone/l.go --
package lone
func F() {}
`,
			want:  []string{"call a.go#A -> r/r.go#F @3", "call w/w.go#W -> x/deep/d.go#F @3"},
			never: []string{"-> lone/l.go#F"},
		},
		{
			claim: "internal and external tests see what they may",
			tree: `-- a.go --
package m
type T struct{}
func inner() {}
func F(T) { inner() }
-- in_test.go --
package m
func Exported() { inner() }
func (T) Extra() {}
-- out_test.go --
package m_test
import ("example.com/m"; "example.com/m/q")
func use() { m.Exported(); m.F(q.Make()); q.Make().Extra() }
-- q/q.go --
package q
import "example.com/m"
func Make() m.T { return m.T{} }
`,
			want: []string{
				"call in_test.go#Exported -> a.go#inner @2", "call out_test.go#use -> in_test.go#Exported @3",
				"call out_test.go#use -> a.go#F @3", "call out_test.go#use -> q/q.go#Make @3", "call out_test.go#use -> in_test.go#T.Extra @3",
			},
		},
		{
			claim: "production code reaches into a test only by what the test hands over",
			tree: `-- a.go --
package m
type I interface{ M() }
func use(i I) { i.M() }
var hook func()
func run() { hook() }
-- a_test.go --
package m
type mock struct{}
func (mock) M() {}
func fake() {}
func inTest() { hook = fake; use(mock{}); var i I = mock{}; i.M() }
`,
			want: []string{
				"dispatch a_test.go#inTest -> a_test.go#mock.M @5", "override a_test.go#mock.M -> a.go#I.M @3",
				"dispatch a.go#use -> a_test.go#mock.M @3", "dispatch a.go#run -> a_test.go#fake @5",
			},
			never: []string{"call a.go#use -> a_test.go", "reference a.go#use -> a_test.go"},
		},
		{
			claim: "init functions and package variables call on their own behalf",
			tree: `-- a.go --
package m
func f() int { return 1 }
func g() {}
var x, y = f(), 2
func init() { g() }
func init() { f() }
`,
			want: []string{"call a.go#x -> a.go#f @4", "call a.go#init -> a.go#g @5", "call a.go#init -> a.go#f @6"},
		},
		{
			claim: "a cgo file is linked, C is outside",
			tree: `-- a.go --
package m
// int twice(int x) { return 2*x; }
import "C"
func A() int { b(); return int(C.twice(1)) }
func b() {}
`,
			want: []string{"call a.go#A -> a.go#b @4"},
		},
		{
			claim: "an import shadowed by a local is not the import",
			tree: `-- a.go --
package m
import "example.com/m/q"
type T struct{}
func (T) F() {}
func A() {
	q.G()
	q := T{}
	q.F()
}
-- q/q.go --
package q
func F() {}
func G() {}
`,
			want:  []string{"call a.go#A -> a.go#T.F @8", "call a.go#A -> q/q.go#G @6"},
			never: []string{"-> q/q.go#F"},
		},
		{
			claim: "conversions and built-in functions are no calls",
			tree: `-- a.go --
package m
type N uint32
func len2(int) {}
func A(x int) { _ = uint32(x); _ = N(x); _ = len("x"); _ = []byte("x") }
`,
			want:  []string{"reference a.go#A -> a.go#N @4"},
			never: []string{"call "},
		},
		{
			claim: "constants, fields and types are referred to",
			tree: `-- a.go --
package m
const Max = 3
type P struct{ X, Y int }
var v = P{1, Max}
func A() { v.X = Max; _ = P{Y: 2} }
`,
			want: []string{
				"reference a.go#v -> a.go#Max @4", "reference a.go#v -> a.go#P.X @4", "reference a.go#v -> a.go#P.Y @4",
				"reference a.go#A -> a.go#v @5", "reference a.go#A -> a.go#P.Y @5", "reference a.go#A -> a.go#P @5",
			},
		},
		{
			claim: "a vendored package is the one that is imported",
			tree: `-- a.go --
package m
import "example.com/dep"
func A() { dep.F() }
-- vendor/example.com/dep/d.go --
package dep
func F() {}
`,
			want: []string{"call a.go#A -> vendor/example.com/dep/d.go#F @3", "import a.go -> vendor/example.com/dep @2"},
		},
		{
			claim: "a nested module does not use the vendor directory above it",
			tree: `-- go.mod --
module example.com/m
-- vendor/example.com/dep/d.go --
package dep
func F() {}
-- tools/go.mod --
module example.com/tools
require example.com/dep v1.0.0
-- tools/t.go --
package tools
import "example.com/dep"
func A() { dep.F(); dep.Newer() }
`,
			never: []string{"tools/t.go#A ->", "tools/t.go ->"},
		},
		{
			claim: "a module that asks for a published version does not get the tree's",
			tree: `-- go.mod --
module example.com/m
require example.com/r v1.0.0
replace example.com/r => ./r
-- a.go --
package m
import "example.com/r"
func A() { r.F() }
-- r/go.mod --
module example.com/r
-- r/r.go --
package r
func F() {}
-- other/go.mod --
module example.com/other
require example.com/r v0.9.0
-- other/o.go --
package other
import "example.com/r"
func A() { r.Old() }
`,
			want:  []string{"call a.go#A -> r/r.go#F @3"},
			never: []string{"other/o.go"},
		},
		{
			claim: "ignored directories are linked only if something imports them",
			tree: `-- a.go --
package m
import "example.com/m/testdata/used"
func A() { used.F() }
-- testdata/used/u.go --
package used
func F() { f() }
func f() {}
-- testdata/other/o.go --
package other
func F() { f() }
func f() {}
`,
			want:  []string{"call a.go#A -> testdata/used/u.go#F @3", "call testdata/used/u.go#F -> testdata/used/u.go#f @2"},
			never: []string{"testdata/other"},
		},
		{
			claim: "a program beside the package of a directory is linked apart",
			tree: `-- a.go --
package m
func F() {}
-- b.go --
package m
-- tool.go --
package main
func main() { f() }
func f() {}
`,
			want: []string{"call tool.go#main -> tool.go#f @2"},
		},
		{
			claim: "a type error costs neither its function, nor its package, nor who imports it",
			tree: `-- a/a.go --
package a
func A() string {
	var n int = "no number"
	b()
	return n + c(1)
}
func b() {}
func c(n int) int { return n }
func (n int) M() {}
-- b/b.go --
package b
import "example.com/m/a"
func B() { a.A(); d() }
func d() {}
`,
			want: []string{
				"call a/a.go#A -> a/a.go#b @4", "call a/a.go#A -> a/a.go#c @5",
				"call b/b.go#B -> a/a.go#A @3", "call b/b.go#B -> b/b.go#d @3",
			},
		},
	} {
		t.Run(c.claim, func(t *testing.T) {
			in := input(t, parseTree(c.tree), true, 2)
			out := linkTree(t, in, detached)
			got := edges(in, out)
			for _, w := range c.want {
				if !slices.Contains(got, w) {
					t.Errorf("no edge %q", w)
				}
			}
			for _, n := range c.never {
				for _, e := range got {
					if strings.Contains(e, n) {
						t.Errorf("edge %q must not be", e)
					}
				}
			}
			for _, u := range out.Unresolved {
				if u.Broken {
					t.Errorf("nothing is broken here, got %+v", u)
				}
			}
			if t.Failed() {
				t.Logf("all edges:\n%s", strings.Join(got, "\n"))
			}
		})
	}
}
