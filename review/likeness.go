package review

import (
	"slices"
	"strings"
	"unicode"
)

// likeness says how many of the words of a symbol's name stand in the name of a
// test, in percent. A name proves nothing, so it only orders tests that the
// graph cannot tell apart: far from a change, that is most of them.
func likeness(symbol, test []string) int {
	if len(symbol) == 0 {
		return 0
	}
	n := 0
	for _, w := range symbol {
		if slices.Contains(test, w) {
			n++
		}
	}
	return 100 * n / len(symbol)
}

// words splits a name at anything that is no letter or digit and where its case
// says that a word begins: "parseURLPath" is parse, url, path.
func words(name string) []string {
	var out []string
	start := 0
	letters := []rune(name)
	flush := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(string(letters[start:end])))
		}
		start = end
	}
	for i, r := range letters {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])):
			flush(i)
		}
	}
	flush(len(letters))
	return out
}
