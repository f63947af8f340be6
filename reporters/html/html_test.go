package html

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/reporters/escape"
	"github.com/previdence/previdence/reporters/outline"
	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

var pagesDir = flag.String("pages", "", "folder that TestWritePages writes to, for scripts/browser-check")

// TestWritePages writes the pages that a browser is going to look at, and what
// the hostile one must show.
func TestWritePages(t *testing.T) {
	if *pagesDir == "" {
		return // the tests below look at the same pages
	}
	var names []string
	for _, name := range reporterstest.HostileNames() {
		names = append(names, shown(name))
	}
	list, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"names.json": list}
	for _, f := range reporterstest.Fixtures() {
		files[f.Name+".html"] = []byte(page(t, f.Make(), 0))
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(*pagesDir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shown is a name as the page has it.
func shown(name string) string {
	return escape.Name(escape.Shorten(escape.Visible(name), widestName))
}

func TestConformance(t *testing.T) {
	reporterstest.Run(t, reporterstest.Reporter{Least: Least, Render: func(r *report.Report, budget int) ([]byte, error) {
		var b bytes.Buffer
		err := Render(&b, r, budget)
		return b.Bytes(), err
	}})
}

func page(t *testing.T, r *report.Report, budget int) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, r, budget); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEveryNameIsShown(t *testing.T) {
	text := parse(t, page(t, reporterstest.Hostile(), 0)).text()
	for _, name := range reporterstest.HostileNames() {
		if want := shown(name); !strings.Contains(text, want) {
			t.Errorf("%.80q is not on the page", want)
		}
	}
}

func TestEverySectionShowsItsStateAndItsCaveats(t *testing.T) {
	r := reporterstest.Small()
	documents := slices.IndexFunc(r.Sections, func(s report.Section) bool { return s.Name == "documents" })
	r.Sections[documents].State, r.Sections[documents].Reason = report.Unavailable, "nobody reads these"
	doc := parse(t, page(t, r, 0))
	for name, want := range map[string][]string{
		"breaks":    {"complete"},
		"impact":    {"seen in part", "3 files were not parsed whole", reporterstest.CaveatToken(1), "6 of 412"},
		"documents": {"not looked at", "nobody reads these"},
		"coverage":  {reporterstest.CaveatToken(0), reporterstest.CaveatToken(1)},
	} {
		text := doc.section(name).text()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s does not say %q: %.300s", name, w, text)
			}
		}
	}
	if text := doc.section("breaks").text(); strings.Contains(text, reporterstest.CaveatToken(1)) {
		t.Errorf("breaks shows the caveat of another section: %s", text)
	}
}

func TestWhatIsBrokenIsNotFolded(t *testing.T) {
	breaks := parse(t, page(t, reporterstest.Huge(), 0)).section("breaks")
	rows := breaks.class("rows")[0]
	if n := len(rows.all("li")); n < 900 {
		t.Errorf("%d rows", n)
	}
	for _, fold := range breaks.all("details") {
		if len(fold.class("rows")) > 0 {
			t.Error("broken references stand in a fold")
		}
	}
}

func TestTheOrderIsThatOfAReview(t *testing.T) {
	var got []string
	for _, h := range parse(t, page(t, reporterstest.Empty(), 0)).all("h2") {
		got = append(got, h.attr("id"))
	}
	want := "breaks impact tests api nothing dependencies documents changes coverage check"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestTenThousandSymbolsLoadAtOnce keeps the page of the largest report small
// enough to be sent by mail: it is 1.3 MB, the JSON of it 15.7 MB.
func TestTenThousandSymbolsLoadAtOnce(t *testing.T) {
	if n := len(page(t, reporterstest.Huge(), 0)); n > 2_000_000 {
		t.Errorf("%d bytes", n)
	}
}

func TestACutPageHasASmallerPicture(t *testing.T) {
	r := reporterstest.Huge()
	whole := page(t, r, 0)
	cut := page(t, r, len(whole)-1)
	boxes := func(s string) int { return len(parse(t, s).class("box")) }
	if w, c := boxes(whole), boxes(cut); w <= fewBoxes || c < 2 || c > fewBoxes {
		t.Errorf("%d boxes on the whole page, %d on the cut one", w, c)
	}
}

func TestTheGuideNamesTheLimits(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guides/html-report.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(guide)), " ")
	for _, want := range []string{
		outline.Number(limits[len(limits)-1]) + " rows", outline.Number(mostBoxes) + " boxes",
		fmt.Sprintf("%d in a column of which %d are tests", columnBoxes, columnTests),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the guide does not say %q", want)
		}
	}
}
