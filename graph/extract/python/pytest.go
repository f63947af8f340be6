package python

import (
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
)

// testRule decides whether a function is a test. pytest collects functions
// whose names begin with test, at file level and in classes whose names begin
// with Test, in files with the right names; unittest collects methods of
// TestCase wherever they lie.
func (r *reader) testRule(s int32, decorators []string) {
	f := &r.facts.Symbols[s]
	if !strings.HasPrefix(f.Name, "test") || slices.ContainsFunc(decorators, isFixture) {
		return
	}
	switch f.Kind {
	case graph.KindFunction:
		if f.Parent == 0 {
			f.Test, f.Framework = graph.TestByPath, "pytest"
		}
	case graph.KindMethod:
		if r.isTestCase(f.Parent, nil) {
			f.Test, f.Framework = graph.TestAlways, "unittest"
		} else if strings.HasPrefix(r.facts.Symbols[f.Parent].Name, "Test") {
			f.Test, f.Framework = graph.TestByPath, "pytest"
		}
	}
}

func isFixture(decorator string) bool {
	return decorator == "fixture" || strings.HasSuffix(decorator, ".fixture")
}

// isTestCase reports whether a class derives from unittest's TestCase, as far
// as this file tells.
func (r *reader) isTestCase(class int32, seen []int32) bool {
	if slices.Contains(seen, class) {
		return false
	}
	seen = append(seen, class)
	for _, b := range r.facts.Symbols[class].Bases {
		e := &r.facts.Exprs[b]
		if strings.HasSuffix(e.Name, "TestCase") && e.Kind == graph.ExprMember {
			return true
		}
		if e.Kind != graph.ExprName {
			continue
		}
		if s, ok := r.defined[scopedName{0, e.Name}]; ok {
			if r.isTestCase(s, seen) {
				return true
			}
		} else if strings.HasSuffix(e.Name, "TestCase") {
			return true
		}
	}
	return false
}
