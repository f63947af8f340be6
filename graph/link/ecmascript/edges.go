package ecmascript

import (
	"cmp"
	"slices"

	"github.com/previdence/previdence/graph"
)

// The reasons why a reference is unresolved.
const (
	reasonNoFile     = "no such file"
	reasonNoExport   = "no such export"
	reasonFree       = "no such name in the file"
	reasonUnknown    = "module not followed"
	reasonReceiver   = "receiver type unknown"
	reasonMember     = "no such member"
	reasonValue      = "function value unknown"
	reasonCandidates = "too many candidates"
	reasonDynamic    = "computed callee"
	reasonArguments  = "call does not fit the signature"
	reasonType       = "function does not fit its declared type"
	reasonPassed     = "function does not fit where it is passed on"
	reasonOverride   = "method does not fit the one that it replaces"
)

// maxCandidates bounds how many targets a name alone may have.
const maxCandidates = 8

// A fileLinker resolves the references of one file.
type fileLinker struct {
	p                *program
	f                *file
	v                *eval
	bases            []heir
	objects          []declared
	edges            []graph.Edge
	unresolved       []graph.Unresolved
	counts           graph.Counts
	uncertainModules int
	foreign          map[int32]bool // owners of members that code outside may call, once asked
	reach            []bool         // files imported directly or indirectly; nil until asked for
}

// A heir is a class or interface with one base, as indexes into Input.Symbols.
type heir struct{ of, base int32 }

// declared is an object literal written where an interface is declared.
type declared struct {
	base int32 // the interface, as an index into Input.Symbols
	of   literal
}

// A target is a symbol that a reference may lead to.
type target struct {
	file, sym int32
	tier      graph.Tier
}

// An outcome says what became of a reference that has no target.
type outcome struct {
	external bool
	inside   bool // it leads to code without a symbol of its own
	reason   string
	name     string // what was looked up, if it is not the reference's name
	in       string // where it was looked up in vain, if that is known
	broken   bool
}

// symbol is the index of a target in Input.Symbols.
func (p *program) symbol(t target) int32 { return p.files[t.file].Symbols + t.sym }

func (p *program) fact(t target) *graph.SymbolFact { return &p.files[t.file].f.Symbols[t.sym] }

func (l *fileLinker) add(from, to int32, kind graph.EdgeKind, tier graph.Tier, line int32) {
	l.edges = append(l.edges, graph.Edge{From: from, To: to, Kind: kind, Tier: tier, Lines: []int32{line}})
}

// inherit finds the bases of the classes and interfaces of the file, and the
// objects that stand for interfaces.
func (l *fileLinker) inherit() {
	l.declaredObjects()
	for i := range l.f.f.Symbols {
		if len(l.f.f.Symbols[i].Bases) == 0 {
			continue
		}
		l.v.begin()
		for _, b := range l.v.bases(l.f, int32(i), 0) {
			if b.kind == valInstance {
				l.bases = append(l.bases, heir{l.f.Symbols + int32(i), l.p.files[b.file].Symbols + b.i})
			}
		}
	}
}

// declaredObjects finds const x: I = {…} and function f(): I { return {…} }.
func (l *fileLinker) declaredObjects() {
	for i := range l.f.f.Bindings {
		b := &l.f.f.Bindings[i]
		l.declaredObject(b.Type, b.Value)
	}
	for i := range l.f.f.Symbols {
		for _, r := range l.f.f.Symbols[i].Returns {
			l.declaredObject(l.f.f.Symbols[i].Result, r)
		}
	}
}

func (l *fileLinker) declaredObject(typ, value int32) {
	if typ == graph.None || value == graph.None || l.f.f.Exprs[value].Kind != graph.ExprObject {
		return
	}
	l.v.begin()
	for _, t := range l.v.typ(l.f, typ, 0) {
		if t.kind == valInstance {
			l.objects = append(l.objects, declared{l.p.files[t.file].Symbols + t.i, literal{l.f.index, value}})
		}
	}
}

func (p *program) addObjects(all []declared) {
	for _, d := range all {
		p.objects[d.base] = append(p.objects[d.base], d.of)
	}
}

// literalMembers are the definitions of this name in object literals that
// declare to be of this interface.
func (p *program) literalMembers(base int32, name string) []int32 {
	var out []int32
	for _, o := range p.objects[base] {
		f := p.files[o.file]
		for _, a := range f.f.Exprs[o.expr].Args {
			if k := &f.f.Exprs[a]; k.Kind == graph.ExprKeyword && k.Name == name {
				out = append(out, p.keywordDefinitions(f, k)...)
			}
		}
	}
	return out
}

// keywordDefinitions is the function that a member of an object literal is:
// written there, or defined in the same file and named there.
func (p *program) keywordDefinitions(f *file, k *graph.Expr) []int32 {
	if k.Symbol != graph.None {
		return []int32{f.Symbols + k.Symbol}
	}
	if k.Base == graph.None || f.f.Exprs[k.Base].Kind != graph.ExprName {
		return nil
	}
	e := &f.f.Exprs[k.Base]
	var out []int32
	found, _ := f.lookup(e.Scope, e.Name, values)
	for _, b := range found {
		if s := f.f.Bindings[b].Symbol; s != graph.None && f.f.Symbols[s].Kind == graph.KindFunction {
			out = append(out, f.Symbols+s)
		}
	}
	return out
}

