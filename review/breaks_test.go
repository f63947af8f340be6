package review

import (
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

func TestSameModule(t *testing.T) {
	for _, c := range []struct {
		claim, in, file string
		want            bool
	}{
		{"the file itself", "a/b.ts", "a/b.ts", true},
		{"without its ending", "a/b", "a/b.ts", true},
		{"with the ending that it compiles to", "a/b.js", "a/b.ts", true},
		{"the folder of an index", "a/b", "a/b/index.ts", true},
		{"the folder of a package", "a/b", "a/b/__init__.py", true},
		{"the folder of another file", "a/b", "a/b/c.ts", false},
		{"the same name in another folder", "c/b", "a/b.ts", false},
		{"a longer name", "a/bc", "a/b.ts", false},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if got := sameModule(c.in, c.file); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestLookedUpIn(t *testing.T) {
	function := handmade(t, "p/a.go", "F", "function")
	method := handmade(t, "p/a.go", "T.M", "method")
	script := function
	script.Language, script.Path = "typescript", "p/a.ts"
	r := &reviewer{files: newFileMap([]worktree.Change{{Status: worktree.Renamed, OldPath: "p/a.ts", Path: "q/a.ts"}})}
	for _, c := range []struct {
		claim string
		in    string
		s     graph.Symbol
		want  bool
	}{
		{"nowhere", "", function, false},
		{"the package of a Go function", "p", function, true},
		{"another package", "q", function, false},
		{"the type of a method", "go:p/a.go#T/struct", method, true},
		{"the type of a method in another file of the package", "go:p/t.go#T/struct", method, true},
		{"another type", "go:p/a.go#U/struct", method, false},
		{"the symbol itself", string(method.ID), method, true},
		{"the file of a TypeScript function", "p/a.ts", script, true},
		{"where that file lies at head", "q/a.ts", script, true},
		{"the folder of a TypeScript function", "p", script, false},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if got := r.lookedUpIn(&graph.Unresolved{In: c.in}, &c.s); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		claim           string
		name            string
		unread, outside int
		hits, total     int
		want            string
	}{
		{"no mention outside what the graph knows", "Send", 0, 0, 0, 0, report.Confirmed},
		{"a mention in a file that was not read", "Send", 1, 1, 1, 1, report.Contradicted},
		{"a mention that the graph read and does not explain", "Send", 0, 1, 1, 1, report.NotConfirmed},
		{"a name of three letters tells nothing", "Get", 1, 1, 1, 1, report.NotConfirmed},
		{"exactly as many mentions as tell something", "Send", maxMentions, maxMentions, maxMentions, maxMentions, report.Contradicted},
		{"a common name tells nothing", "Send", maxMentions + 1, maxMentions + 1, maxMentions + 1, maxMentions + 1, report.NotConfirmed},
		{"more places than were kept", "Send", 0, 0, keptMentions, keptMentions + 1, report.NotConfirmed},
	} {
		t.Run(c.claim, func(t *testing.T) {
			r := &reviewer{text: &text{hits: map[string][]hit{c.name: make([]hit, c.hits)}, totals: map[string]int{c.name: c.total}, searched: 3}}
			got := &report.Check{}
			r.judge(got, c.name, "reference", c.unread, c.outside)
			if got.Checked != c.want || got.CheckedText == "" {
				t.Errorf("got %s %q, want %s", got.Checked, got.CheckedText, c.want)
			}
		})
	}
}

func TestBrokenBefore(t *testing.T) {
	holder := handmade(t, "p/a.go", "F", "function")
	holder.Line = 10
	at := func(lines ...int) *graph.Graph {
		g := &graph.Graph{Symbols: []graph.Symbol{holder}}
		for _, l := range lines {
			g.Unresolved = append(g.Unresolved, graph.Unresolved{Line: int32(l), Kind: graph.EdgeCall, Name: "Gone", Broken: true})
		}
		g.Sort()
		return g
	}
	for _, c := range []struct {
		claim      string
		base, head []int
		want       []bool
	}{
		{"what is new is not old", nil, []int{11}, []bool{false}},
		{"what stayed is old", []int{11}, []int{11}, []bool{true}},
		{"what moved is old", []int{11}, []int{14}, []bool{true}},
		{"of two the one that stayed is old", []int{12}, []int{11, 12}, []bool{false, true}},
		{"as many are old as there were", []int{11}, []int{13, 14}, []bool{true, false}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			base, head := at(c.base...), at(c.head...)
			r := &reviewer{Input: Input{Base: base, Head: head}, pairs: newPairing(base, head)}
			r.pairs.join(0, 0)
			l := newLookups(base, head)
			for i, want := range c.want {
				if got := r.brokenBefore(&head.Unresolved[i], l); got != want {
					t.Errorf("line %d: got %v, want %v", head.Unresolved[i].Line, got, want)
				}
			}
		})
	}
}
