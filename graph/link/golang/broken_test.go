package golang_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestUnresolved checks what is reported as not resolved: "kind name in broken
// line reason".
func TestUnresolved(t *testing.T) {
	for _, c := range []struct {
		claim string
		tree  string
		want  []string
	}{
		{
			claim: "a name that the own package lacks",
			tree:  "-- a.go --\npackage m\nfunc A() { Gone(); _ = Lost }\n",
			want:  []string{"a.go#A call Gone in . broken @2: no such name in the package", "a.go#A reference Lost in . broken @2: no such name in the package"},
		},
		{
			claim: "a name that another package of the tree lacks",
			tree:  "-- a.go --\npackage m\nimport \"example.com/m/q\"\nfunc A() { q.Gone() }\nvar v q.Type\n-- q/q.go --\npackage q\nfunc gone() {}\n",
			want:  []string{"a.go#A call Gone in q broken @3: no such name in the package", "a.go#v reference Type in q broken @4: no such name in the package"},
		},
		{
			claim: "a member that a type of the tree lacks",
			tree:  "-- a.go --\npackage m\ntype T struct{}\nfunc A(t *T) { t.Gone() }\nvar v = T{X: 1}\n",
			want:  []string{"a.go#A call Gone in go:a.go#T/struct broken @3: no such field or method", "a.go#v reference X in go:a.go#T/struct broken @4: no such field in the struct"},
		},
		{
			claim: "a package that the module lacks",
			tree:  "-- a.go --\npackage m\nimport \"example.com/m/gone\"\nfunc A() { gone.F() }\n",
			want:  []string{"a.go import example.com/m/gone in gone broken @2: no such package in the module"},
		},
		{
			claim: "calls that do not fit the signature",
			tree:  "-- a.go --\npackage m\nfunc F(a int, b string) int { return a }\nfunc A() {\n\tF(1)\n\tF(1, \"\", 2)\n\tF(\"\", \"\")\n\tx, y := F(1, \"\")\n\tvar s string = F(1, \"\")\n\t_, _, _ = x, y, s\n}\n",
			want: []string{
				"a.go#A call F in go:a.go#F/function broken @4: call does not fit the signature",
				"a.go#A call F in go:a.go#F/function broken @5: call does not fit the signature",
				"a.go#A call F in go:a.go#F/function broken @6: call does not fit the signature",
				"a.go#A call F in go:a.go#F/function broken @7: result does not fit where it is used",
				"a.go#A call F in go:a.go#F/function broken @8: result does not fit where it is used",
			},
		},
		{
			claim: "a type that lacks a method of the interface it is used as",
			tree:  "-- a.go --\npackage m\ntype I interface{ M() }\ntype T struct{}\nvar _ I = &T{}\nfunc use(I) {}\nfunc A() { use(T{}) }\n",
			want: []string{
				"a.go#_ reference M in go:a.go#T/struct broken @4: type lacks a method of the interface",
				"a.go#A reference M in go:a.go#T/struct broken @6: type lacks a method of the interface",
			},
		},
		{
			claim: "a type without the method, wherever a literal wants the interface",
			tree:  "-- a.go --\npackage m\ntype I interface{ M() }\ntype T struct{}\ntype S struct{ F I }\nvar a = S{F: T{}}\nvar b = S{T{}}\nvar c = []I{T{}}\nvar d = map[string]I{\"\": T{}}\nvar e = [1]I{0: &T{}}\n",
			want: []string{
				"a.go#a reference M in go:a.go#T/struct broken @5: type lacks a method of the interface",
				"a.go#b reference M in go:a.go#T/struct broken @6: type lacks a method of the interface",
				"a.go#c reference M in go:a.go#T/struct broken @7: type lacks a method of the interface",
				"a.go#d reference M in go:a.go#T/struct broken @8: type lacks a method of the interface",
				"a.go#e reference M in go:a.go#T/struct broken @9: type lacks a method of the interface",
			},
		},
		{
			claim: "a method that the interface wants with another signature or receiver",
			tree:  "-- a.go --\npackage m\ntype I interface{ M(int) }\ntype T struct{}\nfunc (T) M() {}\ntype P struct{}\nfunc (*P) M(int) {}\nvar _ I = T{}\nvar _ I = P{}\nvar _ I = &P{}\n",
			want: []string{
				"a.go#_ reference M in go:a.go#T.M/method broken @7: method does not fit the interface",
				"a.go#_ reference M in go:a.go#P.M/method broken @8: method does not fit the interface",
			},
		},
		{
			claim: "a function that is passed on where another type is wanted",
			tree:  "-- a.go --\npackage m\ntype S struct{ F func() }\nfunc f(int) {}\nfunc use(func()) {}\nfunc A() { use(f) }\nvar v func() = f\nvar s = S{F: f}\nvar ok func(int) = f\n",
			want: []string{
				"a.go#A reference f in go:a.go#f/function broken @5: function does not fit where it is passed on",
				"a.go#v reference f in go:a.go#f/function broken @6: function does not fit where it is passed on",
				"a.go#s reference f in go:a.go#f/function broken @7: function does not fit where it is passed on",
			},
		},
		{
			claim: "values spread over a function that takes no list",
			tree:  "-- a.go --\npackage m\nfunc F(a []string) {}\nfunc A(l []string) { F(l...) }\n",
			want:  []string{"a.go#A call F in go:a.go#F/function broken @3: call does not fit the signature"},
		},
		{
			claim: "production code that uses a name of a test",
			tree:  "-- a.go --\npackage m\nfunc A() { Helper() }\n-- a_test.go --\npackage m\nfunc Helper() {}\n",
			want:  []string{"a.go#A call Helper in . broken @2: no such name in the package"},
		},
		{
			claim: "a test that uses a name of another package's test",
			tree:  "-- a_test.go --\npackage m\nimport \"example.com/m/q\"\nfunc A() { q.Helper() }\n-- q/q.go --\npackage q\n-- q/q_test.go --\npackage q\nfunc Helper() {}\n",
			want:  []string{"a_test.go#A call Helper in q broken @3: no such name in the package"},
		},
		{
			claim: "a function value that nobody sets is unresolved, not broken",
			tree:  "-- a.go --\npackage m\nfunc A(f func()) { f() }\n",
			want:  []string{"a.go#A call f in  @2: function value unknown"},
		},
		{
			claim: "a name that only another platform defines is not broken",
			tree:  "-- a.go --\npackage m\nfunc A() { f() }\n-- f_windows.go --\npackage m\nfunc f() {}\n",
			want:  []string{"a.go#A call f in . @2: only in files for other platforms or build tags"},
		},
		{
			claim: "a name that may stand in a gap is not broken",
			tree:  "-- a.go --\npackage m\nfunc A() { f() }\n-- b.go --\npackage m\nfunc f( {\n",
			want:  []string{"a.go#A call f in . @2: no such name in the package"},
		},
		{
			claim: "what a stand-in may hold is not even unresolved",
			tree: "-- a.go --\npackage m\nimport (\n\t\"github.com/x/go-thing/v2\"\n\t\"gopkg.in/yaml.v3\"\n)\n" +
				"type T struct{ thing.Base }\nfunc A(t T) { t.Method(); thing.F(); yaml.Unmarshal(thing.G()); x := thing.New(); x.Do(); F(x) }\nfunc F(int) {}\n",
			want: nil,
		},
		{
			claim: "a dot import of a stand-in may define any name",
			tree:  "-- a.go --\npackage m\nimport . \"example.org/dot\"\nfunc A() { Anything() }\n",
			want:  nil,
		},
		{
			claim: "a type with a stand-in inside may implement any interface",
			tree:  "-- a.go --\npackage m\nimport \"example.org/dep\"\ntype I interface{ M() }\ntype T struct{ dep.Base }\nvar _ I = T{}\nfunc use(I) {}\nfunc A() { use(T{}) }\n",
			want:  nil,
		},
	} {
		t.Run(c.claim, func(t *testing.T) {
			in := input(t, parseTree(c.tree), false, 2)
			out := linkTree(t, in, detached)
			var got []string
			for _, u := range out.Unresolved {
				broken := ""
				if u.Broken {
					broken = "broken "
				}
				got = append(got, fmt.Sprintf("%s %s %s in %s %s@%d: %s", short(in.Symbols[u.From]), u.Kind, u.Name, u.In, broken, u.Line, u.Reason))
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
			}
		})
	}
}
