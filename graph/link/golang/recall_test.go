package golang_test

import (
	"context"
	"maps"
	"reflect"
	"sync"
	"testing"

	"github.com/previdence/previdence/graph/link"
	"github.com/previdence/previdence/graph/link/golang"
)

// memo keeps parts in memory and counts what a call made anew.
type memo struct {
	mu    sync.Mutex
	parts map[string][]byte
	fresh int
}

func (m *memo) Recall(_ context.Context, keys []string) map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := map[string][]byte{}
	for _, k := range keys {
		if v, ok := m.parts[k]; ok {
			found[k] = v
		}
	}
	return found
}

func (m *memo) Keep(_ context.Context, values map[string][]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fresh = len(values)
	maps.Copy(m.parts, values)
}

// layered has packages above one another, with tests of every kind, values that
// flow between packages, generics and a type that only a function knows.
const layered = `
-- low/low.go --
package low

type I interface{ M(func()) int }

type Box[T any] struct{ V T }

func (b *Box[T]) Get() T { return b.V }

var Hook func()

func Run(f func()) { f() }

func New() *Box[int] { type inner struct{ n int }; _ = inner{}; return &Box[int]{} }
-- low/low_test.go --
package low

import "testing"

type mock struct{}

func (mock) M(func()) int { return 0 }

func Test(t *testing.T) { var i I = mock{}; i.M(func() {}) }
-- low/out_test.go --
package low_test

import (
	"testing"

	"example.com/m/low"
	"example.com/m/mid"
)

func TestOut(t *testing.T) { low.Run(func() { mid.Use(mid.T{}) }) }
-- mid/mid.go --
package mid

import "example.com/m/low"

type T struct{ low.Box[string] }

func (T) M(f func()) int { low.Run(f); return low.New().Get() }

func Use(i low.I) { i.M(low.Hook) }
-- top/main.go --
package main

import (
	"fmt"

	"example.com/m/low"
	"example.com/m/mid"
)

func main() { low.Hook = func() { fmt.Println() }; mid.Use(mid.T{}) }
-- side/side.go --
package side

func S() {}
`

// TestWhatDecidesAStepAloneIsCheckedAgain edits one file of a tree whose parts
// are kept: the output is that of a clean call, and the number of steps that
// were made anew is known.
func TestWhatDecidesAStepAloneIsCheckedAgain(t *testing.T) {
	for _, c := range []struct {
		claim, path, from, to string
		fresh                 int
	}{
		{"nothing changed", "", "", "", 0},
		{"a body counts for its package", "low/low.go", "{ f() }", "{ f(); f() }", 1},
		{"a body of a test counts for the test", "low/low_test.go", "i.M(func() {})", "i.M(nil)", 1},
		{"the top is nobody's concern", "top/main.go", "low.Hook = func()", "low.Hook = func( )", 1},
		{"a declaration counts for all above and for tests", "low/low.go", "Run(f func()) { f() }", "Run(g func()) { g() }", 5},
		{"a comment inside a declaration moves its places", "low/low.go", "Run(f", "Run(/* x */ f", 5},
		{"a comment between declarations counts for its package", "low/low.go", "var Hook", "// x\n\nvar Hook", 1},
		{"what is above does not count below", "mid/mid.go", "func Use", "func More() {}\n\nfunc Use", 3},
		{"a package that nobody imports counts alone", "side/side.go", "func S()", "func S(int)", 1},
		{"another module path moves everything", "go.mod", "example.com/m\n", "example.com/m\n\nrequire example.org/x v1.0.0\n", 0},
	} {
		t.Run(c.claim, func(t *testing.T) {
			m, kept := parseTree(layered), &memo{parts: map[string][]byte{}}
			link := func(m memory, memo link.Memo, workers int) link.Output {
				in := input(t, m, false, workers)
				in.Memo = memo
				return linkTree(t, in, detached)
			}
			link(m, kept, 2)
			if c.path == "" && kept.fresh != 6 {
				t.Fatalf("%d steps are kept, want 6", kept.fresh)
			}
			kept.fresh = 0
			m[c.path] = replaceOnce(t, c.path, m[c.path], c.from, c.to)
			got := link(m, kept, 3)
			if want := link(m, nil, 1); !reflect.DeepEqual(got, want) {
				t.Errorf("kept parts give\n%q, want\n%q", edges(input(t, m, false, 1), got), edges(input(t, m, false, 1), want))
			}
			if kept.fresh != c.fresh {
				t.Errorf("%d steps were made anew, want %d", kept.fresh, c.fresh)
			}
		})
	}
}

// noting notes which files are read.
type noting struct {
	memory
	mu   sync.Mutex
	read map[string]bool
}

func (n *noting) Read(ctx context.Context, p string) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.read[p] = true
	return n.memory.Read(ctx, p)
}

