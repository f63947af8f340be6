package python

import (
	"slices"

	"github.com/previdence/previdence/graph"
)

// A thing is what a call hands over that may run there: a function, a lambda or
// a class; an object with its methods; or whatever the caller's own parameter is.
type thing struct {
	what   place // the function, lambda or class; nowhere if it is a parameter
	object bool  // an instance of class what
	from   parameter
}

// A handed thing is passed as a parameter by some call.
type handed struct {
	as parameter
	thing
}

// An argument is what one call hands over at one place.
type argument struct {
	position int    // among the positional ones; -1 if it has a keyword
	keyword  string // its name
	things   []thing
}

// A waiting use is one of a parameter: it leads to whatever is passed as it
// anywhere in the tree.
type waiting struct {
	from     int32 // symbol of the input
	literal  int32 // the lambda around it, a symbol of the input; graph.None if there is none
	line     int32
	name     string // for the list of the unresolved
	member   string // the method that is run on what is passed; "" if it is called itself
	passed   []parameter
	args     []argument
	fallback []place // the methods of that name, if nothing is passed
	reason   string  // why it is unresolved then
	counted  bool    // it has other targets, too
	silent   bool    // syntax runs it: it is no call in the counts
	outside  bool    // what runs may come from outside, such as from a base class there
	property bool    // it is read, which runs properties only
}

// A decorated function is handed to its decorators, the nearest one first.
type decorated struct {
	what place
	as   []parameter
}

// maxHanded bounds what one parameter may be. A parameter of a utility that the
// whole tree uses says too little about one call of it.
const maxHanded = 100

// arguments lists what a call hands over. What follows *args stands at no certain
// place.
func (l *linker) arguments(ref *graph.Ref) []argument {
	if ref.Kind != graph.EdgeCall || ref.Args == graph.None {
		return nil
	}
	var out []argument
	position := 0
	for _, a := range l.f.Facts.Exprs[ref.Args].Args {
		if a == graph.None {
			position++
			continue
		}
		e := &l.f.Facts.Exprs[a]
		switch e.Kind {
		case graph.ExprSpread:
			return out
		case graph.ExprKeyword:
			out = append(out, argument{-1, e.Name, l.things(e.Base)})
		default:
			out = append(out, argument{position, "", l.things(a)})
			position++
		}
	}
	return slices.DeleteFunc(out, func(a argument) bool { return len(a.things) == 0 })
}

// things are what an expression may be, as far as it may run.
func (l *linker) things(e int32) []thing {
	if e == graph.None {
		return nil
	}
	switch l.f.Facts.Exprs[e].Kind {
	case graph.ExprName, graph.ExprMember, graph.ExprCall, graph.ExprIndex, graph.ExprUnion, graph.ExprAs, graph.ExprFunction:
		return l.r.things(l.r.eval(place{l.file, e}))
	}
	return nil
}

func (r *reader) things(values []*value) []thing {
	var out []thing
	for _, v := range values {
		switch {
		case v.kind == functionValue || v.kind == classValue:
			out = append(out, thing{what: v.at})
		case v.kind == lambdaValue:
			out = append(out, thing{what: r.literal(v)})
		case v.kind == instanceValue:
			out = append(out, thing{what: v.at, object: true})
		case v.param.position > 0:
			out = append(out, thing{what: nowhere, from: v.param})
		}
	}
	return out
}

