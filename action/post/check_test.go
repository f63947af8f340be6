package post_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/action/actiontest"
	"github.com/previdence/previdence/reporters/annotate"
	"github.com/previdence/previdence/review/report"
)

// broken is a report with n references that broke, each in a file of its own.
func broken(n int) *report.Report {
	r := nothing(head)
	b := report.Break{Symbol: "go:pay/refund.go#Refund/function", Name: "Refund", Kind: "function", Path: "pay/refund.go", Line: 14, Change: report.Removed, Total: n}
	for i := range n {
		b.References = append(b.References, report.Reference{Symbol: fmt.Sprintf("go:orders/f%03d.go#Cancel/function", i), Name: "Cancel",
			Path: fmt.Sprintf("orders/f%03d.go", i), Line: i + 1, Tier: "compiler", Kind: "call", Reason: "no such name"})
	}
	r.Breaks = []report.Break{b}
	return r
}

// onlyCheck is a rig that posts no comment.
func onlyCheck(t *testing.T) *rig {
	g := open(t)
	g.options.Comment = "never"
	return g
}

func (g *rig) checkRun() actiontest.CheckRun {
	g.t.Helper()
	all := g.hub.State().CheckRuns
	if len(all) != 1 {
		g.t.Fatalf("%d check runs, want one", len(all))
	}
	return all[0]
}

// whole reports what is wrong with the annotations of a check run that shall
// have the first n of a report.
func whole(c actiontest.CheckRun, r *report.Report, n int) error {
	var got, want []string
	for _, a := range c.Annotations {
		got = append(got, fmt.Sprint(a.Path, a.StartLine, a.Title))
	}
	for _, a := range annotate.List(r)[:n] {
		want = append(want, fmt.Sprint(a.Path, a.StartLine, a.Title))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%d annotations, want %d, each once and in order: %.300q", len(got), len(want), got)
	}
	return nil
}

func TestAnnotationsComeInFifties(t *testing.T) {
	for _, c := range []struct {
		broken, shown int
		writes        []string
	}{
		{0, 0, []string{"POST /check-runs"}},
		{50, 50, []string{"POST /check-runs"}},
		{51, 51, []string{"POST /check-runs", "PATCH /check-runs/5001"}},
		{101, 101, []string{"POST /check-runs", "PATCH /check-runs/5001", "PATCH /check-runs/5001"}},
		{300, 250, []string{"POST /check-runs", "PATCH /check-runs/5001", "PATCH /check-runs/5001", "PATCH /check-runs/5001", "PATCH /check-runs/5001"}},
	} {
		t.Run(fmt.Sprint(c.broken), func(t *testing.T) {
			g := onlyCheck(t)
			g.publish(broken(c.broken))
			writes := g.hub.Writes()
			for i, w := range writes {
				if last := i == len(writes)-1; strings.Contains(w.Body, `"in_progress"`) == last || strings.Contains(w.Body, `"completed"`) != last {
					t.Errorf("write %d of %d: %.200s", i+1, len(writes), w.Body)
				}
			}
			g.wrote(c.writes...)
			run := g.checkRun()
			if err := whole(run, broken(c.broken), c.shown); err != nil {
				t.Error(err)
			}
			if said := strings.Contains(run.Summary, "250 of 300 annotations shown"); said != (c.broken > c.shown) {
				t.Errorf("says that annotations are left out: %v", said)
			}
			g.attempt++
			g.publish(broken(c.broken))
			g.wrote()
		})
	}
}

func TestACheckRunThatWasCutOffIsFinished(t *testing.T) {
	cut := func(fault actiontest.Fault) *rig {
		g := onlyCheck(t)
		g.hub.Change(func(s *actiontest.State) { s.Faults = []actiontest.Fault{fault} })
		g.publish(broken(120))
		return g
	}
	t.Run("by the next attempt", func(t *testing.T) {
		g := cut(actiontest.Fault{Method: "PATCH", Path: "/check-runs/", Status: 429, Times: 1, Header: map[string]string{"Retry-After": "9999"}, Body: "{}"})
		if c := g.checkRun(); c.Status != "in_progress" || len(c.Annotations) != 50 {
			t.Fatalf("check run %s with %d annotations", c.Status, len(c.Annotations))
		}
		g.written()
		g.attempt++
		g.publish(broken(120))
		g.wrote("PATCH /check-runs/5001", "PATCH /check-runs/5001")
		if err := whole(g.checkRun(), broken(120), 120); err != nil || g.checkRun().Status != "completed" {
			t.Error(g.checkRun().Status, err)
		}
	})
	for _, c := range []struct {
		claim string
		fault actiontest.Fault
	}{
		{"after an answer that was lost", actiontest.Fault{Method: "PATCH", Path: "/check-runs/", Status: 502, Times: 1, Late: true}},
		{"after a write that was lost", actiontest.Fault{Method: "PATCH", Path: "/check-runs/", Status: 502, Times: 1}},
		{"after the answer to its creation was lost", actiontest.Fault{Method: "POST", Path: "/check-runs", Status: 504, Times: 1, Late: true}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			g := cut(c.fault)
			if err := whole(g.checkRun(), broken(120), 120); err != nil || g.checkRun().Status != "completed" {
				t.Error(g.checkRun().Status, err)
			}
		})
	}
}

