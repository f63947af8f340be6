// Package history says what earlier commits tell about the files that a pull request
// changes.
//
// Input is the newest commits of the merge base, those of the pull request, and the
// files that it changes; output is counts with their populations: what usually
// changes together, how often a file changed and who changed it last, and which
// earlier commits the pull request takes back or applies again. There is no score:
// a file that changes often is not said to be risky. Renames are not followed. The
// package runs no git.
package history

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// Window is how many commits before the merge base are read.
const Window = 1000

// What counts as a habit, and what is listed.
const (
	massFiles    = 30  // a commit of more files says nothing about any two of them
	leastTimes   = 3   // commits that change both
	mostRows     = 50  // of co-change, and of reverts
	mostFiles    = 500 // of changed files
	mostAuthors  = 3
	mostReverted = 20 // files of one revert
)

// A Change is one file as the pull request changes it: blobs of merge base and head,
// "" where it has none.
type Change struct {
	Path     string
	Old, New worktree.OID
}

// Of finds what the commits before say about some changes. Exists tells whether the
// merge base has a path; own are the commits of the pull request.
func Of(before, own []worktree.Commit, changes []Change, exists func(path string) bool) report.History {
	h := report.History{Commits: len(before), Cut: []string{}}
	var steps []worktree.Commit // those that say something of two files
	for _, c := range before {
		switch {
		case c.Merge:
			h.Merges++
		case len(c.Changes) > massFiles:
			h.Mass++
		default:
			steps = append(steps, c)
		}
	}
	h.CoChange, h.CoChangeTotal = coChange(steps, changes, exists)
	h.Files = files(before, changes, exists)
	h.Reverts = reverts(before, own, changes)
	return h
}

// coChange lists the files that most of the commits of a changed file change as well,
// and that the pull request leaves alone: for each the changed file
// that it goes with most often.
func coChange(steps []worktree.Commit, changes []Change, exists func(string) bool) ([]report.CoChange, int) {
	changed := map[string]int{} // path → commits that change it
	for _, c := range changes {
		changed[c.Path] = 0
	}
	type pair struct{ with, path string }
	together, last := map[pair]int{}, map[pair]worktree.OID{}
	for _, c := range steps {
		for _, a := range c.Changes {
			if _, ours := changed[a.Path]; !ours {
				continue
			}
			changed[a.Path]++
			for _, b := range c.Changes {
				if _, ours := changed[b.Path]; ours || !exists(b.Path) {
					continue
				}
				p := pair{a.Path, b.Path}
				if together[p]++; last[p] == "" {
					last[p] = c.ID
				}
			}
		}
	}
	best := map[string]report.CoChange{}
	for p, n := range together {
		row := report.CoChange{Path: p.path, With: p.with, Together: n, Of: changed[p.with], Last: string(last[p])}
		if n < leastTimes || 2*n <= row.Of {
			continue
		}
		if known, ok := best[p.path]; !ok || compare(row, known) < 0 {
			best[p.path] = row
		}
	}
	rows := slices.SortedFunc(maps.Values(best), compare)
	return rows[:min(len(rows), mostRows)], len(rows)
}

// compare puts first what goes together most often, then what does so most surely.
func compare(a, b report.CoChange) int {
	return cmp.Or(cmp.Compare(b.Together, a.Together), cmp.Compare(a.Of, b.Of), cmp.Compare(a.Path, b.Path), cmp.Compare(a.With, b.With))
}

// files counts the commits of each changed file that the merge base has.
func files(before []worktree.Commit, changes []Change, exists func(string) bool) []report.FileHistory {
	rows := map[string]*report.FileHistory{}
	var order []string
	for _, c := range changes {
		if exists(c.Path) && rows[c.Path] == nil {
			rows[c.Path] = &report.FileHistory{Path: c.Path, Authors: []string{}}
			order = append(order, c.Path)
		}
	}
	for _, c := range before {
		for _, change := range c.Changes {
			row := rows[change.Path]
			if row == nil {
				continue
			}
			if row.Commits++; row.Last == "" {
				row.Last = string(c.ID)
			}
			if c.Author != "" && len(row.Authors) < mostAuthors && !slices.Contains(row.Authors, c.Author) {
				row.Authors = append(row.Authors, c.Author)
			}
		}
	}
	slices.Sort(order)
	list := []report.FileHistory{}
	for _, path := range order[:min(len(order), mostFiles)] {
		list = append(list, *rows[path])
	}
	return list
}

// said is how git writes that one commit takes back another.
var said = regexp.MustCompile(`This reverts commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)\b`)

// reverts lists the commits that the pull request takes back or applies again. A
// commit counts by content if at least half of its files go back to the very blobs
// that they had before it, or come again to those that it gave them.
func reverts(before, own []worktree.Commit, changes []Change) []report.Revert {
	at := map[string]Change{}
	for _, c := range changes {
		at[c.Path] = c
	}
	told := toldOf(own)
	rows := []report.Revert{}
	for _, c := range before {
		row := report.Revert{Commit: string(c.ID), Title: title(c.Message), Of: len(c.Changes)}
		var back, again []string
		for _, was := range c.Changes {
			now, ours := at[was.Path]
			switch {
			case !ours:
			case now.Old == was.New && now.New == was.Old:
				back = append(back, was.Path)
			case now.Old == was.Old && now.New == was.New:
				again = append(again, was.Path)
			}
		}
		switch {
		case len(back) > 0 && 2*len(back) >= len(c.Changes):
			row.Relation, row.Basis, row.Files = "reverts", "content", back
		case len(again) > 0 && 2*len(again) >= len(c.Changes):
			row.Relation, row.Basis, row.Files = "reapplies", "content", again
		case told[c.ID]:
			row.Relation, row.Basis = "reverts", "message"
		default:
			continue
		}
		row.Files = row.Files[:min(len(row.Files), mostReverted)]
		if rows = append(rows, row); len(rows) == mostRows {
			break
		}
	}
	return rows
}

// toldOf are the commits that the messages of others say they take back.
func toldOf(own []worktree.Commit) map[worktree.OID]bool {
	told := map[worktree.OID]bool{}
	for _, c := range own {
		for _, m := range said.FindAllStringSubmatch(c.Message, -1) {
			told[worktree.OID(m[1])] = true
		}
	}
	return told
}

// title is the first line of a message.
func title(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	const longest = 100
	if r := []rune(line); len(r) > longest {
		line = string(r[:longest]) + " …"
	}
	return line
}
