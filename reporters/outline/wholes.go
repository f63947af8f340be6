package outline

import (
	"strings"

	"github.com/previdence/previdence/review/report"
)

// wholes leaves out what was added or removed together with what contains it,
// and counts it there, by ID: a new test says it all about the types in it.
func wholes(list []report.SymbolChange) (kept []report.SymbolChange, members map[string]int) {
	type owner struct {
		path, name string
		change     report.Change
	}
	owners := map[owner]string{}
	for _, s := range list {
		if s.Change == report.Added || s.Change == report.Removed {
			owners[owner{s.Path, s.Name, s.Change}] = s.ID
		}
	}
	members = map[string]int{}
	for _, s := range list {
		id := ""
		for at := strings.IndexByte(s.Name, '.'); at > 0 && id == ""; {
			id = owners[owner{s.Path, s.Name[:at], s.Change}]
			next := strings.IndexByte(s.Name[at+1:], '.')
			if next < 0 {
				break
			}
			at += 1 + next
		}
		if id == "" || id == s.ID {
			kept = append(kept, s)
			continue
		}
		members[id]++
	}
	return kept, members
}