func (p *program) addHeirs(hs []heir) {
	for _, h := range hs {
		if h.of != h.base && !slices.Contains(p.parents[h.of], h.base) {
			p.heirs[h.base] = append(p.heirs[h.base], h.of)
			p.parents[h.of] = append(p.parents[h.of], h.base)
		}
	}
}

// link resolves everything in the file.
func (l *fileLinker) link() {
	for i := range l.f.f.Imports {
		l.importEdges(int32(i))
	}
	for i := range l.f.f.Refs {
		l.v.begin()
		r := &l.f.f.Refs[i]
		switch r.Kind {
		case graph.EdgeCall:
			l.call(r)
		case graph.EdgeInherit:
			l.inheritEdge(r)
		default:
			l.reference(r)
		}
	}
	l.memberEdges()
	l.givenEdges()
	l.misfits()
}

// importEdges writes the edges of one import: to the module, to the named
// definition, and to the re-exports on the way.
func (l *fileLinker) importEdges(i int32) {
	x, m := &l.f.f.Imports[i], l.f.modules[i]
	from, self := l.f.Symbols+x.From, l.f.Symbols
	if x.Dynamic {
		self = from
	}
	switch m.state {
	case moduleExternal, moduleOther:
		return
	case moduleUnknown:
		l.uncertainModules++
		return
	case moduleMissing:
		in := m.in
		if m.sure && in == "" {
			in = "." // the root of the tree, not an unknown place
		}
		l.unresolved = append(l.unresolved, graph.Unresolved{From: from, Line: x.Line, Kind: graph.EdgeImport, Name: x.Module,
			In: in, Broken: m.sure && !x.Guarded, Reason: reasonNoFile})
		return
	}
	if to := l.p.files[m.file].Symbols; to != self {
		l.add(self, to, graph.EdgeImport, m.tier, x.Line)
	}
	if script, ok := l.p.scripts[m.file]; ok && script != l.f.index {
		l.add(self, l.p.files[script].Symbols, graph.EdgeImport, graph.TierImport, x.Line)
	}
	if x.Name == "" || x.Name == "*" || x.Name == "=" {
		if from != self && l.f.f.Symbols[x.From].Kind == graph.KindReexport {
			l.add(from, l.p.files[m.file].Symbols, graph.EdgeImport, m.tier, x.Line)
		}
		return
	}
	value := l.p.imported(l.f, i, values, map[visit]bool{})
	typ := l.p.imported(l.f, i, types, map[visit]bool{})
	if value.state != exportFound && typ.state != exportFound {
		l.missingImport(x, value, from)
		return
	}
	seen := map[int32]bool{}
	for _, r := range []lookupResult{value, typ} {
		for _, d := range r.defs {
			if d.kind != defSymbol {
				continue
			}
			if to := l.p.files[d.file].Symbols + d.i; !seen[to] && to != from {
				seen[to] = true
				l.add(from, to, graph.EdgeImport, d.tier, x.Line)
			}
		}
		for _, to := range r.via {
			if !seen[to] && to != from {
				seen[to] = true
				l.add(from, to, graph.EdgeImport, graph.TierExact, x.Line)
			}
		}
	}
}

// missingImport notes an import of a name that its module lacks.
func (l *fileLinker) missingImport(x *graph.Import, r lookupResult, from int32) {
	if r.state != exportMissing {
		return
	}
	l.unresolved = append(l.unresolved, graph.Unresolved{From: from, Line: x.Line, Kind: graph.EdgeImport, Name: x.Name,
		In: r.in, Broken: r.broken, Reason: reasonNoExport})
}

// reference writes the edges of a read.
func (l *fileLinker) reference(r *graph.Ref) {
	targets, why := l.resolve(r.Expr)
	if len(targets) == 0 {
		if why.broken || why.reason == reasonFree || why.in != "" && !why.external {
			l.miss(r, why)
		}
		return
	}
	l.write(r, graph.EdgeReference, targets)
}

// write writes one edge per target; more than one are possible targets.
func (l *fileLinker) write(r *graph.Ref, kind graph.EdgeKind, targets []target) {
	from := l.f.Symbols + r.From
	for _, t := range targets {
		if to := l.p.symbol(t); to != from {
			l.add(from, to, kind, t.tier, r.Line)
		}
		if runs, ok := l.p.behindOf(t); ok && l.p.symbol(runs) != from {
			l.add(from, l.p.symbol(runs), kind, runs.tier, r.Line)
		}
	}
}

// miss notes a reference without target.
func (l *fileLinker) miss(r *graph.Ref, why outcome) {
	name := r.Name
	if why.name != "" {
		name = why.name
	}
	l.unresolved = append(l.unresolved, graph.Unresolved{From: l.f.Symbols + r.From, Line: r.Line, Kind: r.Kind, Name: name,
		In: why.in, Broken: why.broken, Reason: why.reason})
}