func TestAnAnnotationThatGitHubRefusesLosesItsFifty(t *testing.T) {
	for _, c := range []struct {
		claim  string
		fault  actiontest.Fault
		writes []string
		left   int
	}{
		{"of the first write", actiontest.Fault{Method: "POST", Path: "/check-runs", Status: 422, Times: 1, Body: `{"message":"Invalid request."}`},
			[]string{"POST /check-runs", "POST /check-runs", "PATCH /check-runs/5001"}, 10},
		{"of a later write", actiontest.Fault{Method: "PATCH", Path: "/check-runs/", Status: 422, Times: 1, Body: `{"message":"Invalid request."}`},
			[]string{"POST /check-runs", "PATCH /check-runs/5001", "PATCH /check-runs/5001"}, 50},
	} {
		t.Run(c.claim, func(t *testing.T) {
			g := onlyCheck(t)
			g.hub.Change(func(s *actiontest.State) { s.Faults = []actiontest.Fault{c.fault} })
			res := g.publish(broken(60))
			g.wrote(c.writes...)
			run := g.checkRun()
			if run.Status != "completed" || len(run.Annotations) != c.left || len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], fmt.Sprintf("%d annotations not published", 60-c.left)) {
				t.Errorf("check run %s with %d annotations, degraded %q", run.Status, len(run.Annotations), res.Degraded)
			}
		})
	}
}

func TestACheckRunThatSaysSomethingElse(t *testing.T) {
	t.Run("is changed if it has no annotations", func(t *testing.T) {
		g := onlyCheck(t)
		g.publish(nothing(head))
		g.written()
		g.attempt++
		g.publish(broken(1))
		g.wrote("PATCH /check-runs/5001")
		if err := whole(g.checkRun(), broken(1), 1); err != nil {
			t.Error(err)
		}
	})
	t.Run("is followed by another if it has some", func(t *testing.T) {
		g := onlyCheck(t)
		g.publish(broken(2))
		g.written()
		g.attempt++
		g.publish(broken(1))
		g.wrote("POST /check-runs")
		if err := whole(g.hub.State().CheckRuns[1], broken(1), 1); err != nil {
			t.Error(err)
		}
		g.run-- // an older run ends late
		g.publish(broken(3))
		g.wrote()
	})
	t.Run("is left alone if it is not ours", func(t *testing.T) {
		g := onlyCheck(t)
		g.hub.Change(func(s *actiontest.State) {
			s.CheckRuns = []actiontest.CheckRun{{ID: 3, Head: head, Name: "previdence", App: "other", Status: "completed", Conclusion: "success"}}
		})
		g.publish(nothing(head))
		g.wrote("POST /check-runs")
	})
}

func TestConclusions(t *testing.T) {
	for _, c := range []struct {
		claim   string
		outcome report.Outcome
		rules   []string
		want    string
	}{
		{"what the policy fails on is a failure", report.Fail, []string{"breaks"}, "failure"},
		{"a policy that is met is a success", report.Pass, []string{"breaks"}, "success"},
		{"without a policy nothing was demanded", report.Pass, nil, "neutral"},
		{"what could not be evaluated is no pass", report.Incomplete, []string{"breaks"}, "neutral"},
		{"an outcome that nobody knows is no pass", "splendid", []string{"breaks"}, "neutral"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			g := onlyCheck(t)
			r := nothing(head)
			r.Verdict.Outcome, r.Provenance.Config.FailOn = c.outcome, c.rules
			g.publish(r)
			if got := g.checkRun().Conclusion; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
