package score

import (
	"cmp"
	"math"
	"slices"
)

// A Ratio is a share: Of out of All.
type Ratio struct {
	Of  int `json:"of"`
	All int `json:"all"`
}

// Value is the share, or 0 of nothing.
func (r Ratio) Value() float64 {
	if r.All == 0 {
		return 0
	}
	return float64(r.Of) / float64(r.All)
}

// Wilson is the interval that holds the true share in 95 of 100 samples of this
// size. Unlike the normal approximation it stays inside 0 and 1.
func (r Ratio) Wilson() (low, high float64) {
	if r.All == 0 {
		return 0, 0
	}
	const z = 1.959963984540054
	n, p := float64(r.All), r.Value()
	centre := p + z*z/(2*n)
	spread := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (centre-spread)/(1+z*z/n)), min(1, (centre+spread)/(1+z*z/n))
}

// A Count is how often something of a kind occurs.
type Count struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// A TierScore is what the edges of one tier are worth: each edge counts at its
// strongest tier.
type TierScore struct {
	Tier         string `json:"tier"`
	Edges        int    `json:"edges"`
	Matched      int    `json:"matched"`
	Contradicted int    `json:"contradicted"`
}

// A Result is how edges compare with a key.
type Result struct {
	Edges        int         `json:"edges"`            // of the graph, both ends in the key's files
	Calls        int         `json:"calls"`            // of the key
	Matched      int         `json:"matched"`          // in both
	Contradicted int         `json:"contradicted"`     // in the graph; the key knows all that is called there, and this is not it
	Possible     int         `json:"possible"`         // in the graph; methods that override one that the key has
	Unjudged     int         `json:"unjudged"`         // in the graph; the key does not know
	Beyond       []TierScore `json:"beyond,omitempty"` // edges that are in none of the figures above
	Static       Ratio       `json:"static_recall"`
	Dynamic      Ratio       `json:"dynamic_recall"`
	Tiers        []TierScore `json:"tiers"`
	LostKinds    []Count     `json:"lost"`
	KeyKinds     []Count     `json:"kinds"` // of all calls of the key, to set the losses against
	Lost         []Edge      `json:"-"`
	Wrong        []Edge      `json:"-"`
}

// Recall is the share of the key's calls that the graph has.
func (r *Result) Recall() Ratio { return Ratio{r.Matched, r.Calls} }

// Precision is the share of right edges among those that the key can judge.
func (r *Result) Precision() Ratio { return Ratio{r.Matched, r.Matched + r.Contradicted} }

// UnjudgedShare is the share of the graph's edges about which the key is silent.
func (r *Result) UnjudgedShare() Ratio { return Ratio{r.Unjudged, r.Edges} }

// Tiers that an edge may have, strongest first.
var Tiers = []string{"compiler", "exact", "dispatch", "import", "name", "test", "latent"}

// Compare counts edges against a key. Edges with an end outside the key's files
// do not take part on either side.
func Compare(k *Key, found []Found) *Result {
	r := &Result{Tiers: make([]TierScore, len(Tiers))}
	for i, t := range Tiers {
		r.Tiers[i].Tier = t
	}
	edges := k.scoped(found)
	r.Beyond = k.setApart(edges)
	kinds, lost := map[string]int{}, map[string]int{}
	for e, call := range k.Calls {
		if !k.inScope(e) {
			continue
		}
		r.Calls++
		kinds[call.Kind]++
		side := &r.Dynamic
		if call.Static {
			side = &r.Static
		}
		side.All++
		if _, ok := edges[e]; ok {
			side.Of++
			continue
		}
		lost[call.Kind]++
		r.Lost = append(r.Lost, e)
	}
	for e, f := range edges {
		r.Edges++
		tier := &r.Tiers[max(0, slices.Index(Tiers, f.tier))]
		tier.Edges++
		_, matched := k.Calls[e]
		switch {
		case matched:
			r.Matched++
			tier.Matched++
		case k.Possible[e]:
			r.Possible++
		case k.judges(e, f.lines):
			r.Contradicted++
			tier.Contradicted++
			r.Wrong = append(r.Wrong, e)
		default:
			r.Unjudged++
		}
	}
	r.LostKinds, r.KeyKinds = counts(lost), counts(kinds)
	slices.SortFunc(r.Lost, CompareEdges)
	slices.SortFunc(r.Wrong, CompareEdges)
	return r
}

// setApart takes the edges of the tiers beyond the key out and counts them.
func (k *Key) setApart(edges map[Edge]pair) []TierScore {
	var apart []TierScore
	for _, t := range k.Beyond {
		sum := TierScore{Tier: t}
		for e, p := range edges {
			if p.tier != t {
				continue
			}
			delete(edges, e)
			sum.Edges++
			if _, ok := k.Calls[e]; ok {
				sum.Matched++
			} else if k.judges(e, p.lines) {
				sum.Contradicted++
			}
		}
		apart = append(apart, sum)
	}
	return apart
}

// A pair is all that a graph says about one caller and one callee.
type pair struct {
	tier  string
	lines []int
}

func (k *Key) inScope(e Edge) bool { return k.Files[e.Caller.Path] && k.Files[e.Callee.Path] }

// scoped joins the edges between the same places: call and dispatch, all tiers.
func (k *Key) scoped(found []Found) map[Edge]pair {
	edges := map[Edge]pair{}
	for _, f := range found {
		if !k.inScope(f.Edge) || len(k.Known) > 0 && !k.Known[f.Caller] {
			continue
		}
		p, seen := edges[f.Edge]
		if !seen || slices.Index(Tiers, f.Tier) < slices.Index(Tiers, p.tier) {
			p.tier = f.Tier
		}
		p.lines = append(p.lines, f.Lines...)
		edges[f.Edge] = p
	}
	return edges
}

// judges reports whether an edge that the key lacks is certainly wrong.
func (k *Key) judges(e Edge, sites []int) bool {
	if k.Implicit[e.Callee] {
		return false
	}
	if k.Callers[e.Caller] {
		return true
	}
	return len(sites) > 0 && !slices.ContainsFunc(sites, func(n int) bool { return !k.Lines[Place{e.Caller.Path, n}] })
}

// counts lists kinds by how often they occur, then by name.
func counts(m map[string]int) []Count {
	out := []Count{}
	for kind, n := range m {
		out = append(out, Count{kind, n})
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind)) })
	return out
}

// Largest is the n largest kinds of m; what is left over is joined as "other".
func Largest(m map[string]int, n int) []Count {
	all := counts(m)
	if len(all) <= n {
		return all
	}
	rest := Count{Kind: "other"}
	for _, c := range all[n:] {
		rest.Count += c.Count
	}
	return append(all[:n:n], rest)
}

// CompareEdges orders edges by caller, then by callee.
func CompareEdges(a, b Edge) int {
	return cmp.Or(comparePlaces(a.Caller, b.Caller), comparePlaces(a.Callee, b.Callee))
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
}
