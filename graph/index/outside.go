package index

import (
	"encoding/json"

	"github.com/previdence/previdence/graph/link"
)

// Outside describes again what [Stats.Outside] of an earlier build describes:
// the sources on this machine that decide a graph besides its tree, such as Go
// modules. A graph is what a build would give now only if the two are equal.
func (b *Builder) Outside(before string) string {
	var was map[string]string
	if before == "" || json.Unmarshal([]byte(before), &was) != nil {
		return ""
	}
	now := map[string]string{}
	for _, l := range b.linkers {
		o, ok := l.(link.Outsider)
		if text := was[l.Languages()[0]]; ok && text != "" {
			now[l.Languages()[0]] = o.Outside(text)
		}
	}
	return describe(now)
}

// describe joins the descriptions of linkers, each under its first language.
func describe(outside map[string]string) string {
	if len(outside) == 0 {
		return ""
	}
	text, err := json.Marshal(outside) // in the order of the languages
	if err != nil {
		panic(err) // texts only
	}
	return string(text)
}
