package outline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

var limits = Limits{10, 40}

// text is a cell as plain words.
func text(c Cell) string {
	var b strings.Builder
	for _, p := range c {
		b.WriteString(p.Text)
	}
	return b.String()
}

func lines(o *Outline, name string) []string {
	var out []string
	for _, s := range o.Sections {
		if s.Name != name {
			continue
		}
		for _, b := range s.Blocks {
			for _, r := range b.Rows {
				out = append(out, strings.Repeat("  ", r.Level)+text(b.Line(r)))
			}
		}
	}
	return out
}

func headline(o *Outline, name string) string {
	for _, s := range o.Sections {
		if s.Name == name {
			return text(s.Headline)
		}
	}
	return ""
}

func TestNewKeepsTheOrderOfAReview(t *testing.T) {
	var got []string
	for _, s := range New(reporterstest.Empty(), limits).Sections {
		got = append(got, s.Name)
	}
	want := "breaks impact tests api nothing dependencies documents changes coverage"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestSubject(t *testing.T) {
	for _, c := range []struct {
		claim string
		spoil func(s *report.Subject)
		want  string
	}{
		{"repository, number, commits and references", func(*report.Subject) {},
			"acme/pay pull request 42 from merge base cccccccccccc with main to head dddddddddddd of retry-refunds: 0 files and 0 symbols changed"},
		{"commits that were asked for by commit are named once", func(s *report.Subject) {
			s.Repository, s.PullRequest, s.Base.Ref, s.Head.Ref = "", 0, s.Base.Commit, s.Head.Commit[:9]
		}, "From merge base cccccccccccc to head dddddddddddd: 0 files and 0 symbols changed"},
		{"HEAD says nothing", func(s *report.Subject) { s.Head.Ref = "HEAD" },
			"acme/pay pull request 42 from merge base cccccccccccc with main to head dddddddddddd: 0 files and 0 symbols changed"},
		{"criss-cross histories are named", func(s *report.Subject) { s.MergeBases = append(s.MergeBases, "f") },
			"acme/pay pull request 42 from merge base cccccccccccc with main to head dddddddddddd of retry-refunds: 0 files and 0 symbols changed; one of 2 merge bases"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			r := reporterstest.Empty()
			c.spoil(&r.Subject)
			if got := text(New(r, limits).Subject); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestBreaksPutRemovedSymbolsFirst(t *testing.T) {
	r := reporterstest.Empty()
	r.Breaks = []report.Break{
		{Name: "Many", Change: report.Signature, Total: 9}, {Name: "Gone", Change: report.Removed, Total: 2},
		{Name: "Moved", Change: report.Moved, Total: 2}, {Name: "Lost", Change: report.Removed, Total: 1}}
	got := lines(New(r, limits), "breaks")
	for i, want := range []string{"Gone", "Lost", "Many", "Moved"} {
		if !strings.Contains(got[i], want) {
			t.Errorf("row %d is %q, want %s", i, got[i], want)
		}
	}
	if r.Breaks[0].Name != "Many" {
		t.Error("the report was reordered")
	}
}

func TestModuleIsNamedByItsPlace(t *testing.T) {
	r := reporterstest.Empty()
	r.Impact.Symbols = []report.SymbolImpact{{Symbol: "a", Name: "a", Total: 1, Dependents: []report.Dependent{
		{Symbol: "m", Name: "pkg/m.py", Path: "pkg/m.py", Line: 1, Site: 7, Distance: 1, Kind: "import", Tier: "exact"}}}}
	got := lines(New(r, limits), "impact")
	if want := "  1 module at pkg/m.py:7 (import, exact)"; len(got) != 2 || got[1] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNamesInTheTextAreNoReferences(t *testing.T) {
	only := report.Break{Name: "Gone", Kind: "function", Path: "a.go", Line: 1, Change: report.Removed,
		Check: report.Check{Checked: report.Contradicted, CheckedText: "1 mention.", Mentions: []report.Mention{{Path: "b.sh", Line: 2}}}}
	for _, c := range []struct {
		claim string
		list  []report.Break
		want  string
	}{
		{"only in the text", []report.Break{only}, "none found, 1 symbol that only the text names"},
		{"in doubt and against", []report.Break{{Name: "Odd", Change: report.Removed, Check: report.Check{Checked: report.NotConfirmed}}, only},
			"none found, 2 symbols that only the text names"},
		{"beside real ones", []report.Break{only, {Name: "X", Total: 3}}, "3 references to 1 removed or changed symbol: X, 1 symbol that only the text names"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			r := reporterstest.Empty()
			r.Breaks = c.list
			o := New(r, limits)
			if got := headline(o, "breaks"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			rows := strings.Join(lines(o, "breaks"), "\n")
			gone := strings.Index(rows, "removed function Gone at a.go:1\n  text search: contradicted: 1 mention; see b.sh:2")
			if odd := strings.Index(rows, "Odd"); gone < 0 || odd >= 0 && odd < gone {
				t.Errorf("got %q", rows)
			}
		})
	}
}

func TestHeadlines(t *testing.T) {
	small, empty := New(reporterstest.Small(), limits), New(reporterstest.Empty(), limits)
	for _, c := range []struct {
		claim, section string
		of             *Outline
		want           string
	}{
		{"what is broken is counted and named", "breaks", small, "2 references to 1 removed or changed symbol: Refund"},
		{"a section seen in part says why", "impact", small, "4 symbols within 4 edges (1 of them tests), 1 main function (seen in part: 3 files were not parsed whole)"},
		{"tests and gaps stand side by side", "tests", small, "1 test to run: go test ./pay -run '^TestCharge$', 1 changed symbol without a test: Refund"},
		{"breaking changes are told apart", "api", small, "1 removed: Refund; 1 breaking: Policy.Next; 1 added"},
		{"files and lines are summed", "changes", small, "3 files (+12 −55), 3 symbols: 1 removed, 1 signature changed, 1 added"},
		{"nothing found is said", "breaks", empty, "none found"},
		{"nobody looked is said otherwise", "documents", empty, "not looked at (unavailable: no extractor for this kind of document)"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if got := headline(c.of, c.section); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("a reason that sections share is said once", func(t *testing.T) {
		r := reporterstest.Small()
		for i := range r.Sections {
			r.Sections[i].State, r.Sections[i].Reason = report.Partial, "7 calls unresolved"
		}
		o := New(r, limits)
		if got := headline(o, "breaks"); got != "2 references to 1 removed or changed symbol: Refund" {
			t.Errorf("got %q", got)
		}
		if got := o.Reasons[len(o.Reasons)-1]; len(o.Reasons) != 3 || got != (Reason{Rule: "seen in part", Text: "7 calls unresolved"}) {
			t.Errorf("got %v", o.Reasons)
		}
	})
	t.Run("a section that the report lacks was not looked at", func(t *testing.T) {
		r := reporterstest.Empty()
		r.Sections = nil
		if got := headline(New(r, limits), "breaks"); !strings.HasPrefix(got, "not looked at") {
			t.Errorf("got %q", got)
		}
	})
}

func TestRows(t *testing.T) {
	o := New(reporterstest.Small(), limits)
	for _, c := range []struct{ claim, section, want string }{
		{"a break names what is gone", "breaks", "removed function Refund at pay/refund.go:14: 2 references left"},
		{"a reference has place, tier and reason", "breaks", "  orders/cancel.go:88 in Cancel (call, compiler): no such name in package pay"},
		{"a check names mentions", "breaks", "  text search: contradicted: 2 mentions outside the graph; see scripts/replay.sh:9 (file not parsed), pay/doc.go:3 (comment or string)"},
		{"a dependent stands at the line that uses it", "impact", "  2 Cancel at orders/cancel.go:91 (call, compiler) through Client.Charge"},
		{"a path names its steps", "impact", "  3 main at cmd/server/main.go:77 (dispatch, dispatch) through Cancel, Client.Charge"},
		{"an entry point says how far", "impact", "main function main at cmd/server/main.go:30, distance 3"},
		{"a change without dependents is named", "impact", "Refund at pay/refund.go:14 (removed)"},
		{"a test can be run", "tests", "go test ./pay -run '^TestCharge$'"},
		{"a test covers", "tests", "TestCharge at pay/charge_test.go:12 (distance 2, compiler) covers Policy.Next"},
		{"a gap has a state, and a claim that holds is one line", "tests", "Refund at pay/refund.go:14 uncovered; text search: confirmed"},
		{"a claim that may not hold says why", "impact", "  text search: not confirmed: 3 files could not be searched"},
		{"an API change shows what differs", "api", "breaking Policy.Next at pay/retry.go:31: parameter n: int → int64"},
		{"a cycle closes", "dependencies", "new cycle: orders → pay → orders"},
		{"a document names what is gone", "documents", "docs/refunds.md:40 Refund a payment mentions removed: Refund, --refund (now --pay-back), pay/refund.go"},
		{"a file that was not compared says why", "changes", "docs/logo.png modified, binary: not text"},
		{"a caveat has a denominator", "coverage", "impact: built for linux/amd64; files for other platforms were not type-checked, seen0001 (6 of 412)"},
		{"a language says how its calls were resolved", "coverage", "go: 412 files, 409 parsed whole, 2 in part, 1 skipped; calls by tier: 3,120 compiler, 87 dispatch, 4 unresolved, 1,902 external"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			got := lines(o, c.section)
			for _, l := range got {
				if l == c.want {
					return
				}
			}
			t.Errorf("no row %q in\n%s", c.want, strings.Join(got, "\n"))
		})
	}
}

// TestRanks checks what any reporter relies on: ranks are unique, a head comes
// before its rows, and the limits hold.
func TestRanks(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			o := New(f.Make(), limits)
			seen := map[int]bool{}
			for _, s := range o.Sections {
				if s.Diagram != nil {
					seen[s.Diagram.Rank] = true
				}
				blocks := s.Blocks
				if s.Glance != nil {
					blocks = append(blocks, *s.Glance)
				}
				for _, b := range blocks {
					head, dropped := Always, 0
					for _, r := range b.Rows {
						if r.Level == 0 {
							head = r.Rank
						}
						if r.Rank < head {
							t.Errorf("%s: a row has rank %d, its head %d", s.Name, r.Rank, head)
						}
						if r.Rank == Always {
							continue
						}
						dropped++
						if seen[r.Rank] || r.Rank >= o.Ranks {
							t.Errorf("%s: rank %d is taken or beyond %d", s.Name, r.Rank, o.Ranks)
						}
						seen[r.Rank] = true
					}
					if dropped > 40 {
						t.Errorf("%s: %d rows of a block", s.Name, dropped)
					}
				}
			}
			if len(seen) != o.Ranks {
				t.Errorf("%d ranks given, %d said", len(seen), o.Ranks)
			}
		})
	}
}

func TestEveryBlockShowsTenRowsBeforeAnyShowsMore(t *testing.T) {
	o := New(reporterstest.Huge(), limits)
	first := 0
	for _, s := range o.Sections {
		for _, b := range s.Blocks {
			for i, r := range b.Rows {
				if i < 10 && r.Level == 0 && r.Rank != Always {
					first = max(first, r.Rank)
				}
			}
		}
	}
	if first == 0 || first > 10*14 {
		t.Errorf("the tenth row of a block has rank %d", first)
	}
}

func TestNote(t *testing.T) {
	rows := []Row{{Key: "a", Rank: 0}, {Key: "a", Rank: 1}, {Rank: 2}, {Key: "b", Rank: 3}}
	for _, c := range []struct {
		claim string
		total int
		rank  int
		want  string
	}{
		{"what is whole needs no note", 2, 4, ""},
		{"a thing counts once", 340, 4, "2 of 340 dependents shown"},
		{"a row that counts as nothing does not count", 340, 3, "1 of 340 dependents shown"},
		{"none is said aloud", 1, 0, "0 of 1 dependent shown"},
		{"large numbers have commas", 10_000, 1, "1 of 10,000 dependents shown"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			b := Block{Rows: rows, Total: c.total, Noun: "dependent"}
			if got := b.Note(c.rank); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n    int
		noun string
		want string
	}{{0, "file", "0 files"}, {1, "file", "1 file"}, {2, "dependency", "2 dependencies"}, {2, "class", "2 classes"}, {1234, "file", "1,234 files"}} {
		if got := Count(c.n, c.noun); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestLookup(t *testing.T) {
	known := map[string]symbol{"go:a.go#X/type": {"X", "a.go", 3}}
	for _, c := range []struct {
		claim, id string
		want      symbol
	}{
		{"a known ID has a line", "go:a.go#X/type", symbol{"X", "a.go", 3}},
		{"an unknown ID is taken apart", "python:a/b.py#C.m/method", symbol{"C.m", "a/b.py", 0}},
		{"a module is named by its path", "python:a/b.py#/module", symbol{"a/b.py", "a/b.py", 0}},
		{"what is no ID names itself", "nonsense", symbol{"nonsense", "", 0}},
		{"half an ID names itself", "go:nonsense", symbol{"go:nonsense", "", 0}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if got := lookup(known, c.id); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestDiagram(t *testing.T) {
	diagramOf := func(r *report.Report) *Diagram {
		for _, s := range New(r, limits).Sections {
			if s.Diagram != nil {
				return s.Diagram
			}
		}
		return nil
	}
	t.Run("arrows lead to the change", func(t *testing.T) {
		d := diagramOf(reporterstest.Small())
		var got []string
		for _, a := range d.Arrows {
			got = append(got, fmt.Sprintf("%s-%s>%s", d.Boxes[a.From].Name, a.Kind, d.Boxes[a.To].Name))
		}
		want := "Client.Charge-call>Policy.Next Cancel-call>Client.Charge TestCharge-call>Client.Charge main-dispatch>Cancel"
		if strings.Join(got, " ") != want || !d.Boxes[0].Changed || d.Total != len(d.Boxes) {
			t.Errorf("got %v of %d in all", got, d.Total)
		}
	})
	t.Run("never more than thirty boxes", func(t *testing.T) {
		if d := diagramOf(reporterstest.Huge()); len(d.Boxes) != mostBoxes || d.Total != 10_060 {
			t.Errorf("%d boxes of %d", len(d.Boxes), d.Total)
		}
	})
	t.Run("nothing reached is no picture", func(t *testing.T) {
		if d := diagramOf(reporterstest.Empty()); d != nil {
			t.Errorf("got %v", d)
		}
	})
	t.Run("a symbol that reaches itself is one box", func(t *testing.T) {
		r := reporterstest.Empty()
		r.Impact.Symbols = []report.SymbolImpact{{Symbol: "a", Name: "a", Total: 1,
			Dependents: []report.Dependent{{Symbol: "a", Name: "a", Kind: "call"}, {Symbol: "b", Name: "b", Kind: "call"}}}}
		if d := diagramOf(r); len(d.Boxes) != 2 || len(d.Arrows) != 2 {
			t.Errorf("got %v", d)
		}
	})
}

func TestFit(t *testing.T) {
	o := &Outline{Ranks: 10}
	draw := func(rank int) []byte { return []byte(strings.Repeat("x", 5+rank)) }
	for _, c := range []struct {
		claim        string
		budget, want int
	}{
		{"no budget is no limit", 0, 15},
		{"what fits is whole", 15, 15},
		{"one byte less is one row less", 14, 14},
		{"the least is no rows", 5, 5},
	} {
		t.Run(c.claim, func(t *testing.T) {
			got, err := o.Fit(c.budget, draw)
			if err != nil || len(got) != c.want {
				t.Errorf("%d bytes, %v, want %d", len(got), err, c.want)
			}
		})
	}
	t.Run("less than the least is refused", func(t *testing.T) {
		if got, err := o.Fit(4, draw); !errors.Is(err, ErrBudget) || got != nil {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestOverlapIsSaidOnlyWhereThereIsSome(t *testing.T) {
	find := func(r *report.Report) *Section {
		for _, s := range New(r, limits).Sections {
			if s.Name == "overlap" {
				return &s
			}
		}
		return nil
	}
	r := reporterstest.Small()
	s := find(r)
	if s == nil || len(s.Blocks) != 1 || s.Blocks[0].Total != 3 {
		t.Fatalf("section is %+v", s)
	}
	if got := text(s.Headline); got != "1 pull request of the same run touches the same code" {
		t.Errorf("headline %q", got)
	}
	r.Overlap = nil
	if s := find(r); s != nil {
		t.Errorf("a report made alone says %q", text(s.Headline))
	}
}

func TestUnreachedPutsWhatTellsMostFirst(t *testing.T) {
	r := reporterstest.Empty()
	add := func(name, state string, mentions int) {
		r.Impact.Symbols = append(r.Impact.Symbols, report.SymbolImpact{Symbol: name, Name: name, Change: report.Removed,
			Check: &report.Check{Checked: state, CheckedText: "12 files searched as text: found.", MentionsTotal: mentions}})
	}
	add("Sure", report.Confirmed, 0)
	add("Common", report.NotConfirmed, 97)
	add("Rare", report.NotConfirmed, 1)
	add("Against", report.Contradicted, 2)
	var got []string
	for _, l := range lines(New(r, limits), "impact") {
		if name, _, ok := strings.Cut(l, " at "); ok {
			got = append(got, name)
		} else if l != "  text search: contradicted: found" && l != "  text search: not confirmed: found" {
			t.Errorf("row %q", l)
		}
	}
	if want := "Against Rare Common Sure"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestDependentsAreListedOnce(t *testing.T) {
	dep := func(name string) report.Dependent {
		return report.Dependent{Symbol: name, Name: name, Path: "a.go", Line: 1, Distance: 1, Kind: "call", Tier: "exact"}
	}
	r := reporterstest.Empty()
	r.Impact.Symbols = []report.SymbolImpact{
		{Symbol: "A", Name: "A", Change: report.Body, Total: 2, Dependents: []report.Dependent{dep("x"), dep("y")}},
		{Symbol: "B", Name: "B", Change: report.Body, Total: 2, Dependents: []report.Dependent{dep("y"), dep("z")}},
		{Symbol: "C", Name: "C", Change: report.Body, Total: 1, Dependents: []report.Dependent{dep("x")}}}
	got := strings.Join(lines(New(r, limits), "impact"), "\n")
	want := `body changed A: 2 reach it
  1 x at a.go:1 (call, exact)
  1 y at a.go:1 (call, exact)
body changed B: 2 reach it, 1 listed above
  1 z at a.go:1 (call, exact)`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestRenamedIsOneChangeOfTheAPI(t *testing.T) {
	r := reporterstest.Empty()
	r.Changes.Symbols = []report.SymbolChange{{ID: "go:a.go#New/type", Name: "New", Kind: "type", Language: "go", Path: "a.go", Line: 4,
		Change: report.Renamed, Old: &report.Version{Path: "a.go", Line: 3, Name: "Old"}}}
	r.API.Removed, r.API.Added = []string{"go:a.go#Old/type", "go:a.go#Gone/type"}, []string{"go:a.go#New/type"}
	o := New(r, limits)
	if got, want := strings.Join(lines(o, "api"), "\n"), "renamed Old → New at a.go:4\nremoved Gone at a.go"; got != want {
		t.Errorf("got %q", got)
	}
	if got, want := headline(o, "api"), "1 removed: Gone; 1 renamed: Old"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatIsAddedAsAWholeIsOneChange(t *testing.T) {
	change := func(name string, c report.Change) report.SymbolChange {
		return report.SymbolChange{ID: "a.ts#" + name, Name: name, Kind: "type", Path: "a.ts", Line: 1, Change: c}
	}
	r := reporterstest.Empty()
	r.Changes.Symbols = []report.SymbolChange{change("Old.gone", report.Removed), change("New", report.Added), change("New.a", report.Added),
		change("New.a.b", report.Added), change("Old.fresh", report.Added), change("New.c", report.Body)}
	got := strings.Join(lines(New(r, limits), "changes"), "\n")
	want := "removed type Old.gone at a.ts:1\nbody changed type New.c at a.ts:1\nadded type New with 2 members at a.ts:1\nadded type Old.fresh at a.ts:1"
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestCodeThatNothingReadsIsOneCaveat(t *testing.T) {
	r := reporterstest.Empty()
	r.Caveats = []report.Caveat{
		{ID: "files.unsupported", Section: "coverage", Text: "Data.", Count: 9, Of: 40, Examples: []string{"a.json"}},
		{ID: "files.unsupported.rust", Section: "coverage", Text: "Rust.", Count: 2, Of: 40},
		{ID: "files.unsupported.shell", Section: "coverage", Text: "Shell.", Count: 1, Of: 40}}
	r.Coverage.Languages = []report.LanguageCoverage{{Language: "go", Files: 3, Parsed: 3}, {Language: "json", Files: 9, Skipped: 9}, {Language: "rust", Files: 2, Skipped: 2}}
	r.Coverage.Files = []report.FileCoverage{{Path: "a.json", State: "unsupported"}, {Path: "b.json", State: "unsupported", Changed: true}, {Path: "c.go", State: "failed"}}
	got := strings.Join(lines(New(r, limits), "coverage"), "\n")
	want := `coverage: Code in languages without extractor: what it uses is not in the graph (3 of 40): 2 rust, 1 shell
coverage: Data (9 of 40)
go: 3 files, 3 parsed whole
not read: 9 json, 2 rust
b.json unsupported, changed here
c.go failed`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestHeadOfATableIsShownWithItsRowsOnly(t *testing.T) {
	head, row := Row{Cells: []Cell{nil}}, Row{Level: 1, Key: "a", Cells: []Cell{nil, nil}}
	late := row
	late.Rank = 5
	b := Block{Layout: Table, Rows: []Row{head, row, head, late, head}}
	if rows, things := b.Shown(1); len(rows) != 2 || things != 1 {
		t.Errorf("%d rows, %d things", len(rows), things)
	}
	if rows, _ := b.Shown(6); len(rows) != 4 {
		t.Errorf("%d rows", len(rows))
	}
	b.Layout = List
	if rows, _ := b.Shown(1); len(rows) != 4 {
		t.Errorf("%d rows of a list", len(rows))
	}
}

func TestTheCommandHoldsWhatWasAskedFor(t *testing.T) {
	r := &report.Report{Subject: report.Subject{Base: report.Revision{Commit: "b1"}, Head: report.Revision{Commit: "h1"}}}
	r.Provenance.Config = report.Config{FailOn: []string{"api-breaking", "x; rm -rf .", "cycle"}, Limits: report.Limits{Depth: 2}}
	if got, want := New(r, Limits{1}).Again, "previdence review --base b1 --head h1 --depth 2 --fail-on api-breaking,cycle --format json"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r.Provenance.Config = report.Config{Unread: true}
	if got, want := New(r, Limits{1}).Again, "previdence review --base b1 --head h1 --no-config --format json"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTestsOverTheCapOfTheListAreCounted(t *testing.T) {
	r := &report.Report{Tests: report.Tests{Total: 4965, ToRun: []report.Test{{ID: "go:a_test.go#TestA/function", Name: "TestA"}}}}
	var headline strings.Builder
	for _, s := range toRun(r) {
		headline.WriteString(s.Text)
	}
	if got := headline.String(); !strings.HasPrefix(got, "4,965 tests to run") {
		t.Errorf("the headline is %q, want the total", got)
	}
}

func TestWholeEndsNoBlockWhereItSaysEnough(t *testing.T) {
	rows := func(o *Outline) int { return len(lines(o, "changes")) }
	r := reporterstest.Huge()
	// 500 files are listed, every tenth was not compared
	if got, want := rows(New(r, Limits{10, 400})), 30+12; got != want {
		t.Errorf("New: %d rows, want %d", got, want)
	}
	if got, want := rows(Whole(r, Limits{10, 400})), 400+50; got != want {
		t.Errorf("Whole: %d rows, want %d", got, want)
	}
}

func TestFoundIsTheHeadlineWithoutHowMuchWasSeen(t *testing.T) {
	r := reporterstest.Small()
	r.Sections[2].Reason = "only here"
	for _, s := range New(r, limits).Sections {
		found, whole := text(s.Found), text(s.Headline)
		if s.Name == "impact" && whole != found+" (seen in part: only here)" || s.Name == "breaks" && whole != found || found == "" {
			t.Errorf("%s: found %q, headline %q", s.Name, found, whole)
		}
	}
}

func TestChangesInTestsAreNotSeenAtAGlance(t *testing.T) {
	r := &report.Report{Changes: report.Changes{Files: []report.FileChange{{Path: "a_test.py", Kind: "test"}, {Path: "a.py", Kind: "source"}},
		Symbols: []report.SymbolChange{{ID: "h", Name: "helper", Path: "a_test.py", Line: 3}, {ID: "p", Name: "pay", Path: "a.py", Line: 9}}}}
	helper := report.SymbolImpact{Symbol: "h", Name: "helper", Change: report.Body, Total: 7, Tests: 7, ByDistance: []int{7}}
	pay := report.SymbolImpact{Symbol: "p", Name: "pay", Change: report.Body, Total: 3, Tests: 1, ByDistance: []int{2, 1}}
	for _, c := range []struct {
		claim   string
		reached []report.SymbolImpact
		want    []string
	}{
		{"beside the product", []report.SymbolImpact{helper, pay}, []string{"body changed pay at a.py:9: reached by 3, 2 directly, 1 of them tests"}},
		{"but are if they are all there is", []report.SymbolImpact{helper}, []string{"body changed helper at a_test.py:3: reached by 7, 7 directly, 7 of them tests"}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			r.Impact.Symbols = c.reached
			b := shape(r, index(r))
			var got []string
			for _, row := range b.Rows {
				line := ""
				for _, part := range b.Line(row) {
					line += part.Text
				}
				got = append(got, line)
			}
			if !slices.Equal(got, c.want) || b.Total != len(c.reached) {
				t.Errorf("got %q of %d, want %q", got, b.Total, c.want)
			}
		})
	}
}

func TestTheFirstWaysInAreNamed(t *testing.T) {
	r := reporterstest.Empty()
	r.Impact.Total, r.Impact.Depth = 5, 4
	for _, e := range []struct {
		kind, name string
		distance   int
	}{{"exported_api", "Changed", 0}, {"main", "main", 1}, {"http_route", "pay", 1}, {"exported_api", "Send", 2}, {"cli_command", "sync", 3}} {
		r.Impact.EntryPoints = append(r.Impact.EntryPoints, report.EntryPoint{Kind: e.kind, Name: e.name, Distance: e.distance})
	}
	want := "5 symbols within 4 edges, 2 exported functions, 1 main function, 1 HTTP route, 1 command: pay, Send, sync and 1 more"
	if got := headline(New(r, limits), "impact"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestContractsThatAreNotListedAreCounted(t *testing.T) {
	r := reporterstest.Small()
	r.ContractsOmitted = 40
	o := New(r, limits)
	for _, s := range o.Sections {
		if s.Name != "contracts" {
			continue
		}
		want := fmt.Sprintf("%d of %d contracts shown", len(r.Contracts), len(r.Contracts)+40)
		if note := s.Blocks[0].Note(o.Ranks); note != want || !strings.HasSuffix(text(s.Found), "; 40 more not listed") {
			t.Errorf("note %q, want %q; headline %q", note, want, text(s.Found))
		}
		return
	}
	t.Error("no section of contracts")
}
