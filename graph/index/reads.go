package index

import (
	"path"
	"slices"
	"sync"
)

// known are the languages that a graph holds symbols of.
var known = sync.OnceValue(func() map[string]bool {
	languages := map[string]bool{}
	for _, e := range extractors(Configuration{}) {
		for _, l := range e.Languages() {
			languages[l] = true
		}
	}
	return languages
})

// Reads reports whether a build would read a file of this path that begins with
// head, as code, as a document or for what it says about either. It is told of a
// language without an extractor too: the graph names such a file as not seen.
func Reads(name string, head []byte) bool {
	if slices.ContainsFunc(manifests, func(pattern string) bool {
		ok, err := path.Match(pattern, path.Base(name))
		return ok && err == nil
	}) {
		return true
	}
	language := languageOf(name)
	if language == "" {
		language = languageOfShebang(head)
	}
	return language != "" && (known()[language] || !dataLanguages[language])
}
