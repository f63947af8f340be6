package golang

import (
	"go/ast"
	"slices"

	"github.com/previdence/previdence/graph"
)

// A function literal is part of the symbol around it: what it calls, that symbol
// calls. It is a symbol as well, since a call of a function value leads to it.
// One that is reached that way has the edges of its body a second time, so that
// the way goes on from there and not from all that stands around it.

// A site is a call whose targets depend on the whole tree.
type site struct {
	from, line int32
	literal    int32  // the innermost function literal around it, or graph.None
	test       string // the directory of the test file that it stands in, or ""
	again      bool   // an earlier platform has counted it
}

func (w *walker) site(line int32) site {
	s := site{from: w.from, line: line, literal: w.literal(), again: w.again}
	if w.file.test {
		s.test = w.file.dir
	}
	return s
}

// mayReach reports whether a program can have the site and the target. A test may
// hand its functions and types to any code outside tests, but the go command
// builds no program of the tests of two directories.
func (b *build) mayReach(s site, to int32) bool {
	return s.test == "" || !b.testOnly[to] || b.dirOf(to) == s.test
}

// literal is the innermost function literal around the current node.
func (w *walker) literal() int32 {
	if n := len(w.inside); n > 0 {
		return w.inside[n-1]
	}
	return graph.None
}

// funcLit enters a function literal: a call of it where it stands, else a
// reference to it.
func (w *walker) funcLit(lit *ast.FuncLit) {
	in, ok := w.unit.symbols[lit.Pos()]
	if !ok {
		in = graph.None // the parser made something up
	} else {
		kind := graph.EdgeReference
		if w.isCalled(lit) {
			kind = graph.EdgeCall
		}
		w.edgeTo(w.from, in, kind, graph.TierCompiler, w.file.line(lit.Pos()), "")
	}
	w.inside = append(w.inside, in)
}

// isCalled reports whether x is the function of the call around it.
func (w *walker) isCalled(x ast.Expr) bool {
	for i := len(w.stack) - 1; i >= 0; i-- {
		switch n := w.stack[i].(type) {
		case *ast.ParenExpr:
		case *ast.CallExpr:
			return ast.Unparen(n.Fun) == x
		default:
			return false
		}
	}
	return false
}

func (all *whole) dispatch(s site, to int32, tier graph.Tier) {
	all.edge(s.from, to, graph.EdgeDispatch, tier, s.line)
	if s.literal != graph.None {
		all.edge(s.literal, to, graph.EdgeDispatch, tier, s.line)
	}
}

// dropLiterals forgets the edges of the literals that no call of a function value
// leads to: the symbols around them have the same.
func (b *build) dropLiterals(all *whole) {
	inner := map[int32][]int32{}
	reached := map[int32]bool{}
	var work []int32
	reach := func(s int32) {
		if !reached[s] {
			reached[s] = true
			work = append(work, s)
		}
	}
	for i := range all.edges {
		e := &all.edges[i]
		switch {
		case !b.isLiteral(e.To):
		case e.Kind == graph.EdgeDispatch:
			reach(e.To)
		case b.isLiteral(e.From):
			inner[e.From] = append(inner[e.From], e.To)
		}
	}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range inner[s] {
			reach(to)
		}
	}
	all.edges = slices.DeleteFunc(all.edges, func(e graph.Edge) bool { return b.isLiteral(e.From) && !reached[e.From] })
}

func (b *build) isLiteral(s int32) bool {
	return int(s) < len(b.in.Symbols) && b.in.Symbols[s].Kind == graph.KindLiteral
}
