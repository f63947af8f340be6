package mcp

import (
	"context"

	"github.com/previdence/previdence/graph/answer"
)

type tracePathArgs struct {
	common
	bound
	Symbol    string   `json:"symbol" jsonschema:"id from find_symbol, or a name that means one symbol"`
	To        string   `json:"to,omitempty" jsonschema:"another symbol: find a shortest way from symbol to it"`
	Direction string   `json:"direction,omitempty" jsonschema:"callers (if absent), callees or both; without to"`
	Kinds     []string `json:"kinds,omitempty" jsonschema:"edges to follow: call, dispatch, reference, override, inherit, import; call and dispatch if absent"`
}

// A trace is what trace_path gives: the edges of one symbol, or a way between two.
type trace struct {
	answer.Header
	Symbol  *answer.Symbol `json:"symbol"`
	From    *answer.Symbol `json:"from"`
	To      *answer.Symbol `json:"to"`
	Kinds   []string       `json:"kinds"`
	Found   *bool          `json:"found"`
	Edges   []tracedEdge   `json:"edges,omitempty"`
	Steps   []answer.Step  `json:"steps,omitempty"`
	Check   *answer.Check  `json:"check"`
	Callees *answer.Check  `json:"callees_check"`
}

type tracedEdge struct {
	Direction Direction `json:"direction"` // if both were asked for
	answer.Edge
}

// edgeKinds are the names that agents may give.
var edgeKinds = []string{"call", "dispatch", "reference", "override", "inherit", "import"}

func tracePath() tool {
	return define[tracePathArgs, trace]("trace_path", "Trace callers, callees or a way",
		`Use this to see who calls a symbol, what it calls, or how one symbol reaches another. `+
			`Each hop has its proof: kind of edge, tier (how sure it is) and the lines of the sites. `+
			`Give symbol and direction for one hop, symbol and to for a shortest way. `+
			`Interface calls appear as kind dispatch. An empty list comes with a check of the text of the tree; an ambiguous name gives candidates.`,
		reads, false, func(ctx context.Context, c *call, in *tracePathArgs) (r reply, err error) {
			at := At{in.ExpectHead, in.Bound}
			directions := []Direction{Callers}
			switch in.Direction {
			case "", string(Callers):
			case string(Callees):
				directions = []Direction{Callees}
			case "both":
				directions = []Direction{Callers, Callees}
			default:
				return r, refuse("bad_arguments", "give callers, callees or both", "direction is %q", in.Direction)
			}
			err = c.server.router.read(ctx, in.RepoRoot, func(ctx context.Context, w Worktree) error {
				if in.To != "" {
					r, err = traceWay(ctx, w, at, in)
				} else {
					r, err = traceEdges(ctx, w, at, in, directions)
				}
				return err
			})
			return r, err
		}).one("direction", "callers", "callees", "both").one("kinds", edgeKinds...)
}

func traceWay(ctx context.Context, w Worktree, at At, in *tracePathArgs) (reply, error) {
	p, err := w.Path(ctx, at, in.Symbol, in.To, in.Kinds)
	return reply{about: p.Header, head: p, list: "steps", items: items(p.Steps)}, err
}

func traceEdges(ctx context.Context, w Worktree, at At, in *tracePathArgs, directions []Direction) (reply, error) {
	var t trace
	var edges []any
	for i, d := range directions {
		n, err := w.Neighbours(ctx, at, d, in.Symbol, in.Kinds)
		if err != nil {
			return reply{}, err
		}
		if i > 0 && n.GraphDigest != t.GraphDigest {
			return reply{}, refuse("graph_updating", "try again", "the graph was replaced while it was read")
		}
		if t.Header, t.Symbol, t.Kinds = n.Header, &n.Symbol, n.Kinds; i == 0 {
			t.Check = n.Check
		} else {
			t.Callees = n.Check
		}
		for _, e := range n.Edges {
			row := tracedEdge{Edge: e}
			if len(directions) > 1 {
				row.Direction = d
			}
			edges = append(edges, row)
		}
	}
	return reply{about: t.Header, head: t, list: "edges", items: edges}, nil
}
