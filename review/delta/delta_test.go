package delta

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/review/report"
)

// reported is a report that says what the arguments name: "breaks a<b" that b
// still refers to a, "gap a", "api a".
func reported(claims ...string) *report.Report {
	r := &report.Report{Subject: report.Subject{Head: report.Revision{Commit: strings.Repeat("c", 40)}},
		Provenance: report.Provenance{EngineDigest: "sha256:" + strings.Repeat("1", 64), ConfigDigest: "sha256:" + strings.Repeat("2", 64)}}
	for _, name := range []string{"breaks", "api", "contracts", "dependencies", "documents", "decisions", "owners", "tests"} {
		r.Sections = append(r.Sections, report.Section{Name: name, State: report.Complete})
	}
	for _, c := range claims {
		rule, about, _ := strings.Cut(c, " ")
		switch rule {
		case "breaks":
			symbol, from, _ := strings.Cut(about, "<")
			r.Breaks = append(r.Breaks, report.Break{Symbol: symbol, Total: 1, References: []report.Reference{{Symbol: from, Line: len(r.Breaks)}}})
		case "gap":
			r.Tests.Gaps = append(r.Tests.Gaps, report.Gap{Symbol: about})
		case "contract":
			r.Contracts = append(r.Contracts, report.Contract{Kind: "cli_flag", Name: about, Path: "main.go", Effect: report.Breaking})
		case "drifted":
			r.Decisions = append(r.Decisions, report.Decision{ID: about, State: report.DecisionDrifted, Validity: report.InForce})
		case "expired":
			r.Decisions = append(r.Decisions, report.Decision{ID: about, State: report.DecisionDrifted, Validity: report.Expired})
		case "owner":
			r.Owners = append(r.Owners, report.Owned{Path: "a", Why: "changed", Owners: []string{about}}, report.Owned{Path: "b", Why: "changed", Owners: []string{about}})
		case "reached":
			r.Owners = append(r.Owners, report.Owned{Path: "c", Why: "impacted", Owners: []string{about}})
		case "api":
			r.API.Removed = append(r.API.Removed, about)
		}
	}
	return r
}

func without(r *report.Report, section string) *report.Report {
	for i := range r.Sections {
		if r.Sections[i].Name == section {
			r.Sections[i].State = report.Unavailable
		}
	}
	return r
}

func names(list []report.Claim) []string {
	out := []string{}
	for _, c := range list {
		out = append(out, fmt.Sprintf("%s %s<%s#%d", c.Rule, c.Symbol, c.From, c.Nth))
	}
	return out
}

func TestCompare(t *testing.T) {
	other := reported("gap a")
	other.Provenance.EngineDigest = "sha256:9"
	for _, c := range []struct {
		claim           string
		then, now       *report.Report
		added, resolved []string
		unchanged       int
		reason          string
	}{
		{"equal reports", reported("gap a", "api b"), reported("api b", "gap a"), []string{}, []string{}, 2, ""},
		{"new, resolved and kept", reported("gap a", "gap b"), reported("gap b", "breaks x<y"),
			[]string{"breaks x<y#0"}, []string{"untested-change a<#0"}, 1, ""},
		{"the second use in one function is a claim of its own", reported("breaks x<y"), reported("breaks x<y", "breaks x<y"),
			[]string{"breaks x<y#1"}, []string{}, 1, ""},
		{"what nobody looked for now is not resolved", reported("gap a", "api b"), without(reported("api b"), "tests"),
			[]string{}, []string{}, 1, "1 may be resolved"},
		{"what nobody looked for then is not new", without(reported("api b"), "tests"), reported("gap a", "api b"),
			[]string{}, []string{}, 1, "1 may be new"},
		{"another engine is said", other, reported("gap a"), []string{}, []string{}, 1, "the earlier report was made by another version"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			d := Compare(Of(c.then), c.now)
			if !slices.Equal(names(d.Added), c.added) || !slices.Equal(names(d.Resolved), c.resolved) || d.Unchanged != c.unchanged || d.Reason != c.reason {
				t.Errorf("got +%v -%v =%d %q, want +%v -%v =%d %q", names(d.Added), names(d.Resolved), d.Unchanged, d.Reason, c.added, c.resolved, c.unchanged, c.reason)
			}
			if want := report.Complete; c.reason == "" && d.State != want {
				t.Errorf("state %s, want %s", d.State, want)
			}
			if c.reason != "" && d.State != report.Partial {
				t.Errorf("state %s, want partial", d.State)
			}
		})
	}
}

