package diff

import (
	"bytes"
	"sort"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// MaxLines is the number of lines, both sides together, that [Lines] compares
// exactly at a time. Lines that the two sides share at both ends and lines that
// only one side has are not counted, since they need no comparing.
const MaxLines = 20_000

// A Hunk is one run of changed lines, numbered as in the header of a hunk
// without context: where a side has no lines, its start is the line before.
type Hunk struct {
	OldStart int // first line removed, from 1
	OldLines int
	NewStart int // first line added, from 1
	NewLines int
	Coarse   bool // the run was too large to compare; lines in it may be equal
}

// Lines returns the hunks that turn old into new, in order, with as few changed
// lines as possible. A line includes its newline, so a last line that loses it
// has changed.
//
// Sides that differ in more than [MaxLines] lines are first cut at lines that
// each has once. A piece that is still too large becomes one coarse hunk.
func Lines(old, new []byte) []Hunk {
	if bytes.Equal(old, new) {
		return nil
	}
	c := newComparison(old, new)
	c.compare(0, len(c.old), 0, len(c.new), maxDepth)
	c.slide()
	return c.hunks()
}

// Totals returns the lines that the hunks add and remove.
func Totals(hunks []Hunk) (additions, deletions int) {
	for _, h := range hunks {
		additions += h.NewLines
		deletions += h.OldLines
	}
	return additions, deletions
}

// A comparison holds both sides as line numbers into one table of distinct
// lines, and marks the lines that changed.
type comparison struct {
	old, new       []int32
	removed, added []bool
	coarseOld      []bool // marked without having been compared
	coarseNew      []bool
}

func newComparison(old, new []byte) *comparison {
	table := map[string]int32{}
	c := &comparison{old: intern(table, old), new: intern(table, new)}
	c.removed, c.coarseOld = make([]bool, len(c.old)), make([]bool, len(c.old))
	c.added, c.coarseNew = make([]bool, len(c.new)), make([]bool, len(c.new))
	return c
}

func intern(table map[string]int32, text []byte) []int32 {
	lines := make([]int32, 0, bytes.Count(text, []byte{'\n'})+1)
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		id, ok := table[string(text[:n])]
		if !ok {
			id = int32(len(table))
			table[string(text[:n])] = id
		}
		lines = append(lines, id)
		text = text[n:]
	}
	return lines
}

// maxDepth bounds how often a piece is cut again, since every cut reads the
// piece once more.
const maxDepth = 8

