package diff

import (
	"hash/fnv"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"
)

// MaxTokens is the number of tokens of a body that [Body.Similarity] compares,
// after those that both have at the beginning and at the end; what follows
// counts as different.
const MaxTokens = 1 << 13

// A Body is the tokens of a text, ready to be compared with many others. A token
// is a word or a single other character, so names count as much as the brackets
// around them, and a body that moved to another indentation stays the same.
type Body struct {
	tokens []uint64 // hashes, in the order of the text
	sorted []uint64
}

// NewBody reads a text.
func NewBody(text []byte) Body {
	tokens := make([]uint64, 0, len(text)/4)
	for i := 0; i < len(text); {
		end, space := token(text, i)
		if !space {
			h := fnv.New64a()
			h.Write(text[i:end])
			tokens = append(tokens, h.Sum64())
		}
		i = end
	}
	return Body{tokens: tokens, sorted: slices.Sorted(slices.Values(tokens))}
}

// Similarity says how much of two texts is the same, as [Body.Similarity] does.
func Similarity(a, b []byte) float64 { return NewBody(a).Similarity(NewBody(b)) }

// Ceiling returns a value that the similarity of two bodies does not exceed: it
// counts the tokens they share in any order. It costs one pass over both, so
// that most pairs that are unlike need no comparing.
func (b Body) Ceiling(other Body) float64 {
	x, y := b.sorted, other.sorted
	total, same := len(x)+len(y), 0
	if total == 0 {
		return 1
	}
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			x, y, same = x[1:], y[1:], same+1
		}
	}
	return 2 * float64(same) / float64(total)
}

// Similarity says how much of two bodies is the same, from 0 (nothing) to 1
// (everything but white space): twice the length of their longest common
// subsequence of tokens, divided by the tokens of both. Two bodies without
// tokens are equal.
func (b Body) Similarity(other Body) float64 {
	x, y := b.tokens, other.tokens
	total, same := len(x)+len(y), 0
	if total == 0 {
		return 1
	}
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y, same = x[1:], y[1:], same+1
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y, same = x[:len(x)-1], y[:len(y)-1], same+1
	}
	same += common(x[:min(len(x), MaxTokens)], y[:min(len(y), MaxTokens)])
	return 2 * float64(same) / float64(total)
}

// token returns the end of the token that starts at i, or of one white space.
func token(text []byte, i int) (end int, space bool) {
	r, n := utf8.DecodeRune(text[i:])
	if unicode.IsSpace(r) {
		return i + n, true
	}
	end = i + n
	for isWord(r) && end < len(text) {
		if r, n = utf8.DecodeRune(text[end:]); isWord(r) {
			end += n
		}
	}
	return end, false
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// common returns the length of the longest common subsequence of x and y, by
// the bit-parallel recurrence of Hyyrö (2004): 64 cells of the usual table in
// each step, so that the cost depends on the lengths alone.
func common(x, y []uint64) int {
	words := (len(x) + 63) / 64
	where := make(map[uint64][]uint64, len(x)) // by token, the positions in x
	for i, id := range x {
		if where[id] == nil {
			where[id] = make([]uint64, words)
		}
		where[id][i/64] |= 1 << (i % 64)
	}
	open := make([]uint64, words) // a zero bit is a step of the subsequence
	for i := range open {
		open[i] = ^uint64(0)
	}
	for _, id := range y {
		var carry uint64
		for w, m := range where[id] {
			u := open[w] & m
			var sum uint64
			sum, carry = bits.Add64(open[w], u, carry)
			open[w] = sum | (open[w] &^ m)
		}
	}
	length := 0
	for w, v := range open {
		if w == words-1 && len(x)%64 != 0 {
			v |= ^uint64(0) << (len(x) % 64)
		}
		length += bits.OnesCount64(^v)
	}
	return length
}
