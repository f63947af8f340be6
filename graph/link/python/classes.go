package python

import (
	"slices"

	"github.com/previdence/previdence/graph"
)

// A class is what the tree knows of one class definition.
type class struct {
	at      place
	bases   []place // direct bases in the tree
	mro     []place // itself first
	outside bool    // a base lies outside the tree
	sure    []place // the part of mro that certainly comes before an unseen base
	open    bool    // a base is not known
	subs    []place // classes of the tree that derive from it, directly or not
	busy    bool
}

// plainBases add no attributes that anyone would look for in a tree.
var plainBases = map[string]bool{"object": true, "Generic": true, "Protocol": true, "ABC": true}

func isClass(k graph.Kind) bool {
	return k == graph.KindClass || k == graph.KindEnum || k == graph.KindInterface
}

// readClasses linearises all classes and indexes methods by name.
func (p *project) readClasses() {
	r := newReader(p)
	for i, f := range p.files {
		for j := range f.Facts.Symbols {
			s := &f.Facts.Symbols[j]
			at := place{int32(i), int32(j)}
			if isClass(s.Kind) {
				p.order = append(p.order, at)
				p.noteBases(at)
			}
			if (s.Kind == graph.KindMethod || s.Kind == graph.KindProperty) && s.Flags&(graph.FlagOverload|graph.FlagSetter) == 0 {
				p.methods[s.Name] = append(p.methods[s.Name], at)
			}
		}
	}
	for _, at := range p.order {
		r.classAt(at)
	}
	for _, at := range p.order {
		for _, base := range p.classes[at].mro[1:] {
			p.classes[base].subs = append(p.classes[base].subs, at)
		}
	}
	p.callables = len(p.methods["__call__"]) > 0
	p.readCallbacks()
	p.readTests(r)
	p.readFixtures()
}

// noteBases indexes a class by the names of its bases.
func (p *project) noteBases(at place) {
	facts := p.facts(at)
	for _, b := range facts.Symbols[at.at].Bases {
		e := &facts.Exprs[b]
		if e.Kind == graph.ExprIndex && e.Base != graph.None {
			e = &facts.Exprs[e.Base]
		}
		if e.Name != "" && !plainBases[e.Name] {
			p.heirs[e.Name] = append(p.heirs[e.Name], at)
		}
	}
}

// inherited lists the definitions of a method in the classes of the tree that derive
// from a class outside: an object of that class may be one of theirs.
func (r *reader) inherited(name, method string) []place {
	var out []place
	for _, at := range r.p.heirs[name] {
		c := r.classAt(at)
		for _, k := range append([]place{at}, c.subs...) {
			found := r.own(k, method, nil)
			for i := range found.defs {
				if to := found.defs[i].symbol; c.outside && to != nowhere && r.p.symbol(to).Kind == graph.KindMethod && !slices.Contains(out, to) {
					out = append(out, to)
				}
			}
		}
	}
	if len(out) > maxValues {
		return nil
	}
	return out
}

// classAt reads a class on first use. Later, when files are linked, all are read.
func (r *reader) classAt(at place) *class {
	if c, ok := r.p.classes[at]; ok {
		return c
	}
	c := &class{at: at, mro: []place{at}, sure: []place{at}, busy: true}
	r.p.classes[at] = c
	var lines [][]place
	for _, e := range r.p.symbol(at).Bases {
		for _, v := range r.baseValues(place{at.file, e}) {
			switch v.kind {
			case classValue:
				if b := r.classAt(v.at); !b.busy {
					c.bases = append(c.bases, v.at)
					lines = append(lines, b.mro)
					if !c.outside && !c.open {
						c.sure = append(c.sure, b.sure...)
					}
					c.outside, c.open = c.outside || b.outside, c.open || b.open
				}
			case externalValue:
				c.outside = true
			default:
				c.open = true
			}
		}
	}
	c.mro = append(c.mro, linearise(append(lines, c.bases))...)
	c.busy = false
	return c
}

