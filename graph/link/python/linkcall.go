package python

import (
	"strings"

	"github.com/previdence/previdence/graph"
)

// reasonMember is why a member of a class of the tree is unresolved, reasonObject why
// one of anything is.
const (
	reasonMember = "no such member found"
	reasonObject = "object unknown"
)

// maxNamed bounds the candidates of a member whose object is not known.
const maxNamed = 4

// A site collects what one call leads to.
type site struct {
	ref      *graph.Ref
	best     graph.Tier // strongest tier of an edge; 0 if there is none
	external bool
	open     bool
	reason   string
	passed   []parameter // parameters that the callee may be, or whose member it is
	member   string      // the member; "" if the callee is the parameter itself
	fallback []place     // what it leads to if nothing is passed
	args     []argument  // what the call hands over, once it is read
	read     bool
}

func (l *linker) call(ref *graph.Ref) {
	if ref.Expr == graph.None {
		l.out.counts.Unresolved++
		return
	}
	e := &l.f.Facts.Exprs[ref.Expr]
	s := &site{ref: ref}
	if ref.Name == "getfixturevalue" && ref.Args != graph.None {
		if fx, ok := l.r.fixtureAsked(l.file, &l.f.Facts.Exprs[ref.Args]); ok {
			l.hit(s, fx, graph.EdgeCall, graph.TierExact)
			l.count(s, nil)
			return
		}
	}
	if e.Kind != graph.ExprName && e.Kind != graph.ExprMember || e.Name == "__class__" {
		l.callValues(s, l.r.eval(place{l.file, ref.Expr}), graph.TierExact)
		l.count(s, nil)
		return
	}
	if l.containerCall(s, e) {
		l.count(s, nil)
		return
	}
	found := l.find(ref, e)
	for i := range found.defs {
		d := &found.defs[i]
		l.callDefinition(s, d, l.tierOf(d, &found))
	}
	s.external = s.external || found.outside
	if found.absent != nil && l.made(e) {
		found.absent, found.open = nil, true
	}
	s.open = s.open || found.open
	if len(found.defs) > 0 {
		s.reason = "value of the name unknown"
	}
	if len(found.defs) == 0 && found.outside && !found.open {
		l.noteDynamic(ref, e)
		l.calledBack(ref, e)
		l.ofHeirs(ref, e)
		l.calledByTest(ref)
	}
	if len(found.defs) == 1 && !found.open && !found.outside {
		l.checkFit(ref, &found.defs[0])
	}
	if s.best == 0 && s.open && e.Kind == graph.ExprMember {
		l.ofParameter(s, e)
		l.byName(s, e)
	}
	l.count(s, found.absent)
}

// containerCall recognises methods of lists, dicts and the like.
func (l *linker) containerCall(s *site, e *graph.Expr) bool {
	if e.Kind != graph.ExprMember || e.Base == graph.None {
		return false
	}
	base := l.r.eval(place{l.file, e.Base})
	for _, v := range base {
		if v.kind != listValue && v.kind != dictValue && v.kind != tupleValue {
			return false
		}
	}
	s.external = len(base) > 0
	return s.external
}

func (l *linker) hit(s *site, to place, kind graph.EdgeKind, tier graph.Tier) {
	tier = max(tier, graph.TierExact)
	l.edge(s.ref.From, to, kind, tier, s.ref.Line)
	if s.best == 0 || tier < s.best {
		s.best = tier
	}
}

// callDefinition links a call to one thing that its callee names.
func (l *linker) callDefinition(s *site, d *definition, tier graph.Tier) {
	if d.isModule() {
		s.open = true
		return
	}
	if d.symbol == nowhere {
		l.callValues(s, l.r.definition(d), tier)
		return
	}
	switch fact := l.p.symbol(d.symbol); {
	case isClass(fact.Kind):
		l.construct(s, d.symbol, tier)
	case fact.Kind == graph.KindFunction || fact.Kind == graph.KindMethod:
		l.hit(s, d.symbol, graph.EdgeCall, max(tier, l.r.decoratedTier(d.symbol)))
		l.dispatch(s.ref, d)
		l.pass(s, l.r.functionOf(d))
	case fact.Kind == graph.KindProperty:
		l.edge(s.ref.From, d.symbol, graph.EdgeCall, tier, s.ref.Line)
		l.callValues(s, l.r.definition(d), tier)
	default:
		if d.symbol != (place{l.file, s.ref.From}) {
			l.edge(s.ref.From, d.symbol, graph.EdgeReference, tier, s.ref.Line)
		}
		l.callValues(s, l.r.definition(d), max(tier, graph.TierDispatch))
	}
}