// compare marks what changed between old[a0:a1] and new[b0:b1].
func (c *comparison) compare(a0, a1, b0, b1, depth int) {
	for a0 < a1 && b0 < b1 && c.old[a0] == c.new[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && c.old[a1-1] == c.new[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	a, b := c.shared(a0, a1, b0, b1)
	if len(a)+len(b) <= MaxLines {
		c.exact(a, b)
		return
	}
	cuts := c.anchors(a, b)
	if len(cuts) == 0 || depth == 0 {
		markAll(c.removed, c.coarseOld, a)
		markAll(c.added, c.coarseNew, b)
		return
	}
	for _, cut := range cuts {
		c.compare(a0, cut.old, b0, cut.new, depth-1)
		a0, b0 = cut.old+1, cut.new+1
	}
	c.compare(a0, a1, b0, b1, depth-1)
}

func markAll(changed, coarse []bool, at []int) {
	for _, i := range at {
		changed[i], coarse[i] = true, true
	}
}

// shared returns the lines of each side that the other side has too, and marks
// the rest: a line without a partner is in no common subsequence, so leaving it
// out keeps the result minimal and makes unlike files cheap.
func (c *comparison) shared(a0, a1, b0, b1 int) (a, b []int) {
	const inOld, inNew = 1, 2
	seen := make(map[int32]byte, a1-a0)
	for _, id := range c.old[a0:a1] {
		seen[id] |= inOld
	}
	for _, id := range c.new[b0:b1] {
		seen[id] |= inNew
	}
	for i := a0; i < a1; i++ {
		if seen[c.old[i]] == inOld|inNew {
			a = append(a, i)
		} else {
			c.removed[i] = true
		}
	}
	for i := b0; i < b1; i++ {
		if seen[c.new[i]] == inOld|inNew {
			b = append(b, i)
		} else {
			c.added[i] = true
		}
	}
	return a, b
}

// exact marks the lines outside a longest common subsequence of a and b.
func (c *comparison) exact(a, b []int) {
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // a time limit would let the machine's speed decide
	i, j := 0, 0
	local := make(map[int32]rune, len(a))
	for _, run := range d.DiffMainRunes(runes(local, c.old, a), runes(local, c.new, b), false) {
		n := len([]rune(run.Text))
		switch run.Type {
		case diffmatchpatch.DiffEqual:
			i, j = i+n, j+n
		case diffmatchpatch.DiffDelete:
			for range n {
				c.removed[a[i]] = true
				i++
			}
		case diffmatchpatch.DiffInsert:
			for range n {
				c.added[b[j]] = true
				j++
			}
		}
	}
}

// runes writes lines as runes, because that is what go-diff compares. MaxLines
// keeps them below the surrogates, which its strings would not preserve.
func runes(local map[int32]rune, side []int32, at []int) []rune {
	out := make([]rune, len(at))
	for k, i := range at {
		r, ok := local[side[i]]
		if !ok {
			r = rune(len(local) + 1)
			local[side[i]] = r
		}
		out[k] = r
	}
	return out
}

// A pair is a line of each side that holds the same text.
type pair struct{ old, new int }

// anchors returns the longest run of pairs, ascending on both sides, of lines
// that stand exactly once in each.
func (c *comparison) anchors(a, b []int) []pair {
	countOld, countNew := map[int32]int{}, map[int32]int{}
	place := map[int32]int{}
	for _, i := range a {
		countOld[c.old[i]]++
	}
	for _, j := range b {
		countNew[c.new[j]]++
		place[c.new[j]] = j
	}
	var pairs []pair
	for _, i := range a {
		if id := c.old[i]; countOld[id] == 1 && countNew[id] == 1 {
			pairs = append(pairs, pair{i, place[id]})
		}
	}
	return ascending(pairs)
}

// ascending returns the longest subsequence whose new lines ascend; the old
// ones do already.
func ascending(pairs []pair) []pair {
	var tails []int // by length of a subsequence, the pair that ends it lowest
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n := sort.Search(len(tails), func(k int) bool { return pairs[tails[k]].new >= p.new })
		before[i] = -1
		if n > 0 {
			before[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	out := make([]pair, len(tails))
	for k, i := len(tails)-1, last(tails); k >= 0; k-- {
		out[k] = pairs[i]
		i = before[i]
	}
	return out
}

func last(of []int) int {
	if len(of) == 0 {
		return -1
	}
	return of[len(of)-1]
}

// hunks turns the marks into runs. Lines without a mark pair up in order.
func (c *comparison) hunks() []Hunk {
	var out []Hunk
	i, j := 0, 0
	for i < len(c.old) || j < len(c.new) {
		a, b, coarse := i, j, false
		for i < len(c.old) && c.removed[i] {
			coarse = coarse || c.coarseOld[i]
			i++
		}
		for j < len(c.new) && c.added[j] {
			coarse = coarse || c.coarseNew[j]
			j++
		}
		if i > a || j > b {
			out = append(out, newHunk(a, i, b, j, coarse))
			continue
		}
		i, j = i+1, j+1
	}
	return out
}

// newHunk numbers the half-open runs old[a0:a1] and new[b0:b1].
func newHunk(a0, a1, b0, b1 int, coarse bool) Hunk {
	h := Hunk{OldStart: a0, OldLines: a1 - a0, NewStart: b0, NewLines: b1 - b0, Coarse: coarse}
	if h.OldLines > 0 {
		h.OldStart++
	}
	if h.NewLines > 0 {
		h.NewStart++
	}
	return h
}
