package golang_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/extract/golang"
)

func extractReferences(t testing.TB, src string) *graph.Facts {
	t.Helper()
	r, err := golang.NewSyntactic().Extract(context.Background(), golang.Language, []byte(src))
	if err != nil {
		t.Fatalf("Extract: %v", err)
	}
	if r.Syntax != nil {
		t.Error("a linker without types is given a tree")
	}
	return r.Facts
}

// written writes an expression of the facts like source.
func written(f *graph.Facts, e int32) string {
	if e == graph.None {
		return "?"
	}
	x := &f.Exprs[e]
	switch x.Kind {
	case graph.ExprName:
		return x.Name
	case graph.ExprMember:
		return written(f, x.Base) + "." + x.Name
	case graph.ExprCall:
		return written(f, x.Base) + "()" + x.Name
	case graph.ExprIndex, graph.ExprElement:
		return written(f, x.Base) + "[" + x.Name + "]"
	case graph.ExprList:
		return "[]" + written(f, x.Args[0])
	case graph.ExprFunction:
		return "func"
	}
	return fmt.Sprintf("<%d>", x.Kind)
}

func TestReferencesHoldValuesInPlaceOfLocals(t *testing.T) {
	f := extractReferences(t, `package p
func F(a *T, list []pkg.U) (err error) {
	x, ok := New(a)
	x.Field.Call(ok)
	for _, u := range list {
		u.M()
	}
	if a := other; a != nil {
		a.Inner()
	}
	return a.Outer()
}
`)
	var got []string
	for _, r := range f.Refs {
		got = append(got, fmt.Sprintf("%s %s @%d", r.Kind, written(f, r.Expr), r.Line))
	}
	want := []string{
		"reference T @2", "reference pkg @2", "reference pkg.U @2",
		"call New @3",
		"reference New().Field @4", "call New().Field.Call @4",
		"call []pkg.U[].M @6",
		"reference other @8", "call other.Inner @9",
		"call T.Outer @11",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestExtractorsShareNoFacts(t *testing.T) {
	with, without := golang.New(), golang.NewSyntactic()
	if with.Version() == without.Version() {
		t.Error("facts with and without references have one version")
	}
	f := extractReferences(t, sample)
	if f.Version != without.Version() {
		t.Errorf("facts of version %d, extractor of %d", f.Version, without.Version())
	}
	plain := extractFacts(t, sample)
	if len(plain.Refs) != 0 || len(f.Refs) == 0 {
		t.Errorf("%d references with types, %d without", len(plain.Refs), len(f.Refs))
	}
	for i := range plain.Symbols {
		a, b := plain.Symbols[i], f.Symbols[i]
		if a.Name != b.Name || a.Digests != b.Digests || a.Signature != b.Signature {
			t.Errorf("another symbol: %s and %s", a.Name, b.Name)
		}
	}
}

// FuzzReferences gives the reader of references what nobody wrote for it: every index
// must point into the facts.
func FuzzReferences(f *testing.F) {
	f.Add(sample)
	for _, s := range []string{
		"package p\nfunc f[T any](x T) { f[T](x); a[b](c)(d).e[f] = <-g }", "package p\nvar a, b = f()\nvar _ = T{k: {1}, 2: 3}",
		"package p\ntype T struct{ *T; x.Y; f func(T) T }\nfunc (t T) m() { switch x := t.(type) { case T, U: x.m() } }",
		"package p\nfunc f() { for range x {}; for a.b = range c {}; select { case v, ok := <-c: _ = v }; type L = T; L{} }", "package p\nfunc f(a a.b, c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		facts := extractReferences(t, src)
		inside := func(i int32, n int) bool { return i == graph.None || i >= 0 && int(i) < n }
		for _, r := range facts.Refs {
			if !inside(r.Expr, len(facts.Exprs)) || !inside(r.Args, len(facts.Exprs)) || !inside(r.From, len(facts.Symbols)) || r.Line < 1 {
				t.Fatalf("reference %+v", r)
			}
		}
		for i, x := range facts.Exprs {
			for _, a := range append([]int32{x.Base}, x.Args...) {
				if a >= int32(i) || a < graph.None {
					t.Fatalf("expression %d is made of %d", i, a)
				}
			}
		}
	})
}

func BenchmarkReferences(b *testing.B) {
	src, err := os.ReadFile("decls.go")
	if err != nil {
		b.Fatal(err)
	}
	for name, x := range map[string]*golang.Extractor{"without": golang.New(), "with": golang.NewSyntactic()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Extract(context.Background(), golang.Language, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