// constructors are the methods that calling a class runs.
var constructors = []string{"__new__", "__init__", "__post_init__"}

// construct links C(…) to the class and to the method that sets it up.
func (l *linker) construct(s *site, at place, tier graph.Tier) {
	l.hit(s, at, graph.EdgeCall, tier)
	self := &value{kind: instanceValue, at: at, precise: true}
	for _, name := range constructors {
		found := l.r.classMember(at, name, self, nowhere)
		for i := range found.defs {
			if d := &found.defs[i]; d.symbol != nowhere && l.p.symbol(d.symbol).Kind == graph.KindMethod {
				l.hit(s, d.symbol, graph.EdgeCall, max(tier, d.tier))
				l.pass(s, &value{kind: functionValue, at: d.symbol, self: self})
			}
		}
	}
}

// callValues links a call to what its callee evaluates to.
func (l *linker) callValues(s *site, values []*value, tier graph.Tier) {
	if len(values) > 1 {
		tier = max(tier, graph.TierDispatch)
	}
	if len(values) == 0 {
		s.open = true
	}
	for _, v := range values {
		t := max(tier, v.tier)
		switch v.kind {
		case functionValue:
			l.hit(s, v.at, graph.EdgeCall, t)
			if v.self != nil {
				l.dispatch(s.ref, &definition{symbol: v.at, self: v.self})
			}
			l.pass(s, v)
		case classValue:
			l.construct(s, v.at, t)
		case lambdaValue:
			literal := l.r.literal(v)
			l.hit(s, literal, graph.EdgeCall, t)
			l.pass(s, &value{kind: functionValue, at: literal})
		case instanceValue:
			l.callInstance(s, v, t)
		case externalValue, listValue, dictValue, tupleValue:
			s.external = true
		default:
			s.open = true
			if v.param.position > 0 {
				s.passed = append(s.passed, v.param)
			}
		}
	}
}

func (l *linker) callInstance(s *site, v *value, tier graph.Tier) {
	found := l.r.memberOf(v, "__call__")
	for i := range found.defs {
		// An attribute of that name on the object itself is not what runs.
		if d := &found.defs[i]; d.symbol != nowhere && l.p.symbol(d.symbol).Kind == graph.KindMethod {
			l.hit(s, d.symbol, graph.EdgeCall, max(tier, d.tier))
			l.dispatch(s.ref, d)
		}
	}
	s.external = s.external || found.outside
	s.open = s.open || len(found.defs) == 0 && !found.outside
}

// ofParameter makes the call of a member of a parameter wait for what is passed.
func (l *linker) ofParameter(s *site, e *graph.Expr) {
	if e.Base == graph.None {
		return
	}
	for _, v := range l.r.eval(place{l.file, e.Base}) {
		if v.kind == unknownValue && v.param.position > 0 {
			s.passed, s.member = append(s.passed, v.param), e.Name
		}
	}
}

// ofHeirs leads a call on an object of a class outside to the methods of the classes
// that derive from it.
func (l *linker) ofHeirs(ref *graph.Ref, e *graph.Expr) {
	if e.Kind != graph.ExprMember || e.Base == graph.None {
		return
	}
	for _, v := range l.r.eval(place{l.file, e.Base}) {
		if v.name == "" {
			continue
		}
		for _, to := range l.r.inherited(v.name, e.Name) {
			l.edge(ref.From, to, graph.EdgeDispatch, graph.TierDispatch, ref.Line)
		}
	}
}

