package python

import (
	"cmp"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/link"
)

// readTests finds the methods that unittest runs although their own file does
// not show it: a base of their class, in another file, is a TestCase.
func (p *project) readTests(r *reader) {
	p.tests = map[place]bool{}
	for _, at := range p.order {
		f := p.files[at.file]
		if !r.testCase(at) {
			continue
		}
		for j := range f.Facts.Symbols {
			s := &f.Facts.Symbols[j]
			if s.Parent == at.at && s.Kind == graph.KindMethod && s.Test != graph.TestAlways && strings.HasPrefix(s.Name, "test") {
				p.tests[place{at.file, int32(j)}] = true
			}
		}
	}
}

// testCase reports whether a base of a class, in another file, is a TestCase
// from outside the tree. The extractor has seen those of the own file.
func (r *reader) testCase(at place) bool {
	for _, k := range r.classAt(at).mro[1:] {
		if k.file == at.file || !r.classAt(k).outside {
			continue
		}
		facts := r.p.facts(k)
		for _, b := range facts.Symbols[k.at].Bases {
			if b == graph.None || !strings.HasSuffix(facts.Exprs[b].Name, "TestCase") {
				continue
			}
			for _, v := range r.baseValues(place{k.file, b}) {
				if v.kind == externalValue {
					return true
				}
			}
		}
	}
	return false
}

func (p *project) foundTests() []link.Test {
	var out []link.Test
	for at := range p.tests {
		out = append(out, link.Test{Symbol: p.index(at), Framework: "unittest"})
	}
	slices.SortFunc(out, func(a, b link.Test) int { return cmp.Compare(a.Symbol, b.Symbol) })
	return out
}
