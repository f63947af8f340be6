package review

import (
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
)

func TestSignatureEffect(t *testing.T) {
	p := func(name, typ string) graph.Param { return graph.Param{Name: name, TypeText: typ} }
	opt := func(name string) graph.Param { return graph.Param{Name: name, Optional: true} }
	named := func(name string) graph.Param { return graph.Param{Name: name, Kind: graph.ParamNamed} }
	tests := []struct {
		claim    string
		language string
		old, now []graph.Param
		result   [2]string
		want     report.Effect
		reason   string
	}{
		{"go: another parameter type breaks", "go", []graph.Param{p("a", "int")}, []graph.Param{p("a", "int64")}, [2]string{}, report.Breaking, "parameter a: int → int64"},
		{"go: a gained parameter breaks", "go", nil, []graph.Param{p("a", "int")}, [2]string{}, report.Breaking, "gains parameter a"},
		{"go: a lost parameter breaks", "go", []graph.Param{p("a", "int")}, nil, [2]string{}, report.Breaking, "loses parameter a"},
		{"go: variadic added keeps calls and breaks values", "go", nil, []graph.Param{{Name: "opts", Kind: graph.ParamVariadic, TypeText: "string"}}, [2]string{},
			report.Breaking, "gains variadic parameter opts: calls still compile, uses as a value do not"},
		{"go: another result breaks", "go", nil, nil, [2]string{"int", "(int, error)"}, report.Breaking, "result: int → (int, error)"},
		{"go: only a name of a parameter", "go", []graph.Param{p("a", "int")}, []graph.Param{p("b", "int")}, [2]string{}, report.Compatible, "only names of parameters differ"},
		{"python: an optional parameter is compatible", "python", []graph.Param{p("a", "")}, []graph.Param{p("a", ""), opt("b")}, [2]string{}, report.Compatible, "gains optional parameter b"},
		{"python: a required parameter breaks", "python", []graph.Param{p("a", "")}, []graph.Param{p("a", ""), p("b", "")}, [2]string{}, report.Breaking, "gains required parameter b"},
		{"python: what is gained in front of the rest has its own name", "python",
			[]graph.Param{p("a", ""), {Name: "kw", Kind: graph.ParamNamedRest, Optional: true}},
			[]graph.Param{p("a", ""), opt("b"), {Name: "kw", Kind: graph.ParamNamedRest, Optional: true}}, [2]string{}, report.Compatible, "gains optional parameter b"},
		{"python: by name only from now on", "python", []graph.Param{p("a", ""), opt("b")}, []graph.Param{p("a", ""), {Name: "b", Kind: graph.ParamNamed, Optional: true}}, [2]string{},
			report.Breaking, "parameter b is now passed by name only"},
		{"python: a required keyword breaks", "python", nil, []graph.Param{named("key")}, [2]string{}, report.Breaking, "gains required parameter key"},
		{"python: a renamed parameter breaks keyword calls", "python", []graph.Param{p("a", "")}, []graph.Param{p("b", "")}, [2]string{}, report.Breaking, "parameter 1: a → b"},
		{"python: a default taken away breaks", "python", []graph.Param{opt("a")}, []graph.Param{p("a", "")}, [2]string{}, report.Breaking, "parameter a is now required"},
		{"python: a lost keyword breaks", "python", []graph.Param{p("a", ""), named("key")}, []graph.Param{p("a", "")}, [2]string{}, report.Breaking, "loses parameter key"},
		{"typescript: another type is unknown without a checker", "typescript", []graph.Param{p("a", "string")}, []graph.Param{p("a", "string | number")}, [2]string{}, report.UnknownEffect, "parameter a: string → string | number"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			x := &graph.Symbol{Name: "f", Kind: graph.KindFunction, Language: tt.language, Params: tt.old, Result: tt.result[0], Exported: true}
			y := &graph.Symbol{Name: "f", Kind: graph.KindFunction, Language: tt.language, Params: tt.now, Result: tt.result[1], Exported: true}
			effect, reason := signatureEffect(x, y)
			if effect != tt.want || reason != tt.reason {
				t.Errorf("got %s %q, want %s %q", effect, reason, tt.want, tt.reason)
			}
		})
	}
}

func TestTheReceiverIsNoArgument(t *testing.T) {
	self := graph.Param{Name: "self", Kind: graph.ParamReceiver}
	x := &graph.Symbol{Name: "f", Kind: graph.KindMethod, Language: "python", Params: []graph.Param{self}}
	y := &graph.Symbol{Name: "f", Kind: graph.KindMethod, Language: "python", Params: []graph.Param{self, {Name: "a", Optional: true}}}
	if effect, reason := signatureEffect(x, y); effect != report.Compatible {
		t.Errorf("got %s %q, want compatible", effect, reason)
	}
}