// byName takes the methods of that name in files that this one imports, if
// they are few and no built-in type has such a method.
func (l *linker) byName(s *site, e *graph.Expr) {
	if commonMembers[e.Name] || strings.HasPrefix(e.Name, "__") {
		return
	}
	if l.r.closures == nil {
		l.r.closures = l.p.closure(l.file)
	}
	var candidates []place
	for _, at := range l.p.methods[e.Name] {
		if l.r.closures[at.file] {
			candidates = append(candidates, at)
		}
	}
	if len(candidates) > maxNamed {
		s.reason = "too many candidates"
		return
	}
	if len(s.passed) > 0 {
		s.fallback = candidates
		return
	}
	for _, at := range candidates {
		l.hit(s, at, graph.EdgeCall, graph.TierName)
	}
}

// count adds a call to the counts, and to the unresolved if it has no target
// that is known to lie outside. A call of a parameter waits for what all files
// pass as it.
func (l *linker) count(s *site, absent *absence) {
	if len(s.passed) > 0 {
		l.wait(s)
	}
	switch {
	case s.best != 0:
		l.out.counts.Add(s.best)
	case len(s.passed) > 0:
	case absent != nil:
		l.out.counts.Unresolved++
		l.unresolve(s.ref, *absent, true)
	case s.external && !s.open:
		l.out.counts.External++
	case s.external && s.reason == "" && l.reason(s) == reasonObject:
		// A base from outside may have what the classes of the tree lack.
		l.out.counts.Unresolved++
	default:
		l.out.counts.Unresolved++
		reason := s.reason
		if reason == "" {
			reason = l.reason(s)
		}
		a := absence{reason: reason}
		if reason == reasonMember {
			a.in = l.lacks(&l.f.Facts.Exprs[s.ref.Expr])
		}
		l.unresolve(s.ref, a, false)
	}
}

// wait leaves a call to what is known when all files are linked.
func (l *linker) wait(s *site) {
	if !s.read {
		s.args = l.arguments(s.ref)
	}
	reason := s.reason
	if reason == "" {
		reason = l.reason(s)
	}
	l.out.waiting = append(l.out.waiting, waiting{
		from: l.f.Symbols + s.ref.From, literal: l.literal, line: s.ref.Line, name: s.ref.Name, member: s.member, passed: s.passed,
		args: s.args, fallback: s.fallback, reason: reason, counted: s.best != 0, outside: s.external,
	})
}

func (l *linker) reason(s *site) string {
	e := &l.f.Facts.Exprs[s.ref.Expr]
	switch {
	case e.Kind == graph.ExprName:
		return "value of the name unknown"
	case e.Kind != graph.ExprMember:
		return "computed callee"
	}
	for _, v := range l.r.eval(place{l.file, e.Base}) {
		if v.kind == unknownValue {
			return reasonObject
		}
	}
	return reasonMember
}

// noteDynamic records look-ups by computed names and replacements at run time.
func (l *linker) noteDynamic(ref *graph.Ref, e *graph.Expr) {
	reason, position := "", 1
	switch e.Name {
	case "getattr", "setattr", "delattr":
		reason = "attribute looked up by name"
		if e.Kind == graph.ExprMember {
			reason, position = "replaced at run time", 0
		}
	case "patch":
		reason, position = "replaced at run time", 0
	case "eval", "exec", "__import__", "import_module":
		reason, position = "computed at run time", 0
	default:
		return
	}
	name := e.Name
	if ref.Args != graph.None {
		if s := l.stringArgument(ref.Args, position); s != "" {
			name = s[strings.LastIndexAny(s, ".:")+1:]
		} else if s := l.stringArgument(ref.Args, position+1); s != "" && e.Kind == graph.ExprMember {
			name = s
		}
	}
	l.out.dynamic++
	l.unresolve(&graph.Ref{Kind: graph.EdgeReference, From: ref.From, Line: ref.Line, Name: name}, absence{reason: reason}, false)
}

// stringArgument is the text of argument i of a call, if it is a plain string.
func (l *linker) stringArgument(call int32, i int) string {
	args := l.f.Facts.Exprs[call].Args
	if i >= len(args) || args[i] == graph.None {
		return ""
	}
	if e := &l.f.Facts.Exprs[args[i]]; e.Kind == graph.ExprString {
		return e.Name
	}
	return ""
}
