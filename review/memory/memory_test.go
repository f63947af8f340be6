package memory

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

const written = `---
id: retry
kind: accepted_risk
title: Send retries without backoff
cites:
  - symbol: go:pay.go#Send/function
    body: aa
    blob: bb
---
The gateway sheds load itself.
`

func TestWhatIsWrittenIsRead(t *testing.T) {
	d, err := Parse(".previdence/decisions/retry.md", []byte(written))
	if err != nil {
		t.Fatal(err)
	}
	text, err := Format(d)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("retry.md", text)
	if err != nil || !reflect.DeepEqual(again, d) {
		t.Errorf("%v\n%s\n%+v\n%+v", err, text, again, d)
	}
	if d.Text != "The gateway sheds load itself." || d.Cites[0].Body != "aa" {
		t.Errorf("%+v", d)
	}
}

func TestWhatIsNoDecisionIsRefused(t *testing.T) {
	for name, change := range map[string][2]string{
		"another name":    {"id: retry", "id: other"},
		"unknown kind":    {"accepted_risk", "accepted-risk"},
		"unknown key":     {"kind:", "sort: x\nkind:"},
		"no cites":        {"cites:\n  - symbol: go:pay.go#Send/function\n    body: aa\n    blob: bb\n", "cites: []\n"},
		"no title":        {"title: Send retries without backoff", "title: ''"},
		"no front matter": {"---\nid", "id"},
		"open matter":     {"\n---\nThe", "\nThe"},
		"no such day":     {"kind:", "valid_until: 2026-02-30\nkind:"},
		"a short commit":  {"kind:", "valid_from: abc123\nkind:"},
		"its own heir":    {"kind:", "superseded_by: retry\nkind:"},
		"no digest":       {"kind:", "report: abc\nkind:"},
		"too large":       {"itself.", strings.Repeat("x", MaxBytes)},
	} {
		text := strings.Replace(written, change[0], change[1], 1)
		if text == written {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := Parse("retry.md", []byte(text)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestADecisionAppliesWhileItsCodeIsTheSame(t *testing.T) {
	d := Decision{Cites: []Cite{{"a", "1", "f"}, {"b", "2", "f"}}}
	code := func(all map[string]Code) func(string) (Code, bool) {
		return func(s string) (Code, bool) { c, ok := all[s]; return c, ok }
	}
	for name, c := range map[string]struct {
		now  map[string]Code
		want State
	}{
		"as it was":            {map[string]Code{"a": {Body: "1"}, "b": {Body: "2"}}, Applies},
		"moved with its body":  {map[string]Code{"a": {Body: "1", Blob: "g"}, "b": {Body: "2"}}, Applies},
		"one body has changed": {map[string]Code{"a": {Body: "1"}, "b": {Body: "3"}}, Drifted},
		"one is gone":          {map[string]Code{"a": {Body: "9"}}, SourceMissing},
	} {
		if got := Hold(d, code(c.now)); got.State != c.want || len(got.Cites) != 2 {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
	whole := Decision{Cites: []Cite{{"m", "", "f"}}}
	if got := Hold(whole, code(map[string]Code{"m": {Blob: "g"}})); got.State != Drifted {
		t.Errorf("a file that changed: %+v", got)
	}
}

func TestADecisionIsInForceByCommitsAndDaysOfCommits(t *testing.T) {
	past, later, lost := strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 40)
	at := Moment{Day: "2026-05-10", Has: func(c string) (bool, error) {
		if c == lost {
			return false, errors.New("history is cut")
		}
		return c == past, nil
	}}
	for name, c := range map[string]struct {
		from, until, heir string
		want              Validity
	}{
		"nothing said":                    {"", "", "", InForce},
		"from a commit that has come":     {past, "", "", InForce},
		"from a commit yet to come":       {later, "", "", NotYet},
		"from today":                      {"2026-05-10", "", "", InForce},
		"from tomorrow":                   {"2026-05-11", "", "", NotYet},
		"until a commit yet to come":      {"", later, "", InForce},
		"until a commit that has come":    {"", past, "", Expired},
		"until the end of today":          {"", "2026-05-10", "", InForce},
		"until yesterday":                 {"", "2026-05-09", "", Expired},
		"until a commit that is not here": {"", lost, "", Unknown},
		"a later one stands for it":       {past, later, "next", Superseded},
	} {
		d := Decision{ValidFrom: c.from, ValidUntil: c.until, SupersededBy: c.heir}
		if got, why := d.At(at); got != c.want || (why == "") != (got == InForce) {
			t.Errorf("%s: %s because %q, want %s", name, got, why, c.want)
		}
	}
}

func TestADayNeedsNoQuotes(t *testing.T) {
	d, err := Parse("retry.md", []byte(strings.Replace(written, "kind:", "valid_until: 2026-02-28\nkind:", 1)))
	if err != nil || d.ValidUntil != "2026-02-28" {
		t.Errorf("%q, %v", d.ValidUntil, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(written))
	f.Add([]byte("---\nid: retry\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse("retry.md", data)
		if err != nil {
			return
		}
		text, err := Format(d)
		if err != nil {
			// Quoting makes texts longer, so a large one may no longer fit; a small
			// one that was read must be written.
			if len(data) < MaxBytes/16 {
				t.Fatalf("what was read cannot be written: %v\n%q", err, data)
			}
			return
		}
		if again, err := Parse("retry.md", text); err != nil || !reflect.DeepEqual(again, d) {
			t.Errorf("%v\n%q\n%+v\n%+v", err, text, again, d)
		}
	})
}
