// Package reporterstest is what every reporter must pass, and the reports to
// pass it on.
//
// [Run] takes a reporter as a function and checks what all of them promise: the
// same bytes twice, valid UTF-8, the budget kept, no caveat dropped, hostile
// names inert, the report left as it was. The reports are made by code, so that
// they hold whatever the types can hold, and hold no time or place.
package reporterstest

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/previdence/previdence/review/report"
)

// A Reporter is a reporter under test.
type Reporter struct {
	// Render renders a report. A budget of 0 means the reporter's own.
	Render func(r *report.Report, budget int) ([]byte, error)
	// Least is the smallest budget in bytes that Render accepts for a report;
	// nil if the reporter knows no budget.
	Least func(r *report.Report) int
	// Data means that programs read the output, so names stand in it unchanged.
	Data bool
}

// Run checks everything that all reporters promise.
func Run(t *testing.T, rep Reporter) {
	for _, f := range Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			r := f.Make()
			out := render(t, rep, r, 0)
			t.Run("same bytes twice", func(t *testing.T) { sameBytes(t, rep, r, f.Make, out) })
			t.Run("valid text without hidden characters", func(t *testing.T) { visible(t, rep, out) })
			t.Run("no caveat dropped", func(t *testing.T) { caveats(t, r, out) })
			if rep.Least != nil {
				t.Run("within any budget", func(t *testing.T) { budgets(t, rep, r) })
				t.Run("refuses less than the least", func(t *testing.T) { tooSmall(t, rep, r) })
			}
		})
	}
}

func render(t *testing.T, rep Reporter, r *report.Report, budget int) []byte {
	t.Helper()
	b, err := rep.Render(r, budget)
	if err != nil {
		t.Fatalf("budget %d: %v", budget, err)
	}
	return b
}

// sameBytes checks that out, a rendering of r, comes out again, also from
// another copy of the report, and that rendering left r as it was.
func sameBytes(t *testing.T, rep Reporter, r *report.Report, build func() *report.Report, out []byte) {
	other := build()
	if !reflect.DeepEqual(r, other) {
		t.Error("rendering changed the report")
	}
	if !bytes.Equal(out, render(t, rep, r, 0)) || !bytes.Equal(out, render(t, rep, other, 0)) {
		t.Error("two renderings differ")
	}
}

// visible checks that nothing in the output acts on a terminal or hides in it.
// The zero-width space is allowed: it breaks mentions.
func visible(t *testing.T, rep Reporter, out []byte) {
	t.Helper()
	if !utf8.Valid(out) {
		t.Error("output is not UTF-8")
	}
	if len(out) == 0 || out[len(out)-1] != '\n' {
		t.Error("output does not end with a line end")
	}
	for i, r := range string(out) {
		hidden := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Variation_Selector)
		if hidden && r != '\n' && r != '\u200b' && !rep.Data {
			t.Fatalf("hidden character %U at byte %d: %q", r, i, around(out, i))
		}
	}
	for _, line := range strings.Split(string(out), "\n") {
		if s := strings.TrimSpace(line); !rep.Data && (strings.HasPrefix(s, Planted) || s == strings.TrimPrefix(Planted, "# ")) {
			t.Errorf("a name broke out of its line: %q", line)
		}
	}
}

func around(b []byte, i int) string { return string(b[max(0, i-40):min(len(b), i+40)]) }

// caveats checks that the token of every caveat is in the output.
func caveats(t *testing.T, r *report.Report, out []byte) {
	t.Helper()
	for i := range r.Caveats {
		if !bytes.Contains(out, []byte(CaveatToken(i))) {
			t.Errorf("caveat %d of %d is missing", i, len(r.Caveats))
		}
	}
}

func budgets(t *testing.T, rep Reporter, r *report.Report) {
	least := rep.Least(r)
	previous := -1
	for _, budget := range []int{least, least + 1, least + 300, least + 5000, least + 50_000} {
		out := render(t, rep, r, budget)
		if len(out) > budget {
			t.Errorf("budget %d: %d bytes", budget, len(out))
		}
		if len(out) < previous {
			t.Errorf("budget %d shows less than a smaller one: %d bytes after %d", budget, len(out), previous)
		}
		previous = len(out)
		visible(t, rep, out)
		caveats(t, r, out)
	}
}

func tooSmall(t *testing.T, rep Reporter, r *report.Report) {
	for _, budget := range []int{1, rep.Least(r) - 1} {
		if out, err := rep.Render(r, budget); err == nil || len(out) > 0 {
			t.Errorf("budget %d: %d bytes and error %v, want none and one", budget, len(out), err)
		}
	}
}

// CaveatToken is a word that stands in the text of the i-th caveat of every
// fixture and nowhere else.
func CaveatToken(i int) string { return fmt.Sprintf("seen%04d", i) }
