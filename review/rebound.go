package review

import (
	"fmt"

	"github.com/previdence/previdence/graph"
)

// rebound says which name of an unchanged definition means something else than
// it did, since the imports of its file or another definition there changed:
// "send: post.ts → wire.ts". It is empty if none does. Only names that are
// certain at both commits count, and only if what they meant is still there.
func (r *reviewer) rebound(b, h int32) string {
	if !r.files.changed[r.Head.Symbols[h].Path] {
		return ""
	}
	now, named := map[int32]bool{}, map[string][]int32{}
	for _, e := range r.Head.Out(h) {
		if meant(e) {
			now[e.To] = true
			name := r.Head.Symbols[e.To].Name
			named[name] = append(named[name], e.To)
		}
	}
	before := map[int32]bool{}
	for _, e := range r.Base.Out(b) {
		if t := r.pairs.toHead[e.To]; meant(e) && t != graph.None {
			before[t] = true
		}
	}
	for _, e := range r.Base.Out(b) {
		old := r.pairs.toHead[e.To]
		if !meant(e) || old == graph.None || now[old] {
			continue
		}
		name := r.Base.Symbols[e.To].Name
		for _, to := range named[name] {
			if !before[to] && name != "" && !sameText(&r.Head.Symbols[old], &r.Head.Symbols[to]) {
				return fmt.Sprintf("%s: %s → %s", name, pathOf(&r.Head.Symbols[old]), pathOf(&r.Head.Symbols[to]))
			}
		}
	}
	return ""
}

// sameText is true for two copies of one definition.
func sameText(x, y *graph.Symbol) bool {
	return x.Digests.Signature == y.Digests.Signature && x.Digests.Body == y.Digests.Body
}

// meant is true for an edge that says what a name in the body means.
func meant(e graph.Edge) bool {
	switch e.Kind {
	case graph.EdgeCall, graph.EdgeReference, graph.EdgeInherit:
		return e.Tier <= graph.TierExact
	}
	return false
}
