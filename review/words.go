package review

import (
	"strings"
	"unicode"
)

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
