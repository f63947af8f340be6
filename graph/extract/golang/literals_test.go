package golang_test

import (
	"slices"
	"testing"

	"github.com/previdence/previdence/graph"
)

func TestLiteralsAreNamedByWhatTheyArePutInto(t *testing.T) {
	for _, c := range []struct {
		claim string
		body  string
		want  []graph.SymbolID
	}{
		{"an argument counts", `func A() { f(func() {}); f(func() {}) }`, []graph.SymbolID{"A.func1", "A.func2"}},
		{"a variable, a field and a key give their name", `func A() { x := func() {}; y.z = func() {}; g(T{Run: func() {}}) }`,
			[]graph.SymbolID{"A.x", "A.z", "A.Run"}},
		{"a named one does not move those that count", `func A() { f(func() {}); x := func() {}; f(func() {}) }`,
			[]graph.SymbolID{"A.func1", "A.x", "A.func2"}},
		{"a name that is taken counts on", `func A() { g(T{Run: func() {}}, T{Run: func() {}}) }`, []graph.SymbolID{"A.Run", "A.Run/literal~2"}},
		{"a literal in a literal belongs to it", `func A() { f(func() { x := func() {} }) }`, []graph.SymbolID{"A.func1", "A.func1.x"}},
		{"the blank name, a string and a place in a list give none", `func A() { _ = func() {}; g(map[string]func(){"a": func() {}}); x[0] = func() {} }`,
			[]graph.SymbolID{"A.func1", "A.func2", "A.func3"}},
		{"a method holds its own", `func (t *T) M() { f(func() {}) }`, []graph.SymbolID{"T.M.func1"}},
		{"a variable of the package holds what is in its value", `var a, b = func() {}, T{Run: func() {}}`, []graph.SymbolID{"a.func1", "b.Run"}},
		{"values that do not pair up belong to the first name", `var a, b = f(func() {})`, []graph.SymbolID{"a.func1"}},
		{"a function type is no literal", `func A() { var f func(); type t = func() }`, nil},
	} {
		t.Run(c.claim, func(t *testing.T) {
			f := extractFacts(t, "package p\n"+c.body)
			ids := f.IDs("a.go")
			var got []graph.SymbolID
			for i, s := range f.Symbols {
				if s.Kind == graph.KindLiteral {
					got = append(got, ids[i])
				}
			}
			for i, w := range c.want {
				if !slices.Contains([]rune(string(w)), '/') {
					w += "/literal"
				}
				c.want[i] = "go:a.go#" + w
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestLiteralsChangeWithTheSymbolAround(t *testing.T) {
	before := extractFacts(t, "package p\nfunc A() { f(func() { one() }) }")
	after := extractFacts(t, "package p\nfunc A() { f(func() { two() }) }")
	if find(t, before, "A").Digests.Body == find(t, after, "A").Digests.Body {
		t.Error("the body of A has to hold the literal")
	}
	lit := find(t, after, "A.func1")
	if lit.Digests != (graph.Digests{}) || lit.Signature != "func()" || lit.Exported {
		t.Errorf("a literal has no digests of its own: %+v", lit)
	}
}