// baseValues evaluates a base class, without bases that add nothing.
func (r *reader) baseValues(at place) []*value {
	e := &r.p.facts(at).Exprs[at.at]
	if e.Kind == graph.ExprIndex {
		return r.baseValues(place{at.file, e.Base})
	}
	if plainBases[e.Name] {
		return nil
	}
	values := r.eval(at)
	if len(values) == 0 {
		return []*value{unknown}
	}
	return values
}

// linearise merges the orders of the bases as C3 does. Where the orders
// contradict one another, which Python refuses, the first entry goes next.
func linearise(lines [][]place) []place {
	var out []place
	for {
		lines = slices.DeleteFunc(lines, func(l []place) bool { return len(l) == 0 })
		if len(lines) == 0 {
			return out
		}
		next := lines[0][0]
		for _, l := range lines {
			inTail := slices.ContainsFunc(lines, func(o []place) bool { return slices.Contains(o[1:], l[0]) })
			if !inTail {
				next = l[0]
				break
			}
		}
		out = append(out, next)
		for i, l := range lines {
			if j := slices.Index(l, next); j == 0 {
				lines[i] = l[1:]
			} else if j > 0 {
				lines[i] = slices.Delete(slices.Clone(l), j, j+1)
			}
		}
	}
}

// own finds what a class itself defines under a name, self.x included.
func (r *reader) own(at place, name string, self *value) finding {
	f := r.p.files[at.file]
	key := scopedName{f.Facts.Symbols[at.at].Scope, name}
	bindings := f.names[key]
	if more := f.attributes[key]; len(more) > 0 && !f.property(bindings) {
		bindings = append(slices.Clone(bindings), more...)
	}
	if len(bindings) == 0 {
		return finding{}
	}
	found := r.define(at.file, bindings, self)
	for i := range found.defs {
		// A function that the class imports is bound like a method.
		found.defs[i].self = self
	}
	return found
}

// property reports whether a name is a property: assigning to it on an object
// defines nothing.
func (f *file) property(bindings []int32) bool {
	return slices.ContainsFunc(bindings, func(i int32) bool {
		b := &f.Facts.Bindings[i]
		return b.Kind == graph.BindDefinition && f.Facts.Symbols[b.Symbol].Kind == graph.KindProperty
	})
}

// classMember finds a member along the linearised bases, after class after if
// that is given.
func (r *reader) classMember(at place, name string, self *value, after place) finding {
	c := r.classAt(at)
	mro := c.mro
	if after != nowhere {
		i := slices.Index(mro, after)
		mro = mro[i+1:]
	}
	for i, k := range mro {
		found := r.own(k, name, self)
		if len(found.defs) == 0 && !found.outside && !found.open || r.p.storesInto(k, mro[i+1:], name) {
			continue
		}
		if !slices.Contains(c.sure, k) {
			for i := range found.defs {
				found.defs[i].tier = max(found.defs[i].tier, graph.TierImport)
			}
		}
		return found
	}
	if c.outside || objectMembers[name] {
		return finding{outside: true}
	}
	return finding{open: c.open}
}

// storesInto reports whether all that a class says of a name is self.x = value
// while a class above has a property of that name: its setter takes the value.
func (p *project) storesInto(at place, above []place, name string) bool {
	bindings := func(at place) (*file, []int32, []int32) {
		f := p.files[at.file]
		key := scopedName{f.Facts.Symbols[at.at].Scope, name}
		return f, f.names[key], f.attributes[key]
	}
	if _, defined, assigned := bindings(at); len(defined) > 0 || len(assigned) == 0 {
		return false
	}
	for _, k := range above {
		if f, defined, _ := bindings(k); len(defined) > 0 {
			return f.property(defined)
		}
	}
	return false
}

// member finds a member of everything that an object may be.
func (r *reader) member(objects []*value, name string) finding {
	out := finding{}
	hits := 0
	for _, v := range objects {
		found := r.memberOf(v, name)
		for i := range found.defs {
			found.defs[i].tier = max(found.defs[i].tier, v.tier)
		}
		if len(found.defs) > 0 {
			hits++
		}
		out.add(found)
	}
	if hits > 1 || hits == 1 && (out.open || out.outside) {
		for i := range out.defs {
			out.defs[i].tier = max(out.defs[i].tier, graph.TierDispatch)
		}
	}
	if len(objects) > 1 {
		out.absent = nil
	}
	if len(objects) == 0 {
		out.open = true
	}
	return out
}

