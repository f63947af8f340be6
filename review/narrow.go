package review

import (
	"path"
	"slices"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/blast"
)

// Along which edges a value of a type can come into being: its name is used, or
// that of a type that embeds it.
var madeBy = runs | blast.Of(graph.EdgeInherit)

// narrowed drops the tests that reach a method only through an interface and
// cannot have a value to call it on: to have one, a test must reach code that
// names the method's type, or a variable that holds one. It asks that only where
// every such name is known, in Go, and not of types whose values are handed on
// before any test runs.
func (r *reviewer) narrowed(w *blast.Walker, method *graph.Symbol, tests []blast.Hit) []blast.Hit {
	through := func(h blast.Hit) bool { return h.Weakest >= graph.TierDispatch }
	if method.Language != "go" || method.Container == "" || !slices.ContainsFunc(tests, through) {
		return tests
	}
	makers, ok := r.makers(w, method)
	if !ok {
		return tests
	}
	kept := slices.DeleteFunc(slices.Clone(tests), func(h blast.Hit) bool { return through(h) && !makers[h.Symbol] })
	if len(kept) == 0 {
		return tests // better too many than a gap that may be none
	}
	return kept
}

// makers are the tests that reach code which names the type of a method, other
// than its own methods: they have a value already. It is not ok if there is no
// such type, or if its values go to places that no test needs to name.
func (r *reviewer) makers(w *blast.Walker, method *graph.Symbol) (map[int32]bool, bool) {
	owner := r.receiver(method)
	if owner == graph.None {
		return nil, false
	}
	own := func(i int32) bool {
		s := &r.Head.Symbols[i]
		return s.Container == method.Container && path.Dir(s.Path) == path.Dir(method.Path) && s.Kind.Callable()
	}
	tests := map[int32]bool{}
	for _, h := range w.Radius(owner, blast.Flow{First: madeBy, Then: madeBy, Skip: own}, 0) {
		s := &r.Head.Symbols[h.Symbol]
		if r.handsOn(h.Symbol) {
			return nil, false
		}
		if s.Test {
			tests[h.Symbol] = true
		}
	}
	return tests, true
}

// handsOn reports whether a symbol may hand on what it makes before any test runs:
// an initialiser, or a variable whose value comes from a call. Of any other variable
// the value is had by its name alone.
func (r *reviewer) handsOn(symbol int32) bool {
	s := &r.Head.Symbols[symbol]
	if s.Kind != graph.KindVariable {
		return s.Kind == graph.KindFunction && s.Name == "init"
	}
	return slices.ContainsFunc(r.Head.Out(symbol), func(e graph.Edge) bool {
		return e.Kind == graph.EdgeCall || e.Kind == graph.EdgeDispatch
	})
}

// receiver finds the type of a Go method, which may stand in another file of
// its folder. An interface has no values of its own.
func (r *reviewer) receiver(method *graph.Symbol) int32 {
	for _, i := range r.byName()[method.Container] {
		s := &r.Head.Symbols[i]
		if s.Language == "go" && s.Container == "" && path.Dir(s.Path) == path.Dir(method.Path) &&
			(s.Kind == graph.KindStruct || s.Kind == graph.KindType) {
			return i
		}
	}
	return graph.None
}
