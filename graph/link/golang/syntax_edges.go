package golang

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/previdence/previdence/graph"
)

// The reasons for which a call has no target without types, beside those that it can
// have with them.
const (
	reasonObject = "receiver type unknown"
	reasonMany   = "too many candidates"
)

// A finding is what one file refers to.
type finding struct {
	edges      []graph.Edge
	unresolved []graph.Unresolved
	counts     graph.Counts
}

// A sighting is one site of an edge.
type sighting struct {
	edgeKey
	line int32
}

// A reader reads the references of one file.
type reader struct {
	*syntax
	*sheet
	finding
	again   bool              // another platform has linked this file before
	passing map[int32][]int32 // by expression: the embedded fields that it passes through
	seen    []sighting
}

// read turns the references of a file into edges.
func (s *syntax) read(f *sheet) finding {
	r := &reader{syntax: s, sheet: f, passing: map[int32][]int32{}, again: s.platforms[f.path] != nil}
	r.seen = make([]sighting, 0, len(f.in.Facts.Refs))
	r.readImports()
	refs := f.in.Facts.Refs
	for i := range refs {
		switch ref := &refs[i]; ref.Kind {
		case graph.EdgeCall:
			r.call(ref)
		case graph.EdgeInherit:
			if t := s.resolve(f, ref.Expr); t.kind == symbolic && isType(s.kindOf(t.at)) {
				r.edge(ref, t.at, graph.EdgeInherit, graph.TierExact)
			}
		default:
			r.reference(ref)
		}
	}
	r.join()
	return r.finding
}

func (r *reader) readImports() {
	for i := range r.in.Facts.Imports {
		imp := &r.in.Facts.Imports[i]
		src := r.unit.imports[imp.Module]
		switch {
		case src.unit != nil:
			if to, ok := r.packages[src.unit.dir]; ok {
				r.seen = append(r.seen, sighting{edgeKey{r.symbol(), to, graph.EdgeImport, graph.TierExact}, imp.Line})
			}
		case src.missing != "":
			r.unresolved = append(r.unresolved, r.missing(r.file, imp.Module, src.missing, imp.Line))
		}
	}
}

// join makes one edge of all its sites.
func (r *reader) join() {
	slices.SortFunc(r.seen, func(a, b sighting) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.kind, b.kind), cmp.Compare(a.tier, b.tier), cmp.Compare(a.line, b.line))
	})
	lines := make([]int32, 0, len(r.seen)) // of all edges
	distinct := 0
	for i := range r.seen {
		if i == 0 || r.seen[i].edgeKey != r.seen[i-1].edgeKey {
			distinct++
		}
	}
	r.edges = make([]graph.Edge, 0, distinct)
	for i := 0; i < len(r.seen); {
		k, first := r.seen[i].edgeKey, len(lines)
		for ; i < len(r.seen) && r.seen[i].edgeKey == k; i++ {
			if n := len(lines); n == first || lines[n-1] != r.seen[i].line {
				lines = append(lines, r.seen[i].line)
			}
		}
		r.edges = append(r.edges, graph.Edge{From: k.from, To: k.to, Kind: k.kind, Tier: k.tier, Lines: lines[first:len(lines):len(lines)]})
	}
	r.seen = nil
}

func (r *reader) count(as graph.Tier) { site{again: r.again}.count(&r.counts, as) }

// lack notes a reference without a target.
func (r *reader) lack(from, line int32, kind graph.EdgeKind, name, in string, broken bool, reason string) {
	r.unresolved = append(r.unresolved, graph.Unresolved{From: from, Line: line, Kind: kind, Name: name, In: in, Broken: broken, Reason: reason})
}

// edge notes an edge of a reference, unless it would lead to a test from outside that
// test: the go command does not build such a program.
func (r *reader) edge(ref *graph.Ref, to int32, kind graph.EdgeKind, tier graph.Tier) {
	from := r.in.Symbols + ref.From
	switch {
	case r.testOnly[to] && !(r.test && r.dirOf(to) == r.dir):
		r.lack(from, ref.Line, kind, r.syntax.in.Symbols[to].Name, r.dirOf(to), true, reasonTestOnly)
	case from != to || kind != graph.EdgeReference:
		r.seen = append(r.seen, sighting{edgeKey{from, to, kind, tier}, ref.Line})
	}
}

