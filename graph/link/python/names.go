package python

import (
	"math"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// The bounds of one evaluation: how far definitions are followed through one
// another, and after how many steps partial answers are kept.
const (
	maxDeep  = 48
	maxSteps = 2000
)

// A reader evaluates expressions for the references of one file. What it
// remembers depends on that file only.
type reader struct {
	p        *project
	values   map[place][]*value
	running  map[place]bool
	looking  map[string]bool
	deep     int
	steps    int // evaluations since the last question from outside
	cuts     int // how often something depended on itself
	closures map[int32]bool
}

func newReader(p *project) *reader {
	return &reader{p: p, values: map[place][]*value{}, running: map[place]bool{}, looking: map[string]bool{}}
}

// lookup finds a name as seen from a scope: function scopes outward, the class
// only directly, then the file, star imports and builtins.
func (r *reader) lookup(file, scope int32, name string) finding {
	return r.lookupAt(file, scope, name, math.MaxInt32)
}

// lookupAt is lookup for a name that is read at a byte. The body of a class runs
// from top to bottom: what it binds further down is not what the name means. What
// a function binds again is no longer what it was.
func (r *reader) lookupAt(file, scope int32, name string, at int32) finding {
	f := r.p.files[file]
	direct := true
	for s := scope; s != graph.None; s = f.Facts.Scopes[s].Parent {
		kind := f.Facts.Scopes[s].Kind
		if kind == graph.ScopeClass && !direct {
			continue
		}
		if s == 0 {
			break
		}
		found := f.names[scopedName{s, name}]
		switch kind {
		case graph.ScopeClass:
			found = f.before(found, at)
		case graph.ScopeFunction:
			found = r.current(file, found, at, direct)
			direct = false
		}
		if len(found) > 0 {
			return r.define(file, found, nil)
		}
	}
	found := r.fileMember(file, name)
	if len(found.defs) > 0 || found.outside || found.absent != nil {
		return found
	}
	if builtins[name] || moduleAttributes[name] {
		return finding{outside: true}
	}
	if f.module.pkg {
		// Importing a submodule makes it a name of its package.
		if sub, ok := r.p.child(f.module.dir, name); ok && !sub.namespace() {
			found.addDef(definition{symbol: nowhere, mod: sub, tier: graph.TierExact})
			return found
		}
	}
	return finding{open: found.open || len(f.names[scopedName{0, name}]) > 0}
}

// before keeps the bindings that stand before a byte.
func (f *file) before(bindings []int32, at int32) []int32 {
	for _, i := range bindings {
		if f.Facts.Bindings[i].At >= at {
			return slices.DeleteFunc(slices.Clone(bindings), func(i int32) bool { return f.Facts.Bindings[i].At >= at })
		}
	}
	return bindings
}

// current leaves out the bindings of a function's name that do not reach a byte:
// those that were taken away before it, and for the function's own code those that
// take others away behind it. As long as the new value is not known, the old ones
// stay: they say more than nothing.
func (r *reader) current(file int32, bindings []int32, at int32, own bool) []int32 {
	if len(bindings) < 2 || at == math.MaxInt32 {
		return bindings
	}
	f := r.p.files[file]
	first := &f.Facts.Bindings[bindings[0]]
	again := f.again[scopedName{first.Scope, first.Name}]
	if len(again) == 0 {
		return bindings
	}
	start, behind := int32(0), map[int32]bool{}
	for _, i := range again {
		b := &f.Facts.Bindings[i]
		switch {
		case b.Value == graph.None:
		case f.Facts.Exprs[b.Value].End > at:
			behind[b.At] = own
		case known(r.eval(place{file, b.Value})):
			start = b.At
		}
	}
	return slices.DeleteFunc(slices.Clone(bindings), func(i int32) bool {
		b := &f.Facts.Bindings[i]
		return b.At < start || behind[b.At]
	})
}

// define turns the bindings of one name in one scope into definitions. Imports
// are followed to what they name; overloads give way to the implementation.
func (r *reader) define(file int32, bindings []int32, self *value) finding {
	f := r.p.files[file]
	out := finding{}
	for _, i := range r.chosen(f, bindings) {
		b := &f.Facts.Bindings[i]
		if b.Kind == graph.BindImport {
			out.add(r.imported(file, b.Import))
			continue
		}
		d := definition{symbol: nowhere, bindings: []place{{file, i}}, self: self, tier: graph.TierExact}
		if b.Symbol != graph.None && b.Kind != graph.BindParameter {
			d.symbol = place{file, b.Symbol}
			out.addDef(d)
			continue
		}
		out.defs = joinLocal(out.defs, d)
	}
	if len(out.defs) > 1 && slices.ContainsFunc(bindings, func(i int32) bool { return f.Facts.Bindings[i].Kind == graph.BindImport }) {
		// An import that may fail and its substitute are both possible.
		for i := range out.defs {
			out.defs[i].tier = max(out.defs[i].tier, graph.TierImport)
		}
	}
	return out
}

// joinLocal keeps all bindings of a local variable in one definition.
func joinLocal(defs []definition, d definition) []definition {
	for i := range defs {
		if defs[i].symbol == nowhere && !defs[i].isModule() {
			defs[i].bindings = append(defs[i].bindings, d.bindings...)
			return defs
		}
	}
	return append(defs, d)
}

// chosen leaves out overload signatures beside their implementation, setters
// beside their getter, and fallbacks of imports that set a name to None.
func (r *reader) chosen(f *file, bindings []int32) []int32 {
	if len(bindings) == 1 {
		return bindings
	}
	weak := func(i int32) bool {
		b := &f.Facts.Bindings[i]
		switch {
		case b.Kind == graph.BindVariable && b.Value != graph.None && b.Type == graph.None:
			return f.Facts.Exprs[b.Value].Kind == graph.ExprNull
		case b.Kind != graph.BindDefinition:
			return false
		}
		return f.Facts.Symbols[b.Symbol].Flags&(graph.FlagOverload|graph.FlagSetter) != 0
	}
	strong := slices.DeleteFunc(slices.Clone(bindings), weak)
	if len(strong) == 0 {
		return bindings
	}
	return strong
}

// imported finds what one import binds.
func (r *reader) imported(file, index int32) finding {
	imp := &r.p.files[file].Facts.Imports[index]
	res := &r.p.imports[file][index]
	if res.outside {
		return finding{outside: true}
	}
	out := finding{}
	for _, m := range res.modules {
		if imp.Name == "" {
			out.addDef(definition{symbol: nowhere, mod: m, tier: res.tier})
			continue
		}
		found := r.moduleMember(m, imp.Name)
		for i := range found.defs {
			found.defs[i].tier = max(found.defs[i].tier, res.tier)
		}
		if found.outside && m.namespace() && strings.HasPrefix(imp.Module, ".") {
			found = finding{open: true}
		}
		out.add(found)
	}
	if len(res.modules) == 0 {
		if res.missing == "" || imp.Guarded {
			out.open = true
			return out
		}
		name := imp.Name
		if name == "" {
			name = imp.Module
		}
		out.absent = &absence{name: name, in: res.missing, reason: "no such module"}
	}
	// A test may import what must not be there.
	uncertain := imp.Guarded || res.tier != graph.TierExact || r.p.files[file].raises[imp.From]
	if out.absent != nil && uncertain {
		out.absent, out.open = nil, true
	}
	return out
}

// moduleMember finds a name in a module: what it binds, what star imports
// bring, its submodules. A name that it certainly lacks is an absence.
func (r *reader) moduleMember(m module, name string) finding {
	key := m.path + "\x00" + m.dir + "\x00" + name
	if r.looking[key] {
		return finding{}
	}
	if len(r.looking) > maxDeep {
		return finding{open: true}
	}
	r.looking[key] = true
	defer delete(r.looking, key)
	out := finding{}
	if m.file >= 0 {
		out = r.fileMember(m.file, name)
		if (len(out.defs) > 0 || out.outside) && !r.p.submoduleWins(m, name, &out) {
			return out
		}
		if moduleAttributes[name] {
			return finding{outside: true}
		}
	}
	if m.pkg {
		if sub, ok := r.p.child(m.dir, name); ok {
			out = finding{}
			out.addDef(definition{symbol: nowhere, mod: sub, tier: graph.TierExact})
			return out
		}
	}
	if out.absent != nil || out.open || m.opaque {
		out.open = out.open || m.opaque
		return out
	}
	if m.namespace() {
		// A directory without a file of its own is rarely meant when it lacks
		// the name: an installed package of that name is.
		return finding{outside: true}
	}
	if m.file >= 0 && r.p.closed(m.file) && !(m.pkg && (r.p.hooks || r.p.mayBeMade(m.dir, name))) {
		out.absent = &absence{name: name, in: m.path, reason: "no such name"}
		if m.pkg {
			out.absent.module = join(m.dir, name) + ".py"
		}
	} else {
		out.open = true
	}
	return out
}

// onlyImports reports whether a name has no bindings but imports: one that
// leads back to itself, as in "from . import sub", then says nothing.
func onlyImports(f *file, bindings []int32) bool {
	for _, i := range bindings {
		if f.Facts.Bindings[i].Kind != graph.BindImport {
			return false
		}
	}
	return true
}

// submoduleWins reports whether a name that a star import happens to bring, a
// module inside another package, gives way to the package's own submodule.
func (p *project) submoduleWins(m module, name string, found *finding) bool {
	if !m.pkg || len(p.files[m.file].names[scopedName{0, name}]) > 0 {
		return false
	}
	if _, ok := p.child(m.dir, name); !ok {
		return false
	}
	for i := range found.defs {
		if !found.defs[i].isModule() {
			return false
		}
	}
	return true
}

func (r *reader) fileMember(file int32, name string) finding {
	f := r.p.files[file]
	out := finding{}
	if found := f.names[scopedName{0, name}]; len(found) > 0 {
		if out = r.define(file, found, nil); len(out.defs) > 0 || out.outside || out.absent != nil {
			return out
		}
		// It is bound to something that was not seen. That is no absence.
		out.open = out.open || !onlyImports(f, found)
	}
	for _, i := range f.stars {
		res := &r.p.imports[file][i]
		if res.outside || len(res.modules) == 0 {
			out.open = true
		}
		for _, m := range res.modules {
			offers, open := r.p.offers(m, name)
			out.open = out.open || open
			if !offers {
				continue
			}
			found := r.moduleMember(m, name)
			found.absent = nil
			for j := range found.defs {
				found.defs[j].tier = max(found.defs[j].tier, res.tier)
			}
			out.add(found)
		}
	}
	return out
}

// offers reports whether a star import of a module brings a name.
func (p *project) offers(m module, name string) (offers, open bool) {
	if m.file < 0 {
		return false, m.opaque
	}
	f := p.files[m.file]
	if f.all == nil {
		return !strings.HasPrefix(name, "_"), false
	}
	return f.all[name] || f.allOpen, false
}

// closed reports whether a file's namespace is known whole: parsed without
// gaps, no __getattr__, no star import from elsewhere, nothing that changes it
// while it runs.
func (p *project) closed(file int32) bool {
	f := p.files[file]
	if len(f.Facts.Gaps) > 0 || f.dynamic || p.present[f.Path+"i"] || len(f.names[scopedName{0, "__getattr__"}]) > 0 {
		return false
	}
	for _, i := range f.stars {
		res := &p.imports[file][i]
		if res.outside || len(res.modules) == 0 {
			return false
		}
		for _, m := range res.modules {
			if m.file < 0 || m.file != file && len(p.files[m.file].stars) > 0 || len(p.files[m.file].Facts.Gaps) > 0 || p.files[m.file].dynamic {
				return false
			}
		}
	}
	return true
}