// handTo says which parameters of a function take the arguments of a call.
func (p *project) handTo(callee place, bound bool, args []argument) []handed {
	s := p.symbol(callee)
	var out []handed
	for _, a := range args {
		var i int
		if a.position < 0 {
			i = slices.IndexFunc(s.Params, func(p graph.Param) bool { return p.Name == a.keyword && p.Kind <= graph.ParamNamed })
		} else {
			i = positional(s, bound, a.position)
		}
		if i < 0 {
			continue
		}
		as := parameter{callee, int32(i) + 1}
		for _, t := range a.things {
			if t.from != as {
				out = append(out, handed{as, t})
			}
		}
	}
	return out
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

// pass notes what a call hands to the function that it runs.
func (l *linker) pass(s *site, callee *value) {
	if !s.read {
		s.args, s.read = l.arguments(s.ref), true
	}
	l.out.handed = append(l.out.handed, l.p.handTo(callee.at, callee.self != nil, s.args)...)
}

// decorate notes which functions decorators are called with. A decorator that a
// call gives is called without a reference of its own.
func (l *linker) decorate() {
	for i := range l.f.Facts.Symbols {
		s := &l.f.Facts.Symbols[i]
		if s.Kind != graph.KindFunction && s.Kind != graph.KindMethod || len(s.Decorators) == 0 {
			continue
		}
		d := decorated{what: place{l.file, int32(i)}}
		for _, e := range slices.Backward(s.Decorators) {
			if e == graph.None {
				continue
			}
			for _, v := range l.r.decorators(place{l.file, e}) {
				if x := &l.f.Facts.Exprs[e]; x.Kind == graph.ExprCall {
					l.edge(int32(i), v.at, graph.EdgeCall, v.tier, x.Line)
				}
				if at := positional(l.p.symbol(v.at), v.self != nil, 0); at >= 0 {
					d.as = append(d.as, parameter{v.at, int32(at) + 1})
				}
			}
		}
		l.out.decorated = append(l.out.decorated, d)
	}
}

// decorators are the functions that a decorator may be. The declared result of a
// function that makes decorators hides which of its functions it returns.
func (r *reader) decorators(at place) []*value {
	values := r.eval(at)
	if e := &r.p.facts(at).Exprs[at.at]; e.Kind == graph.ExprCall && e.Base != graph.None && !slices.ContainsFunc(values, isFunction) {
		values = nil
		for _, v := range r.eval(place{at.file, e.Base}) {
			if isFunction(v) {
				values = merge(values, r.inferredResult(v.at, r.p.symbol(v.at), v.self))
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(values), func(v *value) bool { return !isFunction(v) })
}

func isFunction(v *value) bool { return v.kind == functionValue }

// A solver follows what is passed through the parameters of the whole tree until
// nothing new arrives anywhere.
type solver struct {
	p       *project
	r       *reader
	known   map[parameter][]thing
	onward  map[parameter][]parameter
	uses    map[parameter][]*waiting
	targets map[*waiting][]target
	fresh   []handed
}

// A target is a function, method, lambda or class that a waiting use leads to.
type target struct {
	at    place
	bound bool // its receiver is no argument
}

// settle links the uses of parameters, now that all files have said what they
// pass.
func (p *project) settle(results []fileResult) {
	s := &solver{
		p: p, r: newReader(p), known: map[parameter][]thing{}, onward: map[parameter][]parameter{},
		uses: map[parameter][]*waiting{}, targets: map[*waiting][]target{},
	}
	for i := range results {
		for j := range results[i].waiting {
			w := &results[i].waiting[j]
			for _, as := range w.passed {
				s.uses[as] = append(s.uses[as], w)
			}
		}
	}
	s.wrap(results)
	for i := range results {
		for _, h := range results[i].handed {
			s.hand(h)
		}
	}
	s.run()
	for i := range results {
		for j := range results[i].waiting {
			s.link(&results[i], &results[i].waiting[j])
		}
	}
}

// hand notes one thing, or that a parameter is passed on.
func (s *solver) hand(h handed) {
	switch {
	case h.what != nowhere:
		s.fresh = append(s.fresh, h)
	case !slices.Contains(s.onward[h.from], h.as):
		s.onward[h.from] = append(s.onward[h.from], h.as)
		for _, t := range s.known[h.from] {
			s.fresh = append(s.fresh, handed{h.as, t})
		}
	}
}

func (s *solver) run() {
	for len(s.fresh) > 0 {
		h := s.fresh[0]
		s.fresh = s.fresh[1:]
		if len(s.known[h.as]) > maxHanded || slices.Contains(s.known[h.as], h.thing) {
			continue
		}
		s.known[h.as] = append(s.known[h.as], h.thing)
		for _, as := range s.onward[h.as] {
			s.fresh = append(s.fresh, handed{as, h.thing})
		}
		for _, w := range s.uses[h.as] {
			s.reach(w, h.thing)
		}
	}
}

// reach adds what a use runs of one thing, and hands on what the use passes.
func (s *solver) reach(w *waiting, t thing) {
	for _, to := range s.runs(w, t) {
		if slices.Contains(s.targets[w], to) {
			continue
		}
		s.targets[w] = append(s.targets[w], to)
		for _, h := range s.p.handTo(to.at, to.bound, w.args) {
			s.hand(h)
		}
	}
}

// runs lists what a use runs of one thing.
func (s *solver) runs(w *waiting, t thing) []target {
	class := isClass(s.p.symbol(t.what).Kind)
	switch {
	case w.member != "":
		if !class {
			return nil
		}
		self := &value{kind: classValue, at: t.what}
		if t.object {
			self.kind = instanceValue
		}
		return s.methods(t.what, w.member, self, w.property)
	case t.object:
		return s.methods(t.what, "__call__", &value{kind: instanceValue, at: t.what}, false)
	case class:
		out := []target{{at: t.what}}
		self := &value{kind: instanceValue, at: t.what, precise: true}
		for _, name := range constructors {
			out = append(out, s.methods(t.what, name, self, false)...)
		}
		return out
	}
	return []target{{at: t.what}}
}

func (s *solver) methods(class place, name string, self *value, property bool) []target {
	kind := graph.KindMethod
	if property {
		kind = graph.KindProperty
	}
	var out []target
	found := s.r.classMember(class, name, self, nowhere)
	for i := range found.defs {
		if at := found.defs[i].symbol; at != nowhere && s.p.symbol(at).Kind == kind {
			out = append(out, target{at, self.kind == instanceValue || s.p.symbol(at).Flags&graph.FlagClass != 0})
		}
	}
	return out
}

// link leads from a use to its targets.
func (s *solver) link(r *fileResult, w *waiting) {
	edge := func(to place, kind graph.EdgeKind, tier graph.Tier) {
		for _, from := range []int32{w.from, w.literal} {
			if from != graph.None {
				r.edges = append(r.edges, graph.Edge{From: from, To: s.p.index(to), Kind: kind, Tier: tier, Lines: []int32{w.line}})
			}
		}
	}
	targets, reason := s.targets[w], w.reason
	if len(targets) > maxHanded || slices.ContainsFunc(w.passed, func(as parameter) bool { return len(s.known[as]) > maxHanded }) {
		targets, reason = nil, "too many candidates"
	}
	for _, t := range targets {
		edge(t.at, graph.EdgeDispatch, graph.TierDispatch)
	}
	if len(targets) == 0 {
		for _, to := range w.fallback {
			edge(to, graph.EdgeCall, graph.TierName)
		}
	}
	switch {
	case w.counted || w.silent:
	case len(targets) > 0:
		r.counts.Dispatch++
	case len(w.fallback) > 0:
		r.counts.Name++
	default:
		r.counts.Unresolved++
		if !w.outside {
			r.unresolved = append(r.unresolved, graph.Unresolved{From: w.from, Line: w.line, Kind: graph.EdgeCall, Name: w.name, Reason: reason})
		}
	}
}

// wrap hands decorated functions to their decorators and leads from the calls of
// one to the functions inside its decorators that call what is decorated: the
// outermost of them is what the name stands for.
func (s *solver) wrap(results []fileResult) {
	wrappers := s.wrappers(results)
	standFor := map[int32][]place{} // decorated function → wrappers
	for i := range results {
		for _, d := range results[i].decorated {
			current := []place{d.what}
			for _, as := range d.as {
				for _, at := range current {
					s.hand(handed{as, thing{what: at}})
				}
				if w := wrappers[as]; len(w) > 0 {
					current = w
				}
			}
			if current[0] != d.what {
				standFor[s.p.index(d.what)] = current
			}
		}
	}
	for i := range results {
		r := &results[i]
		for _, e := range r.edges {
			if e.Kind != graph.EdgeCall {
				continue
			}
			for _, w := range standFor[e.To] {
				if to := s.p.index(w); to != e.From {
					r.edges = append(r.edges, graph.Edge{From: e.From, To: to, Kind: graph.EdgeDispatch, Tier: graph.TierDispatch, Lines: e.Lines})
				}
			}
		}
	}
}

// wrappers are the functions inside another that call its parameters.
func (s *solver) wrappers(results []fileResult) map[parameter][]place {
	out := map[parameter][]place{}
	for i := range results {
		f := s.p.files[i]
		for j := range results[i].waiting {
			w := &results[i].waiting[j]
			at := place{int32(i), w.from - f.Symbols}
			for _, as := range w.passed {
				if w.member == "" && as.of.file == at.file && at.at != as.of.at && within(f.Facts, at.at, as.of.at) && !slices.Contains(out[as], at) {
					out[as] = append(out[as], at)
				}
			}
		}
	}
	return out
}