// reference reads a name that is not called.
func (r *reader) reference(ref *graph.Ref) {
	if ref.Args != graph.None && r.isList(r.resolve(r.sheet, r.in.Facts.Exprs[ref.Expr].Base)) {
		ref = &graph.Ref{Kind: ref.Kind, Expr: ref.Args, From: ref.From, Line: ref.Line, Args: graph.None}
	}
	switch t := r.resolve(r.sheet, ref.Expr); t.kind {
	case symbolic:
		r.edge(ref, t.at, graph.EdgeReference, graph.TierExact)
		r.passed(ref)
	case undefined:
		r.undefined(ref, t, graph.EdgeReference)
	}
}

// isList reports whether the keys of a composite literal are values: it is one of a
// list or map.
func (r *reader) isList(t thing) bool {
	_, x := r.expr(r.underlying(t))
	return x != nil && (x.Kind == graph.ExprList || x.Kind == graph.ExprDict)
}

// call reads a call and counts it. Conversions and functions of the language are none.
func (r *reader) call(ref *graph.Ref) {
	if ref.Expr == graph.None {
		r.unknown(ref, ref.Name, reasonFuncValue)
		return
	}
	r.passed(ref)
	x := &r.in.Facts.Exprs[ref.Expr]
	t := r.resolve(r.sheet, ref.Expr)
	if k := x.Kind; (k == graph.ExprIndex || k == graph.ExprElement) && t.kind != symbolic { // an element, no instance of a function
		r.reference(&graph.Ref{Kind: ref.Kind, Expr: x.Base, From: ref.From, Line: ref.Line, Args: graph.None})
	}
	switch t.kind {
	case symbolic:
		r.callSymbol(ref, t.at, x.Kind == graph.ExprTypeOf)
	case beyond:
		r.count(countExternal)
	case composite:
		if _, fn := r.expr(t); fn.Kind == graph.ExprFunctionType {
			r.unknown(ref, ref.Name, reasonFuncValue)
		}
	case undefined:
		r.count(countUnresolved)
		r.undefined(ref, t, graph.EdgeCall)
	case unknown:
		if x.Kind == graph.ExprMember {
			r.callByName(ref, x.Name)
			return
		}
		r.unknown(ref, cmp.Or(ref.Name, x.Name), reasonFuncValue)
	}
}

func (r *reader) unknown(ref *graph.Ref, name, reason string) {
	r.count(countUnresolved)
	r.lack(r.in.Symbols+ref.From, ref.Line, graph.EdgeCall, name, "", false, reason)
}

// callSymbol reads a call of a known symbol; held says that a variable of the function
// had it as its first value.
func (r *reader) callSymbol(ref *graph.Ref, to int32, held bool) {
	switch k := r.kindOf(to); {
	case k == graph.KindMethod && r.isAbstract(to):
		r.edge(ref, to, graph.EdgeReference, graph.TierExact)
		r.dispatch(ref, to)
	case held && k.Callable():
		r.edge(ref, to, graph.EdgeDispatch, graph.TierDispatch)
		r.count(graph.TierDispatch)
	case k.Callable() || k == graph.KindLiteral:
		r.edge(ref, to, graph.EdgeCall, graph.TierExact)
		r.count(graph.TierExact)
		r.fits(ref, to)
	case isType(k) && !isValue(r.sheet, ref.Expr): // a conversion
		r.edge(ref, to, graph.EdgeReference, graph.TierExact)
	case isType(k):
		r.unknown(ref, ref.Name, reasonFuncValue)
	default:
		r.edge(ref, to, graph.EdgeReference, graph.TierExact)
		if r.underlying(thing{kind: symbolic, at: to}).kind == beyond {
			r.count(countExternal)
			return
		}
		r.unknown(ref, r.syntax.in.Symbols[to].Name, reasonFuncValue)
	}
}

