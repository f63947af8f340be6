package html

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

// reached is a report in which symbols reach changes. Each line is a dependent,
// the symbols between, and the change; a name that starts with Test is a test.
func reached(lines ...string) *report.Report {
	r := reporterstest.Empty()
	at := map[string]int{}
	for _, l := range lines {
		f := strings.Fields(l)
		change, tier := f[len(f)-1], "exact"
		if name, t, ok := strings.Cut(f[0], "@"); ok {
			f[0], tier = name, t
		}
		i, ok := at[change]
		if !ok {
			i = len(r.Impact.Symbols)
			at[change] = i
			r.Impact.Symbols = append(r.Impact.Symbols, report.SymbolImpact{Symbol: id(change), Name: change, Change: report.Body})
		}
		var through []string
		for _, name := range f[1 : len(f)-1] {
			through = append(through, id(name))
		}
		s := &r.Impact.Symbols[i]
		s.Total++
		s.Dependents = append(s.Dependents, report.Dependent{Symbol: id(f[0]), Name: f[0], Path: "p/" + f[0] + ".go", Line: 3, Site: 7,
			Distance: len(f) - 1, Kind: "call", Tier: tier, Test: strings.HasPrefix(f[0], "Test"), PathThrough: through, Blob: "b" + f[0]})
	}
	return r
}

func id(name string) string { return "go:p/" + name + ".go#" + name + "/function" }

// columns writes the boxes of each column from the top down.
func columns(d *radius) string {
	var out []string
	for _, c := range d.Columns {
		var names []string
		for _, b := range c.boxes {
			names = append(names, b.Name)
		}
		out = append(out, strings.Join(names, " "))
	}
	return strings.Join(out, " | ")
}

func TestRadius(t *testing.T) {
	for _, c := range []struct{ claim, lines, want string }{
		{"a column for each distance", "a x;b a x;c b a x", "x | a | b | c"},
		{"a symbol stands at its nearest change", "a x;b a x;b y", "x y | a b"},
		{"a change that reaches another stays a change", "y x;b y", "x y | b"},
		{"tests stand below all else", "TestA x;b x;TestC x;d x", "x | b d TestA TestC"},
		{"what refers to a box stands near it", "a x;b x;c b x;d a x", "x | a b | d c"},
		{"a symbol between that nothing lists is drawn", "c b x", "x | b | c"},
		{"one box is no picture", "", "none"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			lines := strings.FieldsFunc(c.lines, func(r rune) bool { return r == ';' })
			got := "none"
			if d := drawRadius(reached(lines...), mostBoxes); d != nil {
				got = columns(d)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRadiusSaysHowMuchItShows(t *testing.T) {
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("f%d x", i), fmt.Sprintf("g%d f%d x", i, i), fmt.Sprintf("Test%d f%d x", i, i))
	}
	r := reached(lines...)
	r.Impact.Total, r.Impact.ByDistance = 300, []int{100, 200}
	d := drawRadius(r, mostBoxes)
	if d.Columns[1].Drawn != columnBoxes || d.Columns[2].Drawn != columnBoxes {
		t.Errorf("%d and %d boxes, want %d", d.Columns[1].Drawn, d.Columns[2].Drawn, columnBoxes)
	}
	if d.Drawn != 1+2*columnBoxes || d.Total != 301 || d.Columns[2].Total != 200 {
		t.Errorf("%d of %d drawn, %d in the last column", d.Drawn, d.Total, d.Columns[2].Total)
	}
	if text := parse(t, page(t, r, 0)).class("radius")[0].text(); !strings.Contains(text, "81 of 301 symbols shown") || !strings.Contains(text, "40 of 200 shown") {
		t.Errorf("the page does not say it: %.400s", text)
	}
	for _, f := range reporterstest.Fixtures() {
		if d := drawRadius(f.Make(), mostBoxes); d != nil && len(d.Boxes) > mostBoxes {
			t.Errorf("%s: %d boxes", f.Name, len(d.Boxes))
		}
	}
}

func TestAWayIsDrawnWholeOrNotAtAll(t *testing.T) {
	r := reporterstest.Small()
	for most := 2; most < 6; most++ {
		d := drawRadius(r, most)
		if d == nil || len(d.Boxes) > most {
			t.Fatalf("at most %d: %v", most, d)
		}
		for _, b := range d.Boxes {
			if b.Column > 0 && (len(b.Reaches) == 0 || len(b.targets) == 0) {
				t.Errorf("at most %d: %s hangs in the air", most, b.Name)
			}
			for _, way := range b.Reaches {
				if len(way.Way) != way.Distance-1 {
					t.Errorf("at most %d: %s goes over %d boxes at distance %d", most, b.Name, len(way.Way), way.Distance)
				}
			}
		}
	}
}

func TestArrowsStartWhereTheyReferFrom(t *testing.T) {
	d := drawRadius(reached("a@name x", "b@dispatch a x", "c@compiler b a x"), mostBoxes)
	var got []string
	for _, a := range d.Arrows {
		got = append(got, a.From.Name+">"+a.To.Name+" "+a.Tier+" "+a.Kind)
	}
	if want := "a>x name call, b>a dispatch call, c>b compiler call"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
	if want := []string{"compiler", "dispatch", "name"}; !slices.Equal(d.Tiers, want) {
		t.Errorf("tiers %v, want %v", d.Tiers, want)
	}
}

func TestNoArrowLeadsToItsOwnBox(t *testing.T) {
	for _, a := range drawRadius(reached("a x x", "b a x"), mostBoxes).Arrows {
		if a.From == a.To {
			t.Errorf("%s refers to itself", a.From.Name)
		}
	}
}

func TestBoxesDoNotOverlap(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		d := drawRadius(f.Make(), mostBoxes)
		if d == nil {
			continue
		}
		taken := map[[2]int]string{}
		for n, b := range d.Boxes {
			if b.N != n || b.X < 0 || b.Y < top || b.X+boxWidth > d.Width || b.Y+boxHeight > d.Height {
				t.Errorf("%s: box %d stands outside: %+v", f.Name, n, b)
			}
			if other, ok := taken[[2]int{b.X, b.Y}]; ok {
				t.Errorf("%s: %q stands on %q", f.Name, b.Name, other)
			}
			taken[[2]int{b.X, b.Y}] = b.Name
		}
	}
}

func TestTheProofOfABox(t *testing.T) {
	r := reached("a@name x", "b@dispatch a x")
	r.Changes.Symbols = []report.SymbolChange{{ID: id("x"), Name: "x", Path: "p/x.go", Line: 9, Change: report.Signature, EffectReason: "gains a parameter",
		Old: &report.Version{Signature: "func x()"}, New: &report.Version{Signature: "func x(n int)", Blob: "bx"}}}
	doc := parse(t, page(t, r, 0))
	proofs := map[string]string{}
	for _, p := range doc.class("proof") {
		proofs[p.all("h3")[0].text()] = p.text()
	}
	for name, want := range map[string][]string{
		"x": {"signature changed", "p/x.go:9", "bx", "func x()", "func x(n int)", "gains a parameter", "2 symbols"},
		"a": {"p/a.go:3", "p/a.go:7", "ba", "Reaches x at distance 1", "name"},
		"b": {"p/b.go:3", "Reaches x at distance 2", "dispatch, the weakest on the way", "Through", "a"},
	} {
		for _, w := range want {
			if !strings.Contains(proofs[name], w) {
				t.Errorf("the proof of %s lacks %q: %s", name, w, proofs[name])
			}
		}
	}
}
