package python

import (
	"path"
	"strings"

	"github.com/previdence/previdence/graph"
)

// readFixtures lists pytest's fixtures by file and name. Those of a class are
// kept under the class and the name.
func (p *project) readFixtures() {
	for i, f := range p.files {
		for j := range f.Facts.Symbols {
			s := &f.Facts.Symbols[j]
			if s.Kind != graph.KindFunction && s.Kind != graph.KindMethod {
				continue
			}
			name, ok := f.fixtureName(s)
			if !ok {
				continue
			}
			if p.fixtures[int32(i)] == nil {
				p.fixtures[int32(i)] = map[string]place{}
			}
			key := name
			if s.Kind == graph.KindMethod {
				key = f.Facts.Symbols[s.Parent].Name + "." + name
			}
			p.fixtures[int32(i)][key] = place{int32(i), int32(j)}
		}
	}
}

// fixtureName is the name under which a function is a fixture.
func (f *file) fixtureName(s *graph.SymbolFact) (string, bool) {
	for _, d := range s.Decorators {
		if d == graph.None {
			continue
		}
		e := &f.Facts.Exprs[d]
		named := graph.None
		if e.Kind == graph.ExprCall && e.Base != graph.None {
			named, e = f.keyword(e, "name"), &f.Facts.Exprs[e.Base]
		}
		if e.Name != "fixture" && e.Name != "yield_fixture" {
			continue
		}
		if named != graph.None && f.Facts.Exprs[named].Kind == graph.ExprString && f.Facts.Exprs[named].Name != "" {
			return f.Facts.Exprs[named].Name, true
		}
		return s.Name, true
	}
	return "", false
}

// injected reports whether pytest fills the parameters of a function: it is a
// fixture or a test.
func (p *project) injected(at place) bool {
	f := p.files[at.file]
	s := &f.Facts.Symbols[at.at]
	if _, ok := f.fixtureName(s); ok {
		return true
	}
	return s.Test == graph.TestByPath && !p.tests[at] && isTestFile(f.Path)
}

// isTestFile is pytest's rule for the names of test files.
func isTestFile(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".py") || strings.HasSuffix(base, "_test.py")
}

// fixtureFor finds the fixture that a parameter of a function names: in its
// class, its file, what its file imports, then conftest.py upwards.
func (r *reader) fixtureFor(at place, name string) (place, bool) {
	if !r.p.injected(at) {
		return nowhere, false
	}
	return r.fixtureNamed(at, name)
}

func (r *reader) fixtureNamed(at place, name string) (place, bool) {
	f := r.p.files[at.file]
	s := &f.Facts.Symbols[at.at]
	if s.Kind == graph.KindMethod {
		if fx, ok := r.p.fixtures[at.file][f.Facts.Symbols[s.Parent].Name+"."+name]; ok && fx != at {
			return fx, true
		}
	}
	for _, i := range r.p.fixtureFiles(at.file) {
		if fx, ok := r.fixtureIn(i, name, at); ok {
			return fx, true
		}
	}
	return nowhere, false
}

// fixtureIn finds a fixture that a file defines or imports.
func (r *reader) fixtureIn(file int32, name string, asking place) (place, bool) {
	if fx, ok := r.p.fixtures[file][name]; ok && fx != asking {
		return fx, true
	}
	f := r.p.files[file]
	if len(f.names[scopedName{0, name}]) == 0 && len(f.stars) == 0 {
		return nowhere, false
	}
	found := r.fileMember(file, name)
	for i := range found.defs {
		d := &found.defs[i]
		if d.symbol == nowhere || d.symbol == asking || d.symbol.file == file {
			continue
		}
		if _, ok := r.p.files[d.symbol.file].fixtureName(r.p.symbol(d.symbol)); ok {
			return d.symbol, true
		}
	}
	return nowhere, false
}

// fixtureValue is what a fixture hands to a test.
func (r *reader) fixtureValue(at place) []*value {
	key := place{at.file, -2 - at.at}
	if v, ok := r.values[key]; ok {
		return v
	}
	return r.once(key, func() []*value {
		v := r.resultOf(at, nil, nowhere)
		if r.p.symbol(at).Flags&graph.FlagGenerator != 0 {
			v = r.elements(v)
		}
		return v
	})
}

