package golang

import "github.com/previdence/previdence/graph"

// A pool holds each expression of a file once: what a thousand places of a file say
// of t.Fatalf is one expression.
type pool struct {
	exprs []graph.Expr
	known map[shape]int32
}

// A shape tells expressions apart. More than two operands have none.
type shape struct {
	kind       graph.ExprKind
	name       string
	base       int32
	arg, other int32
}

// put returns the index of an expression.
func (p *pool) put(kind graph.ExprKind, name string, base int32, args ...int32) int32 {
	s := shape{kind, name, base, graph.None, graph.None}
	switch len(args) {
	case 0:
	case 1:
		s.arg = args[0]
	case 2:
		s.arg, s.other = args[0], args[1]
	default:
		return p.fresh(kind, name, base, args)
	}
	if at, ok := p.known[s]; ok {
		return at
	}
	at := p.fresh(kind, name, base, args)
	if p.known == nil {
		p.known = map[shape]int32{}
	}
	p.known[s] = at
	return at
}

func (p *pool) fresh(kind graph.ExprKind, name string, base int32, args []int32) int32 {
	e := graph.Expr{Kind: kind, Name: name, Base: base, Symbol: graph.None}
	if len(args) > 0 {
		e.Args = append([]int32(nil), args...)
	}
	p.exprs = append(p.exprs, e)
	return int32(len(p.exprs) - 1)
}
