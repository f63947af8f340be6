package golang

import (
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// Types alone allow more than any program does: a mock fits the interface of
// what it stands for, and no main ever makes one. What a program of the tree may
// run is found here: what it starts with, what that names, and the methods of
// the types that it turns into interfaces. A call that leads to something else
// has a tier of its own (docs/adr/0020).
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
	all       *whole
	next      map[int32][]int32  // what a symbol names: functions, methods, variables
	converts  map[int32][]string // what a symbol turns into interfaces
	seen      map[string]bool
	now       reach // what is looked at
	symbols   []reach
	converted map[string]reach // by the generic type of instances
	work      []int32
}

// spread marks what programs may run, then what is left for tests.
func (b *build) spread(all *whole) *liveness {
	l := &liveness{
		build: b, all: all, next: map[int32][]int32{}, converts: map[int32][]string{}, seen: map[string]bool{},
		symbols: make([]reach, len(b.in.Symbols)), converted: map[string]reach{},
	}
	for i := range all.edges {
		if e := &all.edges[i]; e.Kind == graph.EdgeCall || e.Kind == graph.EdgeReference {
			l.next[e.From] = append(l.next[e.From], e.To)
		}
	}
	for t, from := range all.converted {
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
func (l *liveness) convert(name string) {
	t := l.all.shapes[name]
	if t == nil || l.seen[name] {
		return
	}
	l.seen[name] = true
	if l.converted[t.origin] == byNobody {
		l.converted[t.origin] = l.now
	}
	for i := range t.methods {
		if to := t.methods[i].target; to != graph.None && !t.iface {
			l.mark(to)
		}
	}
	for _, held := range t.holds {
		l.convert(held)
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
