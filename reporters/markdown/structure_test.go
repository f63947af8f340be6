package markdown

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"
)

// The oracle is a Markdown renderer that we did not write. Two more are asked
// by scripts/render-check.
var oracle = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(renderer.WithUnsafe()))

var tag = regexp.MustCompile(`<(/?)([a-z0-9]+)[^>]*>`)

// allowed are all elements that a comment may have.
var allowed = []string{"h3", "h4", "p", "ul", "li", "b", "code", "pre", "details", "summary",
	"table", "thead", "tbody", "tr", "th", "td"}

func comment(t *testing.T, r *report.Report, budget int) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, r, budget); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rendered renders Markdown and returns its HTML and its elements in order, the
// closing ones with a slash.
func rendered(t *testing.T, markdown string) (page string, elements []string) {
	t.Helper()
	var b bytes.Buffer
	if err := oracle.Convert([]byte(markdown), &b); err != nil {
		t.Fatal(err)
	}
	for _, m := range tag.FindAllStringSubmatch(b.String(), -1) {
		elements = append(elements, m[1]+m[2])
	}
	return b.String(), elements
}

func count(list []string, want string) int {
	n := 0
	for _, s := range list {
		if s == want {
			n++
		}
	}
	return n
}

// sound checks that a comment has no element that nobody wrote, and closes what
// it opens in the right order.
func sound(t *testing.T, elements []string) {
	t.Helper()
	var open []string
	for _, e := range elements {
		name, closes := strings.CutPrefix(e, "/")
		if !slices.Contains(allowed, name) {
			t.Errorf("element <%s>", e)
		}
		if !closes {
			open = append(open, name)
			continue
		}
		if len(open) == 0 || open[len(open)-1] != name {
			t.Fatalf("</%s> closes %v", name, open)
		}
		open = open[:len(open)-1]
	}
	if len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
}

func TestStructure(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			r := f.Make()
			least := Least(r)
			for _, budget := range []int{least, least + 500, least + 5000, least + 50_000} {
				_, elements := rendered(t, comment(t, r, budget))
				sound(t, elements)
				if got := count(elements, "h4"); got != 1 {
					t.Errorf("budget %d: %d headings below the first, want only that of the broken references", budget, got)
				}
			}
		})
	}
}

// pages lets scripts/mermaid-check and scripts/render-check have every hostile
// name; the golden comment of all of them is cut to its budget.
var pages = flag.String("pages", "", "write a comment for every five hostile names into `DIR`")

