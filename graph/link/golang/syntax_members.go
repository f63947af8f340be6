package golang

import (
	"slices"

	"github.com/previdence/previdence/graph"
)

// selected finds a member of a type, as Go does: the one that lies least deep in what
// the type embeds, if it is the only one there.
func (s *syntax) selected(typ int32, name string) thing {
	if own := s.own(typ, name); own != graph.None && !s.isAlias(typ) {
		return thing{kind: symbolic, at: own}
	}
	t, _ := s.search(typ, name)
	return t
}

// A step is a type on the way into what another embeds, with the step before it.
type step struct {
	typ, before int32
}

// search is selected, and the types through which the member was reached, from where it
// lies outwards.
func (s *syntax) search(typ int32, name string) (found thing, through []int32) {
	steps, seen := []step{{typ, graph.None}}, map[int32]bool{typ: true}
	open := false // something embedded is not known and may have the name
	for from := 0; from < len(steps); {
		to := len(steps)
		hit, last, hits := graph.None, graph.None, 0
		for i := from; i < to; i++ {
			own, below, whole := s.level(steps[i].typ, name)
			if own != graph.None {
				hit, last, hits = own, int32(i), hits+1
			}
			open = open || !whole && hits == 0
			for _, b := range below {
				if !seen[b] {
					seen[b] = true
					steps = append(steps, step{b, int32(i)})
				}
			}
		}
		switch {
		case hits == 1 && !open:
			for i := last; i != graph.None; i = steps[i].before {
				through = append(through, steps[i].typ)
			}
			return thing{kind: symbolic, at: hit}, through
		case hits > 0:
			return thing{}, nil
		}
		from = to
	}
	if open || s.kindOf(typ) == graph.KindInterface {
		return thing{}, nil
	}
	return thing{kind: undefined, at: typ}, nil
}

// level is the member that a type has itself, and what it embeds. It is not whole if
// something that it embeds lies outside the tree or is not known.
func (s *syntax) level(typ int32, name string) (own int32, below []int32, whole bool) {
	if s.isAlias(typ) {
		return s.levelOf(s.typeOf(typ), name)
	}
	own = s.own(typ, name)
	f := s.fact(typ)
	if f.Kind == graph.KindType {
		return s.madeOf(typ, own, name)
	}
	sh := s.sheetAt(typ)
	whole = true
	for _, b := range f.Bases {
		switch t := s.typeSymbol(s.resolve(sh, b)); t.kind {
		case symbolic:
			below = append(below, t.at)
		case predefined: // error has one method
			whole = whole && name != "Error"
		default:
			whole = false
		}
	}
	return own, below, whole
}

func (s *syntax) levelOf(t thing, name string) (own int32, below []int32, whole bool) {
	if t.kind == symbolic && isType(s.kindOf(t.at)) && s.settled[t.at] == settleDone {
		return s.level(t.at, name)
	}
	return graph.None, nil, false
}

// madeOf adds the fields of the type that another is made of: type T U. Methods stay
// with U, unless it is an interface.
func (s *syntax) madeOf(typ, own int32, name string) (int32, []int32, bool) {
	of := s.typeOf(typ)
	if own != graph.None || of.kind == predefined {
		return own, nil, true
	}
	if _, x := s.expr(of); x != nil {
		return own, nil, x.Kind != graph.ExprObjectType
	}
	if of.kind != symbolic || !isType(s.kindOf(of.at)) || s.settled[of.at] != settleDone {
		return own, nil, false
	}
	inner, below, whole := s.level(of.at, name)
	if inner != graph.None && s.kindOf(inner) == graph.KindMethod && s.kindOf(of.at) != graph.KindInterface {
		inner = graph.None
	}
	return inner, below, whole
}

// own is the member that a type declares itself.
func (s *syntax) own(typ int32, name string) int32 {
	f := s.sheetAt(typ)
	if f == nil {
		return graph.None
	}
	if to, ok := s.scopes[f.unit.number].members[member{typ, name}]; ok {
		return to
	}
	return graph.None
}

// maxCandidates bounds how many methods the name alone leads a call to.
const maxCandidates = 8

// maxImplementations bounds how many methods a call through an interface leads to.
const maxImplementations = 256

// indexMethods lists the methods of concrete types by their name.
func (s *syntax) indexMethods() {
	s.methods = map[string][]int32{}
	for i := range s.sheets {
		f := &s.sheets[i]
		for j := range f.in.Facts.Symbols {
			sym := &f.in.Facts.Symbols[j]
			if sym.Kind == graph.KindMethod && sym.Container != "" {
				s.methods[sym.Name] = append(s.methods[sym.Name], f.in.Symbols+int32(j))
			}
		}
	}
}

