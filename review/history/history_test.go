package history

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

// step is a commit that changes some files; each gets a blob that is named after the
// file and the commit.
func step(id string, paths ...string) worktree.Commit {
	c := worktree.Commit{ID: worktree.OID(id), Author: "by " + id, Message: "do " + id + "\n\nat length"}
	for _, p := range paths {
		c.Changes = append(c.Changes, worktree.PathChange{Path: p, Old: worktree.OID(p + " before " + id), New: worktree.OID(p + " after " + id)})
	}
	return c
}

func everything(string) bool { return true }

func TestWhatUsuallyChangesTogether(t *testing.T) {
	many := step("mass")
	for i := range massFiles + 1 {
		many.Changes = append(many.Changes, worktree.PathChange{Path: fmt.Sprint("f", i)})
	}
	many.Changes = append(many.Changes, worktree.PathChange{Path: "a"}, worktree.PathChange{Path: "rare"})
	merge := step("merge", "a", "rare")
	merge.Merge = true
	before := []worktree.Commit{
		merge, many, step("5", "a", "often", "gone"), step("4", "a", "often", "rare", "gone"), step("3", "a", "often", "half", "b", "gone"),
		step("2", "a", "half"), step("1", "a", "half"), step("0", "a"), step("00", "b", "often"),
	}
	h := Of(before, nil, []Change{{Path: "a"}, {Path: "b"}}, func(p string) bool { return p != "gone" })
	want := []report.CoChange(nil)
	if !slices.Equal(h.CoChange, want) || h.CoChangeTotal != 0 {
		t.Errorf("3 of 6 is not most: %+v", h.CoChange)
	}
	h = Of(before[:6], nil, []Change{{Path: "a"}, {Path: "b"}}, func(p string) bool { return p != "gone" })
	want = []report.CoChange{{Path: "often", With: "a", Together: 3, Of: 4, Last: "5"}}
	if !slices.Equal(h.CoChange, want) || h.Merges != 1 || h.Mass != 1 || h.Commits != 6 {
		t.Errorf("%+v", h)
	}
	h = Of(before[:6], nil, []Change{{Path: "a"}, {Path: "often"}}, everything)
	if len(h.CoChange) != 1 || h.CoChange[0].Path != "gone" {
		t.Errorf("what changes here as well is not absent: %+v", h.CoChange)
	}
}

func TestHowOftenAndByWhom(t *testing.T) {
	before := []worktree.Commit{step("4", "a"), step("3", "a", "c"), step("2", "a"), step("1", "a"), step("0", "b")}
	before[1].Author = before[0].Author
	h := Of(before, nil, []Change{{Path: "b"}, {Path: "a"}, {Path: "new"}}, func(p string) bool { return p != "new" })
	want := []report.FileHistory{
		{Path: "a", Commits: 4, Authors: []string{"by 4", "by 2", "by 1"}, Last: "4"},
		{Path: "b", Commits: 1, Authors: []string{"by 0"}, Last: "0"},
	}
	if !reflect.DeepEqual(h.Files, want) {
		t.Errorf("%+v", h.Files)
	}
}

func TestWhatIsTakenBack(t *testing.T) {
	before := []worktree.Commit{step("2", "a", "b"), step("1", "c", "d", "e")}
	undo := func(c worktree.Commit, paths ...string) (changes []Change) {
		for _, p := range c.Changes {
			if slices.Contains(paths, p.Path) {
				changes = append(changes, Change{p.Path, p.New, p.Old})
			}
		}
		return changes
	}
	for name, c := range map[string]struct {
		changes []Change
		message string
		want    []string
	}{
		"all of it":                     {undo(before[0], "a", "b"), "", []string{"reverts 2 content 2 of 2"}},
		"half of it":                    {undo(before[0], "a"), "", []string{"reverts 2 content 1 of 2"}},
		"less than half":                {undo(before[1], "c"), "", nil},
		"to another content":            {[]Change{{"a", "a after 2", "other"}}, "", nil},
		"what came since is not undone": {[]Change{{"a", "later", "a before 2"}}, "", nil},
		"again":                         {[]Change{{"a", "a before 2", "a after 2"}, {"b", "b before 2", "b after 2"}}, "", []string{"reapplies 2 content 2 of 2"}},
	} {
		h := Of(before, []worktree.Commit{{Message: c.message}}, c.changes, everything)
		var got []string
		for _, r := range h.Reverts {
			got = append(got, fmt.Sprintf("%s %s %s %d of %d", r.Relation, r.Commit, r.Basis, len(r.Files), r.Of))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	id := worktree.OID("0123456789012345678901234567890123456789")
	told := step(string(id), "x")
	own := []worktree.Commit{{Message: "Revert\n\nThis reverts commit " + string(id) + "."}}
	if h := Of([]worktree.Commit{told}, own, nil, everything); len(h.Reverts) != 1 || h.Reverts[0].Basis != "message" || h.Reverts[0].Title != "do "+string(id) {
		t.Errorf("%+v", h.Reverts)
	}
	if h := Of(before, own, nil, everything); len(h.Reverts) != 0 {
		t.Errorf("a message names what is not there: %+v", h.Reverts)
	}
}
