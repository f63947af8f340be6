package golang

import (
	"go/types"

	"github.com/previdence/previdence/graph"
)

// collect joins the records of all units and resolves what needs the whole
// tree: calls of interface methods and of function values, and which types
// implement which interfaces.
func (b *build) collect() {
	total := newRecord()
	for _, u := range b.units {
		if u.failed {
			b.found.failed = append(b.found.failed, u.dir)
		}
		for _, f := range append(u.files, u.tests...) {
			b.seen[f.path] = true
		}
		r := u.rec
		if r == nil {
			continue
		}
		for k, lines := range r.edges {
			total.edges[k] = append(total.edges[k], lines...)
		}
		total.unresolved = append(total.unresolved, r.unresolved...)
		total.abstract = append(total.abstract, r.abstract...)
		total.dynamic = append(total.dynamic, r.dynamic...)
		total.flows = append(total.flows, r.flows...)
		for t := range r.created {
			total.created[t] = true
		}
		for t, from := range r.converted {
			total.converted[t] = append(total.converted[t], from...)
		}
		addCounts(&total.counts, &r.counts)
		u.rec = nil
	}
	b.live = b.spread(total)
	b.dispatchMethods(total)
	b.dispatchValues(total)
	b.dropLiterals(total)
	b.implement(total)
	b.keep(total)
}

func addCounts(to, from *graph.Counts) {
	to.Compiler += from.Compiler
	to.Dispatch += from.Dispatch
	to.Unresolved += from.Unresolved
	to.External += from.External
}

// An implementer is a concrete type that interface calls may reach.
type implementer struct {
	named   *types.Named
	pointer *types.Pointer
}

// A methodIndex finds concrete types by the names of their methods.
type methodIndex map[string][]implementer

func (m methodIndex) add(n *types.Named) {
	im := implementer{n, types.NewPointer(n)}
	for sel := range types.NewMethodSet(im.pointer).Methods() {
		id := sel.Obj().Id()
		m[id] = append(m[id], im)
	}
}

// having lists the types that have the interface's rarest method.
func (m methodIndex) having(iface *types.Interface) []implementer {
	var best []implementer
	for i := range iface.NumMethods() {
		list := m[iface.Method(i).Id()]
		if i == 0 || len(list) < len(best) {
			best = list
		}
	}
	return best
}

// implements also accepts a generic pair whose type arguments are open: then
// the names and the numbers of parameters and results must agree.
func (im implementer) implements(iface *types.Interface, open bool) bool {
	if types.Implements(im.pointer, iface) {
		return true
	}
	if !open && im.named.TypeParams().Len() == im.named.TypeArgs().Len() {
		return false
	}
	for want := range iface.Methods() {
		got := im.method(want)
		if got == nil || !sameShape(got.Signature(), want.Signature()) {
			return false
		}
	}
	return iface.NumMethods() > 0
}

func sameShape(a, b *types.Signature) bool {
	return a.Params().Len() == b.Params().Len() && a.Results().Len() == b.Results().Len() && a.Variadic() == b.Variadic()
}

// method is the method that a call of want reaches in this type; nil if there
// is none or if it is again a method of an interface that the type embeds.
func (im implementer) method(want *types.Func) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(im.pointer, true, want.Pkg(), want.Name())
	fn, ok := obj.(*types.Func)
	if !ok || types.IsInterface(fn.Signature().Recv().Type()) {
		return nil
	}
	return fn
}

// A methodKey is a method called through an interface.
type methodKey struct {
	iface  types.Type
	method *types.Func
}

