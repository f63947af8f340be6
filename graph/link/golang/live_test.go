package golang_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
)

// tiers writes the dispatch edges as "from -> to tier".
func tiers(t *testing.T, tree string) []string {
	t.Helper()
	in := input(t, parseTree(tree), true, 2)
	out := linkTree(t, in, detached)
	all := slices.Concat(in.Symbols, out.Symbols)
	var list []string
	for _, e := range out.Edges {
		if e.Kind == graph.EdgeDispatch {
			list = append(list, short(all[e.From])+" -> "+short(all[e.To])+" "+e.Tier.String())
		}
	}
	slices.Sort(list)
	return list
}

func TestWhatNoProgramMakesHasATierOfItsOwn(t *testing.T) {
	const store = `-- store/s.go --
package store
type Store interface{ Get() }
type Disk struct{}
func (*Disk) Get() {}
func NewDisk() Store { return &Disk{} }
type Mock struct{}
func (*Mock) Get() {}
func NewMock() *Mock { return &Mock{} }
func Use(s Store) { s.Get() }
`
	for _, c := range []struct {
		claim string
		tree  string
		want  []string
	}{
		{
			claim: "a main makes one of two types",
			tree: store + `-- main.go --
package main
import "example.com/m/store"
func main() { store.Use(store.NewDisk()) }
`,
			want: []string{"store/s.go#Use -> store/s.go#Disk.Get dispatch", "store/s.go#Use -> store/s.go#Mock.Get latent"},
		},
		{
			claim: "a test makes the other: production code reaches it in that test only",
			tree: store + `-- main.go --
package main
import "example.com/m/store"
func main() { store.Use(store.NewDisk()) }
-- store/s_test.go --
package store
import "testing"
func TestUse(t *testing.T) { var s Store = NewMock(); s.Get(); Use(s) }
`,
			want: []string{
				"store/s.go#Use -> store/s.go#Disk.Get dispatch", "store/s.go#Use -> store/s.go#Mock.Get test",
				"store/s_test.go#TestUse -> store/s.go#Disk.Get latent", "store/s_test.go#TestUse -> store/s.go#Mock.Get dispatch",
			},
		},
		{
			claim: "what a main names and never calls may run",
			tree: store + `-- main.go --
package main
import "example.com/m/store"
var make = store.NewDisk
func main() {}
`,
			want: []string{"store/s.go#Use -> store/s.go#Disk.Get dispatch", "store/s.go#Use -> store/s.go#Mock.Get latent"},
		},
		{
			claim: "a library starts at everything that others can import",
			tree:  store,
			want:  []string{"store/s.go#Use -> store/s.go#Disk.Get dispatch", "store/s.go#Use -> store/s.go#Mock.Get latent"},
		},
		{
			claim: "a package that others cannot import starts nowhere",
			tree:  strings.ReplaceAll(store, "-- store/", "-- internal/store/"),
			want: []string{
				"internal/store/s.go#Use -> internal/store/s.go#Disk.Get latent", "internal/store/s.go#Use -> internal/store/s.go#Mock.Get latent",
			},
		},
		{
			claim: "function values by where they are handed on",
			tree: `-- main.go --
package main
func run(f func()) { f() }
func used()   {}
func tested() {}
func idle()   { run(func() {}) }
func main()   { run(used) }
-- main_test.go --
package main
import "testing"
func TestRun(t *testing.T) { run(tested) }
`,
			want: []string{
				"main.go#run -> main.go#idle.func1 latent", "main.go#run -> main.go#tested test", "main.go#run -> main.go#used dispatch",
			},
		},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if got := tiers(t, c.tree); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestEveryPlaceWhereAValueBecomesAnInterface holds one statement each that makes
// calls of I reach T, and some that do not.
func TestEveryPlaceWhereAValueBecomesAnInterface(t *testing.T) {
	const before = `-- main.go --
package main
import "example.com/gone"
type I interface{ M() }
type T struct{}
func (T) M() {}
type holder struct{ t T }
type field struct{ i I }
func call(i I) { i.M() }
func all(i ...I) {}
func pair() (int, T) { return 0, T{} }
func two(n int, i I) {}
func make1() I { i := I(nil); STATEMENT; return i }
func generic[P I](p P) { p.M() }
func main() { call(make1()); _ = gone.X }
`
	for statement, want := range map[string]bool{
		`i = T{}`:                      true,
		`var j I = &T{}; _ = j`:        true,
		`call(T{})`:                    true,
		`all(nil, T{})`:                true,
		`all([]I{T{}}...)`:             true,
		`two(pair())`:                  true,
		`_, i = pair()`:                true,
		`_ = I(T{})`:                   true,
		`_ = any(holder{})`:            true,
		`_ = any([]*T{})`:              true,
		`_ = any(map[string]T{})`:      true,
		`_ = field{i: T{}}`:            true,
		`_ = field{T{}}`:               true,
		`_ = []I{T{}}`:                 true,
		`_ = map[string]I{"": T{}}`:    true,
		`_ = map[I]int{T{}: 1}`:        true,
		`_ = map[I]int{}[T{}]`:         true,
		`_ = i == T{}`:                 true,
		`return T{}`:                   true,
		`go func() I { return T{} }()`: true,
		`make(chan I) <- T{}`:          true,
		`generic(T{})`:                 true,
		`gone.F(T{})`:                  true,
		`panic(T{})`:                   true,
		`_ = append([]I{}, T{})`:       true,
		`T{}.M()`:                      false,
		`_ = T{}`:                      false,
		`var _ I = T{}`:                false,
		`_ = holder{t: T{}}`:           false,
		`t := T{}; t = T{}; _ = t`:     false,
		`_ = append([]T{}, T{})`:       false,
		`func(t T) {}(T{})`:            false,
	} {
		t.Run(statement, func(t *testing.T) {
			tier := graph.TierLatent.String()
			if want {
				tier = graph.TierDispatch.String()
			}
			got := tiers(t, strings.Replace(before, "STATEMENT", statement, 1))
			if edge := "main.go#call -> main.go#T.M " + tier; !slices.Contains(got, edge) {
				t.Errorf("no edge %q among\n%s", edge, strings.Join(got, "\n"))
			}
		})
	}
}
