package golang_test

import (
	"slices"
	"strings"
	"testing"
)

// Whatever a variable may hold in a way that is not followed, both shapes stay at
// tier dispatch; what is followed leaves the other one latent.
func TestACallLeadsToWhatItsVariableHolds(t *testing.T) {
	const (
		round  = "Round.Area dispatch"
		square = "Square.Area dispatch"
	)
	both, one := []string{round, square}, []string{round, "Square.Area latent"}
	for _, c := range []struct {
		claim string
		code  string // of the function that calls, which is named call, and what it needs
		want  []string
	}{
		{"a variable of the package", "var s Shape = Round{}\nfunc call() { s.Area() }", one},
		{"an exported one is written in the tree only", "var S Shape = Round{}\nfunc call() { S.Area() }", one},
		{"a pointer in a local variable", "func call() { var s Shape; s = &Round{}; s.Area() }", one},
		{"two writes", "func call(b bool) { var s Shape = Round{}; if b { s = Square{} }; s.Area() }", both},
		{"a write from a closure", "func call() { var s Shape = Round{}; func() { s = Square{} }(); s.Area() }", both},
		{"through other variables", "var first Shape = Round{}\nfunc call() { s := first; s.Area() }", one},
		{"a conversion", "func call() { Shape(Round{}).Area() }", one},
		{"another interface asserted", "func call() { var s Shape = Round{}; s.(Named).Area() }", one},
		{"a result", "func pick() Shape { return Round{} }\nfunc call() { pick().Area() }", one},
		{"a result with a name", "func pick() (s Shape) { s = Round{}; return }\nfunc call() { pick().Area() }", one},
		{"several results", "func pick() (Shape, error) { return Round{}, nil }\nfunc call() { s, _ := pick(); s.Area() }", one},
		{"results handed on", "func pick() (Shape, error) { return Round{}, nil }\nfunc again() (Shape, error) { return pick() }\nfunc call() { s, _ := again(); s.Area() }", one},
		{"a parameter", "func call(s Shape) { s.Area() }\nfunc use() { call(Round{}) }", one},
		{"a parameter before others", "func call(s Shape, more ...int) { s.Area() }\nfunc use() { call(Round{}, 1, 2) }", one},
		{"a parameter from a call of several results", "func pick() (Shape, int) { return Round{}, 1 }\nfunc call(s Shape, n int) { s.Area() }\nfunc use() { call(pick()) }", one},
		{"a parameter and the rest from such a call", "func pick() (Shape, int) { return Square{}, 1 }\nfunc call(s Shape, more ...int) { s.Area() }\nfunc use() { call(Round{}); call(pick()) }", both},
		{"a parameter of a function that is a value", "func call(s Shape) { s.Area() }\nvar use = call\nfunc other() { call(Round{}) }", both},
		{"a parameter of a method", "type t struct{}\nfunc (t) call(s Shape) { s.Area() }\nfunc use() { t{}.call(Round{}) }", both},
		{"a parameter of a literal", "func call() { f := func(s Shape) { if s == nil { s = Round{} }; s.Area() }; f(Square{}) }", both},
		{"a field", "type t struct{ s Shape }\nfunc call() { v := t{Round{}}; v.s.Area() }", both},
		{"an embedded field", "type t struct{ Shape }\nfunc call() { v := t{Round{}}; v.Area() }", both},
		{"what embeds an interface", "type t struct{ Shape }\nfunc call() { var s Shape = t{Square{}}; s.Area() }", both},
		{"a struct without a name that embeds", "func call() { var s Shape = struct{ Square }{}; s.Area() }", both},
		{"an element", "func call(m map[int]Shape) { s := m[1]; if s == nil { s = Round{} }; s.Area() }", both},
		{"an element with ok", "func call(m map[int]Shape) { s, ok := m[1]; if !ok { s = Round{} }; s.Area() }", both},
		{"a loop", "func call(l []Shape) { for _, s := range l { if s == nil { s = Round{} }; s.Area() } }", both},
		{"a channel", "func call(c chan Shape) { s := <-c; if s == nil { s = Round{} }; s.Area() }", both},
		{"a type switch", "func call(x any) { switch s := x.(type) { case Shape: if s == nil { s = Round{} }; s.Area() } }", both},
		{"an address", "func call() { var s Shape = Round{}; set(&s); s.Area() }\nfunc set(s *Shape) { *s = Square{} }", both},
		{"a type parameter", "func call[T Shape](v T) { var s Shape = Round{}; s = v; s.Area() }", both},
		{"a function without a body", "func pick() Shape\nfunc call() { s := pick(); if s == nil { s = Round{} }; s.Area() }", both},
		{"nothing that is seen", "var s Shape\nfunc call() { s.Area() }", both},
	} {
		t.Run(c.claim, func(t *testing.T) {
			got := tiers(t, `-- shape.go --
package shape
type Shape interface{ Area() int }
type Named interface{ Shape; Name() string }
type Round struct{}
func (Round) Area() int { return 3 }
func (Round) Name() string { return "" }
type Square struct{}
func (Square) Area() int { return 4 }
func (Square) Name() string { return "" }
var All = []Shape{Round{}, Square{}}
`+c.code+"\n")
			var calls []string
			for _, e := range got {
				from, to, _ := strings.Cut(e, " -> ")
				if strings.HasSuffix(from, "call") && strings.Contains(to, ".Area") {
					calls = append(calls, strings.TrimPrefix(to, "shape.go#"))
				}
			}
			if !slices.Equal(calls, c.want) {
				t.Errorf("got %q, want %q", calls, c.want)
			}
		})
	}
}
