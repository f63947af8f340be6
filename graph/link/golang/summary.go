package golang

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/previdence/previdence/graph"
)

// A part is what one checked step of a unit, its files or its tests, has to say
// about the tree. It holds no types and no syntax, so both can be let go.
type part struct {
	edges      []graph.Edge // by From, To, Kind, Tier
	unresolved []graph.Unresolved
	counts     graph.Counts
	abstract   []abstractCall
	dynamic    []dynamicCall
	flows      []flow
	typeFlows  []typeFlow
	created    []string // names of types that a value may have
	converted  []conversion
	shapes     []shape  // by name
	standIns   []string // import paths that nothing was found for
	tainted    bool     // see unit
}

// A conversion says which symbols turn values of a type into interfaces.
type conversion struct {
	name string // see namer
	by   []int32
}

// A shape is what dispatch needs to know of a type with methods: a concrete
// type that values may have, or an interface.
type shape struct {
	name     string // see namer
	origin   string // name of the generic type that it is an instance of; else its own
	symbol   int32  // what declares it, or graph.None
	declared bool   // by a package of the tree, outside functions
	iface    bool
	limited  bool     // an interface that asks for more than methods
	open     bool     // depends on type parameters that have no arguments
	broken   bool     // its form is not known
	doubtful bool     // it embeds something that is not known
	methods  []method // by ID
	holds    []string // the types of the tree that it is made of
}

// A method of a shape, declared or promoted.
type method struct {
	id        string // its name, with the package if that matters
	signature string // see namer
	arity     [2]int // parameters and results
	params    []slot // nil if neither they nor the results hold functions
	results   []slot
	variadic  bool
	inherited bool  // of an interface that the type embeds
	target    int32 // symbol, or graph.None
}

// A slot is a parameter or result of a method.
type slot struct {
	at    place
	funcs bool // it is a function or a collection of such
}

// A place is where the tree declares a variable: the symbol of the file and the
// byte. The zero place lies outside.
type place uint64

func (b *build) placeOf(v *types.Var) place {
	f, offset, ok := b.locate(v)
	if !ok {
		return 0
	}
	return place(f.symbol())<<32 | place(uint32(offset))
}

// locate finds the file and the byte where an object of the tree is declared.
func (b *build) locate(obj types.Object) (f *file, offset int32, ok bool) {
	u := b.owner[obj.Pkg()]
	if u == nil {
		return nil, 0, false
	}
	i, found := slices.BinarySearchFunc(u.placed, int(obj.Pos()), func(f *file, pos int) int { return f.start - pos })
	if !found {
		i--
	}
	if i < 0 {
		return nil, 0, false
	}
	f = u.placed[i]
	return f, int32(int(obj.Pos()) - f.start), true
}

// summarise says what a walked step found without the types it found it by.
func (b *build) summarise(u *unit, files []*file) *part {
	r := u.rec
	u.rec = nil
	b.declare(r, u, files)
	p := &part{
		edges: r.list(), unresolved: r.unresolved, counts: r.counts,
		abstract: r.abstract, dynamic: r.dynamic, flows: r.flows, typeFlows: r.typeFlows,
	}
	p.created = sortedKeys(r.created)
	for _, name := range sortedKeys(r.converted) {
		p.converted = append(p.converted, conversion{name, r.converted[name]})
	}
	for _, name := range sortedKeys(r.shapes) {
		p.shapes = append(p.shapes, r.shapes[name])
	}
	return p
}

// list gives the edges in order, with their lines in one piece of memory.
func (r *record) list() []graph.Edge {
	n := 0
	for _, lines := range r.edges {
		n += len(lines)
	}
	all := make([]int32, 0, n)
	edges := make([]graph.Edge, 0, len(r.edges))
	for k, lines := range r.edges {
		slices.Sort(lines)
		at := len(all)
		all = append(all, slices.Compact(lines)...)
		edges = append(edges, graph.Edge{From: k.from, To: k.to, Kind: k.kind, Tier: k.tier, Lines: all[at:len(all):len(all)]})
	}
	slices.SortFunc(edges, graph.CompareEdges)
	return edges
}

// shapeOf gives the name of a type and notes its shape, unless the package that
// declares it does.
func (b *build) shapeOf(r *record, t types.Type) string {
	if name, ok := r.names[t]; ok {
		return name
	}
	name := b.typeName(t)
	r.names[t] = name
	if _, ok := r.shapes[name]; !ok && !b.declares(t) && len(r.shapes) < maxShapes {
		r.shapes[name] = shape{} // a type may hold itself
		r.shapes[name] = b.shape(r, name, t)
	}
	return name
}

// maxShapes bounds the shapes of one step: instances of generic types that hold
// instances of themselves have no end.
const maxShapes = 1 << 14

// reachedBy names the types of the tree that a value of type t is made of, as far
// as they are not parts of one another.
func (b *build) reachedBy(r *record, t types.Type) []string {
	names, ok := r.reached[t]
	if !ok {
		b.reach(r, t, map[types.Type]bool{}, &names)
		slices.Sort(names)
		names = slices.Compact(names)
		r.reached[t] = names
	}
	return names
}