// dispatchMethods leads calls of interface methods to the types that are
// created in the tree.
func (b *build) dispatchMethods(r *record) {
	index := methodIndex{}
	for t := range r.created {
		index.add(t)
	}
	known := map[methodKey][]runnable{}
	for _, c := range r.abstract {
		k := methodKey{c.iface, c.method}
		targets, ok := known[k]
		if !ok {
			targets = b.implementations(r, index, k)
			known[k] = targets
		}
		some := false
		for _, to := range targets {
			if b.mayReach(c.site, to.symbol) {
				some = true
				r.dispatch(c.site, to.symbol, c.tier(to.by))
			}
		}
		switch {
		case some:
			r.counts.Add(graph.TierDispatch)
		case c.inTree:
			r.counts.Add(graph.TierCompiler) // the interface is known; nothing in the tree implements it
		default:
			r.counts.External++
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
func (b *build) implementations(r *record, index methodIndex, k methodKey) []runnable {
	iface, ok := k.iface.Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	open := isOpen(k.iface)
	var out []runnable
	at := map[int32]int{}
	for _, im := range index.having(iface) {
		if !im.implements(iface, open) {
			continue
		}
		if fn := im.method(k.method); fn != nil {
			if to, ok := b.target(fn); ok {
				if at[to] == 0 {
					out = append(out, runnable{symbol: to})
					at[to] = len(out)
				}
				one := &out[at[to]-1]
				one.by = max(one.by, b.live.converted[im.named.Origin()])
				r.pass(k.method.Signature().Params(), fn.Origin().Signature().Params())
				r.pass(fn.Origin().Signature().Results(), k.method.Signature().Results())
			}
		}
	}
	return out
}

// pass lets function values flow from one list of variables to another.
func (r *record) pass(from, to *types.Tuple) {
	for i := range min(from.Len(), to.Len()) {
		if v := from.At(i); holdsFunc(v.Type()) {
			r.flows = append(r.flows, flow{to: to.At(i), src: sources{vars: []*types.Var{v.Origin()}}})
		}
	}
}

// isOpen reports whether an interface depends on type parameters.
func isOpen(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return t.TypeArgs().Len() > 0 || t.TypeParams().Len() > 0
	}
	return false
}

// implement makes the inherit and override edges between the concrete types
// and the interfaces that are declared in packages of the tree.
func (b *build) implement(r *record) {
	index := methodIndex{}
	var ifaces []*types.Named
	for _, u := range b.units {
		if !u.checked || u.failed {
			continue
		}
		scope := u.pkg.Scope()
		for _, name := range scope.Names() {
			tn, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() {
				continue
			}
			n, ok := tn.Type().(*types.Named)
			if !ok {
				continue
			}
			if iface, ok := n.Underlying().(*types.Interface); !ok {
				index.add(n)
			} else if iface.NumMethods() > 0 && iface.IsMethodSet() && n.TypeParams().Len() == 0 {
				ifaces = append(ifaces, n)
			}
		}
	}
	for _, n := range ifaces {
		b.implementOne(r, index, n)
	}
}

func (b *build) implementOne(r *record, index methodIndex, n *types.Named) {
	iface := n.Underlying().(*types.Interface)
	to, ok := b.target(n.Obj())
	if !ok {
		return
	}
	for _, im := range index.having(iface) {
		from, ok := b.target(im.named.Obj())
		if !ok || b.testOnly[to] && !b.testOnly[from] || !types.Implements(im.pointer, iface) {
			continue
		}
		r.edge(from, to, graph.EdgeInherit, graph.TierCompiler, int32(b.in.Symbols[from].Line))
		for want := range iface.Methods() {
			got := im.method(want)
			if got == nil {
				continue
			}
			f, ok1 := b.target(got)
			t, ok2 := b.target(want)
			if ok1 && ok2 && (b.testOnly[f] || !b.testOnly[t]) {
				r.edge(f, t, graph.EdgeOverride, graph.TierCompiler, int32(b.in.Symbols[f].Line))
			}
		}
	}
}

// held is what a variable may hold.
type held struct {
	funcs   map[int32]bool
	outside bool
}

func (h *held) add(o *held) bool {
	grown := o.outside && !h.outside
	h.outside = h.outside || o.outside
	for f := range o.funcs {
		if !h.funcs[f] {
			h.funcs[f] = true
			grown = true
		}
	}
	return grown
}

// solve follows function values from variable to variable until nothing new
// arrives anywhere.
func solve(flows []flow) map[*types.Var]*held {
	holds := map[*types.Var]*held{}
	at := func(v *types.Var) *held {
		if holds[v] == nil {
			holds[v] = &held{funcs: map[int32]bool{}}
		}
		return holds[v]
	}
	next := map[*types.Var][]*types.Var{}
	var work []*types.Var
	for _, f := range flows {
		h := at(f.to)
		h.outside = h.outside || f.src.outside
		for _, fn := range f.src.funcs {
			h.funcs[fn] = true
		}
		for _, v := range f.src.vars {
			next[v] = append(next[v], f.to)
		}
		work = append(work, f.to)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range next[v] {
			if at(to).add(at(v)) {
				work = append(work, to)
			}
		}
	}
	return holds
}

// dispatchValues leads calls of function values to the functions of the tree
// that the value may be.
func (b *build) dispatchValues(r *record) {
	holds := solve(r.flows)
	for _, c := range r.dynamic {
		all := held{funcs: map[int32]bool{}, outside: c.src.outside}
		for _, f := range c.src.funcs {
			all.funcs[f] = true
		}
		for _, v := range c.src.vars {
			if h := holds[v]; h != nil {
				all.add(h)
			}
		}
		some := false
		for f := range all.funcs {
			if b.mayReach(c.site, f) {
				some = true
				r.dispatch(c.site, f, c.tier(b.live.symbols[f]))
			}
		}
		switch {
		case some:
			r.counts.Add(graph.TierDispatch)
		case all.outside:
			r.counts.External++
		default:
			r.counts.Unresolved++
			r.unresolved = append(r.unresolved, graph.Unresolved{
				From: c.from, Line: c.line, Kind: graph.EdgeCall, Name: c.name, Reason: reasonFuncValue,
			})
		}
	}
}
