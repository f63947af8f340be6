package review

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/filekind"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// Caps of the tests section.
const (
	maxTests  = 2_000 // tests listed; the commands run them all
	maxCovers = 50    // changed symbols named for one test
)

// A gap is a changed symbol that no known test reaches or, if it was measured,
// that nothing ran.
type gap struct {
	symbol  int32 // of head
	measure measure
	tests   int // that the graph leads there
}

// findGaps lists changed functions that no test reaches. What was measured
// decides where it can.
func (r *reviewer) findGaps(reached *reach) []gap {
	var gaps []gap
	for i := range reached.seeds {
		s := &reached.seeds[i]
		if !r.wantsTest(s.change) {
			continue
		}
		m := r.measureOf(s.change.head)
		if m.known() && !m.covered() || !m.known() && len(s.tests) == 0 {
			gaps = append(gaps, gap{s.change.head, m, len(s.tests)})
		}
	}
	slices.SortFunc(gaps, func(a, b gap) int {
		x, y := &r.Head.Symbols[a.symbol], &r.Head.Symbols[b.symbol]
		return cmp.Or(-cmp.Compare(btoi(x.Exported), btoi(y.Exported)), cmp.Compare(x.Path, y.Path), cmp.Compare(x.Line, y.Line), cmp.Compare(x.ID, y.ID))
	})
	return gaps
}

// wantsTest is true for new and changed code that runs: a function or method
// with a body, outside tests and generated files.
func (r *reviewer) wantsTest(c change) bool {
	s := &r.Head.Symbols[c.head]
	switch c.kind {
	case report.Added, report.Body, report.Signature, report.Renamed:
	default:
		return false
	}
	return s.Kind.Callable() && s.Digests.Body != graph.Digest{} && !s.Test && !(s.Language == "go" && implicit(s)) && !s.Generated && !r.inTests(s.Path)
}

// inTests reports whether a file holds tests or what only tests use.
func (r *reviewer) inTests(path string) bool {
	return r.testFiles()[path] || filekind.Of(path, string(worktree.ModeFile), nil, nil) == filekind.Test
}

// testFiles are the files of head that define tests.
func (r *reviewer) testFiles() map[string]bool {
	if r.testPaths == nil {
		r.testPaths = map[string]bool{}
		for i := range r.Head.Symbols {
			if s := &r.Head.Symbols[i]; s.Test {
				r.testPaths[s.Path] = true
			}
		}
	}
	return r.testPaths
}

// reportTests writes the tests to run and the gaps.
func (r *reviewer) reportTests(reached *reach, gaps []gap) {
	rows := r.reachingTests(reached)
	r.changedTests(rows)
	unrun := r.measuredTests(rows)
	tests := r.ranked(rows, reached)
	cmds := newCommands(r.Head)
	out := report.Tests{ToRun: []report.Test{}, Gaps: []report.Gap{}}
	for _, t := range tests {
		s := &r.Head.Symbols[t.symbol]
		cmds.add(s)
		if len(out.ToRun) < maxTests {
			out.ToRun = append(out.ToRun, report.Test{
				ID: string(s.ID), Name: display(s), Path: s.Path, Line: s.Line, Command: cmds.one(s), Covers: t.covers,
				Distance: t.distance, Basis: basisOf(t), Tier: tierOf(t),
			})
		}
	}
	if len(tests) > maxTests {
		r.caveat("review.tests_cut", "tests", "More tests reach the change than are listed; the commands run all of them.", len(tests)-maxTests, len(tests))
	}
	out.Total = len(tests)
	out.Commands = cmds.all()
	for _, g := range gaps {
		out.Gaps = append(out.Gaps, r.reportGap(g))
	}
	out.Measured = r.reportMeasured(unrun)
	r.out.Tests = out
}

// ranked orders tests: first those that the pull request changes, then those that
// ran the change, then those that no weak tier leads to the change, and the most
// likely to run it before the rest.
func (r *reviewer) ranked(rows map[int32]*testRow, reached *reach) []*testRow {
	tests := slices.Collect(maps.Values(rows))
	if len(tests) < 2 {
		return tests
	}
	var changes []int32
	for i := range reached.seeds {
		changes = append(changes, reached.seeds[i].change.head)
	}
	cost := costs(r.Head, changes)
	standing := func(t *testRow) int { return int(cost[t.symbol]) - t.kinship }
	slices.SortFunc(tests, func(a, b *testRow) int {
		return cmp.Or(cmp.Compare(btoi(a.distance > 0), btoi(b.distance > 0)), -cmp.Compare(btoi(a.measured), btoi(b.measured)),
			cmp.Compare(btoi(a.tier > graph.TierDispatch), btoi(b.tier > graph.TierDispatch)), cmp.Compare(standing(a), standing(b)),
			cmp.Compare(a.distance, b.distance), cmp.Compare(a.symbol, b.symbol))
	})
	return tests
}

// A testRow gathers what one test reaches.
type testRow struct {
	symbol   int32
	distance int
	tier     graph.Tier
	kinship  int // what its names have in common with what it reaches
	covers   []string

	measured bool // it ran the change
	open     bool // it may reach a change of which nobody measured who runs it
}

func tierOf(t *testRow) string {
	if t.tier == 0 {
		return graph.TierExact.String() // the test itself changed, or ran the change
	}
	return t.tier.String()
}

