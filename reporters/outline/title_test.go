package outline_test

import (
	"testing"

	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

func TestTitlesSayWhatMayBreakAndNeverPass(t *testing.T) {
	state := func(s report.State) func(*report.Report) {
		return func(r *report.Report) {
			for i := range r.Sections {
				r.Sections[i].State = s
			}
		}
	}
	for _, c := range []struct {
		want   string
		change func(*report.Report)
	}{
		{"nothing found to be broken", func(*report.Report) {}},
		{"nothing found to be broken in what was seen", state(report.Partial)},
		{"not searched for what breaks", state(report.Unavailable)},
		{"nothing found to be broken, 3 dependents outside tests", func(r *report.Report) { r.Impact.Total, r.Impact.Tests = 5, 2 }},
		{"nothing found to be broken, 1 untested change", func(r *report.Report) { r.Tests.Gaps = make([]report.Gap, 1) }},
		{"2 broken references, 1 breaking API change", func(r *report.Report) {
			r.Breaks, r.API.Removed = []report.Break{{Total: 2}, {}}, []string{"x"}
		}},
		{"policy failed: 1 new import cycle", func(r *report.Report) {
			r.Verdict.Outcome, r.Dependencies.CyclesAdded = report.Fail, [][]string{{"a", "b"}}
		}},
		{"incomplete: nothing found to be broken", func(r *report.Report) { r.Verdict.Outcome = report.Incomplete }},
	} {
		r := reporterstest.Empty()
		c.change(r)
		if got := outline.Title(r); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