func TestEveryHostileNameIsInert(t *testing.T) {
	names := reporterstest.HostileNames()
	for i := 0; i < len(names); i += 5 {
		page := comment(t, reporterstest.Named(names[i:min(i+5, len(names))]...), 1_000_000)
		_, elements := rendered(t, page)
		sound(t, elements)
		if *pages == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(*pages, fmt.Sprintf("names%03d.md", i)), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRowsHaveAllCells compares cells with titles, table by table: a name that
// ended its cell would leave a row with another number.
func TestRowsHaveAllCells(t *testing.T) {
	_, elements := rendered(t, comment(t, reporterstest.Hostile(), 1_000_000))
	titles, cells, rows := 0, 0, 0
	for _, e := range elements {
		switch e {
		case "thead":
			titles = 0
		case "th":
			titles++
		case "tr":
			cells = 0
		case "td":
			cells++
		case "/tr":
			rows++
			if cells != 0 && cells != titles {
				t.Fatalf("row %d has %d cells under %d titles", rows, cells, titles)
			}
		}
	}
	if want := 3 * 30; rows < want {
		t.Errorf("%d rows, want at least %d", rows, want)
	}
}

// TestEveryBrokenSymbolStandsOpen: one with very many references does not push
// the others into a fold.
func TestEveryBrokenSymbolStandsOpen(t *testing.T) {
	r := reporterstest.Small()
	r.Breaks = nil
	for i, total := range []int{100, 1, 30} {
		b := report.Break{Symbol: fmt.Sprintf("go:a.go#F%d/function", i), Name: fmt.Sprintf("F%d", i), Kind: "function", Change: report.Removed, Total: total}
		for j := range total {
			b.References = append(b.References, report.Reference{Name: fmt.Sprintf("use%d", j), Path: "b.go", Line: j + 1, Tier: "compiler", Kind: "call"})
		}
		r.Breaks = append(r.Breaks, b)
	}
	open, _, _ := strings.Cut(comment(t, r, 0), "<details>")
	for _, want := range []string{"`F0` at", "`F1` at", "`F2` at", "`b.go:5` in `use4`"} {
		if !strings.Contains(open, want) {
			t.Errorf("%s does not stand open:\n%s", want, open)
		}
	}
	if n := strings.Count(open, "\n  - "); n < 10 || n > 20 {
		t.Errorf("%d references stand open", n)
	}
}

func TestNamesAreShownToTheLetter(t *testing.T) {
	page, _ := rendered(t, comment(t, reporterstest.Small(), 0))
	for _, want := range []string{"pay/refund.go:14", "orders/cancel.go:88", "Policy.Next", "pay/charge_test.go:12",
		"parameter n: int → int64", "go test ./pay -run '^TestCharge$'", "golang.org/x/mod v0.1.0 → v0.2.0"} {
		if !strings.Contains(html.UnescapeString(page), want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

// TestNobodyIsNotified reads the page as a mail client does, without code
// spans. Commands are left to the letter: they could not be run otherwise.
func TestNobodyIsNotified(t *testing.T) {
	page, _ := rendered(t, comment(t, reporterstest.Hostile(), 1_000_000))
	page = regexp.MustCompile(`(?s)<pre>.*?</pre>`).ReplaceAllString(page, "")
	text := html.UnescapeString(tag.ReplaceAllString(page, ""))
	for _, m := range regexp.MustCompile(`(?m)(^|[^0-9A-Za-z_])@[0-9A-Za-z_].*|#[0-9].*`).FindAllString(text, 5) {
		t.Errorf("%.80q", m)
	}
	if !strings.Contains(text, "@\u200bacme/admins") {
		t.Error("no mention was broken: the report holds none")
	}
}

// FuzzRender gives a report one name wherever a report can have one. The page
// must have the structure that it has for a harmless name.
func FuzzRender(f *testing.F) {
	for _, n := range reporterstest.HostileNames() {
		f.Add(n)
	}
	var want []string
	f.Fuzz(func(t *testing.T, name string) {
		if len(name) > 400 || name == "" {
			return // longer ones are cut and a long command is left out; an absent one needs no code span
		}
		if want == nil {
			_, want = rendered(t, comment(t, reporterstest.Named("x"), 1_000_000))
		}
		_, got := rendered(t, comment(t, reporterstest.Named(name), 1_000_000))
		if !slices.Equal(got, want) {
			t.Errorf("%q made %v of %v", name, got, want)
		}
		sound(t, got)
	})
}

func TestHuge(t *testing.T) {
	r := reporterstest.Huge()
	got := comment(t, r, 0)
	if len(got) > DefaultBudget {
		t.Errorf("%d bytes, want at most %d", len(got), DefaultBudget)
	}
	t.Run("a small budget is used well", func(t *testing.T) {
		if n := len(comment(t, r, 30_000)); n > 30_000 || n < 29_000 {
			t.Errorf("%d bytes, want nearly 30,000", n)
		}
	})
	for _, want := range []string{" of 15,000 references shown", " of 10,000 symbols shown", "6 of 60 changed symbols shown", "20 of 10,000 tests shown",
		" of 10,000 gaps shown", "30 of 10,060 symbols shown in the graph"} {
		if !strings.Contains(got, want) {
			t.Errorf("the comment does not say %q", want)
		}
	}
	t.Run("a section that has rows shows some", func(t *testing.T) {
		if m := regexp.MustCompile(`(?m)^0 of .*`).FindString(got); m != "" {
			t.Error(m)
		}
	})
	t.Run("what is broken comes before the first fold", func(t *testing.T) {
		if fold, broken := strings.Index(got, "<details>"), strings.Index(got, "<b>removed</b> function"); broken < 0 || broken > fold {
			t.Errorf("broken at %d, fold at %d", broken, fold)
		}
	})
	t.Run("a command that is too long is left out and counted", func(t *testing.T) {
		if strings.Contains(got, "TestName|") || !strings.Contains(got, "1 of 2 commands shown") {
			t.Error("the long command is shown, or nothing is said of it")
		}
	})
}

// TestThePageOfAJobHasLongerLists: a budget that no comment may have.
func TestThePageOfAJobHasLongerLists(t *testing.T) {
	const page = 900 << 10
	r := reporterstest.Huge()
	small, large := comment(t, r, DefaultBudget), comment(t, r, page)
	if len(large) > page || strings.Count(large, "\n|") < 2*strings.Count(small, "\n|") {
		t.Errorf("%d rows in %d bytes, %d rows in a comment", strings.Count(large, "\n|"), len(large), strings.Count(small, "\n|"))
	}
	_, elements := rendered(t, large)
	sound(t, elements)
}

func TestNothingAndNobodyLookedDiffer(t *testing.T) {
	got := comment(t, reporterstest.Empty(), 0)
	for _, want := range []string{"#### Broken references: none found\n", "<b>API</b>: unchanged", "<b>Documents</b>: not looked at (unavailable: no extractor"} {
		if !strings.Contains(got, want) {
			t.Errorf("the comment does not say %q:\n%s", want, got)
		}
	}
}
