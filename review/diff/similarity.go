package diff

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// MaxTokens is the number of tokens of a body that [Similarity] compares, after
// those that both have at the beginning and at the end; what follows counts as
// different.
const MaxTokens = 1 << 13

// Similarity says how much of two bodies is the same, from 0 (nothing) to 1
// (everything but white space): twice the length of their longest common
// subsequence of tokens, divided by the tokens of both. A token is a word or a
// single other character, so names count as much as the brackets around them,
// and a body that moved to another indentation stays the same. Two bodies
// without tokens are equal.
func Similarity(a, b []byte) float64 {
	table := map[string]int32{}
	x, y := tokens(table, a), tokens(table, b)
	total := len(x) + len(y)
	if total == 0 {
		return 1
	}
	same := 0
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y, same = x[1:], y[1:], same+1
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y, same = x[:len(x)-1], y[:len(y)-1], same+1
	}
	same += common(x[:min(len(x), MaxTokens)], y[:min(len(y), MaxTokens)], len(table))
	return 2 * float64(same) / float64(total)
}

// tokens returns the tokens of a text as numbers in table.
func tokens(table map[string]int32, text []byte) []int32 {
	ids := make([]int32, 0, len(text)/4)
	for i := 0; i < len(text); {
		end, space := token(text, i)
		if !space {
			id, ok := table[string(text[i:end])]
			if !ok {
				id = int32(len(table))
				table[string(text[i:end])] = id
			}
			ids = append(ids, id)
		}
		i = end
	}
	return ids
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
func common(x, y []int32, distinct int) int {
	words := (len(x) + 63) / 64
	where := make([][]uint64, distinct) // by token, the positions in x
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
		if where[id] == nil {
			continue
		}
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
