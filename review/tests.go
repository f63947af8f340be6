package review

import (
	"cmp"
	"maps"
	"slices"

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

// A gap is a changed symbol that no known test reaches.
type gap struct {
	symbol int32 // of head
}

// findGaps lists changed functions that no test reaches.
func (r *reviewer) findGaps(reached *reach) []gap {
	var gaps []gap
	for i := range reached.seeds {
		s := &reached.seeds[i]
		if len(s.tests) == 0 && r.wantsTest(s.change) {
			gaps = append(gaps, gap{s.change.head})
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
	tests := slices.Collect(maps.Values(rows))
	slices.SortFunc(tests, func(a, b *testRow) int {
		return cmp.Or(cmp.Compare(btoi(a.distance > 0), btoi(b.distance > 0)), cmp.Compare(a.tier, b.tier),
			cmp.Compare(btoi(a.distance > 1), btoi(b.distance > 1)), -cmp.Compare(a.likeness, b.likeness),
			cmp.Compare(a.distance, b.distance), cmp.Compare(a.symbol, b.symbol))
	})
	cmds := newCommands(r.Head)
	out := report.Tests{ToRun: []report.Test{}, Gaps: []report.Gap{}}
	for _, t := range tests {
		s := &r.Head.Symbols[t.symbol]
		cmds.add(s)
		if len(out.ToRun) < maxTests {
			out.ToRun = append(out.ToRun, report.Test{
				ID: string(s.ID), Name: display(s), Path: s.Path, Line: s.Line, Command: cmds.one(s), Covers: t.covers,
				Distance: t.distance, Basis: "static", Tier: tierOf(t),
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
	r.out.Tests = out
}

// A testRow gathers what one test reaches.
type testRow struct {
	symbol   int32
	distance int
	tier     graph.Tier
	likeness int // how far its name says that it is about what it reaches, in percent
	covers   []string
}

func tierOf(t *testRow) string {
	if t.tier == 0 {
		return graph.TierExact.String() // the test itself changed
	}
	return t.tier.String()
}

func (r *reviewer) reachingTests(reached *reach) map[int32]*testRow {
	rows := map[int32]*testRow{}
	for i := range reached.seeds {
		s := &reached.seeds[i]
		name := words(r.Head.Symbols[s.change.head].Name)
		for _, h := range s.tests {
			t := rows[h.Symbol]
			if t == nil {
				t = &testRow{symbol: h.Symbol, distance: int(h.Distance), tier: h.Weakest}
				rows[h.Symbol] = t
			}
			t.likeness = max(t.likeness, likeness(name, words(r.Head.Symbols[h.Symbol].Name)))
			t.distance, t.tier = min(t.distance, int(h.Distance)), min(t.tier, h.Weakest)
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
