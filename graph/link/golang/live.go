package golang

import (
	"go/types"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// Types alone allow more than any program does: a mock fits the interface of
// what it stands for, and no main ever makes one. What a program of the tree may
// run is found here: what it starts with, what that names, and the methods of
// the types that it turns into interfaces. A call that leads to something else
// has a tier of its own (docs/adr/0019).
//
// That errs on the side of too much: a function counts as soon as code that runs
// names it, and all methods of a type as soon as one value of it, or of something
// that contains it, becomes an interface.

// A reach says what may run a symbol.
type reach uint8

const (
	byNobody  reach = iota // nothing in the tree
	byTest                 // tests only
	byProgram              // a main, or who imports a library
)

// tier is that of an edge from a site to something with this reach.
func (s site) tier(to reach) graph.Tier {
	switch {
	case to == byNobody:
		return graph.TierLatent
	case to == byTest && s.test == "":
		return graph.TierTest
	}
	return graph.TierDispatch
}

// A liveness finds out what may run what.
type liveness struct {
	*build
	next      map[int32][]int32      // what a symbol names: functions, methods, variables
	converts  map[int32][]types.Type // what a symbol turns into interfaces
	seen      map[types.Type]bool
	now       reach // what is looked at
	symbols   []reach
	converted map[*types.Named]reach // by the generic type of instances
	work      []int32
}

// spread marks what programs may run, then what is left for tests.
func (b *build) spread(r *record) *liveness {
	l := &liveness{
		build: b, next: map[int32][]int32{}, converts: map[int32][]types.Type{}, seen: map[types.Type]bool{},
		symbols: make([]reach, len(b.in.Symbols)), converted: map[*types.Named]reach{},
	}
	for k := range r.edges {
		if k.kind == graph.EdgeCall || k.kind == graph.EdgeReference {
			l.next[k.from] = append(l.next[k.from], k.to)
		}
	}
	for t, from := range r.converted {
		for _, s := range from {
			l.converts[s] = append(l.converts[s], t)
		}
	}
	l.now = byProgram
	l.startPrograms()
	l.run()
	l.now = byTest
	l.startTests()
	l.run()
	return l
}

func (l *liveness) run() {
	for len(l.work) > 0 {
		s := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		for _, to := range l.next[s] {
			l.mark(to)
		}
		for _, t := range l.converts[s] {
			l.convert(t)
		}
	}
}

func (l *liveness) mark(s int32) {
	if int(s) < len(l.symbols) && l.symbols[s] == byNobody {
		l.symbols[s] = l.now
		l.work = append(l.work, s)
	}
}

// convert marks the methods of a type, and those of what it is made of:
// reflection gets at them.
func (l *liveness) convert(t types.Type) {
	t = types.Unalias(t)
	if l.seen[t] {
		return
	}
	l.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			l.convert(a)
		}
		if !l.owns(t.Obj()) {
			return
		}
		l.method(t)
		l.convert(t.Underlying())
	case *types.Pointer:
		l.convert(t.Elem())
	case *types.Slice:
		l.convert(t.Elem())
	case *types.Array:
		l.convert(t.Elem())
	case *types.Chan:
		l.convert(t.Elem())
	case *types.Map:
		l.convert(t.Key())
		l.convert(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			l.convert(f.Type())
		}
	case *types.Signature:
		l.convert(t.Params())
		l.convert(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			l.convert(v.Type())
		}
	}
}

func (l *liveness) method(t *types.Named) {
	if l.converted[t.Origin()] == byNobody {
		l.converted[t.Origin()] = l.now
	}
	for sel := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		if s, ok := l.target(sel.Obj()); ok {
			l.mark(s)
		}
	}
}

// startPrograms marks where programs begin: the mains with what their packages
// set up, and all of the packages that others can import and no main does.
func (l *liveness) startPrograms() {
	program := make([]bool, len(l.units))
	for _, u := range l.units {
		if u.kind == plain && u.name == "main" {
			l.take(u, program)
		}
	}
	for i, u := range l.units {
		if u.kind == plain && (program[i] || !isInternal(u.dir)) {
			l.start(u.files, !program[i])
		}
	}
}

// startTests marks the tests and what the packages set up that only they import.
func (l *liveness) startTests() {
	for _, u := range l.units {
		l.start(u.tests, true)
		l.start(u.files, u.kind == external)
	}
}

// take notes a package and those that it imports outside its tests.
func (l *liveness) take(u *unit, program []bool) {
	if program[u.number] {
		return
	}
	program[u.number] = true
	for _, n := range u.below(false) {
		l.take(l.units[n], program)
	}
}

func isInternal(dir string) bool { return slices.Contains(strings.Split(dir, "/"), "internal") }

// start marks what runs in files without being named, or all that they hold.
func (l *liveness) start(files []*file, all bool) {
	for _, f := range files {
		for i := range f.in.Facts.Symbols {
			if s := f.in.Symbols + int32(i); all || l.runsUnnamed(s) {
				l.mark(s)
			}
		}
	}
}

// runsUnnamed reports whether a symbol is main, init, a variable, or the file,
// which stands for the variables named "_".
func (l *liveness) runsUnnamed(s int32) bool {
	switch sym := &l.in.Symbols[s]; sym.Kind {
	case graph.KindModule, graph.KindVariable:
		return true
	case graph.KindFunction:
		return sym.Name == "init" || sym.Name == "main"
	}
	return false
}
