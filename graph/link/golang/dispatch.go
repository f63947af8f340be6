package golang

import (
	"cmp"
	"slices"

	"github.com/previdence/previdence/graph"
)

// A whole is what all units found together.
type whole struct {
	edges      []graph.Edge // the same one may be there several times, in any order
	lines      []int32      // of the sites of edges that only the whole tree shows
	unresolved []graph.Unresolved
	counts     graph.Counts
	abstract   []abstractCall
	dynamic    []dynamicCall
	flows      []flow
	typeFlows  []typeFlow
	shapes     map[string]*shape
	created    map[string]bool
	converted  map[string][]int32
}

// collect joins the parts of all units and resolves what needs the whole tree:
// calls of interface methods and of function values, and which types implement
// which interfaces.
func (b *build) collect() {
	all := &whole{shapes: map[string]*shape{}, created: map[string]bool{}, converted: map[string][]int32{}}
	all.edges = make([]graph.Edge, 0, 2*b.countEdges()) // dispatch adds nearly as many
	for _, u := range b.units {
		if u.failed {
			b.found.failed = append(b.found.failed, u.dir)
		}
		for _, f := range append(u.files, u.tests...) {
			b.see(f)
		}
		for _, p := range u.parts {
			all.add(p, u.failed)
		}
		u.parts = nil
	}
	b.live = b.spread(all)
	b.dispatchMethods(all)
	b.dispatchValues(all)
	b.implement(all)
	b.dropLiterals(all)
	b.keep(all)
}

func (b *build) countEdges() (n int) {
	for _, u := range b.units {
		for _, p := range u.parts {
			n += len(p.edges)
		}
	}
	return n
}

// add adds a part. Shapes of a package with its tests replace those without;
// of one whose check failed nothing is known to be declared.
func (all *whole) add(p *part, failed bool) {
	all.edges = append(all.edges, p.edges...)
	all.unresolved = append(all.unresolved, p.unresolved...)
	all.abstract = append(all.abstract, p.abstract...)
	all.dynamic = append(all.dynamic, p.dynamic...)
	all.flows = append(all.flows, p.flows...)
	all.typeFlows = append(all.typeFlows, p.typeFlows...)
	for _, name := range p.created {
		all.created[name] = true
	}
	for _, c := range p.converted {
		all.converted[c.name] = append(all.converted[c.name], c.by...)
	}
	for i := range p.shapes {
		s := &p.shapes[i]
		s.declared = s.declared && !failed
		all.shapes[s.name] = s
	}
	addCounts(&all.counts, &p.counts)
}

// linesAtOnce is how many lines are allocated together.
const linesAtOnce = 1 << 13

// edge adds an edge with one site.
func (all *whole) edge(from, to int32, kind graph.EdgeKind, tier graph.Tier, line int32) {
	if len(all.lines) == cap(all.lines) {
		all.lines = make([]int32, 0, linesAtOnce)
	}
	all.lines = append(all.lines, line)
	n := len(all.lines)
	all.edges = append(all.edges, graph.Edge{From: from, To: to, Kind: kind, Tier: tier, Lines: all.lines[n-1 : n : n]})
}

func addCounts(to, from *graph.Counts) {
	to.Compiler += from.Compiler
	to.Exact += from.Exact
	to.Name += from.Name
	to.Dispatch += from.Dispatch
	to.Unresolved += from.Unresolved
	to.External += from.External
}

// A methodIndex finds concrete types by the IDs of their methods.
type methodIndex map[string][]*shape

func (m methodIndex) add(s *shape) {
	for i := range s.methods {
		id := s.methods[i].id
		m[id] = append(m[id], s)
	}
}

// having lists the types that have the interface's rarest method.
func (m methodIndex) having(iface *shape) []*shape {
	var best []*shape
	for i := range iface.methods {
		list := m[iface.methods[i].id]
		if i == 0 || len(list) < len(best) {
			best = list
		}
	}
	return best
}

// method is the method with an ID; nil if there is none.
func (s *shape) method(id string) *method {
	i, ok := slices.BinarySearchFunc(s.methods, id, func(m method, id string) int { return cmp.Compare(m.id, id) })
	if !ok {
		return nil
	}
	return &s.methods[i]
}

// implements reports whether pointers to s implement the interface, as
// [types.Implements] does: what embeds something unknown may.
func (s *shape) implements(iface *shape) bool {
	if s.broken || iface.limited || s.doubtful {
		return s.doubtful && !s.broken && !iface.limited
	}
	for i := range iface.methods {
		want := &iface.methods[i]
		if got := s.method(want.id); got == nil || got.signature != want.signature {
			return false
		}
	}
	return true
}

// mayImplement also accepts a generic pair whose type arguments are open: then
// the names and the numbers of parameters and results must agree.
func (s *shape) mayImplement(iface *shape) bool {
	if s.implements(iface) {
		return true
	}
	if !iface.open && !s.open {
		return false
	}
	for i := range iface.methods {
		want := &iface.methods[i]
		got := s.method(want.id)
		if got == nil || got.inherited || got.arity != want.arity || got.variadic != want.variadic {
			return false
		}
	}
	return len(iface.methods) > 0
}

