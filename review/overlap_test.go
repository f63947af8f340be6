package review

import (
	"fmt"
	"slices"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// pullRequest makes the reviewer of a pull request whose head has the symbols
// a, b, c, d, in which each refers to the one after it, with these changes.
func pullRequest(files []string, changes ...change) *reviewer {
	g := &graph.Graph{}
	for i, name := range []string{"a", "b", "c", "d"} {
		g.Symbols = append(g.Symbols, graph.Symbol{
			ID: graph.SymbolID("py:" + name), Name: name, Kind: graph.KindFunction, Language: "python", Path: name + ".py", Line: i + 1,
		})
	}
	for i := range int32(3) {
		g.Edges = append(g.Edges,
			graph.Edge{From: i, To: i + 1, Kind: graph.EdgeCall, Tier: graph.TierExact, Lines: []int32{i + 1}},
			graph.Edge{From: i, To: 3, Kind: graph.EdgeImport, Tier: graph.TierExact, Lines: []int32{1}})
	}
	g.Sort()
	r := &reviewer{Input: Input{Base: g, Head: g}, changes: changes}
	for _, f := range files {
		r.Changes = append(r.Changes, worktree.Change{Path: f})
	}
	return r
}

func TestOverlap(t *testing.T) {
	const a, b, c, d = 0, 1, 2, 3
	body := func(i int32) change { return change{kind: report.Body, base: i, head: i} }
	tests := map[string]struct {
		this, other *reviewer
		want        []string
	}{
		"strangers do not meet":                             {pullRequest(nil, body(a)), pullRequest(nil, body(c)), nil},
		"both change one symbol":                            {pullRequest(nil, body(b)), pullRequest(nil, body(b)), []string{"both_change py:b "}},
		"the other changes a caller":                        {pullRequest(nil, body(b)), pullRequest(nil, body(a)), []string{"other_changes_dependent py:a py:b"}},
		"this one changes a caller":                         {pullRequest(nil, body(a)), pullRequest(nil, body(b)), []string{"this_changes_dependent py:a py:b"}},
		"an import alone is no use":                         {pullRequest(nil, body(a)), pullRequest(nil, body(d)), nil},
		"a caller's caller is too far":                      {pullRequest(nil, body(c)), pullRequest(nil, body(a)), nil},
		"nobody feels a comment":                            {pullRequest(nil, change{kind: report.Doc, base: b, head: b}), pullRequest(nil, body(a)), nil},
		"a comment feels nothing":                           {pullRequest(nil, body(b)), pullRequest(nil, change{kind: report.Doc, base: a, head: a}), nil},
		"two comments on one symbol meet":                   {pullRequest(nil, change{kind: report.Doc, base: a, head: a}), pullRequest(nil, body(a)), []string{"both_change py:a "}},
		"a new caller of what is removed":                   {pullRequest(nil, change{kind: report.Removed, base: b, head: graph.None}), pullRequest(nil, change{kind: report.Added, base: graph.None, head: a}), []string{"other_changes_dependent py:a py:b"}},
		"a renamed symbol is met under both names":          {pullRequest(nil, change{kind: report.Renamed, base: b, head: d}), pullRequest(nil, body(a)), []string{"other_changes_dependent py:a py:d"}},
		"what both change is not said again as a dependent": {pullRequest(nil, body(a), body(b)), pullRequest(nil, body(a), body(b)), []string{"both_change py:a ", "both_change py:b "}},
		"both change a file":                                {pullRequest([]string{"x", "y"}), pullRequest([]string{"y", "z"}), []string{"file y"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o, found := Overlap(tt.this.touched(), tt.other.touched())
			var got, symbols []string
			for _, s := range o.Shared {
				got = append(got, fmt.Sprintf("%s %s %s", s.Sharing, s.Symbol, s.RefersTo))
				symbols = append(symbols, s.Symbol)
				if s.Name == "" || s.Path == "" || s.Line == 0 {
					t.Errorf("no place: %+v", s)
				}
			}
			for _, f := range o.Files {
				got = append(got, "file "+f)
			}
			if !slices.Equal(got, tt.want) || found != (len(tt.want) > 0) {
				t.Errorf("got %q, %t; want %q", got, found, tt.want)
			}
			if !slices.Equal(o.Symbols, symbols) || o.Total != len(symbols) {
				t.Errorf("symbols are %q of %d", o.Symbols, o.Total)
			}
		})
	}
}

func TestALongOverlapSaysHowLongItIs(t *testing.T) {
	many := Touched{changed: map[graph.SymbolID]touch{}, files: map[string]bool{}}
	for i := range 300 {
		id := fmt.Sprintf("py:%03d", i)
		many.changed[graph.SymbolID(id)] = touch{symbol: report.SharedSymbol{Symbol: id}}
		many.files[id] = true
	}
	o, _ := Overlap(many, many)
	if o.Total != 300 || len(o.Symbols) != shownOverlap || len(o.Shared) != shownOverlap || len(o.Files) != shownOverlap || o.Symbols[199] != "py:199" {
		t.Errorf("%d symbols of %d, %d places, %d files", len(o.Symbols), o.Total, len(o.Shared), len(o.Files))
	}
}
