package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/reporters/annotate"
	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

func rendered(t *testing.T, r *report.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// parsed reads a log back through its bytes.
func parsed(t *testing.T, r *report.Report) run {
	t.Helper()
	var l log
	if err := json.Unmarshal(rendered(t, r), &l); err != nil {
		t.Fatal(err)
	}
	if len(l.Runs) != 1 || l.Version != "2.1.0" {
		t.Fatalf("%d runs of version %s", len(l.Runs), l.Version)
	}
	return l.Runs[0]
}

func TestConformance(t *testing.T) {
	reporterstest.Run(t, reporterstest.Reporter{Render: func(r *report.Report, _ int) ([]byte, error) {
		var b bytes.Buffer
		err := Render(&b, r)
		return b.Bytes(), err
	}})
}

func TestAResultIsAClaimBesideItsLine(t *testing.T) {
	r := parsed(t, reporterstest.Small())
	if len(r.Results) != len(annotate.List(reporterstest.Small())) {
		t.Fatalf("%d results", len(r.Results))
	}
	first := r.Results[0]
	got := fmt.Sprintf("%s %s %s:%d %s", first.RuleID, first.Level, first.Locations[0].Physical.Artifact.URI, first.Locations[0].Physical.Region.StartLine, first.Message.Text)
	want := "breaks error orders/cancel.go:88 function Refund was removed and is still used here. " +
		"Call in Cancel, tier compiler: no such name in package pay. One of 2 references to Refund that are left."
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if r.Tool.Driver.Version != "0.1.0" || r.ColumnKind != "utf16CodeUnits" || r.Properties.Head != strings.Repeat("d", 40) {
		t.Errorf("got %+v", r.Properties)
	}
}

// TestWhatGitHubAsksFor checks what the schema does not know.
func TestWhatGitHubAsksFor(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			r := parsed(t, f.Make())
			for _, rule := range r.Tool.Driver.Rules {
				if rule.Help == nil || rule.Help.Text == "" || rule.Help.Markdown == "" || len(rule.Properties.Tags) > 10 || rule.Configuration.Level == "" {
					t.Errorf("rule %s: %+v", rule.ID, rule)
				}
			}
			for _, kind := range r.Tool.Driver.Notifications {
				if kind.Help == nil || kind.Help.Text == "" {
					t.Errorf("notification %s has no help", kind.ID)
				}
			}
			if len(r.Results) > mostResults {
				t.Errorf("%d results", len(r.Results))
			}
			seen := map[string]bool{}
			for _, x := range r.Results {
				if x.RuleIndex < 0 || r.Tool.Driver.Rules[x.RuleIndex].ID != x.RuleID {
					t.Fatalf("rule %s has index %d", x.RuleID, x.RuleIndex)
				}
				if len(x.Locations) != 1 || len(x.Message.Text) > 2*longestText {
					t.Fatalf("%d locations, %d bytes of text", len(x.Locations), len(x.Message.Text))
				}
				place := x.Locations[0].Physical
				if place.Region.StartLine < 1 || place.Artifact.BaseID != root {
					t.Errorf("place %+v", place)
				}
				hash := x.Fingerprints["primaryLocationLineHash"]
				if hash == "" || seen[hash] {
					t.Errorf("fingerprint %q is no name of one result", hash)
				}
				seen[hash] = true
			}
		})
	}
}

// TestRulesAreThoseOfTheClaims holds the texts to what annotations can be about.
func TestRulesAreThoseOfTheClaims(t *testing.T) {
	var got []string
	for _, r := range rules {
		got = append(got, r.ID)
	}
	want := []string{report.RuleBreaks, report.RuleAPI, report.RuleContract, report.RuleUntested, report.RuleCycle, report.RuleText, report.RuleDocument}
	if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, k := range kinds {
		if descriptor(k.ID).Index < 0 {
			t.Errorf("no descriptor %s", k.ID)
		}
	}
}

