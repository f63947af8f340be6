package annotate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/delta"
	"github.com/previdence/previdence/review/report"
)

func TestListOfAnOrdinaryPullRequest(t *testing.T) {
	var got []string
	for _, a := range List(reporterstest.Small()) {
		got = append(got, fmt.Sprintf("%s %s %s:%d %s | %s", a.Level, a.Rule, a.Path, a.StartLine, a.Title, a.Message))
	}
	want := []string{
		"failure breaks orders/cancel.go:88 function Refund was removed and is still used here | " +
			"Call in Cancel, tier compiler: no such name in package pay. One of 2 references to Refund that are left.",
		"failure breaks cmd/server/main.go:120 function Refund was removed and is still used here | " +
			"Reference in main, tier compiler: no such name in package pay. One of 2 references to Refund that are left.",
		"warning api-breaking pay/retry.go:31 method Policy.Next is exported and changed incompatibly | Parameter n: int → int64.",
		"warning cycle pay/retry.go:9 This import closes a cycle between folders | New cycle: orders → pay → orders.",
		"warning stale-document docs/refunds.md:40 This text names what was removed or renamed | Section \"Refund a payment\" names Refund.",
		"notice named-in-text scripts/replay.sh:9 Refund was removed, and this text still names it | " +
			"Found by searching the text (file not parsed): whether it is a use was not seen.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestPlaces(t *testing.T) {
	const gone, kept, method = "py:a.py#gone/function", "py:b.py#kept/function", "py:c.py#Box.open/method"
	was := func(id, name, path string) report.SymbolChange {
		return report.SymbolChange{ID: id, Name: name, Kind: "function", Language: "py", Path: path, Line: 70, Change: report.Removed, Exported: true}
	}
	r := &report.Report{
		Changes: report.Changes{
			Files: []report.FileChange{{Path: "a.py", Status: "removed"}, {Path: "b.py", Status: "modified"}, {Path: "d.py", OldPath: "c.py", Status: "renamed"}},
			Symbols: []report.SymbolChange{was(gone, "gone", "a.py"), was(kept, "kept", "b.py"), was(method, "Box.open", "c.py"),
				{ID: "py:d.py#Box/class", Name: "Box", Kind: "class", Path: "d.py", Line: 12, Change: report.Body}}},
		API: report.API{Removed: []string{gone, kept, method}}}
	var got []string
	for _, a := range List(r) {
		got = append(got, fmt.Sprintf("%s:%d", a.Path, a.StartLine))
	}
	if want := []string{"b.py:1", "d.py:12"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v: no line of the merge base, and none for what went with its file", got, want)
	}
}

func TestPathsThatNoTreeHoldsAreLeftOut(t *testing.T) {
	r := &report.Report{}
	for _, path := range []string{"", "/etc/passwd", "../x", "a/../b", "a//b", "a/.", ".GIT/config", "a\x00b", "a/", "ok", "a/..b", "C:x"} {
		r.Tests.Gaps = append(r.Tests.Gaps, report.Gap{Symbol: path, Name: path, Path: path, Line: 1, State: "uncovered"})
	}
	var got []string
	for _, a := range List(r) {
		got = append(got, a.Path)
	}
	if want := []string{"ok", "a/..b", "C:x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLoudness(t *testing.T) {
	ref := func(tier string) []report.Reference {
		return []report.Reference{{Symbol: "go:b.go#F/function", Name: "F", Path: "b.go", Line: 4, Tier: tier, Kind: "call"}}
	}
	for _, c := range []struct {
		claim, tier string
		fails       bool
		want        Level
		says        string
	}{
		{"a certain break is a warning", "exact", false, Warning, "is still used here"},
		{"a break by name alone is a notice that says may", "name", false, Notice, "may be still used here"},
		{"what policy fails on is a failure", "exact", true, Failure, "is still used here"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			r := &report.Report{Breaks: []report.Break{{Symbol: "go:a.go#G/function", Name: "G", Kind: "function", Change: report.Removed, Total: 1, References: ref(c.tier)}},
				Verdict: report.Verdict{Reasons: []report.Reason{{Rule: report.RuleBreaks, Fails: c.fails}}}}
			list := List(r)
			if len(list) != 1 || list[0].Level != c.want || !strings.Contains(list[0].Title, c.says) {
				t.Errorf("got %+v, want one %s that says %q", list, c.want, c.says)
			}
		})
	}
}

func TestFingerprintsStayWhenLinesAndCommitsMove(t *testing.T) {
	before, after := List(reporterstest.Small()), List(moved(reporterstest.Small()))
	if len(before) != len(after) || len(before) == 0 {
		t.Fatalf("%d and %d annotations", len(before), len(after))
	}
	seen := map[string]bool{}
	for i := range before {
		if before[i].Fingerprint != after[i].Fingerprint {
			t.Errorf("%s: fingerprint changed", before[i].Title)
		}
		if before[i].StartLine == after[i].StartLine {
			t.Errorf("%s: the line did not move", before[i].Title)
		}
		if seen[before[i].Fingerprint] {
			t.Errorf("%s: fingerprint is used twice", before[i].Title)
		}
		seen[before[i].Fingerprint] = true
	}
}

// moved is a report after a push that put ten lines above everything.
func moved(r *report.Report) *report.Report {
	r.Subject.Head.Commit = strings.Repeat("9", 40)
	for i := range r.Changes.Symbols {
		r.Changes.Symbols[i].Line += 10
	}
	for i := range r.Breaks {
		for j := range r.Breaks[i].References {
			r.Breaks[i].References[j].Line += 10
		}
		for j := range r.Breaks[i].Mentions {
			r.Breaks[i].Mentions[j].Line += 10
		}
	}
	for i := range r.Documents {
		r.Documents[i].Line += 10
	}
	r.Dependencies.Added[0].FirstSite = "pay/retry.go:19"
	return r
}

func TestAShortListShowsEverySymbol(t *testing.T) {
	r := reporterstest.Huge()
	symbols := map[string]bool{}
	for _, a := range List(r)[:60] {
		if a.Rule != report.RuleBreaks {
			t.Fatalf("%s comes before the breaks of other symbols", a.Rule)
		}
		symbols[a.Title] = true
	}
	if len(symbols) != 60 {
		t.Errorf("the first 60 annotations are about %d symbols, want 60", len(symbols))
	}
}

// TestEveryAnnotationIsAClaim holds the fingerprints to the claims that two
// reports are compared by. The places in the text are one claim there for all
// of a symbol, and an annotation each here.
func TestEveryAnnotationIsAClaim(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		claims := map[string]bool{}
		for _, c := range delta.Of(f.Make()).List {
			claims[c.Fingerprint()] = true
		}
		for _, a := range List(f.Make()) {
			if a.Rule != report.RuleText && !claims[a.Fingerprint] {
				t.Errorf("%s: no claim of the report: %+v", f.Name, a)
			}
		}
	}
}

func TestHostileTextsAreInert(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			r := f.Make()
			list := List(r)
			if !reflect.DeepEqual(r, f.Make()) {
				t.Error("the report was changed")
			}
			for _, a := range list {
				if !inTree(a.Path) || a.StartLine < 1 || a.EndLine < a.StartLine || len(a.Fingerprint) != 32 {
					t.Fatalf("not an annotation: %+v", a)
				}
				if a.Title == "" || len(a.Title) > LongestTitle || len(a.Message) > LongestMessage {
					t.Errorf("texts of %d and %d bytes", len(a.Title), len(a.Message))
				}
				for _, s := range []string{a.Title, a.Message} {
					if at := strings.IndexFunc(s, hidden); !utf8.ValidString(s) || at >= 0 {
						t.Errorf("not visible text: %q", s)
					}
					for _, act := range []string{"@acme", "@octocat", "#1 ", "pay#2", "GH-3", "https://", "www.evil", "mailto:a", ":tada:"} {
						if strings.Contains(s, act) {
							t.Errorf("%q acts in %q", act, s)
						}
					}
				}
			}
		})
	}
}

func hidden(r rune) bool {
	return r != '\u200b' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