// A methodKey is a method called through an interface.
type methodKey struct{ iface, method string }

// dispatchMethods leads calls of interface methods to the types that are
// created in the tree.
func (b *build) dispatchMethods(all *whole) {
	index := methodIndex{}
	for name := range all.created {
		if s := all.shapes[name]; s != nil {
			index.add(s)
		}
	}
	known := map[methodKey][]runnable{}
	holds := solve(all.typeFlows, (*typeFlow).origin)
	allSeen := len(b.found.failed) == 0 // else what failed may write to anything
	for i := range all.abstract {
		c := &all.abstract[i]
		k := methodKey{c.iface, c.method}
		targets, ok := known[k]
		if !ok {
			targets = b.implementations(all, index, k)
			known[k] = targets
		}
		some := false
		within, narrowed := all.reaches(c, holds)
		for _, to := range targets {
			if !b.mayReach(c.site, to.symbol) {
				continue
			}
			some = true
			tier := c.tier(to.by)
			if narrowed && allSeen && !within[to.symbol] {
				tier = graph.TierLatent
			}
			all.dispatch(c.site, to.symbol, tier)
		}
		switch {
		case some:
			c.count(&all.counts, graph.TierDispatch)
		case c.inTree:
			c.count(&all.counts, graph.TierCompiler) // the interface is known; nothing in the tree implements it
		default:
			c.count(&all.counts, countExternal)
		}
	}
}

// A runnable is a symbol and what may run it.
type runnable struct {
	symbol int32
	by     reach
}

// implementations lists the methods that a call through an interface reaches. The
// functions that such a call passes on arrive in their parameters, and what they
// return is what the call gives.
func (b *build) implementations(all *whole, index methodIndex, k methodKey) []runnable {
	iface := all.shapes[k.iface]
	if iface == nil || !iface.iface {
		return nil
	}
	want := iface.method(k.method)
	var out []runnable
	at := map[int32]int{}
	for _, s := range index.having(iface) {
		got := s.method(k.method)
		if got == nil || got.inherited || got.target == graph.None || !s.mayImplement(iface) {
			continue
		}
		if at[got.target] == 0 {
			out = append(out, runnable{symbol: got.target})
			at[got.target] = len(out)
		}
		one := &out[at[got.target]-1]
		one.by = max(one.by, b.live.converted[s.origin])
		if want != nil {
			all.pass(want.params, got.params)
			all.pass(got.results, want.results)
		}
	}
	return out
}

// pass lets function values flow from one list of variables to another.
func (all *whole) pass(from, to []slot) {
	for i := range min(len(from), len(to)) {
		if from[i].funcs && from[i].at != 0 && to[i].at != 0 {
			all.flows = append(all.flows, flow{to: to[i].at, src: sources{vars: []place{from[i].at}}})
		}
	}
}

// implement makes the inherit and override edges between the concrete types
// and the interfaces that are declared in packages of the tree.
func (b *build) implement(all *whole) {
	index := methodIndex{}
	var ifaces []*shape
	for _, s := range all.shapes {
		switch {
		case !s.declared:
		case !s.iface:
			index.add(s)
		case len(s.methods) > 0 && !s.limited && !s.open:
			ifaces = append(ifaces, s)
		}
	}
	for _, s := range ifaces {
		b.implementOne(all, index, s)
	}
}

func (b *build) implementOne(all *whole, index methodIndex, iface *shape) {
	to := iface.symbol
	if to == graph.None {
		return
	}
	for _, s := range index.having(iface) {
		from := s.symbol
		if from == graph.None || b.testOnly[to] && !b.testOnly[from] || !s.implements(iface) {
			continue
		}
		all.edge(from, to, graph.EdgeInherit, graph.TierCompiler, int32(b.in.Symbols[from].Line))
		for i := range iface.methods {
			t := iface.methods[i].target
			got := s.method(iface.methods[i].id)
			if t == graph.None || got == nil || got.inherited || got.target == graph.None {
				continue
			}
			if f := got.target; b.testOnly[f] || !b.testOnly[t] {
				all.edge(f, t, graph.EdgeOverride, graph.TierCompiler, int32(b.in.Symbols[f].Line))
			}
		}
	}
}

// dispatchValues leads calls of function values to the functions of the tree
// that the value may be.
func (b *build) dispatchValues(all *whole) {
	holds := solve(all.flows, (*flow).origin)
	for i := range all.dynamic {
		c := &all.dynamic[i]
		value := holds.of(c.src.origin())
		some := false
		for f := range value.values {
			if b.mayReach(c.site, f) {
				some = true
				all.dispatch(c.site, f, c.tier(b.live.symbols[f]))
			}
		}
		switch {
		case some:
			c.count(&all.counts, graph.TierDispatch)
		case value.more:
			c.count(&all.counts, countExternal)
		default:
			c.count(&all.counts, countUnresolved)
			all.unresolved = append(all.unresolved, graph.Unresolved{
				From: c.from, Line: c.line, Kind: graph.EdgeCall, Name: c.name, Reason: reasonFuncValue,
			})
		}
	}
}
