package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/blast"
)

func TestOrderOfTests(t *testing.T) {
	tests := []struct {
		claim, graph, changed string
		want                  string
	}{
		{"a certain way comes before a shorter one that is one of many", `
p/a.go round function
p/a.go Pay function
p/a.go Charge function
p/a.go Card.Pay method
p/a.go Cash.Pay method
p/a.go Coin.Pay method
p/a.go Any function
p/a_test.go TestA function
p/a_test.go TestB function
Card.Pay > round call compiler
Any > Card.Pay dispatch dispatch
Any > Cash.Pay dispatch dispatch
Any > Coin.Pay dispatch dispatch
TestA > Any call compiler
Pay > round call compiler
Charge > Pay call compiler
Any > Charge reference compiler
TestB > Charge call compiler
`, "round", "TestB:3 TestA:3"},
		{"an interface with one type is no choice", `
p/a.go Card.Pay method
p/a.go Buy function
p/a.go Order function
p/a_test.go TestA function
p/a_test.go TestB function
Buy > Card.Pay dispatch dispatch
Order > Buy call compiler
TestA > Order call compiler
TestB > Buy call compiler
`, "Card.Pay", "TestB:2 TestA:3"},
		{"the name of the change, where the graph says no more", `
p/a.go parseURL function
p/a.go Run function
p/a_test.go TestAbout function
p/a_test.go TestURLParse function
Run > parseURL call compiler
TestAbout > Run call compiler
TestURLParse > Run call compiler
`, "parseURL", "TestURLParse:2 TestAbout:2"},
		{"the name of what uses the change", `
p/a.go pad function
p/a.go usage function
p/a.go Run function
p/a_test.go TestAbout function
p/a_test.go TestUsage function
usage > pad call compiler
Run > usage call compiler
TestAbout > Run call compiler
TestUsage > Run call compiler
`, "pad", "TestUsage:3 TestAbout:3"},
		{"a word that all tests have says nothing", `
p/run.go Run function
p/a_test.go TestRunAbout function
p/a_test.go TestRunTwice function
TestRunTwice > Run call compiler
TestRunAbout > Run call compiler
`, "Run", "TestRunAbout:1 TestRunTwice:1"},
		{"a weak tier comes last", `
p/a.go Pay function
p/a_test.go TestAbout function
p/a_test.go TestPay function
TestAbout > Pay call compiler
TestPay > Pay call name
`, "Pay", "TestAbout:1 TestPay:1"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			if got := testNames(reviewed(t, grow(t, tt.graph), grow(t, with(tt.graph, tt.changed)), "")); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// costs finds what a plain relaxation of all edges finds.
func TestCostsAgreeWithRelaxation(t *testing.T) {
	g := grow(t, shop)
	seed := int32(slices.IndexFunc(g.Symbols, func(s graph.Symbol) bool { return s.Name == "round" }))
	got := costs(g, []int32{seed})
	want := slices.Repeat([]int32{tooDear}, len(g.Symbols))
	want[seed] = 0
	for range g.Symbols {
		for _, e := range g.Edges {
			step := int32(stepCost)
			if e.Kind == graph.EdgeDispatch {
				step += choiceCost // Buy has two targets
			}
			if want[e.To] != tooDear {
				want[e.From] = min(want[e.From], want[e.To]+step)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestImportsCostFromModuleToModuleOnly(t *testing.T) {
	g := grow(t, `
p/a.go a function
p/a.go m module
p/b.go n module
p/a_test.go TestA function
m > a call exact
n > m import exact
TestA > n import exact
n > a import exact
p/a.go f function
p/c.go o module
f > a call exact
o > f import exact
`)
	got := costs(g, []int32{mustFind(t, g, "a")})
	if c := got[mustFind(t, g, "n")]; c != stepCost {
		t.Errorf("what imports the change itself costs one step, got %d", c)
	}
	if c := got[mustFind(t, g, "TestA")]; c != 2*stepCost {
		t.Errorf("what imports that module costs one more, got %d", c)
	}
	if c := got[mustFind(t, g, "o")]; c != tooDear {
		t.Errorf("what imports a user of the change does not run it, got %d", c)
	}
}

func TestCostsEndBeforeTooDear(t *testing.T) {
	const most = (tooDear - 1) / stepCost
	var chain strings.Builder
	for i := range most + 2 {
		fmt.Fprintf(&chain, "p/a.go f%d function\n", i)
	}
	for i := range most + 1 {
		fmt.Fprintf(&chain, "f%d > f%d call compiler\n", i+1, i)
	}
	g := grow(t, chain.String())
	got := costs(g, []int32{mustFind(t, g, "f0")})
	if c := got[mustFind(t, g, fmt.Sprintf("f%d", most))]; c != most*stepCost {
		t.Errorf("the last step that is looked at costs %d, got %d", most*stepCost, c)
	}
	if c := got[mustFind(t, g, fmt.Sprintf("f%d", most+1))]; c != tooDear {
		t.Errorf("the next one is too dear, got %d", c)
	}
}

func mustFind(t *testing.T, g *graph.Graph, name string) int32 {
	t.Helper()
	i := slices.IndexFunc(g.Symbols, func(s graph.Symbol) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no symbol %q", name)
	}
	return int32(i)
}

func TestSubjectLeavesTestsAndFarUsersOut(t *testing.T) {
	r := &reviewer{Input: Input{Head: grow(t, `
p/money.go round function
p/a.go payCard function
p/a_test.go helpPay function
p/a.go farAway function
`)}}
	at := func(name string) int32 { return mustFind(t, r.Head, name) }
	got := r.subject(at("round"), []blast.Hit{{Symbol: at("payCard"), Distance: 1}, {Symbol: at("helpPay"), Distance: 1}, {Symbol: at("farAway"), Distance: kinSteps + 1}})
	for word, want := range map[string]int{"round": wordGain, "money": wordGain, "card": wordGain / 2, "help": 0, "far": 0} {
		if got[word] != want {
			t.Errorf("%q counts %d, want %d", word, got[word], want)
		}
	}
}
