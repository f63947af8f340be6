package review

import (
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review/blast"
)

// What decides the order of tests, in units of a sixteenth of a step. A test that
// reaches a change need not run it: each step on its way may be one that is not
// taken, a dispatched call takes one of its targets, and the names say what a test
// is about. The figures were chosen on cobra and flask (bench/results/tests.md).
const (
	stepCost   = 16 // to go one step
	choiceCost = 32 // to take one of two targets; twice that for one of four
	wordGain   = 8  // a word in common with the change that every second test lacks
	kinSteps   = 3  // how far from a change a name still says what the change is for

	maxKin  = 200     // users whose names are read for one change
	tooDear = 1 << 16 // no way of this cost is looked at: it stands with the last
)

// costs says how dear the cheapest way from each symbol to a change is, tooDear if
// there is none below that. It is one search for all changes together.
func costs(g *graph.Graph, changes []int32) []int32 {
	out := slices.Repeat([]int32{tooDear}, len(g.Symbols))
	choices := map[int32]int32{} // cost of a dispatched call, by caller
	due := [][]int32{changes}    // symbols by the cost to reach them
	for cost := int32(0); int(cost) < len(due); cost++ {
		for _, s := range due[cost] {
			if out[s] <= cost {
				continue
			}
			out[s] = cost
			for _, i := range g.In(s) {
				e := &g.Edges[i]
				if out[e.From] <= cost || !onwards.Has(e.Kind) || e.Kind == graph.EdgeImport && cost > 0 && !g.Symbols[s].Traits().Has(graph.TraitPlace) {
					continue
				}
				at := cost + stepCost
				if e.Kind == graph.EdgeDispatch {
					at += choiceOf(g, e.From, choices)
				}
				if at >= tooDear {
					continue
				}
				for len(due) <= int(at) {
					due = append(due, nil)
				}
				due[at] = append(due[at], e.From)
			}
		}
		due[cost] = nil
	}
	return out
}

// choiceOf is what a dispatched call costs beside its step, from all that a caller
// may be led to.
func choiceOf(g *graph.Graph, caller int32, known map[int32]int32) int32 {
	cost, ok := known[caller]
	if !ok {
		var targets uint
		for _, e := range g.Out(caller) {
			targets += uint(btoi(e.Kind == graph.EdgeDispatch))
		}
		cost = choiceCost * int32(bits.Len(targets-1)) // at least one leads here
		known[caller] = cost
	}
	return cost
}

// A lexicon knows how many tests have a word in their names.
type lexicon struct {
	tests map[int32][]string // words of each test
	count map[string]uint
}

// lexicon reads the names of all tests of head.
func (r *reviewer) lexicon() *lexicon {
	if r.words == nil {
		r.words = &lexicon{tests: map[int32][]string{}, count: map[string]uint{}}
		for i := range r.Head.Symbols {
			if s := &r.Head.Symbols[i]; s.Test {
				r.words.add(int32(i), slices.Concat(words(s.Qualified()), words(fileName(s.Path))))
			}
		}
	}
	return r.words
}

func (l *lexicon) add(test int32, words []string) {
	slices.Sort(words)
	words = slices.Compact(words)
	l.tests[test] = words
	for _, w := range words {
		l.count[w]++
	}
}

// rarity is 1 for a word of at most half of the tests, 2 of a quarter, and so on.
func (l *lexicon) rarity(word string) int {
	return bits.Len(uint(len(l.tests))/l.count[word]) - 1
}

// kinship says how much the names of a test have in common with a change.
func (l *lexicon) kinship(test int32, change map[string]int) int {
	sum := 0
	for _, w := range l.tests[test] {
		if gain := change[w]; gain > 0 {
			sum += gain * l.rarity(w)
		}
	}
	return sum
}

// subject are the words that say what a change is for: of its own name, of its
// file and, each step counting half, of what uses it; never of tests.
func (r *reviewer) subject(symbol int32, users []blast.Hit) map[string]int {
	out := map[string]int{}
	note := func(name string, gain int) {
		for _, w := range words(name) {
			out[w] = max(out[w], gain)
		}
	}
	s := &r.Head.Symbols[symbol]
	note(s.Name, wordGain)
	note(fileName(s.Path), wordGain)
	for _, h := range users[:min(len(users), maxKin)] {
		if h.Distance > kinSteps {
			break // they come in the order of their distances
		}
		if u := &r.Head.Symbols[h.Symbol]; !u.Test && !r.inTests(u.Path) && !isDocument(u) {
			note(u.Name, wordGain>>h.Distance)
		}
	}
	return out
}

// fileName is the name of a file without folders and endings.
func fileName(file string) string {
	name, _, _ := strings.Cut(path.Base(file), ".")
	return name
}
