package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/reporters/reporterstest"
)

func TestNamesOfAComment(t *testing.T) {
	got := namesIn("Race in Cache.getOrLoad(): retry_count may pass src/pay/limit.go, e.g. when refund() fails; see isOpen.")
	if want := []string{"getOrLoad", "retry_count", "src/pay/limit.go", "refund", "isOpen"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := namesIn("This is wrong and/or slow. Consider a test."); len(got) != 0 {
		t.Errorf("prose has names: %q", got)
	}
}

func TestTheTableCountsWhatCouldNotBeReviewed(t *testing.T) {
	set, reports := t.TempDir(), t.TempDir()
	comments := `[{"url": "https://github.com/acme/pay/pull/42", "comments": [
		{"comment": "orders.Cancel() still calls it"}, {"comment": "Policy.Next may be negative, see nextBackoff"}, {"comment": "nothingOfThis is there"}, {"comment": "Too slow."}]},
		{"url": "https://github.com/acme/pay/pull/43", "comments": [{"comment": "isOpen is wrong"}]}]`
	text, err := reporterstest.Small().Canonical()
	if err != nil {
		t.Fatal(err)
	}
	for file, data := range map[string]string{filepath.Join(set, "pay.json"): comments, filepath.Join(reports, "pay-42.json"): string(text)} {
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := run(set, reports, &out); err != nil {
		t.Fatal(err)
	}
	if want := "| pay | 2 | 1 | 5 | 4 | 3 | 2 (0.67) | 2 (0.67) | 2 | 1 (0.50) | 1 (0.50) |"; !strings.Contains(out.String(), want) {
		t.Errorf("want %s in\n%s", want, &out)
	}
	if err := run(t.TempDir(), reports, &out); err == nil {
		t.Error("a set without comments was taken")
	}
}
