package python

import (
	"slices"

	"github.com/previdence/previdence/graph"
)

// A handed value says that some call passes a function or class, or its own
// parameter, as a parameter.
type handed struct {
	as   parameter
	what place     // a function, method or class; nowhere if it is a parameter
	from parameter // the parameter that is passed on
}

// A waiting call is one of a parameter: it leads to whatever is passed as it
// anywhere in the tree.
type waiting struct {
	from    int32 // symbol of the input
	line    int32
	name    string
	passed  []parameter
	counted bool // it has other targets, too
}

// maxHanded bounds what one parameter may be. A parameter of a utility that the
// whole tree uses says too little about one call of it.
const maxHanded = 100

// pass notes what a call hands to the function that it runs.
func (l *linker) pass(ref *graph.Ref, callee *value) {
	if ref.Kind != graph.EdgeCall || ref.Args == graph.None {
		return
	}
	s := l.p.symbol(callee.at)
	position := 0
	for _, a := range l.f.Facts.Exprs[ref.Args].Args {
		if a == graph.None {
			position++
			continue
		}
		e := &l.f.Facts.Exprs[a]
		switch e.Kind {
		case graph.ExprSpread:
			return // what follows stands at no certain place
		case graph.ExprKeyword:
			if i := slices.IndexFunc(s.Params, func(p graph.Param) bool { return p.Name == e.Name && p.Kind <= graph.ParamNamed }); i >= 0 {
				l.hand(parameter{callee.at, int32(i) + 1}, e.Base)
			}
		default:
			if i := positional(s, callee.self != nil, position); i >= 0 {
				l.hand(parameter{callee.at, int32(i) + 1}, a)
			}
			position++
		}
	}
}

// positional is the parameter that takes the argument at a position; -1 if none
// does.
func positional(s *graph.SymbolFact, bound bool, position int) int {
	for i := range s.Params {
		switch s.Params[i].Kind {
		case graph.ParamReceiver:
			if bound {
				continue
			}
		case graph.ParamPositional:
		default:
			return -1
		}
		if position == 0 {
			return i
		}
		position--
	}
	return -1
}

// hand notes what an argument may be, if it may be code.
func (l *linker) hand(as parameter, argument int32) {
	if argument == graph.None {
		return
	}
	switch l.f.Facts.Exprs[argument].Kind {
	case graph.ExprName, graph.ExprMember, graph.ExprCall, graph.ExprIndex, graph.ExprUnion, graph.ExprAs:
		for _, v := range l.r.eval(place{l.file, argument}) {
			l.handValue(as, v)
		}
	}
}

func (l *linker) handValue(as parameter, v *value) {
	switch {
	case v.kind == functionValue || v.kind == classValue:
		l.out.handed = append(l.out.handed, handed{as: as, what: v.at})
	case v.param.position > 0 && v.param != as:
		l.out.handed = append(l.out.handed, handed{as: as, what: nowhere, from: v.param})
	}
}

// decorate notes which functions decorators are called with.
func (l *linker) decorate() {
	for i := range l.f.Facts.Symbols {
		s := &l.f.Facts.Symbols[i]
		if s.Kind != graph.KindFunction && s.Kind != graph.KindMethod {
			continue
		}
		for _, d := range s.Decorators {
			if d == graph.None {
				continue
			}
			for _, v := range l.r.eval(place{l.file, d}) {
				if v.kind != functionValue {
					continue
				}
				if at := positional(l.p.symbol(v.at), v.self != nil, 0); at >= 0 {
					l.out.decorated = append(l.out.decorated, handed{as: parameter{v.at, int32(at) + 1}, what: place{l.file, int32(i)}})
				}
			}
		}
	}
}

// settle links the calls of parameters, now that all files have said what they
// pass.
func (p *project) settle(results []fileResult) {
	decorating := p.wrap(results)
	known := handedTo(results)
	for i := range results {
		r := &results[i]
		for _, w := range r.waiting {
			var targets []place
			for _, as := range w.passed {
				for _, at := range known[as] {
					if !slices.Contains(targets, at) {
						targets = append(targets, at)
					}
				}
			}
			reason := "value of the name unknown"
			switch {
			case len(targets) > maxHanded:
				targets, reason = nil, "too many candidates"
			case slices.ContainsFunc(w.passed, func(as parameter) bool { return decorating[as] }):
				reason = "whatever is decorated"
			}
			for _, at := range targets {
				r.edges = append(r.edges, graph.Edge{From: w.from, To: p.index(at), Kind: graph.EdgeDispatch, Tier: graph.TierDispatch, Lines: []int32{w.line}})
			}
			switch {
			case w.counted:
			case len(targets) > 0:
				r.counts.Dispatch++
			default:
				r.counts.Unresolved++
				r.unresolved = append(r.unresolved, graph.Unresolved{From: w.from, Line: w.line, Kind: graph.EdgeCall, Name: w.name, Reason: reason})
			}
		}
	}
}

// wrap leads from the calls of a decorated function to the function inside its
// decorator that calls what is decorated: that is what the name stands for. The
// way on from there to all that is decorated is left out. It would lead from
// every caller of one decorated function to every other one. Wrap returns the
// parameters that are decorated.
func (p *project) wrap(results []fileResult) map[parameter]bool {
	decorating := map[parameter]bool{}
	standFor := map[int32][]int32{} // decorated function → wrappers
	wrappers := p.wrappers(results)
	for i := range results {
		for _, d := range results[i].decorated {
			decorating[d.as] = true
			standFor[p.index(d.what)] = append(standFor[p.index(d.what)], wrappers[d.as]...)
		}
	}
	for i := range results {
		r := &results[i]
		for _, e := range r.edges {
			if e.Kind != graph.EdgeCall {
				continue
			}
			for _, w := range standFor[e.To] {
				if w != e.From {
					r.edges = append(r.edges, graph.Edge{From: e.From, To: w, Kind: graph.EdgeDispatch, Tier: graph.TierDispatch, Lines: e.Lines})
				}
			}
		}
	}
	return decorating
}

// wrappers are the functions inside another that call its parameters.
func (p *project) wrappers(results []fileResult) map[parameter][]int32 {
	out := map[parameter][]int32{}
	for i := range results {
		for _, w := range results[i].waiting {
			for _, as := range w.passed {
				if w.from != p.index(as.of) && !slices.Contains(out[as], w.from) {
					out[as] = append(out[as], w.from)
				}
			}
		}
	}
	return out
}

// handedTo follows values through parameters that are passed on until nothing
// new arrives anywhere.
func handedTo(results []fileResult) map[parameter][]place {
	known, onward := map[parameter][]place{}, map[parameter][]parameter{}
	var fresh []handed
	for i := range results {
		for _, h := range results[i].handed {
			if h.what == nowhere {
				onward[h.from] = append(onward[h.from], h.as)
			} else {
				fresh = append(fresh, h)
			}
		}
	}
	for len(fresh) > 0 {
		h := fresh[0]
		fresh = fresh[1:]
		if slices.Contains(known[h.as], h.what) || len(known[h.as]) > maxHanded {
			continue
		}
		known[h.as] = append(known[h.as], h.what)
		for _, as := range onward[h.as] {
			fresh = append(fresh, handed{as: as, what: h.what})
		}
	}
	return known
}