// Of what a kept package imports, only that is looked at which decides the types of its
// declarations. The graph is the same.
func TestKeptPackagesNeedWhatTheirDeclarationsName(t *testing.T) {
	for _, c := range []struct {
		claim, imported, declared string
		needed                    bool
	}{
		{"a body is not looked at", `"example.com/m/idle"`, `func F() { idle.Do() }`, false},
		{"nor the value of a variable that says its type", `"example.com/m/idle"`, `var V int = idle.N`, false},
		{"nor the body of a function literal", `"example.com/m/idle"`, `var V = func() int { return idle.N }`, false},
		{"nor what is imported to run", `_ "example.com/m/idle"`, `func F() {}`, false},
		{"a value that decides a type counts", `"example.com/m/idle"`, `var V = idle.N`, true},
		{"the value of a constant counts", `"example.com/m/idle"`, `const C int = idle.N; var V [C]int`, true},
		{"a parameter counts", `"example.com/m/idle"`, `func F(idle.T) {}`, true},
		{"the type of a function literal counts", `"example.com/m/idle"`, `var V = func(idle.T) {}`, true},
		{"an embedded type counts", `"example.com/m/idle"`, `type S struct{ idle.T }`, true},
		{"a package by another name counts", `other "example.com/m/idle"`, `func F(other.T) {}`, true},
		{"its own name does not count then", `other "example.com/m/idle"`, `var idle struct{ N int }; var V = idle.N; func F() { other.Do() }`, false},
		{"names without a dot count", `. "example.com/m/idle"`, `func F(T) {}`, true},
	} {
		t.Run(c.claim, func(t *testing.T) {
			m := parseTree(`
-- idle/idle.go --
package idle

const N = 3

type T struct{}

func (T) M() {}

func Do() {}
-- low/low.go --
package low

import ` + c.imported + `

` + c.declared + `

type Low struct{}
-- low/only.go --
package low

import _ "example.com/m/none"
-- none/none.go --
package none
-- top/main.go --
package main

import "example.com/m/low"

func main() { var _ low.Low }
`)
			kept := &memo{parts: map[string][]byte{}}
			tree := &noting{memory: m, read: map[string]bool{}}
			run := func(memo link.Memo) link.Output {
				in := input(t, m, false, 2)
				in.Tree, in.Memo = tree, memo
				return linkTree(t, in, detached)
			}
			run(kept)
			m["top/main.go"] = replaceOnce(t, "top/main.go", m["top/main.go"], "var _", "var _, _")
			clear(tree.read)
			got := run(kept)
			if tree.read["idle/idle.go"] != c.needed || !tree.read["low/low.go"] {
				t.Errorf("read %v, want of what low imports: %v", tree.read, c.needed)
			}
			if want := run(nil); !reflect.DeepEqual(got, want) {
				t.Errorf("kept parts give\n%q, want\n%q", edges(input(t, m, false, 1), got), edges(input(t, m, false, 1), want))
			}
		})
	}
}

func replaceOnce(t *testing.T, path, text, from, to string) string {
	t.Helper()
	if path == "" {
		return text
	}
	i := indexOnce(text, from)
	if i < 0 {
		t.Fatalf("%s does not hold %q once", path, from)
	}
	return text[:i] + to + text[i+len(from):]
}

func indexOnce(text, part string) int {
	at := -1
	for i := 0; i+len(part) <= len(text); i++ {
		if text[i:i+len(part)] == part {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// FuzzKeptParts damages what is kept: the linker must take it for absent or
// give indexes that exist.
func FuzzKeptParts(f *testing.F) {
	kept := &memo{parts: map[string][]byte{}}
	in := input(f, parseTree(layered), false, 1)
	in.Memo = kept
	linkTree(f, in, detached)
	f.Add(uint16(0), byte(1))
	f.Add(uint16(7), byte(255))
	f.Add(uint16(300), byte(40))
	f.Add(uint16(191), byte(2)) // an edge to no symbol
	f.Add(uint16(174), byte(4)) // a call of a package
	f.Fuzz(func(t *testing.T, at uint16, x byte) {
		damaged := &memo{parts: map[string][]byte{}}
		for k, v := range kept.parts {
			v = append([]byte(nil), v...)
			v[int(at)%len(v)] ^= x
			damaged.parts[k] = v
		}
		in := input(t, parseTree(layered), false, 1)
		in.Memo = damaged
		out, err := golang.New(detached).Link(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		n := int32(len(in.Symbols) + len(out.Symbols))
		for _, e := range out.Edges {
			if e.From < 0 || e.From >= n || e.To < 0 || e.To >= n {
				t.Fatalf("edge %v of %d symbols", e, n)
			}
		}
	})
}
