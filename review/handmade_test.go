package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// grow makes a graph of Go symbols written "a/x.go T.M method" and of edges
// written "from > to call exact", where both ends are qualified names. A line
// with "~" before its symbol has another body than one without.
func grow(t *testing.T, text string) *graph.Graph {
	t.Helper()
	g := &graph.Graph{}
	at, files := map[string]int32{}, map[string]bool{}
	for n, l := range strings.Split(strings.TrimSpace(text), "\n") {
		f := strings.Fields(l)
		if len(f) == 5 && f[1] == ">" {
			kind, ok := graph.ParseEdgeKind(f[3])
			tier, known := graph.ParseTier(f[4])
			from, has := at[f[0]]
			to, exists := at[f[2]]
			if !ok || !known || !has || !exists {
				t.Fatalf("no edge: %q", l)
			}
			g.Edges = append(g.Edges, graph.Edge{From: from, To: to, Kind: kind, Tier: tier, Lines: []int32{7}})
			continue
		}
		if len(f) != 3 {
			t.Fatalf("no symbol: %q", l)
		}
		s := handmade(t, f[0], f[1], f[2])
		s.Line, s.EndLine = n+1, n+1
		at[strings.TrimPrefix(f[1], "~")] = int32(len(g.Symbols))
		g.Symbols = append(g.Symbols, s)
		if !files[s.Path] {
			files[s.Path] = true
			g.Files = append(g.Files, graph.File{Path: s.Path, Blob: "b" + s.Path, Language: "go", State: graph.FileParsed})
		}
	}
	g.Sort()
	return g
}

func handmade(t *testing.T, path, qualified, kind string) graph.Symbol {
	t.Helper()
	k, ok := graph.ParseKind(kind)
	if !ok {
		t.Fatalf("no kind: %q", kind)
	}
	name, changed := strings.CutPrefix(qualified, "~")
	s := graph.Symbol{Name: name, Kind: k, Language: "go", Path: path}
	s.Digests.Body = graph.Digest{1}
	if changed {
		s.Digests.Body = graph.Digest{2}
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		s.Container, s.Name = name[:i], name[i+1:]
	}
	s.ID = graph.NewSymbolID("go", path, s.Container, s.Name, k, "")
	s.Exported = s.Name[0] >= 'A' && s.Name[0] <= 'Z'
	if strings.HasSuffix(path, "_test.go") && strings.HasPrefix(s.Name, "Test") {
		s.Test, s.Framework = true, "go"
	}
	return s
}

// contents gives the same text for every blob.
type contents string

func (c contents) Blobs(_ context.Context, oids []worktree.OID, _ int64, fn func(int, []byte, error) error) error {
	for i := range oids {
		if err := fn(i, []byte(c), nil); err != nil {
			return err
		}
	}
	return nil
}