func TestAListThatWasCutMakesNobodySure(t *testing.T) {
	then := reported("breaks x<y")
	then.Breaks[0].Total = 300
	if d := Compare(Of(then), reported("breaks x<y", "breaks x<z")); d.AddedTotal != 0 || d.Reason != "1 may be new" {
		t.Errorf("got %+v", d)
	}
	now := reported()
	now.Tests.GapsOmitted = 1
	if d := Compare(Of(reported("gap x")), now); d.ResolvedTotal != 0 || d.Reason != "1 may be resolved" {
		t.Errorf("got %+v", d)
	}
}

func TestListsAreCapped(t *testing.T) {
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprintf("gap s%d", i))
	}
	d := Compare(Of(reported()), reported(many...))
	if len(d.Added) != listed || d.AddedTotal != 300 || d.Added[0].Symbol != "s0" {
		t.Errorf("%d of %d listed", len(d.Added), d.AddedTotal)
	}
}

func TestClaimsAreTheSameBeforeAndAfterAFile(t *testing.T) {
	r := reported("gap go:\xff\xfe.go#F/function", "gap "+strings.Repeat("é", 400))
	file, err := r.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	r.Schema = report.Schema
	again, err := report.Read(strings.NewReader(strings.Replace(string(file), `"schema": ""`, `"schema": "`+report.Schema+`"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(Of(r), Of(again)) {
		t.Errorf("got %q and %q", names(Of(r).List), names(Of(again).List))
	}
}

func TestEncodeAndDecode(t *testing.T) {
	for _, c := range []struct {
		claim  string
		report *report.Report
	}{
		{"nothing to say", reported()},
		{"a few claims", reported("gap a", "api b", "breaks x<y", "breaks x<y")},
		{"names that JSON, base64 or a comment could act on", reported("gap -->\n\"\\", "api \xff<!--", "breaks </script><``")},
		{"a section that nobody looked at", without(reported("api b"), "tests")},
	} {
		t.Run(c.claim, func(t *testing.T) {
			want := Of(c.report)
			got, err := Decode(want.Encode())
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		})
	}
}

// Contracts, decisions in force and those who own changed files are compared like
// what breaks.
func TestWhatIsComparedOfOtherSections(t *testing.T) {
	then := reported("contract --old", "drifted kept", "drifted settled", "expired before", "owner @a", "reached @z")
	now := reported("contract --new", "drifted kept", "expired settled", "owner @a", "owner @b", "reached @y")
	d := Compare(Of(then), now)
	if got := names(d.Added); !slices.Equal(got, []string{"contract-breaking cli_flag --new<main.go#0", "owner @b<#0"}) {
		t.Errorf("added %q", got)
	}
	if got := names(d.Resolved); !slices.Equal(got, []string{"contract-breaking cli_flag --old<main.go#0", "decision-drifted settled<#0"}) {
		t.Errorf("resolved %q", got)
	}
	if d.Unchanged != 2 || d.State != report.Complete {
		t.Errorf("%+v", d)
	}
	lost := reported("owner @a")
	lost.Caveats = []report.Caveat{{ID: "decisions.unread"}}
	if d := Compare(Of(then), lost); d.State != report.Partial || slices.ContainsFunc(d.Resolved, func(c report.Claim) bool { return c.Rule == report.RuleDecision }) {
		t.Errorf("a decision whose file cannot be read is not resolved: %+v", d)
	}
}

// TestTooManyClaims keeps the highest ranked, and the delta knows by which rules
// it cannot tell what is new.
func TestTooManyClaims(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all []string
	for range 40 {
		all = append(all, fmt.Sprintf("breaks go:x%x.go#F%x/function<go:y%x.go#G/function", random.Uint64(), random.Uint64(), random.Uint64()))
	}
	for range 2000 {
		all = append(all, fmt.Sprintf("gap go:x%x.go#F%x/function", random.Uint64(), random.Uint64()))
	}
	then := Of(reported(all...))
	text := then.Encode()
	kept, err := Decode(text)
	if err != nil || len(text) > Longest {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	if kept.Total != 2040 || len(kept.List) < 60 || len(kept.List) >= 2040 || !reflect.DeepEqual(kept.List, then.List[:len(kept.List)]) {
		t.Fatalf("%d claims of %d kept", len(kept.List), kept.Total)
	}
	if !slices.Equal(kept.Unsure, []string{report.RuleUntested}) {
		t.Errorf("unsure of %v, want of the rule that was cut alone", kept.Unsure)
	}
	d := Compare(kept, reported(append(all, "breaks new<y")...))
	if !slices.Equal(names(d.Added), []string{"breaks new<y#0"}) || d.ResolvedTotal != 0 || d.State != report.Partial {
		t.Errorf("added %v, resolved %v, %s: the new break is certain, the rest is unknown", names(d.Added), names(d.Resolved), d.State)
	}
	if !strings.Contains(d.Reason, "of 2040 earlier claims were not kept") {
		t.Errorf("reason %q", d.Reason)
	}
	t.Logf("%d of 2040 claims kept in %d bytes", len(kept.List), len(text))
}

func TestDecodeRefuses(t *testing.T) {
	c := Of(reported("gap a", "gap b"))
	bomb := c
	bomb.List = []report.Claim{{Rule: report.RuleUntested, Symbol: strings.Repeat("a", 2_000_000)}}
	twice := c
	twice.List = append(twice.List, twice.List[0])
	few := c
	few.Total = 1
	place := c
	place.Commit = "main"
	long := c
	long.List = []report.Claim{{Rule: report.RuleUntested, Symbol: strings.Repeat("a", report.LongestOperand+1)}}
	order := c
	order.List = []report.Claim{{Rule: report.RuleUntested}, {Rule: report.RuleBreaks}}
	for claim, text := range map[string]string{
		"nothing": "", "another version": "1." + c.Encode()[2:], "no base64": "2.***", "a cut text": c.Encode()[:20],
		"text after the end": c.Encode() + "AAAA", "padding": c.Encode() + "=", "too much text": "2." + strings.Repeat("A", Longest),
		"what unpacks to megabytes": bomb.encode(), "a claim twice": twice.encode(), "a total below the list": few.encode(),
		"no object ID": place.encode(), "a name over the bound": long.encode(), "claims out of order": order.encode(),
	} {
		t.Run(claim, func(t *testing.T) {
			if got, err := Decode(text); !errors.Is(err, ErrUnreadable) {
				t.Errorf("got %+v, %v, want ErrUnreadable", got, err)
			}
		})
	}
}

// FuzzDecode holds whatever Decode accepts to what Encode writes.
func FuzzDecode(f *testing.F) {
	f.Add(Of(reported("gap a", "api b", "breaks x<y", "breaks x<y")).Encode())
	f.Add(Of(reported()).Encode())
	f.Add(Of(without(reported("api b"), "tests")).Encode())
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Decode(text)
		if err != nil {
			if !errors.Is(err, ErrUnreadable) {
				t.Errorf("%v is no ErrUnreadable", err)
			}
			return
		}
		if len(c.List) > mostClaims || c.Total < len(c.List) {
			t.Fatalf("%d claims of %d", len(c.List), c.Total)
		}
		again := c.Encode()
		back, err := Decode(again)
		if err != nil || len(again) > Longest || back.Total != c.Total {
			t.Fatalf("%q comes back as %+v, %v", text, back, err)
		}
		if len(back.List) == len(c.List) && !reflect.DeepEqual(back, c) {
			t.Errorf("got %+v, want %+v", back, c)
		}
	})
}