// fixtureEdges leads from tests and fixtures to the fixtures they ask for.
func (l *linker) fixtureEdges() {
	for i := range l.f.Facts.Symbols {
		s := &l.f.Facts.Symbols[i]
		at := place{l.file, int32(i)}
		if s.Kind != graph.KindFunction && s.Kind != graph.KindMethod {
			continue
		}
		if s.Test == graph.TestAlways || l.p.tests[at] || s.Test == graph.TestByPath && isTestFile(l.f.Path) {
			l.setupEdges(at, s)
		}
		if !l.p.injected(at) {
			continue
		}
		for _, p := range s.Params {
			if p.Kind == graph.ParamReceiver || p.Kind == graph.ParamVariadic || p.Kind == graph.ParamNamedRest {
				continue
			}
			if fx, ok := l.r.fixtureFor(at, p.Name); ok {
				l.edge(int32(i), fx, graph.EdgeCall, graph.TierExact, s.Line)
			}
		}
		l.usedFixtures(at, s.Decorators, s.Line)
		if s.Kind == graph.KindMethod {
			l.usedFixtures(at, l.f.Facts.Symbols[s.Parent].Decorators, s.Line)
		}
	}
}

// setups are the methods and functions that unittest and pytest run around a
// test by their names.
var setups = strings.Fields("setUp asyncSetUp setUpClass tearDown asyncTearDown tearDownClass setup_method teardown_method setup_class teardown_class")

var moduleSetups = strings.Fields("setUpModule tearDownModule setup_module teardown_module setup_function teardown_function")

// setupEdges leads from a test to what runs around it without being named:
// set-up methods by their names, and fixtures that apply to all.
func (l *linker) setupEdges(at place, s *graph.SymbolFact) {
	if s.Kind == graph.KindMethod {
		self := &value{kind: instanceValue, at: place{l.file, s.Parent}, precise: true}
		for _, name := range setups {
			found := l.r.classMember(self.at, name, self, nowhere)
			for i := range found.defs {
				if d := &found.defs[i]; d.symbol != nowhere {
					l.edge(at.at, d.symbol, graph.EdgeCall, d.tier, s.Line)
				}
			}
		}
	}
	for _, name := range moduleSetups {
		for _, i := range l.f.names[scopedName{0, name}] {
			if b := &l.f.Facts.Bindings[i]; b.Kind == graph.BindDefinition {
				l.edge(at.at, place{l.file, b.Symbol}, graph.EdgeCall, graph.TierExact, s.Line)
			}
		}
	}
	if s.Test != graph.TestByPath {
		return
	}
	for _, fx := range l.automatic() {
		own := l.p.symbol(fx)
		if own.Kind == graph.KindFunction || fx.file == l.file && own.Parent == s.Parent && s.Kind == graph.KindMethod {
			l.edge(at.at, fx, graph.EdgeCall, graph.TierExact, s.Line)
		}
	}
}

// automatic lists the fixtures with autouse=True that reach this file.
func (l *linker) automatic() []place {
	if l.auto == nil {
		l.auto = []place{}
		for _, i := range l.p.fixtureFiles(l.file) {
			l.auto = l.p.automaticIn(i, l.auto)
		}
	}
	return l.auto
}

func (p *project) automaticIn(file int32, list []place) []place {
	f := p.files[file]
	for j := range f.Facts.Symbols {
		for _, d := range f.Facts.Symbols[j].Decorators {
			if d == graph.None || f.Facts.Exprs[d].Kind != graph.ExprCall {
				continue
			}
			if use := f.keyword(&f.Facts.Exprs[d], "autouse"); use == graph.None || f.Facts.Exprs[use].Name != "True" {
				continue
			}
			if _, ok := f.fixtureName(&f.Facts.Symbols[j]); ok {
				list = append(list, place{file, int32(j)})
			}
		}
	}
	return list
}

// keyword is the value of a keyword argument of a call, or None.
func (f *file) keyword(call *graph.Expr, name string) int32 {
	for _, a := range call.Args {
		if a == graph.None {
			continue
		}
		if k := &f.Facts.Exprs[a]; k.Kind == graph.ExprKeyword && k.Name == name {
			return k.Base
		}
	}
	return graph.None
}

// usedFixtures reads @pytest.mark.usefixtures("name").
func (l *linker) usedFixtures(at place, decorators []int32, line int32) {
	for _, d := range decorators {
		if d == graph.None {
			continue
		}
		e := &l.f.Facts.Exprs[d]
		if e.Kind != graph.ExprCall || e.Base == graph.None || l.f.Facts.Exprs[e.Base].Name != "usefixtures" {
			continue
		}
		for _, a := range e.Args {
			if a == graph.None || l.f.Facts.Exprs[a].Kind != graph.ExprString {
				continue
			}
			if fx, ok := l.r.fixtureNamed(at, l.f.Facts.Exprs[a].Name); ok {
				l.edge(at.at, fx, graph.EdgeCall, graph.TierExact, line)
			}
		}
	}
}
