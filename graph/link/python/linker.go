package python

import (
	"maps"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// A fileResult is what linking one file gives.
type fileResult struct {
	edges      []graph.Edge
	unresolved []graph.Unresolved
	counts     graph.Counts
	dynamic    int
	handed     []handed
	decorated  []decorated
	waiting    []waiting
}

// A linker resolves the references of one file.
type linker struct {
	p    *project
	r    *reader
	file int32
	f    *file
	auto []place // see automatic; nil until asked
	// literal is the lambda around what is linked, a symbol of the input, or
	// graph.None: it has the edges, too.
	literal int32
	out     fileResult
}

func linkFile(p *project, i int32) fileResult {
	l := &linker{p: p, r: newReader(p), file: i, f: p.files[i], literal: graph.None}
	for j := range l.f.Facts.Imports {
		l.importEdges(int32(j))
	}
	for j := range l.f.Facts.Refs {
		ref := &l.f.Facts.Refs[j]
		l.enter(ref.Expr)
		switch {
		case ref.Kind == graph.EdgeCall || l.decorates(ref):
			l.call(ref)
		case ref.Kind == graph.EdgeInherit:
			l.inherit(ref)
		default:
			l.read(ref)
		}
	}
	l.enter(graph.None)
	l.starReexportEdges()
	l.implicitCalls()
	l.enter(graph.None)
	l.decorate()
	l.fixtureEdges()
	return l.out
}

// decorates reports whether a use is a decorator written without arguments, which
// is called with the definition below it.
func (l *linker) decorates(ref *graph.Ref) bool {
	return ref.Expr != graph.None && slices.Contains(l.f.Facts.Symbols[ref.From].Decorators, ref.Expr)
}

// edge leads from a symbol of the file.
func (l *linker) edge(from int32, to place, kind graph.EdgeKind, tier graph.Tier, line int32) {
	l.join(l.f.Symbols+from, l.p.index(to), kind, tier, line)
}

// join leads from and to symbols of the input and output.
func (l *linker) join(from, to int32, kind graph.EdgeKind, tier graph.Tier, line int32) {
	e := graph.Edge{From: from, To: to, Kind: kind, Tier: max(tier, graph.TierExact), Lines: []int32{line}}
	l.out.edges = append(l.out.edges, e)
	if l.literal != graph.None && l.literal != to {
		e.From = l.literal
		l.out.edges = append(l.out.edges, e)
	}
}

func (l *linker) unresolve(ref *graph.Ref, a absence, broken bool) {
	name := a.name
	if name == "" {
		name = ref.Name
	}
	l.out.unresolved = append(l.out.unresolved, graph.Unresolved{
		From: l.f.Symbols + ref.From, Line: ref.Line, Kind: ref.Kind, Name: name, In: a.in, Broken: broken, Reason: a.reason,
	})
}

// importEdges leads to the module and to the name that an import takes. A name
// that is passed on is taken by its re-export.
func (l *linker) importEdges(index int32) {
	imp := &l.f.Facts.Imports[index]
	res := &l.p.imports[l.file][index]
	for _, m := range res.modules {
		if m.file >= 0 && m.file != l.file {
			l.edge(imp.From, place{m.file, 0}, graph.EdgeImport, res.tier, imp.Line)
		}
	}
	if res.outside || imp.Name == "*" && len(res.modules) > 0 || imp.Name == "" && len(res.modules) > 0 {
		return
	}
	from := l.f.Symbols + imp.From
	if x := l.p.passed[l.file][index]; x != nil {
		from = x.symbol
	}
	for _, x := range l.p.through(res.modules, imp.Name) {
		l.join(from, x.symbol, graph.EdgeImport, res.tier, imp.Line)
	}
	found := l.r.imported(l.file, index)
	if l.f.stub() {
		found.absent = nil
	}
	for i := range found.defs {
		d := &found.defs[i]
		tier := max(d.tier, res.tier)
		switch {
		case d.symbol != nowhere:
			l.join(from, l.p.index(d.symbol), graph.EdgeImport, tier, imp.Line)
		case d.mod.file >= 0 && d.isModule() && d.mod.file != l.file:
			l.join(from, l.p.files[d.mod.file].Symbols, graph.EdgeImport, tier, imp.Line)
		}
	}
	l.importAbsence(imp, from, &found)
}

func (l *linker) importAbsence(imp *graph.Import, from int32, found *finding) {
	u := graph.Unresolved{From: from, Line: imp.Line, Kind: graph.EdgeImport, Name: imp.Name}
	if u.Name == "" || u.Name == "*" {
		u.Name = imp.Module
	}
	switch {
	case found.absent != nil:
		a := *found.absent
		if a.name != "" && a.name != "*" {
			u.Name = a.name
		}
		u.In, u.Broken, u.Reason = a.in, true, a.reason
		l.out.unresolved = append(l.out.unresolved, u)
		if a.module != "" {
			// The import looked for a submodule, too: both places lack the name.
			u.In = a.module
			l.out.unresolved = append(l.out.unresolved, u)
		}
	case len(found.defs) == 0 && !found.outside:
		u.Reason = "import not found"
		l.out.unresolved = append(l.out.unresolved, u)
	}
}

// starReexportEdges lead from the names that a star import passes on to what
// they are.
func (l *linker) starReexportEdges() {
	for _, name := range slices.Sorted(maps.Keys(l.p.reexports[l.file])) {
		x := l.p.reexports[l.file][name]
		imp := &l.f.Facts.Imports[x.imp]
		if imp.Name != "*" {
			continue
		}
		found := l.r.fileMember(l.file, name)
		for i := range found.defs {
			if d := &found.defs[i]; d.symbol != nowhere {
				l.join(x.symbol, l.p.index(d.symbol), graph.EdgeImport, d.tier, imp.Line)
			}
		}
	}
}

// throughEdges lead from a use of package.name to the package's re-export.
func (l *linker) throughEdges(ref *graph.Ref, e *graph.Expr) {
	if e.Kind != graph.ExprMember || e.Base == graph.None {
		return
	}
	for _, v := range l.r.eval(place{l.file, e.Base}) {
		if v.kind != moduleValue {
			continue
		}
		for _, x := range l.p.through([]module{v.mod}, e.Name) {
			l.join(l.f.Symbols+ref.From, x.symbol, graph.EdgeReference, v.tier, ref.Line)
		}
	}
}

// find looks up what an expression names.
func (l *linker) find(ref *graph.Ref, e *graph.Expr) finding {
	found := l.look(e)
	l.throughEdges(ref, e)
	if found.absent != nil && (l.f.stub() || l.f.uncertain(e) || l.f.narrows(e, "skip")) {
		// Stubs may name what only other stubs declare.
		found.absent, found.open = nil, true
	}
	return found
}

// uncertain reports whether a use stands where a missing name does no certain
// harm: the extractor narrows "?" there.
func (f *file) uncertain(e *graph.Expr) bool { return f.narrows(e, "?") }

// narrows reports whether a scope around e narrows a name before it.
func (f *file) narrows(e *graph.Expr, name string) bool {
	for s := e.Scope; s != graph.None; s = f.Facts.Scopes[s].Parent {
		for _, i := range f.narrow[scopedName{s, name}] {
			if f.Facts.Bindings[i].At < e.Start {
				return true
			}
		}
	}
	return false
}

func (l *linker) look(e *graph.Expr) finding {
	switch e.Kind {
	case graph.ExprName:
		found := l.r.lookupAt(l.file, e.Scope, e.Name, e.Start)
		if len(found.defs) == 0 && !found.outside && !found.open && found.absent == nil && l.undefined(e) {
			found.absent = &absence{name: e.Name, in: l.f.Path, reason: "undefined name"}
		}
		return found
	case graph.ExprMember:
		if e.Base == graph.None {
			return finding{open: true}
		}
		return l.r.member(l.r.eval(place{l.file, e.Base}), e.Name)
	}
	return finding{open: true}
}

// undefined reports whether a name that no scope binds is certainly not
// defined: the file's namespace is known whole, and it is Python source that
// others import rather than a script for a tool that adds names.
func (l *linker) undefined(e *graph.Expr) bool {
	return strings.HasSuffix(l.f.Path, ".py") && l.p.closed(l.file) && !strings.HasPrefix(e.Name, "__") && !injectedNames[e.Name]
}

// made reports whether the file itself assigns the dotted path that an
// expression reads or writes.
func (l *linker) made(e *graph.Expr) bool {
	if e.Kind != graph.ExprMember {
		return false
	}
	path := l.f.dotted(e)
	for s := e.Scope; s != graph.None; s = l.f.Facts.Scopes[s].Parent {
		if len(l.f.names[scopedName{s, path}]) > 0 {
			return true
		}
	}
	return false
}

// read links a use that is no call.
func (l *linker) read(ref *graph.Ref) {
	if ref.Expr == graph.None {
		return
	}
	found := l.find(ref, &l.f.Facts.Exprs[ref.Expr])
	for i := range found.defs {
		d := &found.defs[i]
		l.descriptor(ref, d)
		if d.symbol == nowhere || d.symbol == (place{l.file, ref.From}) {
			continue
		}
		kind, to := graph.EdgeReference, d.symbol
		if l.p.symbol(to).Kind == graph.KindProperty && l.f.Facts.Exprs[ref.Expr].Kind == graph.ExprMember {
			kind = graph.EdgeCall
			l.dispatch(ref, d)
			to = l.setterOf(&l.f.Facts.Exprs[ref.Expr], to)
		} else if ref.From == 0 && ref.Name == "__all__" && to.file == l.file {
			continue // what the list lets out are symbols of their own
		}
		l.edge(ref.From, to, kind, l.tierOf(d, &found), ref.Line)
	}
	e := &l.f.Facts.Exprs[ref.Expr]
	if len(found.defs) == 0 && found.open {
		l.readOfParameter(ref, e)
	}
	switch {
	case len(found.defs) > 0 || found.outside || l.made(e):
	case found.absent != nil:
		l.unresolve(ref, *found.absent, true)
	case l.lacks(e) != "":
		l.unresolve(ref, absence{in: l.lacks(e), reason: reasonMember}, false)
	case found.open && l.ofModule(e):
		l.unresolve(ref, absence{reason: "value of the name unknown"}, false)
	}
}

// readOfParameter makes the read of a member of a parameter wait for what is
// passed: it may be a property.
func (l *linker) readOfParameter(ref *graph.Ref, e *graph.Expr) {
	if e.Kind != graph.ExprMember || e.Base == graph.None || len(l.p.methods[e.Name]) == 0 {
		return
	}
	for _, v := range l.r.eval(place{l.file, e.Base}) {
		if v.kind == unknownValue && v.param.position > 0 {
			l.out.waiting = append(l.out.waiting, waiting{from: l.f.Symbols + ref.From, literal: l.literal, line: ref.Line, name: e.Name,
				member: e.Name, passed: []parameter{v.param}, silent: true, property: true})
		}
	}
}

// setterOf is the setter of a property where an expression assigns to it, else
// the getter itself.
func (l *linker) setterOf(e *graph.Expr, getter place) place {
	if !l.stored(e) {
		return getter
	}
	facts := l.p.facts(getter)
	for i := range facts.Symbols {
		s, g := &facts.Symbols[i], &facts.Symbols[getter.at]
		if s.Parent == g.Parent && s.Name == g.Name && s.Discriminator == "setter" {
			return place{getter.file, int32(i)}
		}
	}
	return getter
}

// stored reports whether a member is assigned to where it stands.
func (l *linker) stored(e *graph.Expr) bool {
	if path := l.f.dotted(e); path != "" && l.f.assigns(e, path, e.Start) {
		return true
	}
	for s := e.Scope; s != graph.None; s = l.f.Facts.Scopes[s].Parent {
		for _, i := range l.f.attributes[scopedName{s, e.Name}] {
			if l.f.Facts.Bindings[i].At == e.End-int32(len(e.Name)) {
				return true
			}
		}
	}
	return false
}

// lacks is the class of the tree on whose instance, or on which itself, a member
// was looked up in vain; "" if the object may be anything else.
func (l *linker) lacks(e *graph.Expr) string {
	if e.Kind != graph.ExprMember || e.Base == graph.None || strings.HasPrefix(e.Name, "__") {
		return ""
	}
	base := l.r.eval(place{l.file, e.Base})
	if len(base) != 1 || base[0].kind != instanceValue && base[0].kind != classValue {
		return ""
	}
	return string(l.p.in.Symbols[l.p.index(base[0].at)].ID)
}

// ofModule reports whether an expression is a name or a member of a module of
// the tree. Members of objects that are not known are too many to list.
func (l *linker) ofModule(e *graph.Expr) bool {
	if e.Kind == graph.ExprName {
		return true
	}
	base := l.r.eval(place{l.file, e.Base})
	return len(base) == 1 && base[0].kind == moduleValue
}

// tierOf weakens the tier if a name has several definitions.
func (l *linker) tierOf(d *definition, found *finding) graph.Tier {
	if len(found.defs) > 1 || found.outside || found.open {
		return max(d.tier, graph.TierDispatch)
	}
	return d.tier
}

// inherit links a base class.
func (l *linker) inherit(ref *graph.Ref) {
	e := &l.f.Facts.Exprs[ref.Expr]
	for e.Kind == graph.ExprIndex && e.Base != graph.None {
		e = &l.f.Facts.Exprs[e.Base]
	}
	found := l.find(ref, e)
	for i := range found.defs {
		d := &found.defs[i]
		if d.symbol != nowhere && isClass(l.p.symbol(d.symbol).Kind) {
			l.edge(ref.From, d.symbol, graph.EdgeInherit, l.tierOf(d, &found), ref.Line)
			continue
		}
		if d.symbol != nowhere {
			l.edge(ref.From, d.symbol, graph.EdgeReference, l.tierOf(d, &found), ref.Line)
		}
		for _, v := range l.r.definition(d) {
			if v.kind == classValue {
				l.edge(ref.From, v.at, graph.EdgeInherit, max(v.tier, l.tierOf(d, &found)), ref.Line)
			}
		}
	}
	if len(found.defs) == 0 && found.absent != nil {
		l.unresolve(ref, *found.absent, true)
	}
}

// dispatch leads to the definitions in subclasses that a call on an object may
// reach instead.
func (l *linker) dispatch(ref *graph.Ref, d *definition) {
	if d.self == nil || d.self.precise || d.self.kind != instanceValue && d.self.kind != classValue {
		return
	}
	if d.self.kind == classValue && d.self.self == nil && !l.isReceiver(ref) {
		return
	}
	for _, to := range l.p.overriding(d.self.at, l.p.symbol(d.symbol).Name) {
		l.edge(ref.From, to, graph.EdgeDispatch, graph.TierDispatch, ref.Line)
	}
}

// isReceiver reports whether a call goes through cls, which may be a subclass,
// rather than through the name of a class.
func (l *linker) isReceiver(ref *graph.Ref) bool {
	e := &l.f.Facts.Exprs[ref.Expr]
	if e.Kind != graph.ExprMember || e.Base == graph.None {
		return false
	}
	base := &l.f.Facts.Exprs[e.Base]
	for s := ref.From; s > 0; s = l.f.Facts.Symbols[s].Parent {
		if p := l.f.Facts.Symbols[s].Params; len(p) > 0 && p[0].Kind == graph.ParamReceiver {
			return base.Kind == graph.ExprName && base.Name == p[0].Name
		}
	}
	return false
}
