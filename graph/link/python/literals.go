package python

import (
	"slices"

	"github.com/previdence/previdence/graph"
)

// A lambda is part of the symbol around it: what it calls, that symbol calls. It is
// a symbol as well, since calls lead to it, and has the edges of its body a second
// time, so that the way goes on from there and not from all that stands around it.

// enter says which expression is linked next.
func (l *linker) enter(e int32) {
	l.literal = graph.None
	if e == graph.None || len(l.f.literals) == 0 {
		return
	}
	for s := l.f.Facts.Exprs[e].Scope; s != graph.None; s = l.f.Facts.Scopes[s].Parent {
		if at, ok := l.f.literals[s]; ok {
			l.literal = l.f.Symbols + at
			return
		}
	}
}

// literal is the symbol of a lambda.
func (r *reader) literal(v *value) place {
	return place{v.at.file, r.p.facts(v.at).Exprs[v.at.at].Symbol}
}

// dropLiterals leaves out the edges of lambdas that no call leads to: the symbols
// around them have the same.
func (p *project) dropLiterals(edges []graph.Edge) []graph.Edge {
	literal := map[int32]bool{}
	for _, f := range p.files {
		for _, at := range f.literals {
			literal[f.Symbols+at] = true
		}
	}
	if len(literal) == 0 {
		return edges
	}
	reached, inner := map[int32]bool{}, map[int32][]int32{}
	var work []int32
	for i := range edges {
		e := &edges[i]
		switch {
		case !literal[e.To]:
		case e.Kind != graph.EdgeReference && !literal[e.From]:
			work = append(work, e.To)
		case literal[e.From]:
			inner[e.From] = append(inner[e.From], e.To)
		}
	}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if !reached[s] {
			reached[s] = true
			work = append(work, inner[s]...)
		}
	}
	return slices.DeleteFunc(edges, func(e graph.Edge) bool { return literal[e.From] && !reached[e.From] })
}