func (b *build) reach(r *record, t types.Type, seen map[types.Type]bool, out *[]string) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		if b.owns(t.Obj()) {
			*out = append(*out, b.shapeOf(r, t))
			return
		}
		for a := range t.TypeArgs().Types() {
			b.reach(r, a, seen, out)
		}
	case *types.Pointer:
		b.reach(r, t.Elem(), seen, out)
	case *types.Slice:
		b.reach(r, t.Elem(), seen, out)
	case *types.Array:
		b.reach(r, t.Elem(), seen, out)
	case *types.Chan:
		b.reach(r, t.Elem(), seen, out)
	case *types.Map:
		b.reach(r, t.Key(), seen, out)
		b.reach(r, t.Elem(), seen, out)
	case *types.Struct:
		for f := range t.Fields() {
			b.reach(r, f.Type(), seen, out)
		}
	case *types.Signature:
		b.reach(r, t.Params(), seen, out)
		b.reach(r, t.Results(), seen, out)
	case *types.Tuple:
		for v := range t.Variables() {
			b.reach(r, v.Type(), seen, out)
		}
	}
}

// declares reports whether a type is declared by a package of the tree, outside
// functions and not as an instance.
func (b *build) declares(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.TypeArgs().Len() == 0 && b.owns(n.Obj()) && n.Obj().Pkg().Scope().Lookup(n.Obj().Name()) == n.Obj()
}

// declare adds the shapes of the types that the files declare. Tests that give
// a type of their package a method change every type that embeds it.
func (b *build) declare(r *record, u *unit, files []*file) {
	scope := u.pkg.Scope()
	names := declaredTypes(files)
	if len(u.tests) > 0 && files[0] == u.tests[0] && givesMethods(files) {
		names = scope.Names()
	}
	for _, name := range names {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		if n, ok := tn.Type().(*types.Named); ok {
			s := b.shape(r, b.typeName(n), n)
			s.declared = true
			r.shapes[s.name] = s
		}
	}
}

func declaredTypes(files []*file) []string {
	var names []string
	for _, f := range files {
		for i := range f.in.Facts.Symbols {
			switch s := &f.in.Facts.Symbols[i]; s.Kind {
			case graph.KindStruct, graph.KindInterface, graph.KindType:
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// givesMethods reports whether files declare methods of types that they do not
// declare.
func givesMethods(files []*file) bool {
	names := declaredTypes(files)
	return slices.ContainsFunc(files, func(f *file) bool {
		return slices.ContainsFunc(f.in.Facts.Symbols, func(s graph.SymbolFact) bool {
			return s.Kind == graph.KindMethod && s.Container != "" && !slices.Contains(names, s.Container)
		})
	})
}

func (b *build) shape(r *record, name string, t types.Type) shape {
	s := shape{name: name, origin: name, symbol: graph.None}
	n, _ := types.Unalias(t).(*types.Named)
	if n != nil {
		if to, ok := b.target(n.Obj()); ok {
			s.symbol = to
		}
		if n.Origin() != n {
			s.origin = b.typeName(n.Origin())
		}
	}
	if iface, ok := t.Underlying().(*types.Interface); ok {
		s.iface, s.limited, s.open = true, !iface.IsMethodSet(), isOpen(t)
		for m := range iface.Methods() {
			s.methods = append(s.methods, b.interfaceMethod(m))
		}
	} else if n != nil {
		s.open = n.TypeParams().Len() != n.TypeArgs().Len()
		s.broken = n.Underlying() == types.Typ[types.Invalid]
		s.doubtful = embedsUnknown(n, map[types.Type]bool{})
		for sel := range types.NewMethodSet(types.NewPointer(n)).Methods() {
			if fn, ok := sel.Obj().(*types.Func); ok {
				s.methods = append(s.methods, b.concreteMethod(fn))
			}
		}
	}
	if n != nil {
		seen := map[types.Type]bool{}
		for a := range n.TypeArgs().Types() {
			b.reach(r, a, seen, &s.holds)
		}
		b.reach(r, n.Underlying(), seen, &s.holds)
		slices.Sort(s.holds)
		s.holds = slices.Compact(s.holds)
	}
	slices.SortFunc(s.methods, func(a, b method) int { return cmp.Compare(a.id, b.id) })
	return s
}

// embedsUnknown reports whether a struct embeds, at whatever depth, a type that
// is not known.
func embedsUnknown(t types.Type, seen map[types.Type]bool) bool {
	st, ok := structOf(t)
	if !ok || seen[st] {
		return false
	}
	seen[st] = true
	for f := range st.Fields() {
		if f.Embedded() && (types.Unalias(f.Type()) == types.Typ[types.Invalid] || embedsUnknown(f.Type(), seen)) {
			return true
		}
	}
	return false
}

func (b *build) concreteMethod(fn *types.Func) method {
	m := b.method(fn)
	m.inherited = types.IsInterface(fn.Signature().Recv().Type())
	b.slots(&m, fn.Origin().Signature())
	return m
}

func (b *build) interfaceMethod(fn *types.Func) method {
	m := b.method(fn)
	b.slots(&m, fn.Signature())
	for i := range m.results {
		if v := fn.Signature().Results().At(i); v != v.Origin() {
			m.results[i].at = 0 // what an instance gives is not followed
		}
	}
	return m
}

func (b *build) method(fn *types.Func) method {
	sig := fn.Signature()
	m := method{
		id: fn.Id(), signature: b.signatureName(sig), target: graph.None,
		arity: [2]int{sig.Params().Len(), sig.Results().Len()}, variadic: sig.Variadic(),
	}
	if to, ok := b.target(fn); ok {
		m.target = to
	}
	return m
}

// slots notes parameters and results if there are functions among them.
func (b *build) slots(m *method, sig *types.Signature) {
	params, some := b.slotsOf(sig.Params())
	results, more := b.slotsOf(sig.Results())
	if some || more {
		m.params, m.results = params, results
	}
}

func (b *build) slotsOf(t *types.Tuple) (out []slot, some bool) {
	for v := range t.Variables() {
		s := slot{b.placeOf(v.Origin()), holdsFunc(v.Type())}
		some = some || s.funcs
		out = append(out, s)
	}
	return out, some
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