// passed refers to the embedded fields that a selector passes through.
func (r *reader) passed(ref *graph.Ref) {
	x := &r.in.Facts.Exprs[ref.Expr]
	if x.Kind != graph.ExprMember || x.Base == graph.None {
		return
	}
	fields, known := r.passing[ref.Expr]
	if !known {
		fields = r.between(r.typeSymbol(r.resolve(r.sheet, x.Base)), x.Name)
		r.passing[ref.Expr] = fields
	}
	for _, f := range fields {
		r.edge(ref, f, graph.EdgeReference, graph.TierExact)
	}
}

// between lists the fields through which a type has a member that it embeds.
func (r *reader) between(of thing, name string) (fields []int32) {
	if of.kind != symbolic || !isType(r.kindOf(of.at)) || r.own(of.at, name) != graph.None {
		return nil
	}
	_, through := r.search(of.at, name)
	for i := 1; i < len(through); i++ {
		inner := r.syntax.in.Symbols[through[i-1]].Name
		if f := r.own(through[i], inner); f != graph.None && r.kindOf(f) == graph.KindField {
			fields = append(fields, f)
		}
	}
	return fields
}

// isAbstract reports whether a method is one of an interface.
func (r *reader) isAbstract(method int32) bool { return r.fact(method).Container == "" }

// dispatch leads the call of an interface's method to those that read like it.
func (r *reader) dispatch(ref *graph.Ref, method int32) {
	n := 0
	for _, to := range r.reached(method) {
		if !r.testOnly[to] || r.test && r.dirOf(to) == r.dir {
			r.edge(ref, to, graph.EdgeDispatch, graph.TierName)
			n++
		}
	}
	if n == 0 {
		r.count(graph.TierExact) // the interface is known; nothing in the tree implements it
		return
	}
	r.count(graph.TierName)
}

// callByName leads a call of a member of something unknown to the methods of that
// name.
func (r *reader) callByName(ref *graph.Ref, name string) {
	found, many := r.byName(r.sheet, name, r.arguments(ref))
	switch {
	case many:
		r.unknown(ref, name, reasonMany)
	case len(found) == 0:
		r.unknown(ref, name, reasonObject)
	default:
		for _, to := range found {
			r.edge(ref, to, graph.EdgeCall, graph.TierName)
		}
		r.count(graph.TierName)
	}
}

// arguments is the number of the arguments of a call, -1 if it is not known.
func (r *reader) arguments(ref *graph.Ref) int {
	if ref.Args == graph.None {
		return -1
	}
	x := &r.in.Facts.Exprs[ref.Args]
	n, err := strconv.Atoi(x.Name)
	if err != nil {
		return -1
	}
	return n
}

// fits reports a call with another number of arguments than the function takes.
func (r *reader) fits(ref *graph.Ref, to int32) {
	n := r.arguments(ref)
	k := r.kindOf(to)
	if n < 0 || k == graph.KindLiteral || k == graph.KindMethod && r.in.Facts.Exprs[ref.Args].Kind != graph.ExprNumber || takes(r.fact(to), n) {
		return
	}
	sym := &r.syntax.in.Symbols[to]
	r.lack(r.in.Symbols+ref.From, ref.Line, graph.EdgeCall, sym.Name, string(sym.ID), true, reasonFit)
}

// undefined notes a name that a package or type lacks.
func (r *reader) undefined(ref *graph.Ref, t thing, kind graph.EdgeKind) {
	x := &r.in.Facts.Exprs[ref.Expr]
	from := r.in.Symbols + ref.From
	if x.Kind == graph.ExprMember && r.resolve(r.sheet, x.Base).kind != imports {
		typ := &r.syntax.in.Symbols[t.at]
		broken, reason := r.absent(dirOf(typ.Path), r.sheetAt(t.at).pkgName, x.Name, typ.Name, reasonMember)
		r.lack(from, ref.Line, kind, x.Name, string(typ.ID), broken, reason)
		return
	}
	if x.Kind != graph.ExprName && x.Kind != graph.ExprMember {
		return // said where the name stands
	}
	u := r.units[t.at]
	broken, reason := r.absent(u.dir, u.name, x.Name, "", reasonUndefined)
	r.lack(from, ref.Line, kind, x.Name, u.dir, broken, reason)
}