func TestFingerprintsStayOverPushes(t *testing.T) {
	of := func(shift int) []map[string]string {
		r := reporterstest.Small()
		r.Subject.Head.Commit = strings.Repeat(fmt.Sprint(shift), 40)
		for i := range r.Breaks[0].References {
			r.Breaks[0].References[i].Line += shift
		}
		var all []map[string]string
		for _, x := range parsed(t, r).Results {
			all = append(all, x.Fingerprints)
		}
		return all
	}
	if !slices.EqualFunc(of(0), of(7), maps.Equal) {
		t.Error("fingerprints changed with the lines")
	}
}

func TestTooManyResultsAreSaid(t *testing.T) {
	l := logOf(reporterstest.Huge(), 100)
	if n := len(l.Runs[0].Results); n != 100 {
		t.Fatalf("%d results", n)
	}
	if l.Runs[0].Results[0].Level == "note" {
		t.Error("the loudest are not first")
	}
	notes := l.Runs[0].Invocations[0].Notifications
	last := notes[len(notes)-1]
	if last.Descriptor.ID != "cut" || !regexp.MustCompile(`^100 of [0-9,]+ results are listed`).MatchString(last.Message.Text) {
		t.Errorf("got %+v", last)
	}
}

func TestVersionsAreToTheLetter(t *testing.T) {
	for made, want := range map[string][2]string{
		"v0.3.0": {"0.3.0", "0.3.0"}, "0.1.0": {"0.1.0", "0.1.0"}, "devel": {"0.0.0-devel", "0.0.0-devel"},
		"(devel)": {"(devel)", ""}, "v1.2": {"v1.2", ""}, "v1.0.0+dirty": {"1.0.0+dirty", "1.0.0+dirty"},
		"v0.0.0-20261130142532-4d860dceff74": {"0.0.0-20261130142532-4d860dceff74", "0.0.0-20261130142532-4d860dceff74"}} {
		r := reporterstest.Empty()
		r.Provenance.Tool.Version = made
		if d := parsed(t, r).Tool.Driver; [2]string{d.Version, d.Semantic} != want {
			t.Errorf("%s: got %q and %q, want %q", made, d.Version, d.Semantic, want)
		}
	}
}

func TestSectionsThatSawLittleAreSaid(t *testing.T) {
	var got []string
	for _, n := range parsed(t, reporterstest.Empty()).Invocations[0].Notifications {
		got = append(got, n.Descriptor.ID+" "+n.Message.Text)
	}
	if want := []string{"section Section documents is unavailable: no extractor for this kind of document."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHostileNames checks that every name that a tree can hold comes back from
// its URI, byte by byte, and that no text is a link or has a gap.
func TestHostileNames(t *testing.T) {
	for _, n := range reporterstest.HostileNames() {
		r := reporterstest.Named(n, "plain")
		log := parsed(t, r)
		paths := map[string]bool{}
		for _, x := range log.Results {
			u, err := url.Parse(x.Locations[0].Physical.Artifact.URI)
			if err != nil || u.Scheme != "" || u.Host != "" || u.RawQuery != "" || u.Fragment != "" || strings.HasPrefix(u.Path, "/") {
				t.Fatalf("%q: URI %q is more than a path: %v", n, x.Locations[0].Physical.Artifact.URI, err)
			}
			paths[u.Path] = true
			if linked.MatchString(x.Message.Text) || gap.MatchString(x.Message.Text) {
				t.Errorf("%q: the text acts: %q", n, x.Message.Text)
			}
		}
		for path := range paths {
			if path != n && path != "plain" {
				t.Errorf("%q: came back as %q", n, path)
			}
		}
		if !paths["plain"] {
			t.Errorf("%q: results are missing", n)
		}
	}
}

// How a viewer finds links and gaps, by §3.11 of the standard.
var (
	linked = regexp.MustCompile(`(?:^|[^\\])\[(?:[^\]\\]|\\.)*\]\(`)
	gap    = regexp.MustCompile(`(?:^|[^{])\{[0-9]+\}(?:[^}]|$)`)
)
