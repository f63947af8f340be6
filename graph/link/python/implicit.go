package python

import (
	"github.com/previdence/previdence/graph"
)

// implicitCalls links what syntax calls without naming it: the special methods
// behind with, for, x[i] and operators. They are no calls in the counts.
func (l *linker) implicitCalls() {
	for i := range l.f.Facts.Exprs {
		e := &l.f.Facts.Exprs[i]
		switch e.Kind {
		case graph.ExprEnter:
			l.implicit(e, e.Base, "__enter__", "__aenter__", "__exit__", "__aexit__")
		case graph.ExprElement:
			l.implicit(e, e.Base, "__iter__", "__aiter__")
		case graph.ExprIndex:
			l.implicit(e, e.Base, "__getitem__")
		case graph.ExprBinary:
			if name := operators[e.Name]; name != "" {
				l.implicit(e, e.Args[0], name)
			}
		}
	}
}

// implicit links to the methods of these names of what the operand may be.
func (l *linker) implicit(e *graph.Expr, operand int32, names ...string) {
	if operand == graph.None {
		return
	}
	from := l.f.Facts.Scopes[e.Scope].Symbol
	for _, v := range l.r.eval(place{l.file, operand}) {
		if v.kind != instanceValue {
			continue
		}
		for _, name := range names {
			found := l.r.memberOf(v, name)
			for i := range found.defs {
				if to := found.defs[i].symbol; to != nowhere && l.p.symbol(to).Kind == graph.KindMethod {
					l.edge(from, to, graph.EdgeCall, max(v.tier, found.defs[i].tier), e.Line)
				}
			}
		}
	}
}