// maySee reports whether code of a file can hold values whose methods a package
// declares: it is the file's own, or one that it imports in the end.
func (s *syntax) maySee(f *sheet, to int32, exported bool) bool {
	u := s.sheetAt(to).unit
	switch {
	case s.testOnly[to] && !(f.test && s.dirOf(to) == f.dir):
		return false
	case u == f.unit || u == f.unit.self:
		return true
	}
	return exported && f.unit.reads.has(u.number)
}

// byName lists the methods that a call of something unknown may mean; none if they are
// too many to be worth an edge.
func (s *syntax) byName(f *sheet, name string, arguments int) (found []int32, many bool) {
	for _, m := range s.methods[name] {
		sym := s.fact(m)
		if !s.maySee(f, m, sym.Exported) || arguments >= 0 && !takes(sym, arguments) {
			continue
		}
		if len(found) == maxCandidates {
			return nil, true
		}
		found = append(found, m)
	}
	return found, false
}

// takes reports whether a function can be called with a number of arguments.
func takes(f *graph.SymbolFact, arguments int) bool {
	n, variadic := parameters(f)
	return arguments == n || variadic && arguments >= n-1
}

// parameters counts the parameters of a function without its receiver.
func parameters(f *graph.SymbolFact) (n int, variadic bool) {
	for i := range f.Params {
		switch f.Params[i].Kind {
		case graph.ParamReceiver:
		case graph.ParamVariadic:
			variadic = true
			n++
		default:
			n++
		}
	}
	return n, variadic
}

// reached is [syntax.implementations], found once for all files.
func (s *syntax) reached(method int32) []int32 {
	if found, ok := s.reaching.Load(method); ok {
		return found.([]int32)
	}
	found := s.implementations(method)
	if len(found) > maxImplementations {
		found = nil
	}
	s.reaching.Store(method, found)
	return found
}

// implementations lists the methods that a call of an interface's method may run:
// those of types that have a method for each of the interface, written with the same
// parameters and results. They are compared as they are written.
func (s *syntax) implementations(method int32) []int32 {
	iface := s.in.Symbols[method].Container
	owner := s.scopes[s.sheetAt(method).unit.number].lookup(iface, true)
	if owner == graph.None || s.kindOf(owner) != graph.KindInterface {
		return nil
	}
	wanted := s.methodSet(owner)
	generic := s.isGeneric(owner)
	var found []int32
	for _, m := range s.methods[s.in.Symbols[method].Name] {
		if !generic && !s.sameSignature(m, method) {
			continue
		}
		if t := s.receiverOf(m); t != graph.None && s.implements(t, wanted, generic) {
			found = append(found, m)
		}
	}
	return found
}

// receiverOf is the type that a method belongs to.
func (s *syntax) receiverOf(m int32) int32 {
	return s.scopes[s.sheetAt(m).unit.number].lookup(s.fact(m).Container, true)
}

// implements reports whether a type, or one that embeds it, has the methods.
func (s *syntax) implements(typ int32, wanted []int32, generic bool) bool {
	if s.has(typ, wanted, generic) {
		return true
	}
	return slices.ContainsFunc(s.embedded[typ], func(outer int32) bool {
		return s.kindOf(outer) == graph.KindStruct && s.has(outer, wanted, generic)
	})
}

func (s *syntax) has(typ int32, wanted []int32, generic bool) bool {
	for _, w := range wanted {
		got := s.selected(typ, s.in.Symbols[w].Name)
		switch {
		case got.kind == unknown:
		case got.kind != symbolic || s.kindOf(got.at) != graph.KindMethod:
			return false
		case !generic && !s.sameSignature(got.at, w):
			return false
		}
	}
	return true
}

// methodSet lists the methods of an interface of the tree with those that it embeds,
// as far as these lie in the tree.
func (s *syntax) methodSet(iface int32) []int32 {
	var set []int32
	seen := map[int32]bool{}
	var visit func(t int32)
	visit = func(t int32) {
		if seen[t] || s.kindOf(t) != graph.KindInterface {
			return
		}
		seen[t] = true
		f := s.sheetAt(t)
		owner := t - f.in.Symbols
		for j := range f.in.Facts.Symbols {
			if f.in.Facts.Symbols[j].Parent == owner && j > 0 {
				set = append(set, f.in.Symbols+int32(j))
			}
		}
		for _, b := range f.in.Facts.Symbols[owner].Bases {
			if to := s.resolve(f, b); to.kind == symbolic {
				visit(to.at)
			}
		}
	}
	visit(iface)
	return set
}