func (l *fileLinker) inheritEdge(r *graph.Ref) {
	targets, why := l.resolve(r.Expr)
	for _, t := range targets {
		switch s := l.p.fact(t); s.Kind {
		case graph.KindClass, graph.KindInterface, graph.KindType, graph.KindFunction:
			if to := l.p.symbol(t); to != l.f.Symbols+r.From {
				l.add(l.f.Symbols+r.From, to, graph.EdgeInherit, t.tier, r.Line)
			}
		default:
			l.write(r, graph.EdgeReference, []target{t})
		}
	}
	if len(targets) == 0 && (why.broken || why.reason == reasonFree) {
		l.miss(r, why)
	}
}

// memberEdges writes what follows from classes: overriding methods, and the
// constructor that a class brings along.
func (l *fileLinker) memberEdges() {
	for i := range l.f.f.Symbols {
		s := &l.f.f.Symbols[i]
		if s.Parent == graph.None {
			continue
		}
		self, class := l.f.Symbols+int32(i), l.f.Symbols+s.Parent
		if l.calledBack(s) {
			l.add(class, self, graph.EdgeReference, graph.TierDispatch, s.Line)
		}
		switch s.Kind {
		case graph.KindConstructor:
			l.add(class, self, graph.EdgeReference, graph.TierExact, s.Line)
		case graph.KindMethod, graph.KindProperty, graph.KindField:
			for _, to := range l.p.overridden(class, s.Name, s.Flags&graph.FlagStatic) {
				if to != self {
					l.add(self, to, graph.EdgeOverride, graph.TierExact, s.Line)
				}
			}
		}
	}
}

// calledBack reports whether code outside the tree may call a member: its class,
// or the object that it is written in, is declared to be of a type from there.
// Whoever hands such an object on reaches the member.
func (l *fileLinker) calledBack(s *graph.SymbolFact) bool {
	if s.Kind != graph.KindMethod && s.Kind != graph.KindProperty || s.Flags&(graph.FlagStatic|graph.FlagPrivate|graph.FlagOverload) != 0 {
		return false
	}
	known, ok := l.foreign[s.Parent]
	if !ok {
		l.v.begin()
		known = l.ofForeignType(s.Parent)
		l.foreign[s.Parent] = known
	}
	return known
}

func (l *fileLinker) ofForeignType(owner int32) bool {
	switch l.f.f.Symbols[owner].Kind {
	case graph.KindClass:
		return l.leaves(val{kind: valInstance, file: l.f.index, i: owner}, map[val]bool{})
	case graph.KindConstant, graph.KindVariable:
		for _, b := range l.f.bound[owner] {
			if t := l.f.f.Bindings[b].Type; t != graph.None {
				return slices.ContainsFunc(l.v.typ(l.f, t, 0), func(x val) bool { return x.kind == valExternal })
			}
		}
	}
	return false
}

// overridden are the nearest members of this name in the bases of a class.
func (p *program) overridden(class int32, name string, static graph.SymbolFlags) []int32 {
	var out []int32
	seen := map[int32]bool{class: true}
	for queue := slices.Clone(p.parents[class]); len(queue) > 0; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		found := p.ownMethods(queue[0], name, static)
		out = append(out, found...)
		if len(found) == 0 {
			queue = append(queue, p.parents[queue[0]]...)
		}
	}
	return out
}

// ownMethods are the members of this name that a class has itself.
func (p *program) ownMethods(class int32, name string, static graph.SymbolFlags) []int32 {
	f, sym := p.at(class)
	var out []int32
	for _, c := range f.children[sym][name] {
		m := &f.f.Symbols[c]
		if m.Flags&graph.FlagStatic != static || m.Flags&graph.FlagOverload != 0 {
			continue
		}
		switch m.Kind {
		case graph.KindMethod, graph.KindProperty, graph.KindField:
			out = append(out, f.Symbols+c)
		}
	}
	return out
}

// at finds the file and symbol of an index into Input.Symbols.
func (p *program) at(symbol int32) (*file, int32) {
	i, _ := slices.BinarySearchFunc(p.order, symbol, func(f *file, s int32) int {
		if f.Symbols+int32(len(f.f.Symbols)) <= s {
			return -1
		}
		if f.Symbols > s {
			return 1
		}
		return 0
	})
	return p.order[i], symbol - p.order[i].Symbols
}

// overriding are the members that override this one in the heirs of its class.
func (p *program) overriding(class int32, name string, static graph.SymbolFlags) []int32 {
	out := p.literalMembers(class, name)
	seen := map[int32]bool{class: true}
	for queue := slices.Clone(p.heirs[class]); len(queue) > 0; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		out = append(out, p.ownMethods(queue[0], name, static)...)
		out = append(out, p.literalMembers(queue[0], name)...)
		queue = append(queue, p.heirs[queue[0]]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// unique sorts targets and keeps the strongest of each.
func unique(targets []target) []target {
	slices.SortFunc(targets, func(a, b target) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.sym, b.sym), cmp.Compare(a.tier, b.tier))
	})
	return slices.CompactFunc(targets, func(a, b target) bool { return a.file == b.file && a.sym == b.sym })
}