func (r *reader) memberOf(v *value, name string) finding {
	switch v.kind {
	case moduleValue:
		return r.moduleMember(v.mod, name)
	case classValue:
		return r.classMember(v.at, name, v, nowhere)
	case instanceValue:
		return r.instanceMember(v, name)
	case superValue:
		after := v.at
		if !slices.Contains(r.classAt(v.self.at).mro, after) {
			return finding{open: true}
		}
		return r.classMember(v.self.at, name, v.self, after)
	case unknownValue, returnsValue:
		return finding{open: true}
	}
	return finding{outside: true}
}

func (r *reader) instanceMember(v *value, name string) finding {
	found := r.classMember(v.at, name, v, nowhere)
	if len(found.defs) > 0 || found.outside {
		return found
	}
	if hook := r.classMember(v.at, "__getattr__", v, nowhere); len(hook.defs) > 0 {
		return finding{open: true}
	}
	if !v.precise && !found.open {
		return r.mixedIn(v, name)
	}
	return found
}

// mixedIn finds a member that a class uses but only its subclasses have: the
// object is then an instance of one of those.
func (r *reader) mixedIn(v *value, name string) finding {
	out := finding{}
	for _, sub := range r.classAt(v.at).subs {
		found := r.classMember(sub, name, &value{kind: instanceValue, at: sub, precise: true}, nowhere)
		for i := range found.defs {
			found.defs[i].tier = max(found.defs[i].tier, graph.TierDispatch)
		}
		out.add(found)
		if len(out.defs) >= maxValues {
			break
		}
	}
	return out
}

// overriding lists the definitions of a member in subclasses of a class.
func (p *project) overriding(at place, name string) []place {
	c, ok := p.classes[at]
	if !ok {
		return nil
	}
	var out []place
	for _, sub := range c.subs {
		f := p.files[sub.file]
		for _, i := range f.names[scopedName{f.Facts.Symbols[sub.at].Scope, name}] {
			b := &f.Facts.Bindings[i]
			if b.Kind == graph.BindVariable && b.Value != graph.None {
				out = append(out, p.assigned(sub, b)...)
				continue
			}
			if b.Kind != graph.BindDefinition || f.Facts.Symbols[b.Symbol].Flags&(graph.FlagOverload|graph.FlagSetter) != 0 {
				continue
			}
			out = append(out, place{sub.file, b.Symbol})
		}
	}
	return out
}

// assigned is the method of a class that a variable of it stands for: run = start.
func (p *project) assigned(class place, b *graph.Binding) []place {
	f := p.files[class.file]
	e := &f.Facts.Exprs[b.Value]
	if e.Kind != graph.ExprName {
		return nil
	}
	var out []place
	for _, i := range f.names[scopedName{b.Scope, e.Name}] {
		if o := &f.Facts.Bindings[i]; o.Kind == graph.BindDefinition && f.Facts.Symbols[o.Symbol].Kind == graph.KindMethod {
			out = append(out, place{class.file, o.Symbol})
		}
	}
	return out
}

// overrideEdges leads from each method to the one it overrides.
func (p *project) overrideEdges() []graph.Edge {
	r := newReader(p)
	var out []graph.Edge
	for _, at := range p.order {
		f := p.files[at.file]
		for j := range f.Facts.Symbols {
			s := &f.Facts.Symbols[j]
			if s.Parent != at.at || s.Kind != graph.KindMethod && s.Kind != graph.KindProperty || j == int(at.at) {
				continue
			}
			for _, base := range p.classes[at].mro[1:] {
				found := r.own(base, s.Name, nil)
				if len(found.defs) == 0 {
					continue
				}
				if to := found.defs[0].symbol; to != nowhere {
					out = append(out, graph.Edge{From: p.index(place{at.file, int32(j)}), To: p.index(to),
						Kind: graph.EdgeOverride, Tier: graph.TierExact, Lines: []int32{s.Line}})
				}
				break
			}
		}
	}
	return out
}
