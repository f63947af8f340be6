package mcp

import (
	"cmp"
	"context"
	"slices"

	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/review/report"
)

type blastRadiusArgs struct {
	common
	bound
	Symbol string   `json:"symbol,omitempty" jsonschema:"id from find_symbol, or a name that means one symbol; absent: everything that HEAD changes against base"`
	Depth  int      `json:"depth,omitempty" jsonschema:"edges to follow, 1 to 20; 4 if absent; with symbol"`
	Kinds  []string `json:"kinds,omitempty" jsonschema:"edges to follow: call, dispatch, reference, override, inherit, import; call, dispatch and reference if absent; with symbol"`
	Base   string   `json:"base,omitempty" jsonschema:"revision that the change goes into; without symbol"`
}

// A radius is what can reach one symbol, or any symbol that a branch changes.
type radius struct {
	answer.Header
	Symbol     *answer.Symbol `json:"symbol"`
	Kinds      []string       `json:"kinds,omitempty"`
	Merge      string         `json:"merge_base"`
	Depth      int            `json:"depth"`
	Total      int            `json:"total"`
	Tests      int            `json:"tests"`
	ByDistance []int          `json:"by_distance"`
	Changes    []reached      `json:"changes"` // at most ten, the widest first
	Dependents []dependentOf  `json:"dependents"`
	Check      *answer.Check  `json:"check"`
}

// reached is how far one changed symbol is seen.
type reached struct {
	Symbol  string        `json:"symbol"`
	Change  report.Change `json:"change"`
	Total   int           `json:"total"`
	Checked string        `json:"checked"`
	Text    string        `json:"checked_text"`
}

type dependentOf struct {
	Of string `json:"of"` // the changed symbol that it can reach
	report.Dependent
}

const (
	defaultDepth = 4
	mostDepth    = 20
	mostChanges  = 10
)

func blastRadius() tool {
	return define[blastRadiusArgs, radius]("blast_radius", "What can reach a symbol or a change",
		`Use this before you change a function, or to judge a change: it lists everything that can reach the symbol, or all that HEAD changes against base. `+
			`Nearest first, each with distance, the kind of its step, the weakest tier on its way, the site, and the symbols between. `+
			`Tests are marked. With symbol, depth and kinds say what to follow; without, each change is followed along the kinds that matter to it. `+
			`An empty list comes with a check of the text of the tree.`,
		reads, false, func(ctx context.Context, c *call, in *blastRadiusArgs) (reply, error) {
			if in.Symbol == "" {
				r, err := c.server.review(ctx, c.told, in.RepoRoot, in.ExpectHead, in.Base)
				if err != nil {
					return reply{}, err
				}
				return radiusOfChange(in.RepoRoot, r), nil
			}
			if in.Depth == 0 {
				in.Depth = defaultDepth
			}
			if in.Depth < 1 || in.Depth > mostDepth {
				return reply{}, refuse("bad_arguments", "give 1 to 20", "depth is %d", in.Depth)
			}
			if len(in.Kinds) == 0 {
				in.Kinds = []string{"call", "dispatch", "reference"}
			}
			var a answer.Radius
			err := c.server.router.read(ctx, in.RepoRoot, func(ctx context.Context, w Worktree) (err error) {
				a, err = w.Radius(ctx, At{in.ExpectHead, in.Bound}, in.Symbol, in.Kinds, in.Depth)
				return err
			})
			return reply{about: a.Header, head: a, list: "dependents", items: items(a.Dependents)}, err
		}).one("kinds", edgeKinds...)
}

func radiusOfChange(root string, r *report.Report) reply {
	head := radius{Header: headerOf(root, r), Merge: r.Subject.MergeBase, Depth: r.Impact.Depth, Total: r.Impact.Total, Tests: r.Impact.Tests, ByDistance: r.Impact.ByDistance}
	var rows []dependentOf
	more := 0
	for i, s := range r.Impact.Symbols {
		if i < mostChanges {
			row := reached{Symbol: s.Symbol, Change: s.Change, Total: s.Total}
			if s.Check != nil {
				row.Checked, row.Text = s.Checked, s.CheckedText
			}
			head.Changes = append(head.Changes, row)
		}
		more += s.Omitted
		for _, d := range s.Dependents {
			rows = append(rows, dependentOf{s.Symbol, d})
		}
	}
	slices.SortStableFunc(rows, func(a, b dependentOf) int { return cmp.Compare(a.Distance, b.Distance) })
	return reply{about: bindTo(head.Header, r), head: head, later: continued{head.Header, head.Merge}, list: "dependents", items: items(rows), more: more}
}
