package store

import (
	"strings"
	"unicode"

	"github.com/previdence/previdence/graph"
)

// words splits a name where its writer would: at camelCase and snake_case
// borders, at digits' ends and at everything that is neither letter nor digit.
// The parts come in lower case; an acronym stays in one piece ("HTTPServer" is
// "http server").
func words(name string) []string {
	var out []string
	runes := []rune(name)
	start := 0
	cut := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(string(runes[start:end])))
		}
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			cut(i)
			start = i + 1
			continue
		}
		if i > start && startsWord(runes, i) {
			cut(i)
			start = i
		}
	}
	cut(len(runes))
	return out
}

// startsWord reports whether a new word begins at i inside a run of letters and
// digits: an upper-case letter after a lower-case one or a digit, or the last
// upper-case letter of an acronym.
func startsWord(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	if !unicode.IsUpper(runes[i-1]) {
		return true
	}
	return i+1 < len(runes) && unicode.IsLower(runes[i+1])
}

// foundAs is the name that a symbol is looked up and searched by. A function
// literal is called like what it is put into, which is what is meant: it is found
// by its ID alone.
func foundAs(s *graph.Symbol) string {
	if s.Kind == graph.KindLiteral {
		return ""
	}
	return s.Name
}

// indexedWords are the words under which a symbol is found: those of its name and of
// its containers, and the name in one piece if it has several.
func indexedWords(name, container string) []string {
	parts := words(name)
	if len(parts) > 1 {
		parts = append(parts, strings.Join(parts, ""))
	}
	return append(parts, words(container)...)
}
