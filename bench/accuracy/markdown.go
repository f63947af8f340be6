package main

import (
	"fmt"
	"strings"

	"github.com/previdence/previdence/bench/score"
)

// A peer is what another tool scores on a cell.
type peer struct{ Cell, Tool, Precision, Recall, Source string }

func readPeers(path string) ([]peer, error) {
	list, err := rows(path, 5)
	var peers []peer
	for _, f := range list {
		peers = append(peers, peer{f[0], f[1], f[2], f[3], f[4]})
	}
	return peers, err
}

const intro = `# Call edges against answer keys

Written by ` + "`make bench-accuracy`" + `; [README.md](../README.md) says how the keys are made and what the
figures leave out. Intervals are Wilson's, at 95 %. Recalls of different rows
are not comparable: the keys resolve different shares of the calls.

`

func markdown(all []result, peers []peer) string {
	var b strings.Builder
	b.WriteString(intro)
	all, runs, unkeyed := split(all)
	totals(&b, all)
	compared(&b, all, peers)
	recalls(&b, all)
	byTier(&b, all)
	beyond(&b, all)
	lost(&b, all)
	silence(&b, append(all, unkeyed...))
	executed(&b, runs)
	return b.String()
}

// split tells the cells with an oracle's key from those with a run's and from those
// without any.
func split(all []result) (resolved, executed, unkeyed []result) {
	for _, r := range all {
		switch {
		case r.Executed:
			executed = append(executed, r)
		case r.Unkeyed:
			unkeyed = append(unkeyed, r)
		default:
			resolved = append(resolved, r)
		}
	}
	return resolved, executed, unkeyed
}

// executed compares with what the tests ran.
func executed(b *strings.Builder, runs []result) {
	b.WriteString("\n## Calls that the tests ran\n\nPairs of functions of which one called the other while the repository's tests ran. The\nprecision is a lower bound: " +
		"an edge of a function that ran counts against it if no test took it.\n\n" +
		"| cell | pairs | in the graph | precision is at least | lost by kind of callee |\n|---|--:|--:|--:|---|\n")
	for _, r := range runs {
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s |\n", r.Cell, r.Score.Calls, interval(r.Score.Recall()), interval(r.Score.Precision()), lostKinds(r.Score))
	}
}

func totals(b *strings.Builder, all []result) {
	b.WriteString("| cell | commit | files | calls in key | matched | contradicted | unjudged | precision | recall |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range all {
		s := r.Score
		fmt.Fprintf(b, "| %s | `%.10s` | %d | %d | %d | %d | %s | %s | %s |\n", r.Cell, r.Commit, r.Files, s.Calls, s.Matched, s.Contradicted,
			percent(s.UnjudgedShare()), interval(s.Precision()), interval(s.Recall()))
	}
}

func interval(r score.Ratio) string {
	if r.All == 0 {
		return "–"
	}
	low, high := r.Wilson()
	return fmt.Sprintf("%.3f [%.3f, %.3f]", r.Value(), low, high)
}

func percent(r score.Ratio) string {
	if r.All == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*r.Value())
}

// compared sets other tools beside ours, one row for each cell.
func compared(b *strings.Builder, all []result, peers []peer) {
	var tools []string
	figures := map[[2]string]string{}
	for _, p := range peers {
		tool := p.Tool
		if p.Source != "measured" {
			tool += " (" + p.Source + ")"
		}
		if _, seen := figures[[2]string{"", tool}]; !seen {
			figures[[2]string{"", tool}] = tool
			tools = append(tools, tool)
		}
		figures[[2]string{p.Cell, tool}] = p.Precision + " / " + p.Recall
	}
	if len(tools) == 0 {
		return
	}
	b.WriteString("\n## Beside other tools\n\nPrecision / recall on the same keys. What others published is marked; the rest was measured here.\n\n")
	fmt.Fprintf(b, "| cell | previdence | %s |\n|---|--:%s|\n", strings.Join(tools, " | "), strings.Repeat("|--:", len(tools)))
	for _, r := range all {
		fmt.Fprintf(b, "| %s | %.3f / %.3f |", r.Cell, r.Score.Precision().Value(), r.Score.Recall().Value())
		for _, tool := range tools {
			fmt.Fprintf(b, " %s |", figures[[2]string{r.Cell, tool}])
		}
		b.WriteString("\n")
	}
}

