package ecmascript

import (
	"strings"

	"github.com/previdence/previdence/graph"
)

// A definition is a definition of one file.
type definition struct{ file, sym int32 }

// A givenMember is a name that an assignment in another file gives to a definition.
type givenMember struct {
	of   definition
	name string
}

// A gift is a binding of a file that gives a member to an imported definition.
type gift struct {
	givenMember
	binding int32
}

// An assignment is a binding of the file that assigns.
type assignment struct{ file, binding int32 }

// indexReopened notes what declare module "./x" in other files adds to a module:
// to definitions that it exports, and further exports.
func (p *program) indexReopened() {
	parts, added := map[definition][]definition{}, map[visit][]def{}
	var order []definition
	for _, f := range p.files {
		for i := range f.f.Bindings {
			b := &f.f.Bindings[i]
			if b.Kind != graph.BindDefinition || b.Symbol == graph.None {
				continue
			}
			at, ok := f.reopened(b.Scope)
			if !ok {
				continue
			}
			s := &f.f.Symbols[b.Symbol]
			r := p.exported(at, b.Name, space(!inSpace(s, values)), map[visit]bool{})
			if r.state == exportMissing {
				v := visit{at, b.Name}
				added[v] = append(added[v], def{kind: defSymbol, file: f.index, i: b.Symbol, tier: graph.TierExact})
				part := definition{f.index, b.Symbol}
				parts[part], order = []definition{part}, append(order, part)
				continue
			}
			for _, d := range r.defs {
				if d.kind == defSymbol && mergeable(s.Kind) && mergeable(p.files[d.file].f.Symbols[d.i].Kind) {
					of := definition{d.file, d.i}
					if parts[of] == nil {
						order = append(order, of)
						parts[of] = []definition{of}
					}
					parts[of] = append(parts[of], definition{f.index, b.Symbol})
				}
			}
		}
	}
	p.added, p.parts = added, map[definition][]definition{}
	for _, of := range order {
		for _, part := range parts[of] {
			p.parts[part] = parts[of]
		}
	}
}

// reopened is the file of the module that a declare module block adds to.
func (f *file) reopened(scope int32) (int32, bool) {
	i, ok := f.reopens[scope]
	if !ok || f.modules[i].state != moduleFile {
		return 0, false
	}
	return f.modules[i].file, true
}

// merged returns a definition and those that are merged with it, in its own file
// and in others.
func (p *program) merged(f *file, sym int32) []definition {
	var out []definition
	for _, s := range f.merged(sym) {
		out = append(out, definition{f.index, s})
	}
	for _, part := range p.parts[definition{f.index, sym}] {
		if part.file != f.index || part.sym != sym {
			out = append(out, part)
		}
	}
	return out
}

// indexGiven notes A.b = … and A.prototype.b = … where A is imported.
func (p *program) indexGiven() {
	p.given = map[givenMember][]assignment{}
	for _, f := range p.files {
		for i := range f.f.Bindings {
			b := &f.f.Bindings[i]
			owner, name, ok := strings.Cut(b.Name, ".")
			if !ok || b.Kind != graph.BindVariable || strings.Contains(name, ".") {
				continue
			}
			found := f.names[b.Scope][owner]
			if len(found) != 1 || f.f.Bindings[found[0]].Kind != graph.BindImport {
				continue
			}
			for _, d := range p.boundTo(f, found[0], values, map[visit]bool{}).defs {
				if d.kind == defSymbol {
					m := givenMember{definition{d.file, d.i}, name}
					p.given[m] = append(p.given[m], assignment{f.index, int32(i)})
					f.gives = append(f.gives, gift{m, int32(i)})
				}
			}
		}
	}
}

// givenMembers are what other files assign to the parts of a definition under a name.
func (v *eval) givenMembers(parts []definition, name string, env int32) []member {
	var out []member
	for _, of := range parts {
		for _, a := range v.p.given[givenMember{of, name}] {
			out = append(out, member{file: a.file, sym: v.p.files[a.file].f.Bindings[a.binding].Symbol, binding: a.binding,
				expr: graph.None, env: env, tier: graph.TierExact})
		}
	}
	return out
}

// givenEdges writes that a function of this file, assigned to an imported
// definition, stands behind the member that a type declares there.
func (l *fileLinker) givenEdges() {
	for _, g := range l.f.gives {
		sym := l.f.f.Bindings[g.binding].Symbol
		if sym == graph.None {
			continue
		}
		l.v.begin()
		for _, m := range l.v.members(val{kind: valInstance, file: g.of.file, i: g.of.sym}, g.name) {
			if m.sym != graph.None && (m.file != l.f.index || m.sym != sym) {
				l.add(l.f.Symbols+sym, l.p.files[m.file].Symbols+m.sym, graph.EdgeOverride, graph.TierExact, l.f.f.Symbols[sym].Line)
			}
		}
	}
}