func basisOf(t *testRow) string {
	if t.measured {
		return "measured"
	}
	return "static"
}

// measuredTests adds the tests that ran a change. It leaves out, and counts,
// those that the graph names and that ran none of it.
func (r *reviewer) measuredTests(rows map[int32]*testRow) (unrun int) {
	if r.measured == nil {
		return 0
	}
	for _, c := range r.changes {
		if c.head == graph.None || !r.flows(c) {
			continue
		}
		tests, _ := r.ranBy(c.head)
		id, about := string(r.Head.Symbols[c.head].ID), r.subject(c.head, nil)
		for _, test := range tests {
			t := rows[test]
			if t == nil {
				t = &testRow{symbol: test, distance: 1}
				rows[test] = t
			}
			t.measured = true
			t.kinship = max(t.kinship, r.lexicon().kinship(test, about))
			if len(t.covers) < maxCovers && !slices.Contains(t.covers, id) {
				t.covers = append(t.covers, id)
			}
		}
	}
	for test, t := range rows {
		if t.distance > 0 && !t.measured && !t.open && r.measured.ran[test] {
			delete(rows, test)
			unrun++
		}
	}
	return unrun
}

func (r *reviewer) reachingTests(reached *reach) map[int32]*testRow {
	rows := map[int32]*testRow{}
	for i := range reached.seeds {
		s := &reached.seeds[i]
		_, told := r.ranBy(s.change.head)
		for _, h := range s.tests {
			t := rows[h.Symbol]
			if t == nil {
				t = &testRow{symbol: h.Symbol, distance: int(h.Distance), tier: h.Weakest}
				rows[h.Symbol] = t
			}
			t.kinship = max(t.kinship, r.lexicon().kinship(h.Symbol, s.about))
			t.distance, t.tier = min(t.distance, int(h.Distance)), min(t.tier, h.Weakest)
			t.open = t.open || !told
			if len(t.covers) < maxCovers {
				t.covers = append(t.covers, s.row.Symbol)
			}
		}
	}
	return rows
}

// changedTests adds the tests that the pull request itself adds or changes.
func (r *reviewer) changedTests(rows map[int32]*testRow) {
	for _, c := range r.changes {
		if c.head == graph.None || c.kind == report.Doc || c.kind == report.Formatting {
			continue
		}
		s := &r.Head.Symbols[c.head]
		if !s.Test || c.kind == report.Moved && s.Kind == graph.KindTest {
			continue
		}
		t := rows[c.head]
		if t == nil {
			t = &testRow{symbol: c.head}
			rows[c.head] = t
		}
		t.distance, t.tier = 0, 0
		t.covers = append([]string{string(s.ID)}, t.covers...)
	}
}

// reportGap says whether a changed symbol is known to lack a test, or only not
// known to have one.
func (r *reviewer) reportGap(g gap) report.Gap {
	s := &r.Head.Symbols[g.symbol]
	if g.measure.known() {
		return r.measuredGap(s, g)
	}
	check := r.checkUntested(g.symbol)
	row := report.Gap{Symbol: string(s.ID), Name: display(s), Path: s.Path, Line: s.Line, Check: *check}
	switch {
	case len(r.testsOf(s.Language)) == 0:
		row.State, row.Reason = "unknown", "no test in this language was recognised"
	case implicit(s):
		row.State, row.Reason = "unknown", "no path from a test leads here, but the language calls it without naming it"
	case check.Checked == report.Confirmed:
		row.State, row.Reason = "uncovered", "no path from a test leads here and no test names it"
	default:
		row.State, row.Reason = "unknown", "no path from a test leads here, but a test names it"
	}
	return row
}

// measuredGap is a gap that was measured: there is nothing left to search for.
func (r *reviewer) measuredGap(s *graph.Symbol, g gap) report.Gap {
	lines, of := g.measure.lines, "lines"
	if g.measure.changedLines > 0 {
		lines, of = g.measure.changedLines, "changed lines"
	}
	if lines == 1 {
		of = strings.TrimSuffix(of, "s")
	}
	reason := fmt.Sprintf("nothing ran its %d measured %s", lines, of)
	if g.tests > 0 {
		reason += fmt.Sprintf(", though the graph leads %s here", plural(g.tests, "test"))
	}
	return report.Gap{
		Symbol: string(s.ID), Name: display(s), Path: s.Path, Line: s.Line, State: "uncovered", Basis: "measured", Reason: reason,
		Check: report.Check{Checked: report.Confirmed, CheckedText: "Measured: " + reason + ".", Mentions: []report.Mention{}},
	}
}

// testsOf lists the tests of a language; JavaScript and TypeScript test one
// another.
func (r *reviewer) testsOf(language string) []int32 {
	if r.tests == nil {
		r.tests = map[string][]int32{}
		for i := range r.Head.Symbols {
			if s := &r.Head.Symbols[i]; s.Test {
				r.tests[family(s.Language)] = append(r.tests[family(s.Language)], int32(i))
			}
		}
	}
	return r.tests[family(language)]
}

// family joins the languages that share modules.
func family(language string) string {
	switch language {
	case "typescript", "tsx", "javascript":
		return "ecmascript"
	}
	return language
}