func recalls(b *strings.Builder, all []result) {
	b.WriteString("\n## Static and dynamic calls\n\nStatic: the source names the callee. Dynamic: an interface or a function value decides.\nOverriding: edges to methods that replace one that the key has; they count neither way.\n\n" +
		"| cell | static recall | dynamic recall | overriding |\n|---|--:|--:|--:|\n")
	for _, r := range all {
		fmt.Fprintf(b, "| %s | %d of %d, %s | %d of %d, %s | %d |\n", r.Cell, r.Score.Static.Of, r.Score.Static.All, interval(r.Score.Static),
			r.Score.Dynamic.Of, r.Score.Dynamic.All, interval(r.Score.Dynamic), r.Score.Possible)
	}
}

func byTier(b *strings.Builder, all []result) {
	b.WriteString("\n## By tier\n\nMatched / contradicted, and all edges in scope.\n\n| cell")
	b.WriteString(" | " + strings.Join(score.Tiers, " | ") + " |\n|---" + strings.Repeat("|--:", len(score.Tiers)) + "|\n")
	for _, r := range all {
		b.WriteString("| " + r.Cell)
		for i := range score.Tiers {
			var t score.TierScore
			if i < len(r.Score.Tiers) { // a kept result may know fewer
				t = r.Score.Tiers[i]
			}
			if t.Edges == 0 {
				b.WriteString(" | ")
				continue
			}
			fmt.Fprintf(b, " | %d / %d of %d", t.Matched, t.Contradicted, t.Edges)
		}
		b.WriteString(" |\n")
	}
}

// beyond lists what the figures leave out.
func beyond(b *strings.Builder, all []result) {
	b.WriteString("\n## Edges that no program of the key takes\n\nBy their own word: `test` needs a test, `latent` another program. They are in none of the other figures.\n\n" +
		"| cell | tier | edges | in the key | contradicted |\n|---|---|--:|--:|--:|\n")
	for _, r := range all {
		for _, t := range r.Score.Beyond {
			fmt.Fprintf(b, "| %s | %s | %d | %d | %d |\n", r.Cell, t.Tier, t.Edges, t.Matched, t.Contradicted)
		}
	}
}

func lost(b *strings.Builder, all []result) {
	b.WriteString("\n## Lost calls by kind\n\nLost of all that the key has of this kind.\n\n| cell | lost | by kind |\n|---|--:|---|\n")
	for _, r := range all {
		fmt.Fprintf(b, "| %s | %d | %s |\n", r.Cell, r.Score.Calls-r.Score.Matched, lostKinds(r.Score))
	}
}

func lostKinds(s *score.Result) string {
	total := map[string]int{}
	for _, c := range s.KeyKinds {
		total[c.Kind] = c.Count
	}
	var kinds []string
	for _, c := range s.LostKinds {
		kinds = append(kinds, fmt.Sprintf("%s %d of %d", c.Kind, c.Count, total[c.Kind]))
	}
	return strings.Join(kinds, ", ")
}

// silence says how many call sites have no edge, and why.
func silence(b *strings.Builder, all []result) {
	b.WriteString("\n## Calls without an edge\n\nCall sites of the whole tree. Unresolved by the graph's reason; outside by the package that the key names.\n\n" +
		"| cell | call sites | unresolved | external | unresolved by reason | outside by package | open in the key |\n|---|--:|--:|--:|---|---|---|\n")
	for _, r := range all {
		c := r.Calls
		sites := c.Compiler + c.Exact + c.Dispatch + c.Import + c.Name + c.Unresolved + c.External
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s | %s |\n", r.Cell, sites, percent(score.Ratio{Of: c.Unresolved, All: sites}),
			percent(score.Ratio{Of: c.External, All: sites}), listed(r.Unresolved), listed(r.Outside), listed(r.Open))
	}
}

func listed(counts []score.Count) string {
	var out []string
	for _, c := range counts {
		out = append(out, fmt.Sprintf("%s %d", c.Kind, c.Count))
	}
	return strings.Join(out, ", ")
}
