package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
)

// signatureEffect says what a changed signature does to those who use it, and
// names the part that decides. It is unknown where a language does not state
// its types.
func signatureEffect(x, y *graph.Symbol) (report.Effect, string) {
	if x.Name != y.Name {
		return report.Breaking, fmt.Sprintf("name %s → %s", x.Name, y.Name)
	}
	if x.Kind != y.Kind {
		return report.UnknownEffect, fmt.Sprintf("%s → %s", x.Kind, y.Kind)
	}
	if !x.Kind.Callable() {
		return report.UnknownEffect, "declaration differs"
	}
	if x.Exported && !y.Exported {
		return report.Breaking, "no longer exported"
	}
	if x.Language == "go" {
		return goEffect(x, y)
	}
	return dynamicEffect(x, y)
}

// goEffect judges by Go's rules: types are nominal, so every other parameter or
// result breaks some use. Names of parameters do not count.
func goEffect(x, y *graph.Symbol) (report.Effect, string) {
	a, b := arguments(x), arguments(y)
	for i := range min(len(a), len(b)) {
		if a[i].TypeText != b[i].TypeText || a[i].Kind != b[i].Kind {
			return report.Breaking, fmt.Sprintf("parameter %s: %s → %s", nameOr(b[i].Name, i), goType(a[i]), goType(b[i]))
		}
	}
	switch {
	case len(b) == len(a)+1 && b[len(a)].Kind == graph.ParamVariadic:
		return report.Breaking, fmt.Sprintf("gains variadic parameter %s: calls still compile, uses as a value do not", nameOr(b[len(a)].Name, len(a)))
	case len(b) > len(a):
		return report.Breaking, fmt.Sprintf("gains parameter %s", nameOr(b[len(a)].Name, len(a)))
	case len(b) < len(a):
		return report.Breaking, fmt.Sprintf("loses parameter %s", nameOr(a[len(b)].Name, len(b)))
	case x.Result != y.Result:
		return report.Breaking, fmt.Sprintf("result: %s → %s", orNone(x.Result), orNone(y.Result))
	case receiver(x) != receiver(y):
		return report.UnknownEffect, fmt.Sprintf("receiver: %s → %s", receiver(x), receiver(y))
	case namesDiffer(a, b):
		return report.Compatible, "only names of parameters differ"
	}
	return report.UnknownEffect, "declaration differs"
}

func namesDiffer(a, b []graph.Param) bool {
	for i := range a {
		if a[i].Name != b[i].Name {
			return true
		}
	}
	return false
}

func goType(p graph.Param) string {
	if p.Kind == graph.ParamVariadic && !strings.HasPrefix(p.TypeText, "...") {
		return "..." + p.TypeText
	}
	return p.TypeText
}

func receiver(s *graph.Symbol) string {
	for _, p := range s.Params {
		if p.Kind == graph.ParamReceiver {
			return p.TypeText
		}
	}
	return ""
}

// dynamicEffect judges by what a call must pass: names, order and which
// parameters may be left out. Types are hints there, so another type alone is
// unknown.
func dynamicEffect(x, y *graph.Symbol) (report.Effect, string) {
	a, b := arguments(x), arguments(y)
	if lost, ok := lostParam(a, b); ok {
		return report.Breaking, "loses parameter " + lost
	}
	if gained, ok := newRequired(a, b); ok {
		return report.Breaking, "gains required parameter " + gained
	}
	for i := range min(len(positional(a)), len(positional(b))) {
		p, q := positional(a)[i], positional(b)[i]
		if p.Name != q.Name {
			return report.Breaking, fmt.Sprintf("parameter %d: %s → %s", i+1, p.Name, q.Name)
		}
		if p.Optional && !q.Optional {
			return report.Breaking, fmt.Sprintf("parameter %s is now required", p.Name)
		}
	}
	if name, ok := newlyNamed(a, b); ok {
		return report.Breaking, fmt.Sprintf("parameter %s is now passed by name only", name)
	}
	if asynchronous(x) != asynchronous(y) {
		return report.Breaking, "asynchronous on one side only"
	}
	for _, p := range a {
		if q, ok := find(b, p.Name); ok && p.TypeText != q.TypeText {
			return report.UnknownEffect, fmt.Sprintf("parameter %s: %s → %s", p.Name, orNone(p.TypeText), orNone(q.TypeText))
		}
	}
	if x.Result != y.Result {
		return report.UnknownEffect, fmt.Sprintf("result: %s → %s", orNone(x.Result), orNone(y.Result))
	}
	if gained := newNames(a, b); len(gained) > 0 {
		return report.Compatible, "gains optional parameter " + strings.Join(gained, ", ")
	}
	if x.Language == "python" && slices.Equal(a, b) && x.Signature != y.Signature {
		return report.UnknownEffect, "a default differs"
	}
	return report.UnknownEffect, "declaration differs"
}

// newNames lists the parameters that came.
func newNames(a, b []graph.Param) []string {
	var names []string
	for _, q := range b {
		if _, ok := find(a, q.Name); !ok {
			names = append(names, q.Name)
		}
	}
	return names
}

// newlyNamed finds a parameter that a call could pass by its place.
func newlyNamed(a, b []graph.Param) (string, bool) {
	for _, p := range a {
		if q, ok := find(b, p.Name); ok && p.Kind == graph.ParamPositional && q.Kind == graph.ParamNamed {
			return p.Name, true
		}
	}
	return "", false
}

// asynchronous reports whether a call gives something to wait for.
func asynchronous(s *graph.Symbol) bool {
	return s.Language == "python" && strings.HasPrefix(s.Signature, "async ")
}

func lostParam(a, b []graph.Param) (string, bool) {
	for _, p := range a {
		if _, ok := find(b, p.Name); ok {
			continue
		}
		// Renamed in place is reported as such by the comparison of positions.
		if p.Kind == graph.ParamPositional && len(positional(b)) >= len(positional(a)) {
			continue
		}
		if !absorbed(p, b) {
			return p.Name, true
		}
	}
	return "", false
}

// absorbed is true if a variadic parameter takes what p took.
func absorbed(p graph.Param, b []graph.Param) bool {
	for _, q := range b {
		if p.Kind == graph.ParamPositional && q.Kind == graph.ParamVariadic || p.Kind == graph.ParamNamed && q.Kind == graph.ParamNamedRest {
			return true
		}
	}
	return false
}

func newRequired(a, b []graph.Param) (string, bool) {
	for _, q := range b {
		if q.Optional || q.Kind == graph.ParamVariadic || q.Kind == graph.ParamNamedRest {
			continue
		}
		if _, ok := find(a, q.Name); !ok && (q.Kind == graph.ParamNamed || len(positional(b)) > len(positional(a))) {
			return q.Name, true
		}
	}
	return "", false
}

func positional(params []graph.Param) []graph.Param {
	var out []graph.Param
	for _, p := range params {
		if p.Kind == graph.ParamPositional {
			out = append(out, p)
		}
	}
	return out
}

func arguments(s *graph.Symbol) []graph.Param {
	var out []graph.Param
	for _, p := range s.Params {
		if p.Kind != graph.ParamReceiver {
			out = append(out, p)
		}
	}
	return out
}

func find(params []graph.Param, name string) (graph.Param, bool) {
	for _, p := range params {
		if p.Name == name {
			return p, true
		}
	}
	return graph.Param{}, false
}

func nameOr(name string, i int) string {
	if name == "" || name == "_" {
		return fmt.Sprintf("%d", i+1)
	}
	return name
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
