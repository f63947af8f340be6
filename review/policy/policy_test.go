package policy

import (
	"slices"
	"testing"

	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/review/report"
)

func TestTheFirstEntryThatAFindingFitsDecides(t *testing.T) {
	j := &Judge{FailOn: []string{"breaks"}, Policy: report.Policy{Rules: []report.PolicyRule{
		{Rule: "breaks", Paths: []string{"gen/**"}, Fail: false, Reason: "generated"},
		{Rule: "breaks", Kinds: []string{"constant"}, Tiers: []string{"name"}, Fail: false, Reason: "only the name"},
		{Rule: "cycle", Fail: true, Reason: "never"},
	}}}
	for name, c := range map[string]struct {
		finding Finding
		fails   int
	}{
		"where no entry says otherwise": {Finding{Rule: "breaks", Kind: "function", Paths: []string{"a.go"}, Tier: "exact"}, 1},
		"where one does":                {Finding{Rule: "breaks", Kind: "function", Paths: []string{"gen/x/a.go"}, Tier: "exact"}, 0},
		"kind and tier":                 {Finding{Rule: "breaks", Kind: "constant", Paths: []string{"a.go"}, Tier: "name"}, 0},
		"kind alone":                    {Finding{Rule: "breaks", Kind: "constant", Paths: []string{"a.go"}, Tier: "exact"}, 1},
		"what stands nowhere":           {Finding{Rule: "breaks", Kind: "function"}, 1},
		"a rule that else is only told": {Finding{Rule: "cycle", Paths: []string{"a", "b"}}, 1},
		"a rule that nobody named":      {Finding{Rule: "api-breaking", Paths: []string{"a.go"}}, 0},
	} {
		got := j.Judge(c.finding.Rule, []Finding{c.finding})
		if got.Fails != c.fails || got.Told != 1-c.fails || len(got.Suppressed) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := j.Judge("breaks", []Finding{{Rule: "breaks", Paths: []string{"gen/a"}}, {Rule: "breaks", Paths: []string{"gen/b"}}})
	if len(got.Excused) != 1 || got.Excused[0].Count != 2 || got.Excused[0].Rule.Reason != "generated" {
		t.Errorf("%+v", got)
	}
}

func TestASuppressionHoldsWhileAllOfItIsTrue(t *testing.T) {
	decided := func(state memory.State, validity memory.Validity) map[string]Decided {
		return map[string]Decided{"d": {State: state, Validity: validity, Reason: "because", Decision: memory.Decision{ID: "d",
			Cites: []memory.Cite{{Symbol: "go:a.go#F/function"}, {Symbol: "python:b.py#/module"}}}}}
	}
	f := Finding{Rule: "breaks", Symbol: "go:a.go#F/function", Paths: []string{"x/c.go"}}
	day := memory.Moment{Day: "2026-05-10"}
	for name, c := range map[string]struct {
		suppression report.Suppression
		decisions   map[string]Decided
		finding     Finding
		holds       bool
	}{
		"what it cites":               {report.Suppression{Rule: "breaks", Decision: "d", Until: "2026-05-10"}, decided(memory.Applies, memory.InForce), f, true},
		"its file":                    {report.Suppression{Rule: "breaks", Decision: "d", Until: "2026-05-10"}, decided(memory.Applies, memory.InForce), Finding{Rule: "breaks", Symbol: "python:b.py#g/function", Paths: []string{"b.py"}}, true},
		"what it does not cite":       {report.Suppression{Rule: "breaks", Decision: "d", Until: "2026-05-10"}, decided(memory.Applies, memory.InForce), Finding{Rule: "breaks", Symbol: "go:a.go#G/function"}, false},
		"a path that it names":        {report.Suppression{Rule: "breaks", Decision: "d", Paths: []string{"x/*"}, Until: "2026-05-10"}, decided(memory.Applies, memory.InForce), Finding{Rule: "breaks", Paths: []string{"x/c.go"}}, true},
		"another path":                {report.Suppression{Rule: "breaks", Decision: "d", Paths: []string{"y/*"}, Until: "2026-05-10"}, decided(memory.Applies, memory.InForce), f, false},
		"another rule":                {report.Suppression{Rule: "cycle", Decision: "d", Until: "2026-05-10"}, decided(memory.Applies, memory.InForce), f, false},
		"after its end":               {report.Suppression{Rule: "breaks", Decision: "d", Until: "2026-05-09"}, decided(memory.Applies, memory.InForce), f, false},
		"without the decision":        {report.Suppression{Rule: "breaks", Decision: "d", Until: "2026-05-10"}, nil, f, false},
		"a decision that has ended":   {report.Suppression{Rule: "breaks", Decision: "d", Until: "2026-05-10"}, decided(memory.Applies, memory.Expired), f, false},
		"a decision about other code": {report.Suppression{Rule: "breaks", Decision: "d", Until: "2026-05-10"}, decided(memory.Drifted, memory.InForce), f, false},
	} {
		j := &Judge{FailOn: []string{"breaks"}, Policy: report.Policy{Suppress: []report.Suppression{c.suppression}}, Decisions: c.decisions, At: day}
		got := j.Judge("breaks", []Finding{c.finding})
		want := []report.Suppressed(nil)
		if c.holds {
			want = []report.Suppressed{{Rule: "breaks", Decision: "d", Until: "2026-05-10", Count: 1}}
		}
		if !slices.Equal(got.Suppressed, want) || (got.Fails == 0) != c.holds {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
