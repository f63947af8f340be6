package review

import (
	"testing"

	"github.com/previdence/previdence/review/report"
	"github.com/previdence/previdence/worktree"
)

func TestLastOf(t *testing.T) {
	r := reviewer{Input: Input{Past: Past{Before: []worktree.Commit{
		{ID: "c", Changes: []worktree.PathChange{{Path: "other"}}},
		{ID: "b", Changes: []worktree.PathChange{{Path: "other"}, {Path: "pay/a.go"}}},
		{ID: "a", Changes: []worktree.PathChange{{Path: "pay/a.go"}}},
	}}}}
	if got := r.lastOf([]string{"pay/b.go", "pay/a.go"}); got != "b" {
		t.Errorf("the newest commit that changed one of them: got %q", got)
	}
	if got := r.lastOf([]string{"pay/b.go"}); got != "" {
		t.Errorf("none of those read did: got %q", got)
	}
}

func TestWithdrawnDocumentsComeLast(t *testing.T) {
	row := func(by, status string) report.Document {
		return report.Document{Governs: &report.Governance{By: by, Status: status}}
	}
	if rightRank(row(byFront, "superseded")) <= rightRank(row(byDirectory, "")) {
		t.Error("what is superseded stands before what is in force")
	}
	if rightRank(row(byFront, "accepted")) >= rightRank(row(byFile, "")) {
		t.Error("front matter is the strongest right")
	}
}

func TestQuotes(t *testing.T) {
	for text, want := range map[string]bool{
		`x("--quiet")`: true, `Bool("quiet", false)`: true, `"--quiet=1"`: true, `"--quieter"`: false, `quiet`: false, `"be quiet"`: false,
	} {
		if got := quotes([]byte(text), "--quiet"); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}