// reviewed reviews two graphs whose files all changed.
func reviewed(t *testing.T, base, head *graph.Graph, text string, failOn ...string) *report.Report {
	t.Helper()
	in := Input{Base: base, Head: head, Blobs: contents(text), Limits: DefaultLimits, FailOn: failOn}
	for _, f := range head.Files {
		in.Changes = append(in.Changes, worktree.Change{Status: worktree.Modified, Path: f.Path, OldPath: f.Path,
			Mode: worktree.ModeFile, OldMode: worktree.ModeFile, OID: worktree.OID(f.Blob), OldOID: worktree.OID(f.Blob + "0")})
	}
	out, _, err := Review(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func testNames(r *report.Report) string {
	var names []string
	for _, x := range r.Tests.ToRun {
		names = append(names, fmt.Sprintf("%s:%d", x.Name, x.Distance))
	}
	return strings.Join(names, " ")
}

func gapNames(r *report.Report) string {
	var names []string
	for _, g := range r.Tests.Gaps {
		names = append(names, g.Name+":"+g.State)
	}
	return strings.Join(names, " ")
}

// shop is a program with an interface, two types that satisfy it, and tests.
const shop = `
p/shop.go Buy function
p/shop.go Card struct
p/shop.go Card.Pay method
p/shop.go Cash struct
p/shop.go Cash.Pay method
p/shop.go round function
p/shop_test.go TestCard function
p/shop_test.go TestCash function
p/shop_test.go TestRound function
Buy > Card.Pay dispatch dispatch
Buy > Cash.Pay dispatch dispatch
Card.Pay > Card reference compiler
Cash.Pay > Cash reference compiler
Card.Pay > round call compiler
TestCard > Buy call compiler
TestCard > Card reference compiler
TestCash > Buy call compiler
TestCash > Cash reference compiler
TestRound > round call compiler
`

// with puts a mark before the definitions of some symbols.
func with(text string, marked ...string) string {
	for _, m := range marked {
		text = strings.Replace(text, " "+m+" ", " ~"+m+" ", 1)
	}
	return text
}

func TestTestsToRun(t *testing.T) {
	tests := []struct {
		claim      string
		base, head string
		want       string
	}{
		{"near ones first", shop, with(shop, "round"), "TestRound:1 TestCard:3 TestCash:3"},
		{"a changed test comes before all", shop, with(shop, "round", "TestCash"), "TestCash:0 TestRound:1 TestCard:3"},
		{"through an interface only those that can have a value", shop, with(shop, "Card.Pay"), "TestCard:2"},
		{"all of them if an initialiser makes values", shop + "p/shop.go init function\ninit > Card reference compiler",
			with(shop, "Card.Pay") + "p/shop.go init function\ninit > Card reference compiler", "TestCard:2 TestCash:2"},
		{"who names neither the type nor a variable that holds one has no value", shop + "p/shop.go stock variable\nstock > Card reference compiler",
			with(shop, "Card.Pay") + "p/shop.go stock variable\nstock > Card reference compiler", "TestCard:2"},
		{"who names the variable has one", shop + "p/shop.go stock variable\nstock > Card reference compiler\nTestCash > stock reference compiler",
			with(shop, "Card.Pay") + "p/shop.go stock variable\nstock > Card reference compiler\nTestCash > stock reference compiler", "TestCard:2 TestCash:2"},
		{"all of them if a call may keep the value of a variable", shop + "p/shop.go _ variable\n_ > Card reference compiler\n_ > round call compiler",
			with(shop, "Card.Pay") + "p/shop.go _ variable\n_ > Card reference compiler\n_ > round call compiler", "TestCard:2 TestCash:2"},
		{"all of them rather than none", strings.ReplaceAll(shop, "TestCard > Card reference compiler\n", ""),
			with(strings.ReplaceAll(shop, "TestCard > Card reference compiler\n", ""), "Card.Pay"), "TestCard:2 TestCash:2"},
		{"whoever makes the type that embeds it", shop + "p/shop.go Purse struct\nPurse > Card inherit compiler\nTestCash > Purse reference compiler",
			with(shop, "Card.Pay") + "p/shop.go Purse struct\nPurse > Card inherit compiler\nTestCash > Purse reference compiler", "TestCard:2 TestCash:2"},
		{"nothing changed, nothing to run", shop, shop, ""},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			if got := testNames(reviewed(t, grow(t, tt.base), grow(t, tt.head), "")); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestGaps(t *testing.T) {
	const text = `
p/a.go reached function
p/a.go lonely function
p/a_test.go TestIt function
TestIt > reached call compiler
`
	for _, c := range []struct{ claim, marked, text, want string }{
		{"a reached function is none", "reached", "", ""},
		{"no test names it", "lonely", "", "lonely:uncovered"},
		{"a test names it without reaching it", "lonely", "x lonely", "lonely:unknown"},
		{"a part of a name is no mention", "lonely", "lonelyHearts", "lonely:uncovered"},
		{"a test needs none", "TestIt", "", ""},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if got := gapNames(reviewed(t, grow(t, text), grow(t, with(text, c.marked)), c.text)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestImpact(t *testing.T) {
	r := reviewed(t, grow(t, shop), grow(t, with(shop, "round", "Cash.Pay")), "")
	t.Run("every symbol counts once, at its nearest change", func(t *testing.T) {
		i := r.Impact
		if i.Total != 5 || i.Tests != 3 || !slices.Equal(i.ByDistance, []int{3, 2}) {
			t.Errorf("got %d, %d tests, %v", i.Total, i.Tests, i.ByDistance)
		}
	})
	t.Run("the largest radius comes first, with its tests", func(t *testing.T) {
		s := r.Impact.Symbols[0]
		if s.Name != "round" || s.Total != 5 || s.Tests != 3 || !slices.Equal(s.ByDistance, []int{2, 1, 2}) {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("a dependent has the way to the change", func(t *testing.T) {
		for _, d := range r.Impact.Symbols[0].Dependents {
			if d.Name == "TestCard" && (len(d.PathThrough) != 2 || !strings.Contains(d.PathThrough[0], "#Buy/") || d.Tier != "dispatch") {
				t.Errorf("got %+v", d)
			}
		}
	})
	t.Run("a dependent names the content in which it stands", func(t *testing.T) {
		for _, d := range r.Impact.Symbols[0].Dependents {
			if d.Blob != "b"+d.Path {
				t.Errorf("got blob %q of %s", d.Blob, d.Path)
			}
		}
	})
	t.Run("what nothing refers to says what was searched", func(t *testing.T) {
		r := reviewed(t, grow(t, "p/a.go alone function"), grow(t, "p/a.go ~alone function"), "other words")
		s := r.Impact.Symbols
		if len(s) != 1 || s[0].Total != 0 || s[0].Checked != report.Confirmed {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("nothing can refer to main, so nothing is said of it", func(t *testing.T) {
		r := reviewed(t, grow(t, "p/a.go main function"), grow(t, "p/a.go ~main function"), "")
		if len(r.Impact.Symbols) != 0 || len(r.Impact.EntryPoints) != 1 || r.Impact.EntryPoints[0].Distance != 0 {
			t.Errorf("got %+v", r.Impact)
		}
	})
	t.Run("an added method is reached by those who name it, not by an interface of old", func(t *testing.T) {
		base := strings.ReplaceAll(strings.ReplaceAll(shop, "p/shop.go Cash.Pay method\n", ""), "Buy > Cash.Pay dispatch dispatch\nCard.Pay", "Card.Pay")
		base = strings.ReplaceAll(base, "Cash.Pay > Cash reference compiler\n", "")
		r := reviewed(t, grow(t, base), grow(t, shop), "")
		for _, e := range r.Impact.EntryPoints {
			if e.Name == "Buy" {
				t.Errorf("Buy is an entry point at distance %d", e.Distance)
			}
		}
		if got := testNames(r); got != "TestCash:2" {
			t.Errorf("to run: %s", got)
		}
	})
}

func TestCoverageAndVerdict(t *testing.T) {
	head := grow(t, with(shop, "round"))
	head.Counts = []graph.Counts{{Language: "go", Compiler: 1196, Unresolved: 4}}
	head.Files = append(head.Files, graph.File{Path: "q/broken.go", Language: "go", State: graph.FilePartial, Reason: "syntax error",
		Gaps: []graph.Span{{Start: 3, End: 9}}}, graph.File{Path: "data.json", Language: "json", State: graph.FileUnsupported})
	head.Sort()
	base := grow(t, shop)
	base.Caveats = []graph.Caveat{{ID: "go.other", Text: "Some.", Count: 1, Of: 2}}
	r := reviewed(t, base, head, "")
	t.Run("files not parsed whole are counted, those of the pull request first", func(t *testing.T) {
		c := r.Coverage
		if c.Total != 4 || c.NotParsed != 2 || len(c.Files) != 2 || c.Files[1].Path != "q/broken.go" || c.Files[1].Ranges[0] != (report.Range{Start: 3, End: 9}) {
			t.Errorf("got %+v", c)
		}
	})
	t.Run("a section seen in part has denominators", func(t *testing.T) {
		if s := r.Section("impact"); s.State != report.Partial || s.Reason != "4 of 1,200 calls unresolved, 1 of 3 files not understood whole" {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("unresolved calls are a caveat with a denominator", func(t *testing.T) {
		i := slices.IndexFunc(r.Caveats, func(c report.Caveat) bool { return c.ID == "calls.unresolved.go" })
		if i < 0 || r.Caveats[i].Count != 4 || r.Caveats[i].Of != 1200 {
			t.Errorf("got %+v", r.Caveats)
		}
	})
	t.Run("what only the merge base lacked is told as such", func(t *testing.T) {
		i := slices.IndexFunc(r.Caveats, func(c report.Caveat) bool { return c.ID == "base.go.other" })
		if i < 0 || r.Caveats[i].Text != "At the merge base: Some." {
			t.Errorf("got %+v", r.Caveats)
		}
	})
	t.Run("a changed file that did not parse whole makes it incomplete", func(t *testing.T) {
		if r.Verdict.Outcome != report.Incomplete || r.Verdict.Reasons[len(r.Verdict.Reasons)-1].Rule != RuleIncomplete {
			t.Errorf("got %+v", r.Verdict)
		}
	})
	t.Run("a tree without extractor was not looked at", func(t *testing.T) {
		none := &graph.Graph{Files: []graph.File{{Path: "a.zig", Language: "zig", State: graph.FileUnsupported}}}
		none.Sort()
		if s := reviewed(t, none, none, "").Section("breaks"); s.State != report.Unavailable {
			t.Errorf("got %+v", s)
		}
	})
}

func TestDocuments(t *testing.T) {
	const text = `
p/a.go Old function
p/a.go Kept function
`
	docs := func(g *graph.Graph, line int32, to string) *graph.Graph {
		n := int32(len(g.Symbols))
		g.Symbols = append(g.Symbols, graph.Symbol{ID: "markdown:README.md#Use/heading", Name: "Use", Kind: graph.KindHeading,
			Language: "markdown", Path: "README.md", Line: 1, EndLine: 9})
		for i := range g.Symbols {
			if g.Symbols[i].Name == to {
				g.Edges = append(g.Edges, graph.Edge{From: n, To: int32(i), Kind: graph.EdgeReference, Tier: graph.TierName, Lines: []int32{line, line + 2}})
			}
		}
		g.Files = append(g.Files, graph.File{Path: "README.md", Blob: "readme", Language: "markdown", State: graph.FileParsed})
		g.Sort()
		return g
	}
	t.Run("a heading that still names what is gone stands once, at the first line", func(t *testing.T) {
		r := reviewed(t, docs(grow(t, text), 3, "Old"), docs(grow(t, "p/a.go Kept function"), 3, ""), "x\nx\n`Old`\nx\n`Old`\n")
		if d := r.Documents; len(d) != 1 || d[0].Line != 3 || d[0].Heading != "Use" || d[0].Relation != "mentions_removed" {
			t.Errorf("got %+v", d)
		}
	})
	t.Run("one that names it no longer is not listed", func(t *testing.T) {
		r := reviewed(t, docs(grow(t, text), 3, "Old"), docs(grow(t, "p/a.go Kept function"), 3, ""), "nothing of it")
		if len(r.Documents) > 0 {
			t.Errorf("got %+v", r.Documents)
		}
	})
	t.Run("a changed body makes no document stale", func(t *testing.T) {
		r := reviewed(t, docs(grow(t, text), 3, "Kept"), docs(grow(t, with(text, "Kept")), 3, "Kept"), "`Kept`")
		if len(r.Documents) > 0 {
			t.Errorf("got %+v", r.Documents)
		}
	})
}

func TestVerdict(t *testing.T) {
	const base = "p/a.go Gone function\np/a.go lonely function\n"
	const head = "p/a.go ~lonely function\n"
	rules := func(r *report.Report) string {
		var out []string
		for _, x := range r.Verdict.Reasons {
			out = append(out, fmt.Sprintf("%s:%v", x.Rule, x.Fails))
		}
		return strings.Join(out, " ")
	}
	t.Run("reasons are notes unless a policy says otherwise", func(t *testing.T) {
		r := reviewed(t, grow(t, base), grow(t, head), "")
		if got := rules(r); got != "api-breaking:false untested-change:false" || r.Verdict.Outcome != report.Pass {
			t.Errorf("got %s, %s", r.Verdict.Outcome, got)
		}
	})
	t.Run("a rule of the policy fails, and only it", func(t *testing.T) {
		r := reviewed(t, grow(t, base), grow(t, head), "", RuleAPI, RuleCycle)
		if got := rules(r); got != "api-breaking:true untested-change:false" || r.Verdict.Outcome != report.Fail {
			t.Errorf("got %s, %s", r.Verdict.Outcome, got)
		}
	})
	t.Run("nothing changed is a pass without reasons", func(t *testing.T) {
		r := reviewed(t, grow(t, base), grow(t, base), "")
		if got := rules(r); got != "" || r.Verdict.Outcome != report.Pass {
			t.Errorf("got %s, %s", r.Verdict.Outcome, got)
		}
	})
}

func TestReflow(t *testing.T) {
	names := func(r *report.Report) string {
		var out []string
		for _, s := range r.Changes.Symbols {
			out = append(out, s.Name+":"+string(s.Change))
		}
		return strings.Join(out, " ")
	}
	raw := func(g *graph.Graph, changed ...string) *graph.Graph {
		for i := range g.Symbols {
			if slices.Contains(changed, g.Symbols[i].Qualified()) {
				g.Symbols[i].Digests.Raw = graph.Digest{9}
			}
		}
		return g
	}
	const text = "p/a.go T struct\np/a.go T.A field\np/a.go T.B field\np/a.go f function\n"
	for _, c := range []struct{ claim, head, want string }{
		{"a field that came in realigns the others", text + "p/a.go T.Longer field\n", "T.Longer:added f:formatting"},
		{"a type that changed realigns its members", strings.Replace(text, " T ", " ~T ", 1), "T:body f:formatting"},
		{"what nothing else explains is said", text, "T:formatting T.A:formatting f:formatting"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			got := strings.Fields(names(reviewed(t, grow(t, text), raw(grow(t, c.head), "T", "T.A", "f"), "")))
			want := strings.Fields(c.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
